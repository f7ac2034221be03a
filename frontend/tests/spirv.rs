//! GL_EXT_spirv_intrinsics: every qualifier in both spellings, what glslang gets wrong, and errors with their places.
//!
//! The files in `spirv/` hold a source in the official spelling, the same with attributes, and what both compile to, which
//! `GLSLC2NATIVE_BLESS=1` rewrites. `docs/spirv-intrinsics.md` names the tests here.
#![cfg(feature = "glsl")]

use glslc2native_frontend::{
    CompiledGlsl, Diagnostics, Error, GlslOptions, Optimize, Stage, TargetEnv, compile_glsl, disassemble, validate,
};
use std::fs;
use std::path::{Path, PathBuf};

const HEAD: &str = "#version 460\n#extension GL_EXT_spirv_intrinsics : require\n";
const BUFFER: &str = "layout(binding = 0) buffer B { uint b[]; };\n";

fn options(name: &str) -> GlslOptions {
    GlslOptions::for_file(name)
}

fn compile(source: &str, options: &GlslOptions) -> CompiledGlsl {
    compile_glsl(source, options).unwrap_or_else(|error| panic!("{error}\n{source}"))
}

fn errors(source: &str) -> Diagnostics {
    match compile_glsl(source, &options("a.comp")) {
        Err(Error::Glsl(diagnostics)) => diagnostics,
        other => panic!("expected errors in GLSL, got {other:?} for\n{source}"),
    }
}

/// The module's instructions.
fn instructions(words: &[u32]) -> Vec<Vec<u32>> {
    let mut rest = &words[5..];
    let mut result = vec![];
    while let Some(first) = rest.first() {
        let (instruction, after) = rest.split_at((first >> 16) as usize);
        result.push(instruction.to_vec());
        rest = after;
    }
    result
}

/// The module without what depends on the spelling: the source's text, and the columns at which functions begin.
fn without_spelling(words: &[u32]) -> Vec<u32> {
    let kept = instructions(words).into_iter().filter_map(|mut instruction| {
        match instruction[0] & 0xffff {
            2 | 3 => return None,
            8 => instruction[3] = 0,
            _ => {}
        }
        Some(instruction)
    });
    words[..5].iter().copied().chain(kept.flatten()).collect()
}

/// The module as text, without debug information that says nothing about the extension.
fn text(words: &[u32]) -> String {
    let kept = instructions(words).into_iter().filter(|one| ![2, 3, 4, 7, 8, 330].contains(&(one[0] & 0xffff)));
    let words: Vec<u32> = words[..5].iter().copied().chain(kept.flatten()).collect();
    let text = disassemble(&words).unwrap_or_else(|error| error.to_string());
    let lines = text.lines().filter(|line| !line.starts_with(';')).map(str::trim_end);
    lines.map(|line| format!("{line}\n")).collect()
}

struct Row {
    path: PathBuf,
    official: String,
    brackets: String,
    printed: String,
}

fn rows() -> Vec<Row> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/spirv");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let rows = paths.into_iter().map(|path| {
        let whole = fs::read_to_string(&path).unwrap();
        let part = |name: &str| {
            let start = whole.find(&format!("// ==== {name}\n")).map(|at| at + name.len() + 9);
            let rest = &whole[start.unwrap_or(whole.len())..];
            rest[..rest.find("// ==== ").unwrap_or(rest.len())].to_string()
        };
        Row { official: part("official"), brackets: part("brackets"), printed: part("spirv"), path }
    });
    rows.collect()
}

#[test]
fn both_spellings_give_the_same_words() {
    let rows = rows();
    for row in &rows {
        let name = row.path.file_name().unwrap().to_str().unwrap();
        let words = |source: &str| without_spelling(&compile(source, &options(name)).words);
        let (official, brackets) = (words(&row.official), words(&row.brackets));
        assert!(official == brackets, "{name}: {}\n{}", text(&official), text(&brackets));
        assert!(row.brackets.contains("[[spirv::") || name.contains("reference-of"), "{name}");
        assert!(!row.official.contains("[["), "{name}");
    }
    println!("{} rows", rows.len());
    assert!(rows.len() >= 16);
}

#[test]
fn every_qualifier_prints_as_blessed() {
    let bless = std::env::var_os("GLSLC2NATIVE_BLESS").is_some_and(|value| value == "1");
    let rows = rows();
    for row in &rows {
        let name = row.path.file_name().unwrap().to_str().unwrap();
        let words = compile(&row.official, &options(name)).words;
        // Literals of sets are ids in the validator's eyes.
        if name != "literal-in-set.comp" {
            validate(&words, TargetEnv::Vulkan1_3).unwrap_or_else(|error| panic!("{name}: {error}\n{}", text(&words)));
        }
        let printed: String =
            text(&words).lines().map(|line| format!("// {line}").trim_end().to_string() + "\n").collect();
        if bless {
            let whole = fs::read_to_string(&row.path).unwrap();
            let kept = whole.split("// ==== spirv\n").next().unwrap();
            fs::write(&row.path, format!("{kept}// ==== spirv\n{printed}")).unwrap();
        } else {
            assert_eq!(row.printed, printed, "{name}: GLSLC2NATIVE_BLESS=1 accepts it");
        }
    }
    println!("{} rows", rows.len());
    assert!(rows.len() >= 16);
}

