//! The types of values that subgroups exchange, and arithmetic on their bits.

use glslc2native_testsuite::values::Elem;

/// A type.
pub struct Ty {
    /// Its name in GLSL.
    pub glsl: &'static str,
    /// What holds it in a buffer.
    pub memory: &'static str,
    pub elem: Elem,
}

impl Ty {
    /// Is it `bool`, which a buffer holds as 0 or 1?
    pub fn is_bool(&self) -> bool {
        self.glsl == "bool"
    }

    /// All bits of an element.
    pub fn ones(&self) -> u64 {
        u64::MAX >> (64 - self.elem.bits())
    }

    /// An integer by its bits.
    pub fn integer(&self, bits: u64) -> i128 {
        let unused = 64 - self.elem.bits();
        match self.elem.is_signed() {
            true => i128::from((bits << unused) as i64 >> unused),
            false => i128::from(bits),
        }
    }

    /// The bits of an integer, wrapped.
    pub fn wrapped(&self, value: i128) -> u64 {
        value as u64 & self.ones()
    }
}

const fn ty(glsl: &'static str, elem: Elem) -> Ty {
    Ty { glsl, memory: glsl, elem }
}

/// All of them.
pub static TYPES: [Ty; 12] = [
    Ty { glsl: "bool", memory: "uint", elem: Elem::U32 },
    ty("int8_t", Elem::I8),
    ty("uint8_t", Elem::U8),
    ty("int16_t", Elem::I16),
    ty("uint16_t", Elem::U16),
    ty("int", Elem::I32),
    ty("uint", Elem::U32),
    ty("int64_t", Elem::I64),
    ty("uint64_t", Elem::U64),
    ty("float16_t", Elem::F16),
    ty("float", Elem::F32),
    ty("double", Elem::F64),
];

/// `uint`.
pub fn uint() -> &'static Ty {
    &TYPES[6]
}

/// What the shaders need.
pub const EXTENSIONS: &[&str] = &[
    "GL_EXT_shader_explicit_arithmetic_types",
    "GL_EXT_shader_8bit_storage",
    "GL_EXT_shader_16bit_storage",
    "GL_EXT_shader_subgroup_extended_types_int8",
    "GL_EXT_shader_subgroup_extended_types_int16",
    "GL_EXT_shader_subgroup_extended_types_int64",
    "GL_EXT_shader_subgroup_extended_types_float16",
    "GL_KHR_shader_subgroup_basic",
    "GL_KHR_shader_subgroup_vote",
    "GL_KHR_shader_subgroup_ballot",
    "GL_KHR_shader_subgroup_arithmetic",
    "GL_KHR_shader_subgroup_clustered",
    "GL_KHR_shader_subgroup_shuffle",
    "GL_KHR_shader_subgroup_shuffle_relative",
    "GL_KHR_shader_subgroup_rotate",
    "GL_KHR_shader_subgroup_quad",
];
