//! The contract as C text: what every generated header starts with.
//!
//! In: the definitions of the parent module, through the macro that makes both the Rust structs and their description.
//! Out: constants, structs and assertions of their offsets, in C11 and C++11.

use super::{
    ABI_VERSION, AddressRange, Context, Descriptor, DescriptorKind, HostFunction, MAX_BUFFER_SIZE, PrintSink,
    SCRATCH_ALIGN, STATUS_DONE, STATUS_INTERRUPTED, STATUS_NO_FUNCTION, ZERO_BLOCK_SIZE,
};
use std::fmt::Write;

/// A struct as C sees it.
pub(super) struct Definition {
    /// Name of the type.
    pub name: &'static str,
    /// What it is, as in the Rust documentation.
    pub doc: &'static str,
    /// Bytes.
    pub size: usize,
    /// The fields, in order.
    pub fields: Vec<Field>,
}

/// A field as C sees it.
pub(super) struct Field {
    /// Name.
    pub name: &'static str,
    /// Declaration, such as `uint32_t extent[3]`.
    pub declaration: String,
    /// What it is, as in the Rust documentation.
    pub doc: &'static str,
    /// Bytes from the start of the struct.
    pub offset: usize,
}

/// A type with a name in C.
pub(super) trait Named {
    /// The name.
    const NAME: &str;
}

/// A type that a field may have.
pub(super) trait Declare {
    /// C's declaration of a variable of that type.
    fn declare(name: &str) -> String;
}

