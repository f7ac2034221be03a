//! The command line, as clap parses it; glslc's spellings where glslc has the option.

use super::emit::Form;
use super::push::Push;
use super::sink::Sink;
use super::source::Source;
use clap::{Args, Parser, Subcommand};
use glslc2native::frontend::{ChildCompiler, Isolation, SpirvVersion, Warnings};
use glslc2native::{Compiler, InputKind, OptLevel, SpecValue, Stage, TargetEnv, frontend::GlslOptions};
use std::path::PathBuf;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  Compile a shader to blur.comp.o and a C header, blur.comp.h, to link into a program:
    glslc2native blur.comp
    glslc2native --target=aarch64 -o build/blur.o --symbol=blur_image blur.comp

  Run a shader on numbers and print what comes out:
    glslc2native run scale.comp --groups 1 --push factor=3 --bind 0:0=u32:1,2,3 --out 0:0=u32

  Blur a picture:
    glslc2native run blur5.comp --size 640,480 --push w=640 --push h=480 \\
        --bind 0:0=f32:in.png --bind 0:1=f32*640x480 --out 0:1=f32:640x480:out.png --time

  Look at what the compiler does:
    glslc2native --emit=interface,stats,remarks shader.comp
    glslc2native --emit=asm --target=aarch64 -o - shader.comp";

const RUN_EXAMPLES: &str = "\
Sources:
  f32:1,2,3             these numbers (u8 i8 u16 i16 f16 u32 i32 f32 u64 i64 f64)
  u32*1024, u32*1024=7  zeros, or one number again and again; counts may be products: f32*640x480
  iota:u32*1024         0, 1, 2 ...
  rand:f32*1024@SEED    random numbers, the same on every machine: [0,1) for floats, the full range for integers
  in.npy, u8:in.npy     a NumPy array, of the type that the buffer holds or of the given type
  in.bin                a file's bytes
  rgba8:in.png          a picture, four bytes a pixel
  f32:in.png            a picture's brightness, from 0 to 1

Sinks:
  f32                   (any type) printed as numbers, one line a buffer
  out.bin               a file
  out.npy, f32:out.npy, f32:480x640:out.npy    a NumPy array, its type and shape
  rgba8:640x480:out.png, f32:640x480:out.png   a picture

Numbers may be written as 0x..., for floats this is the bits; also inf, -inf and nan.

Examples:
  glslc2native run saxpy.comp --size 1000 --push n=1000 --push a=2 \\
      --bind 0:0=iota:f32*1000 --bind 0:1=rand:f32*1000@1 --out 0:1=f32
  glslc2native run blur5.comp --size 640,480 --push i32:640,480 --time \\
      --bind 0:0=f32:in.png --bind 0:1=f32*640x480 --out 0:1=f32:640x480:out.png

Exit status: 0 done, 1 wrong input, 2 wrong usage.";

const TEST_EXAMPLES: &str = "\
A test passes, fails, or is skipped: because it needs graphics, images or another language, or because it asks by name
for a feature or an extension that is not supported.

Examples:
  glslc2native test tests/                        all tests under a folder
  glslc2native test tests/ --filter atomic -v     some of them, with a line for each
  glslc2native test tests/ --junit report.xml     with a report for a build server

Exit status: 0 no test failed, 1 some failed or there are none, 2 wrong usage.";

/// Compiles GLSL compute shaders and SPIR-V to vectorised native CPU code
#[derive(Parser, Debug)]
#[command(name = "glslc2native", version, after_help = EXAMPLES)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Cli {
    /// What to do other than to compile.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Compiling and printing.
    #[command(flatten)]
    pub build: BuildArgs,
}

/// Subcommands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Run a compute shader on real data
    Run(Box<RunArgs>),
    /// Run shader tests: AmberScript, VkScript, and the runs of golden files
    Test(Box<TestArgs>),
}

