//! The C header beside an object file.
//!
//! In: the name of the kernel, what the shader declares, how it was compiled. Out: text for C11 and C++11 that holds the
//! calling contract ([`abi`](glslc2native_lowering::abi)), the shader's blocks as structs, its constants, the slots of
//! its descriptors, the kernel's prototype, and an inline function that runs a whole dispatch.
//!
//! Headers of several shaders may be included together: the contract is defined once, and everything else starts with the
//! kernel's name.

mod blocks;
mod names;

use blocks::Blocks;
use glslc2native_lowering::LoweredModule;
use glslc2native_lowering::abi::{ABI_VERSION, c_definitions};
use glslc2native_lowering::analysis::interface::{Interface, Resource, ResourceKind};
use glslc2native_lowering::ir::{Scalar, SpecConstant, Type, Types};
use names::{Names, comment};
pub use names::{identifier, is_identifier};
use std::fmt::Write;

/// What every header defines once, behind [`c_definitions`].
const INLINE: &str = include_str!("header/inline.h");

/// The header of a kernel that is called `symbol`, an identifier; `types` are those of the module that was lowered.
pub fn c_header(symbol: &str, types: &Types, lowered: &LoweredModule) -> String {
    let interface = &lowered.interface;
    let upper = symbol.to_ascii_uppercase();
    let mut text = String::new();
    // Writing to a String cannot fail, here and below.
    let _ = write!(
        text,
        "/* Entry point {} as {symbol}. Made by glslc2native {}: do not edit. */\n\
         #ifndef G2N_KERNEL_{symbol}\n#define G2N_KERNEL_{symbol}\n\n",
        comment(&interface.entry),
        env!("CARGO_PKG_VERSION"),
    );
    contract(&mut text);
    let mut names = Names::default();
    for taken in ["", "_dispatch", "_slot", "_prints"] {
        names.claim(&format!("{symbol}{taken}"));
    }
    constants(&mut text, &upper, types, lowered);
    text.push_str("\n/* Memory is in the byte order of the target, as C has it. */\n");
    let roots = interface.resources.iter().map(|resource| resource.block).chain(interface.push_block);
    let mut blocks = Blocks::new(types, symbol, roots);
    let mut push = None;
    for resource in &interface.resources {
        blocks.block(resource.block, &mut names);
    }
    if let Some(block) = interface.push_block {
        push = blocks.block(block, &mut names);
    }
    text.push_str(&blocks.text);
    outside(&mut text, symbol, &upper, interface);
    slots(&mut text, symbol, interface);
    prototype(&mut text, symbol, &upper, interface, push.as_deref());
    let _ = writeln!(text, "\n#endif /* G2N_KERNEL_{symbol} */");
    text
}

/// The part that all headers have in common.
fn contract(text: &mut String) {
    let _ = write!(
        text,
        "#include <stddef.h>\n#include <stdint.h>\n#include <string.h>\n\n\
         #ifndef G2N_ABI_VERSION\n\
         #ifdef __cplusplus\n#define G2N_ASSERT(x) static_assert(x, #x)\n\
         #else\n#define G2N_ASSERT(x) _Static_assert(x, #x)\n#endif\n\n\
         {}\n{INLINE}\
         #elif G2N_ABI_VERSION != {ABI_VERSION}\n\
         #error \"headers of different versions of glslc2native\"\n#endif\n",
        c_definitions()
    );
}

/// What the kernel was specialised for.
fn constants(text: &mut String, upper: &str, types: &Types, lowered: &LoweredModule) {
    let interface = &lowered.interface;
    let [x, y, z] = interface.local_size;
    let numbers = [
        ("LOCAL_SIZE_X", u64::from(x), "invocations of a workgroup in x"),
        ("LOCAL_SIZE_Y", y.into(), "in y"),
        ("LOCAL_SIZE_Z", z.into(), "in z"),
        ("SUBGROUP_SIZE", lowered.subgroup_size.into(), "invocations of a subgroup"),
        ("SCRATCH_SIZE", lowered.scratch_size as u64, "bytes of scratch memory of each call; 0: none, it may be null"),
        ("SCRATCH_ALIGN", glslc2native_lowering::abi::SCRATCH_ALIGN as u64, "their alignment"),
        ("DESCRIPTOR_COUNT", interface.slots.into(), "descriptors"),
        ("PUSH_SIZE", interface.push_size.into(), "bytes of push constants"),
    ];
    text.push('\n');
    for (name, value, what) in numbers {
        let _ = writeln!(text, "#define {upper}_{name} {value} /* {what} */");
    }
    let mut names = Names::default();
    for constant in &interface.spec_constants {
        let own = if constant.name.is_empty() { constant.id.to_string() } else { constant.name.to_ascii_uppercase() };
        let name = names.claim(&format!("{upper}_SPEC_{own}"));
        if let Some(value) = spec_value(types, constant) {
            let _ = writeln!(text, "#define {name} {value} /* specialisation constant {} */", constant.id);
        }
    }
}

