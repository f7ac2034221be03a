//! Atomics and memory barriers (SPIR-V specification, "Atomic Instructions", "Barrier Instructions").
//!
//! Every active lane that is in bounds does its own operation, in order of lanes; others go to a sink, and get 0. On
//! buffers these are machine atomics, sequentially consistent. On Workgroup variables they are plain loads and stores,
//! since one thread runs all of a workgroup.
//!
//! What the machine works on is a word: the bits of the integer or float that memory holds. Where it has no instruction for
//! an operation, it compares and exchanges words until nobody came between.

use super::super::emit::Emitter;
use super::super::legal::Legal;
use super::super::memory_flags::atomic_flags;
use super::super::value::{Chunks, Comp, Comps};
use super::pointer::{Pointer, Root};
use crate::ir::{Inst, Loc, Scalar, VOLATILE, Value};
use crate::ops::row;
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

/// What an operation works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cell {
    /// The type of the value.
    scalar: Scalar,
    /// How memory holds it: an integer type of as many bits.
    word: clif::Type,
    /// Memory of the workgroup: one thread uses it.
    plain: bool,
}

impl Cell {
    fn new(scalar: Scalar, as_held: bool, plain: bool) -> Cell {
        let word = match scalar.bits() {
            64 => types::I64,
            16 if !as_held => types::I16,
            _ => types::I32,
        };
        Cell { scalar, word, plain }
    }

    /// Does memory hold 16 bits of a value that lanes hold in 32?
    fn is_half(self) -> bool {
        self.word == types::I16
    }
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
        if !row(inst.opcode).is_some_and(|row| row.done.has(leaf.scalar)) {
            let what = format!("{op:?} on {:?}", leaf.scalar);
            return Err(self.unsupported(loc, what, "atomic operations have no form for this type"));
        }
        let plain = match pointer.root {
            Root::Shared(_) => true,
            Root::Buffer { .. } => false,
            _ => return Err(self.unsupported(loc, format!("{op:?}"), "the memory is neither a buffer nor shared")),
        };
        let cell = Cell::new(leaf.scalar, self.holds_lanes(pointer.root), plain);
        let size = cell.word.bytes();
        let aligned = pointer.offset % u64::from(size) == 0 && pointer.terms.iter().all(|t| t.stride % size == 0);
        if !aligned {
            let why = format!("the address is not a multiple of {size}");
            return Err(self.unsupported(loc, format!("{op:?}"), why));
        }
        // Operands: pointer, scope, semantics [, semantics], value [, comparator].
        let given: SmallVec<[Value; 2]> = match kind {
            Kind::CompareExchange => inst.operands.iter().skip(4).copied().collect(),
            _ => inst.operands.iter().skip(3).copied().collect(),
        };
        let mut values: SmallVec<[Comp; 2]> = given.iter().map(|&v| self.scalar(v)).collect::<Result<_>>()?;
        if let Kind::Step(by) = kind {
            values = smallvec![Comp::Uniform(self.legal.int(cell.word, by))];
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
        let olds = self.atomic_lanes(&pointer, kind, cell, &values, used);
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

    fn atomic_lanes(&mut self, pointer: &Pointer, kind: Kind, cell: Cell, values: &[Comp], used: bool) -> Comp {
        let (w, scalar) = (self.width, cell.scalar);
        let together = w.lanes(scalar);
        let active = if self.exec.full { None } else { Some(self.exec_mask()) };
        let (offsets, ok) = self.lane_offsets(pointer, cell.word.bytes(), active.as_ref());
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
                    _ => self.lane(chunks, lane, together),
                })
                .collect();
            let old = if cell.plain {
                self.plain_lane(kind, address, &args, cell)
            } else {
                self.atomic_lane(kind, address, &args, cell)
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
        if together == 1 {
            return Comp::Varying(olds.into_iter().collect());
        }
        Comp::Varying(olds.chunks(together as usize).map(|lanes| self.legal.vector(lanes)).collect())
    }