/// Compiling a shader to an object, or printing what the compiler makes of it.
#[derive(Args, Debug)]
pub struct BuildArgs {
    /// How to compile.
    #[command(flatten)]
    pub compile: CompileArgs,
    /// What to print instead of writing an object; several forms are printed one after the other
    #[arg(long, value_enum, value_delimiter = ',', value_name = "FORMS")]
    pub emit: Vec<Form>,
    /// Transforms of the structured IR in place of the usual ones, such as inline,promote,clean
    #[arg(long, value_name = "NAMES", value_delimiter = ',', num_args = 0..=1, require_equals = true)]
    pub passes: Option<Vec<String>>,
    /// Where to; `-` is standard output [default: FILE.o, and standard output for --emit, -E and -M]
    #[arg(short, value_name = "OUTPUT")]
    pub output: Option<PathBuf>,
    /// Where the C header goes [default: beside the object, FILE.h]
    #[arg(long, value_name = "HEADER", conflicts_with_all = ["emit", "assembly", "preprocess"])]
    pub header: Option<PathBuf>,
    /// Name of the kernel in the object [default: the entry point's or, for main, the file's up to its first dot]
    #[arg(long, value_name = "NAME")]
    pub symbol: Option<String>,
    /// Target, such as x86_64, aarch64, riscv64 or s390x [default: this machine]
    #[arg(long, value_name = "TRIPLE")]
    pub target: Option<String>,
    /// CPU of the target, such as x86-64-v3, rv64gcv or native [default: x86-64-v2, rv64gc ...]
    #[arg(long, value_name = "CPU")]
    pub cpu: Option<String>,
    /// Write an object and a header, which is the default
    #[arg(short = 'c', conflicts_with_all = ["emit", "assembly", "preprocess"])]
    pub compile_only: bool,
    /// Write the object's code as text, to FILE.s
    #[arg(short = 'S', conflicts_with_all = ["emit", "preprocess"])]
    pub assembly: bool,
    /// Run the preprocessor only
    #[arg(short = 'E', conflicts_with = "emit")]
    pub preprocess: bool,
    /// Rules for make, as in glslc.
    #[command(flatten)]
    pub depend: DependArgs,
}

/// Rules for make; [`normalise`] turns glslc's spellings into these.
#[derive(Args, Debug)]
pub struct DependArgs {
    /// -M or -MM: print what the shader includes as a rule for make, and do nothing else
    #[arg(long, conflicts_with = "emit")]
    pub depend_only: bool,
    /// -MD: write that rule too, to the object's name and .d
    #[arg(long, conflicts_with = "emit")]
    pub depend: bool,
    /// -MF FILE: where the rule goes
    #[arg(long, value_name = "FILE")]
    pub depend_file: Option<PathBuf>,
    /// -MT TARGET: what the rule makes [default: the object]
    #[arg(long, value_name = "TARGET")]
    pub depend_target: Option<String>,
}

/// Running a shader.
#[derive(Args, Debug)]
#[command(after_help = RUN_EXAMPLES)]
pub struct RunArgs {
    /// How to compile.
    #[command(flatten)]
    pub compile: CompileArgs,
    /// Workgroups to run
    #[arg(long, value_name = "X,Y,Z", value_parser = three, required_unless_present = "size", conflicts_with = "size")]
    pub groups: Option<[u32; 3]>,
    /// Invocations to run, rounded up to whole workgroups
    #[arg(long, value_name = "X,Y,Z", value_parser = three)]
    pub size: Option<[u32; 3]>,
    /// Push constants: a member NAME=VALUE, or TYPE:V,V,... or a file.bin for the block's next bytes
    #[arg(long, value_name = "PUSH", value_parser = Push::parse)]
    pub push: Vec<Push>,
    /// Bind a buffer and say what it holds; see below
    #[arg(long, value_name = "SET:BINDING=SOURCE", value_parser = |text: &str| assignment(text, Source::parse))]
    pub bind: Vec<(Slot, Source)>,
    /// Where a buffer goes afterwards; see below
    #[arg(long, value_name = "SET:BINDING=SINK", value_parser = |text: &str| assignment(text, Sink::parse))]
    pub out: Vec<(Slot, Sink)>,
    /// Threads [default, and with 0: one for each CPU]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub threads: usize,
    /// Stop the shader when it has run for that long, and fail
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<Duration>,
    /// Print the time that each stage takes
    #[arg(long)]
    pub time: bool,
}

