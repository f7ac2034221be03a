//! What a user chooses, and the way from an input to a kernel.

use crate::object::{file_name, symbol_of_file};
use crate::spec::{SpecKey, SpecValue};
use crate::{Error, Input, Kernel, Object, Result, Stages};
use crate::{backend, frontend, lowering};
use backend::{Isa, IsaOptions, identifier, is_identifier};
use frontend::{GlslOptions, Stage, TargetEnv};
use lowering::{OptLevel, Options};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Compiles shaders; a builder for all options.
///
/// ```
/// # #[cfg(feature = "glsl")] {
/// use glslc2native::{Bindings, Compiler, OptLevel};
///
/// let source = "
///     #version 450
///     layout(local_size_x = 64) in;
///     layout(set = 0, binding = 0) buffer Data { uint data[]; };
///     layout(push_constant) uniform Push { uint factor; };
///     void main() { data[gl_GlobalInvocationID.x] *= factor; }
/// ";
/// let kernel = Compiler::new().subgroup_size(16).opt(OptLevel::None).compile_glsl(source, "scale.comp")?;
/// let mut data: Vec<u32> = (0..100).collect();
/// kernel.dispatch(Bindings::new().bind(0, 0, &mut data).push_value("factor", 3u32), [2, 1, 1])?;
/// assert_eq!(data[99], 297);
/// # }
/// # Ok::<(), glslc2native::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Compiler {
    options: Options,
    /// `None`: on at `-O`, off at `-O0`.
    contract: Option<bool>,
    spec: Vec<(SpecKey, SpecValue)>,
    glsl: GlslOptions,
    /// Transforms in place of the usual ones.
    passes: Option<Vec<String>>,
    validate: bool,
    verify: bool,
    /// Triple and CPU; `None` is the host.
    target: Option<(String, Option<String>)>,
    /// Name of the kernel in objects.
    symbol: Option<String>,
    /// The same for an entry point `main`.
    main_symbol: Option<String>,
    isa: OnceLock<Isa>,
}

impl Compiler {
    /// Subgroups of 8, vectors, `-O`, bounds checks, for this machine.
    pub fn new() -> Compiler {
        Compiler::default()
    }

    /// Entry point to compile; not needed where a module has only one.
    pub fn entry(mut self, name: impl Into<String>) -> Compiler {
        self.options.entry = Some(name.into());
        self
    }

    /// Invocations of a subgroup: 1, 2, 4, 8, 16, 32 or 64.
    pub fn subgroup_size(mut self, size: u32) -> Compiler {
        self.options.subgroup_size = size;
        self
    }

    /// One lane at a time, without vector instructions.
    pub fn scalar(mut self, scalar: bool) -> Compiler {
        self.options.scalar = scalar;
        self
    }

    /// Optimisation level.
    pub fn opt(mut self, opt: OptLevel) -> Compiler {
        self.options.opt = opt;
        self.isa = OnceLock::new();
        self
    }

    /// Whether multiplications and additions may be fused where the shader does not forbid it. By default they are at
    /// [`OptLevel::Speed`] and are not at [`OptLevel::None`].
    pub fn contract(mut self, contract: bool) -> Compiler {
        self.contract = Some(contract);
        self
    }

    /// No bounds checks. A shader that then accesses memory out of bounds has undefined behaviour: use it only for shaders
    /// that are known not to.
    pub fn unchecked(mut self, unchecked: bool) -> Compiler {
        self.options.unchecked = unchecked;
        self
    }

    /// Whether a dispatch can be stopped at once. Every loop that need not end looks at the interrupt flag, and so does every
    /// loop around another one; with this, all others do too but those that run for a small constant number of times. Off by
    /// default, since a short loop takes a few per cent longer for it; such a loop then delays a stop by as long as its up to
    /// 2^32 iterations take.
    pub fn interruptible(mut self, interruptible: bool) -> Compiler {
        self.options.interruptible = interruptible;
        self
    }

    /// Value of a specialisation constant by its `constant_id`.
    pub fn spec_constant(mut self, id: u32, value: impl Into<SpecValue>) -> Compiler {
        self.spec.push((SpecKey::Id(id), value.into()));
        self
    }

    /// Value of a specialisation constant by its name in the source.
    pub fn spec_constant_named(mut self, name: impl Into<String>, value: impl Into<SpecValue>) -> Compiler {
        self.spec.push((SpecKey::Name(name.into()), value.into()));
        self
    }

    /// GLSL: defines a macro, as `-DNAME=VALUE` does.
    pub fn define(mut self, name: impl Into<String>, value: impl Into<String>) -> Compiler {
        self.glsl.defines.push((name.into(), Some(value.into())));
        self
    }

    /// GLSL: a folder in which includes are looked for.
    pub fn include_dir(mut self, dir: impl Into<PathBuf>) -> Compiler {
        self.glsl.include_dirs.push(dir.into());
        self
    }

    /// GLSL: the environment whose rules the source has to obey.
    pub fn target_env(mut self, env: TargetEnv) -> Compiler {
        self.glsl.target_env = env;
        self
    }

    /// GLSL: the stage, where neither the file's name nor a pragma tells.
    pub fn stage(mut self, stage: Stage) -> Compiler {
        self.glsl.stage = Some(stage);
        self
    }

    /// GLSL: all options of the front end at once.
    pub fn glsl_options(mut self, options: GlslOptions) -> Compiler {
        self.glsl = options;
        self
    }

