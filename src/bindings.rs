//! What a kernel reads and writes: buffers by (set, binding) or name, and push constants.
//!
//! [`Bindings`] collects; nothing is checked before a dispatch, when `resolve` matches it against the interface of the
//! kernel. Buffers are borrowed for as long as the `Bindings` are used, so that Rust's own rules keep two bindings from
//! sharing memory that is written.

use crate::Element;
use crate::lowering::ir::Scalar;
use std::marker::PhantomData;

/// Buffers and push constants for a dispatch.
///
/// ```
/// let mut data = [1.0f32, 2.0, 3.0];
/// let table = [4u32; 8];
/// let mut bindings = glslc2native::Bindings::new();
/// bindings.bind(0, 0, &mut data).bind_read(0, 1, &table).push_value("factor", 2.0f32);
/// ```
///
/// Binding again what is bound already replaces it.
#[derive(Debug, Default)]
pub struct Bindings<'a> {
    pub(crate) buffers: Vec<Bound<'a>>,
    pub(crate) push: Vec<PushEntry>,
}

/// Which resource a buffer is meant for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    /// Set and binding.
    Slot(u32, u32),
    /// Name of the variable or block.
    Name(String),
}

/// A bound buffer.
#[derive(Debug)]
pub(crate) struct Bound<'a> {
    pub key: Key,
    /// Element of an array of blocks.
    pub element: u32,
    pub base: *mut u8,
    pub size: usize,
    /// Bound with `&mut`.
    pub writable: bool,
    memory: PhantomData<&'a mut [u8]>,
}

// SAFETY: stands for `&mut [T]`, or for `&[T]` where not `writable`, of an `Element`, which is `Send` and `Sync`.
unsafe impl Send for Bound<'_> {}
// SAFETY: as above; through a shared `Bound` nobody reaches the memory.
unsafe impl Sync for Bound<'_> {}

/// Some push constants.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PushEntry {
    /// From `offset` on.
    Bytes { offset: usize, bytes: Vec<u8> },
    /// A member.
    Value { name: String, bytes: Vec<u8>, scalar: Scalar, count: usize },
}

impl<'a> Bindings<'a> {
    /// Nothing bound.
    pub fn new() -> Bindings<'a> {
        Bindings::default()
    }

    /// Binds a buffer that the shader may write.
    pub fn bind<T: Element>(&mut self, set: u32, binding: u32, data: &'a mut [T]) -> &mut Self {
        self.bind_element(set, binding, 0, data)
    }

    /// Binds a buffer that the shader only reads; a dispatch of a shader that writes it is refused.
    pub fn bind_read<T: Element>(&mut self, set: u32, binding: u32, data: &'a [T]) -> &mut Self {
        self.bind_read_element(set, binding, 0, data)
    }

    /// As [`bind`](Self::bind), for element `element` of an array of blocks (`buffer B { … } b[4];`).
    pub fn bind_element<T: Element>(&mut self, set: u32, binding: u32, element: u32, data: &'a mut [T]) -> &mut Self {
        self.insert(Key::Slot(set, binding), element, data.as_mut_ptr().cast(), size_of_val(data), true)
    }

    /// As [`bind_read`](Self::bind_read), for element `element` of an array of blocks.
    pub fn bind_read_element<T: Element>(&mut self, set: u32, binding: u32, element: u32, data: &'a [T]) -> &mut Self {
        self.insert(Key::Slot(set, binding), element, data.as_ptr().cast_mut().cast(), size_of_val(data), false)
    }

    /// As [`bind`](Self::bind), by the name that the shader gives the variable, or its block where the variable has none.
    pub fn bind_named<T: Element>(&mut self, name: &str, data: &'a mut [T]) -> &mut Self {
        self.insert(Key::Name(name.into()), 0, data.as_mut_ptr().cast(), size_of_val(data), true)
    }

    /// As [`bind_read`](Self::bind_read), by name.
    pub fn bind_read_named<T: Element>(&mut self, name: &str, data: &'a [T]) -> &mut Self {
        self.insert(Key::Name(name.into()), 0, data.as_ptr().cast_mut().cast(), size_of_val(data), false)
    }

    /// Sets push constants, from the start of the block. Later calls win where they overlap.
    pub fn push(&mut self, bytes: &[u8]) -> &mut Self {
        self.push_at(0, bytes)
    }

    /// Sets push constants from a byte offset on.
    pub fn push_at(&mut self, offset: usize, bytes: &[u8]) -> &mut Self {
        self.push.push(PushEntry::Bytes { offset, bytes: bytes.to_vec() });
        self
    }

    /// Sets a member of the push-constant block, a number or a vector of the member's own type: `1u32`, `[0.5f32; 4]`.
    /// Members of structs have dotted names.
    pub fn push_value<T: Element>(&mut self, name: &str, value: T) -> &mut Self {
        let mut bytes = Vec::with_capacity(size_of::<T>());
        value.append_to(&mut bytes);
        self.push.push(PushEntry::Value { name: name.into(), bytes, scalar: T::SCALAR, count: T::COUNT });
        self
    }

    /// As [`bind_element`](Self::bind_element), for memory that several bindings share.
    ///
    /// # Safety
    ///
    /// The memory is there for as long as the bindings are used, and nobody but a kernel reads or writes it meanwhile.
    pub(crate) unsafe fn bind_raw(&mut self, set: u32, binding: u32, element: u32, base: *mut u8, size: usize) {
        self.insert(Key::Slot(set, binding), element, base, size, true);
    }

    fn insert(&mut self, key: Key, element: u32, base: *mut u8, size: usize, writable: bool) -> &mut Self {
        self.buffers.retain(|bound| bound.key != key || bound.element != element);
        self.buffers.push(Bound { key, element, base, size, writable, memory: PhantomData });
        self
    }
}
