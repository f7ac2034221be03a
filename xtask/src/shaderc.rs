//! Keeps shaderc's static library once per machine.
//!
//! shaderc takes ten minutes to build. Its build script uses a library that it finds in `SHADERC_LIB_DIR`, which
//! `.cargo/config.toml` sets to `target/shaderc-lib`, and builds from source where that folder has none. So the library
//! is linked there from the user's cache before a build, and put into the cache after a build from source.

use crate::process::{self, Outcome, failure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const LIBRARY: &str = "libshaderc_combined.a";

/// The user's cache, by the XDG base directory specification.
fn user_cache() -> Option<PathBuf> {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))
}

/// Version of the crate that builds shaderc, as `Cargo.lock` pins it.
fn crate_version(lock: &str) -> Option<&str> {
    let (_, rest) = lock.split_once("name = \"shaderc-sys\"\n")?;
    rest.lines().next()?.strip_prefix("version = \"")?.strip_suffix('"')
}

/// The target that cargo builds for.
fn target_triple() -> Outcome<String> {
    if let Ok(target) = std::env::var("CARGO_BUILD_TARGET") {
        return Ok(target);
    }
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let text = process::output(Command::new(rustc).arg("-vV").current_dir(process::root()))?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_string).ok_or_else(|| failure("`rustc -vV` names no host"))
}

/// Where this machine keeps the library for this version and target.
fn cached() -> Outcome<Option<PathBuf>> {
    let Some(cache) = user_cache() else { return Ok(None) };
    let lock = process::root().join("Cargo.lock");
    let lock = fs::read_to_string(&lock).map_err(|error| failure(format!("{}: {error}", lock.display())))?;
    let version = crate_version(&lock).ok_or_else(|| failure("Cargo.lock names no version of shaderc-sys"))?;
    let folder = format!("shaderc-{version}-{}", target_triple()?);
    Ok(Some(cache.join("glslc2native").join(folder).join(LIBRARY)))
}

/// Where the build looks for the library; `None` where the user's environment says where, so that it is theirs to fill.
fn in_checkout() -> Option<PathBuf> {
    let ours = process::root().join("target").join("shaderc-lib");
    let chosen = std::env::var_os("SHADERC_LIB_DIR").map(PathBuf::from);
    // Under `cargo xtask` the variable is set by `.cargo/config.toml`, to our folder.
    let is_ours = chosen.is_none_or(|path| path.ends_with("target/shaderc-lib"));
    is_ours.then(|| ours.join(LIBRARY))
}

/// A whole library, not the rest of a copy that was cut short.
fn is_library(path: &Path) -> bool {
    let is_archive = || {
        use std::io::Read;
        let mut start = [0u8; 8];
        fs::File::open(path)?.read_exact(&mut start)?;
        Ok::<bool, std::io::Error>(&start == b"!<arch>\n")
    };
    is_archive().unwrap_or(false)
}

/// How a file gets to a second place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Placement {
    /// By a hard link, where the file system can; for files that nobody writes to.
    Link,
    /// By a copy; for what a build may overwrite.
    Copy,
}

/// Puts `from` at `to`, in one step that others never see half done.
fn place(from: &Path, to: &Path, by: Placement) -> Outcome {
    let fail = |error: std::io::Error| failure(format!("cannot put shaderc's library at {}: {error}", to.display()));
    fs::create_dir_all(to.parent().unwrap_or(to)).map_err(fail)?;
    let temporary = to.with_extension(format!("tmp{}", std::process::id()));
    let linked = by == Placement::Link && fs::hard_link(from, &temporary).is_ok();
    let copied = if linked { Ok(()) } else { fs::copy(from, &temporary).map(drop) };
    let result = copied.and_then(|()| fs::rename(&temporary, to));
    // Also where it succeeded: renaming one link of a file over another leaves both.
    drop(fs::remove_file(&temporary));
    result.map_err(fail)
}

/// A library that a build from source left in the target folder.
fn built() -> Option<PathBuf> {
    let folders = |path: &Path| fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    let profiles =
        || folders(&process::target_dir()).flat_map(move |path| [path.clone()].into_iter().chain(folders(&path)));
    let builds = profiles().flat_map(|profile| folders(&profile.join("build")).collect::<Vec<_>>());
    let of_shaderc =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("shaderc-sys-"));
    // Cargo writes the file `output` when a build script has succeeded: before that the library may be half copied.
    let done = builds.filter(of_shaderc).filter(|path| path.join("output").is_file());
    done.map(|path| path.join("out/lib").join(LIBRARY)).find(|path| is_library(path))
}

/// Whether a build will find shaderc's library, so that nothing is needed to build it.
pub fn is_ready() -> bool {
    in_checkout().is_none_or(|path| is_library(&path)) || built().is_some()
}

/// Links the library from the cache into the checkout, where the cache has it and the checkout does not.
pub fn fetch() -> Outcome {
    let (Some(here), Some(cached)) = (in_checkout(), cached()?) else { return Ok(()) };
    if !is_library(&here) && is_library(&cached) {
        place(&cached, &here, Placement::Link)?;
        eprintln!("shaderc's library comes from {}", cached.display());
    }
    Ok(())
}

/// Puts a library that was built from source into the cache and, for a build with another profile, into the checkout.
/// The build has succeeded by then, so that a cache that cannot be written is no failure.
pub fn store() {
    let (Some(built), Some(here)) = (built(), in_checkout()) else { return };
    let places = [Some(here), cached().ok().flatten()];
    for path in places.into_iter().flatten().filter(|path| !is_library(path)) {
        match place(&built, &path, Placement::Copy) {
            Ok(()) => eprintln!("shaderc's library is kept at {}", path.display()),
            Err(failure) => eprintln!("warning: {}", failure.message),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lock_file_names_the_version() {
        let lock = "[[package]]\nname = \"shaderc\"\nversion = \"1.2.3\"\n\n[[package]]\nname = \"shaderc-sys\"\nversion = \"0.10.1\"\n";
        assert_eq!(crate_version(lock), Some("0.10.1"));
        assert_eq!(crate_version("name = \"shaderc\"\n"), None);
        let real = fs::read_to_string(process::root().join("Cargo.lock")).unwrap();
        assert!(crate_version(&real).is_some());
    }

    #[test]
    fn libraries_are_placed_whole() {
        let folder = std::env::temp_dir().join(format!("glslc2native-xtask-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let (from, to) = (folder.join("from.a"), folder.join("deep/er/to.a"));
        fs::write(&from, b"!<arch>\nrest").unwrap();
        assert!(is_library(&from) && !is_library(&to));
        for by in [Placement::Link, Placement::Link, Placement::Copy] {
            place(&from, &to, by).unwrap();
        }
        assert!(is_library(&to));
        fs::write(folder.join("cut.a"), b"!<ar").unwrap();
        assert!(!is_library(&folder.join("cut.a")));
        assert_eq!(fs::read_dir(to.parent().unwrap()).unwrap().count(), 1);
        fs::remove_dir_all(&folder).unwrap();
    }
}
