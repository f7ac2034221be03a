//! How rows are written: constructors, and macros that make a row read like a line of a table.
//!
//! The macros expect three names where they are used: `FAMILY`, the file's family; `Names`, the enumeration of
//! instruction names; and `name`, which makes an [`Opcode`](crate::ir::Opcode) of one.

use super::{Done, Family, Flow, How, Row};
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
        let (flow, note) = (Flow::Operands, "");
        Row { opcode, family, llvm, how, here, done, results: done, speculatable: true, flow, note }
    }

    /// A row of an instruction that the module `here` handles.
    pub const fn special(opcode: Opcode, family: Family, llvm: &'static str, here: &'static str, how: How) -> Row {
        let (done, flow, note) = (Done::NONE, Flow::Special, "");
        Row { opcode, family, llvm, how, here, done, results: done, speculatable: false, flow, note }
    }

    /// A row of an instruction that is not done.
    pub const fn unsupported(opcode: Opcode, family: Family, reason: &'static str) -> Row {
        let (done, flow) = (Done::NONE, Flow::None);
        let how = How::Unsupported(reason);
        Row {
            opcode,
            family,
            llvm: NONE,
            how,
            here: NONE,
            done,
            results: done,
            speculatable: false,
            flow,
            note: reason,
        }
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

pub(super) use {binary, compose, lift, per_lane, simt, ternary, unary, unsupported};
