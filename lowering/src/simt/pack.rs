//! Small workgroups side by side: lane `l` of a subgroup is invocation `l % P` of workgroup `x + l / P`.
//!
//! In: a module, its entry point with P invocations a workgroup, W. Out: how many workgroups of a row (of X) share a
//! subgroup, or why only one does; the built-in variables of such a subgroup. At the end of a row, and of the
//! range that a thread has taken, fewer workgroups are there than lanes for them: the others are off.
//!
//! A shader cannot tell, where nothing is shared by the invocations of a workgroup (Workgroup memory, barriers, subgroup
//! operations), and no workgroup waits for another. Two workgroups in one subgroup run in lock-step, so that one that spins
//! until the other has written something would spin for ever: what loops, and reads what others may write meanwhile, is
//! left alone. Built-ins: Vulkan specification, "Built-In Variables".

use super::emit::Emitter;
use super::pairs::tells_size;
use super::value::{Comp, Comps, Width};
use crate::analysis::builtin_shapes;
use crate::analysis::shape::Shape;
use crate::ir::{BuiltIn, EntryPoint, Function, Module, OpKind, StorageClass, VOLATILE};
use crate::ops::{self, Family};
use cranelift_codegen::ir::{InstBuilder, types};
use smallvec::smallvec;

/// `width` with as many workgroups side by side as fit, or why there is but one; `Ok` with one where no more than one fits.
pub(super) fn packed(module: &Module, entry: &EntryPoint, width: Width) -> Result<Width, &'static str> {
    let invocations: u32 = entry.local_size.iter().product();
    let groups = width.subgroup / invocations;
    if groups < 2 {
        return Ok(width);
    }
    // What the entry point does not reach is gone from the module by now.
    let functions = || module.functions.values();
    let insts = || functions().flat_map(|func| func.ops.values()).filter_map(inst);
    let family = |wanted: Family| insts().any(|inst| ops::row(inst.opcode).is_some_and(|row| row.family == wanted));
    let refusals: [(&dyn Fn() -> bool, &'static str); 4] = [
        (&|| module.globals.values().any(|g| g.class == StorageClass::Workgroup), "they have shared memory"),
        (&|| family(Family::Barrier), "they have barriers"),
        (&|| functions().any(|func| tells_size(module, func)), "they have subgroup operations"),
        (
            &|| functions().any(loops) && insts().any(may_wait_for_others),
            "a loop may wait for another workgroup: there are atomic, coherent or volatile accesses, or host functions",
        ),
    ];
    match refusals.iter().find(|(applies, _)| applies()) {
        Some((_, reason)) => Err(reason),
        None => Ok(Width { groups, ..width }),
    }
}

fn inst(op: &crate::ir::Op) -> Option<&crate::ir::Inst> {
    match &op.kind {
        OpKind::Inst(inst) => Some(inst),
        _ => None,
    }
}

fn loops(func: &Function) -> bool {
    func.ops.values().any(|op| matches!(op.kind, OpKind::Loop(_)))
}

/// May the instruction see what another workgroup has just written?
fn may_wait_for_others(inst: &crate::ir::Inst) -> bool {
    inst.flags & VOLATILE != 0 || ops::row(inst.opcode).is_none_or(|row| row.family == Family::Atomic)
}

impl Emitter<'_> {
    /// Built-ins that differ from workgroup to workgroup or within one; nothing for the others.
    pub(super) fn packed_builtin(&mut self, builtin: BuiltIn) -> Option<Comps> {
        let size = self.entry.local_size;
        let invocations: u32 = size.iter().product();
        let shapes = builtin_shapes(builtin, size, self.width);
        let local = move |lane: u32| {
            let index = lane % invocations;
            [index % size[0], index / size[0] % size[1], index / size[0] / size[1]]
        };
        let [x, y, z] = self.kernel.group;
        Some(match builtin {
            BuiltIn::WorkgroupId => {
                let first = self.lane_constants(shapes[0], |lane| lane / invocations);
                smallvec![self.plus(x, &first), Comp::Uniform(y), Comp::Uniform(z)]
            }
            BuiltIn::LocalInvocationId => {
                (0..3).map(|dim| self.lane_constants(shapes[dim], |l| local(l)[dim])).collect()
            }
            BuiltIn::LocalInvocationIndex => smallvec![self.lane_constants(shapes[0], |lane| lane % invocations)],
            BuiltIn::GlobalInvocationId => (0..3)
                .map(|dim| {
                    let group = |lane| if dim == 0 { lane / invocations * size[0] } else { 0 };
                    let offsets = self.lane_constants(shapes[dim], |lane| group(lane) + local(lane)[dim]);
                    self.global_id(dim, &offsets)
                })
                .collect(),
            _ => return None,
        })
    }

    /// `f(lane)` in every lane, in a shape that it has.
    fn lane_constants(&mut self, shape: Shape, f: impl Fn(u32) -> u32) -> Comp {
        let chunk = self.width.chunk;
        let starts = (0..self.width.subgroup).step_by(chunk as usize);
        let number = |e: &mut Self, lane| e.legal.ins().iconst(types::I32, i64::from(f(lane)));
        match shape.held() {
            Shape::Uniform(_) => Comp::Uniform(number(self, 0)),
            Shape::Affine(stride) => Comp::Affine { base: number(self, 0), stride },
            Shape::ChunkAffine(stride) => {
                Comp::ChunkAffine { bases: starts.map(|lane| number(self, lane)).collect(), stride }
            }
            Shape::Varying | Shape::Nearly(_) if chunk == 1 => {
                Comp::Varying(starts.map(|lane| number(self, lane)).collect())
            }
            Shape::Varying | Shape::Nearly(_) => {
                let lanes = |lane| (lane..lane + chunk).map(&f).collect::<Vec<u32>>();
                Comp::Varying(starts.map(|lane| self.legal.lanes_u32(&lanes(lane))).collect())
            }
        }
    }
}