    /// The value that a word of memory stands for.
    fn value_of_word(&mut self, word: clif::Value, cell: Cell) -> clif::Value {
        if cell.is_half() {
            let bits = self.legal.ins().uextend(types::I32, word);
            return self.legal.half_from_bits(bits);
        }
        self.legal.reinterpret(word, Legal::scalar_type(cell.scalar))
    }

    /// The word of memory that stands for a value.
    fn word_of_value(&mut self, value: clif::Value, cell: Cell) -> clif::Value {
        if cell.is_half() {
            let bits = self.legal.half_bits(value);
            return self.legal.ins().ireduce(types::I16, bits);
        }
        self.legal.reinterpret(value, cell.word)
    }

    /// One lane's operation on memory of the workgroup.
    fn plain_lane(&mut self, kind: Kind, address: clif::Value, args: &[clif::Value], cell: Cell) -> clif::Value {
        if kind == Kind::Store {
            let word = self.word_of_value(args[0], cell);
            self.legal.ins().store(atomic_flags(), word, address, 0);
            return args[0];
        }
        let word = self.legal.ins().load(cell.word, atomic_flags(), address, 0);
        let old = self.value_of_word(word, cell);
        let new = match kind {
            Kind::Load | Kind::Store => return old,
            Kind::CompareExchange => {
                let same = self.legal.ins().icmp(IntCC::Equal, old, args[1]);
                self.legal.ins().select(same, args[0], old)
            }
            _ => self.combine(kind, old, args[0], cell.scalar),
        };
        let new = self.word_of_value(new, cell);
        self.legal.ins().store(atomic_flags(), new, address, 0);
        old
    }

    /// What a read-modify-write leaves in memory.
    fn combine(&mut self, kind: Kind, old: clif::Value, value: clif::Value, scalar: Scalar) -> clif::Value {
        let l = &mut self.legal;
        match kind {
            Kind::Step(_) => l.iadd(old, value),
            Kind::FAdd if scalar == Scalar::Float(16) => {
                let sum = l.fadd(old, value);
                l.round_to_half(sum)
            }
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
    fn atomic_lane(&mut self, kind: Kind, address: clif::Value, args: &[clif::Value], cell: Cell) -> clif::Value {
        let flags = atomic_flags();
        let old = match kind {
            Kind::Load => self.legal.ins().atomic_load(cell.word, flags, address),
            Kind::Store => {
                let word = self.word_of_value(args[0], cell);
                self.legal.ins().atomic_store(flags, word, address);
                return args[0];
            }
            Kind::Rmw(op) => {
                let word = self.word_of_value(args[0], cell);
                self.legal.ins().atomic_rmw(cell.word, flags, op, address, word)
            }
            Kind::Step(_) => self.legal.ins().atomic_rmw(cell.word, flags, AtomicRmwOp::Add, address, args[0]),
            Kind::CompareExchange => self.legal.ins().atomic_cas(flags, address, args[1], args[0]),
            Kind::FAdd | Kind::FMin | Kind::FMax => return self.compare_loop(kind, address, args[0], cell),
        };
        self.value_of_word(old, cell)
    }

    /// A read-modify-write that the machine does not have: try until nobody came between.
    fn compare_loop(&mut self, kind: Kind, address: clif::Value, value: clif::Value, cell: Cell) -> clif::Value {
        let [head, after] = std::array::from_fn(|_| self.legal.builder.create_block());
        let seen = self.legal.builder.append_block_param(head, cell.word);
        let first = self.legal.ins().atomic_load(cell.word, atomic_flags(), address);
        self.legal.ins().jump(head, &[first.into()]);
        self.legal.builder.switch_to_block(head);
        let old = self.value_of_word(seen, cell);
        let new = self.combine(kind, old, value, cell.scalar);
        let new = self.word_of_value(new, cell);
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
