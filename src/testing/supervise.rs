//! Tests in a process of their own, so that one that crashes or never ends takes only that process down.
//!
//! The supervisor writes a test's name as a line to the worker, and reads a line with its outcome. A worker that ends, or is silent
//! for too long, has failed the test that it was asked for; the next test gets a new worker.

use super::{FailureKind, Outcome};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

/// Runs tests in other processes.
pub struct Supervisor {
    command: Box<dyn Fn() -> Command>,
    timeout: Duration,
    worker: Option<Worker>,
}

struct Worker {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It has ended, or it must: nobody asks it for anything any more.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Line that carries an outcome, among what else a test may print.
const MARK: &str = "\u{1}outcome\t";

impl Supervisor {
    /// `command` starts a process that calls [`serve`]; a test may take `timeout`.
    pub fn new(command: impl Fn() -> Command + 'static, timeout: Duration) -> Supervisor {
        Supervisor { command: Box::new(command), timeout, worker: None }
    }

    /// Has a test run.
    ///
    /// # Errors
    ///
    /// A process that cannot be started.
    pub fn run(&mut self, test: &str) -> Result<Outcome, String> {
        let mut worker = match self.worker.take() {
            Some(worker) => worker,
            None => self.start()?,
        };
        let asked = writeln!(worker.input, "{}", escape(test)).and_then(|()| worker.input.flush());
        let failed = |kind, message: String| Ok(Outcome::Failed { kind, message });
        let line = match asked {
            Ok(()) => worker.lines.recv_timeout(self.timeout),
            Err(_) => Err(RecvTimeoutError::Disconnected),
        };
        match line {
            Ok(line) => {
                self.worker = Some(worker);
                match decode(&line) {
                    Some(outcome) => Ok(outcome),
                    None => failed(FailureKind::Crash, format!("the worker says `{line}`")),
                }
            }
            Err(RecvTimeoutError::Timeout) => {
                failed(FailureKind::Timeout, format!("takes more than {} s", self.timeout.as_secs()))
            }
            Err(RecvTimeoutError::Disconnected) => {
                let status = worker.child.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
                failed(FailureKind::Crash, format!("the process ended: {status}"))
            }
        }
    }

    fn start(&self) -> Result<Worker, String> {
        let mut command = (self.command)();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| format!("{command:?}: {error}"))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("the worker has no standard input or output".into());
        };
        let (send, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if let Some(line) = line.strip_prefix(MARK)
                    && send.send(line.to_string()).is_err()
                {
                    return;
                }
            }
        });
        Ok(Worker { child, input, lines })
    }
}

/// What a worker does: runs the tests that are named on standard input, and says on standard output what came of them.
pub fn serve(run: impl Fn(&str) -> Outcome) {
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let outcome = run(&unescape(&line));
        let mut out = std::io::stdout().lock();
        if writeln!(out, "{MARK}{}", encode(&outcome)).and_then(|()| out.flush()).is_err() {
            return;
        }
    }
}

fn encode(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Passed { checks } => format!("passed\t{checks}"),
        Outcome::Skipped { reason } => format!("skipped\t{}", escape(reason)),
        Outcome::Failed { kind, message } => format!("failed\t{}\t{}", kind.name(), escape(message)),
    }
}

fn decode(line: &str) -> Option<Outcome> {
    let (word, rest) = line.split_once('\t')?;
    match word {
        "passed" => Some(Outcome::Passed { checks: rest.parse().ok()? }),
        "skipped" => Some(Outcome::Skipped { reason: unescape(rest) }),
        "failed" => {
            let (kind, message) = rest.split_once('\t')?;
            Some(Outcome::Failed { kind: FailureKind::from_name(kind)?, message: unescape(message) })
        }
        _ => None,
    }
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r")
}

fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, c == '\\') {
            (_, true) => match chars.next() {
                Some('n') => out.push('\n'),
                Some('r') => out.push('\r'),
                Some(other) => out.push(other),
                None => {}
            },
            (c, false) => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_survive_the_way() {
        let message = "line 1:\n\ta \\n b\r\n".to_string();
        for outcome in [
            Outcome::Passed { checks: 12 },
            Outcome::Skipped { reason: message.clone() },
            Outcome::Failed { kind: FailureKind::Values, message },
        ] {
            let line = encode(&outcome);
            assert!(!line.contains('\n'));
            assert_eq!(decode(&line), Some(outcome));
        }
        assert_eq!(decode("failed\tnonsense\tx"), None);
    }

    /// A shell stands for the worker.
    fn shell(script: &'static str) -> Supervisor {
        let command = move || {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            command
        };
        Supervisor::new(command, Duration::from_millis(1500))
    }

    #[test]
    #[cfg(unix)]
    fn a_worker_that_crashes_or_hangs_fails_one_test() -> Result<(), String> {
        let mut supervisor = shell(
            r#"while read name; do case $name in
                crash) kill -SEGV $$;;
                hang) exec sleep 60;;
                *) echo noise; printf '\001outcome\tpassed\t3\n';;
            esac; done"#,
        );
        let passed = Outcome::Passed { checks: 3 };
        assert_eq!(supervisor.run("good")?, passed);
        assert!(matches!(supervisor.run("crash")?, Outcome::Failed { kind: FailureKind::Crash, .. }));
        assert_eq!(supervisor.run("good")?, passed);
        assert!(matches!(supervisor.run("hang")?, Outcome::Failed { kind: FailureKind::Timeout, .. }));
        assert_eq!(supervisor.run("good")?, passed);
        Ok(())
    }
}