#[test]
fn every_qualifier_can_be_optimised() {
    let rows = rows();
    for row in &rows {
        let name = row.path.file_name().unwrap().to_str().unwrap();
        for optimize in [Optimize::Size, Optimize::Performance] {
            let options = GlslOptions { optimize, ..options(name) };
            if name == "literal-in-set.comp" {
                let error = compile_glsl(&row.official, &options).unwrap_err();
                assert!(error.to_string().contains("cannot optimise"), "{error}");
                continue;
            }
            let words = compile(&row.official, &options).words;
            validate(&words, TargetEnv::Vulkan1_3).unwrap_or_else(|error| panic!("{name}: {error}\n{}", text(&words)));
        }
    }
    println!("{} rows", rows.len());
}

#[test]
fn every_stage_takes_instructions() {
    let ray = "#extension GL_EXT_ray_tracing : require\n";
    let mesh = "#extension GL_EXT_mesh_shader : require\nlayout(local_size_x = 1) in;\n";
    let stages = [
        ("vert", ""),
        ("frag", ""),
        ("tesc", "layout(vertices = 3) out;\n"),
        ("tese", "layout(triangles) in;\n"),
        ("geom", "layout(points) in; layout(points, max_vertices = 1) out;\n"),
        ("comp", ""),
        ("rgen", ray),
        ("rahit", ray),
        ("rchit", ray),
        ("rmiss", ray),
        ("rint", ray),
        ("rcall", ray),
        ("task", mesh),
        ("mesh", mesh),
    ];
    for (stage, head) in stages {
        let extra = if stage == "mesh" { "layout(points, max_vertices = 1, max_primitives = 1) out;\n" } else { "" };
        let words = |prototype: &str| {
            let source = format!(
                "{HEAD}{head}{extra}{prototype} uint add_(uint a, uint b);\n{BUFFER}void main() {{ b[0] = add_(b[1], b[2]); }}\n"
            );
            let words = compile(&source, &options(&format!("a.{stage}"))).words;
            validate(&words, TargetEnv::Vulkan1_3).unwrap_or_else(|error| panic!("{stage}: {error}"));
            words
        };
        let (official, brackets) = (words("spirv_instruction(id = 128)"), words("[[spirv::instruction(id = 128)]]"));
        assert!(without_spelling(&official) == without_spelling(&brackets), "{stage}");
        assert!(text(&official).contains("OpIAdd %uint"), "{stage}");
        assert!(stage.parse::<Stage>().is_ok());
    }
    println!("{} stages", stages.len());
}

/// Compiles `source` after the usual beginning, and gives the errors' first line, column and message.
fn first_error(source: &str) -> (u32, u32, String) {
    let whole = format!("{HEAD}{source}");
    let found = errors(&whole);
    let item = &found.items[0];
    assert_eq!(item.file, "a.comp", "{found}");
    let line = whole.lines().nth(item.line as usize - 1);
    assert_eq!(item.source_line.as_deref(), line, "{found}");
    (item.line, item.column, item.message.clone())
}

/// Checks that the token under the caret, which `@` marks in `source`, is what the message that holds `what` is about.
fn error_at(source: &str, what: &str) {
    let at = source.find('@').unwrap_or_else(|| panic!("no mark in {source}"));
    let plain = source.replacen('@', "", 1);
    let before = &source[..at];
    let line = before.matches('\n').count() as u32 + 3;
    let column = before.chars().rev().take_while(|c| *c != '\n').count() as u32 + 1;
    let (found_line, found_column, message) = first_error(&plain);
    assert!(message.contains(what), "{message}\nfor {source}");
    assert_eq!((found_line, found_column), (line, column), "{message}\nfor {source}");
}

fn main_with(body: &str) -> String {
    format!("{BUFFER}void main() {{ {body} }}\n")
}

