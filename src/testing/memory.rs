//! Memory of a test's buffers, between bytes that nobody may change.

/// Bytes of pattern before and after a buffer.
const MARGIN: usize = 64;
const PATTERN: u8 = 0xA5;
/// Buffers start at multiples of this: more than any number needs.
const ALIGN: usize = 64;

/// A buffer's memory.
#[derive(Debug)]
pub(super) struct Memory {
    storage: Vec<u8>,
    start: usize,
    len: usize,
}

impl Memory {
    /// A copy of `bytes`.
    pub fn new(bytes: &[u8]) -> Memory {
        let mut storage = vec![PATTERN; bytes.len() + 2 * MARGIN + ALIGN];
        let start = MARGIN + storage[MARGIN..].as_ptr().align_offset(ALIGN).min(ALIGN);
        storage[start..start + bytes.len()].copy_from_slice(bytes);
        Memory { storage, start, len: bytes.len() }
    }

    /// What it holds.
    pub fn bytes(&self) -> &[u8] {
        &self.storage[self.start..self.start + self.len]
    }

    /// The same, to be changed.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.storage[self.start..self.start + self.len]
    }

    /// Where it begins, and its bytes.
    pub fn base(&mut self) -> (*mut u8, usize) {
        let bytes = self.bytes_mut();
        (bytes.as_mut_ptr(), bytes.len())
    }

    /// The byte around the buffer that was changed, if any.
    pub fn stray(&self) -> Option<String> {
        let changed = |bytes: &[u8]| bytes.iter().position(|&byte| byte != PATTERN);
        let end = self.start + self.len;
        match (changed(&self.storage[..self.start]), changed(&self.storage[end..])) {
            (Some(at), _) => Some(format!("a byte {} before it was changed", self.start - at)),
            (None, Some(at)) => Some(format!("byte {at} after it was changed")),
            (None, None) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_around_a_buffer_are_found() {
        for len in [0, 1, 100] {
            let mut memory = Memory::new(&vec![7; len]);
            memory.bytes_mut().fill(8);
            assert_eq!((memory.bytes(), memory.stray()), (&vec![8; len][..], None));
            assert_eq!(memory.bytes().as_ptr().align_offset(ALIGN), 0);
            let end = memory.start + len;
            memory.storage[end] = 0;
            assert_eq!(memory.stray().as_deref(), Some("byte 0 after it was changed"));
            memory.storage[memory.start - 3] = 0;
            assert_eq!(memory.stray().as_deref(), Some("a byte 3 before it was changed"));
        }
    }
}
