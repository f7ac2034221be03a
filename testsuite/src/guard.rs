//! Buffers whose surroundings are watched.
//!
//! A kernel may touch exactly the bytes it was given. [`Guard::Bytes`] puts a pattern before and after them and checks it
//! afterwards, which finds stray stores; [`Guard::Page`] puts them right before a page that nobody may touch, which also
//! finds stray loads (the process ends with a signal: run the trials one at a time to see which).

use std::fmt;

/// How a buffer is guarded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Guard {
    /// Patterned bytes before and after.
    Bytes,
    /// Patterned bytes before, an inaccessible page after.
    Page,
}

const PATTERN: u8 = 0xA5;
const MARGIN: usize = 256;

/// A buffer between guards.
pub struct Guarded {
    memory: region::Allocation,
    start: usize,
    len: usize,
    /// Bytes that may be read: up to the guard page, or all.
    usable: usize,
}

impl fmt::Debug for Guarded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Guarded({} bytes)", self.len)
    }
}

impl Guarded {
    /// A copy of `bytes` between guards.
    pub fn new(bytes: &[u8], guard: Guard) -> Result<Guarded, String> {
        let page = region::page::size();
        let usable = (bytes.len() + 2 * MARGIN).next_multiple_of(page);
        let mut memory =
            region::alloc(usable + page, region::Protection::READ_WRITE).map_err(|error| error.to_string())?;
        let start = match guard {
            Guard::Bytes => MARGIN,
            Guard::Page => usable - bytes.len(),
        };
        // SAFETY: the allocation is ours and holds at least `usable + page` bytes; the page is not part of any buffer.
        unsafe {
            let base = memory.as_mut_ptr::<u8>();
            base.write_bytes(PATTERN, usable);
            if guard == Guard::Page {
                region::protect(base.add(usable), page, region::Protection::NONE).map_err(|error| error.to_string())?;
            }
        }
        let mut guarded = Guarded { memory, start, len: bytes.len(), usable };
        guarded.bytes_mut().copy_from_slice(bytes);
        Ok(guarded)
    }

    /// The buffer.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: `start + len <= usable`, all of it readable, writable and initialised, and borrowed from `self`.
        unsafe { std::slice::from_raw_parts_mut(self.memory.as_mut_ptr::<u8>().add(self.start), self.len) }
    }

    /// What the buffer holds now; an error when a byte around it was changed.
    pub fn check(&self) -> Result<Vec<u8>, String> {
        // SAFETY: as above; `usable` bytes are readable, and the page after them is not part of the slice.
        let all = unsafe { std::slice::from_raw_parts(self.memory.as_ptr::<u8>(), self.usable) };
        let end = self.start + self.len;
        let stray = |range: &[u8]| range.iter().position(|&byte| byte != PATTERN);
        if let Some(at) = stray(&all[..self.start]) {
            return Err(format!("a byte {} before the buffer was changed", self.start - at));
        }
        if let Some(at) = stray(&all[end..]) {
            return Err(format!("byte {at} after the buffer was changed"));
        }
        Ok(all[self.start..end].to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_are_kept_in_both_forms() {
        for guard in [Guard::Bytes, Guard::Page] {
            for len in [0, 1, 84, 5000] {
                let bytes: Vec<u8> = (0..len).map(|i| i as u8).collect();
                let mut guarded = Guarded::new(&bytes, guard).unwrap();
                assert_eq!(guarded.bytes_mut(), bytes);
                assert_eq!(guarded.check(), Ok(bytes));
            }
        }
    }

    #[test]
    fn stray_stores_are_found() {
        for (guard, offset, part) in [(Guard::Bytes, 4isize, "byte 0 after"), (Guard::Page, -1, "1 before")] {
            let mut guarded = Guarded::new(&[0; 4], guard).unwrap();
            // SAFETY: one byte outside the buffer, inside the allocation's accessible part.
            unsafe { guarded.bytes_mut().as_mut_ptr().offset(offset).write(1) };
            assert!(guarded.check().unwrap_err().contains(part));
        }
    }
}
