//! A compiled shader, and dispatching it.

use crate::backend::{self, JitKernel, RunOptions};
use crate::frontend::Diagnostics;
use crate::lowering::abi::{ABI_VERSION, Context};
use crate::lowering::analysis::interface::Interface;
use crate::lowering::{LoweredModule, Stats};
use crate::outside::{Failure, Outside};
use crate::{Bindings, Error, Instruction, PrintFn, Result, StageTimes, deadline, resolve};
use std::sync::atomic::AtomicU32;
use std::time::Duration;

/// A compute shader as native code.
///
/// Kernels may be shared between threads, and dispatched by several of them at once. Their code is freed with them.
#[derive(Debug)]
pub struct Kernel {
    jit: JitKernel,
    interface: Interface,
    stats: Stats,
    remarks: Vec<String>,
    subgroup_size: u32,
    /// What computes the custom instructions, in the order of the interface.
    functions: Vec<Instruction>,
    times: StageTimes,
    warnings: Diagnostics,
}

const _: () = {
    const fn is_send_and_sync<T: Send + Sync>() {}
    is_send_and_sync::<Kernel>();
    is_send_and_sync::<Bindings<'_>>();
};

/// How a dispatch runs.
#[derive(Default)]
pub struct DispatchOptions<'a> {
    /// Threads, the caller's included; 0 is as many as there are CPUs.
    pub threads: usize,
    /// Added to every workgroup's id.
    pub base_group: [u32; 3],
    /// Set it to 1, from any thread, to stop the dispatch; it then fails with
    /// [`ErrorKind::Interrupted`](crate::ErrorKind::Interrupted).
    pub interrupt: Option<&'a AtomicU32>,
    /// Called with what the shader prints (`debugPrintfEXT`). Without it, prints do nothing.
    pub print: Option<&'a PrintFn<'a>>,
    /// Stop after this time, with [`ErrorKind::Timeout`](crate::ErrorKind::Timeout). How soon a kernel sees it, see
    /// [`Compiler::interruptible`](crate::Compiler::interruptible).
    pub timeout: Option<Duration>,
    /// Called with the number of workgroups that are done, and of all, a few times a second and at the end.
    pub progress: Option<&'a mut backend::Progress<'a>>,
}

/// Invocations that a thread should take at once, at least.
const GRAIN: u64 = 512;

impl Kernel {
    pub(crate) fn new(
        jit: JitKernel,
        lowered: LoweredModule,
        functions: Vec<Instruction>,
        times: StageTimes,
        warnings: Diagnostics,
    ) -> Kernel {
        let LoweredModule { interface, subgroup_size, stats, remarks, .. } = lowered;
        Kernel { jit, interface, stats, remarks, subgroup_size, functions, times, warnings }
    }

    /// What the shader declares: buffers, push constants, workgroup size, specialisation constants.
    pub fn interface(&self) -> &Interface {
        &self.interface
    }

    /// What the compiler did.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Why lines of the shader gather, are masked or go lane by lane.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// Bytes of machine code.
    pub fn code_size(&self) -> usize {
        self.jit.code_size()
    }

    /// Invocations of a subgroup.
    pub fn subgroup_size(&self) -> u32 {
        self.subgroup_size
    }

    /// Time that each stage of compiling took.
    pub fn times(&self) -> StageTimes {
        self.times
    }

    /// Warnings of the GLSL compiler.
    pub fn warnings(&self) -> &Diagnostics {
        &self.warnings
    }

    /// Workgroups that cover `size` invocations: each number divided by the workgroup's size, rounded up.
    pub fn groups_for(&self, size: [u32; 3]) -> [u32; 3] {
        std::array::from_fn(|i| size[i].div_ceil(self.interface.local_size[i].max(1)))
    }

    /// Runs `groups` workgroups in x, y and z on all CPUs, and returns when they are done. Zero workgroups do nothing, as
    /// in Vulkan.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Interface`](crate::ErrorKind::Interface) when the bindings are not what the shader declares;
    /// [`ErrorKind::Limit`](crate::ErrorKind::Limit) when invocations cannot be numbered with 32 bits in each dimension, or
    /// workgroups with 64 bits. Nothing has run then. [`ErrorKind::Function`](crate::ErrorKind::Function) when a function
    /// of a [custom instruction](crate::Compiler::instruction) panicked.
    pub fn dispatch(&self, bindings: &mut Bindings<'_>, groups: [u32; 3]) -> Result<()> {
        self.dispatch_with(bindings, groups, DispatchOptions::default())
    }

