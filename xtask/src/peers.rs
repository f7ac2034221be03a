//! The Vulkan drivers that `cargo xtask bench` compares with: brings them onto a machine with apt.
//!
//! lavapipe is a package. SwiftShader comes inside a browser's package, which is not installed but unpacked, and only the
//! driver is kept, in `target/peers/swiftshader`, where the bench looks for it.

use crate::process::{Outcome, failure, no_arguments, root, run};
use crate::setup;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Packages of Debian and Ubuntu: Vulkan's loader and Mesa's drivers, lavapipe among them.
const MESA: [&str; 2] = ["libvulkan1", "mesa-vulkan-drivers"];
/// Where Mesa puts the description of lavapipe.
const ICD_FOLDER: &str = "/usr/share/vulkan/icd.d";

/// The package that has SwiftShader in it, and where.
const BROWSER: &str = "chromium-common";
const LIBRARY: &str = "libvk_swiftshader.so";
const LIBRARY_FOLDER: &str = "usr/lib/chromium";

/// What the loader wants to know; the path is relative to the file.
const ICD_FILE: &str = "vk_swiftshader_icd.json";
const ICD: &str = r#"{"file_format_version": "1.0.0", "ICD": {"library_path": "./libvk_swiftshader.so", "api_version": "1.3.0"}}
"#;

/// Brings what is missing.
pub fn peers(arguments: &[String]) -> Outcome {
    no_arguments("peers", arguments)?;
    let lavapipe = fetch_lavapipe();
    // Each without the other is of use, too.
    let swiftshader = fetch_swiftshader(&root().join("target/peers/swiftshader"));
    lavapipe.and(swiftshader)
}

/// Lavapipe's manifest, where it is installed.
pub fn lavapipe() -> Option<PathBuf> {
    let files = fs::read_dir(ICD_FOLDER).into_iter().flatten().flatten();
    files.into_iter().find(|file| file.file_name().to_string_lossy().starts_with("lvp_icd.")).map(|file| file.path())
}

/// SwiftShader's manifest, where it is there.
pub fn swiftshader() -> Option<PathBuf> {
    Some(root().join("target/peers/swiftshader").join(ICD_FILE)).filter(|path| path.is_file())
}

fn fetch_lavapipe() -> Outcome {
    if lavapipe().is_none() {
        setup::install(&MESA)?;
    }
    if lavapipe().is_some() {
        eprintln!("lavapipe is in {ICD_FOLDER}");
        return Ok(());
    }
    Err(failure(format!("{} bring no lavapipe to {ICD_FOLDER}", MESA.join(" and "))))
}

fn fetch_swiftshader(folder: &Path) -> Outcome {
    let fail = |path: &Path, error: std::io::Error| failure(format!("{}: {error}", path.display()));
    let library = folder.join(LIBRARY);
    if !library.is_file() {
        let scratch = folder.with_file_name(format!("download-{}", std::process::id()));
        fs::create_dir_all(&scratch).map_err(|error| fail(&scratch, error))?;
        let unpacked = unpack(&scratch).and_then(|()| {
            fs::create_dir_all(folder).map_err(|error| fail(folder, error))?;
            let found = scratch.join(LIBRARY_FOLDER).join(LIBRARY);
            // In one step: a half copied library would be taken for a whole one.
            fs::rename(&found, &library).map_err(|error| fail(&found, error))
        });
        drop(fs::remove_dir_all(&scratch));
        unpacked.map_err(|what| {
            failure(format!(
                "SwiftShader was not unpacked from {BROWSER} ({}); where it is installed otherwise, name its ICD file: \
                 `cargo xtask bench --peer SwiftShader=…/{ICD_FILE}`",
                what.message
            ))
        })?;
    }
    let icd = folder.join(ICD_FILE);
    fs::write(&icd, ICD).map_err(|error| fail(&icd, error))?;
    eprintln!("SwiftShader is in {}", folder.display());
    Ok(())
}

/// Downloads the browser's package into a folder and unpacks it there.
fn unpack(scratch: &Path) -> Outcome {
    run(Command::new("apt-get").args(["download", BROWSER]).current_dir(scratch))?;
    let files = fs::read_dir(scratch).into_iter().flatten().flatten().map(|file| file.path());
    let package = files.into_iter().find(|path| path.extension().is_some_and(|extension| extension == "deb"));
    let package = package.ok_or_else(|| failure("apt-get left no package"))?;
    run(Command::new("dpkg-deb").arg("-x").arg(package).arg(scratch))
}