#[test]
fn crashes_of_types_are_errors() {
    let cases = [
        ("layout(constant_id = 0) const int N = 4;\n#define T spirv_type(id = 21, @N, 0)\nT x;\n", "specialization"),
        ("spirv_type(id = 21, @nothing, 0) x;\n", "undeclared identifier"),
        ("layout(constant_id = 0) const int N = 4;\nspirv_type(id = 28, float, spirv_id @N) x;\n", "cannot name it"),
        ("spirv_type(id = 21, spirv_id @nothing, 0) x;\n", "undeclared identifier"),
        ("[[spirv::type(id = 21, @nothing)]] x;\n", "undeclared identifier"),
        ("spirv_type(id = 28, float@[3], 2) x;\n", "unexpected after a type"),
        ("spirv_type(id = 21, 32, 0@ 1) x;\n", "unexpected"),
        ("@spirv_type(id = 21, 32, ) x;\n", "a parameter is missing"),
        ("@spirv_type x;\n", "needs arguments"),
        ("@spirv_type(32) x;\n", "has no `id"),
        ("void f(int W) { spirv_type(id = 21, @W, 0) x; }\n", "no constant"),
        ("const int W = 4;\nvoid f() { int W = 3; spirv_type(id = 21, @W, 0) x; }\n", "no constant"),
    ];
    for (source, what) in cases {
        let source = format!("{source}void main() {{}}\n");
        // In a macro's body the message is about the use.
        if source.contains("#define") {
            let (line, column, message) = first_error(&source.replacen('@', "", 1));
            assert!(message.contains(what) && (line, column) == (5, 1), "{line}:{column}: {message}");
        } else {
            error_at(&source.replace("0@ 1", "0 @1"), what);
        }
    }
    println!("{} cases", cases.len());
    // A constant of the same name in an inner scope is over when the scope is.
    let source = "const int W = 16;\nvoid f(int W) {}\nvoid g() { { int W = 2; } spirv_type(id = 22, W) x; }\n";
    compile(&format!("{HEAD}{source}void main() {{ f(1); g(); }}\n"), &options("a.comp"));
}

#[test]
fn requirements_may_stand_behind_the_id() {
    let source = format!(
        "{HEAD}#define H spirv_type(id = 22, capabilities = [9], 16, extensions = [\"SPV_X\"])\nH h;\n{}",
        main_with("")
    );
    let text = text(&compile(&source, &options("a.comp")).words);
    for part in ["OpCapability Float16", "OpExtension \"SPV_X\"", "OpTypeFloat 16"] {
        assert!(text.contains(part), "no {part} in {text}");
    }
}

#[test]
fn missing_and_doubled_arguments_are_errors() {
    let cases = [
        ("@spirv_instruction(set = \"X\") void f();\n", "has no `id = "),
        ("[[spirv::@instruction(set = \"X\")]] void f();\n", "has no `id = "),
        ("spirv_instruction(id = 1, @id = 2) void f();\n", "given twice"),
        ("spirv_instruction(id = 1, @opcode = 2) void f();\n", "unknown"),
        ("spirv_instruction(id = 1, @2) void f();\n", "expected set, id"),
        ("spirv_instruction(id = 1, @needs = [2]) void f();\n", "unknown requirement"),
        ("spirv_instruction(capabilities = [@Nonsense], id = 1) void f();\n", "undeclared identifier"),
        ("spirv_instruction(extensions = [@5], id = 1) void f();\n", "names in quotes"),
        ("spirv_instruction(id = @70000) void f();\n", "65535"),
        ("spirv_instruction(id = @-1) void f();\n", "not negative"),
        ("spirv_instruction(id = @1.5) void f();\n", "not negative"),
        ("spirv_instruction(id = @OpNonsense) void f();\n", "undeclared identifier"),
        ("spirv_instruction(id = 1 @/ 0) void f();\n", "has no value"),
        ("spirv_instruction(set = @3, id = 1) void f();\n", "no set has this number"),
        ("spirv_instruction(set = @1, id = 1) void f();\n[[spirv::set(1, \"X\")]]\n", "no set has this number"),
        ("spirv_instruction(id = 1) void @f() {}\n", "has no body"),
        ("@spirv_instruction(id = 1) int x;\n", "prototype"),
        ("@spirv_instruction\n", "needs arguments"),
        ("@spirv_decorate() int x;\n", "needs a number"),
        ("@spirv_decorate_id(5634) int x;\n", "needs a variable"),
        ("spirv_decorate_id(5634, @nothing) int x;\n", "undeclared identifier"),
        ("spirv_decorate_string(5635, @3) int x;\n", "expected a string"),
        ("layout(constant_id = 1) const int N = 1;\nspirv_decorate(30, @N) int x;\n", "specialization"),
        (
            "layout(constant_id = 1) const uint N = 1;\nspirv_execution_mode_id(38, 1u, @N + 1u, 1u);\n",
            "give the expression",
        ),
        ("@spirv_execution_mode_id(38);\n", "needs constants"),
        ("spirv_storage_class(4, @5) int x;\n", "one number"),
    ];
    for (source, what) in cases {
        error_at(&format!("{source}void main() {{}}\n"), what);
    }
    println!("{} cases", cases.len());
}

#[test]
fn references_need_something_that_has_an_address() {
    let prototypes = "spirv_instruction(id = 234) uint at_(spirv_by_reference uint p, uint s, uint m, uint v);\n\
                      spirv_instruction(id = 61) vec2 load_(spirv_by_reference vec2 p);\n";
    let cases = [
        "at_(@1u, 1u, 0u, 1u);",
        "at_(@b[0] + 1u, 1u, 0u, 1u);",
        "at_(@uint(b[0]), 1u, 0u, 1u);",
        "at_(@-b[0], 1u, 0u, 1u);",
        "at_(@b.length(), 1u, 0u, 1u);",
        "vec4 v = vec4(1); load_(@v.xy);",
        "vec4 v = vec4(1); load_(@v.zw);",
        // Only the words show these: an integer is converted, a name stands for a value.
        "int i = 1; @at_(i, 1u, 0u, 1u);",
    ];
    for body in cases {
        error_at(&format!("{prototypes}{}", main_with(body)), "by reference");
        let brackets = prototypes.replace("spirv_by_reference", "[[spirv::reference]]");
        error_at(&format!("{brackets}{}", main_with(body)), "by reference");
    }
    println!("{} cases", cases.len());
    let fine = "struct S { vec2 xy; uint u[2]; };\nshared S s;\n";
    let body =
        "load_(s.xy); at_((s.u[1]), 1u, 0u, 1u); vec4 v; v.x = 1.0; uvec4 w; at_(w.y, 1u, 0u, 1u); load_((s).xy);";
    compile(&format!("{HEAD}{prototypes}{fine}{}", main_with(body)), &options("a.comp"));
}

