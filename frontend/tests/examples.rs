//! The examples are valid, whatever later stages make of them.
#![cfg(feature = "glsl")]

use glslc2native_frontend::{GlslOptions, TargetEnv, load, validate};
use std::path::Path;

#[test]
fn examples_compile() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "comp") {
            let module = load(&path, &GlslOptions::default()).unwrap_or_else(|error| panic!("{error}"));
            validate(&module.words, TargetEnv::Vulkan1_3).unwrap();
            assert!(module.warnings.is_empty(), "{}", module.warnings);
            count += 1;
        }
    }
    println!("{count} examples");
    assert!(count >= 2);
}
