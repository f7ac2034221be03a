//! What was measured, as Markdown.
//!
//! The tables stand in `docs/benchmarks.md` between two comments; what people wrote around them is kept.

use super::measure::Measured;
use super::work::Work;
use std::fmt::Write;
use std::process::Command;
use std::time::Duration;

/// Before the generated part of a document.
pub const BEGIN: &str = "<!-- bench: begin -->";
/// Behind it.
pub const END: &str = "<!-- bench: end -->";

/// A kernel and what was measured of it, by engine.
pub type Row = (&'static Work, Vec<Measured>);

/// The machine and the day, as far as Linux tells.
pub struct Machine {
    processor: String,
    cpus: usize,
    system: String,
    date: String,
    commit: String,
    load: String,
}

/// The first line that a program prints, or nothing.
fn line_of(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    text.lines().next().unwrap_or_default().trim().to_string()
}

/// The value behind `key` in a file of lines such as `key: value` or `key="value"`.
fn value_in(path: &str, key: &str) -> String {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(key));
    let value = line.map(|rest| rest.trim_matches(|c: char| c.is_whitespace() || matches!(c, ':' | '=' | '"')));
    value.unwrap_or("unknown").to_string()
}

/// How many processes wanted to run in the last minute, on average.
fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().filter(|text| !text.is_empty()).unwrap_or("unknown").to_string()
}

impl Machine {
    /// This one, now.
    pub fn here() -> Machine {
        let commit = line_of("git", &["describe", "--always", "--dirty"]);
        Machine {
            processor: value_in("/proc/cpuinfo", "model name"),
            cpus: std::thread::available_parallelism().map_or(0, usize::from),
            system: format!("{}, Linux {}", value_in("/etc/os-release", "PRETTY_NAME"), line_of("uname", &["-r"])),
            date: line_of("date", &["-u", "+%Y-%m-%d %H:%M UTC"]),
            commit: if commit.is_empty() { "unknown".into() } else { commit },
            load: load(),
        }
    }
}

/// Milliseconds with three digits, or four where there are as many before the point.
fn ms(time: Option<Duration>) -> String {
    let Some(time) = time else { return "–".into() };
    let ms = time.as_secs_f64() * 1e3;
    let digits = if ms < 1.0 { 3 } else { 2usize.saturating_sub(ms.log10() as usize) };
    format!("{ms:.digits$}")
}

/// How many times as long `theirs` is as `ours`.
fn ratio(theirs: Option<Duration>, ours: Option<Duration>) -> Option<f64> {
    Some(theirs?.as_secs_f64() / ours?.as_secs_f64()).filter(|ratio| ratio.is_finite())
}

fn shown(ratio: Option<f64>) -> String {
    match ratio {
        None => "–".into(),
        Some(ratio) if ratio < 10.0 => format!("{ratio:.2}"),
        Some(ratio) => format!("{ratio:.0}"),
    }
}

/// A table: a head and rows of cells.
fn table(head: &[String], rows: &[Vec<String>]) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let rule = format!("|---|{}\n", "---:|".repeat(head.len().saturating_sub(1)));
    line(head) + &rule + &rows.iter().map(|row| line(row)).collect::<String>()
}

/// A table with a column for each engine, and for each engine but ours how many times as long it takes as `-O`.
fn compared(names: &[String], ours: usize, rows: &[Row], time: fn(&Measured) -> Option<Duration>) -> String {
    let others = || (0..names.len()).filter(|&engine| is_peer(&names[engine]));
    let mut head = vec!["kernel".to_string()];
    head.extend(names.iter().cloned());
    head.extend(others().map(|engine| format!("{} / {}", names[engine], names[ours])));
    let cells = |(work, measured): &Row| {
        let mut cells = vec![format!("{} {}", work.name, work.size)];
        cells.extend(measured.iter().map(|measured| ms(time(measured))));
        cells.extend(others().map(|engine| shown(ratio(time(&measured[engine]), time(&measured[ours])))));
        cells
    };
    table(&head, &rows.iter().map(cells).collect::<Vec<_>>())
}

fn is_peer(name: &str) -> bool {
    !name.starts_with('-')
}

/// Wall-clock times with two threads, and how much faster than with one.
fn threads(names: &[String], rows: &[Row]) -> String {
    let mut head = vec!["kernel".to_string()];
    head.extend(names.iter().flat_map(|name| [name.clone(), "×".to_string()]));
    let cells = |(work, measured): &Row| {
        let times = measured.iter().flat_map(|m| [ms(m.two_wall), shown(ratio(m.one_wall, m.two_wall))]);
        std::iter::once(format!("{} {}", work.name, work.size)).chain(times).collect()
    };
    table(&head, &rows.iter().map(cells).collect::<Vec<_>>())
}

