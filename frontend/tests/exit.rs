//! A process may end while the compiler is still being prepared.
#![cfg(feature = "glsl")]

use std::process::Command;
use std::time::Duration;

const DELAY: &str = "GLSLC2NATIVE_TEST_DELAY";

/// Does nothing but in the processes that the other test starts.
#[test]
fn child() {
    if let Ok(delay) = std::env::var(DELAY) {
        glslc2native_frontend::warm_up();
        std::thread::sleep(Duration::from_millis(delay.parse().unwrap()));
        std::process::exit(0);
    }
}

#[test]
fn processes_end_well_at_any_time() {
    let delays = (0..80).step_by(4);
    println!("{} processes", delays.len());
    for delay in delays {
        let mut child = Command::new(std::env::current_exe().unwrap());
        let status = child.args(["--exact", "child"]).env(DELAY, delay.to_string()).output().unwrap().status;
        assert!(status.success(), "after {delay} ms: {status}");
    }
}