#[test]
fn out_parameters_need_references() {
    for direction in ["out", "inout"] {
        let source = format!("spirv_instruction(id = 62) void store_(@{direction} uint p, uint v);\n");
        error_at(&(source + &main_with("store_(b[0], 1u);")), "cannot write to parameter 1");
    }
    for qualifier in ["spirv_literal", "spirv_by_reference"] {
        for before in ["", "spirv_instruction(id = 128) "] {
            error_at(&format!("{before}@{qualifier} uint f(uint a, uint b);\nvoid main() {{}}\n"), "only parameters");
        }
    }
    error_at(
        "spirv_instruction(id = 1) void f(spirv_by_reference @spirv_literal int x);\nvoid main() {}\n",
        "not both",
    );
}

#[test]
fn atomics_on_parameters_by_reference_are_errors() {
    let source = "spirv_instruction(id = 234) uint at_(spirv_by_reference uint p, uint s, uint m, uint v);\n\
                  uint f(spirv_by_reference uint p) { return at_(@p, 1u, 0u, 1u); }\n";
    error_at(&format!("{source}{}", main_with("f(b[0]);")), "would act on a copy");
}

#[test]
fn decorations_that_have_no_target_are_errors() {
    let cases = [
        ("spirv_instruction(id = 128) uint f(@spirv_decorate(0) uint a, uint b);\n", "no id of its own"),
        ("spirv_instruction(id = 225) spirv_decorate(0) void @f(uint a, uint b);\n", "has no result"),
        ("int y;\nfloat f(@spirv_decorate_id(5634, y) float x) { return x; }\n", "not supported on parameters"),
    ];
    for (source, what) in cases {
        error_at(&format!("{source}void main() {{}}\n"), what);
    }
    println!("{} cases", cases.len());
}

#[test]
fn types_of_sets_are_errors() {
    error_at("spirv_type(set = @\"X\", id = 30) x;\nvoid main() {}\n", "not supported");
    error_at("spirv_type(id = @128) x;\nvoid main() {}\n", "declares no type");
    compile(&format!("{HEAD}void main() {{ spirv_type(set = \"\", id = 30) x; }}\n"), &options("a.comp"));
}

#[test]
fn instructions_that_end_blocks_or_stand_outside_are_errors() {
    let cases = [
        ("252", "OpKill"),
        ("OpReturn", "OpReturn"),
        ("249", "OpBranch"),
        ("43", "OpConstant"),
        ("54", "OpFunction"),
        ("59", "OpVariable"),
        ("245", "OpPhi"),
        ("21", "OpTypeInt"),
        ("71", "OpDecorate"),
        ("12", "OpExtInst"),
        ("17", "OpCapability"),
        ("4416", "OpTerminateInvocation"),
        ("255", "OpUnreachable"),
        ("57", "OpFunctionCall"),
    ];
    for (id, name) in cases {
        error_at(&format!("spirv_instruction(id = @{id}) void f();\nvoid main() {{}}\n"), name);
        error_at(&format!("[[spirv::instruction(id = @{id})]] void f();\nvoid main() {{}}\n"), name);
    }
    println!("{} cases", cases.len());
}

#[test]
fn results_have_to_be_taken() {
    error_at("spirv_instruction(id = 128) void @f(uint a, uint b);\nvoid main() {}\n", "OpIAdd gives a result");
    error_at(
        "[[spirv::instruction(id = OpStore)]]\nint @f([[spirv::reference]] uint a, uint b);\nvoid main() {}\n",
        "gives no result",
    );
    compile(&format!("{HEAD}spirv_instruction(id = 60000) void f();\nvoid main() {{ f(); }}\n"), &options("a.comp"));
}

#[test]
fn literals_of_sets_have_to_be_constants() {
    let source = "spirv_instruction(set = \"NonSemantic.Test\", id = 1) void f(uint a, spirv_literal uint x);\n";
    error_at(&format!("{source}{}", main_with("@f(1u, b[0]);")), "has to be a constant");
    let special = "layout(constant_id = 1) const uint N = 1;\n";
    error_at(&format!("{special}{source}{}", main_with("@f(1u, N);")), "has to be a constant");
}

