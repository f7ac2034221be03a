//! Values computed once a kernel call: descriptors' addresses and sizes, element counts, bounds.
//!
//! In: requests while a subgroup's code is emitted. Out: CLIF in the prologue block, before its terminator, so that the
//! values dominate everything; asking again gives the same value.
//!
//! Sizes are unsigned 32-bit numbers: a buffer over [`MAX_BUFFER_SIZE`](crate::abi::MAX_BUFFER_SIZE) cannot be bound.

use super::emit::Emitter;
use super::kernel::context_flags;
use crate::abi::{Context, Descriptor};
use cranelift_codegen::cursor::{Cursor, FuncCursor};
use cranelift_codegen::ir::{self as clif, InstBuilder, condcodes::IntCC, types};
use std::mem::offset_of;

/// What can be asked for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Hoist {
    /// Address of the zero block.
    ZeroBlock,
    /// Address of the push constants.
    Push,
    /// Address of the descriptor table.
    Descriptors,
    /// Address in scratch memory.
    Scratch(usize),
    /// Address of the buffer in a slot.
    Base(u32),
    /// Its bytes, 32 bits.
    Size(u32),
    /// Its address, or the zero block's where it has fewer bytes than this.
    BaseFor {
        /// Descriptor slot.
        slot: u32,
        /// Bytes that must be there.
        bytes: u32,
    },
    /// Number of indices `i` for which `i * stride + end` bytes are within the buffer, 32 bits.
    Count {
        /// Descriptor slot.
        slot: u32,
        /// Bytes up to the end of the access with index 0.
        end: u32,
        /// Bytes from index to index.
        stride: u32,
    },
    /// Number of indices `i` for which `i` and the `over` indices after it are within the count, 32 bits.
    CountLess {
        /// Descriptor slot.
        slot: u32,
        /// Bytes up to the end of the access with index 0.
        end: u32,
        /// Bytes from index to index.
        stride: u32,
        /// Further indices.
        over: u32,
    },
    /// Has the buffer this many bytes? An `i8`.
    Holds {
        /// Descriptor slot.
        slot: u32,
        /// Bytes.
        bytes: u32,
    },
}

impl Emitter<'_> {
    /// The value of `what`, computed in the prologue.
    pub fn hoist(&mut self, what: Hoist) -> clif::Value {
        if let Some(&known) = self.hoisted.get(&what) {
            return known;
        }
        let value = match what {
            Hoist::ZeroBlock => self.field(types::I64, offset_of!(Context, zero_block)),
            Hoist::Push => self.field(types::I64, offset_of!(Context, push)),
            Hoist::Descriptors => self.field(types::I64, offset_of!(Context, descriptors)),
            Hoist::Scratch(offset) => {
                let scratch = self.kernel.scratch;
                let mut c = self.prologue();
                let offset = c.ins().iconst(types::I64, offset as i64);
                c.ins().iadd(scratch, offset)
            }
            Hoist::Base(slot) => self.descriptor(slot, types::I64, offset_of!(Descriptor, base)),
            Hoist::Size(slot) => {
                let wide = self.descriptor(slot, types::I64, offset_of!(Descriptor, size));
                self.prologue().ins().ireduce(types::I32, wide)
            }
            Hoist::BaseFor { slot, bytes } => {
                let base = self.hoist(Hoist::Base(slot));
                let zero = self.hoist(Hoist::ZeroBlock);
                let holds = self.hoist(Hoist::Holds { slot, bytes });
                self.prologue().ins().select(holds, base, zero)
            }
            Hoist::Holds { slot, bytes } => {
                let size = self.hoist(Hoist::Size(slot));
                let mut c = self.prologue();
                let bytes = c.ins().iconst(types::I32, i64::from(bytes));
                c.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, size, bytes)
            }
            Hoist::Count { slot, end, stride } => {
                let size = self.hoist(Hoist::Size(slot));
                let holds = self.hoist(Hoist::Holds { slot, bytes: end });
                let mut c = self.prologue();
                let end = c.ins().iconst(types::I32, i64::from(end));
                let rest = c.ins().isub(size, end);
                let whole = if stride.is_power_of_two() {
                    let amount = c.ins().iconst(types::I32, i64::from(stride.trailing_zeros()));
                    c.ins().ushr(rest, amount)
                } else {
                    let stride = c.ins().iconst(types::I32, i64::from(stride.max(1)));
                    c.ins().udiv(rest, stride)
                };
                let one = c.ins().iconst(types::I32, 1);
                let count = c.ins().iadd(whole, one);
                let zero = c.ins().iconst(types::I32, 0);
                c.ins().select(holds, count, zero)
            }
            Hoist::CountLess { slot, end, stride, over } => {
                let count = self.hoist(Hoist::Count { slot, end, stride });
                let mut c = self.prologue();
                let over = c.ins().iconst(types::I32, i64::from(over));
                let less = c.ins().isub(count, over);
                let enough = c.ins().icmp(IntCC::UnsignedGreaterThan, count, over);
                let zero = c.ins().iconst(types::I32, 0);
                c.ins().select(enough, less, zero)
            }
        };
        self.hoisted.insert(what, value);
        value
    }

    /// A cursor at the end of the prologue.
    pub fn prologue(&mut self) -> FuncCursor<'_> {
        let block = self.kernel.prologue;
        let func = &mut *self.legal.builder.func;
        match func.layout.last_inst(block) {
            Some(terminator) => FuncCursor::new(func).at_inst(terminator),
            None => FuncCursor::new(func).at_bottom(block),
        }
    }

    fn field(&mut self, ty: clif::Type, offset: usize) -> clif::Value {
        let context = self.kernel.context;
        self.prologue().ins().load(ty, context_flags(), context, offset as i32)
    }

    fn descriptor(&mut self, slot: u32, ty: clif::Type, offset: usize) -> clif::Value {
        let table = self.hoist(Hoist::Descriptors);
        let offset = slot as i32 * size_of::<Descriptor>() as i32 + offset as i32;
        self.prologue().ins().load(ty, context_flags(), table, offset)
    }
}
