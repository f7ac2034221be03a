//! SPIRV-Tools: validation, assembly and disassembly, of sound and of broken modules.
#![cfg(feature = "glsl")]

use glslc2native_frontend::{
    Error, GlslOptions, InputKind, SpirvVersion, TargetEnv, assemble, compile_glsl, disassemble, load_bytes,
    load_spirv, to_bytes, validate,
};

const SOURCE: &str = "#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) buffer B { float b[]; };
float twice(float x) { return x * 2.0; }
void main() {
    uint i = gl_GlobalInvocationID.x;
    for (int k = 0; k < 3; ++k) if (b[i] > 1.0) b[i] = twice(b[i]); else break;
}
";

fn module() -> Vec<u32> {
    compile_glsl(SOURCE, &GlslOptions::default()).unwrap_or_else(|error| panic!("{error}")).words
}

#[test]
fn text_and_words_round_trip() {
    let words = module();
    let text = disassemble(&words).unwrap();
    let again = assemble(&text, "a.spvasm", SpirvVersion::V1_6).unwrap_or_else(|error| panic!("{error}"));
    validate(&again, TargetEnv::Vulkan1_3).unwrap();
    // The header names another generator; unnamed ids may have other numbers.
    let shape = |text: &str| text.lines().skip(5).map(|line| line.split('%').count()).collect::<Vec<_>>();
    assert_eq!(shape(&disassemble(&again).unwrap()), shape(&text));
    let loaded = load_bytes("a.spvasm", text.as_bytes(), &GlslOptions::default()).unwrap();
    assert_eq!((loaded.kind, loaded.words), (InputKind::Assembly, again));
    // Bytes win over the extension.
    let loaded = load_bytes("a.comp", &to_bytes(&words), &GlslOptions::default()).unwrap();
    assert_eq!((loaded.kind, loaded.words), (InputKind::Spirv, words));
}

#[test]
fn numeric_ids_stay() {
    let text = "OpCapability Shader\nOpMemoryModel Logical GLSL450\n%7 = OpTypeVoid\n%named = OpTypeBool\n";
    let words = assemble(text, "a.spvasm", SpirvVersion::V1_3).unwrap();
    assert_eq!(words[1], SpirvVersion::V1_3.word());
    assert_eq!(words[10..12], [0x0002_0013, 7]);
}

#[test]
fn ids_beyond_the_limits_are_refused() {
    for id in ["4194303", "4294967295", "4294967296", "99999999999999999999"] {
        let text = format!("OpCapability Shader\nOpMemoryModel Logical GLSL450\n%{id} = OpTypeVoid\n");
        let result = assemble(&text, "a.spvasm", SpirvVersion::V1_6);
        let result = result.and_then(|words| validate(&words, TargetEnv::Vulkan1_3));
        assert!(result.is_err(), "{id}");
    }
}

#[test]
fn wrong_assembly_is_placed() {
    let text = "OpCapability Shader\nOpMemoryModel Logical GLSL450\n%1 = OpTypeNonsense\n";
    let error = assemble(text, "a.spvasm", SpirvVersion::V1_6).unwrap_err();
    let Error::Assembly { file, line, column, source_line, .. } = &error else { panic!("{error:?}") };
    assert_eq!((file.as_str(), *line, *column, source_line.as_str()), ("a.spvasm", 3, 6, "%1 = OpTypeNonsense"));
    assert!(error.to_string().starts_with("a.spvasm:3:6: error: "), "{error}");
    assert!(error.to_string().ends_with("\n%1 = OpTypeNonsense\n     ^"), "{error}");
    for text in ["\0", "%", "%1 =", "OpNop \"", "OpConstant", "%1 = OpTypeInt 9999999999999999 0", "\u{fffd}", "= = ="]
    {
        assert!(matches!(assemble(text, "a", SpirvVersion::V1_6), Err(Error::Assembly { .. })), "{text:?}");
    }
}

#[test]
fn every_prefix_is_refused() {
    let words = module();
    let bytes = to_bytes(&words);
    let mut loads = 0;
    for end in 0..bytes.len() {
        match load_spirv(&bytes[..end]) {
            Err(Error::InvalidSpirv { offset, .. }) => assert!(offset <= end, "{offset} in {end} bytes"),
            Ok(prefix) => {
                loads += 1;
                // A module that ends between two instructions reads well; that it is not whole is seen by its rules.
                assert!(validate(&prefix, TargetEnv::Vulkan1_3).is_err(), "{end} bytes are valid");
                disassemble(&prefix).unwrap();
            }
            Err(error) => panic!("{end}: {error}"),
        }
    }
    println!("{} prefixes, {loads} of them end between instructions", bytes.len());
    assert!(loads > 10 && bytes.len() > 400);
}

#[test]
fn changed_words_never_crash() {
    let words = module();
    let mut random = 0x2545_f491_4f6c_dd1du64;
    let mut accepted = 0;
    let rounds = 1_500;
    for _ in 0..rounds {
        let mut changed = words.clone();
        for _ in 0..3 {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let at = (random >> 20) as usize % changed.len();
            changed[at] = match random & 3 {
                0 => (random >> 32) as u32,
                1 => changed[at] ^ 1 << ((random >> 8) & 31),
                2 => (random >> 40) as u32 & 0xff,
                _ => changed[(random >> 44) as usize % changed.len()],
            };
        }
        drop(disassemble(&changed));
        accepted += usize::from(validate(&changed, TargetEnv::Vulkan1_3).is_ok());
    }
    println!("{rounds} modules, {accepted} of them valid");
    assert!(accepted < rounds);
}

#[test]
fn the_validator_names_the_instruction() {
    let text = disassemble(&module()).unwrap();
    let broken = text.replace("OpFMul", "OpIMul");
    assert_ne!(text, broken);
    let words = assemble(&broken, "a.spvasm", SpirvVersion::V1_6).unwrap();
    let error = validate(&words, TargetEnv::Vulkan1_3).unwrap_err();
    assert!(matches!(error, Error::Validation { .. }), "{error:?}");
    let message = error.to_string();
    assert!(message.contains("vulkan1.3") && message.contains("OpIMul"), "{message}");
    // SPIR-V 1.6 is too new for Vulkan 1.0.
    assert!(validate(&module(), TargetEnv::Vulkan1_0).is_err());
}

#[test]
fn layouts_that_features_allow_are_valid() {
    let source = "#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 1) in;
layout(set = 0, binding = 0, scalar) buffer B { float a; vec3 b[]; };
layout(set = 0, binding = 1, std430) uniform U { float c[8]; };
void main() { b[0] = vec3(a, c[1], 0); }
";
    let words = compile_glsl(source, &GlslOptions::default()).unwrap_or_else(|error| panic!("{error}")).words;
    validate(&words, TargetEnv::Vulkan1_3).unwrap();
}
