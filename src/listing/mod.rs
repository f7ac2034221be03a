//! A shader's interface as text, for errors and for `--emit=interface`.

mod json;

pub use json::interface_json;

use crate::lowering::analysis::interface::{Interface, MemberInfo, Resource, ResourceKind};
use std::fmt::Write;

/// The whole interface, with members. The text is stable.
pub fn interface_text(interface: &Interface) -> String {
    let [x, y, z] = interface.local_size;
    let mut text = format!("entry point `{}`, workgroup size {x} x {y} x {z}\n", interface.entry);
    for resource in &interface.resources {
        // Writing to a String cannot fail, here and below.
        let _ = writeln!(text, "{}", resource_line(resource));
        members(&mut text, &resource.members);
    }
    if interface.push_size > 0 {
        let _ = writeln!(text, "{}", push_line(interface));
        members(&mut text, &interface.push_members);
    }
    for custom in &interface.custom {
        let _ = writeln!(text, "custom instruction {}: {}", custom.name, custom.signature());
    }
    for (print, _) in &interface.prints {
        let _ = writeln!(text, "print {:?}", print.text);
    }
    for constant in &interface.spec_constants {
        let name = if constant.name.is_empty() { String::new() } else { format!(" `{}`", constant.name) };
        let _ = write!(text, "specialisation constant {}{name}: {:#x}", constant.id, constant.value);
        if constant.value != constant.default {
            let _ = write!(text, " (default {:#x})", constant.default);
        }
        text.push('\n');
    }
    text
}

/// One line for each thing that has to be bound.
pub(crate) fn declared(interface: &Interface) -> String {
    let mut lines: Vec<String> = interface.resources.iter().map(|r| format!("  {}", resource_line(r))).collect();
    if interface.push_size > 0 {
        let members: Vec<String> =
            interface.push_members.iter().map(|m| format!("{} {} at {}", m.ty, m.name, m.offset)).collect();
        lines.push(format!("  {}: {}", push_line(interface), members.join(", ")));
    }
    if lines.is_empty() {
        lines.push("  nothing to bind".into());
    }
    lines.join("\n")
}

fn push_line(interface: &Interface) -> String {
    format!("push constants, {} bytes", interface.push_size)
}

/// `set 0 binding 1: storage buffer `Y`, written, 4 bytes for each element`.
fn resource_line(resource: &Resource) -> String {
    let kind = match resource.kind {
        ResourceKind::StorageBuffer => "storage buffer",
        ResourceKind::UniformBuffer => "uniform buffer",
    };
    let mut line = format!("set {} binding {}: {kind} `{}`", resource.set, resource.binding, resource.name);
    if resource.count != 1 {
        let _ = write!(line, " (array of {})", resource.count);
    }
    line.push_str(if resource.written { ", written" } else { ", read only" });
    let _ = match (resource.fixed_size, resource.runtime_stride) {
        (0, Some(stride)) => write!(line, ", {stride} bytes for each element"),
        (fixed, Some(stride)) => write!(line, ", {fixed} bytes and {stride} for each element"),
        (fixed, None) => write!(line, ", {fixed} bytes"),
    };
    line
}

fn members(text: &mut String, members: &[MemberInfo]) {
    for member in members {
        let _ = writeln!(text, "  {:>6}  {} {}", member.offset, member.ty, member.name);
    }
}
