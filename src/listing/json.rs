//! A shader's interface as JSON (RFC 8259), for build scripts and bindings: `--emit=interface-json`.
//!
//! ```text
//! { "entry": "main", "workgroup_size": [64, 1, 1],
//!   "buffers": [ { "set": 0, "binding": 0, "name": "x", "kind": "storage", "count": 1, "written": true,
//!                  "fixed_size": 0, "element_size": 4 or null, "members": [ … ] } ],
//!   "push_constants": { "size": 8, "members": [ { "name": "n", "type": "uint", "offset": 0, "size": 4 } ] } or null,
//!   "specialization_constants": [ { "id": 0, "name": "N", "default": "0x1", "value": "0x1" } ],
//!   "custom_instructions": [ { "name": …, "signature": … } ], "prints": [ "…" ],
//!   "unused": [ { "set": 0, "binding": 1, "name": "y" } ] }
//! ```
//!
//! Sizes and offsets count bytes; values of constants are bits, in hexadecimal, since 64 of them fit no JSON number for sure.

use crate::lowering::analysis::interface::{Interface, MemberInfo, Resource, ResourceKind};
use std::fmt::Write;

/// The whole interface as one JSON object and a line break. Keys are always there, in the same order.
pub fn interface_json(interface: &Interface) -> String {
    let push = match interface.push_size {
        0 => "null".to_string(),
        size => format!("{{\"size\": {size}, \"members\": {}}}", members(&interface.push_members)),
    };
    let constants = interface.spec_constants.iter().map(|constant| {
        let (name, default, value) = (string(&constant.name), constant.default, constant.value);
        format!(
            "{{\"id\": {}, \"name\": {name}, \"default\": \"{default:#x}\", \"value\": \"{value:#x}\"}}",
            constant.id
        )
    });
    let custom = interface.custom.iter().map(|custom| {
        let (name, signature) = (string(&custom.name.to_string()), string(&custom.signature()));
        format!("{{\"name\": {name}, \"signature\": {signature}}}")
    });
    let unused =
        interface.unused.bindings.iter().map(|(set, binding, name)| {
            format!("{{\"set\": {set}, \"binding\": {binding}, \"name\": {}}}", string(name))
        });
    let [x, y, z] = interface.local_size;
    let fields = [
        ("entry", string(&interface.entry)),
        ("workgroup_size", format!("[{x}, {y}, {z}]")),
        ("buffers", lines(interface.resources.iter().map(buffer))),
        ("push_constants", push),
        ("specialization_constants", lines(constants)),
        ("custom_instructions", lines(custom)),
        ("prints", lines(interface.prints.iter().map(|(print, _)| string(&print.text)))),
        ("unused", lines(unused)),
    ];
    let fields: Vec<String> = fields.iter().map(|(key, value)| format!("  \"{key}\": {value}")).collect();
    format!("{{\n{}\n}}\n", fields.join(",\n"))
}

fn buffer(resource: &Resource) -> String {
    let Resource { set, binding, count, written, fixed_size, .. } = resource;
    let kind = match resource.kind {
        ResourceKind::StorageBuffer => "storage",
        ResourceKind::UniformBuffer => "uniform",
    };
    let element = resource.runtime_stride.map_or("null".to_string(), |stride| stride.to_string());
    format!(
        "{{\"set\": {set}, \"binding\": {binding}, \"name\": {}, \"kind\": \"{kind}\", \"count\": {count}, \
         \"written\": {written}, \"fixed_size\": {fixed_size}, \"element_size\": {element}, \"members\": {}}}",
        string(&resource.name),
        members(&resource.members)
    )
}

fn members(members: &[MemberInfo]) -> String {
    let one = |member: &MemberInfo| {
        let (name, ty) = (string(&member.name), string(&member.ty));
        format!("{{\"name\": {name}, \"type\": {ty}, \"offset\": {}, \"size\": {}}}", member.offset, member.size)
    };
    format!("[{}]", members.iter().map(one).collect::<Vec<_>>().join(", "))
}

/// An array, one element a line.
fn lines(elements: impl Iterator<Item = String>) -> String {
    let elements: Vec<String> = elements.map(|element| format!("\n    {element}")).collect();
    if elements.is_empty() { "[]".to_string() } else { format!("[{}\n  ]", elements.join(",")) }
}

fn string(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            _ if c < ' ' => {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            _ => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_escaped() {
        assert_eq!(string("a\"b\\c\n\u{1}é"), "\"a\\\"b\\\\c\\n\\u0001é\"");
    }

    #[test]
    fn empty_interfaces_have_all_keys() {
        let text = interface_json(&Interface { entry: "main".into(), local_size: [1; 3], ..Interface::default() });
        let expected = "{
  \"entry\": \"main\",
  \"workgroup_size\": [1, 1, 1],
  \"buffers\": [],
  \"push_constants\": null,
  \"specialization_constants\": [],
  \"custom_instructions\": [],
  \"prints\": [],
  \"unused\": []
}
";
        assert_eq!(text, expected);
    }
}
