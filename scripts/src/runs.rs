//! Run blocks: what a kernel is run on and what must come out.
//!
//! ```text
//! groups X Y Z                                             (also `dispatch`)
//! spec ID TYPE VALUE
//! push VALUES…                                             repeated lines append
//! buffer SET BINDING [ssbo|ubo] VALUES…                    repeated lines append
//! expect[w=W] SET BINDING TYPE exact|ulp N|tol T VALUES… [at BYTE]
//! ```
//!
//! `VALUES…` is what [`values::parse_values`] reads. `expect[w=8]` holds at that subgroup size only. A line that starts with
//! `#` is a comment.

use crate::values::{self, Compare, Elem};
use std::collections::BTreeMap;

/// Contents of the buffers, by set and binding.
pub type Buffers = BTreeMap<(u32, u32), Vec<u8>>;

/// One run of a kernel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// Line of the block in its file, for messages.
    pub line: usize,
    /// Workgroups.
    pub groups: [u32; 3],
    /// Specialisation constants, as bits.
    pub spec: Vec<(u32, u64)>,
    /// Push constants.
    pub push: Vec<u8>,
    /// Buffers before the run.
    pub buffers: Buffers,
    /// What they must hold afterwards.
    pub expects: Vec<Expect>,
}

/// What a part of a buffer must hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Expect {
    /// Line in the file.
    pub line: usize,
    /// Holds at this subgroup size only.
    pub subgroup_size: Option<u32>,
    /// Set and binding.
    pub slot: (u32, u32),
    /// Element type.
    pub elem: Elem,
    /// How elements are compared.
    pub how: Compare,
    /// The values.
    pub values: Vec<u64>,
    /// Byte of the first.
    pub at: usize,
}

impl Run {
    /// Checks the buffers after a run at a subgroup size; the message names the line, the binding and the first element.
    pub fn check(&self, subgroup_size: u32, after: &Buffers) -> Result<(), String> {
        for expect in &self.expects {
            if expect.subgroup_size.is_some_and(|w| w != subgroup_size) {
                continue;
            }
            let (set, binding) = expect.slot;
            let place = || format!("line {}: binding {set}:{binding}", expect.line);
            let bytes = after.get(&expect.slot).ok_or_else(|| format!("{}: not bound", place()))?;
            let bytes = bytes.get(expect.at..).ok_or_else(|| format!("{}: `at` is past its end", place()))?;
            values::compare(expect.elem, expect.how, &expect.values, bytes)
                .map_err(|mismatch| format!("{} at byte {}: {mismatch}", place(), expect.at))?;
        }
        Ok(())
    }
}

/// Parses one block: lines with their numbers, comment marks already taken off.
pub fn parse_run<'a>(line: usize, lines: impl IntoIterator<Item = (usize, &'a str)>) -> Result<Run, String> {
    let mut run = Run { line, groups: [1, 1, 1], ..Run::default() };
    for (number, text) in lines {
        let words: Vec<&str> = text.split_whitespace().collect();
        if words.first().is_none_or(|word| word.starts_with('#')) {
            continue;
        }
        parse_line(&mut run, number, &words).map_err(|error| format!("line {number}: {error}: `{}`", text.trim()))?;
    }
    if run.expects.is_empty() {
        return Err(format!("line {line}: a run block expects nothing"));
    }
    Ok(run)
}

fn parse_line(run: &mut Run, line: usize, words: &[&str]) -> Result<(), String> {
    let (verb, args) = words.split_first().ok_or("an empty line")?;
    match *verb {
        "groups" | "dispatch" => {
            let groups: Result<Vec<u32>, String> = args.iter().map(|word| number(word)).collect();
            run.groups = groups?.try_into().map_err(|_| "three numbers are needed")?;
        }
        "spec" => match args {
            [id, elem, value] => {
                let elem = Elem::parse(elem).ok_or_else(|| format!("`{elem}` is no type"))?;
                run.spec.push((number(id)?, elem.parse_value(value)?));
            }
            _ => return Err("`spec ID TYPE VALUE` is needed".into()),
        },
        "push" => append(&mut run.push, args)?,
        "buffer" => {
            let (slot, rest) = slot(args)?;
            let rest = rest.strip_prefix(&["ssbo"]).or_else(|| rest.strip_prefix(&["ubo"])).unwrap_or(rest);
            append(run.buffers.entry(slot).or_default(), rest)?;
        }
        _ => {
            let subgroup_size = match verb.strip_prefix("expect") {
                Some("") => None,
                Some(only) => match only.strip_prefix("[w=").and_then(|only| only.strip_suffix(']')) {
                    Some(size) => Some(number(size)?),
                    None => return Err(format!("`{only}` is no condition (`[w=8]`)")),
                },
                None => return Err(format!("`{verb}` is no directive of a run block")),
            };
            run.expects.push(parse_expect(line, subgroup_size, args)?);
        }
    }
    Ok(())
}