/// Running tests.
#[derive(Args, Debug)]
#[command(after_help = TEST_EXAMPLES)]
pub struct TestArgs {
    /// Files, and folders whose tests are run: .amber, .vkscript, and .comp, .spvasm and .ir with `run:` lines
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<PathBuf>,
    /// Run only the tests whose path has TEXT in it
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
    /// Write a report in JUnit's form
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Print a line for each test
    #[arg(short, long)]
    pub verbose: bool,
    /// Optimise (-O, the default) or compile as fast as possible (-O0)
    #[arg(short = 'O', value_name = "LEVEL", value_parser = opt_level)]
    pub opt: Option<OptLevel>,
    /// Invocations of a subgroup, where a test does not say: 1, 2, 4, 8, 16, 32 or 64
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub subgroup_size: u32,
    /// One lane at a time, without vector instructions
    #[arg(long)]
    pub scalar: bool,
    /// Threads of a dispatch [default, and with 0: one for each CPU]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub threads: usize,
    /// Seconds that a test may take
    #[arg(long, value_name = "SECONDS", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    pub timeout: u32,
    /// Run the tests that are named on standard input; for this program's own use
    #[arg(long, hide = true)]
    pub worker: bool,
}

/// How to compile; common to everything.
#[derive(Args, Debug)]
pub struct CompileArgs {
    /// Shader: GLSL, SPIR-V (.spv), SPIR-V assembly (.spvasm) or structured IR (.ir); `-` is standard input
    // Optional for clap's sake only: it is not needed where a subcommand has its own.
    #[arg(value_name = "FILE", required = true)]
    pub file: Option<PathBuf>,
    /// Form of the input: glsl, spv, spvasm or ir [default: by its contents and name]
    #[arg(short = 'x', value_name = "FORM")]
    pub form: Option<InputKind>,
    /// Optimise (-O, the default) or compile as fast as possible (-O0)
    #[arg(short = 'O', value_name = "LEVEL", value_parser = opt_level)]
    pub opt: Option<OptLevel>,
    /// Invocations of a subgroup: 1, 2, 4, 8, 16, 32 or 64
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub subgroup_size: u32,
    /// One lane at a time, without vector instructions
    #[arg(long)]
    pub scalar: bool,
    /// Leave out bounds checks: accesses out of bounds are undefined behaviour
    #[arg(long)]
    pub unchecked: bool,
    /// Value of a specialisation constant, by its id or name
    #[arg(long, value_name = "ID|NAME=VALUE", value_parser = spec_constant)]
    pub spec: Vec<(String, SpecValue)>,
    /// Entry point [default: the only one]
    #[arg(long, value_name = "NAME")]
    pub entry: Option<String>,
    /// Define a macro
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
    /// Look for includes in a folder
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// Environment whose rules GLSL has to obey: vulkan1.0 to vulkan1.3
    #[arg(long, value_name = "ENV")]
    pub target_env: Option<TargetEnv>,
    /// SPIR-V version to make of GLSL: spv1.0 to spv1.6
    #[arg(long, value_name = "VERSION")]
    pub target_spv: Option<SpirvVersion>,
    /// -fshader-stage=STAGE, or -ffp-contract=on|off to allow fused multiplication and addition (on at -O, off at -O0)
    #[arg(short = 'f', value_name = "FLAG", value_parser = Feature::parse)]
    pub feature: Vec<Feature>,
    /// -Werror: make warnings errors
    #[arg(short = 'W', value_name = "error", value_parser = ["error"])]
    pub warning: Option<String>,
    /// Leave out warnings
    #[arg(short = 'w')]
    pub no_warnings: bool,
    /// When GLSL is compiled in a process of its own, which a crash of the compiler ends instead of this one
    #[arg(long, value_name = "never|doubtful|always", value_parser = isolation, default_value = "doubtful")]
    pub isolate: Isolation,
    /// Check the generated code with Cranelift's verifier
    #[arg(long, hide = true)]
    pub verify: bool,
}

