//! What a kernel calls while it runs: the functions of custom instructions, and whoever listens to its prints.
//!
//! In: a kernel's interface, its functions and the listener. Out: the tables of the context, and after the dispatch the
//! error, if there was one.
//!
//! Invariant: nothing unwinds into the kernel. A panic is noted, the dispatch stops at the next range of workgroups, and
//! what is called until then gives zeros.

use crate::custom::{Compute, Instruction, Subgroup};
use crate::lowering::abi::{HostFunction, PrintSink};
use crate::lowering::analysis::interface::Interface;
use crate::print::{Argument, format};
use crate::{Error, Result};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

/// What one invocation printed.
#[derive(Debug)]
pub struct Printed<'a> {
    /// `gl_GlobalInvocationID`.
    pub invocation: [u32; 3],
    /// The text, with its arguments put in.
    pub text: &'a str,
    /// The source file, where that is known.
    pub file: Option<&'a str>,
    /// The line of the print, or 0.
    pub line: u32,
}

/// Listens to what a shader prints; several threads may call it at once. The prints of a subgroup come in the order of its
/// invocations.
pub type PrintFn<'a> = dyn Fn(&Printed<'_>) + Sync + 'a;

/// The first panic of a dispatch.
#[derive(Default)]
pub(crate) struct Failure {
    pub stop: AtomicBool,
    /// What the kernel looks at: a shader may loop until a function gives something else than the zeros of a failed one.
    pub interrupt: AtomicU32,
    what: Mutex<Option<(String, String)>>,
}

impl Failure {
    /// Runs `f`, unless something has failed before; a panic in it is noted.
    fn guard(&self, name: impl FnOnce() -> String, f: impl FnOnce()) {
        if self.stop.load(Ordering::Relaxed) {
            return;
        }
        // AssertUnwindSafe: the dispatch fails, and nothing that `f` wrote is looked at.
        if let Err(payload) = catch_unwind(AssertUnwindSafe(f)) {
            let text = payload.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no message");
            let mut what = self.what.lock().unwrap_or_else(PoisonError::into_inner);
            what.get_or_insert((name(), text.into()));
            self.stop.store(true, Ordering::Relaxed);
            self.interrupt.store(1, Ordering::Relaxed);
            // The payload's own destructor may panic, and must not do so here.
            std::mem::forget(payload);
        }
    }

    /// What became of the dispatch.
    pub fn result(self, result: Result<()>) -> Result<()> {
        match self.what.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some((name, message)) => Err(Error::Function { name, message }),
            None => result,
        }
    }
}

/// What the context points at; it stays where it is for as long as the dispatch lasts.
pub(crate) struct Outside<'a> {
    calls: Vec<Call<'a>>,
    listener: Option<Listener<'a>>,
    pub functions: Vec<HostFunction>,
}

struct Call<'a> {
    name: &'a Instruction,
    compute: &'a Compute,
    lanes: usize,
    arguments: usize,
    outputs: usize,
    failure: &'a Failure,
}

struct Listener<'a> {
    print: &'a PrintFn<'a>,
    interface: &'a Interface,
    lanes: usize,
    failure: &'a Failure,
}

impl<'a> Outside<'a> {
    /// For a dispatch of a kernel whose custom instructions are `instructions`, in the order of its interface.
    pub fn new(
        instructions: &'a [Instruction],
        print: Option<&'a PrintFn<'a>>,
        interface: &'a Interface,
        subgroup_size: u32,
        failure: &'a Failure,
    ) -> Box<Outside<'a>> {
        let lanes = subgroup_size as usize;
        let call = |name: &'a Instruction| Call {
            name,
            compute: name.compute(),
            lanes,
            arguments: name.declaration.arguments(),
            outputs: name.declaration.outputs(),
            failure,
        };
        let calls: Vec<Call<'a>> = instructions.iter().map(call).collect();
        let entry =
            |call: &Call<'a>| HostFunction { call: Some(compute), data: std::ptr::from_ref(call).cast_mut().cast() };
        let functions = calls.iter().map(entry).collect();
        let listener = print.map(|print| Listener { print, interface, lanes, failure });
        Box::new(Outside { calls, listener, functions })
    }

    /// The print sink of the context.
    pub fn sink(&self) -> PrintSink {
        debug_assert_eq!(self.calls.len(), self.functions.len());
        match &self.listener {
            Some(listener) => PrintSink { call: Some(print), data: std::ptr::from_ref(listener).cast_mut().cast() },
            None => PrintSink { call: None, data: std::ptr::null_mut() },
        }
    }
}

/// [`HostFunction::call`].
unsafe extern "C" fn compute(data: *mut u8, active: u64, args: *const u8, results: *mut u8) {
    // SAFETY: `Outside::new` made the pointer, and its caller keeps the calls until the dispatch is over.
    let call = unsafe { &*data.cast_const().cast::<Call<'_>>() };
    // SAFETY: the kernel gives memory for one word for each lane of each component of its own, aligned.
    let args = unsafe { std::slice::from_raw_parts(args.cast::<u32>(), call.arguments * call.lanes) };
    let words = call.outputs * call.lanes;
    // SAFETY: as above; zeros are set before a slice of them is made.
    let results = unsafe {
        results.write_bytes(0, words * size_of::<u32>());
        std::slice::from_raw_parts_mut(results.cast::<u32>(), words)
    };
    call.failure.guard(
        || format!("the function of {}", call.name.declaration.name),
        || (call.compute)(&mut Subgroup::new(active, call.lanes, args, results)),
    );
}

/// [`PrintSink::call`].
unsafe extern "C" fn print(data: *mut u8, number: u64, active: u64, args: *const u8) {
    // SAFETY: `Outside::sink` made the pointer of a listener that lives until the dispatch is over.
    let listener = unsafe { &*data.cast_const().cast::<Listener<'_>>() };
    let Some((print, file)) = usize::try_from(number).ok().and_then(|n| listener.interface.prints.get(n)) else {
        return;
    };
    let lanes = listener.lanes;
    let components: usize = 3 + print.args.iter().map(|ty| ty.count as usize).sum::<usize>();
    // SAFETY: the kernel gives one word for each lane of the invocation's id and of each component of the arguments.
    let words = unsafe { std::slice::from_raw_parts(args.cast::<u32>(), components * lanes) };
    let each = || {
        for lane in (0..lanes).filter(|lane| active >> lane & 1 != 0) {
            let word = |component: usize| words.get(component * lanes + lane).copied().unwrap_or(0);
            let mut at = 3;
            let mut values = vec![];
            for &ty in &print.args {
                let count = ty.count as usize;
                values.push(Argument { ty, bits: (at..at + count).map(word).collect() });
                at += count;
            }
            let text = format(&print.text, &values);
            let file = file.as_deref().filter(|file| print.loc.line > 0 && !file.is_empty());
            let invocation = [word(0), word(1), word(2)];
            (listener.print)(&Printed { invocation, text: &text, file, line: print.loc.line });
        }
    };
    listener.failure.guard(|| "the function that listens to prints".into(), each);
}