fn parse_expect(line: usize, subgroup_size: Option<u32>, args: &[&str]) -> Result<Expect, String> {
    let (slot, rest) = slot(args)?;
    let (&elem, rest) = rest.split_first().ok_or("a type is missing")?;
    let (how, rest) = match rest {
        ["exact", rest @ ..] => (Compare::Exact, rest),
        ["ulp", bound, rest @ ..] => (Compare::Ulp(number(bound)?), rest),
        ["tol", bound, rest @ ..] => (Compare::Tolerance(number(bound)?), rest),
        _ => return Err("`exact`, `ulp N` or `tol T` is missing after the type".into()),
    };
    let (rest, at) = match rest {
        [values @ .., "at", byte] => (values, number(byte)?),
        _ => (rest, 0),
    };
    // One source with its own type may stand for the values.
    let (elem, values) = match rest {
        [source] if source.contains(':') => {
            let (own, values) = values::parse_values(&[source])?;
            let elem = Elem::parse(elem).filter(|&elem| elem == own);
            (elem.ok_or("the types differ")?, values)
        }
        _ => values::parse_values(&[&[elem], rest].concat())?,
    };
    if values.is_empty() {
        return Err("no values".into());
    }
    Ok(Expect { line, subgroup_size, slot, elem, how, values, at })
}

fn append(out: &mut Vec<u8>, words: &[&str]) -> Result<(), String> {
    let (elem, values) = values::parse_values(words)?;
    values.into_iter().for_each(|bits| elem.push(bits, out));
    Ok(())
}

fn slot<'a, 'b>(args: &'a [&'b str]) -> Result<((u32, u32), &'a [&'b str]), String> {
    match args {
        [set, binding, rest @ ..] => Ok(((number(set)?, number(binding)?), rest)),
        _ => Err("set and binding are needed".into()),
    }
}

fn number<T: std::str::FromStr>(word: &str) -> Result<T, String> {
    word.parse().map_err(|_| format!("`{word}` is no number that fits here"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Run, String> {
        parse_run(1, text.lines().enumerate().map(|(i, line)| (i + 2, line)))
    }

    #[test]
    fn a_block_is_read_whole() {
        let run = parse(
            "# comment\n dispatch 2 3 4\n spec 5 f32 1\n push u32 1\n push i8 -1 x3\n buffer 0 1 ssbo u16 1 2\n buffer 0 1 u16 3\n \
             expect 0 1 u16 exact 2 3 at 2\n expect[w=8] 0 1 f32 tol 1e-4 0.5 x2\n expect 1 0 u32 ulp 3 iota:u32*4",
        )
        .unwrap();
        assert_eq!(run.groups, [2, 3, 4]);
        assert_eq!(run.spec, [(5, u64::from(1f32.to_bits()))]);
        assert_eq!(run.push, [1, 0, 0, 0, 255, 0, 0, 0]);
        assert_eq!(run.buffers[&(0, 1)], [1, 0, 2, 0, 3, 0]);
        let [first, second, third] = &run.expects[..] else { panic!("{:?}", run.expects) };
        assert_eq!((first.at, &first.values[..], first.line), (2, &[2, 3][..], 9));
        assert_eq!((second.subgroup_size, second.how, second.values.len()), (Some(8), Compare::Tolerance(1e-4), 3));
        assert_eq!((third.how, &third.values[..]), (Compare::Ulp(3), &[0, 1, 2, 3][..]));
    }

    #[test]
    fn a_check_reads_at_its_byte_and_size() {
        let run = parse("expect 0 0 u16 exact 2 at 2\nexpect[w=4] 0 0 u16 exact 9").unwrap();
        let after = Buffers::from([((0, 0), vec![1, 0, 2, 0])]);
        assert_eq!(run.check(8, &after), Ok(()));
        let message = run.check(4, &after).unwrap_err();
        assert_eq!(message, "line 3: binding 0:0 at byte 0: element 0: expected 9, got 1; 1 of 1 differ");
    }

    #[test]
    fn mistakes_are_named() {
        for (text, part) in [
            ("expect 0 0 u32 1", "`exact`"),
            ("expect 0 0 u32 exact", "no values"),
            ("expect[x] 0 0 u32 exact 1", "no condition"),
            ("buffer 0 u32 1", "no number"),
            ("grups 1 1 1", "no directive"),
            ("groups 1 1", "three numbers"),
            ("spec 1 u32", "spec ID"),
            ("groups 1 1 1", "expects nothing"),
        ] {
            let message = parse(text).unwrap_err();
            assert!(message.contains(part), "{text}: {message}");
        }
    }
}
