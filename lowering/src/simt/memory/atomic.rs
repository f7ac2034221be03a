//! Atomics and memory barriers (SPIR-V specification, "Atomic Instructions", "Barrier Instructions").
//!
//! Every active lane that is in bounds does its own operation, in order of lanes; others go to a sink, and get 0. On
//! buffers these are machine atomics, sequentially consistent. On Workgroup variables they are plain loads and stores,
//! since one thread runs all of a workgroup.

use super::super::emit::Emitter;
use super::super::legal::Legal;
use super::super::memory_flags::atomic_flags;
use super::super::value::{Chunks, Comp, Comps};
use super::pointer::{Pointer, Root};
use crate::ir::{Inst, Loc, Scalar, VOLATILE, Value};
use crate::{Error, Result};
use cranelift_codegen::ir::{self as clif, AtomicRmwOp, InstBuilder, condcodes::IntCC, types};
use smallvec::{SmallVec, smallvec};
use spirv::Op;

/// Is this an atomic operation on memory?
pub(in crate::simt) fn is_atomic(op: Op) -> bool {
    kind(op).is_some()
}

/// What one lane does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Load,
    Store,
    /// A read-modify-write that the machine has.
    Rmw(AtomicRmwOp),
    /// One with a constant operand.
    Step(i64),
    CompareExchange,
    /// Of floats.
    FAdd,
    FMin,
    FMax,
}

fn kind(op: Op) -> Option<Kind> {
    Some(match op {
        Op::AtomicLoad => Kind::Load,
        Op::AtomicStore => Kind::Store,
        Op::AtomicExchange => Kind::Rmw(AtomicRmwOp::Xchg),
        Op::AtomicCompareExchange => Kind::CompareExchange,
        Op::AtomicIIncrement => Kind::Step(1),
        Op::AtomicIDecrement => Kind::Step(-1),
        Op::AtomicIAdd => Kind::Rmw(AtomicRmwOp::Add),
        Op::AtomicISub => Kind::Rmw(AtomicRmwOp::Sub),
        Op::AtomicSMin => Kind::Rmw(AtomicRmwOp::Smin),
        Op::AtomicUMin => Kind::Rmw(AtomicRmwOp::Umin),
        Op::AtomicSMax => Kind::Rmw(AtomicRmwOp::Smax),
        Op::AtomicUMax => Kind::Rmw(AtomicRmwOp::Umax),
        Op::AtomicAnd => Kind::Rmw(AtomicRmwOp::And),
        Op::AtomicOr => Kind::Rmw(AtomicRmwOp::Or),
        Op::AtomicXor => Kind::Rmw(AtomicRmwOp::Xor),
        Op::AtomicFAddEXT => Kind::FAdd,
        Op::AtomicFMinEXT => Kind::FMin,
        Op::AtomicFMaxEXT => Kind::FMax,
        _ => return None,
    })
}

