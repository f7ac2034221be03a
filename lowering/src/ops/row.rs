//! How rows are written: constructors, and macros that make a row read like a line of a table.
//!
//! The macros expect three names where they are used: `FAMILY`, the file's family; `Names`, the enumeration of
//! instruction names; and `name`, which makes an [`Opcode`](crate::ir::Opcode) of one.

use super::{Done, Family, Flow, How, Reads, Row};
use crate::ir::Opcode;

/// What the manual has where there is no counterpart.
pub const NONE: &str = "–";

impl Row {
    /// A row of a computation: no side effect, uniformity by its operands, results of the operands' types.
    pub const fn new(
        opcode: Opcode,
        family: Family,
        llvm: &'static str,
        here: &'static str,
        how: How,
        done: Done,
    ) -> Row {
        Row { done, results: done, speculatable: true, ..Row::bare(opcode, family, llvm, here, how, Flow::Operands) }
    }

    /// A row of an instruction that the module `here` handles.
    pub const fn special(opcode: Opcode, family: Family, llvm: &'static str, here: &'static str, how: How) -> Row {
        Row::bare(opcode, family, llvm, here, how, Flow::Special)
    }

    /// A row of an instruction that is not done.
    pub const fn unsupported(opcode: Opcode, family: Family, reason: &'static str) -> Row {
        Row { note: reason, ..Row::bare(opcode, family, NONE, NONE, How::Unsupported(reason), Flow::None) }
    }

    /// A row of nothing that has components.
    const fn bare(opcode: Opcode, family: Family, llvm: &'static str, here: &'static str, how: How, flow: Flow) -> Row {
        let (done, reads) = (Done::NONE, Reads::Bits);
        Row {
            opcode,
            family,
            llvm,
            how,
            here,
            done,
            results: done,
            speculatable: false,
            flow,
            reads,
            fits: false,
            amounts: usize::MAX,
            note: "",
        }
    }

    /// With operands read as signed integers.
    pub const fn signed(mut self) -> Row {
        self.reads = Reads::Signed;
        self
    }

    /// With operands read as unsigned integers.
    pub const fn unsigned(mut self) -> Row {
        self.reads = Reads::Unsigned;
        self
    }

    /// With results that need no rounding or wrapping.
    pub const fn fits(mut self) -> Row {
        self.fits = true;
        self
    }

    /// With amounts from that operand on.
    pub const fn amounts(mut self, first: usize) -> Row {
        self.amounts = first;
        self
    }

    /// With results of other component types.
    pub const fn gives(mut self, results: Done) -> Row {
        self.results = results;
        self
    }

    /// With component types, for rows that have them though a module handles them.
    pub const fn of(mut self, done: Done) -> Row {
        self.done = done;
        self.results = done;
        self
    }

    /// With another entry in the LLVM column.
    pub const fn llvm(mut self, llvm: &'static str) -> Row {
        self.llvm = llvm;
        self
    }

    /// With a note for the manual.
    pub const fn note(mut self, note: &'static str) -> Row {
        self.note = note;
        self
    }

    /// With another uniformity rule.
    pub const fn flow(mut self, flow: Flow) -> Row {
        self.flow = flow;
        self
    }

    /// May be executed with all lanes off.
    pub const fn speculatable(mut self) -> Row {
        self.speculatable = true;
        self
    }

    /// Is it an operation on the lanes of a subgroup, which must be executed by those of its own mask?
    pub fn is_of_subgroup(&self) -> bool {
        matches!(self.how, How::Simt("subgroup"))
    }

    /// Is the instruction compiled, one way or another?
    pub fn supported(&self) -> bool {
        !matches!(self.how, How::Unsupported(_))
    }
}

/// `unary!(Op, "llvm.op", method, TYPES)`: one operand, by a method of [`Legal`](crate::simt::legal::Legal).
macro_rules! unary {
    ($op:ident, $llvm:literal, $emit:ident, $done:ident) => {
        Row::new(name(Names::$op), FAMILY, $llvm, stringify!($emit), How::Unary(|l, a| l.$emit(a)), Done::$done)
    };
}

/// `binary!(Op, "llvm.op", method, TYPES)`: two operands.
macro_rules! binary {
    ($op:ident, $llvm:literal, $emit:ident, $done:ident) => {
        Row::new(name(Names::$op), FAMILY, $llvm, stringify!($emit), How::Binary(|l, a, b| l.$emit(a, b)), Done::$done)
    };
}

/// `ternary!(Op, "llvm.op", method, TYPES)`: three operands.
macro_rules! ternary {
    ($op:ident, $llvm:literal, $emit:ident, $done:ident) => {
        Row::new(
            name(Names::$op),
            FAMILY,
            $llvm,
            stringify!($emit),
            How::Ternary(|l, a, b, c| l.$emit(a, b, c)),
            Done::$done,
        )
    };
}

/// `per_lane!(Op, "llvm.op", function, TYPES)`: any number of operands, by a function of the file.
macro_rules! per_lane {
    ($op:ident, $llvm:literal, $emit:ident, $done:ident) => {
        Row::new(name(Names::$op), FAMILY, $llvm, stringify!($emit), How::PerLane($emit), Done::$done)
    };
}

/// `convert!(Op, "llvm.op", Conversion, FROM, TO)`: to another numeric type.
macro_rules! convert {
    ($op:ident, $llvm:literal, $conversion:expr, $from:ident, $to:ident) => {
        Row::new(name(Names::$op), FAMILY, $llvm, "convert", How::Convert($conversion), Done::$from).gives(Done::$to)
    };
}

/// `compose!(Op, "llvm.op", function, TYPES)`: operands whole, by a function of the file.
macro_rules! compose {
    ($op:ident, $llvm:literal, $emit:ident, $done:ident) => {
        Row::new(name(Names::$op), FAMILY, $llvm, stringify!($emit), How::Compose($emit), Done::$done)
    };
}

/// `simt!(Op, "llvm.op", "module")`: by the lowering itself.
macro_rules! simt {
    ($op:ident, $llvm:literal, $module:literal) => {
        Row::special(name(Names::$op), FAMILY, $llvm, $module, How::Simt($module))
    };
}

/// `lift!(Op, "llvm.op", "by what")`: consumed when the module is lifted.
macro_rules! lift {
    ($op:ident, $llvm:literal, $what:literal) => {
        Row::special(name(Names::$op), FAMILY, $llvm, $what, How::Lift($what)).flow(Flow::None)
    };
}

/// `unsupported!("reason": Op, Op, …)`: a group of rows that are not done for one reason.
macro_rules! unsupported {
    ($reason:expr; $($op:ident)*) => {
        &[$(Row::unsupported(name(Names::$op), FAMILY, $reason)),*]
    };
}

pub(super) use {binary, compose, convert, lift, per_lane, simt, ternary, unary, unsupported};
