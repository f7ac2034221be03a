//! Scripts of every command, what they become, and what is said about wrong ones.

use super::*;
use crate::rng::Rng;
use crate::values::Elem;

/// A script with one of everything that a compute pipeline may have.
const WHOLE: &str = "#!amber
# A comment.
DEVICE_FEATURE shaderInt64
DEVICE_EXTENSION VK_KHR_16bit_storage
INSTANCE_EXTENSION VK_KHR_get_physical_device_properties2
DEVICE_PROPERTY FloatControlsProperties.shaderDenormPreserveFloat16
SET ENGINE_DATA fence_timeout_ms 2000

VIRTUAL_FILE add.comp
#version 450
void main() {}
END

SHADER compute add GLSL TARGET_ENV spv1.3 VIRTUAL_FILE add.comp
SHADER compute asm SPIRV-ASM TARGET_ENV vulkan1.1
  OpCapability Shader
END # asm
SHADER compute hex SPIRV-HEX
0x07230203 0x00010000
END
SHADER compute bin SPIRV-BIN FILE \"a file.spv\"

STRUCT inner STRIDE 16
  float a
  int32 b OFFSET 8
END
STRUCT outer
  inner i
  mat2x2<float> m MATRIX_STRIDE 16
  uint8[4] bytes ARRAY_STRIDE 4
END

BUFFER data DATA_TYPE vec3<float> DATA
1 2 3
4.5 5e1 -6  # and so on
END
BUFFER one DATA_TYPE int32 DATA 7 END
BUFFER filled DATA_TYPE uint16 SIZE 5 FILL 0xffff
BUFFER series DATA_TYPE vec2<int8> STD140 SIZE 3 SERIES_FROM -1 INC_BY 2
BUFFER wide DATA_TYPE R8G8B8A8_UNORM WIDTH 4 HEIGHT 2 FILL 3
BUFFER read DATA_TYPE float SIZE 2 FILE TEXT numbers.txt
BUFFER raw DATA_TYPE uint8[] SIZE 4 FILE BINARY numbers.bin
BUFFER record DATA_TYPE outer STD430 DATA 1 2 3 4 5 6 7 8 9 10 END

PIPELINE compute first
  ATTACH add ENTRY_POINT other SPECIALIZE 3 AS uint32 4 \\
    SPECIALIZE 5 AS float -1
  SHADER_OPTIMIZATION add
    --merge-return
  END
  COMPILE_OPTIONS add
    -O
    -g
  END
  SUBGROUP add
    FULLY_POPULATED on
    VARYING_SIZE off
    REQUIRED_SIZE 16
  END
  FRAMEBUFFER_SIZE 16 16
  BIND BUFFER data AS storage DESCRIPTOR_SET 1 BINDING 2
  BIND BUFFER one AS uniform DESCRIPTOR_SET 0 BINDING 0 DESCRIPTOR_OFFSET 4 DESCRIPTOR_RANGE 8
  BIND BUFFER_ARRAY filled series AS storage_dynamic DESCRIPTOR_SET 0 BINDING 1 OFFSET 0 256 DESCRIPTOR_OFFSET 4 8
  BIND BUFFER one AS push_constant
END
DERIVE_PIPELINE second FROM first
  BIND BUFFER one AS storage DESCRIPTOR_SET 1 BINDING 2
END

RUN first 1 2 3
RUN TIMED_EXECUTION second 4 5 6
COPY filled TO filled2
REPEAT 3
  RUN first 1 1 1
  EXPECT one IDX 0 GE 7
END
EXPECT data IDX 16 EQ 4.5 50 -6
EXPECT data IDX 0 TOLERANCE 1% 0.5 3 % EQ 1 2 3
EXPECT wide IDX 1 0 SIZE 2 1 EQ_RGBA 3 3 3 3
EXPECT filled EQ_BUFFER filled2
EXPECT filled RMSE_BUFFER filled2 TOLERANCE 0.25
EXPECT wide EQ_HISTOGRAM_EMD_BUFFER wide TOLERANCE 0.5
";

fn whole() -> String {
    let second = "BUFFER filled2 DATA_TYPE uint16 SIZE 5 FILL 1\n\nPIPELINE compute first";
    WHOLE.replace("PIPELINE compute first", second)
}

