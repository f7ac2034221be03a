//! A build without the feature `glsl` reads SPIR-V and says what it cannot do.
#![cfg(not(feature = "glsl"))]

use glslc2native_frontend::{Error, GlslOptions, InputKind, MAGIC, SpirvVersion, TargetEnv};
use glslc2native_frontend::{assemble, compile_glsl, disassemble, load_bytes, to_bytes, validate, warm_up};

#[test]
fn spirv_is_read_and_the_rest_is_an_honest_error() {
    let words = [MAGIC, SpirvVersion::V1_6.word(), 0, 1, 0];
    let loaded = load_bytes("a.spv", &to_bytes(&words), &GlslOptions::default()).unwrap();
    assert_eq!((loaded.kind, loaded.words.as_slice()), (InputKind::Spirv, words.as_slice()));
    warm_up();
    let refused = [
        compile_glsl("void main() {}", &GlslOptions::default()).map(drop),
        load_bytes("a.comp", b"void main() {}", &GlslOptions::default()).map(drop),
        load_bytes("a.spvasm", b"OpNop", &GlslOptions::default()).map(drop),
        assemble("OpNop", "a.spvasm", SpirvVersion::V1_6).map(drop),
        disassemble(&words).map(drop),
        validate(&words, TargetEnv::Vulkan1_3),
    ];
    for result in refused {
        let error = result.unwrap_err();
        assert!(matches!(error, Error::Unavailable(_)) && error.to_string().contains("`glsl`"), "{error}");
    }
}
