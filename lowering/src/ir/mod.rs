//! The structured IR: SPIR-V's types, instructions and *structured* control flow, as regions.
//!
//! A [`Module`] holds types, constants, globals and functions. A [`Function`] is a tree of [`Region`]s; control flow is
//! carried by three region-holding operations, [`Selection`], [`Switch`] and [`Loop`], and by the [`Terminator`] that ends
//! each region. A phi of SPIR-V is a region argument or a result of a construct here.
//!
//! Regions are **single-entry and multi-exit**: a region is entered at its start only, but leaves by its terminator or by a
//! `break`, `continue`, `return` or `kill` in any region nested in it. A construct's label is its [`OpId`].
//!
//! Visibility: a value may be used in the region that defines it, after its definition, and in every region nested in a
//! later operation of that region. The body and continue regions of a loop also see the values of the loop's header
//! region. Everything else that leaves a construct does so as a result of the construct.
//!
//! Nothing here knows rspirv or Cranelift; instruction names and numbers are those of the SPIR-V headers (crate `spirv`).
//! The verifier ([`verify`]) states the invariants in full.
//!
//! Source of the form: "SPIR-V structured control flow", option 3 of MLIR's sketch (`spv.mlir.selection`, `.loop`,
//! `.switch` with `fallthrough`, `condition`, `merge`, `reenter`, `break`, `continue`).

mod function;
mod module;
mod opcode;
pub mod parse;
pub mod print;
#[cfg(test)]
mod tests;
mod types;
pub mod verify;
mod walk;

pub use function::{
    CONST, Case, DONT_INLINE, Function, INLINE, Inst, Loop, Op, OpId, OpKind, PURE, Region, RegionId, Selection,
    Switch, Terminator, Value, ValueData, ValueDef,
};
pub use module::{
    BuiltIn, ConstData, ConstId, Constant, EntryPoint, FuncId, Global, GlobalId, Loc, Module, SpecConstant, Unused,
};
pub use opcode::{NO_CONTRACTION, Opcode, Operands, VOLATILE};
pub use parse::parse;
pub use types::{Access, Member, Scalar, StorageClass, StructId, StructType, Type, TypeId, Types};
pub use walk::{MAX_NESTING, MAX_VERIFIED_NESTING};
