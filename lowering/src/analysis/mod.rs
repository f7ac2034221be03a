//! Analyses: side tables beside an unchanged module.

pub mod barriers;
pub mod functions;
pub mod interface;
pub mod layout;
pub mod listing;
pub mod range;
pub mod shape;
pub mod tables;
pub mod uniformity;
mod uniformity_rules;

pub(crate) use uniformity_rules::{builtin_shapes, component, constant_leaf_bits, leaf_range};
