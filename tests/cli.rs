//! The command line program, as a user runs it: output, messages, exit status.
#![cfg(feature = "glsl")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error>>;

/// A folder that is gone when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Result<Folder> {
        let path = std::env::temp_dir().join(format!("glslc2native-cli-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path)?;
        Ok(Folder(path))
    }

    fn write(&self, name: &str, text: &str) -> Result {
        Ok(std::fs::write(self.0.join(name), text)?)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs the program in a folder; `line` is split at spaces.
fn program(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_glslc2native"));
    command.current_dir(folder).args(line.split(' ').filter(|word| !word.is_empty()));
    command
}

fn run(folder: &Folder, line: &str) -> Result<Output> {
    Ok(program(&folder.0, line).output()?)
}

/// Runs, and checks the exit status and parts of standard error.
fn check(folder: &Folder, line: &str, status: i32, parts: &[&str]) -> Result<String> {
    let output = run(folder, line)?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{line}\n{stderr}");
    for part in parts {
        assert!(stderr.contains(part), "{line}: {part} in\n{stderr}");
    }
    Ok(String::from_utf8(output.stdout)?)
}

const SCALE: &str = "#version 450
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) readonly buffer In { float data[]; } src;
layout(set = 0, binding = 1) buffer Out { float data[]; } dst;
layout(push_constant) uniform Push { float factor; ivec2 shift; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    dst.data[i] = src.data[i] * factor + float(shift.x + shift.y);
}
";

const BINDINGS: &str = "--bind 0:0=f32:1,2,3,4,5 --bind 0:1=f32*5";

#[test]
fn numbers_in_numbers_out() -> Result {
    let folder = Folder::new("numbers")?;
    folder.write("scale.comp", SCALE)?;
    for (push, out) in [
        ("--push factor=2 --push shift=3,-1", "4 6 8 10 12\n"),
        ("--push f32:0.5,0 --push i32:1,0", "1.5 2 2.5 3 3.5\n"),
        ("--push f32:inf,0 --push shift=0,0", "inf inf inf inf inf\n"),
    ] {
        for options in ["", "-O0", "-O --scalar", "--subgroup-size 4 --threads 1", "--subgroup-size 1 -ffp-contract=on"]
        {
            let line = format!("run scale.comp --size 5 {options} {BINDINGS} {push} --out 0:1=f32");
            assert_eq!(check(&folder, &line, 0, &[])?, out, "{line}");
        }
    }
    let line =
        format!("run scale.comp --groups 1 {BINDINGS} --push factor=1 --push shift=0,0 --out 0:1=u32 --out 0:0=f32");
    assert_eq!(check(&folder, &line, 0, &[])?, "1065353216 1073741824 1077936128 1082130432 0\n1 2 3 4 5\n");
    let line = format!("run scale.comp --groups 0 {BINDINGS} --push factor=1 --push shift=0,0 --out 0:1=f32");
    assert_eq!(check(&folder, &line, 0, &["nothing was run"])?, "0 0 0 0 0\n");
    Ok(())
}

#[test]
fn files_in_files_out() -> Result {
    let folder = Folder::new("files")?;
    folder.write("scale.comp", SCALE)?;
    std::fs::write(folder.0.join("in.bin"), [0.25f32, 0.5, 0.75, 1.0].map(f32::to_ne_bytes).concat())?;
    let push = "--push factor=1 --push shift=0,0";
    let line =
        format!("run scale.comp --size 4 {push} --bind 0:0=in.bin --bind 0:1=f32*4 --out 0:1=f32:2x2:out.png --time");
    check(&folder, &line, 0, &["front end", "lift", "transform", "lower", "codegen", "dispatch", "ms"])?;
    let npy = "--bind 0:0=in.bin --bind 0:1=f32*4 --out 0:1=f32:2x2:out.npy";
    check(&folder, &format!("run scale.comp --size 4 {push} {npy}"), 0, &[])?;
    let npy = "--bind 0:0=out.npy --bind 0:1=f32*4 --out 0:1=f32 --out 0:0=flat.npy";
    assert_eq!(check(&folder, &format!("run scale.comp --size 4 {push} {npy}"), 0, &[])?, "0.25 0.5 0.75 1\n");
    let (shaped, flat) = (std::fs::read(folder.0.join("out.npy"))?, std::fs::read(folder.0.join("flat.npy"))?);
    assert!(String::from_utf8_lossy(&shaped).contains("'shape': (2, 2)"));
    assert!(String::from_utf8_lossy(&flat).contains("'shape': (4,)"));
    let ints = "--bind 0:0=i32:1,2,3,4 --bind 0:1=f32*4 --out 0:0=i32:ints.npy";
    check(&folder, &format!("run scale.comp --size 4 {push} {ints}"), 0, &[])?;
    let npy = "--bind 0:0=ints.npy --bind 0:1=f32*4";
    check(
        &folder,
        &format!("run scale.comp --size 4 {push} {npy}"),
        1,
        &["the numbers are i32, the buffer holds f32"],
    )?;
    check(&folder, &format!("run scale.comp --size 4 {push} --bind 0:0=i32:ints.npy --bind 0:1=f32*4"), 0, &[])?;
    let line = format!("run scale.comp --size 4 {push} --bind 0:0=f32:out.png --bind 0:1=f32*4 --out 0:1=out.bin");
    assert_eq!(check(&folder, &line, 0, &[])?, "");
    let bytes = std::fs::read(folder.0.join("out.bin"))?;
    let numbers: Vec<u32> =
        bytes.as_chunks::<4>().0.iter().map(|&b| (f32::from_ne_bytes(b) * 255.0).round() as u32).collect();
    assert_eq!(numbers, [64, 128, 191, 255]);
    Ok(())
}

#[test]
fn wrong_input_is_status_1() -> Result {
    let folder = Folder::new("wrong")?;
    folder.write("scale.comp", SCALE)?;
    folder.write("syntax.comp", "#version 450\nvoid main() { x = 1; }\n")?;
    folder.write("cut.spv", "\u{3}\u{2}#\u{7}")?;
    folder.write("text.spvasm", "OpNonsense")?;
    folder.write("text.ir", "nonsense")?;
    let scale = |rest: &str| format!("run scale.comp --groups 1 {rest}");
    let declared = "set 0 binding 1: storage buffer `dst`, written, 4 bytes for each element";
    let push = "--push factor=1 --push shift=0,0";
    let cases: &[(String, &[&str])] = &[
        ("run none.comp --groups 1".into(), &["none.comp"]),
        ("run syntax.comp --groups 1".into(), &["syntax.comp:2", "'x'", "void main() { x = 1; }"]),
        ("run cut.spv --groups 1".into(), &["SPIR-V"]),
        ("run text.spvasm --groups 1".into(), &["text.spvasm:1"]),
        ("run text.ir --groups 1".into(), &["line 1"]),
        (scale(push), &["set 0 binding 0 (`src`) is not bound", declared]),
        (scale(BINDINGS), &["push constants are missing: factor, shift", declared]),
        (scale(&format!("{BINDINGS} {push} --bind 2:0=u32*4")), &["does not use set 2 binding 0", declared]),
        (scale(&format!("{BINDINGS} --push factr=1")), &["no push constant `factr`", "float factor"]),
        (scale(&format!("{BINDINGS} --push shift=1")), &["2 numbers, not 1"]),
        (scale(&format!("{BINDINGS} --push shift=1,1.5")), &["`1.5` is not a number of type i32"]),
        (scale(&format!("{BINDINGS} --push u8*20 --push u32:1,2,3,4,5")), &["NAME=VALUE"]),
        (scale(&format!("{BINDINGS} --push u32:1,2,3,4,5")), &["20 bytes of push constants were given"]),
        (scale(&format!("{push} --bind 0:0=no.bin --bind 0:1=f32*4")), &["--bind 0:0: no.bin"]),
        (scale(&format!("{push} {BINDINGS} --out 0:1=rgba8:9x9:x.png")), &["324 bytes", "20"]),
        (scale(&format!("{push} {BINDINGS} --subgroup-size 3")), &["subgroup size 3"]),
        (scale(&format!("{push} {BINDINGS} --entry other")), &["other"]),
        (scale(&format!("{push} {BINDINGS} --spec 0=1")), &["specialisation constant with id 0"]),
        (format!("run scale.comp --groups 4294967295 {push} {BINDINGS}"), &["limit exceeded", "2^32 invocations"]),
        (format!("run scale.comp --groups 1073741824,4294967295,4294967295 {push} {BINDINGS}"), &["2^64"]),
    ];
    for (line, parts) in cases {
        let status = if line.contains("u8*20") { 2 } else { 1 };
        assert_eq!(check(&folder, line, status, parts)?, "", "{line}");
    }
    println!("checked {} command lines", cases.len());
    Ok(())
}

#[test]
fn wrong_usage_is_status_2() -> Result {
    let folder = Folder::new("usage")?;
    folder.write("scale.comp", SCALE)?;
    check(&folder, "--emit=spirv -o scale.spv scale.comp", 0, &[])?;
    for (line, part) in [
        ("", "FILE"),
        ("run scale.comp", "--groups"),
        ("run scale.comp --groups 1 --bind 0:0=f32:x", "not a number"),
        ("run scale.comp --groups 1 --bind 0:0=f32*1 --bind 0:0=f32*1", "twice"),
        ("run scale.comp --groups 1 --out 0:0=f32", "--bind 0:0=f32*1024"),
        ("run scale.comp --groups 1 --nonsense", "--nonsense"),
        ("--emit=nonsense scale.comp", "possible values"),
        ("--emit=obj,stats scale.comp", "print them alone"),
        ("-S -E scale.comp", "cannot be used with"),
        ("-E scale.spv", "only GLSL"),
        ("-MD -o - scale.comp", "-MF"),
    ] {
        check(&folder, line, 2, &[part])?;
    }
    for (line, part) in [("--help", "Examples:"), ("run --help", "Sources:"), ("--version", "glslc2native")] {
        assert!(check(&folder, line, 0, &[])?.contains(part), "{line}");
    }
    Ok(())
}

#[test]
fn every_form_is_printed() -> Result {
    let folder = Folder::new("emit")?;
    folder.write("scale.comp", SCALE)?;
    for (form, part) in [
        ("spirv-asm", "OpEntryPoint GLCompute"),
        ("ir-lifted", "main"),
        ("ir", "main"),
        ("analysis", "; affine(1), as @gl_GlobalInvocationID"),
        ("stats", "code bytes: "),
        ("clif", "function u0:0("),
        ("asm", "main:"),
        ("interface", "entry point `main`, workgroup size 4 x 1 x 1"),
        ("header", "int32_t scale(const g2n_context *context"),
    ] {
        let text = check(&folder, &format!("--emit={form} scale.comp"), 0, &[])?;
        assert!(text.contains(part), "{form}: {text}");
        assert_eq!(text, check(&folder, &format!("--emit={form} scale.comp"), 0, &[])?, "{form} differs between runs");
    }
    let all = check(&folder, "--emit=interface,stats scale.comp", 0, &[])?;
    assert!(all.contains("==== interface\n") && all.contains("==== stats\n"), "{all}");
    for target in ["x86_64", "aarch64", "riscv64", "s390x"] {
        let text = check(&folder, &format!("--emit=asm --target {target} scale.comp"), 0, &[])?;
        assert!(text.contains("main:"), "{target}: {text}");
    }
    // A module that was written is read again.
    check(&folder, "--emit=spirv -o scale.spv scale.comp", 0, &[])?;
    let asm = check(&folder, "--emit=spirv-asm scale.spv", 0, &[])?;
    assert_eq!(asm, check(&folder, "--emit=spirv-asm scale.comp", 0, &[])?);
    Ok(())
}

#[test]
fn objects_headers_and_rules_are_written() -> Result {
    let folder = Folder::new("objects")?;
    std::fs::create_dir_all(folder.0.join("src dir"))?;
    folder.write("src dir/a-b.comp", &SCALE.replace("void main", "#include \"inc.h\"\nvoid main"))?;
    folder.write("src dir/inc.h", "#define UNUSED 1\n")?;
    let source = folder.0.join("src dir/a-b.comp");
    let read = |name: &str| std::fs::read_to_string(folder.0.join(name));
    let mut files = vec![];
    let mut compile = |options: &str, made: &[&str]| -> Result {
        let output = program(&folder.0, options).arg(&source).output()?;
        assert!(output.status.success(), "{options}: {}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.stdout, b"", "{options}");
        for name in made {
            assert!(folder.0.join(name).metadata()?.len() > 0, "{options}: {name}");
            files.push(name.to_string());
        }
        Ok(())
    };
    compile("", &["a-b.comp.o", "a-b.comp.h"])?;
    assert!(read("a-b.comp.h")?.contains("int32_t a_b(const g2n_context *context"));
    compile("-c -o x.o --header y.h --symbol other", &["x.o", "y.h"])?;
    assert!(read("y.h")?.contains("int32_t other(const g2n_context *context"));
    compile("-S --target s390x", &["a-b.comp.s"])?;
    assert!(read("a-b.comp.s")?.contains("main:"));
    compile("-MD --cpu native", &["a-b.comp.o", "a-b.comp.o.d"])?;
    let rule = read("a-b.comp.o.d")?;
    assert!(rule.starts_with("a-b.comp.o: ") && rule.ends_with("src\\ dir/inc.h\n"), "{rule}");
    compile("-MD -MF z.d -MT z.o -o w.o", &["w.o", "w.h", "z.d"])?;
    assert!(read("z.d")?.starts_with("z.o: "));
    compile("-M -MF m.d", &["m.d"])?;
    assert_eq!(read("m.d")?, rule);
    compile("-E -o e.comp", &["e.comp"])?;
    assert!(!read("e.comp")?.contains("#include"));
    compile("--target riscv64 --cpu rv64gc -o r.o", &["r.o", "r.h"])?;
    let magic = |name: &str| std::fs::read(folder.0.join(name)).map(|bytes| bytes[..4].to_vec());
    for name in ["a-b.comp.o", "x.o", "w.o", "r.o"] {
        assert_eq!(magic(name)?, b"\x7fELF", "{name}");
    }
    println!("checked {} files", files.len());
    let printed = program(&folder.0, "--emit=obj").arg(&source).output()?.stdout;
    assert_eq!(printed, program(&folder.0, "-o -").arg(&source).output()?.stdout);
    assert_eq!(printed[..4], *b"\x7fELF");
    for (options, part) in [
        ("--symbol 1x", "`1x` cannot be the name"),
        ("--symbol for", "`for` cannot be the name"),
        ("--target x86_64-pc-windows-msvc", "ELF"),
        ("--cpu x86-64", "use x86-64-v2"),
        ("--target wasm32", "no code can be made"),
    ] {
        let output = program(&folder.0, options).arg(&source).output()?;
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(1) && stderr.contains(part), "{options}: {stderr}");
    }
    Ok(())
}

#[test]
fn standard_input_is_a_file_too() -> Result {
    let folder = Folder::new("stdin")?;
    let line = format!("run - -fshader-stage=comp --size 5 {BINDINGS} --push factor=1 --push shift=0,1 --out 0:1=f32");
    let mut child = program(&folder.0, &line).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    child.stdin.take().ok_or("no standard input")?.write_all(SCALE.as_bytes())?;
    let output = child.wait_with_output()?;
    assert_eq!(String::from_utf8(output.stdout)?, "2 3 4 5 6\n");
    Ok(())
}

#[test]
fn a_closed_pipe_is_no_error() -> Result {
    let folder = Folder::new("pipe")?;
    folder.write("scale.comp", SCALE)?;
    let line = "run scale.comp --groups 0 --push factor=1 --push shift=0,0 --bind 0:0=f32*1 --bind 0:1=f32*1000000 --out 0:1=f32";
    let mut child = program(&folder.0, line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    drop(child.stdout.take());
    let output = child.wait_with_output()?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !stderr.contains("panicked"), "{stderr}");
    Ok(())
}

/// A script whose shader doubles numbers; `expected` is what it says must come out.
fn doubling(expected: &str) -> String {
    format!(
        "#!amber
SHADER compute double GLSL
#version 450
layout(set = 0, binding = 0) buffer Data {{ uint data[]; }};
void main() {{ data[gl_WorkGroupID.x] *= 2; }}
END
BUFFER numbers DATA_TYPE uint32 DATA 1 2 3 END
PIPELINE compute pipeline
  ATTACH double
  BIND BUFFER numbers AS storage DESCRIPTOR_SET 0 BINDING 0
END
RUN pipeline 3 1 1
EXPECT numbers IDX 0 EQ {expected}
"
    )
}

#[test]
fn tests_pass_fail_and_are_skipped() -> Result {
    let folder = Folder::new("test")?;
    std::fs::create_dir_all(folder.0.join("tests"))?;
    folder.write("tests/right.amber", &doubling("2 4 6"))?;
    let golden = "#version 450
layout(set = 0, binding = 0) buffer Data { uint data[]; };
void main() { data[0] = 7; }
// run:
// buffer 0 0 u32 1
// expect 0 0 u32 exact 7
";
    folder.write("tests/golden.comp", golden)?;
    folder.write("tests/no-test.comp", "void main() {}")?;
    let out = check(&folder, "test tests -v", 0, &[])?;
    assert!(out.contains("pass tests/golden.comp: 1 values\npass tests/right.amber: 3 values\n"), "{out}");
    assert!(out.ends_with("2 tests: 2 passed, 0 failed, 0 skipped\n"), "{out}");

    folder.write("tests/wrong.amber", &doubling("2 4 5"))?;
    folder.write("tests/broken.amber", "#!amber\nBUFFER b DATA_TYPE float\n")?;
    folder.write("tests/graphics.amber", "#!amber\nPIPELINE graphics p\nEND\n")?;
    folder.write("tests/syntax.amber", &doubling("2 4 6").replace("*= 2", "*= "))?;
    folder.write("tests/named.expect_fail.amber", &doubling("0"))?;
    let endless = doubling("2 4 6").replace("data[gl_WorkGroupID.x] *= 2", "while (data[0] != 9) data[1]++");
    folder.write("tests/endless.amber", &endless)?;
    let out = check(&folder, "test tests --timeout 1 --junit report.xml", 1, &[])?;
    for line in [
        "FAIL tests/wrong.amber: wrong values: line 13: value 2 of `numbers`, at byte 8: expected == 5, found 6\n",
        "FAIL tests/broken.amber: unreadable: 2:26: DATA or SIZE is missing\n",
        "FAIL tests/syntax.amber: error: line 12: tests/syntax.amber:5:",
        "FAIL tests/endless.amber: too slow: ",
        "8 tests: 3 passed, 4 failed, 1 skipped\n",
        "  failed 1: wrong values\n",
        "  skipped 1: needs graphics pipelines\n",
    ] {
        assert!(out.contains(line), "{line} in\n{out}");
    }
    let report = std::fs::read_to_string(folder.0.join("report.xml"))?;
    for part in [
        "<testsuite name=\"glslc2native\" tests=\"8\" failures=\"4\" skipped=\"1\"",
        "classname=\"tests\" name=\"wrong.amber\"",
        "<failure type=\"wrong values\">line 13: value 2",
        "<skipped message=\"needs graphics pipelines\"/>",
    ] {
        assert!(report.contains(part), "{part} in\n{report}");
    }

    let out = check(&folder, "test tests --filter right --scalar -O0 --subgroup-size 4", 0, &[])?;
    assert_eq!(out, "1 tests: 1 passed, 0 failed, 0 skipped\n");
    check(&folder, "test tests --filter nonsense", 1, &["there are no tests"])?;
    check(&folder, "test missing.amber", 1, &["missing.amber"])?;
    check(&folder, "test", 2, &["PATH"])?;
    check(&folder, "test tests --subgroup-size 3", 2, &["--subgroup-size 3"])?;
    Ok(())
}
