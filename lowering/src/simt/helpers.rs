//! Out-of-line helpers that all slow paths of a kernel share, so that they are not inlined at every access.
//!
//! All go over `lanes` lanes: lane `l` has index `first + l * step` (wrapping), and is in bounds when that is below
//! `count`; its address is `base + index * stride`. Values have 8, 16, 32 or 64 bits there. In memory of the kernel's own
//! they are 32-bit words, zero-extended, or 64-bit ones.
//!
//! ```text
//! load(base, first: i32, step: i32, count: i32, stride: i64, lanes at buffer: out, lanes: i32)
//! gather(the same; lanes at buffer: 32-bit indices in, 32-bit values out)
//! store(base, first: i32, step: i32, count: i32, stride: i64, lanes at buffer: values, then 32-bit masks, lanes: i32)
//! ```

use super::emit::Emitter;
use super::masked::Version;
use super::memory_flags::{data_flags, frame_flags};
use crate::Target;
use crate::analysis::uniformity::Shapes;
use crate::ir::FuncId;
use crate::lowered::LoweredFunction;
use cranelift_codegen::ir::{
    self as clif, AbiParam, ExtFuncData, ExternalName, FuncRef, InstBuilder, Signature, StackSlot, StackSlotData,
    StackSlotKind, UserExternalName, UserFuncName, condcodes::IntCC, types,
};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use std::collections::HashMap;
use std::rc::Rc;

/// A helper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Helper {
    /// Loads lanes of that many bits.
    Load(u32),
    /// Loads 32-bit lanes whose indices are listed in the buffer.
    Gather32,
    /// Stores the lanes of that many bits whose mask is set.
    Store(u32),
}

impl Helper {
    fn bits(self) -> u32 {
        match self {
            Helper::Load(bits) | Helper::Store(bits) => bits,
            Helper::Gather32 => 32,
        }
    }

    fn stores(self) -> bool {
        matches!(self, Helper::Store(_))
    }

    fn name(self) -> String {
        match self {
            Helper::Load(bits) => format!("g2n_load{bits}"),
            Helper::Gather32 => "g2n_gather32".into(),
            Helper::Store(bits) => format!("g2n_store{bits}"),
        }
    }
}

/// What a kernel calls.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Callee {
    /// A helper.
    Helper(Helper),
    /// A lane-wise function on that many lanes.
    Lanes(FuncId, u32),
    /// Any other function, for arguments of these shapes.
    Masked(FuncId, Rc<[Shapes]>),
}

/// What a kernel and its functions call, in the order in which a [`LoweredModule`](crate::LoweredModule) has them, from 1.
#[derive(Default)]
pub(super) struct Callees {
    list: Vec<Callee>,
    numbers: HashMap<Callee, u32>,
    /// What is known of those that are called with a mask.
    pub versions: HashMap<Callee, Rc<Version>>,
}

impl Callees {
    /// The callee with that number.
    pub fn get(&self, number: u32) -> Option<&Callee> {
        self.list.get((number as usize).checked_sub(1)?)
    }

    fn number(&mut self, callee: &Callee) -> u32 {
        if let Some(&known) = self.numbers.get(callee) {
            return known;
        }
        self.list.push(callee.clone());
        let number = self.list.len() as u32;
        self.numbers.insert(callee.clone(), number);
        number
    }
}

/// Callees and memory that a function uses.
#[derive(Default)]
pub(super) struct Helpers {
    /// What all functions of the module call.
    pub callees: Callees,
    refs: HashMap<u32, FuncRef>,
    sink: Option<StackSlot>,
    outside: Option<StackSlot>,
    exchange: Option<StackSlot>,
    results: Option<StackSlot>,
    frame: Option<StackSlot>,
}

const SIGNATURE: [clif::Type; 7] = [types::I64, types::I32, types::I32, types::I32, types::I64, types::I64, types::I32];

fn signature(target: &Target) -> Signature {
    let mut signature = Signature::new(target.call_conv);
    signature.params.extend(SIGNATURE.map(AbiParam::new));
    signature
}

impl Helpers {
    /// For a function of a module that calls these so far.
    pub fn new(callees: Callees) -> Helpers {
        Helpers { callees, ..Helpers::default() }
    }

    /// The sink's stack slot.
    pub fn sink(&mut self, builder: &mut FunctionBuilder<'_>) -> StackSlot {
        *self.sink.get_or_insert_with(|| {
            builder.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, 16, 4))
        })
    }

    /// The stack slot through which functions outside get and give values; it grows to what the largest call needs.
    pub fn outside(&mut self, builder: &mut FunctionBuilder<'_>, bytes: u32) -> StackSlot {
        let slot = *self.outside.get_or_insert_with(|| {
            builder.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, bytes, 4))
        });
        let data = &mut builder.func.sized_stack_slots[slot];
        data.size = data.size.max(bytes);
        slot
    }

    /// The stack slot through which lanes of that many bytes are exchanged: values, then masks.
    pub fn exchange(&mut self, builder: &mut FunctionBuilder<'_>, lanes: u32, bytes: u32) -> StackSlot {
        let size = (bytes.max(4) + 4) * lanes;
        let slot = *self.exchange.get_or_insert_with(|| {
            builder.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, size, 4))
        });
        let known = &mut builder.func.sized_stack_slots[slot].size;
        *known = size.max(*known);
        slot
    }

    /// The stack slot that a lane-wise function writes results to, at least that large.
    pub fn results(&mut self, builder: &mut FunctionBuilder<'_>, bytes: u32) -> StackSlot {
        grown(&mut self.results, builder, bytes)
    }

    /// The stack slot for what passes between here and a function that is called with a mask, at least that large.
    pub fn frame(&mut self, builder: &mut FunctionBuilder<'_>, bytes: u32) -> StackSlot {
        grown(&mut self.frame, builder, bytes)
    }
}