/// Defines structs of the contract, in Rust and for C.
macro_rules! abi_structs {
    ($(
        $(#[doc = $doc:literal])*
        pub struct $name:ident = $c:literal {
            $($(#[doc = $field_doc:literal])* pub $field:ident: $ty:ty,)*
        }
    )*) => {$(
        $(#[doc = $doc])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug)]
        pub struct $name {
            $($(#[doc = $field_doc])* pub $field: $ty,)*
        }

        impl $crate::abi::c::Named for $name {
            const NAME: &str = $c;
        }

        impl $name {
            fn c_definition() -> $crate::abi::c::Definition {
                $crate::abi::c::Definition {
                    name: $c,
                    doc: concat!($($doc),*),
                    size: size_of::<$name>(),
                    fields: vec![$($crate::abi::c::Field {
                        name: stringify!($field),
                        declaration: <$ty as $crate::abi::c::Declare>::declare(stringify!($field)),
                        doc: concat!($($field_doc),*),
                        offset: std::mem::offset_of!($name, $field),
                    },)*],
                }
            }
        }
    )*};
}
pub(super) use abi_structs;

macro_rules! names {
    ($($ty:ty => $c:literal;)*) => {$(impl Named for $ty { const NAME: &str = $c; })*};
}

names! {
    u8 => "void";
    u32 => "uint32_t";
    u64 => "uint64_t";
}

macro_rules! declare_numbers {
    ($($ty:ty)*) => {$(impl Declare for $ty {
        fn declare(name: &str) -> String {
            format!("{} {name}", <$ty>::NAME)
        }
    })*};
}

declare_numbers! { u32 u64 PrintSink }

impl<T: Named> Declare for *const T {
    fn declare(name: &str) -> String {
        format!("const {} *{name}", T::NAME)
    }
}

impl<T: Named> Declare for *mut T {
    fn declare(name: &str) -> String {
        format!("{} *{name}", T::NAME)
    }
}

impl<T: Declare, const N: usize> Declare for [T; N] {
    fn declare(name: &str) -> String {
        T::declare(&format!("{name}[{N}]"))
    }
}

macro_rules! declare_functions {
    ($($param:ident)*) => {
        impl<$($param: Declare),*> Declare for Option<unsafe extern "C" fn($($param),*)> {
            fn declare(name: &str) -> String {
                let parameters = [$($param::declare("")),*].map(|p| p.trim_end().to_owned());
                format!("void (*{name})({})", parameters.join(", "))
            }
        }
    };
}

declare_functions! { A B C D }

/// Names and values of constants, and what they are.
fn constants() -> [(&'static str, u64, &'static str); 11] {
    [
        ("G2N_ABI_VERSION", ABI_VERSION.into(), "g2n_context.version"),
        ("G2N_SCRATCH_ALIGN", SCRATCH_ALIGN as u64, "alignment of scratch memory in bytes"),
        ("G2N_ZERO_BLOCK_SIZE", ZERO_BLOCK_SIZE as u64, "bytes of g2n_context.zero_block"),
        ("G2N_MAX_BUFFER_SIZE", MAX_BUFFER_SIZE, "largest buffer that may be bound, in bytes"),
        ("G2N_DONE", STATUS_DONE as u64, "a kernel ran its whole range"),
        ("G2N_INTERRUPTED", STATUS_INTERRUPTED as u64, "a kernel saw the interrupt flag and stopped"),
        ("G2N_NO_FUNCTION", STATUS_NO_FUNCTION as u64, "the context lacks a host function that the kernel calls"),
        ("G2N_UNBOUND", DescriptorKind::Unbound as u64, "g2n_descriptor.kind: nothing"),
        ("G2N_BUFFER", DescriptorKind::Buffer as u64, "a storage or uniform buffer"),
        ("G2N_IMAGE", DescriptorKind::Image as u64, "an image"),
        ("G2N_SAMPLER", DescriptorKind::Sampler as u64, "a sampler"),
    ]
}

/// The contract in C: constants, structs, assertions. `G2N_ASSERT` is defined for use with further structs.
pub fn c_definitions() -> String {
    let mut text = String::new();
    // Writing to a String cannot fail, here and below.
    for (name, value, doc) in constants() {
        let suffix = if value > i32::MAX as u64 { "u" } else { "" };
        let _ = writeln!(text, "#define {name} {value}{suffix} /* {doc} */");
    }
    let structs = [
        Descriptor::c_definition(),
        AddressRange::c_definition(),
        HostFunction::c_definition(),
        PrintSink::c_definition(),
        Context::c_definition(),
    ];
    for Definition { name, doc, size, fields } in &structs {
        let _ = writeln!(text, "\n/* {} */\ntypedef struct {name} {{", plain(doc));
        for field in fields {
            let _ = writeln!(text, "    {}; /* {} */", field.declaration, plain(field.doc));
        }
        let _ = writeln!(text, "}} {name};");
        for field in fields {
            let _ = writeln!(text, "G2N_ASSERT(offsetof({name}, {}) == {});", field.name, field.offset);
        }
        let _ = writeln!(text, "G2N_ASSERT(sizeof({name}) == {size});");
    }
    text
}

/// Links of the documentation that have other names in C.
const LINKS: [(&str, &str); 4] = [
    ("[`ABI_VERSION`]", "G2N_ABI_VERSION"),
    ("[`MAX_BUFFER_SIZE`]", "G2N_MAX_BUFFER_SIZE"),
    ("[`ZERO_BLOCK_SIZE`]", "G2N_ZERO_BLOCK_SIZE"),
    ("A [`DescriptorKind`]", "G2N_UNBOUND, G2N_BUFFER, G2N_IMAGE or G2N_SAMPLER"),
];

/// Documentation as C calls things.
fn plain(doc: &str) -> String {
    LINKS.iter().fold(doc.trim().to_owned(), |text, (rust, c)| text.replace(rust, c)).replace('`', "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_declared_as_c_has_them() {
        let context = Context::c_definition();
        let declared: Vec<_> = context.fields.iter().map(|f| f.declaration.as_str()).collect();
        for part in
            ["uint32_t groups[3]", "const g2n_descriptor *descriptors", "g2n_print_sink print", "const void *push"]
        {
            assert!(declared.contains(&part), "{part} in {declared:?}");
        }
        assert_eq!(
            PrintSink::c_definition().fields[0].declaration,
            "void (*call)(void *, uint64_t, uint64_t, const void *)"
        );
        let text = c_definitions();
        assert!(text.contains("G2N_ASSERT(sizeof(g2n_descriptor) == 64);") && !text.contains('`'), "{text}");
    }
}