/// Where `-O` is not the fastest, and where a second thread brings little.
fn shortfalls(names: &[String], ours: usize, rows: &[Row]) -> Vec<String> {
    let mut lines = vec![];
    for (work, measured) in rows {
        let mine = &measured[ours];
        for (name, theirs) in names.iter().zip(measured).filter(|(name, _)| is_peer(name)) {
            let mut compare = |what: &str, time: fn(&Measured) -> Option<Duration>| {
                if let Some(times) = ratio(time(theirs), time(mine)).filter(|&times| times < 1.0) {
                    lines.push(format!("{}: {what} takes {:.2} times as long as {name}'s.", work.name, 1.0 / times));
                }
            };
            compare("a dispatch", |measured| measured.one_cpu);
            compare("a warm compilation", |measured| measured.warm);
        }
        let is_long = mine.one_wall.is_some_and(|time| time > Duration::from_millis(10));
        if let Some(times) = ratio(mine.one_wall, mine.two_wall).filter(|&times| is_long && times < 1.8) {
            lines.push(format!("{}: two threads are {times:.2} times as fast as one.", work.name));
        }
    }
    lines
}

/// The generated part of the document. `names` and `descriptions` are those of the engines, in the order of the
/// measurements; `-O` is among them.
pub fn document(machine: &Machine, names: &[String], descriptions: &[String], rows: &[Row]) -> String {
    let Machine { processor, cpus, system, date, commit, load: before } = machine;
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(text, "Measured on {date} at commit {commit}, on {cpus} CPUs ({processor}), {system}.");
    let _ = writeln!(text, "Load average before and after, to be judged by: {before} and {}.\n", load());
    for (name, description) in names.iter().zip(descriptions) {
        let _ = writeln!(text, "- {name}: {description}");
    }
    let ours = names.iter().position(|name| name == "-O").unwrap_or_default();
    let mut section = |title: &str, body: String| {
        let _ = write!(text, "\n### {title}\n\n{body}");
    };
    section("SPIR-V to first result, cold (CPU ms)", compared(names, ours, rows, |m| m.cold));
    section("SPIR-V to first result, warm (CPU ms)", compared(names, ours, rows, |m| m.warm));
    section("Steady dispatch, one thread (CPU ms)", compared(names, ours, rows, |m| m.one_cpu));
    section("Steady dispatch, two threads (wall-clock ms, and × faster than one)", threads(names, rows));
    let lines = shortfalls(names, ours, rows);
    if !lines.is_empty() {
        section("Where this compiler is behind", list(&lines));
    }
    let faults = rows.iter().flat_map(|(work, measured)| {
        let named = names.iter().zip(measured);
        named.filter_map(|(name, m)| m.fault.as_ref().map(|what| format!("{}, {name}: {what}", work.name)))
    });
    let faults: Vec<String> = faults.collect();
    if !faults.is_empty() {
        section("What failed", list(&faults));
    }
    text
}

fn list(lines: &[String]) -> String {
    lines.iter().map(|line| format!("- {line}\n")).collect()
}

/// Puts the generated part into a document, in place of the former one.
pub fn insert(document: &str, generated: &str) -> Result<String, String> {
    let missing = || format!("the document has no lines `{BEGIN}` and `{END}`");
    let (before, rest) = document.split_once(BEGIN).ok_or_else(missing)?;
    let (_, after) = rest.split_once(END).ok_or_else(missing)?;
    Ok(format!("{before}{BEGIN}\n{generated}{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::work::WORK;

    #[test]
    fn times_have_three_digits() {
        let show = |us| ms(Some(Duration::from_micros(us)));
        assert_eq!(
            [show(12), show(1234), show(12_345), show(123_456), show(1_234_567)],
            ["0.012", "1.23", "12.3", "123", "1235"]
        );
        assert_eq!(ms(None), "–");
    }

    #[test]
    fn only_the_generated_part_is_replaced() {
        let old = format!("head\n{BEGIN}\nold\n{END}\ntail\n");
        assert_eq!(insert(&old, "new\n"), Ok(format!("head\n{BEGIN}\nnew\n{END}\ntail\n")));
        assert!(insert("nothing", "new").is_err());
    }

    #[test]
    fn what_is_slower_is_said() {
        let ms = |ms| Some(Duration::from_millis(ms));
        let ours = Measured { warm: ms(1), one_cpu: ms(20), one_wall: ms(20), two_wall: ms(15), ..Measured::default() };
        let peer = Measured { warm: ms(2), one_cpu: ms(10), one_wall: ms(10), ..Measured::default() };
        let names = ["-O".to_string(), "peer".to_string()];
        let machine = Machine::here();
        let text = document(&machine, &names, &["a".into(), "b".into()], &[(&WORK[0], vec![ours, peer])]);
        for part in ["| tiny 4 Mi | 20.0 | 10.0 | 0.50 |", "takes 2.00 times as long as peer's", "1.33 times as fast"] {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
        assert!(!text.contains("a warm compilation"), "{text}");
    }
}