impl Emitter<'_> {
    /// An atomic operation.
    pub(in crate::simt) fn atomic(
        &mut self,
        op: Op,
        inst: &Inst,
        result: Option<Value>,
        loc: Loc,
    ) -> Result<Option<Comps>> {
        let Some(kind) = kind(op) else { return Err(Error::Internal(format!("{op:?} is not atomic"))) };
        let pointer = self.pointer(inst.operands[0], loc)?;
        let leaves = self.leaves(&pointer, loc)?;
        let [leaf] = leaves[..] else {
            return Err(self.unsupported(loc, format!("{op:?}"), "the memory is not one integer or float"));
        };
        if leaf.scalar.bits() != 32 || leaf.scalar == Scalar::Bool {
            let what = format!("{op:?} on {:?}", leaf.scalar);
            return Err(self.unsupported(loc, what, "this version does the 32-bit types only"));
        }
        let aligned = pointer.offset % 4 == 0 && pointer.terms.iter().all(|t| t.stride % 4 == 0);
        if !aligned {
            return Err(self.unsupported(loc, format!("{op:?}"), "the address is not a multiple of 4"));
        }
        let plain = match pointer.root {
            Root::Shared(_) => true,
            Root::Buffer { .. } => false,
            _ => return Err(self.unsupported(loc, format!("{op:?}"), "the memory is neither a buffer nor shared")),
        };
        // Operands: pointer, scope, semantics [, semantics], value [, comparator].
        let given: SmallVec<[Value; 2]> = match kind {
            Kind::CompareExchange => inst.operands.iter().skip(4).copied().collect(),
            _ => inst.operands.iter().skip(3).copied().collect(),
        };
        let mut values: SmallVec<[Comp; 2]> = given.iter().map(|&v| self.scalar(v)).collect::<Result<_>>()?;
        if let Kind::Step(by) = kind {
            values = smallvec![Comp::Uniform(self.legal.ins().iconst(types::I32, by & 0xffff_ffff))];
        }
        let wanted = match kind {
            Kind::Store => 1,
            Kind::Load => 0,
            Kind::CompareExchange => 2,
            _ => 1,
        };
        if values.len() < wanted {
            return Err(Error::InvalidSpirv { place: self.place(loc), what: format!("{op:?} without its operands") });
        }
        let used = result.is_some_and(|r| self.is_used(r));
        self.legal.stats.atomics += 1;
        let olds = self.atomic_lanes(&pointer, kind, plain, &values, leaf.scalar, used);
        Ok(result.map(|_| smallvec![olds]))
    }

    /// Does anything use this value?
    fn is_used(&mut self, value: Value) -> bool {
        if self.used.is_none() {
            let mut used = cranelift_entity::EntitySet::new();
            let func = self.func;
            for op in func.ops.values() {
                op.kind.clone().for_each_operand(|v| {
                    used.insert(*v);
                });
            }
            for region in func.regions.values() {
                region.end.clone().for_each_operand(|v| {
                    used.insert(*v);
                });
            }
            self.used = Some(used);
        }
        self.used.as_ref().is_some_and(|used| used.contains(value))
    }

    fn atomic_lanes(
        &mut self,
        pointer: &Pointer,
        kind: Kind,
        plain: bool,
        values: &[Comp],
        scalar: Scalar,
        used: bool,
    ) -> Comp {
        let w = self.width;
        let active = if self.exec.full { None } else { Some(self.exec_mask()) };
        let (offsets, ok) = self.lane_offsets(pointer, 4, active.as_ref());
        let base = self.root_base(pointer);
        let ty = Legal::scalar_type(scalar);
        let given: Vec<Chunks> = values.iter().map(|v| self.chunks(v, scalar)).collect();
        let sink = ok.as_ref().map(|_| self.sink_address());
        let mut olds: SmallVec<[clif::Value; 8]> = SmallVec::new();
        for lane in 0..w.subgroup {
            let mut address = self.lane_address(base, &offsets, lane);
            let on = ok.as_ref().map(|ok| self.mask_lane(ok, lane));
            if let (Some(on), Some(sink)) = (on, sink) {
                address = self.legal.ins().select(on, address, sink);
            }
            let args: SmallVec<[clif::Value; 2]> = values
                .iter()
                .zip(&given)
                .map(|(v, chunks)| match v {
                    Comp::Uniform(v) => *v,
                    _ => self.lane(chunks, lane, w.chunk),
                })
                .collect();
            let old = if plain {
                self.plain_lane(kind, address, &args, ty)
            } else {
                self.atomic_lane(kind, address, &args, ty)
            };
            if used && kind != Kind::Store {
                let old = match on {
                    Some(on) => {
                        let zero = self.zero(ty);
                        self.legal.ins().select(on, old, zero)
                    }
                    None => old,
                };
                olds.push(old);
            }
        }
        if olds.is_empty() {
            return Comp::Uniform(self.zero(ty));
        }
        if w.chunk == 1 {
            return Comp::Varying(olds.into_iter().collect());
        }
        Comp::Varying(olds.chunks(4).map(|c| self.legal.vector([c[0], c[1], c[2], c[3]])).collect())
    }

    /// One lane's operation on memory of the workgroup.
    fn plain_lane(&mut self, kind: Kind, address: clif::Value, args: &[clif::Value], ty: clif::Type) -> clif::Value {
        if kind == Kind::Store {
            self.legal.ins().store(atomic_flags(), args[0], address, 0);
            return args[0];
        }
        let old = self.legal.ins().load(ty, atomic_flags(), address, 0);
        let new = match kind {
            Kind::Load | Kind::Store => return old,
            Kind::CompareExchange => {
                let same = self.legal.ins().icmp(IntCC::Equal, old, args[1]);
                self.legal.ins().select(same, args[0], old)
            }
            _ => self.combine(kind, old, args[0]),
        };
        self.legal.ins().store(atomic_flags(), new, address, 0);
        old
    }

    /// What a read-modify-write leaves in memory.
    fn combine(&mut self, kind: Kind, old: clif::Value, value: clif::Value) -> clif::Value {
        let l = &mut self.legal;
        match kind {
            Kind::Step(_) => l.iadd(old, value),
            Kind::FAdd => l.fadd(old, value),
            Kind::FMin => l.nmin(old, value),
            Kind::FMax => l.nmax(old, value),
            Kind::Rmw(op) => match op {
                AtomicRmwOp::Add => l.iadd(old, value),
                AtomicRmwOp::Sub => l.isub(old, value),
                AtomicRmwOp::And => l.band(old, value),
                AtomicRmwOp::Or => l.bor(old, value),
                AtomicRmwOp::Xor => l.bxor(old, value),
                AtomicRmwOp::Umin => l.umin(old, value),
                AtomicRmwOp::Umax => l.umax(old, value),
                AtomicRmwOp::Smin => l.smin(old, value),
                AtomicRmwOp::Smax => l.smax(old, value),
                _ => value,
            },
            Kind::Load | Kind::Store | Kind::CompareExchange => value,
        }
    }

    /// One lane's operation on a buffer.
    fn atomic_lane(&mut self, kind: Kind, address: clif::Value, args: &[clif::Value], ty: clif::Type) -> clif::Value {
        let word = |e: &mut Self, v: clif::Value| e.legal.reinterpret(v, types::I32);
        match kind {
            Kind::Load => {
                let old = self.legal.ins().atomic_load(types::I32, atomic_flags(), address);
                self.legal.reinterpret(old, ty)
            }
            Kind::Store => {
                let value = word(self, args[0]);
                self.legal.ins().atomic_store(atomic_flags(), value, address);
                args[0]
            }
            Kind::Rmw(op) => {
                let value = word(self, args[0]);
                let old = self.legal.ins().atomic_rmw(types::I32, atomic_flags(), op, address, value);
                self.legal.reinterpret(old, ty)
            }
            Kind::Step(_) => {
                self.legal.ins().atomic_rmw(types::I32, atomic_flags(), AtomicRmwOp::Add, address, args[0])
            }
            Kind::CompareExchange => self.legal.ins().atomic_cas(atomic_flags(), address, args[1], args[0]),
            Kind::FAdd | Kind::FMin | Kind::FMax => self.compare_loop(kind, address, args[0], ty),
        }
    }

    /// A read-modify-write that the machine does not have: try until nobody came between.
    fn compare_loop(&mut self, kind: Kind, address: clif::Value, value: clif::Value, ty: clif::Type) -> clif::Value {
        let [head, after] = std::array::from_fn(|_| self.legal.builder.create_block());
        let seen = self.legal.builder.append_block_param(head, types::I32);
        let first = self.legal.ins().atomic_load(types::I32, atomic_flags(), address);
        self.legal.ins().jump(head, &[first.into()]);
        self.legal.builder.switch_to_block(head);
        let old = self.legal.reinterpret(seen, ty);
        let new = self.combine(kind, old, value);
        let new = self.legal.reinterpret(new, types::I32);
        let found = self.legal.ins().atomic_cas(atomic_flags(), address, seen, new);
        let done = self.legal.ins().icmp(IntCC::Equal, found, seen);
        self.legal.ins().brif(done, after, &[], head, &[found.into()]);
        self.legal.builder.seal_block(head);
        self.start(after);
        old
    }

    /// An access; where others see it and are seen by it, it stays apart from those before and after it. Cranelift forwards
    /// from plain accesses to plain accesses, and drops what is overwritten.
    pub(in crate::simt) fn ordered<T>(
        &mut self,
        inst: &Inst,
        access: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        if inst.flags & VOLATILE == 0 {
            return access(self);
        }
        self.legal.ins().sequence_point();
        let done = access(self)?;
        self.legal.ins().sequence_point();
        Ok(done)
    }

    /// A memory barrier of the scope that an id gives. Up to the workgroup's nothing is needed: its invocations run on
    /// one thread, in program order.
    pub(in crate::simt) fn memory_barrier(&mut self, scope: Option<Value>) {
        const WORKGROUP: u64 = spirv::Scope::Workgroup as u64;
        let scope = scope.and_then(|v| self.func.as_const(v)).and_then(|c| self.module.scalar_bits(c));
        if scope.is_none_or(|s| s < WORKGROUP || s > spirv::Scope::Invocation as u64) {
            self.legal.ins().fence();
        }
    }
}