fn grown(slot: &mut Option<StackSlot>, builder: &mut FunctionBuilder<'_>, bytes: u32) -> StackSlot {
    let data = StackSlotData::new(StackSlotKind::ExplicitSlot, bytes, 4);
    let slot = *slot.get_or_insert_with(|| builder.create_sized_stack_slot(data));
    let data = &mut builder.func.sized_stack_slots[slot];
    data.size = data.size.max(bytes);
    slot
}

impl Emitter<'_> {
    /// The reference by which a function of the module is called from here.
    pub fn callee(&mut self, callee: &Callee, signature: Signature) -> FuncRef {
        let number = self.helpers.callees.number(callee);
        if let Some(&known) = self.helpers.refs.get(&number) {
            return known;
        }
        let builder = &mut self.legal.builder;
        let signature = builder.import_signature(signature);
        let name = UserExternalName { namespace: 0, index: number };
        let name = ExternalName::user(builder.func.declare_imported_user_function(name));
        let data = ExtFuncData { name, signature, colocated: true, patchable: false };
        let callee = builder.import_function(data);
        self.helpers.refs.insert(number, callee);
        callee
    }

    /// Calls a helper.
    pub fn call_helper(&mut self, helper: Helper, args: &[clif::Value]) {
        let callee = self.callee(&Callee::Helper(helper), signature(self.legal.target));
        self.legal.ins().call(callee, args);
    }
}

/// The function of a helper, with its number in the module.
pub(super) fn build(helper: Helper, index: u32, target: &Target) -> LoweredFunction {
    let mut func = clif::Function::with_name_signature(UserFuncName::user(0, index), signature(target));
    let mut context = FunctionBuilderContext::new();
    let mut b = FunctionBuilder::new(&mut func, &mut context);
    let entry = b.create_block();
    b.append_block_params_for_function_params(entry);
    b.switch_to_block(entry);
    let params = b.block_params(entry).to_vec();
    let [base, first, step, count, stride, buffer, lanes] = params[..] else { unreachable!("seven parameters") };
    let [head, test, inside, next, done] = std::array::from_fn(|_| b.create_block());
    let zero = b.ins().iconst(types::I32, 0);
    let one = b.ins().iconst(types::I32, 1);
    b.ins().jump(head, &[zero.into(), first.into(), buffer.into()]);

    let lane = b.append_block_param(head, types::I32);
    let at = b.append_block_param(head, types::I32);
    let slot = b.append_block_param(head, types::I64);
    b.switch_to_block(head);
    let index = if helper == Helper::Gather32 { b.ins().load(types::I32, frame_flags(), slot, 0) } else { at };
    let ok = b.ins().icmp(IntCC::UnsignedLessThan, index, count);
    let bits = helper.bits();
    if !helper.stores() {
        let zero = if bits == 64 { b.ins().iconst(types::I64, 0) } else { zero };
        b.ins().store(frame_flags(), zero, slot, 0);
    }
    b.ins().brif(ok, test, &[], next, &[]);

    b.switch_to_block(test);
    if helper.stores() {
        let mask = match bits {
            // Masks are half as far apart as values: the lane's own is after the values and as many words.
            64 => {
                let eight = b.ins().iconst(types::I32, 8);
                let values = b.ins().imul(lanes, eight);
                let four = b.ins().iconst(types::I32, 4);
                let own = b.ins().imul(lane, four);
                let bytes = b.ins().iadd(values, own);
                let bytes = b.ins().uextend(types::I64, bytes);
                b.ins().iadd(buffer, bytes)
            }
            _ => {
                let four = b.ins().iconst(types::I32, 4);
                let bytes = b.ins().imul(lanes, four);
                let bytes = b.ins().uextend(types::I64, bytes);
                b.ins().iadd(slot, bytes)
            }
        };
        let on = b.ins().load(types::I32, frame_flags(), mask, 0);
        b.ins().brif(on, inside, &[], next, &[]);
    } else {
        b.ins().jump(inside, &[]);
    }

    b.switch_to_block(inside);
    let wide = b.ins().uextend(types::I64, index);
    let bytes = b.ins().imul(wide, stride);
    let address = b.ins().iadd(base, bytes);
    let ty = if bits == 64 { types::I64 } else { types::I32 };
    if helper.stores() {
        let value = b.ins().load(ty, frame_flags(), slot, 0);
        match bits {
            8 => b.ins().istore8(data_flags(), value, address, 0),
            16 => b.ins().istore16(data_flags(), value, address, 0),
            _ => b.ins().store(data_flags(), value, address, 0),
        };
    } else {
        let value = match bits {
            8 => b.ins().uload8(ty, data_flags(), address, 0),
            16 => b.ins().uload16(ty, data_flags(), address, 0),
            _ => b.ins().load(ty, data_flags(), address, 0),
        };
        b.ins().store(frame_flags(), value, slot, 0);
    }
    b.ins().jump(next, &[]);

    b.switch_to_block(next);
    let up = b.ins().iadd(lane, one);
    let at = b.ins().iadd(at, step);
    let size = b.ins().iconst(types::I64, if bits == 64 { 8 } else { 4 });
    let slot = b.ins().iadd(slot, size);
    let more = b.ins().icmp(IntCC::UnsignedLessThan, up, lanes);
    b.ins().brif(more, head, &[up.into(), at.into(), slot.into()], done, &[]);

    b.switch_to_block(done);
    b.ins().return_(&[]);
    b.seal_all_blocks();
    b.finalize(target.frontend);
    LoweredFunction { name: helper.name(), clif: func }
}
