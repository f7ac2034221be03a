//! Analyses: side tables beside an unchanged module.

pub mod interface;
