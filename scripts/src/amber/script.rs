//! What a script says, as plain data. Names are resolved: buffers, shaders and pipelines are numbers into their lists.

use super::layout::{Layout, Std};
use super::types::Type;
use crate::values::Elem;
use std::fmt;

/// A place in a script; both count from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pos {
    /// Line.
    pub line: u32,
    /// Column, in characters.
    pub column: u32,
}

impl fmt::Display for Pos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// What is wrong with a script, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptError {
    /// Where.
    pub pos: Pos,
    /// What.
    pub what: String,
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.pos, self.what)
    }
}

impl std::error::Error for ScriptError {}

/// A number as it is written; the type of what it is for decides what becomes of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// Decimal or hexadecimal digits.
    Int(i128),
    /// With a point or an exponent; `nan` and `inf` too.
    Float(f64),
}

impl Number {
    /// Reads `12`, `-3`, `0x1f`, `1.5`, `2e-3`, `nan`, `inf`.
    pub fn parse(text: &str) -> Option<Number> {
        if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            return u64::from_str_radix(digits, 16).ok().map(|bits| Number::Int(bits.into()));
        }
        let first = text.trim_start_matches(['-', '+']).chars().next()?;
        let named = ["nan", "inf", "-inf"].iter().any(|name| text.eq_ignore_ascii_case(name));
        if !(first.is_ascii_digit() || first == '.' || named) {
            return None;
        }
        match text.parse::<i128>() {
            Ok(number) => Some(Number::Int(number)),
            Err(_) => text.parse().ok().map(Number::Float),
        }
    }

    /// The number as a float.
    pub fn to_f64(self) -> f64 {
        match self {
            Number::Int(number) => number as f64,
            Number::Float(number) => number,
        }
    }

    /// Its bits as a value of a type: integers wrap, floats round to nearest.
    pub fn bits(self, elem: Elem) -> u64 {
        let mask = u64::MAX >> (64 - elem.bits());
        match self {
            // By way of f32's own parser nothing would be gained: 53 bits round to 24 as the digits do but for ties.
            number if elem.is_float() => elem.float_bits(number.to_f64()),
            Number::Int(number) => number as u64 & mask,
            Number::Float(number) if number < 0.0 => number as i64 as u64 & mask,
            Number::Float(number) => number as u64 & mask,
        }
    }
}

/// A whole script.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Script {
    /// What the device has to have.
    pub requirements: Vec<Requirement>,
    /// Shaders.
    pub shaders: Vec<Shader>,
    /// Buffers.
    pub buffers: Vec<Buffer>,
    /// Pipelines.
    pub pipelines: Vec<Pipeline>,
    /// What to do, in order.
    pub commands: Vec<Command>,
    /// Virtual files: path and contents.
    pub files: Vec<(String, String)>,
    /// Milliseconds that a dispatch may take (`SET ENGINE_DATA fence_timeout_ms`).
    pub timeout_ms: Option<u32>,
    /// What the script needs that is read and cannot be run here: graphics and ray tracing pipelines, images, samplers.
    /// The first is the reason to skip the script.
    pub beyond: Vec<(Pos, String)>,
}

/// Something that a device may lack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// Where it is asked for.
    pub pos: Pos,
    /// What kind of thing it is.
    pub kind: RequirementKind,
    /// Its name.
    pub name: String,
}

/// Kind of a [`Requirement`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequirementKind {
    /// `DEVICE_FEATURE`.
    Feature,
    /// `DEVICE_EXTENSION`.
    DeviceExtension,
    /// `INSTANCE_EXTENSION`.
    InstanceExtension,
    /// `DEVICE_PROPERTY`.
    Property,
}

/// A shader.
#[derive(Clone, Debug, PartialEq)]
pub struct Shader {
    /// Where it is declared.
    pub pos: Pos,
    /// Its name.
    pub name: String,
    /// Its stage, as the script has it: `compute`, `vertex` …, or `multi` for a module of several.
    pub stage: String,
    /// Language.
    pub format: ShaderFormat,
    /// `TARGET_ENV`.
    pub env: Option<String>,
    /// Where the source is.
    pub source: Source,
}

/// Language of a [`Shader`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShaderFormat {
    /// GLSL.
    Glsl,
    /// HLSL.
    Hlsl,
    /// SPIR-V assembly.
    SpirvAsm,
    /// SPIR-V as hexadecimal numbers: bytes, or words with `0x`.
    SpirvHex,
    /// SPIR-V in a file.
    SpirvBin,
    /// OpenCL C.
    OpenClC,
    /// The vertex shader that passes its input through.
    Passthrough,
}

/// Where the source of a [`Shader`] is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// In the script; its first line is line `line` of the script.
    Inline {
        /// Text.
        text: String,
        /// Line in the script.
        line: u32,
    },
    /// In a file, relative to the script's folder.
    File(String),
}

/// A buffer.
#[derive(Clone, Debug, PartialEq)]
pub struct Buffer {
    /// Where it is declared.
    pub pos: Pos,
    /// Its name.
    pub name: String,
    /// Type of its elements.
    pub ty: Type,
    /// Rules by which elements are laid out.
    pub std: Std,
    /// How they are.
    pub layout: Layout,
    /// Number of elements.
    pub count: usize,
    /// Elements in a row, where the script gives a width.
    pub width: Option<u32>,
    /// What it holds at first.
    pub init: Init,
}