fn read(text: &str) -> Script {
    parse(text).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn everything_is_read() {
    let script = read(&whole());
    assert_eq!(script.beyond, []);
    assert_eq!((script.requirements.len(), script.timeout_ms), (4, Some(2000)));
    let formats: Vec<ShaderFormat> = script.shaders.iter().map(|shader| shader.format).collect();
    use ShaderFormat::{Glsl, SpirvAsm, SpirvBin, SpirvHex};
    assert_eq!(formats, [Glsl, SpirvAsm, SpirvHex, SpirvBin]);
    assert_eq!(script.shaders[0].source, Source::Inline { text: "#version 450\nvoid main() {}\n".into(), line: 1 });
    assert_eq!(script.shaders[1].source, Source::Inline { text: "  OpCapability Shader\n".into(), line: 16 });
    assert_eq!(script.shaders[1].env.as_deref(), Some("vulkan1.1"));
    assert_eq!(script.shaders[3].source, Source::File("a file.spv".into()));

    let first = &script.pipelines[0];
    assert_eq!(first.shaders[0].entry, "other");
    assert_eq!(first.shaders[0].specialize, [(3, 4), (5, u64::from((-1f32).to_bits()))]);
    assert_eq!(first.subgroups[0].size, Some(SubgroupSize::Fixed(16)));
    assert!(first.subgroups[0].full && !first.subgroups[0].varying);
    assert_eq!((first.optimizations[0].1.len(), first.compile_options[0].1.len()), (1, 2));
    let array = &first.bindings[2].parts;
    assert_eq!(array.iter().map(|part| part.offset).collect::<Vec<_>>(), [4, 264]);
    assert_eq!(first.bindings[1].parts[0].range, Some(8));
    let second = &script.pipelines[1];
    assert_eq!(second.bindings.len(), first.bindings.len());
    assert!(second.bindings.iter().any(|bind| (bind.set, bind.binding, bind.parts[0].buffer) == (1, 2, 1)));

    assert_eq!(script.commands[0].action, Action::Run { pipeline: 0, groups: [1, 2, 3], timed: false });
    assert!(matches!(&script.commands[3].action, Action::Repeat { count: 3, commands } if commands.len() == 2));
    let Action::Expect(Expect::Values { tolerances, .. }) = &script.commands[5].action else { panic!("no values") };
    assert_eq!(
        tolerances.iter().map(|t| (t.bound, t.percent)).collect::<Vec<_>>(),
        [(1.0, true), (0.5, false), (3.0, true)]
    );
    assert_eq!(script.commands.len(), 10);
}

#[test]
fn buffers_hold_what_the_script_says() {
    let script = read(&whole());
    let file = |path: &str| match path {
        "numbers.txt" => Ok(b"1.5 # one\n2 3\n".to_vec()),
        "numbers.bin" => Ok(vec![1, 2, 3]),
        _ => Err(format!("no {path}")),
    };
    let bytes = |name: &str| {
        let buffer = script.buffers.iter().find(|buffer| buffer.name == name).unwrap_or_else(|| panic!("{name}"));
        buffer.bytes(&file).unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    let floats = |name: &str| {
        let words = bytes(name);
        words.chunks_exact(4).map(|word| Elem::F32.to_float(Elem::F32.read(word)) as f32).collect::<Vec<_>>()
    };
    assert_eq!(floats("data"), [1.0, 2.0, 3.0, 0.0, 4.5, 50.0, -6.0, 0.0]);
    assert_eq!(bytes("filled"), [255; 10]);
    assert_eq!(bytes("series"), [255, 1, 3, 5, 7, 9]);
    assert_eq!(bytes("wide"), [3; 32]);
    // The file has a number more than the buffer has elements.
    assert_eq!(floats("read"), [1.5, 2.0, 3.0]);
    assert_eq!(bytes("raw"), [1, 2, 3, 0]);
    // Two members of `inner` in 16 bytes, a matrix with columns 16 bytes apart, four bytes 4 bytes apart.
    let record = bytes("record");
    assert_eq!(record.len(), 64);
    assert_eq!((record[8], record[48], record[52], record[60]), (2, 7, 8, 10));
}

const VKSCRIPT: &str = "# comment
[require]
shaderInt64
VK_KHR_16bit_storage
fence_timeout 100

[compute shader spirv]
OpCapability Shader
[test]
uniform ubo 0:1 vec2 0 0.0 1.0
uniform uint 4 8
ssbo 0 8
ssbo 0:2 subdata int 4 1 -2 \\
  3
compute 3 1 1
compute entrypoint other
compute 1 1 1
tolerance 0.1 2% 3 4
probe ssbo ivec2 0:2 8 == -2 3
probe ssbo float 0 4 ~= 0.5
";

#[test]
fn vkscript_becomes_the_same() {
    let script = read(VKSCRIPT);
    assert_eq!(script.requirements.len(), 2);
    assert_eq!(script.shaders[0].format, ShaderFormat::SpirvAsm);
    let names: Vec<_> = script.buffers.iter().map(|buffer| (buffer.name.as_str(), buffer.count)).collect();
    assert_eq!(names, [("0:1", 8), ("push constants", 8), ("0:0", 32), ("0:2", 16)]);
    let entries: Vec<_> = script.pipelines.iter().map(|pipeline| pipeline.shaders[0].entry.as_str()).collect();
    assert_eq!(entries, ["main", "other"]);
    assert!(script.pipelines.iter().all(|pipeline| pipeline.bindings.len() == 4));
    let last = script.commands.last().map(|command| &command.action);
    assert!(matches!(last, Some(Action::Expect(Expect::Values { tolerances, .. })) if tolerances.len() == 4));
}

#[test]
fn what_cannot_be_run_is_noted() {
    for (text, part) in [
        (
            "#!amber\nPIPELINE graphics p\n  DEPTH\n    TEST on\n  END\n  VERTEX_DATA b LOCATION 0\nEND\nCLEAR p\nRUN p DRAW_RECT POS 0 0 SIZE 1 1\n",
            "graphics",
        ),
        (
            "#!amber\nSHADER compute s GLSL\nEND\nIMAGE i FORMAT R8_UNORM DIM_2D WIDTH 2 HEIGHT 2 DATA\n1 2 3 4\nEND\nPIPELINE compute p\n  ATTACH s\n  BIND BUFFER i AS storage_image DESCRIPTOR_SET 0 BINDING 0\nEND\nEXPECT i IDX 0 0 SIZE 1 1 EQ_RGB 1 2 3\n",
            "storage image",
        ),
        (
            "#!amber\nSAMPLER s MAG_FILTER linear\nPIPELINE compute p\n  BIND SAMPLER s DESCRIPTOR_SET 0 BINDING 0\nEND\n",
            "samplers",
        ),
        (
            "#!amber\nACCELERATION_STRUCTURE BOTTOM_LEVEL b\n  GEOMETRY TRIANGLES\n    FLAGS\n      OPAQUE\n    END\n    0 0 0\n  END\nEND\nPIPELINE ray_tracing r\n  SHADER_GROUP g s\nEND\n",
            "ray tracing",
        ),
        (
            "#!amber\nSHADER compute s OPENCL-C\nEND\nBUFFER b DATA_TYPE uint8 SIZE 1 FILL 0\nPIPELINE compute p\n  ATTACH s\n  BIND BUFFER b KERNEL ARG_NAME x\n  SET KERNEL ARG_NAME y AS int32 1\nEND\n",
            "OpenCL",
        ),
        (
            "[vertex shader passthrough]\n[test]\ndraw rect 0 0 1 1\nprobe all rgb 1 2 3\ndepthTestEnable true\n",
            "graphics",
        ),
    ] {
        let script = read(text);
        assert!(script.beyond.iter().any(|(_, what)| what.contains(part)), "{part}: {:?}", script.beyond);
    }
}

#[test]
fn mistakes_have_their_places() {
    let buffers = "#!amber\nBUFFER b DATA_TYPE uint32 SIZE 2 FILL 0\nSHADER compute s GLSL\nEND\n";
    for (text, message) in [
        ("FOO", "5:1: `FOO` is no command"),
        ("SHADER computer x GLSL", "5:8: `computer` is no stage"),
        ("SHADER compute x GLSL\nvoid main() {}", "5:1: there is no line `END`"),
        ("SHADER compute s GLSL\nEND", "5:16: there is a shader `s` already"),
        ("BUFFER b DATA_TYPE uint32 SIZE 1 FILL 0", "5:8: there is a buffer `b` already"),
        ("BUFFER c DATA_TYPE uint31 SIZE 1 FILL 0", "5:20: `uint31` is no data type"),
        ("BUFFER c DATA_TYPE uint32 SIZE x FILL 0", "5:32: SIZE: `x` is no number"),
        ("BUFFER c DATA_TYPE uint32 DATA\n1 two\nEND", "6:3: `two` is no number"),
        ("BUFFER c DATA_TYPE uint32 SIZE 4000000000 FILL 0", "5:1: buffers are at most"),
        ("STRUCT t\n  float a\n  float a\nEND", "7:9: there is a member `a` already"),
        ("PIPELINE compute p\n  ATTACH t\nEND", "6:10: there is no shader `t`"),
        ("PIPELINE compute p\n  BIND BUFFER b AS storage BINDING 0\nEND", "6:3: DESCRIPTOR_SET and BINDING"),
        ("PIPELINE compute p\n  BIND BUFFER b AS stowage BINDING 0\nEND", "6:20: `stowage` is no kind"),
        (
            "PIPELINE compute p\n  BIND BUFFER b AS storage_dynamic DESCRIPTOR_SET 0 BINDING 0\nEND",
            "6:3: 1 buffers need 1",
        ),
        ("PIPELINE compute p\nEND\nRUN p 1 1 1", "7:1: `p` has no shader"),
        ("PIPELINE compute p\n  ATTACH s\nEND\nRUN p 1 1", "8:10: the number of workgroups in z is missing"),
        ("PIPELINE compute p\n  ATTACH s\nEND\nRUN p DRAW_RECT POS 0 0 SIZE 1 1", "8:5: `p` is a compute pipeline"),
        ("EXPECT b IDX 0 EQ", "5:1: there are no values"),
        ("EXPECT b IDX 0 ~= 1", "5:16: `~=` is no comparison"),
        ("EXPECT b IDX 0 TOLERANCE EQ 1", "TOLERANCE takes one to four"),
        ("EXPECT b IDX 0 EQ 1 x", "5:21: `x` is too much"),
        ("EXPECT c IDX 0 EQ 1", "5:8: there is no buffer `c`"),
        ("COPY b TO b", "5:11: a buffer cannot be copied to itself"),
        ("REPEAT 2\nRUN p 1 1 1", "6:5: there is no pipeline `p`"),
        ("REPEAT 2\nEXPECT b IDX 0 EQ 0", "5:1: there is no `END`"),
        ("SET ENGINE_DATA x 1", "5:17: `x` is no variable"),
    ] {
        let error = parse(&format!("{buffers}{text}")).expect_err(text).to_string();
        assert!(error.contains(message), "{text}: {error}");
    }
    for (text, message) in [
        ("[require]\n", "there is no section [test]"),
        ("hello", "1:1: `hello`: a section"),
        ("[fragment shade]\n", "1:1: `[fragment shade]` is no section"),
        ("[test]\ncompute 1 1 1\n", "2:1: there is no compute shader"),
        ("[test]\nssbo 0 subdata vec2 0 1 2 3\n", "3 values are no multiple of the type's 2"),
        ("[test]\nprobe ssbo int 0 0 = 1\n", "2:20: `=` is no comparison"),
        ("[test]\nfoo\n", "2:1: `foo` is no command"),
        ("[test]\ntolerance 1 2\n", "one or four"),
    ] {
        let error = parse(text).expect_err(text).to_string();
        assert!(error.contains(message), "{text}: {error}");
    }
}

/// Runs one expectation on a buffer.
fn expect(buffer: &str, line: &str) -> Result<usize, String> {
    let script = read(&format!("#!amber\nBUFFER a {buffer}\nBUFFER b {buffer}\n{line}\n"));
    let mut memory = vec![];
    for buffer in &script.buffers {
        memory.push(buffer.bytes(&|_| Err("no file".into())).map_err(|error| error.to_string())?);
    }
    // The second buffer differs in its last byte.
    if let Some(last) = memory.last_mut().and_then(|bytes| bytes.last_mut()) {
        *last ^= 2;
    }
    let Action::Expect(expect) = &script.commands[0].action else { return Err("no expectation".into()) };
    let memory: Vec<&[u8]> = memory.iter().map(Vec::as_slice).collect();
    check::check(expect, &script.buffers, &memory)
}

#[test]
fn expectations_compare() {
    let floats = "DATA_TYPE vec3<float> DATA 1 2 3 4 nan -0.0 END";
    let bytes = "DATA_TYPE vec4<uint8> WIDTH 2 HEIGHT 2 FILL 10";
    let ints = "DATA_TYPE int16 DATA -5 6 7 END";
    for (buffer, line, result) in [
        (floats, "EXPECT a IDX 0 EQ 1 2 3 4 nan 0", Ok(6)),
        (floats, "EXPECT a IDX 4 EQ 2 3 4", Ok(3)),
        (floats, "EXPECT a IDX 16 EQ 4.0000001", Ok(1)),
        (floats, "EXPECT a IDX 0 EQ 1 2.5", Err("value 1 of `a`, at byte 4: expected == 2.5")),
        (floats, "EXPECT a IDX 0 TOLERANCE 10% EQ 1.1 2.2", Ok(2)),
        (floats, "EXPECT a IDX 0 TOLERANCE 0 1 0 EQ 1 3 3", Ok(3)),
        (floats, "EXPECT a IDX 0 TOLERANCE 0 1 0 EQ 1 3 3.5", Err("value 2")),
        (floats, "EXPECT a IDX 20 LT 1", Err("expected <")),
        (floats, "EXPECT a IDX 64 EQ 1", Err("the buffer has 32 bytes")),
        (floats, "EXPECT a EQ_BUFFER a", Ok(6)),
        (ints, "EXPECT a IDX 0 LT -4", Ok(1)),
        (ints, "EXPECT a IDX 0 LE -6", Err("expected <= -6, found -5")),
        (ints, "EXPECT a IDX 2 NE 5 8", Ok(2)),
        (ints, "EXPECT a IDX 2 GT 6", Err("expected > 6, found 6")),
        (ints, "EXPECT a IDX 2 GE 6 7", Ok(2)),
        (ints, "EXPECT a IDX 0 EQ 0xfffb", Ok(1)),
        (
            ints,
            "EXPECT a EQ_BUFFER b",
            Err("value 2 of `a`, at byte 4: expected 519 as in `b`, found 7; 1 values differ"),
        ),
        (ints, "EXPECT a RMSE_BUFFER b TOLERANCE 296", Ok(3)),
        (ints, "EXPECT a RMSE_BUFFER b TOLERANCE 295", Err("root mean square error is 295.6")),
        (bytes, "EXPECT a IDX 0 0 SIZE 2 2 EQ_RGBA 10 10 10 10", Ok(4)),
        (bytes, "EXPECT b IDX 1 1 SIZE 1 1 EQ_RGB 10 10 10", Ok(1)),
        (bytes, "EXPECT b IDX 0 0 SIZE 2 2 EQ_RGBA 10 10 10 10", Err("channel A of `b` at 1, 1: expected 10")),
        (bytes, "EXPECT b IDX 0 0 SIZE 2 2 TOLERANCE 2 EQ_RGBA 10 10 10 10", Ok(4)),
        (bytes, "EXPECT a IDX 1 0 SIZE 2 1 EQ_RGB 1 2 3", Err("larger than `a`")),
        (bytes, "EXPECT a EQ_HISTOGRAM_EMD_BUFFER b TOLERANCE 0.002", Ok(16)),
        (bytes, "EXPECT a EQ_HISTOGRAM_EMD_BUFFER b TOLERANCE 0.001", Err("channel 3")),
    ] {
        match (expect(buffer, line), result) {
            (Ok(count), Ok(expected)) => assert_eq!(count, expected, "{line}"),
            (Err(error), Err(part)) => assert!(error.contains(part), "{line}: {error}"),
            (found, _) => panic!("{line}: {found:?}"),
        }
    }
}

/// Cut, doubled, swapped and overwritten scripts: whatever becomes of them, reading and filling ends with a value.
#[test]
fn mutated_scripts_never_panic() {
    let mut rng = Rng::new(9);
    let whole = whole();
    let sources = [whole.as_str(), VKSCRIPT];
    let noise =
        ["END", "-1", "4294967296", "é", "\"", "\\\n", "[", "]", "vec9<float>", "uint8[1000000]", "SIZE", "0x", "\n"];
    let (mut read, mut refused) = (0, 0);
    for round in 0..4000 {
        let mut words: Vec<String> = sources[round % 2].split_inclusive([' ', '\n']).map(str::to_string).collect();
        for _ in 0..=rng.below(4) {
            if words.is_empty() {
                break;
            }
            let at = rng.below(words.len() as u32) as usize;
            match rng.below(5) {
                0 => drop(words.remove(at)),
                1 => words.truncate(at + 1),
                2 => words.insert(at, format!("{} ", rng.pick(&noise))),
                3 => {
                    let other = rng.below(words.len() as u32) as usize;
                    words.swap(at, other);
                }
                _ => words[at] = format!("{}\n", rng.pick(&noise)),
            }
        }
        match parse(&words.concat()) {
            Ok(script) => {
                read += 1;
                for buffer in script.buffers.iter().filter(|buffer| buffer.count * buffer.layout.size < 1 << 20) {
                    let _ = buffer.bytes(&|_| Ok(vec![b'1'; 8]));
                }
            }
            Err(error) => {
                refused += 1;
                assert!(error.pos.line > 0 && error.pos.column > 0, "{error}");
            }
        }
    }
    assert!(read > 100 && refused > 100, "{read} read, {refused} refused");
}
