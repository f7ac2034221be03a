//! Matches [`Bindings`] against a kernel's interface.
//!
//! In: bindings as the user gave them. Out: descriptors for every slot and the bytes of the push constants, as the kernel
//! needs them; or an error that says what is missing, unknown, too small, too large, misaligned or not writable, and lists
//! what the shader declares.

use crate::bindings::{Bindings, Bound, Key, PushEntry};
use crate::listing::declared;
use crate::lowering::abi::{Descriptor, DescriptorKind, MAX_BUFFER_SIZE};
use crate::lowering::analysis::interface::{Interface, MemberInfo, Resource};
use crate::{Error, Result, backend};

/// What a dispatch hands to the kernel.
pub(crate) struct Resolved {
    pub descriptors: Vec<Descriptor>,
    /// Push constants; 16-byte words, so that they are aligned as any member needs.
    pub push: Vec<u128>,
}

/// Matches `bindings` against `interface`.
pub(crate) fn resolve(bindings: &Bindings<'_>, interface: &Interface) -> Result<Resolved> {
    let error = |what| Error::Interface { what, declared: declared(interface) };
    Ok(Resolved {
        descriptors: descriptors(bindings, interface).map_err(error)?,
        push: push_constants(bindings, interface).map_err(error)?,
    })
}

/// What stands in an empty slot.
fn unbound() -> Descriptor {
    Descriptor {
        kind: DescriptorKind::Unbound as u32,
        flags: 0,
        // Nobody writes it: stores to a descriptor of size 0 are dropped.
        base: backend::zero_block().cast_mut(),
        size: 0,
        extent: [0; 3],
        format: 0,
        pitch: [0; 2],
        levels: 0,
        reserved: 0,
        mips: std::ptr::null(),
    }
}

/// Is it bound to what the shader declares, but does not use? Vulkan allows that, and so it is here.
fn is_unused(bound: &Bound<'_>, interface: &Interface) -> bool {
    interface.unused.bindings.iter().any(|(set, binding, name)| match &bound.key {
        Key::Slot(s, b) => (s, b) == (set, binding),
        Key::Name(n) => n == name,
    })
}

fn descriptors(bindings: &Bindings<'_>, interface: &Interface) -> Result<Vec<Descriptor>, String> {
    let mut slots = vec![unbound(); interface.slots as usize];
    for bound in &bindings.buffers {
        let mut found = false;
        for resource in interface.resources.iter().filter(|r| is_for(bound, r)) {
            found = true;
            let descriptor = descriptor(bound, resource)?;
            let slot = u64::from(resource.slot) + u64::from(bound.element);
            match slots.get_mut(slot as usize) {
                Some(slot) => *slot = descriptor,
                None => return Err(format!("{} has no slot", title(resource))),
            }
        }
        if !found && !is_unused(bound, interface) {
            return Err(match &bound.key {
                Key::Slot(set, binding) => format!("the shader does not use set {set} binding {binding}"),
                Key::Name(name) => format!("the shader uses no buffer named `{name}`"),
            });
        }
    }
    for resource in &interface.resources {
        let range = resource.slot as usize..(resource.slot as usize).saturating_add(resource.count as usize);
        let slots = slots.get(range).unwrap_or_default();
        if !slots.iter().any(|slot| slot.kind == DescriptorKind::Buffer as u32) {
            return Err(format!("{} is not bound", title(resource)));
        }
    }
    Ok(slots)
}

fn is_for(bound: &Bound<'_>, resource: &Resource) -> bool {
    match &bound.key {
        Key::Slot(set, binding) => (*set, *binding) == (resource.set, resource.binding),
        Key::Name(name) => *name == resource.name,
    }
}

fn title(resource: &Resource) -> String {
    format!("set {} binding {} (`{}`)", resource.set, resource.binding, resource.name)
}

fn descriptor(bound: &Bound<'_>, resource: &Resource) -> Result<Descriptor, String> {
    let title = title(resource);
    let size = bound.size as u64;
    if bound.element >= resource.count {
        return Err(format!("{title} has {} elements, there is no element {}", resource.count, bound.element));
    }
    if resource.written && !bound.writable {
        return Err(format!("{title} is written by the shader, but was bound for reading only"));
    }
    if size < resource.fixed_size {
        return Err(format!("{title} needs at least {} bytes, {size} were bound", resource.fixed_size));
    }
    if size > MAX_BUFFER_SIZE {
        return Err(format!("{title} can have at most {MAX_BUFFER_SIZE} bytes, {size} were bound"));
    }
    let align = resource.align;
    if size > 0 && bound.base.align_offset(align as usize) != 0 {
        return Err(format!("{title} must be bound to memory that starts at a multiple of {align} bytes"));
    }
    let kind = DescriptorKind::Buffer as u32;
    Ok(if size == 0 {
        Descriptor { kind, ..unbound() }
    } else {
        Descriptor { kind, base: bound.base, size, ..unbound() }
    })
}