#[test]
fn attributes_need_the_extension() {
    let without = "#version 460\n[[spirv::instruction(id = 128)]] int f(int a, int b);\nvoid main() {}\n";
    let found = errors(without);
    assert_eq!((found.items[0].line, found.items[0].column), (2, 3), "{found}");
    assert!(found.items[0].message.contains("#extension GL_EXT_spirv_intrinsics"), "{found}");
    let cases = [
        ("#extension GL_EXT_spirv_intrinsics : disable\n[[@spirv::set(1, \"X\")]]\n", "need `#extension"),
        ("[[spirv::@nonsense]]\n", "unknown attribute of `spirv`"),
        ("[[@other::thing]] int x;\n", "unknown attribute"),
        ("[[spirv::instruction(id = 1), @unroll]] void f();\n", "expected an attribute"),
        ("@[[spirv::instruction(id = 1)] void f();\n", "has no `]]`"),
        ("[[spirv::@instruction]] void f();\n", "needs arguments"),
        ("void f([[spirv::@literal(1)]] int x);\n", "takes no arguments"),
        ("[[spirv::@capability()]]\n", "needs arguments"),
        ("[[spirv::@set(1)]]\n", "expected a number and a name"),
    ];
    for (source, what) in cases {
        error_at(&format!("{source}void main() {{}}\n"), what);
    }
    println!("{} cases", cases.len());
}

#[test]
fn other_brackets_stay() {
    let body = "int a[3]; int c[3]; c[0] = 1; a[c[0]] = c[c[c[0]]]; [[unroll]] for (int i = 0; i < 3; i++) a[i]++; b[0] = a[1];";
    let source = format!("{HEAD}#extension GL_EXT_control_flow_attributes : require\n{}", main_with(body));
    let source = source.replace("b[0] = a[1]", "b[0] = uint(a[1])");
    assert!(text(&compile(&source, &options("a.comp")).words).contains("OpLoopMerge"));
    assert!(!errors(&format!("{HEAD}{}", main_with("int a[3]; a[[0]] = 1;"))).is_empty());
}

#[test]
fn macros_hide_nothing() {
    // Each with the same meaning as the first.
    let tail = format!("{BUFFER}void main() {{ at_(b[0], 1u, 0u, 5u); }}\n");
    let plain = "spirv_instruction(id = 234) uint at_(spirv_by_reference uint p, uint s, uint m, uint v);\n";
    let variants = [
        "#define C const\nspirv_instruction(id = 234) uint at_(C spirv_by_reference uint p, uint s, uint m, uint v);\n",
        "#define REF inout spirv_by_reference\nspirv_instruction(id = 234) uint at_(REF uint p, uint s, uint m, uint v);\n",
        "#define CAT(a, b) a ## b\nCAT(spirv_, instruction)(id = 234) uint at_(CAT(spirv_by, _reference) uint p, uint s, uint m, uint v);\n",
        "#define OPEN [[spirv::\n#define CLOSE ]]\nOPEN instruction(id = 234) CLOSE uint at_(OPEN reference CLOSE uint p, uint s, uint m, uint v);\n",
        "#define A(x) [[spirv::x]]\nA(instruction(id = 234)) uint at_(A(reference) uint p, uint s, uint m, uint v);\n",
        "#define HALF [[\n#define NS spirv\nHALF NS::instruction(id = 200 + 34)]] uint at_(HALF NS :: reference ]] uint p, uint s, uint m, uint v);\n",
        "[[ /* a */ spirv /* b\n */ ::\n // c ]]\n instruction(id = // )\n 234) ]\n] uint at_([[spirv::\\\nreference]] uint p, uint s, uint m, uint v);\n",
        "#define SPIRV 234\n#if SPIRV > 233 && defined(GL_EXT_spirv_intrinsics)\n#define F(T) spirv_instruction(id = SPIRV) T at_([[spirv::reference]] T p, T s, T m, T v);\n#endif\nF(uint)\n",
        "[[spirv::instruction(id = OpAtomicIAdd)]] uint at_(spirv_by_reference const uint p, uint s, uint m, uint v);\n",
        "spirv_instr\\\nuction(id = 234) uint at_(uint p spirv_by_reference, uint s, uint m, uint v);\n",
    ];
    let body = |words: &[u32]| {
        let lines = without_spelling(words);
        let kept = instructions(&lines).into_iter().filter(|one| one[0] & 0xffff != 8).collect::<Vec<_>>();
        kept.concat()
    };
    let expected = body(&compile(&format!("{HEAD}{plain}{tail}"), &options("a.comp")).words);
    for variant in variants {
        for source in [format!("{HEAD}{variant}{tail}"), format!("{HEAD}{variant}{tail}").replace('\n', "\r\n")] {
            let words = compile(&source, &options("a.comp")).words;
            assert!(body(&words) == expected, "{source}\n{}", text(&words));
        }
    }
    println!("{} variants", variants.len());
    let wrong = [
        ("#define spirv foo\n[[@spirv::instruction(id = 1)]] void f();\n", "unknown attribute"),
        ("#define OUT out\nspirv_instruction(id = 62) void f(@OUT uint p, uint v);\n", "cannot write"),
        ("#define K 252\nspirv_instruction(id = @K) void f();\n", "OpKill"),
        ("#define NOTHING\n@spirv_instruction(NOTHING) void f();\n", "has no `id"),
        ("#define P(x) spirv_type(id = 21, x, 0)\nP(@nothing) x;\n", "undeclared identifier"),
    ];
    for (source, what) in wrong {
        error_at(&format!("{source}void main() {{}}\n"), what);
    }
    println!("{} wrong variants", wrong.len());
}

