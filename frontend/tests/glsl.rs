//! GLSL through shaderc: what the options do, and where errors point.
#![cfg(feature = "glsl")]

use glslc2native_frontend::{
    CompiledGlsl, Diagnostics, Error, GlslOptions, InputKind, Optimize, SpirvVersion, Stage, TargetEnv, Warnings,
    compile_glsl, disassemble, load, load_bytes, validate, warm_up,
};
use std::fs;
use std::path::{Path, PathBuf};

/// A folder of files that is removed when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, &str)]) -> Folder {
        let path = std::env::temp_dir().join(format!("glslc2native-frontend-{}-{name}", std::process::id()));
        for (file, text) in files {
            let file = path.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        Folder(path)
    }

    fn path(&self, file: &str) -> String {
        self.0.join(file).display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

/// A compute shader that writes `value`.
fn shader(value: &str) -> String {
    format!(
        "#version 450\nlayout(local_size_x = 8) in;\nlayout(set = 0, binding = 0) buffer B {{ int b[]; }};\n\
         void main() {{\n    b[gl_GlobalInvocationID.x] = {value};\n}}\n"
    )
}

fn compile(source: &str, options: &GlslOptions) -> CompiledGlsl {
    let module = compile_glsl(source, options).unwrap_or_else(|error| panic!("{error}"));
    validate(&module.words, options.target_env).unwrap_or_else(|error| panic!("{error}"));
    module
}

fn text(source: &str, options: &GlslOptions) -> String {
    disassemble(&compile(source, options).words).unwrap()
}

fn errors(source: &str, options: &GlslOptions) -> Diagnostics {
    match compile_glsl(source, options) {
        Err(Error::Glsl(diagnostics)) => diagnostics,
        other => panic!("expected errors in GLSL, got {other:?}"),
    }
}

#[test]
fn the_default_is_spirv_1_6_with_lines() {
    let options = GlslOptions::for_file("dir/saxpy.comp");
    let module = compile(&shader("7"), &options);
    assert_eq!(module.words[1], SpirvVersion::V1_6.word());
    assert!(module.warnings.is_empty() && module.includes.is_empty());
    let text = disassemble(&module.words).unwrap();
    for part in ["OpEntryPoint GLCompute %main \"main\"", "OpString \"dir/saxpy.comp\"", "OpLine %1 5 "] {
        assert!(text.contains(part), "no {part} in {text}");
    }
}

#[test]
fn versions_and_environments() {
    let mut count = 0;
    for env in TargetEnv::ALL {
        for version in SpirvVersion::ALL.iter().filter(|version| **version <= env.spirv_version()) {
            let options = GlslOptions { target_env: *env, spirv_version: Some(*version), ..GlslOptions::default() };
            assert_eq!(compile(&shader("1"), &options).words[1], version.word(), "{env} {version}");
            count += 1;
        }
        let options = GlslOptions { target_env: *env, ..GlslOptions::default() };
        assert_eq!(compile(&shader("1"), &options).words[1], env.spirv_version().word(), "{env}");
    }
    println!("{count} combinations");
    assert_eq!(count, 1 + 4 + 6 + 7);
}

#[test]
fn defines() {
    let mut options = GlslOptions::default();
    options.define("VALUE=40 + 2").unwrap();
    options.define("FLAG").unwrap();
    let module = text(&shader("VALUE\n#ifndef FLAG\n+ nothing\n#endif\n"), &options);
    assert!(module.contains("%int_42 = OpConstant %int 42"), "{module}");
    // The last definition of a name wins.
    options.define("VALUE=17").unwrap();
    assert!(text(&shader("VALUE"), &options).contains("OpConstant %int 17"));
    options.defines.push(("A\n#error".to_string(), None));
    assert!(matches!(compile_glsl(&shader("1"), &options), Err(Error::Options(_))));
}

#[test]
fn includes_are_found_beside_the_file_then_in_folders() {
    let folder = Folder::new(
        "includes",
        &[
            (
                "src/main.comp",
                &shader("VALUE_A + VALUE_B").replacen('\n', "\n#include \"a.glsl\"\n#include <sub/b.glsl>\n", 1),
            ),
            ("src/a.glsl", "#include \"inner/c.glsl\"\n#define VALUE_A VALUE_C\n"),
            ("src/inner/c.glsl", "#define VALUE_C 1\n"),
            ("lib/a.glsl", "#error the file beside the source comes first\n"),
            ("lib/sub/b.glsl", "\u{feff}#include \"d.glsl\"\n#define VALUE_B VALUE_D\n"),
            ("lib/sub/d.glsl", "#define VALUE_D 2\n"),
        ],
    );
    let include_dirs = vec![folder.0.join("lib")];
    let options = GlslOptions { include_dirs, ..GlslOptions::default() };
    let loaded = load(folder.path("src/main.comp"), &options).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(loaded.kind, InputKind::Glsl);
    assert!(disassemble(&loaded.words).unwrap().contains("OpConstant %int 3"));
    let names: Vec<_> = loaded.includes.iter().map(|path| path.strip_prefix(&folder.0).unwrap()).collect();
    let expected = ["src/a.glsl", "src/inner/c.glsl", "lib/sub/b.glsl", "lib/sub/d.glsl"].map(Path::new);
    assert_eq!(names, expected);

    // Angle brackets do not look beside the file.
    let source = "#version 450\n#include <a.glsl>\nvoid main() {}\n";
    let options = GlslOptions::for_file(folder.path("src/other.comp"));
    let found = errors(source, &options);
    assert!(found.items[0].message.contains("no folder to look in: pass one with -I"), "{found}");
    assert_eq!(found.items[0].line, 2);
}

#[test]
fn errors_in_includes_name_the_include() {
    let folder = Folder::new("errors", &[("bad.glsl", "\nint f() {\n    return missing;\n}\n")]);
    let options = GlslOptions::for_file(folder.path("main.comp"));
    let found = errors("#version 450\n#include \"bad.glsl\"\nvoid main() { int x = also; }\n", &options);
    let first = &found.items[0];
    assert_eq!((first.file.as_str(), first.line, first.column), (folder.path("bad.glsl").as_str(), 3, 12));
    assert_eq!(first.source_line.as_deref(), Some("    return missing;"));
    let second = found.items.iter().find(|item| item.message.contains("'also'")).unwrap();
    assert_eq!((second.file.as_str(), second.line, second.column), (options.file_name.as_str(), 3, 23));

    let found = errors("#version 450\n#include \"absent.glsl\"\nvoid main() {}\n", &options);
    assert!(found.to_string().contains("cannot find it"), "{found}");
    // A folder is no file, and neither is a device that never ends.
    for name in [".", "/dev/zero"] {
        let found = errors(&format!("#version 450\n#include \"{name}\"\nvoid main() {{}}\n"), &options);
        assert!(!found.is_empty());
    }
}

#[test]
fn includes_end() {
    let folder = Folder::new(
        "endless",
        &[
            ("self.glsl", "#include \"self.glsl\"\n"),
            ("a.glsl", "#include \"b.glsl\"\n#include \"b.glsl\"\n"),
            ("b.glsl", "#include \"a.glsl\"\n#include \"a.glsl\"\n"),
        ],
    );
    let options = GlslOptions::for_file(folder.path("main.comp"));
    let found = errors("#version 450\n#include \"self.glsl\"\nvoid main() {}\n", &options);
    assert!(found.to_string().contains("nested more than 100 deep"), "{found}");
    // Two files that include each other twice would be 2^100 includes.
    assert!(!errors("#version 450\n#include \"a.glsl\"\nvoid main() {}\n", &options).is_empty());
}

#[test]
fn the_stage_comes_from_option_pragma_or_extension() {
    let plain = "#version 450\nvoid main() {}\n";
    let pragma = "#version 450\n#pragma shader_stage(fragment)\nvoid main() {}\n";
    let model = |source: &str, file: &str, stage: Option<Stage>| {
        let options = GlslOptions { stage, ..GlslOptions::for_file(file) };
        let text = text(source, &options);
        let line = text.lines().find(|line| line.contains("OpEntryPoint")).unwrap().to_string();
        line.split_whitespace().nth(1).unwrap().to_string()
    };
    assert_eq!(model(plain, "a.vert", None), "Vertex");
    assert_eq!(model(plain, "a.comp.glsl", None), "GLCompute");
    assert_eq!(model(pragma, "a.glsl", None), "Fragment");
    assert_eq!(model(pragma, "a.vert", None), "Fragment");
    assert_eq!(model(pragma, "a.vert", Some(Stage::Compute)), "GLCompute");
    let error = compile_glsl(plain, &GlslOptions::for_file("a.glsl")).unwrap_err().to_string();
    assert!(error.contains("a.glsl") && error.contains("shader_stage"), "{error}");
    let found = errors("#version 450\n#pragma shader_stage(nonsense)\nvoid main() {}\n", &GlslOptions::for_file("a.x"));
    assert_eq!(found.items[0].line, 2, "{found}");
}

#[test]
fn errors_have_line_column_and_source() {
    let found = errors(&shader("x + b[1]"), &GlslOptions::for_file("dir/bad.comp"));
    let expected = "dir/bad.comp:5:34: error: 'x' : undeclared identifier\n\
                    \x20   b[gl_GlobalInvocationID.x] = x + b[1];\n";
    let rendered = found.to_string();
    assert!(rendered.starts_with(expected), "{rendered}");
    assert!(rendered.ends_with("generated."), "{rendered}");

    let found = errors("#version 450\nvoid main() {\n\tint unused = 1\n}\n", &GlslOptions::default());
    assert_eq!(found.items[0].line, 4, "{found}");
    assert!(found.items[0].message.contains("syntax error"), "{found}");
}

#[test]
fn names_with_colons_are_kept() {
    for name in ["c:/dir/a.comp", "a:7: b.comp", "a\nb.comp", "12", ""] {
        let options = GlslOptions { stage: Some(Stage::Compute), ..GlslOptions::for_file(name) };
        let found = errors(&shader("missing"), &options);
        let item = &found.items[0];
        assert_eq!((item.file.as_str(), item.line, item.column), (name, 5, 34), "{found}");
        compile(&shader("1"), &options);
    }
}

#[test]
fn a_source_without_version_keeps_its_lines() {
    let source = shader("1");
    let source = source.strip_prefix("#version 450\n").unwrap();
    assert!(text(source, &GlslOptions::default()).contains("OpSource GLSL 450"));
    let found = errors(&source.replace("= 1", "= missing"), &GlslOptions::default());
    assert_eq!((found.items[0].line, found.items[0].column), (4, 34), "{found}");
}

#[test]
fn versions_that_glslang_cannot_translate_are_refused() {
    for version in ["110", "100", "300 es", "450 es", "nonsense", "140"] {
        let found = errors(&format!("#version {version}\nvoid main() {{}}\n"), &GlslOptions::default());
        assert_eq!((found.items[0].line, found.items[0].column), (1, 2), "{found}");
    }
}

#[test]
fn nul_bytes_are_errors() {
    let found = errors(&shader("1 \0"), &GlslOptions::default());
    assert_eq!((found.items[0].line, found.items[0].column), (5, 36), "{found}");
    for options in [
        GlslOptions::for_file("a\0.comp"),
        GlslOptions { entry: "a\0".to_string(), ..GlslOptions::default() },
        GlslOptions { defines: vec![("A".to_string(), Some("\0".to_string()))], ..GlslOptions::default() },
    ] {
        assert!(matches!(compile_glsl(&shader("1"), &options), Err(Error::Options(_))));
    }
}

#[test]
fn warnings_are_reported_suppressed_or_errors() {
    let source = "#version 400\nlayout(location = 0) attribute float x;\nvoid main() {}\n";
    let with = |warnings| GlslOptions { warnings, ..GlslOptions::for_file("a.vert") };
    let module = compile_glsl(source, &with(Warnings::Report)).unwrap();
    assert!(module.warnings.to_string().ends_with("1 warning generated."), "{}", module.warnings);
    assert_eq!(module.warnings.items[0].line, 2);
    assert!(compile_glsl(source, &with(Warnings::Suppress)).unwrap().warnings.is_empty());
    errors(source, &with(Warnings::Error));
}

#[test]
fn optimisation_keeps_lines() {
    let source =
        shader("int(gl_LocalInvocationIndex) * 1 + 0").replace("void main", "int unused() { return 3; }\nvoid main");
    let words = |optimize| compile(&source, &GlslOptions { optimize, ..GlslOptions::default() }).words;
    let plain = words(Optimize::None);
    for level in [Optimize::Size, Optimize::Performance] {
        let optimised = words(level);
        assert!(optimised.len() < plain.len(), "{level:?}: {} and {}", optimised.len(), plain.len());
        assert!(disassemble(&optimised).unwrap().contains("OpLine"));
    }
}

#[test]
fn other_encodings_pass_in_comments() {
    let source = [b"// caf\xe9\n".as_slice(), shader("1").as_bytes()].concat();
    load_bytes("a.comp", &source, &GlslOptions::default()).unwrap();
}

#[test]
fn deep_sources_are_errors_or_modules() {
    let body = |statements: String| shader("1").replace("    b[gl", &format!("int a = b[0]; {statements}\n    b[gl"));
    let cases = [
        ("sum", body(format!("a = a{};", "+a".repeat(19_000))), true),
        ("longer sum", body(format!("a = a{};", "+a".repeat(60_000))), false),
        ("brackets", body(format!("a = {}a{};", "(".repeat(900), ")".repeat(900))), true),
        ("more brackets", body(format!("a = {}a{};", "(".repeat(60_000), ")".repeat(60_000))), false),
        ("commas", body(format!("(a{});", ",a".repeat(200_000))), false),
        ("signs", body(format!("a = {}a;", "- ".repeat(19_000))), false),
        ("blocks", body(format!("{}{}", "{".repeat(60_000), "}".repeat(60_000))), false),
        ("else", body(format!("{} {{}}", "if (a > 0) {} else ".repeat(15_000))), false),
        ("macros", body("a = A39;".to_string()).replacen('\n', &macro_bomb(40), 1), false),
        ("conditions", format!("#version 450\n#if {}1\n#endif\nvoid main() {{}}\n", "- ".repeat(60_000)), false),
    ];
    println!("{} sources", cases.len());
    for (name, source, compiles) in cases {
        let result = compile_glsl(&source, &GlslOptions::default());
        assert_eq!(result.is_ok(), compiles, "{name}: {result:?}");
        assert!(matches!(result, Ok(_) | Err(Error::Glsl(_))), "{name}: {result:?}");
    }
}

/// Macros that double `levels` times.
fn macro_bomb(levels: u32) -> String {
    let doubled = |level: u32| format!("#define A{level} A{0} + A{0}\n", level - 1);
    format!("\n#define A0 a\n{}", (1..levels).map(doubled).collect::<String>())
}

#[test]
fn long_sources_stay_modules() {
    // The source is part of the debug information, and an instruction has at most 65,535 words.
    let source = shader("1") + &"// 0123456789 0123456789 0123456789 0123456789\n".repeat(20_000);
    let words = compile(&source, &GlslOptions::default()).words;
    assert!(words.len() > 200_000);
    glslc2native_frontend::check_words(&words).unwrap();
}

#[test]
fn threads_compile_at_once() {
    warm_up();
    warm_up();
    let module = compile(&shader("5"), &GlslOptions::default());
    let expected = errors(&shader("missing"), &GlslOptions::default());
    std::thread::scope(|scope| {
        let one = || {
            for _ in 0..20 {
                assert_eq!(compile_glsl(&shader("5"), &GlslOptions::default()).unwrap(), module);
                assert_eq!(errors(&shader("missing"), &GlslOptions::default()), expected);
            }
        };
        let threads = [scope.spawn(one), scope.spawn(one), scope.spawn(one)];
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
}

#[test]
fn files_that_are_not_there() {
    let error = load("no/such/file.comp", &GlslOptions::default()).unwrap_err();
    assert!(matches!(&error, Error::Io { path, .. } if path == Path::new("no/such/file.comp")), "{error}");
    assert!(error.to_string().starts_with("no/such/file.comp: "), "{error}");
}
