//! Replacement of values by others.

use crate::ir::Value;
use cranelift_entity::SecondaryMap;
use cranelift_entity::packed_option::PackedOption;

/// Which value stands for which. Chains are followed and shortened.
#[derive(Clone, Debug, Default)]
pub(crate) struct Subst(SecondaryMap<Value, PackedOption<Value>>);

impl Subst {
    /// No replacements.
    pub fn new() -> Subst {
        Subst::default()
    }

    /// `value` is to be replaced by `by`, which does not lead back to it.
    pub fn set(&mut self, value: Value, by: Value) {
        debug_assert_ne!(self.get(by), value, "a value would replace itself");
        self.0[value] = Some(by).into();
    }

    /// What stands for `value` in the end.
    pub fn get(&mut self, value: Value) -> Value {
        let mut end = value;
        while let Some(next) = self.0[end].expand() {
            end = next;
        }
        let mut at = value;
        while at != end {
            let next = self.0[at].expand().unwrap_or(end);
            self.0[at] = Some(end).into();
            at = next;
        }
        end
    }
}