    /// As [`dispatch`](Self::dispatch), but for no longer than `timeout`: for shaders that may not end.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Timeout`](crate::ErrorKind::Timeout) when it was stopped; the buffers then hold what some of the
    /// workgroups have written. Else as [`dispatch`](Self::dispatch).
    pub fn dispatch_with_timeout(
        &self,
        bindings: &mut Bindings<'_>,
        groups: [u32; 3],
        timeout: Duration,
    ) -> Result<()> {
        self.dispatch_with(bindings, groups, DispatchOptions { timeout: Some(timeout), ..DispatchOptions::default() })
    }

    /// As [`dispatch`](Self::dispatch), with options.
    pub fn dispatch_with(
        &self,
        bindings: &mut Bindings<'_>,
        groups: [u32; 3],
        options: DispatchOptions<'_>,
    ) -> Result<()> {
        let resolved = resolve::resolve(bindings, &self.interface)?;
        self.check_size(groups, options.base_group)?;
        let failure = Failure::default();
        let outside = Outside::new(&self.functions, options.print, &self.interface, self.subgroup_size, &failure);
        let context = Context {
            version: ABI_VERSION,
            size: size_of::<Context>() as u32,
            groups,
            descriptor_count: resolved.descriptors.len() as u32,
            base_group: options.base_group,
            push_size: self.interface.push_size,
            descriptors: resolved.descriptors.as_ptr(),
            push: resolved.push.as_ptr().cast(),
            zero_block: backend::zero_block(),
            ranges: std::ptr::null(),
            range_count: 0,
            host_functions: outside.functions.as_ptr(),
            host_function_count: outside.functions.len() as u64,
            print: outside.sink(),
            interrupt: std::ptr::null(),
        };
        let invocations: u64 = self.interface.local_size.iter().map(|&n| u64::from(n)).product();
        let (threads, grain, mut progress) = (options.threads, GRAIN / invocations.clamp(1, GRAIN), options.progress);
        let mut run = |interrupt: Option<&AtomicU32>| {
            // A closure of this call's own, since the flags do not live as long as the caller's.
            let wanted = progress.is_some();
            let mut forward = |done, all| progress.iter_mut().for_each(|progress| progress(done, all));
            let progress: Option<&mut backend::Progress<'_>> = if wanted { Some(&mut forward) } else { None };
            let run = RunOptions { threads, grain, interrupt, stop: Some(&failure.stop), progress };
            // SAFETY: the context was made for this kernel's interface: `resolve` has checked the descriptors and the push
            // constants, and `outside` holds its functions. The buffers are borrowed by `bindings`, exclusively where the
            // shader writes them.
            unsafe { backend::run(&self.jit, &context, run) }
        };
        // The kernel looks at one flag. Where functions can fail, that is one of this dispatch's own.
        let result = match (options.timeout, options.interrupt) {
            (None, None) => run(Some(&failure.interrupt)).map_err(Error::from),
            (None, Some(outer)) if outside.functions.is_empty() => run(Some(outer)).map_err(Error::from),
            (timeout, outer) => {
                deadline::run(timeout.unwrap_or(Duration::MAX), outer, &failure.interrupt, |flag| run(Some(flag)))
            }
        };
        drop(outside);
        failure.result(result)
    }

    /// Refuses dispatches in which `gl_GlobalInvocationID` would not fit 32 bits.
    fn check_size(&self, groups: [u32; 3], base: [u32; 3]) -> Result<()> {
        for (axis, name) in ["x", "y", "z"].iter().enumerate() {
            let local = self.interface.local_size[axis];
            let end = (u64::from(groups[axis]) + u64::from(base[axis])) * u64::from(local);
            if end > 1 << 32 {
                return Err(Error::Limit(format!(
                    "{} workgroups of {local} in {name}, from workgroup {}, are more than 2^32 invocations; use several \
                     dispatches with base groups",
                    groups[axis], base[axis]
                )));
            }
        }
        Ok(())
    }
}
