//! Workgroup variables: scratch memory of the thread that runs the workgroup.
//!
//! Components lie one after the other, a word each, or a pair of words each where any has 64 bits; what is narrower than a
//! word is one, as held. Everything else is as for buffers, with fixed
//! sizes: an index out of bounds loads 0 and stores nothing.

use super::super::emit::Emitter;
use super::super::hoist::Hoist;
use super::super::memory_flags::frame_flags;
use super::super::value::held_bits;
use crate::analysis::constant_leaf_bits;
use crate::ir::{GlobalId, Scalar, StorageClass, ValueDef};
use crate::{Arch, Error, Result};
use cranelift_codegen::ir::{InstBuilder, condcodes::IntCC, types};

/// Most bytes of Workgroup variables.
pub const MAX_SHARED: usize = 1 << 20;

impl Emitter<'_> {
    /// Places the Workgroup variables that the function uses, and sets those with an initialiser.
    pub(in crate::simt) fn place_shared(&mut self) -> Result<()> {
        let used: Vec<GlobalId> = self
            .func
            .values
            .values()
            .filter_map(|data| match data.def {
                ValueDef::Global(id) if self.module.globals[id].class == StorageClass::Workgroup => Some(id),
                _ => None,
            })
            .collect();
        let mut bytes = 0;
        for id in used {
            let global = &self.module.globals[id];
            let Some((_, ty)) = self.module.types.pointee(global.ty) else { continue };
            let components = self.leaf_count(ty)? as usize;
            let unit = self.unit_of(global.ty) as usize;
            let at = self.locals.reserve(unit * components);
            bytes += unit * components;
            if bytes > MAX_SHARED {
                let what = format!("Workgroup variables need more than {MAX_SHARED} bytes; use a buffer");
                return Err(Error::Limit { place: self.place(global.loc), what });
            }
            self.locals.shared.insert(id, at);
            if let Some(init) = global.init {
                let scalars = self.scalars(ty)?;
                let mut words = vec![];
                for (i, &scalar) in scalars.iter().enumerate() {
                    let bits = held_bits(scalar, constant_leaf_bits(self.module, init, i).unwrap_or(0));
                    words.extend(self.words_in_memory(bits, scalar, unit));
                }
                self.fill_shared(at, &words);
            }
        }
        Ok(())
    }

    /// A component's room as words, in the target's order.
    fn words_in_memory(&self, bits: u64, scalar: Scalar, unit: usize) -> Vec<u32> {
        let (low, high) = (bits as u32, (bits >> 32) as u32);
        match (unit, scalar.bits(), self.legal.target.arch) {
            (4, ..) => vec![low],
            (_, 64, Arch::S390x) => vec![high, low],
            _ => vec![low, high],
        }
    }

    /// Sets words of scratch memory, at the current point.
    fn fill_shared(&mut self, at: usize, words: &[u32]) {
        let base = self.hoist(Hoist::Scratch(at));
        if words.iter().any(|&w| w != 0) {
            for (i, &word) in words.iter().enumerate() {
                let word = self.legal.ins().iconst(types::I32, i64::from(word));
                self.legal.ins().store(frame_flags(), word, base, 4 * i as i32);
            }
            return;
        }
        let [head, after] = std::array::from_fn(|_| self.legal.builder.create_block());
        let address = self.legal.builder.append_block_param(head, types::I64);
        self.legal.ins().jump(head, &[base.into()]);
        self.legal.builder.switch_to_block(head);
        let zero = self.legal.ins().iconst(types::I32, 0);
        self.legal.ins().store(frame_flags(), zero, address, 0);
        let four = self.legal.ins().iconst(types::I64, 4);
        let up = self.legal.ins().iadd(address, four);
        let length = self.legal.ins().iconst(types::I64, 4 * words.len() as i64);
        let end = self.legal.ins().iadd(base, length);
        let more = self.legal.ins().icmp(IntCC::UnsignedLessThan, up, end);
        self.legal.ins().brif(more, head, &[up.into()], after, &[]);
        self.legal.builder.seal_block(head);
        self.start(after);
    }
}
