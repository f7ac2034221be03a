//! The uniformity analysis as text, for `--emit=analysis`.
//!
//! In: a module and its table. Out: the entry point's function with a note behind each definition: how the value varies over
//! the lanes, and why it is not more uniform.

use super::shape::Shape;
use super::uniformity::{Cause, Uniformity};
use crate::ir::print::{Notes, Spelling, annotated};
use crate::ir::{Module, OpId, Value};
use crate::simt::value::Width;
use crate::stack::{levels, with_room};
use crate::{Error, Result};

/// The listing of an entry point (by its index in [`Module::entries`]).
pub fn listing(module: &Module, entry: usize, width: Width) -> Result<String> {
    let Some(point) = module.entries.get(entry) else {
        return Err(Error::Options(format!("the module has no entry point number {entry}")));
    };
    with_room(levels(module), || {
        let table = Uniformity::run(module, point, width)?;
        Ok(annotated(module, point.func, &Listing(&table)))
    })
}

struct Listing<'a>(&'a Uniformity);

impl Notes for Listing<'_> {
    fn value(&self, value: Value, spelling: &Spelling<'_>) -> String {
        let shapes = self.0.shapes(value);
        let text = match shapes {
            [] => return String::new(),
            [first, rest @ ..] if rest.iter().all(|shape| shape == first) => first.to_string(),
            all => format!("({})", all.iter().map(Shape::to_string).collect::<Vec<_>>().join(", ")),
        };
        match self.0.cause(value) {
            None => text,
            Some(Cause::Operand(operand)) => format!("{text}, as {}", (spelling.value)(operand)),
            Some(Cause::BuiltIn(global)) => format!("{text}, as {}", (spelling.global)(global)),
            Some(Cause::Memory) => format!("{text}, read from memory that the shader may write"),
            Some(Cause::Subgroup) => format!("{text}, an operation of the subgroup"),
            Some(Cause::Divergence(op)) => format!("{text}, since lanes leave {} apart", (spelling.label)(op)),
        }
    }

    fn construct(&self, op: OpId, _: &Spelling<'_>) -> String {
        let facts = [
            (self.0.divergent(op), "lanes come out of it apart"),
            (self.0.masked(op), "runs under a mask that shrinks"),
            (self.0.continue_apart(op), "lanes reach its continue region apart"),
            (self.0.leaks(op), "lanes may be missing after it"),
        ];
        let facts: Vec<&str> = facts.into_iter().filter(|(is, _)| *is).map(|(_, text)| text).collect();
        facts.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_stand_behind_definitions() -> Result<()> {
        let module = crate::ir::parse(
            "module 1.6
global @id: ptr<Input, u32x3> builtin GlobalInvocationId
entry GLCompute \"main\" @main interface (@id) local_size 64 1 1
func @main() -> void {
  %0: u32x3 = Load @id
  %1: u32 = CompositeExtract %0 [0]
  %2: u32 = loop ^loop0
    header (%3: u32 = u32 0) = {
      %4: bool = ULessThan %3, %1
      condition %4 exit (%3)
    }
    body = {
      fallthrough (%3)
    }
    continue (%5: u32) = {
      %6: u32 = IAdd %5, u32 1
      reenter (%6)
    }
  return
}
",
        )?;
        let text = listing(&module, 0, Width { subgroup: 8, chunk: 4, groups: 1 })?;
        for line in [
            "  %0: u32x3 = Load @id  ; (affine(1), workgroup, workgroup), as @id",
            "  %1: u32 = CompositeExtract %0 [0]  ; affine(1), as %0",
            "      %4: bool = ULessThan %3, %1  ; varying, as %1",
            "      %6: u32 = IAdd %5, u32 1  ; subgroup, as %5",
        ] {
            assert!(text.lines().any(|l| l == line), "{line}\nin\n{text}");
        }
        assert!(text.contains("runs under a mask that shrinks; varying, since lanes leave ^loop0 apart"), "{text}");
        assert!(text.contains("header (%3: u32 = u32 0) = {  ; subgroup, as %6"), "a name from further down\n{text}");
        assert!(listing(&module, 1, Width { subgroup: 8, chunk: 4, groups: 1 }).is_err());
        Ok(())
    }
}