/// First contents of a [`Buffer`].
#[derive(Clone, Debug, PartialEq)]
pub enum Init {
    /// Zeros.
    Zero,
    /// These numbers, one for each component.
    Data(Vec<Number>),
    /// One number everywhere.
    Fill(Number),
    /// `start`, `start + step` …
    Series {
        /// First number.
        start: Number,
        /// Added from component to component.
        step: Number,
    },
    /// The bytes of a file.
    Binary(String),
    /// The numbers in a text file.
    Text(String),
}

/// A pipeline.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pipeline {
    /// Where it is declared.
    pub pos: Pos,
    /// Its name.
    pub name: String,
    /// Does it run a compute shader?
    pub compute: bool,
    /// Its shaders.
    pub shaders: Vec<Attach>,
    /// What is bound.
    pub bindings: Vec<Bind>,
    /// `SHADER_OPTIMIZATION`: shader and passes of SPIRV-Tools.
    pub optimizations: Vec<(usize, Vec<String>)>,
    /// `COMPILE_OPTIONS`: shader and options of its compiler.
    pub compile_options: Vec<(usize, Vec<String>)>,
    /// What shaders ask of subgroups.
    pub subgroups: Vec<Subgroup>,
}

/// A shader of a pipeline.
#[derive(Clone, Debug, PartialEq)]
pub struct Attach {
    /// Where.
    pub pos: Pos,
    /// Which shader.
    pub shader: usize,
    /// Entry point.
    pub entry: String,
    /// Specialisation constants: id and bits.
    pub specialize: Vec<(u32, u64)>,
}

/// What a pipeline asks of subgroups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subgroup {
    /// For which shader.
    pub shader: usize,
    /// All invocations are active in all subgroups.
    pub full: bool,
    /// The size may vary.
    pub varying: bool,
    /// The size.
    pub size: Option<SubgroupSize>,
}

/// A required subgroup size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubgroupSize {
    /// The smallest there is.
    Min,
    /// The largest there is.
    Max,
    /// This one.
    Fixed(u32),
}

/// Kind of a binding of buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BindKind {
    /// Storage buffer.
    Storage,
    /// Uniform buffer.
    Uniform,
    /// Push constants.
    PushConstant,
}

/// Buffers bound to a pipeline.
#[derive(Clone, Debug, PartialEq)]
pub struct Bind {
    /// Where.
    pub pos: Pos,
    /// What as.
    pub kind: BindKind,
    /// Descriptor set.
    pub set: u32,
    /// Binding.
    pub binding: u32,
    /// Elements of the array of descriptors; one where it is none.
    pub parts: Vec<BoundPart>,
}

/// A bound buffer, or a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundPart {
    /// Which buffer.
    pub buffer: usize,
    /// First byte: the dynamic offset and the descriptor's together.
    pub offset: usize,
    /// Bytes; to the buffer's end where there is no range.
    pub range: Option<usize>,
}

/// A command.
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    /// Where.
    pub pos: Pos,
    /// What to do.
    pub action: Action,
}

/// What a [`Command`] does.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Runs a compute pipeline.
    Run {
        /// Which.
        pipeline: usize,
        /// Workgroups.
        groups: [u32; 3],
        /// The time it takes is to be reported.
        timed: bool,
    },
    /// Copies a buffer's contents.
    Copy {
        /// From this one.
        from: usize,
        /// To this one.
        to: usize,
    },
    /// Writes numbers into a buffer (VkScript's `subdata` and `uniform`).
    Write {
        /// Which.
        buffer: usize,
        /// First byte.
        offset: usize,
        /// How elements are laid out.
        layout: Layout,
        /// One for each component.
        values: Vec<Number>,
    },
    /// Compares.
    Expect(Expect),
    /// Does commands again and again.
    Repeat {
        /// How often.
        count: u32,
        /// Which.
        commands: Vec<Command>,
    },
    /// Belongs to what [`Script::beyond`] lists.
    Beyond,
}

/// How a value is compared with the expected one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparator {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Less.
    Lt,
    /// Less or equal.
    Le,
    /// Greater.
    Gt,
    /// Greater or equal.
    Ge,
}

/// How far a value may be from the expected one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// The bound.
    pub bound: f64,
    /// It is percents of the expected value.
    pub percent: bool,
}

/// An expectation.
#[derive(Clone, Debug, PartialEq)]
pub enum Expect {
    /// Values at a place.
    Values {
        /// Buffer.
        buffer: usize,
        /// Byte of the first.
        offset: usize,
        /// How elements are laid out.
        layout: Layout,
        /// How they are compared.
        how: Comparator,
        /// None: exactly. One: for all components. Else: one for each component of a vector.
        tolerances: Vec<Tolerance>,
        /// One for each component.
        values: Vec<Number>,
    },
    /// Colours in a rectangle of a buffer with a width.
    Pixels {
        /// Buffer.
        buffer: usize,
        /// Left, top, width, height.
        rect: [u32; 4],
        /// Red, green, blue and, where it is compared, alpha: 0 to 255.
        color: Vec<u8>,
        /// As in `Values`.
        tolerances: Vec<Tolerance>,
    },
    /// Two buffers hold the same.
    Same {
        /// One.
        left: usize,
        /// The other.
        right: usize,
    },
    /// The root mean square of the differences has a bound.
    Rmse {
        /// One.
        left: usize,
        /// The other.
        right: usize,
        /// The bound.
        bound: f64,
    },
    /// The earth mover's distance of the histograms has a bound.
    HistogramEmd {
        /// One.
        left: usize,
        /// The other.
        right: usize,
        /// The bound.
        bound: f64,
    },
}
