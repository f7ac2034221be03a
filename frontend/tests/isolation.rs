//! Compiling GLSL in a child process, and what becomes of a child that crashes, hangs or talks nonsense.
//!
//! This program has no test harness: it is its own child, as an embedding program may be.

use glslc2native_frontend::{
    CHILD_ARGUMENT, ChildCompiler, Error, GlslOptions, Isolation, Optimize, compile_glsl, serve_child,
};
use std::io::{Read, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

const SHADER: &str = "#version 450
#include \"part.glsl\"
layout(binding = 0) buffer B { int b[]; };
void main() { b[0] = VALUE + part(2); }
";
const SPIRV: &str = "#version 450
#extension GL_EXT_spirv_intrinsics : require
[[spirv::instruction(id = 128)]] int add_(int a, int b);
layout(binding = 0) buffer B { int b[]; };
void main() { b[0] = add_(b[1], VALUE); }
";
/// Compiles, but nothing proves that before glslang has it.
const DOUBTFUL: &str = "#version 450
#extension GL_EXT_spirv_intrinsics : require
spirv_execution_mode_id(38, uint(max(1.0, 2.0)), 1u, 1u);
void main() {}
";

/// What the child does. Each name is an argument before the one that makes it a child.
fn misbehave(how: &str) -> ExitCode {
    let mut request = vec![];
    drop(std::io::stdin().read_to_end(&mut request));
    match how {
        "abort" => std::process::abort(),
        "hang" => std::thread::sleep(Duration::from_secs(600)),
        "fail" => return ExitCode::from(3),
        "babble" => drop(std::io::stdout().write_all(&[7; 100_000])),
        "segfault" => {
            // Crashes glslang: a parameter of a type that is no constant.
            let source = "#version 450\n#extension GL_EXT_spirv_intrinsics : require\n\
                          layout(constant_id = 0) const int N = 4;\nspirv_type(id = 21, N, 0) x;\nvoid main() {}\n";
            let compiler = shaderc::Compiler::new().unwrap();
            drop(compiler.compile_into_spirv(source, shaderc::ShaderKind::Compute, "a", "main", None));
        }
        _ => {}
    }
    ExitCode::SUCCESS
}

fn with_child(arguments: &[&str], isolation: Isolation) -> GlslOptions {
    let mut child = ChildCompiler::new(std::env::current_exe().unwrap());
    child.arguments = arguments.iter().map(|argument| argument.to_string()).collect();
    let defines = vec![("VALUE".to_string(), Some("40".to_string()))];
    GlslOptions { isolation, child: Some(child), defines, ..GlslOptions::default() }
}

fn a_child_gives_the_same() {
    let folder = std::env::temp_dir().join(format!("glslc2native-isolation-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("part.glsl"), "int part(int x) { return x; }\n").unwrap();
    let mut compared = 0;
    for source in [SHADER, SPIRV] {
        for optimize in [Optimize::None, Optimize::Performance] {
            for text in [source.to_string(), source.replace("VALUE", "missing")] {
                let run = |isolation| {
                    let options = with_child(&[], isolation);
                    let options = GlslOptions { include_dirs: vec![folder.clone()], optimize, ..options };
                    compile_glsl(&text, &options).map_err(|error| error.to_string())
                };
                assert_eq!(run(Isolation::Always), run(Isolation::InProcess), "{text}");
                compared += 1;
            }
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
    println!("  {compared} compared");
}

fn a_child_that_crashes_is_an_error() {
    for (how, what) in
        [("abort", "SIGABRT"), ("segfault", "SIGSEGV"), ("fail", "without an answer"), ("babble", "without an answer")]
    {
        for source in [SPIRV, &SHADER.replace("#include \"part.glsl\"", "int part(int x) { return x; }")] {
            let error = compile_glsl(source, &with_child(&[how], Isolation::Always)).unwrap_err();
            assert!(matches!(&error, Error::Crashed { how, .. } if how.contains(what)), "{how}: {error}");
        }
    }
}

fn a_child_that_hangs_is_killed() {
    let mut options = with_child(&["hang"], Isolation::Always);
    if let Some(child) = &mut options.child {
        child.timeout = Duration::from_millis(300);
    }
    let start = Instant::now();
    let error = compile_glsl("#version 450\nvoid main() {}\n", &options).unwrap_err();
    assert!(matches!(&error, Error::Crashed { how, .. } if how.contains("killed")), "{error}");
    assert!(start.elapsed() < Duration::from_secs(60));
}

fn a_child_that_is_killed_is_an_error() {
    // Killed from outside while it compiles.
    let options = with_child(&["hang"], Isolation::Always);
    let parent = std::process::id();
    let compile = std::thread::spawn(move || compile_glsl("#version 450\nvoid main() {}\n", &options));
    let start = Instant::now();
    while !compile.is_finished() && start.elapsed() < Duration::from_secs(50) {
        std::thread::sleep(Duration::from_millis(50));
        for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
            let status = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
            let after_name = status.rsplit(") ").next().unwrap_or("");
            let child_of = after_name.split(' ').nth(1).and_then(|parent| parent.parse::<u32>().ok());
            let arguments = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            if child_of == Some(parent) && String::from_utf8_lossy(&arguments).contains(CHILD_ARGUMENT) {
                let id = entry.file_name();
                drop(std::process::Command::new("kill").arg("-9").arg(id).status());
            }
        }
    }
    let error = compile.join().unwrap().unwrap_err();
    assert!(matches!(&error, Error::Crashed { how, .. } if how.contains("SIGKILL")), "{error}");
}

fn doubtful_sources_need_a_child() {
    assert!(compile_glsl(DOUBTFUL, &with_child(&[], Isolation::WhenDoubtful)).is_ok());
    assert!(compile_glsl(DOUBTFUL, &with_child(&[], Isolation::InProcess)).is_ok());
    // It is the child that compiles them, and it does not compile others.
    let error = compile_glsl(DOUBTFUL, &with_child(&["abort"], Isolation::WhenDoubtful)).unwrap_err();
    assert!(matches!(error, Error::Crashed { .. }), "{error}");
    assert!(compile_glsl(SPIRV, &with_child(&["abort"], Isolation::WhenDoubtful)).is_ok());
    // Without one, they are errors that say where and why.
    let error = compile_glsl(DOUBTFUL, &GlslOptions::default()).unwrap_err().to_string();
    assert!(error.contains("shader.comp:3:29: error: limit exceeded") && error.contains("child process"), "{error}");
    let options = GlslOptions { isolation: Isolation::Always, ..GlslOptions::default() };
    assert!(matches!(compile_glsl(SPIRV, &options), Err(Error::Options(_))));
    let mut options = with_child(&[], Isolation::Always);
    options.child = Some(ChildCompiler::new("/no/such/compiler"));
    let error = compile_glsl(SPIRV, &options).unwrap_err().to_string();
    assert!(error.contains("/no/such/compiler"), "{error}");
}

/// Each crashes the glslang that this crate is built with, or has crashed it.
const CRASHES: &[(&str, u32, &str)] = &[
    ("#version 450\n#pragma STDGL\nvoid main() {}\n", 2, "expected `#pragma"),
    ("#version 450\n#pragma STDGL invariant(\nvoid main() {}\n", 2, "expected `#pragma"),
    (
        "#version 450\n#extension GL_EXT_debug_printf : require\nvoid main() {\n \"o\" + \"k\"; }\n",
        4,
        "a string is an argument",
    ),
    (
        "#version 450\n#extension GL_EXT_debug_printf : require\n#define S \"o\"\nvoid main() { true ? S : S; }\n",
        4,
        "a string is an argument",
    ),
    (
        "#version 460\n#extension GL_EXT_null_initializer : enable\nvoid main() {\n int a[1][3] = { {} }; }\n",
        4,
        "empty list",
    ),
];

fn crashes_are_foreseen() {
    for (source, line, why) in CRASHES {
        let error = compile_glsl(source, &GlslOptions::default()).unwrap_err().to_string();
        assert!(error.starts_with(&format!("shader.comp:{line}:")) && error.contains(why), "{error}");
        // In a child they are whatever they are, and this process goes on.
        match compile_glsl(source, &with_child(&[], Isolation::WhenDoubtful)) {
            Ok(_) | Err(Error::Glsl(_) | Error::Crashed { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
    println!("  {} sources", CRASHES.len());
    let fine = "#version 450\n#extension GL_EXT_debug_printf : require\n#pragma STDGL invariant(all)\n\
                void main() { debugPrintfEXT(\"%d\\n\", 1); }\n";
    assert!(compile_glsl(fine, &GlslOptions::default()).is_ok());
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    if arguments.last().is_some_and(|last| last == CHILD_ARGUMENT) {
        return match arguments.get(arguments.len() - 2).filter(|_| arguments.len() > 2) {
            Some(how) => misbehave(how),
            None => serve_child(),
        };
    }
    let tests: &[(&str, fn())] = &[
        ("a_child_gives_the_same", a_child_gives_the_same),
        ("a_child_that_crashes_is_an_error", a_child_that_crashes_is_an_error),
        ("a_child_that_hangs_is_killed", a_child_that_hangs_is_killed),
        ("a_child_that_is_killed_is_an_error", a_child_that_is_killed_is_an_error),
        ("doubtful_sources_need_a_child", doubtful_sources_need_a_child),
        ("crashes_are_foreseen", crashes_are_foreseen),
    ];
    let filters: Vec<&String> = arguments.iter().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    for (name, test) in tests {
        if filters.is_empty() || filters.iter().any(|filter| name.contains(filter.as_str())) {
            test();
            println!("test {name} ... ok");
        }
    }
    println!("{} tests", tests.len());
    ExitCode::SUCCESS
}