/// What `-f` takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Feature {
    /// `-fshader-stage=STAGE`.
    ShaderStage(Stage),
    /// `-ffp-contract=on|off`.
    Contract(bool),
}

impl Feature {
    fn parse(text: &str) -> Result<Feature, String> {
        match text.split_once('=') {
            Some(("shader-stage", stage)) => Ok(Feature::ShaderStage(stage.parse().map_err(display)?)),
            Some(("fp-contract", "on" | "fast")) => Ok(Feature::Contract(true)),
            Some(("fp-contract", "off")) => Ok(Feature::Contract(false)),
            _ => Err("there are -fshader-stage=STAGE and -ffp-contract=on|off".into()),
        }
    }
}

/// A buffer's place: set, binding, element of an array of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Descriptor set.
    pub set: u32,
    /// Binding.
    pub binding: u32,
    /// Element.
    pub element: u32,
}

impl std::fmt::Display for Slot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.set, self.binding)?;
        if self.element > 0 { write!(f, "[{}]", self.element) } else { Ok(()) }
    }
}

fn display(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// Parses `X`, `X,Y` or `X,Y,Z`.
fn three(text: &str) -> Result<[u32; 3], String> {
    let mut numbers = [1; 3];
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() > 3 {
        return Err("at most three numbers: X,Y,Z".into());
    }
    for (number, part) in numbers.iter_mut().zip(parts) {
        let value = part.trim().parse::<u64>().map_err(|_| format!("`{part}` is not a number"))?;
        *number = u32::try_from(value).map_err(|_| format!("{value} is more than {}", u32::MAX))?;
    }
    Ok(numbers)
}

/// Parses a number of seconds.
fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or_else(|| format!("`{text}` is not a number of seconds, such as 2 or 0.5"))
}

/// Parses `0`, `1`, `s`: what stands behind `-O`.
fn opt_level(text: &str) -> Result<OptLevel, String> {
    match text {
        "0" => Ok(OptLevel::None),
        "1" | "2" | "3" | "s" => Ok(OptLevel::Speed),
        _ => Err("there are -O and -O0".into()),
    }
}

/// Parses `SET:BINDING=…` or `SET:BINDING[ELEMENT]=…`.
fn assignment<T>(text: &str, parse: fn(&str) -> Result<T, String>) -> Result<(Slot, T), String> {
    let (slot, value) = text.split_once('=').ok_or("expected SET:BINDING=…")?;
    let slot = parse_slot(slot).ok_or_else(|| format!("`{slot}` is not SET:BINDING, nor SET:BINDING[ELEMENT]"))?;
    Ok((slot, parse(value)?))
}

fn parse_slot(text: &str) -> Option<Slot> {
    let (set, binding) = text.split_once(':')?;
    let (binding, element) = match binding.split_once('[') {
        Some((binding, element)) => (binding, element.strip_suffix(']')?),
        None => (binding, "0"),
    };
    Some(Slot { set: set.parse().ok()?, binding: binding.parse().ok()?, element: element.parse().ok()? })
}

/// Parses `ID=VALUE` or `NAME=VALUE`.
fn spec_constant(text: &str) -> Result<(String, SpecValue), String> {
    let (key, value) = text.split_once('=').ok_or("expected ID=VALUE or NAME=VALUE")?;
    let value = match value {
        "true" => SpecValue::Bool(true),
        "false" => SpecValue::Bool(false),
        _ => match (value.parse(), value.parse()) {
            (Ok(int), _) => SpecValue::Int(int),
            (_, Ok(float)) => SpecValue::Float(float),
            _ => return Err(format!("`{value}` is not a number, true or false")),
        },
    };
    Ok((key.into(), value))
}

