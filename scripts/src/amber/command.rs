//! Commands: `RUN`, `COPY`, `EXPECT`, `CLEAR…`.

use super::lex::{Kind, Parsed, error};
use super::parse::Parser;
use super::script::{Action, Command, Comparator, Expect, Number, Pos, Tolerance};

/// Comparisons of values by their names.
pub(super) const COMPARATORS: &[(&str, Comparator)] = &[
    ("EQ", Comparator::Eq),
    ("NE", Comparator::Ne),
    ("LT", Comparator::Lt),
    ("LE", Comparator::Le),
    ("GT", Comparator::Gt),
    ("GE", Comparator::Ge),
];

/// What follows the name of a pipeline that is not a compute pipeline.
const DRAWS: &[&str] = &["DRAW_RECT", "DRAW_GRID", "DRAW_ARRAY", "RAYGEN"];

/// For the message about a word that is none.
const NAMES_OF_COMMANDS: &str =
    "RUN, COPY, EXPECT, CLEAR, CLEAR_COLOR, CLEAR_DEPTH, CLEAR_STENCIL, REPEAT, or a declaration";

impl<'t> Parser<'t> {
    /// The command `name`, also inside of REPEAT.
    pub(super) fn command(&mut self, pos: Pos, name: &str) -> Parsed<Command> {
        let action = match name {
            "RUN" => self.run(pos)?,
            "COPY" => self.copy()?,
            "EXPECT" => self.expect(pos)?,
            "CLEAR" | "CLEAR_COLOR" | "CLEAR_DEPTH" | "CLEAR_STENCIL" => {
                let (pos, name) = self.lex.word("a pipeline")?;
                let pipeline = self.find_pipeline(pos, name)?;
                if self.script.pipelines[pipeline].compute {
                    return error(pos, format!("`{name}` is a compute pipeline: there is nothing to clear"));
                }
                self.lex.skip_line();
                Action::Beyond
            }
            _ => return error(pos, format!("`{name}` is no command ({NAMES_OF_COMMANDS})")),
        };
        Ok(Command { pos, action })
    }

    fn run(&mut self, pos: Pos) -> Parsed<Action> {
        let timed = self.lex.take("TIMED_EXECUTION");
        let (name_pos, name) = self.lex.word("a pipeline")?;
        let pipeline = self.find_pipeline(name_pos, name)?;
        let compute = self.script.pipelines[pipeline].compute;
        if let Kind::Word(word) = self.lex.peek().kind
            && DRAWS.contains(&word)
        {
            if compute {
                return error(
                    name_pos,
                    format!("`{name}` is a compute pipeline: it needs three numbers of workgroups"),
                );
            }
            self.lex.skip_line();
            return Ok(Action::Beyond);
        }
        if !compute {
            return error(name_pos, format!("`{name}` is no compute pipeline: one of {} is needed", DRAWS.join(", ")));
        }
        if self.script.pipelines[pipeline].shaders.is_empty() {
            return error(pos, format!("`{name}` has no shader"));
        }
        let mut groups = [0; 3];
        for (count, axis) in groups.iter_mut().zip(["x", "y", "z"]) {
            *count = self.lex.u32(&format!("the number of workgroups in {axis}"))?;
        }
        self.lex.end_of_line()?;
        Ok(Action::Run { pipeline, groups, timed })
    }

    fn copy(&mut self) -> Parsed<Action> {
        let (from_pos, from) = self.lex.word("a buffer")?;
        self.lex.keyword("TO")?;
        let (to_pos, to) = self.lex.word("a buffer")?;
        self.lex.end_of_line()?;
        if self.images.contains(from) || self.images.contains(to) {
            self.beyond(from_pos, "images");
            return Ok(Action::Beyond);
        }
        let (from, to) = (self.find_buffer(from_pos, from)?, self.find_buffer(to_pos, to)?);
        if from == to {
            return error(to_pos, "a buffer cannot be copied to itself");
        }
        if self.script.buffers[from].ty != self.script.buffers[to].ty {
            return error(to_pos, "the buffers have different types");
        }
        Ok(Action::Copy { from, to })
    }

