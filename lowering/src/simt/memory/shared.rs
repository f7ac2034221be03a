//! Workgroup variables: scratch memory of the thread that runs the workgroup.
//!
//! Components lie one after the other, a word each, or a pair of words each where any has 64 bits; what is narrower than a
//! word is one, as held. Blocks (WorkgroupMemoryExplicitLayoutKHR) lie as they are decorated, all of them in the same memory.
//! Everything else is as for buffers, with fixed sizes: an index out of bounds loads 0 and stores nothing.

use super::super::emit::Emitter;
use super::super::hoist::Hoist;
use super::super::memory_flags::frame_flags;
use super::super::value::held_bits;
use crate::analysis::constant_leaf_bits;
use crate::analysis::layout::{MatrixLayout, size_of};
use crate::ir::{ConstData, Function, GlobalId, Scalar, StorageClass, Type, ValueDef};
use crate::{Arch, Error, Result};
use cranelift_codegen::ir::{InstBuilder, condcodes::IntCC, types};
use cranelift_entity::EntitySet;

/// Most bytes of Workgroup variables.
pub const MAX_SHARED: usize = 1 << 20;

impl Emitter<'_> {
    /// Places the Workgroup variables that the module's functions use, and sets those with an initialiser.
    pub(in crate::simt) fn place_shared(&mut self) -> Result<()> {
        let globals = |func: &Function| -> Vec<GlobalId> {
            let shared = |id: &GlobalId| self.module.globals[*id].class == StorageClass::Workgroup;
            let defs = func.values.values().map(|data| data.def);
            defs.filter_map(|def| if let ValueDef::Global(id) = def { Some(id) } else { None }).filter(shared).collect()
        };
        // Functions that are called find them where the kernel has placed them.
        let mut used = globals(self.func);
        used.extend(self.module.functions.values().flat_map(globals));
        if used.iter().any(|&id| self.is_shared_block(id)) {
            // All blocks are the same memory, so that one that is only declared sets what others read.
            let declared = self.entry.interface.iter().copied();
            used.extend(declared.filter(|&id| self.module.globals[id].init.is_some() && self.is_shared_block(id)));
        }
        let mut seen = EntitySet::new();
        used.retain(|&id| seen.insert(id));
        let mut bytes = 0;
        // The memory of all blocks.
        let mut blocks: Option<usize> = None;
        let sizes = used.iter().filter(|&&id| self.is_shared_block(id)).map(|&id| self.block_size(id));
        let block_bytes = sizes.collect::<Result<Vec<usize>>>()?.into_iter().max().unwrap_or(0);
        for id in used {
            let global = &self.module.globals[id];
            let Some((_, ty)) = self.module.types.pointee(global.ty) else { continue };
            let unit = self.unit_of(global.ty) as usize;
            let (at, words) = if self.is_shared_block(id) {
                let at = *blocks.get_or_insert_with(|| {
                    bytes += block_bytes;
                    self.locals.reserve(block_bytes)
                });
                (at, self.block_size(id)? / 4)
            } else {
                let leaves = self.leaf_count(ty).map_err(|error| error.or_at(|| self.place(global.loc)))?;
                let size = unit * leaves as usize;
                bytes += size;
                (self.locals.reserve(size), size / 4)
            };
            if bytes > MAX_SHARED {
                let what = format!("Workgroup variables need more than {MAX_SHARED} bytes; use a buffer");
                return Err(Error::Limit { place: self.place(global.loc), what });
            }
            self.locals.shared.insert(id, at);
            if let Some(init) = global.init {
                let null = matches!(self.module.consts[init].data, ConstData::Null | ConstData::Undef);
                let mut held = vec![0; words];
                if !null && !self.is_shared_block(id) {
                    let scalars = self.scalars(ty)?;
                    let words = scalars.iter().enumerate().flat_map(|(i, &scalar)| {
                        let bits = held_bits(scalar, constant_leaf_bits(self.module, init, i).unwrap_or(0));
                        self.words_in_memory(bits, scalar, unit)
                    });
                    held = words.collect();
                }
                self.fill_shared(at, &held);
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

    /// Is a Workgroup variable a block with a layout of its own?
    pub(in crate::simt) fn is_shared_block(&self, id: GlobalId) -> bool {
        let types = &self.module.types;
        match types.pointee(self.module.globals[id].ty) {
            Some((StorageClass::Workgroup, ty)) => matches!(types[ty], Type::Struct(id) if types.structs[id].block),
            _ => false,
        }
    }

    /// Bytes of a block, in whole words.
    fn block_size(&self, id: GlobalId) -> Result<usize> {
        let global = &self.module.globals[id];
        let types = &self.module.types;
        let size = types.pointee(global.ty).and_then(|(_, ty)| size_of(types, ty, MatrixLayout::default()));
        let what = "a block in Workgroup memory without a size".into();
        let size = size.ok_or_else(|| Error::InvalidSpirv { place: self.place(global.loc), what })?;
        Ok(usize::try_from(size).unwrap_or(usize::MAX).min(MAX_SHARED + 1).next_multiple_of(4))
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