/// Spellings of glslc that clap cannot read, and what they are here. `-O` alone cannot be told from `-O LEVEL`.
const SPELLINGS: &[(&str, &str)] = &[
    ("-O", "-O1"),
    ("-M", "--depend-only"),
    ("-MM", "--depend-only"),
    ("-MD", "--depend"),
    ("-MF", "--depend-file"),
    ("-MT", "--depend-target"),
];

/// Turns glslc's spellings into ours.
pub fn normalise(arguments: impl Iterator<Item = std::ffi::OsString>) -> Vec<std::ffi::OsString> {
    let mut arguments: Vec<_> = arguments.collect();
    let options = arguments.iter().position(|a| a == "--").unwrap_or(arguments.len());
    for argument in &mut arguments[..options] {
        let Some(text) = argument.to_str() else { continue };
        if let Some((_, ours)) = SPELLINGS.iter().find(|(theirs, _)| *theirs == text) {
            *argument = ours.into();
        } else if let Some(file) = text.strip_prefix("-MF") {
            *argument = format!("--depend-file={file}").into();
        } else if let Some(target) = text.strip_prefix("-MT") {
            *argument = format!("--depend-target={target}").into();
        }
    }
    arguments
}

/// What `--isolate` takes.
fn isolation(text: &str) -> Result<Isolation, String> {
    match text {
        "never" => Ok(Isolation::InProcess),
        "doubtful" => Ok(Isolation::WhenDoubtful),
        "always" => Ok(Isolation::Always),
        _ => Err("there are never, doubtful and always".into()),
    }
}

