//! Running a shader on real data: `glslc2native run`.

use super::args::{RunArgs, Slot};
use super::values::Type;
use super::{Failure, output, push, read_input};
use glslc2native::{Bindings, DispatchOptions, Interface, Kernel, StageTimes};
use indicatif::{ProgressBar, ProgressStyle};
use std::time::{Duration, Instant};

/// A progress bar is shown when a dispatch takes longer.
const PATIENCE: Duration = Duration::from_millis(500);

/// Compiles, binds, dispatches, and gives the results away.
pub fn run(args: &RunArgs) -> Result<(), Failure> {
    check_slots(args)?;
    // A shader that must stop in time stops in every loop.
    let compiler = args.compile.compiler()?.interruptible(args.timeout.is_some());
    let input = read_input(&args.compile)?;
    let kernel = compiler.compile(&input)?;
    if !kernel.warnings().is_empty() {
        eprintln!("{}", kernel.warnings());
    }
    let groups = match (args.groups, args.size) {
        (Some(groups), _) => groups,
        (None, Some(size)) => kernel.groups_for(size),
        (None, None) => return Err(Failure::Usage("--groups or --size is needed".into())),
    };
    let mut buffers: Vec<(Slot, Vec<u8>)> = vec![];
    for (slot, source) in &args.bind {
        buffers.push((
            *slot,
            source.load(held_type(kernel.interface(), *slot)).map_err(|e| format!("--bind {slot}: {e}"))?,
        ));
    }
    let mut bindings = Bindings::new();
    for (Slot { set, binding, element }, bytes) in &mut buffers {
        bindings.bind_element(*set, *binding, *element, bytes);
    }
    push::apply(&args.push, kernel.interface(), &mut bindings)?;
    let time = dispatch(&kernel, &mut bindings, groups, args)?;
    drop(bindings);
    if groups.contains(&0) {
        eprintln!("note: {} x {} x {} workgroups: nothing was run", groups[0], groups[1], groups[2]);
    }
    if args.time {
        print_times(&kernel.times(), time);
    }
    let mut lines = String::new();
    for (slot, sink) in &args.out {
        let bytes = buffers.iter().find(|(s, _)| s == slot).map(|(_, bytes)| bytes.as_slice()).unwrap_or_default();
        if let Some(line) =
            sink.write(bytes, held_type(kernel.interface(), *slot)).map_err(|e| format!("--out {slot}: {e}"))?
        {
            lines += &line;
            lines.push('\n');
        }
    }
    output(lines.as_bytes())
}

/// The type of all numbers that a buffer holds; `None` where there are several.
fn held_type(interface: &Interface, slot: Slot) -> Option<Type> {
    let mut resources = interface.resources.iter().filter(|r| (r.set, r.binding) == (slot.set, slot.binding));
    let mut types = resources.next()?.members.iter().map(|member| Type::of_glsl(&member.ty));
    let first = types.next()??;
    types.all(|ty| ty == Some(first)).then_some(first)
}

/// A buffer has one source, and only what is bound can come out.
fn check_slots(args: &RunArgs) -> Result<(), Failure> {
    for (index, (slot, _)) in args.bind.iter().enumerate() {
        if args.bind[..index].iter().any(|(other, _)| other == slot) {
            return Err(Failure::Usage(format!("--bind {slot} is given twice")));
        }
    }
    match args.out.iter().find(|(slot, _)| args.bind.iter().all(|(bound, _)| bound != slot)) {
        Some((slot, _)) => Err(Failure::Usage(format!(
            "--out {slot}: nothing is bound there; a buffer that the shader only writes needs a size too, such as --bind \
             {slot}=f32*1024"
        ))),
        None => Ok(()),
    }
}

/// Dispatches with a progress bar; the time it took.
fn dispatch(
    kernel: &Kernel,
    bindings: &mut Bindings<'_>,
    groups: [u32; 3],
    args: &RunArgs,
) -> Result<Duration, Failure> {
    let start = Instant::now();
    let mut bar: Option<ProgressBar> = None;
    let mut progress = |done, total| {
        if bar.is_none() && start.elapsed() > PATIENCE && done < total {
            bar = Some(progress_bar(total));
        }
        if let Some(bar) = &bar {
            bar.set_position(done);
        }
    };
    let (threads, timeout) = (args.threads, args.timeout);
    let options = DispatchOptions { threads, timeout, progress: Some(&mut progress), ..DispatchOptions::default() };
    let result = kernel.dispatch_with(bindings, groups, options);
    let time = start.elapsed();
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    result?;
    Ok(time)
}

/// A bar on standard error; invisible where that is no terminal.
fn progress_bar(total: u64) -> ProgressBar {
    let bar = ProgressBar::new(total);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {percent:>3}%  {pos}/{len} workgroups  {eta} left") {
        bar.set_style(style);
    }
    bar
}

fn print_times(times: &StageTimes, dispatch: Duration) {
    let StageTimes { front_end, lift, transform, lower, codegen } = *times;
    let stages = [
        ("front end", front_end),
        ("lift", lift),
        ("transform", transform),
        ("lower", lower),
        ("codegen", codegen),
        ("dispatch", dispatch),
    ];
    for (name, time) in stages {
        eprintln!("{name:<10} {:>10.3} ms", time.as_secs_f64() * 1e3);
    }
}
