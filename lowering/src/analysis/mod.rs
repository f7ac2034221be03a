//! Analyses: side tables beside an unchanged module.

pub mod interface;
pub mod layout;