impl CompileArgs {
    /// The compiler that these options describe.
    pub fn compiler(&self) -> Result<Compiler, String> {
        let mut glsl = GlslOptions { include_dirs: self.include.clone(), ..GlslOptions::default() };
        for definition in &self.define {
            glsl.define(definition).map_err(display)?;
        }
        glsl.target_env = self.target_env.unwrap_or_default();
        glsl.spirv_version = self.target_spv;
        glsl.warnings = match (&self.warning, self.no_warnings) {
            (_, true) => Warnings::Suppress,
            (Some(_), _) => Warnings::Error,
            (None, false) => Warnings::Report,
        };
        glsl.isolation = self.isolate;
        glsl.child = std::env::current_exe().ok().map(ChildCompiler::new);
        let mut compiler = Compiler::new()
            .glsl_options(glsl)
            .opt(self.opt.unwrap_or_default())
            .subgroup_size(self.subgroup_size)
            .scalar(self.scalar)
            .unchecked(self.unchecked)
            .validate(cfg!(feature = "glsl"))
            .verify(self.verify);
        if let Some(entry) = &self.entry {
            compiler = compiler.entry(entry);
        }
        for feature in &self.feature {
            compiler = match *feature {
                Feature::ShaderStage(stage) => compiler.stage(stage),
                Feature::Contract(contract) => compiler.contract(contract),
            };
        }
        for (key, value) in &self.spec {
            compiler = match key.parse() {
                Ok(id) => compiler.spec_constant(id, *value),
                Err(_) => compiler.spec_constant_named(key, *value),
            };
        }
        Ok(compiler)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn parse(line: &str) -> Result<Cli, clap::Error> {
        Cli::try_parse_from(normalise(line.split(' ').map(Into::into)))
    }

    fn run(line: &str) -> RunArgs {
        match parse(line).expect(line).command {
            Some(Command::Run(args)) => *args,
            _ => panic!("{line} does not run"),
        }
    }

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn glslc_spellings() {
        let emit = |line: &str| parse(line).expect(line).build.compile;
        let args =
            emit("glslc2native -O -DA -DB=1 -D C=2 -Idir -I other -fshader-stage=comp --target-env=vulkan1.1 a.glsl");
        assert_eq!(args.opt, Some(OptLevel::Speed));
        assert_eq!(args.define, ["A", "B=1", "C=2"]);
        assert_eq!(args.include, [PathBuf::from("dir"), "other".into()]);
        assert_eq!(args.feature, [Feature::ShaderStage(Stage::Compute)]);
        assert_eq!(args.target_env, Some(TargetEnv::Vulkan1_1));
        assert_eq!(args.file, Some(PathBuf::from("a.glsl")));
        assert_eq!(emit("glslc2native -O0 -x spvasm -").opt, Some(OptLevel::None));
        assert_eq!(emit("glslc2native -Werror a.comp").warning.as_deref(), Some("error"));
        let depend = |line: &str| parse(line).expect(line).build.depend;
        assert!(depend("glslc2native -MM a.comp").depend_only && depend("glslc2native -MD a.comp").depend);
        for line in ["glslc2native -MD -MF a.d -MT a.o a.comp", "glslc2native -c -MD -MFa.d -MTa.o a.comp"] {
            let depend = depend(line);
            assert_eq!((depend.depend_file, depend.depend_target), (Some("a.d".into()), Some("a.o".into())), "{line}");
        }
        assert_eq!(emit("glslc2native -ffp-contract=off a.comp").feature, [Feature::Contract(false)]);
    }

    #[test]
    fn running() {
        let args =
            run("glslc2native run a.comp --groups 1,2 --push n=3 --bind 0:1=u32*4 --bind 1:2[3]=i8:-1 --out 0:1=f32");
        assert_eq!(args.groups, Some([1, 2, 1]));
        assert_eq!(args.bind[1], (Slot { set: 1, binding: 2, element: 3 }, Source::Bytes(vec![255])));
        assert_eq!(args.out.len(), 1);
        assert_eq!(run("glslc2native run a.comp -O0 --size 100").size, Some([100, 1, 1]));
        assert_eq!(run("glslc2native run a.comp --groups 0 --push a=-1").groups, Some([0, 1, 1]));
        assert_eq!(
            run("glslc2native run a.comp --groups 1 --spec 3=-1 --spec N=true --spec f=1.5").compile.spec,
            [
                ("3".into(), SpecValue::Int(-1)),
                ("N".into(), SpecValue::Bool(true)),
                ("f".into(), SpecValue::Float(1.5))
            ]
        );
    }

    #[test]
    fn wrong_usage_is_told() {
        for (line, part) in [
            ("glslc2native run a.comp", "--groups"),
            ("glslc2native run --groups 1", "FILE"),
            ("glslc2native run a.comp --groups 1 --size 1", "cannot be used with"),
            ("glslc2native run a.comp --groups 1,1,1,1", "three numbers"),
            ("glslc2native run a.comp --groups 4294967296", "more than 4294967295"),
            ("glslc2native run a.comp --groups -1", "-1"),
            ("glslc2native run a.comp --groups 1 --bind u32*4", "SET:BINDING"),
            ("glslc2native run a.comp --groups 1 --bind 0=u32*4", "SET:BINDING"),
            ("glslc2native run a.comp --groups 1 --bind 0:0=f8*4", "is not a source"),
            ("glslc2native run a.comp --groups 1 --out 0:0=x", "is not a sink"),
            ("glslc2native --emit=nonsense a.comp", "interface"),
            ("glslc2native run a.comp --groups 1 --timeout never", "seconds"),
            ("glslc2native -O7 a.comp", "-O0"),
            ("glslc2native -fnonsense a.comp", "-fshader-stage"),
            ("glslc2native -x hlsl a.comp", "spvasm"),
        ] {
            let error = parse(line).expect_err(line);
            assert!(error.to_string().contains(part), "{line}: {error}");
            assert_eq!(error.exit_code(), 2, "{line}");
        }
    }
}