fn push_constants(bindings: &Bindings<'_>, interface: &Interface) -> Result<Vec<u128>, String> {
    let size = interface.push_size as usize;
    let mut bytes = vec![0u8; size];
    let mut set = vec![false; size];
    if size == 0 && interface.unused.push {
        return Ok(vec![]);
    }
    for entry in &bindings.push {
        let (offset, data) = match entry {
            PushEntry::Bytes { offset, bytes } if offset.saturating_add(bytes.len()) > size => {
                let given = offset.saturating_add(bytes.len());
                return Err(format!("{given} bytes of push constants were given, the shader has {size}"));
            }
            PushEntry::Bytes { offset, bytes } => (*offset, bytes),
            PushEntry::Value { name, bytes, scalar, count } => {
                let Some(member) = interface.push_members.iter().find(|m| m.name == *name) else {
                    return Err(format!("there is no push constant `{name}`"));
                };
                let fits = match member.scalar {
                    Some((declared, n)) => declared == *scalar && n as usize == *count,
                    None => member.size as usize == bytes.len(),
                };
                if !fits {
                    let value = format!("{count} x {scalar:?}");
                    return Err(format!("push constant `{name}` is of type {}, not {value}", member.ty));
                }
                (member.offset as usize, bytes)
            }
        };
        let range = offset..offset + data.len();
        match (bytes.get_mut(range.clone()), set.get_mut(range)) {
            (Some(bytes), Some(set)) => {
                bytes.copy_from_slice(data);
                set.fill(true);
            }
            _ => return Err("a push constant lies outside of its block".into()),
        }
    }
    let is_missing = |m: &&MemberInfo| {
        let start = m.offset as usize;
        set.get(start..start + m.size as usize).is_none_or(|bytes| bytes.contains(&false))
    };
    let missing: Vec<&str> = interface.push_members.iter().filter(is_missing).map(|m| m.name.as_str()).collect();
    if !missing.is_empty() {
        return Err(format!("push constants are missing: {}", missing.join(", ")));
    }
    // Some room beyond the end: a last vector may be loaded whole.
    let mut words = vec![0u128; size / 16 + 2];
    for (word, chunk) in words.iter_mut().zip(bytes.chunks(16)) {
        let mut raw = [0; 16];
        raw[..chunk.len()].copy_from_slice(chunk);
        *word = u128::from_ne_bytes(raw);
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lowering::analysis::interface::ResourceKind;
    use crate::lowering::ir::{GlobalId, Scalar, TypeId};

    fn resource(binding: u32, name: &str, count: u32, slot: u32, written: bool) -> Resource {
        Resource {
            global: GlobalId::from_u32(slot),
            set: 0,
            binding,
            name: name.into(),
            kind: ResourceKind::StorageBuffer,
            block: TypeId::from_u32(0),
            count,
            slot,
            fixed_size: 8,
            runtime_stride: Some(4),
            written,
            align: 4,
            members: vec![],
        }
    }

    fn member(name: &str, offset: u32, scalar: Scalar, count: u32) -> MemberInfo {
        MemberInfo { name: name.into(), ty: "T".into(), offset, size: 4 * count, scalar: Some((scalar, count)) }
    }

    /// Buffers `in` (read), `out` (written), `many` (two blocks, read); push constants `n` (uint) and `v` (vec2).
    fn interface() -> Interface {
        Interface {
            unused: Default::default(),
            entry: "main".into(),
            custom: vec![],
            prints: vec![],
            local_size: [1; 3],
            resources: vec![
                resource(0, "in", 1, 0, false),
                resource(1, "out", 1, 1, true),
                resource(2, "many", 2, 2, false),
            ],
            slots: 4,
            push_size: 16,
            push_block: None,
            push_members: vec![member("n", 0, Scalar::U32, 1), member("v", 8, Scalar::F32, 2)],
            spec_constants: vec![],
        }
    }

    fn message(bindings: &Bindings<'_>) -> String {
        match resolve(bindings, &interface()) {
            Ok(_) => "resolved".into(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn what_is_bound_arrives() -> Result<()> {
        let (input, mut output, second) = ([0u32; 2], [0u32; 3], [0u16; 4]);
        let mut bindings = Bindings::new();
        bindings.bind_read_named("in", &input).bind(0, 1, &mut output).bind_read_element(0, 2, 1, &second);
        bindings.push(&[1; 16]).push_value("n", 7u32).push_value("v", [1.0f32, 2.0]);
        let resolved = resolve(&bindings, &interface())?;
        let sizes: Vec<_> = resolved.descriptors.iter().map(|d| (d.kind, d.size)).collect();
        assert_eq!(sizes, [(1, 8), (1, 12), (0, 0), (1, 8)]);
        assert_eq!(resolved.descriptors[0].base.cast_const(), input.as_ptr().cast());
        assert_eq!(resolved.descriptors[2].base.cast_const(), backend::zero_block());
        let push = resolved.push[0].to_ne_bytes();
        assert_eq!(push[..4], 7u32.to_ne_bytes());
        assert_eq!(push[4..8], [1; 4]);
        assert_eq!(push[8..], [1.0f32, 2.0].map(f32::to_ne_bytes).concat());
        Ok(())
    }

    #[test]
    fn what_is_wrong_is_told_with_the_declarations() {
        let (input, mut output, many) = ([0u32; 2], [0u32; 2], [0u32; 2]);
        let mut other = [0u32; 2];
        let push = [0; 16];
        /// Everything bound as it should be, and a change.
        macro_rules! check {
            ($part:literal, $($change:tt)*) => {{
                let mut bindings = Bindings::new();
                bindings.bind_read(0, 0, &input).bind(0, 1, &mut output).bind_read(0, 2, &many).push(&push);
                bindings$($change)*;
                let message = message(&bindings);
                assert!(message.contains($part), "{} in {message}", $part);
                assert!($part == "resolved" || message.contains("set 0 binding 1: storage buffer `out`, written"), "{message}");
            }};
        }
        check!("resolved", .push(&[]));
        check!("does not use set 1 binding 0", .bind_read(1, 0, &many));
        check!("no buffer named `x`", .bind_read_named("x", &many));
        check!("has 1 elements, there is no element 1", .bind_read_element(0, 0, 1, &many));
        check!("(`out`) is written by the shader", .bind_read(0, 1, &many));
        check!("needs at least 8 bytes, 4 were bound", .bind(0, 1, &mut other[1..]));
        check!("needs at least 8 bytes, 0 were bound", .bind_read(0, 0, &many[..0]));
        check!("20 bytes of push constants were given, the shader has 16", .push_at(4, &push));
        check!("there is no push constant `x`", .push_value("x", 1u32));
        check!("`n` is of type T, not", .push_value("n", 1.0f32));
        check!("`v` is of type T, not", .push_value("v", 1.0f32));
        let mut bindings = Bindings::new();
        assert!(message(&bindings).contains("binding 0 (`in`) is not bound"));
        bindings.bind_read(0, 0, &input).bind(0, 1, &mut output).bind_read_element(0, 2, 1, &many);
        assert!(message(&bindings).contains("push constants are missing: n, v"));
        bindings.push(&[0; 12]);
        assert!(message(&bindings).contains("push constants are missing: v\n"));
    }

    #[test]
    fn misaligned_and_empty_buffers() {
        let mut interface = interface();
        interface.resources.truncate(1);
        interface.push_size = 0;
        interface.push_members.clear();
        interface.resources[0].fixed_size = 0;
        interface.resources[0].runtime_stride = Some(16);
        let words = [0u32; 8];
        let check = |data: &[u32]| {
            let mut bindings = Bindings::new();
            bindings.bind_read(0, 0, data);
            resolve(&bindings, &interface).map(|r| (r.descriptors[0].size, r.descriptors[0].base.cast_const()))
        };
        assert!(check(&[]).is_ok_and(|(size, base)| size == 0 && base == backend::zero_block()));
        assert!(check(&words[..5]).is_ok_and(|(size, base)| size == 20 && base == words.as_ptr().cast()));
        let bytes: Vec<u8> = vec![0; 64];
        let odd = bytes.as_ptr().align_offset(4) + 1;
        let mut bindings = Bindings::new();
        bindings.bind_read(0, 0, &bytes[odd..]);
        assert!(resolve(&bindings, &interface).is_err_and(|e| e.to_string().contains("multiple of 4")));
    }
}