#[test]
fn lines_and_columns_are_the_source_s() {
    let official = "spirv_instruction(id = 128) uint add_(uint a, uint b);\n";
    let brackets = "[[spirv::instruction(id = 128), spirv::capability(61)]] uint add_(uint a, uint b);\n";
    for prototype in [official, brackets] {
        let cases = [
            ("@missing = 1;", "undeclared identifier"),
            ("b[0] = @missing;", "undeclared identifier"),
            ("\tb[0] = add_(b[1], @missing);", "undeclared identifier"),
            ("b[0] = @add_(b[1]);", "no matching overloaded function"),
            ("\n\n\n  b[0] = add_(1u,\n   @missing);", "undeclared identifier"),
        ];
        for (body, what) in cases {
            error_at(&format!("{prototype}{}", main_with(body)), what);
        }
        // After macros, in their arguments, and with renumbered lines.
        error_at(&format!("{prototype}#define ID(x) x\n{}", main_with("b[0] = ID(ID(@missing));")), "undeclared");
        error_at(&format!("{prototype}#define BAD missing\n{}", main_with("b[0] = @BAD;")), "undeclared");
        error_at(
            &format!("{prototype}#define TWO(x, y) y + x\n{}", main_with("b[0] = TWO(1u,\n  @missing);")),
            "undeclared",
        );
        let source =
            format!("{HEAD}{prototype}#line 70\n{BUFFER}#line 100 \"gen.py\"\nvoid main() {{\n  missing; }}\n");
        let found = errors(&source);
        let item = &found.items[0];
        assert_eq!((item.file.as_str(), item.line, item.column), ("gen.py", 101, 3), "{found}");
        let found = errors(&format!("{HEAD}{prototype}#line 70\nint x = missing;\n"));
        assert_eq!((found.items[0].line, found.items[0].column), (70, 9), "{found}");
    }
    // Every statement keeps its line in the module.
    let source =
        format!("{HEAD}{brackets}{BUFFER}void main() {{\n  b[0] = add_(b[1],\n   b[2]);\n\n  b[3] = 1u;\n}}\n");
    let words = compile(&source, &options("a.comp")).words;
    let lines: Vec<u32> = instructions(&words).iter().filter(|one| one[0] & 0xffff == 8).map(|one| one[2]).collect();
    assert_eq!(lines, [5, 7, 6, 9, 10], "{}", text(&words));
    // The source in debug information is what was written.
    let whole = disassemble(&words).unwrap();
    assert!(whole.contains("[[spirv::instruction(id = 128), spirv::capability(61)]] uint add_"), "{whole}");
}