    /// Transforms of the structured IR, by [name](lowering::transform::PASSES), in place of the usual ones. Lowering needs a
    /// module without calls and with its variables promoted; this is for looking at single transforms.
    pub fn passes<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Compiler {
        self.passes = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Whether SPIR-V given as such is checked by SPIRV-Tools' validator first. Off by default: everything that compiling
    /// relies on is checked anyway. Needs the feature `glsl`.
    pub fn validate(mut self, validate: bool) -> Compiler {
        self.validate = validate;
        self
    }

    /// Whether Cranelift's verifier checks the generated code. For tests of the compiler itself.
    pub fn verify(mut self, verify: bool) -> Compiler {
        self.verify = verify;
        self.isa = OnceLock::new();
        self
    }

    /// Another target than this machine, for objects and for looking at its code; see [`Isa::for_target`]. Kernels that
    /// run in this process cannot be made for it.
    pub fn target(mut self, triple: impl Into<String>, cpu: Option<&str>) -> Compiler {
        self.target = Some((triple.into(), cpu.map(Into::into)));
        self.isa = OnceLock::new();
        self
    }

    /// Name of the kernel in an object. By default it is that of the entry point or, where that is `main`, the name of the
    /// file up to its first dot, as an identifier of C.
    pub fn symbol(mut self, name: impl Into<String>) -> Compiler {
        self.symbol = Some(name.into());
        self
    }

    /// The file after which the kernel of an object is named where the entry point is `main`, for inputs that do not know
    /// their file.
    pub fn symbol_of_file(mut self, file_name: &str) -> Compiler {
        self.main_symbol = Some(symbol_of_file(file_name));
        self
    }

    /// Compiles GLSL. The file's name appears in messages, and its extension tells the stage.
    pub fn compile_glsl(&self, source: &str, file_name: &str) -> Result<Kernel> {
        self.compile(&Input::Glsl { source: source.into(), file_name: file_name.into() })
    }

    /// Compiles a SPIR-V module.
    pub fn compile_spirv(&self, words: &[u32]) -> Result<Kernel> {
        self.compile(&Input::Spirv(words.into()))
    }

    /// Compiles a file of GLSL, SPIR-V (`.spv`), SPIR-V assembly (`.spvasm`) or structured IR (`.ir`).
    pub fn compile_file(&self, path: impl AsRef<Path>) -> Result<Kernel> {
        self.compile(&Input::read(path)?)
    }

    /// Compiles any input.
    pub fn compile(&self, input: &Input) -> Result<Kernel> {
        self.stages(input).kernel()
    }

    /// Compiles any input to an object file and a header. Where no [`target`](Self::target) was chosen, the object is for
    /// Linux on any processor of this machine's architecture (x86-64-v2, for example).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Options`](crate::ErrorKind::Options) for a [`symbol`](Self::symbol) that is no identifier of C, and
    /// for a target whose files are not ELF files; else those of compiling.
    pub fn compile_to_object(&self, input: &Input) -> Result<Object> {
        match self.target {
            Some(_) => self.stages(input).object(),
            None => self.clone().target(Isa::host_architecture(), None).stages(input).object(),
        }
    }

    /// The way from an input to a kernel stage by stage, for looking at what lies between.
    pub fn stages<'a>(&'a self, input: &'a Input) -> Stages<'a> {
        Stages::new(self, input)
    }

    /// The options of the front end for a file.
    pub fn glsl_options_for(&self, file_name: &str) -> GlslOptions {
        GlslOptions { file_name: file_name.into(), ..self.glsl.clone() }
    }

    pub(crate) fn target_environment(&self) -> TargetEnv {
        self.glsl.target_env
    }

    pub(crate) fn chosen_passes(&self) -> Option<&[String]> {
        self.passes.as_deref()
    }

    pub(crate) fn validates(&self) -> bool {
        self.validate
    }

    /// Name of the kernel in an object.
    pub(crate) fn object_symbol(&self, entry: &str, input: &Input) -> Result<String> {
        match (&self.symbol, &self.main_symbol) {
            (Some(name), _) if is_identifier(name) => Ok(name.clone()),
            (Some(name), _) => Err(Error::Options(format!(
                "`{name}` cannot be the name of a function of C; use letters, digits and `_`"
            ))),
            (None, Some(name)) if entry == "main" => Ok(name.clone()),
            (None, None) if entry == "main" => Ok(symbol_of_file(file_name(input))),
            _ => Ok(identifier(entry)),
        }
    }

    /// The options of lowering, specialisation constants left out.
    pub(crate) fn lowering_options(&self) -> Result<Options> {
        let size = self.options.subgroup_size;
        if !size.is_power_of_two() || size > 64 {
            return Err(Error::Options(format!("subgroup size {size}: it must be 1, 2, 4, 8, 16, 32 or 64")));
        }
        let contract = self.contract.unwrap_or(self.options.opt == OptLevel::Speed);
        Ok(Options { contract, ..self.options.clone() })
    }

    /// What was chosen for specialisation constants.
    pub(crate) fn spec_choices(&self) -> &[(SpecKey, SpecValue)] {
        &self.spec
    }

    /// The instruction set; made once, as that takes as long as compiling a small function.
    pub(crate) fn isa(&self) -> Result<&Isa> {
        if let Some(isa) = self.isa.get() {
            return Ok(isa);
        }
        let options = IsaOptions { opt: self.options.opt, verify: self.verify };
        let isa = match &self.target {
            None => Isa::host(options)?,
            Some((triple, cpu)) => Isa::for_target(triple, cpu.as_deref(), options)?,
        };
        Ok(self.isa.get_or_init(|| isa))
    }
}