    fn expect(&mut self, pos: Pos) -> Parsed<Action> {
        let (name_pos, name) = self.lex.word("a buffer")?;
        if self.images.contains(name) {
            self.beyond(pos, "images");
            self.lex.skip_line();
            return Ok(Action::Beyond);
        }
        let left = self.find_buffer(name_pos, name)?;
        let (word_pos, word) = self.lex.word("IDX or a comparison with a buffer")?;
        if word == "IDX" {
            return self.expect_at(pos, left);
        }
        if !["EQ_BUFFER", "RMSE_BUFFER", "EQ_HISTOGRAM_EMD_BUFFER"].contains(&word) {
            return error(word_pos, format!("`{word}` is neither IDX nor a comparison with a buffer"));
        }
        let (right_pos, name) = self.lex.word("a buffer")?;
        if self.images.contains(name) {
            self.beyond(pos, "images");
            self.lex.skip_line();
            return Ok(Action::Beyond);
        }
        let right = self.find_buffer(right_pos, name)?;
        let bound = if word == "EQ_BUFFER" {
            0.0
        } else {
            self.lex.keyword("TOLERANCE")?;
            self.lex.number("a tolerance")?.1.to_f64()
        };
        self.lex.end_of_line()?;
        Ok(Action::Expect(match word {
            "EQ_BUFFER" => Expect::Same { left, right },
            "RMSE_BUFFER" => Expect::Rmse { left, right, bound },
            _ => Expect::HistogramEmd { left, right, bound },
        }))
    }

    fn expect_at(&mut self, pos: Pos, buffer: usize) -> Parsed<Action> {
        let first = self.lex.u32("IDX")?;
        if self.lex.at_number() {
            return self.expect_pixels(pos, buffer, first);
        }
        let tolerances = self.tolerances()?;
        let (how_pos, name) = self.lex.word("a comparison")?;
        let Some((_, how)) = COMPARATORS.iter().find(|(own, _)| *own == name) else {
            return error(how_pos, format!("`{name}` is no comparison (EQ, NE, LT, LE, GT, GE)"));
        };
        if !tolerances.is_empty() && *how != Comparator::Eq {
            return error(how_pos, "only EQ has a TOLERANCE");
        }
        let mut values: Vec<Number> = vec![];
        while self.lex.at_number() {
            values.push(self.lex.number("a value")?.1);
        }
        self.lex.end_of_line()?;
        if values.is_empty() {
            return error(pos, "there are no values to compare with");
        }
        let layout = self.script.buffers[buffer].layout.clone();
        Ok(Action::Expect(Expect::Values { buffer, offset: first as usize, layout, how: *how, tolerances, values }))
    }

    /// `TOLERANCE` and one to four bounds, where there are any.
    fn tolerances(&mut self) -> Parsed<Vec<Tolerance>> {
        let mut tolerances = vec![];
        if !self.lex.take("TOLERANCE") {
            return Ok(tolerances);
        }
        while let Kind::Word(word) = self.lex.peek().kind {
            let Some(tolerance) = tolerance(word) else { break };
            self.lex.next();
            // The sign may stand apart.
            let percent = self.lex.take("%") || tolerance.percent;
            tolerances.push(Tolerance { percent, ..tolerance });
        }
        let pos = self.lex.pos();
        if tolerances.is_empty() || tolerances.len() > 4 {
            return error(pos, "TOLERANCE takes one to four numbers");
        }
        Ok(tolerances)
    }

    fn expect_pixels(&mut self, pos: Pos, buffer: usize, x: u32) -> Parsed<Action> {
        let y = self.lex.u32("IDX")?;
        self.lex.keyword("SIZE")?;
        let (width, height) = (self.lex.u32("SIZE")?, self.lex.u32("SIZE")?);
        let tolerances = self.tolerances()?;
        let (how_pos, how) = self.lex.word("EQ_RGB or EQ_RGBA")?;
        let count = match how {
            "EQ_RGB" => 3,
            "EQ_RGBA" => 4,
            _ => return error(how_pos, format!("EQ_RGB or EQ_RGBA is needed in place of `{how}`")),
        };
        let mut color = vec![];
        for _ in 0..count {
            let value = self.lex.u32("a colour")?;
            match u8::try_from(value) {
                Ok(value) => color.push(value),
                Err(_) => return error(pos, format!("{value} is no colour: they are from 0 to 255")),
            }
        }
        self.lex.end_of_line()?;
        Ok(Action::Expect(Expect::Pixels { buffer, rect: [x, y, width, height], color, tolerances }))
    }
}

/// `0.1` or `5%`.
pub(super) fn tolerance(word: &str) -> Option<Tolerance> {
    let (digits, percent) = match word.strip_suffix('%') {
        Some(digits) => (digits, true),
        None => (word, false),
    };
    let bound = Number::parse(digits)?.to_f64();
    (bound >= 0.0).then_some(Tolerance { bound, percent })
}