/// The value of a specialisation constant as C writes it; `None` where C cannot.
fn spec_value(types: &Types, constant: &SpecConstant) -> Option<String> {
    let Type::Scalar(scalar) = types[constant.ty] else { return None };
    let bits = constant.value;
    let finite = |value: f64, suffix: &str| value.is_finite().then(|| format!("({value:?}{suffix})"));
    match scalar {
        Scalar::Int { width: 64, signed: true } if bits == 1 << 63 => Some("INT64_MIN".into()),
        Scalar::Int { width, signed: true } => {
            let unused = 64 - u32::from(width);
            let value = (bits << unused) as i64 >> unused;
            Some(if value == i64::from(i32::MIN) && width == 32 { "INT32_MIN".into() } else { format!("({value})") })
        }
        Scalar::Int { .. } => Some(format!("{bits}u")),
        Scalar::Bool => Some(bits.to_string()),
        Scalar::Float(32) => {
            let value = f32::from_bits(bits as u32);
            value.is_finite().then(|| format!("({value:?}f)"))
        }
        Scalar::Float(64) => finite(f64::from_bits(bits), ""),
        Scalar::Float(_) => Some(format!("{bits:#x}u")),
    }
}

/// The functions that the kernel calls, and the formats of what it prints.
fn outside(text: &mut String, symbol: &str, upper: &str, interface: &Interface) {
    if !interface.custom.is_empty() {
        let count = interface.custom.len();
        let _ = writeln!(
            text,
            "\n/* Functions that g2n_context.host_functions must have, by index. */\n#define {upper}_HOST_FUNCTION_COUNT {count}"
        );
        for (index, custom) in interface.custom.iter().enumerate() {
            let what = comment(&format!("{}: {}", custom.name, custom.signature()));
            let _ = writeln!(text, "/* {index}: {what} */");
        }
    }
    if !interface.prints.is_empty() {
        let _ = write!(
            text,
            "\n/* Formats of what the kernel prints, by number, and the types of the arguments behind\n   gl_GlobalInvocationID; \
             see g2n_print_sink. */\nstatic const char *const {symbol}_prints[][2] = {{\n"
        );
        for (print, _) in &interface.prints {
            let args: Vec<String> = print.args.iter().map(ToString::to_string).collect();
            let _ = writeln!(text, "    {{{}, {}}},", string(&print.text), string(&args.join(", ")));
        }
        text.push_str("};\n");
    }
}

/// A string literal of C. What is not printable ASCII becomes escapes of three octal digits.
fn string(text: &str) -> String {
    let mut out = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => out.extend(['\\', char::from(byte)]),
            // `??` would start a trigraph.
            b' '..=b'~' if byte != b'?' => out.push(char::from(byte)),
            _ => {
                let _ = write!(out, "\\{byte:03o}");
            }
        }
    }
    out.push('"');
    out
}

/// Where each buffer goes in the table of descriptors.
fn slots(text: &mut String, symbol: &str, interface: &Interface) {
    if interface.resources.is_empty() {
        return;
    }
    let mut names = Names::default();
    let _ = writeln!(text, "\n/* Indices of descriptors. */\nenum {symbol}_slot {{");
    for (i, resource) in interface.resources.iter().enumerate() {
        let name = names.claim(&format!("{symbol}_slot_{}", resource.name));
        let comma = if i + 1 < interface.resources.len() { "," } else { "" };
        let _ = writeln!(text, "    {name} = {}{comma} /* {} */", resource.slot, slot_note(resource));
    }
    text.push_str("};\n");
}

/// `set 0 binding 1, storage buffer, written, 4 bytes and more`.
fn slot_note(resource: &Resource) -> String {
    let kind = match resource.kind {
        ResourceKind::StorageBuffer => "storage buffer",
        ResourceKind::UniformBuffer => "uniform buffer",
    };
    let access = if resource.written { "written" } else { "read only" };
    let mut note = format!("set {} binding {}: {kind}, {access}, ", resource.set, resource.binding);
    let _ = match resource.runtime_stride {
        Some(stride) => write!(note, "{} bytes and {stride} for each element", resource.fixed_size),
        None => write!(note, "at least {} bytes", resource.fixed_size),
    };
    if resource.count > 1 {
        let _ = write!(note, "; the first of {}", resource.count);
    }
    note
}

fn prototype(text: &mut String, symbol: &str, upper: &str, interface: &Interface, push: Option<&str>) {
    let has_push = interface.push_size > 0;
    let push_type = push.unwrap_or("void");
    let (parameter, argument) = match has_push {
        true => (format!("const {push_type} *push, "), "push"),
        false => (String::new(), "NULL"),
    };
    let _ = write!(
        text,
        "
#ifdef __cplusplus
extern \"C\" {{
#endif

/* Runs `count` workgroups from number `first` on; they are numbered x first, then y, then z. Threads may run
   different ranges of one dispatch at once, each with scratch memory of its own. Returns G2N_DONE, G2N_INTERRUPTED
   or G2N_NO_FUNCTION. */
int32_t {symbol}(const g2n_context *context, void *scratch, uint64_t first, uint64_t count);

/* Runs x times y times z workgroups on this thread. */
static inline int32_t {symbol}_dispatch(const g2n_descriptor *descriptors, {parameter}void *scratch,
    uint32_t x, uint32_t y, uint32_t z)
{{
    g2n_context context = g2n_make_context(descriptors, {upper}_DESCRIPTOR_COUNT, {argument}, {upper}_PUSH_SIZE, x, y, z);
    return {symbol}(&context, scratch, 0, (uint64_t)x * y * z);
}}

#ifdef __cplusplus
}}
#endif
"
    );
}
