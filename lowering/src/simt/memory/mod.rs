//! Memory: symbolic addresses, loads, stores.
//!
//! A pointer is never a machine address here: it is a variable, a constant offset and index terms ([`Pointer`]), so that
//! an access sees how its address differs from lane to lane and which index must be compared with which count.
//!
//! | lanes' addresses | load | store |
//! |---|---|---|
//! | one for all | one scalar load | one scalar store by the last active lane |
//! | consecutive components | one vector load a chunk | one vector store a chunk, if all lanes are active |
//! | vectors at a fixed distance | vector loads and a transpose | a transpose and vector stores, if all are active |
//! | anything else | gather without branches | lane by lane, against a sink |
//!
//! Where some lanes are off, consecutive words of Workgroup memory are loaded, blended and stored: it is one thread's.
//!
//! Bounds: an index is compared with the number of elements that fit, before anything is multiplied. A load out of bounds
//! gives 0, a store is dropped, per lane (Vulkan specification, "Robust Buffer Access").

mod access;
mod atomic;
mod load;
mod local;
mod pointer;
mod shared;
mod store;
mod typed;

pub(super) use atomic::is_atomic;
pub(super) use local::{Locals, MAX_SCRATCH};
pub(super) use pointer::Pointer;
