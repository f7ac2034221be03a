//! Loops over the subgroups of a workgroup.

use super::super::cut::{Count, Subgroups};
use super::super::emit::Emitter;
use cranelift_codegen::ir::{self as clif, InstBuilder, condcodes::IntCC, types};

/// A loop over subgroups that is open.
pub(super) struct OpenLoop {
    /// Where it goes on with the next; `None`: there is but one.
    head: Option<clif::Block>,
    /// The number after the last.
    to: clif::Value,
    /// End of one subgroup's code.
    pub end: clif::Block,
    /// Behind the loop.
    after: clif::Block,
    outer: clif::Value,
    outer_end: clif::Block,
    joins: Vec<Option<clif::Block>>,
}

impl Emitter<'_> {
    pub(super) fn all_subgroups(&self) -> Subgroups {
        Subgroups { from: Count::Known(0), to: Count::Known(self.subgroups()) }
    }

    /// Starts a loop over subgroups: the code of one follows.
    pub(super) fn open_subgroups(&mut self, range: Subgroups) -> OpenLoop {
        let [end, after] = std::array::from_fn(|_| self.legal.builder.create_block());
        let (from, to) = (self.count(range.from), self.count(range.to));
        let (number, head) = match (range.from, range.to) {
            // A single one is no loop.
            (Count::Known(from_known), Count::Known(to_known)) if from_known + 1 == to_known => (from, None),
            (from_known, to_known) => {
                let head = self.legal.builder.create_block();
                let number = self.legal.builder.append_block_param(head, types::I32);
                if matches!((from_known, to_known), (Count::Known(a), Count::Known(b)) if a < b) {
                    self.legal.ins().jump(head, &[from.into()]);
                } else {
                    let any = self.legal.ins().icmp(IntCC::UnsignedLessThan, from, to);
                    self.legal.ins().brif(any, head, &[from.into()], after, &[]);
                }
                self.legal.builder.switch_to_block(head);
                (number, Some(head))
            }
        };
        OpenLoop {
            head,
            to,
            end,
            after,
            outer: std::mem::replace(&mut self.kernel.subgroup, number),
            outer_end: std::mem::replace(&mut self.kernel.subgroup_end, end),
            joins: std::mem::replace(&mut self.joins, vec![Some(end)]),
        }
    }

    /// Ends the loop: control is at the end of one subgroup's code.
    pub(super) fn close_subgroups(&mut self, open: OpenLoop) {
        self.legal.ins().jump(open.end, &[]);
        self.start(open.end);
        self.finish_subgroups(open);
    }

    /// In the end block: on to the next subgroup, or out.
    pub(super) fn finish_subgroups(&mut self, open: OpenLoop) {
        match open.head {
            Some(head) => {
                let up = self.legal.add_const(self.kernel.subgroup, 1);
                let more = self.legal.ins().icmp(IntCC::UnsignedLessThan, up, open.to);
                self.legal.ins().brif(more, head, &[up.into()], open.after, &[]);
                self.legal.builder.seal_block(head);
            }
            None => {
                self.legal.ins().jump(open.after, &[]);
            }
        }
        self.start(open.after);
        self.kernel.subgroup = open.outer;
        self.kernel.subgroup_end = open.outer_end;
        self.joins = open.joins;
        self.set_exec_full();
    }
}
