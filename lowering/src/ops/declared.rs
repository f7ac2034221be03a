//! Declared things.