/// A folder of files that is removed when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, &str)]) -> Folder {
        let path = std::env::temp_dir().join(format!("glslc2native-spirv-{}-{name}", std::process::id()));
        for (file, text) in files {
            let file = path.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

#[test]
fn includes_are_checked_and_mended() {
    let add = "// in an include\n[[spirv::instruction(id = ADD)]] uint add_(uint a, uint b);\nuint twice(uint x) {\n  return add_(x, x);\n}\n";
    let folder = Folder::new(
        "includes",
        &[
            ("add.glsl", add),
            ("macros.glsl", "#define ADD 128\n#define REF [[spirv::reference]]\n"),
            ("open.glsl", "[[spirv::instruction("),
            ("bad.glsl", "\n  spirv_instruction(id = 252) void f();\n"),
            ("deep/er.glsl", "#include \"../add.glsl\"\nint missing_(int x) { return nothing; }\n"),
            ("self.glsl", "#include \"self.glsl\"\n"),
        ],
    );
    let options = GlslOptions::for_file(folder.0.join("main.comp").display().to_string());
    let body = main_with("b[0] = twice(b[1]);");
    // The main source need not use the extension itself.
    let source = format!("{HEAD}#include \"macros.glsl\"\n#include \"add.glsl\"\n{body}");
    let hidden = source.replace("GL_EXT_spirv_intrinsics", "GL_EXT_\\\nspirv_intrinsics");
    for source in [&source, &hidden] {
        let module = compile(source, &options);
        let text = disassemble(&module.words).unwrap();
        for part in ["OpIAdd", "// in an include", "macros.glsl\""] {
            assert!(text.contains(part) || part.starts_with("macros"), "no {part} in {text}");
        }
        assert_eq!(module.includes.len(), 2);
    }
    let split =
        format!("{HEAD}#include \"open.glsl\"\nid = 128)]] uint add_(uint a, uint b);\n{}", main_with("add_(1u, 2u);"));
    assert!(text(&compile(&split, &options).words).contains("OpIAdd"));
    let found = |source: String| match compile_glsl(&source, &options) {
        Err(Error::Glsl(found)) => found,
        other => panic!("{other:?}"),
    };
    let place = |found: &Diagnostics| {
        let item = &found.items[0];
        (PathBuf::from(&item.file).file_name().unwrap().to_str().unwrap().to_string(), item.line, item.column)
    };
    let bad = found(format!("{HEAD}#include \"bad.glsl\"\nvoid main() {{}}\n"));
    assert_eq!(place(&bad), ("bad.glsl".to_string(), 2, 26), "{bad}");
    let deep = found(format!("{HEAD}#define ADD 128\n#include \"deep/er.glsl\"\nvoid main() {{}}\n"));
    assert_eq!(place(&deep), ("er.glsl".to_string(), 2, 30), "{deep}");
    let endless = found(format!("{HEAD}#include \"self.glsl\"\nvoid main() {{}}\n"));
    assert!(endless.to_string().contains("nested more than 100 deep"), "{endless}");
    let missing = found(format!("{HEAD}\n #include \"absent.glsl\"\nvoid main() {{}}\n"));
    assert_eq!((place(&missing).1, place(&missing).2), (4, 11), "{missing}");
    assert!(missing.to_string().contains("cannot find it"), "{missing}");
}

#[test]
fn guards_hold_for_sources_with_the_extension() {
    let shader =
        format!("{HEAD}spirv_instruction(id = 128) uint add_(uint a, uint b);\n{}", main_with("b[0] = add_(1u, 2u);"));
    // A NUL byte.
    let found = errors(&shader.replace("1u", "1u\0"));
    assert!(found.items[0].line == 5 && found.to_string().contains("NUL"), "{found}");
    // Characters that GLSL has not, and a continuation of nothing.
    for odd in ['$', '@', '`', '\u{1}', '\u{7f}', '\u{1a}', 'é', '\u{a0}'] {
        let found = errors(&shader.replace("1u", &format!("1u, {odd}2u")));
        assert_eq!((found.items[0].line, found.items[0].column), (5, 31), "{found}");
        assert!(found.to_string().contains("no such character"), "{found}");
        compile(&format!("{shader}// {odd}\n#define ODD {odd}\n"), &options("a.comp"));
    }
    compile(&format!("{shader}\\"), &options("a.comp"));
    // What makes no token.
    let found = errors(&shader.replace("1u", "PASTE(f, (1u))").replacen(
        BUFFER,
        &format!("#define PASTE(a, b) a##b\n{BUFFER}"),
        1,
    ));
    assert_eq!((found.items[0].line, found.items[0].column), (6, 27), "{found}");
    assert!(found.to_string().contains("do not make one token"), "{found}");
    // Numbers of lines.
    for number in ["-1", "2147483648", "4294967295"] {
        let found = errors(&format!("{shader}#line {number}\nint x = missing;\n"));
        assert!(found.items[0].line == 6, "{found}");
    }
    let found = errors(&format!("{shader}#line 2147483600\nint x = missing;\n"));
    assert_eq!((found.items[0].line, found.items[0].column), (2_147_483_600, 9), "{found}");
    // No #version: lines stay.
    let plain = shader.replacen("#version 460\n", "", 1);
    assert!(text(&compile(&plain, &options("a.comp")).words).contains("OpIAdd"));
    let found = errors(&plain.replace("1u", "missing"));
    assert_eq!((found.items[0].line, found.items[0].column), (4, 27), "{found}");
    // Depth.
    for nested in ["(".repeat(60_000) + "1u" + &")".repeat(60_000), "1u".to_string() + &"+1u".repeat(60_000)] {
        assert!(errors(&shader.replace("1u", &nested)).to_string().contains("limit exceeded"));
    }
    let many = "1u".to_string() + &"+1u".repeat(15_000);
    compile(&shader.replace("1u", &many), &options("a.comp"));
    let parameter = |nested: String| format!("{HEAD}spirv_instruction(id = {nested}) void f();\nvoid main() {{}}\n");
    assert!(errors(&parameter("(".repeat(900) + "1" + &")".repeat(900))).to_string().contains("limit exceeded"));
    // Names with colons, and other encodings in comments.
    for name in ["c:/dir/a.comp", "a:7: b.comp", "a\nb.comp", "12", "quote\".comp", "back\\slash.comp"] {
        let options = GlslOptions { stage: Some(Stage::Compute), ..GlslOptions::for_file(name) };
        compile(&shader, &options);
        let Err(Error::Glsl(found)) = compile_glsl(&shader.replace("1u", "missing"), &options) else {
            panic!("{name}")
        };
        assert_eq!(
            (found.items[0].file.as_str(), found.items[0].line, found.items[0].column),
            (name, 5, 27),
            "{found}"
        );
    }
    let bytes = [b"// caf\xe9\n".as_slice(), shader.as_bytes()].concat();
    glslc2native_frontend::load_bytes("a.comp", &bytes, &GlslOptions::default()).unwrap();
    // Versions, options, macros of the command line.
    assert!(!errors(&shader.replace("460", "110")).is_empty());
    let mut with = options("a.comp");
    with.define("KIND=128").unwrap();
    assert!(text(&compile(&shader.replace("= 128", "= KIND"), &with).words).contains("OpIAdd"));
    with.define("ATTRIBUTE=[[spirv::instruction(id = 130)]]").unwrap();
    let source = shader.replace("spirv_instruction(id = 128)", "ATTRIBUTE");
    assert!(text(&compile(&source, &with).words).contains("OpISub"));
    let hidden = source.replace("#extension GL_EXT_spirv_intrinsics : require\n", "ENABLE\n");
    assert!(!errors(&hidden).is_empty());
}

#[test]
fn errors_of_the_preprocessor_are_glslang_s() {
    let cases = [
        "#define A 1\n#define A 2\n",
        "#if UNDEFINED_WORD\n#endif\n#error stop here\n",
        "#nonsense\n",
        "#extension GL_no_such_thing : require\n",
        "#define f(a a) a\n",
    ];
    for case in cases {
        let found = errors(&format!("{HEAD}{case}void main() {{}}\n"));
        assert!(found.items[0].line >= 3, "{found}");
        assert!(!found.to_string().contains("internal error"), "{found}");
    }
    println!("{} cases", cases.len());
}

#[test]
fn strings_keep_their_escapes() {
    let source = format!(
        "{HEAD}#extension GL_EXT_debug_printf : require\n#define FORMAT \"a\\\"b\\n%u\"\n{}",
        main_with("debugPrintfEXT(FORMAT, 1u); debugPrintfEXT(\"%u \\t\\\\ /* no comment\", b[0]);")
    );
    let words = compile(&source, &options("a.comp")).words;
    let text = disassemble(&words).unwrap();
    for part in ["OpString \"a\\\"b\n%u\"", "OpString \"%u \t\\\\ /* no comment\""] {
        assert!(text.contains(part), "no {part} in {text}");
    }
    let source = format!("{HEAD}spirv_decorate_string(5635, \"a\\\"b\") int x;\n{}", main_with("x = 1;"));
    assert!(disassemble(&compile(&source, &options("a.comp")).words).unwrap().contains("UserSemantic \"a\\\"b\""));
}

#[test]
fn unknown_instructions_compile() {
    let source = format!(
        "{HEAD}spirv_instruction(id = 60000) uint new_(uint a, spirv_literal int b);\n{}",
        main_with("b[0] = new_(b[1], 3);")
    );
    let words = compile(&source, &options("a.comp")).words;
    let found = instructions(&words).into_iter().find(|one| one[0] & 0xffff == 60000).unwrap();
    assert_eq!((found.len(), found[4]), (5, 3));
    let optimised = compile_glsl(&source, &GlslOptions { optimize: Optimize::Performance, ..options("a.comp") });
    assert!(matches!(&optimised, Err(Error::Options(what)) if what.contains("optimise")), "{optimised:?}");
}

#[test]
fn every_line_of_the_manual_names_a_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let manual = fs::read_to_string(root.join("docs/spirv-intrinsics.md")).unwrap();
    let mut tests = String::new();
    for file in ["frontend/tests/spirv.rs", "frontend/tests/isolation.rs", "frontend/tests/glsl.rs"] {
        tests.push_str(&fs::read_to_string(root.join(file)).unwrap());
    }
    let mut checked = 0;
    for line in manual.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| what ")) {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").collect();
        let named: Vec<&str> = cells.last().unwrap().split('`').skip(1).step_by(2).collect();
        assert!(!named.is_empty(), "no test in: {line}");
        for name in named {
            let is_row = root.join("frontend/tests/spirv").join(name).exists();
            assert!(is_row || tests.contains(&format!("fn {name}(")), "there is no test `{name}`: {line}");
        }
        checked += 1;
    }
    println!("{checked} lines");
    assert!(checked >= 40, "the tables have {checked} lines only");
}

/// Shaders below a folder of the repository.
fn shaders(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            shaders(&path, found);
        } else if path
            .extension()
            .is_some_and(|extension| ["comp", "vert", "frag"].iter().any(|known| extension == *known))
        {
            found.push(path);
        }
    }
}

#[test]
fn ordinary_sources_come_out_the_same() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut paths = vec![];
    for folder in ["examples", "testsuite/golden", "testsuite/kernels"] {
        shaders(&root.join(folder), &mut paths);
    }
    let mut compared = 0;
    for path in paths {
        let source = fs::read_to_string(&path).unwrap();
        if source.contains("spirv") || source.contains("#include") {
            continue;
        }
        let options = options(&path.display().to_string());
        let result = |source: &str| match compile_glsl(source, &options) {
            Ok(module) => Ok((without_spelling(&module.words), module.warnings, module.includes)),
            Err(error) => Err(error.to_string()),
        };
        // The word in a comment is enough to send a source the long way.
        let (direct, guarded) = (result(&source), result(&format!("{source}\n// spirv")));
        assert!(direct == guarded, "{}: {direct:?}\n{guarded:?}", path.display());
        compared += 1;
    }
    println!("{compared} sources");
    assert!(compared >= 50);
}
