//! The mapping manual, from the table.

/// The manual.
pub fn manual() -> String {
    String::new()
}
