//! What is measured: this compiler at a level, or another Vulkan driver.
//!
//! An [`Engine`] holds one kernel's buffers and, once compiled, its code. Times are taken around whole calls: [`compile`]
//! is the way from SPIR-V to the first result, one workgroup's; [`run`] is a dispatch of all workgroups.
//!
//! [`compile`]: Engine::compile
//! [`run`]: Engine::run

use super::vulkan;
use super::work::{Inputs, Work};
use glslc2native::{Bindings, Compiler, DispatchOptions, Kernel, OptLevel};

/// Who computes.
pub trait Engine {
    /// Name and versions.
    fn description(&self) -> String;
    /// Makes buffers with these contents; what was compiled before is gone.
    fn open(&mut self, work: &'static Work, inputs: Inputs) -> Result<(), String>;
    /// Overwrites the buffers.
    fn fill(&mut self, inputs: Inputs) -> Result<(), String>;
    /// Forgets what was compiled.
    fn forget(&mut self);
    /// Compiles SPIR-V and runs one workgroup.
    fn compile(&mut self, words: &[u32]) -> Result<(), String>;
    /// Runs all workgroups.
    fn run(&mut self) -> Result<(), String>;
    /// The last buffer.
    fn output(&self) -> Result<Vec<u32>, String>;
}

/// What every method but `open` needs.
fn not_open() -> String {
    "no kernel is open".into()
}

fn not_compiled() -> String {
    "no kernel is compiled".into()
}

/// This compiler.
pub struct Native {
    compiler: Compiler,
    level: &'static str,
    threads: usize,
    state: Option<NativeState>,
}

struct NativeState {
    work: &'static Work,
    buffers: Inputs,
    kernel: Option<Kernel>,
}

impl Native {
    /// At an optimisation level.
    pub fn new(opt: OptLevel, threads: usize) -> Native {
        let level = if opt == OptLevel::None { "-O0" } else { "-O" };
        Native { compiler: Compiler::new().opt(opt), level, threads, state: None }
    }

    fn dispatch(&mut self, groups: Option<[u32; 3]>) -> Result<(), String> {
        let NativeState { work, buffers, kernel } = self.state.as_mut().ok_or_else(not_open)?;
        let kernel = kernel.as_ref().ok_or_else(not_compiled)?;
        let mut bindings = Bindings::new();
        for (binding, buffer) in (0..).zip(buffers) {
            bindings.bind(0, binding, buffer);
        }
        bindings.push(&work.push_bytes());
        let options = DispatchOptions { threads: self.threads, ..DispatchOptions::default() };
        let run = kernel.dispatch_with(&mut bindings, groups.unwrap_or(work.groups), options);
        run.map_err(|error| error.to_string())
    }
}

impl Engine for Native {
    fn description(&self) -> String {
        format!("glslc2native {} {}", env!("CARGO_PKG_VERSION"), self.level)
    }

    fn open(&mut self, work: &'static Work, inputs: Inputs) -> Result<(), String> {
        self.state = Some(NativeState { work, buffers: inputs, kernel: None });
        Ok(())
    }

    fn fill(&mut self, inputs: Inputs) -> Result<(), String> {
        self.state.as_mut().ok_or_else(not_open)?.buffers = inputs;
        Ok(())
    }

    fn forget(&mut self) {
        if let Some(state) = &mut self.state {
            state.kernel = None;
        }
    }

    fn compile(&mut self, words: &[u32]) -> Result<(), String> {
        let kernel = self.compiler.compile_spirv(words).map_err(|error| error.to_string())?;
        self.state.as_mut().ok_or_else(not_open)?.kernel = Some(kernel);
        self.dispatch(Some([1, 1, 1]))
    }

    fn run(&mut self) -> Result<(), String> {
        self.dispatch(None)
    }

    fn output(&self) -> Result<Vec<u32>, String> {
        let state = self.state.as_ref().ok_or_else(not_open)?;
        state.buffers.last().cloned().ok_or_else(not_open)
    }
}

/// The Vulkan driver that the environment chooses.
pub struct Driver {
    device: vulkan::Device,
    state: Option<DriverState>,
}

struct DriverState {
    work: &'static Work,
    buffers: Vec<vulkan::Buffer>,
    pipeline: Option<vulkan::Pipeline>,
}

impl Driver {
    /// Opens the device.
    pub fn new() -> Result<Driver, String> {
        Ok(Driver { device: vulkan::Device::open()?, state: None })
    }

    fn dispatch(&self, groups: Option<[u32; 3]>) -> Result<(), String> {
        let state = self.state.as_ref().ok_or_else(not_open)?;
        let pipeline = state.pipeline.as_ref().ok_or_else(not_compiled)?;
        self.device.dispatch(pipeline, &state.buffers, &state.work.push_bytes(), groups.unwrap_or(state.work.groups))
    }
}

impl Engine for Driver {
    fn description(&self) -> String {
        self.device.description()
    }

    fn open(&mut self, work: &'static Work, inputs: Inputs) -> Result<(), String> {
        self.state = None;
        let buffers = inputs.iter().map(|words| self.device.buffer(words.len() * 4)).collect::<Result<_, _>>()?;
        self.state = Some(DriverState { work, buffers, pipeline: None });
        self.fill(inputs)
    }

    fn fill(&mut self, inputs: Inputs) -> Result<(), String> {
        let state = self.state.as_mut().ok_or_else(not_open)?;
        for (buffer, words) in state.buffers.iter_mut().zip(inputs) {
            for (bytes, word) in buffer.bytes_mut().chunks_exact_mut(4).zip(words) {
                bytes.copy_from_slice(&word.to_ne_bytes());
            }
        }
        Ok(())
    }

    fn forget(&mut self) {
        if let Some(state) = &mut self.state {
            state.pipeline = None;
        }
    }

    fn compile(&mut self, words: &[u32]) -> Result<(), String> {
        let state = self.state.as_mut().ok_or_else(not_open)?;
        let (buffers, push_size) = (state.work.buffers.len() as u32, state.work.push_bytes().len() as u32);
        // SAFETY: the kernels are made by our front end, which makes valid modules, and are dispatched only with the
        // buffers of `WORK`, whose sizes are those that the dispatches reach.
        state.pipeline = Some(unsafe { self.device.pipeline(words, buffers, push_size)? });
        self.dispatch(Some([1, 1, 1]))
    }

    fn run(&mut self) -> Result<(), String> {
        self.dispatch(None)
    }

    fn output(&self) -> Result<Vec<u32>, String> {
        let state = self.state.as_ref().ok_or_else(not_open)?;
        let buffer = state.buffers.last().ok_or_else(not_open)?;
        Ok(buffer
            .bytes()
            .chunks_exact(4)
            .map(|word| u32::from_ne_bytes([word[0], word[1], word[2], word[3]]))
            .collect())
    }
}
