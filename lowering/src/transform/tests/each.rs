//! Each transform on small modules: what it must do, and what it must leave alone.

use super::*;
use crate::error::Error;
use crate::ir::MAX_NESTING;

/// The text of the functions after some passes.
fn after(text: &str, passes: &[&str]) -> String {
    let text = check(text, passes).to_string();
    let start = text.find("\nfunc").unwrap_or(0);
    text[start..].trim().to_owned()
}

fn count(text: &str, word: &str) -> usize {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '.').filter(|w| *w == word).count()
}

const OUT: &str = "global @out: ptr<StorageBuffer, array<u32, 16>>
global @pc: ptr<PushConstant, array<u32, 4>>
";

fn with_out(functions: &str) -> String {
    format!("{OUT}{functions}")
}

/// `%o = …; Store %o, value` into the buffer.
fn put(index: usize, value: &str) -> String {
    format!("%o{index}: ptr<StorageBuffer, u32> = AccessChain @out, u32 {index}\nStore %o{index}, {value}\n")
}

/// `%name: u32 = Load …` of a push constant, which no pass knows.
fn input(name: &str, index: usize) -> String {
    format!("%p{name}: ptr<PushConstant, u32> = AccessChain @pc, u32 {index}\n%{name}: u32 = Load %p{name}\n")
}

#[test]
fn inline_splices_what_returns_at_its_end() {
    let text = with_out(&format!(
        "func @main() -> void {{ {} %a: u32 = call @twice(%x)\n {} return }}
         func @twice(%x: u32) -> u32 {{ %y: u32 = IAdd %x, %x return %y }}",
        input("x", 0),
        put(0, "%a")
    ));
    let found = after(&text, &["inline"]);
    assert_eq!((count(&found, "call"), count(&found, "selection"), count(&found, "func")), (0, 0, 1), "{found}");
}

#[test]
fn inline_wraps_early_returns() {
    let text = with_out(&format!(
        "func @main() -> void {{ {} %a: u32 = call @f(%x)\n {} return }}
         func @f(%x: u32) -> u32 {{
           %c: bool = ULessThan %x, u32 4
           selection (%c) then = {{ return u32 1 }}
           loop header = {{ condition %c }} body = {{ return %x }} continue = {{ reenter }}
           return u32 2
         }}",
        input("x", 0),
        put(0, "%a")
    ));
    let found = after(&text, &["inline"]);
    assert!(found.contains("selection ^sel0 (bool true)"), "{found}");
    assert_eq!(["break", "merge", "return"].map(|word| count(&found, word)), [2, 1, 1], "{found}");
}

#[test]
fn inline_initialises_variables_at_each_call() {
    let text = with_out(&format!(
        "func @main() -> void {{
           loop
             header (%i: u32 = u32 0) = {{ %c: bool = ULessThan %i, u32 3 condition %c }}
             body = {{ %a: u32 = call @next() {} fallthrough }}
             continue = {{ %j: u32 = IAdd %i, u32 1 reenter (%j) }}
           return
         }}
         func @next() -> u32 {{
           %v: ptr<Function, u32> = variable u32 5
           %a: u32 = Load %v
           %b: u32 = IAdd %a, u32 1
           Store %v, %b
           return %b
         }}",
        put(0, "%a")
    ));
    // Checked by running it: 6 each time, not 8 at the third.
    let module = check(&text, &["inline", "promote"]);
    let stored = interpret::run(&module, 1000).unwrap();
    assert!(format!("{stored:?}").contains("Bits(6)"), "{stored:?}");
}

#[test]
fn inline_passes_pointers_on() {
    let text = with_out(&format!(
        "func @main() -> void {{
           %v: ptr<Function, u32x2> = variable u32x2 {{1, 2}}
           %p: ptr<Function, u32> = AccessChain %v, u32 1
           call @bump(%p)
           call @put(@out)
           %a: u32 = Load %p
           {} return
         }}
         func @bump(%p: ptr<Function, u32>) -> void {{ %a: u32 = Load %p %b: u32 = IAdd %a, u32 1 Store %p, %b return }}
         func @put(%p: ptr<StorageBuffer, array<u32, 16>>) -> void {{
           %q: ptr<StorageBuffer, u32> = AccessChain %p, u32 3
           Store %q, u32 9
           return
         }}",
        put(0, "%a")
    ));
    let found = after(&text, &["inline", "promote", "simplify"]);
    assert_eq!((count(&found, "variable"), count(&found, "Load"), count(&found, "Store")), (0, 0, 2), "{found}");
}

#[test]
fn inline_has_limits() {
    let mut text = String::from("func @f0() -> void { return }\n");
    for i in 1..40 {
        text += &format!("func @f{i}() -> void {{ call @f{0}() call @f{0}() return }}\n", i - 1);
    }
    match inline::run(&mut module(&text)) {
        Err(Error::Limit { what, .. }) => assert!(what.contains("\"f17\""), "{what}"),
        other => panic!("{other:?}"),
    }
    let mut text = String::from("func @f0() -> void { return }\n");
    for i in 1..2000 {
        text += &format!("func @f{i}() -> void {{ call @f{}() return }}\n", i - 1);
    }
    assert!(matches!(inline::run(&mut module(&text)), Err(Error::Limit { .. })));
    let text = "func @a() -> void { call @b() return } func @b() -> void { call @a() return } func @c() -> void { call @a() return }";
    match inline::run(&mut module(text)) {
        Err(Error::Unsupported { reason, .. }) => assert!(reason.contains("calls itself"), "{reason}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn promote_splits_structs() {
    let text = format!(
        "struct $S {{ a: u32, v: u32x2, w: array<u32, 3> }}\n{OUT}
         func @main() -> void {{
           %s: ptr<Function, $S> = variable $S null
           %t: ptr<Function, $S> = variable
           {} {}
           %a: ptr<Function, u32> = AccessChain %s, i32 0
           Store %a, %x
           %w: ptr<Function, array<u32, 3>> = AccessChain %s, i32 2
           %w1: ptr<Function, u32> = AccessChain %w, i32 1
           Store %w1, %y
           %v: ptr<Function, u32> = AccessChain %s, i32 1, u32 1
           Store %v, %y
           %all: $S = Load %s
           Store %t, %all
           %b: ptr<Function, u32> = AccessChain %t, i32 2, i32 1
           %c: u32 = Load %b
           %d: ptr<Function, u32x2> = AccessChain %t, i32 1
           %e: u32x2 = Load %d
           %f: u32 = CompositeExtract %e [1]
           {} {} return
         }}",
        input("x", 0),
        input("y", 1),
        put(0, "%c"),
        put(1, "%f"),
    );
    let found = after(&text, &["promote", "simplify"]);
    for word in ["variable", "CompositeConstruct", "CompositeExtract", "CompositeInsert"] {
        assert_eq!(count(&found, word), 0, "{word}\n{found}");
    }
}

#[test]
fn promote_inserts_at_dynamic_components() {
    let text = with_out(&format!(
        "func @main() -> void {{
           %v: ptr<Function, u32x4> = variable u32x4 {{1, 2, 3, 4}}
           {} %i: u32 = BitwiseAnd %x, u32 3
           %p: ptr<Function, u32> = AccessChain %v, %i
           %a: u32 = Load %p
           %b: u32 = IAdd %a, u32 7
           Store %p, %b
           %q: ptr<Function, u32> = AccessChain %v, u32 0
           %c: u32 = Load %q
           {} return
         }}",
        input("x", 0),
        put(0, "%c")
    ));
    let found = after(&text, &["promote"]);
    let words = ["variable", "VectorExtractDynamic", "VectorInsertDynamic"];
    assert_eq!(words.map(|word| count(&found, word)), [0, 1, 1], "{found}");
}

#[test]
fn promote_leaves_dynamic_arrays_by_themselves() {
    let text = format!(
        "struct $S {{ a: u32, w: array<u32, 4> }}\n{OUT}
         func @main() -> void {{
           %s: ptr<Function, $S> = variable $S null
           {} %i: u32 = BitwiseAnd %x, u32 3
           %p: ptr<Function, u32> = AccessChain %s, i32 1, %i
           Store %p, %x
           %a: ptr<Function, u32> = AccessChain %s, i32 0
           Store %a, u32 5
           %b: u32 = Load %a
           %c: u32 = Load %p
           %all: $S = Load %s
           %d: u32 = CompositeExtract %all [1, 2]
           {} {} {} return
         }}",
        input("x", 0),
        put(0, "%b"),
        put(1, "%c"),
        put(2, "%d")
    );
    let found = after(&text, &["promote"]);
    assert!(found.contains("ptr<Function, array<u32, 4>> = variable array<u32, 4> null"), "{found}");
    assert_eq!((count(&found, "variable"), count(&found, "$S")), (1, 0), "{found}");
}

#[test]
fn promote_keeps_volatile_variables() {
    let text = with_out(&format!(
        "func @main() -> void {{ %v: ptr<Function, u32> = variable Store %v, u32 1 %a: u32 = Load %v volatile {} return }}",
        put(0, "%a")
    ));
    let text = text.replace("variable Store", "variable\nStore");
    assert_eq!(count(&after(&text, &["promote"]), "variable"), 1);
}

#[test]
fn promote_shares_constant_tables() {
    let mut body = input("x", 0) + "%i: u32 = BitwiseAnd %x, u32 1\n";
    for n in 0..3 {
        body += &format!("%t{n}: ptr<Function, array<u32, 2>> = variable\nStore %t{n}, #0\n");
        body += &format!("%q{n}: ptr<Function, u32> = AccessChain %t{n}, %i\n%r{n}: u32 = Load %q{n}\n");
        body += &put(n, &format!("%r{n}"));
    }
    let text = format!("const #0: array<u32, 2> = {{3, 4}}\n{OUT}func @main() -> void {{ {body} return }}");
    let found = after(&text, &["promote"]);
    assert!(found.contains("variable #0"), "{found}");
    assert_eq!((count(&found, "variable"), count(&found, "Store")), (1, 3), "{found}");
}

#[test]
fn promote_makes_values_of_private_globals() {
    let text = with_out(&format!(
        "global @g: ptr<Private, u32> = u32 3
         func @main() -> void {{
           {} %c: bool = ULessThan %x, u32 3
           selection (%c) then = {{ Store @g, %x merge }}
           %a: u32 = Load @g
           {} return
         }}",
        input("x", 0),
        put(0, "%a")
    ));
    let found = after(&text, &["promote"]);
    assert_eq!((count(&found, "g"), found.contains("merge (u32 3)")), (0, true), "{found}");
}

#[test]
fn promote_carries_only_what_changes() {
    // %t is stored first in each iteration and is local to it; %s changes; %k does not.
    let text = with_out(&format!(
        "func @main() -> void {{
           %t: ptr<Function, u32> = variable
           %s: ptr<Function, u32> = variable u32 0
           %k: ptr<Function, u32> = variable u32 7
           loop
             header (%i: u32 = u32 0) = {{ %c: bool = ULessThan %i, u32 3 condition %c }}
             body = {{
               Store %t, %i
               %a: u32 = Load %s %b: u32 = Load %t %d: u32 = Load %k
               %e: u32 = IAdd %a, %b %f: u32 = IAdd %e, %d
               Store %s, %f
               fallthrough
             }}
             continue = {{ %j: u32 = IAdd %i, u32 1 reenter (%j) }}
           %r: u32 = Load %s
           {} return
         }}",
        put(0, "%r")
    ));
    let found = after(&text, &["promote"]);
    assert!(found.contains("%0: u32 = loop ^loop0"), "{found}");
    assert!(found.contains("header (%1: u32 = u32 0, %2: u32 = u32 0)"), "{found}");
}

#[test]
fn clean_drops_what_has_no_use() {
    let text = with_out(&format!(
        "func @main() -> void {{
           {}
           %c: bool = ULessThan %x, u32 3
           %a: u32, %b: u32 = selection (%c)
             then = {{ %d: u32 = IMul %x, %x merge (%d, %x) }}
             else = {{ merge (u32 1, %x) }}
           switch ^s (%x) case 1 = {{ break ^s }} default = {{ %e: u32 = Load %px merge }}
           {} return
         }}",
        input("x", 0),
        put(0, "%b")
    ));
    // %b is %x on both sides, %a is not used: the selection goes, and the switch too.
    let found = after(&text, &["clean"]);
    assert_eq!((count(&found, "selection"), count(&found, "switch"), count(&found, "IMul")), (0, 0, 0), "{found}");
    assert!(found.contains("Store %2, %1"), "{found}");
}

#[test]
fn clean_keeps_loops_and_exits() {
    let text = "func @f(%c: bool) -> void {
        loop header = { condition %c } body = { } continue = { }
        selection (%c) then = { return }
        loop ^l header = { condition %c } body = { selection (%c) then = { break ^l } fallthrough } continue = { }
        return
    }";
    let found = after_unrun(text, "clean");
    assert_eq!((count(&found, "loop"), count(&found, "selection"), count(&found, "return")), (2, 2, 2), "{found}");
}

/// As [`after`], for functions that cannot be run.
fn after_unrun(text: &str, pass: &str) -> String {
    let mut module = module(text);
    (by_name(pass).unwrap().run)(&mut module).unwrap();
    verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
    module.to_string()
}

/// An expression of `%x: i32`, `%u: u32`, `%f: f32`, `%b: bool`, `%v: f32x4`, and what is returned after simplification.
const EXPRESSIONS: &[(&str, &str, &str)] = &[
    ("u32", "IAdd u32 4294967295, u32 2", "u32 1"),
    ("i32", "SDiv i32 -2147483648, i32 -1", "i32 -2147483648"),
    ("f32", "FAdd f32 0.1, f32 0.2", "f32 0.3"),
    ("f32x2", "FMul f32x2 {2.0, 3.0}, f32x2 {0.5, 4.0}", "f32x2 {1.0, 12.0}"),
    ("bool", "FOrdLessThan f32 1.0, f32 2.0", "bool true"),
    ("u32", "IAdd %u, u32 0", "%0"),
    ("u32", "IMul u32 1, %u", "%0"),
    ("u32", "BitwiseAnd %u, u32 0", "u32 0"),
    ("u32", "BitwiseXor %u, %u", "u32 0"),
    ("u32", "UMod %u, u32 1", "u32 0"),
    ("bool", "ULessThanEqual %u, %u", "bool true"),
    ("f32", "FMul %f, f32 1.0", "%0"),
    ("f32", "FSub %f, f32 0.0", "%0"),
    ("f32", "FAdd %f, f32 -0.0", "%0"),
    ("u32", "Select bool true, %u, u32 5", "%0"),
    ("u32", "Select %b, %u, %u", "%0"),
    ("bool", "LogicalAnd %b, bool true", "%0"),
    ("f32", "CompositeExtract f32x4 {1.0, 2.0, 3.0, 4.0} [2]", "f32 3.0"),
    ("f32", "VectorExtractDynamic f32x4 {1.0, 2.0, 3.0, 4.0}, u32 1", "f32 2.0"),
    ("f32x4", "VectorShuffle %v, %v [0, 1, 2, 3]", "%0"),
    ("f32x2", "VectorShuffle f32x2 {1.0, 2.0}, f32x2 {3.0, 4.0} [3, 0]", "f32x2 {4.0, 1.0}"),
    ("u32", "GLSL.UMin u32 3, u32 9", "u32 3"),
    ("i32", "ConvertFToS f32 0x7fc00000", "i32 0"),
];

/// Expressions that must stay as they are: not exact, or not known.
const KEPT: &[(&str, &str)] = &[
    ("f32", "FAdd %f, f32 0.0"),
    ("f32", "FMul %f, f32 0.0"),
    ("f32", "FSub %f, %f"),
    ("f32", "FDiv f32 0.0, f32 0.0"),
    ("f32", "FDiv %f, f32 3.0"),
    ("bool", "FOrdEqual %f, %f"),
    ("i32", "SDiv %x, i32 7"),
    ("u32", "IAdd %x, i32 0"),
    ("f32", "GLSL.Sin f32 1.0"),
];

const PARAMS: &[(&str, &str)] = &[("x", "i32"), ("u", "u32"), ("f", "f32"), ("b", "bool"), ("v", "f32x4")];

fn expression(ty: &str, text: &str) -> String {
    let used = PARAMS.iter().filter(|(name, _)| text.contains(&format!("%{name}")));
    let params: Vec<String> = used.map(|(name, ty)| format!("%{name}: {ty}")).collect();
    after_unrun(&format!("func @f({}) -> {ty} {{ %r: {ty} = {text} return %r }}", params.join(", ")), "simplify")
}

#[test]
fn simplify_knows_expressions() {
    for &(ty, text, expected) in EXPRESSIONS {
        let found = expression(ty, text);
        let expected = if expected == "f32 0.3" { format!("f32 {:?}", 0.1f32 + 0.2) } else { expected.to_string() };
        assert!(found.contains(&format!("{{\n  return {expected}\n")), "{text}\n{found}");
    }
    for &(ty, text) in KEPT {
        let found = expression(ty, text);
        assert_eq!(count(&found, text.split(' ').next().unwrap()), 1, "{text}\n{found}");
    }
    println!("{} expressions", EXPRESSIONS.len() + KEPT.len());
}

#[test]
fn simplify_divides_by_powers_of_two() {
    let values = [0u32, 1, 2, 7, 8, 9, 0x7fff_ffff, 0x8000_0000, 0x8000_0001, 0xffff_ffff, 0xffff_fff8, 0xffff_fff7];
    let mut checked = 0;
    for op in ["UDiv", "UMod", "SDiv", "SRem", "SMod"] {
        for power in [1, 2, 3, 16, 30, 31] {
            let divisor = 1u32 << power;
            let body = format!("{} %r: u32 = {op} %x, u32 {divisor}\n{}", input("x", 0), put(0, "%r"));
            let plain = module(&with_out(&format!("func @main() -> void {{ {body} return }}")));
            let mut shorter = plain.clone();
            simplify::run(&mut shorter).unwrap();
            verify::verify(&shorter).unwrap();
            let kept = op.starts_with('S') && power == 31;
            assert_eq!(count(&shorter.to_string(), op), usize::from(kept), "{shorter}");
            for value in values {
                let [expected, found] = [&plain, &shorter].map(|m| interpret::run_on(m, 100, &[value]).unwrap());
                assert_eq!(found, expected, "{op} {value:#x} by {divisor:#x}\n{shorter}");
                checked += 1;
            }
        }
    }
    println!("{checked} divisions");
}

#[test]
fn simplify_splices_known_selections() {
    let text = with_out(&format!(
        "func @main() -> void {{
           {}
           %a: u32 = selection ^s (bool true) then = {{ %b: u32 = IAdd %x, u32 1 break ^s (%b) }} else = {{ merge (u32 2) }}
           switch (u32 7) case 7 = {{ {} merge }} default = {{ return }}
           selection (bool false) then = {{ return }}
           {}
           selection (bool true) then = {{ return }}
           {}
           return
         }}",
        input("x", 0),
        put(1, "%a"),
        put(0, "%a"),
        put(2, "u32 9"),
    ));
    let found = after(&text, &["simplify"]);
    assert_eq!(["selection", "switch", "Store"].map(|word| count(&found, word)), [0, 0, 2], "{found}");
}

#[test]
fn simplify_keeps_what_is_broken_out_of() {
    let text = with_out(&format!(
        "func @main() -> void {{
           {} %c: bool = ULessThan %x, u32 3
           %a: u32 = selection ^s (bool true)
             then = {{
               loop header = {{ condition %c }} body = {{ {} break ^s (u32 1) }} continue = {{ }}
               merge (u32 2)
             }}
             else = {{ {} merge (u32 3) }}
           {} return
         }}",
        input("x", 0),
        put(2, "%x"),
        put(1, "%x"),
        put(0, "%a"),
    ));
    let found = after(&text, &["simplify"]);
    assert_eq!((count(&found, "selection"), count(&found, "unreachable")), (1, 2), "{found}");
}

#[test]
fn simplify_flattens_short_sides() {
    // glslang's `a || b`, and one side that is too long, and one that stores.
    let long: String = (0..9).map(|i| format!("%m{}: u32 = IMul %m{i}, %x\n", i + 1)).collect();
    let text = with_out(&format!(
        "func @main() -> void {{
           {} {} %c: bool = ULessThan %x, u32 3
           %n: bool = LogicalNot %c
           %or: bool = selection (%n) then = {{ %d: bool = ULessThan %y, u32 3 merge (%d) }} else = {{ merge (%c) }}
           %a: u32 = Select %or, u32 1, u32 0
           {}
           %e: u32 = selection (%c) then = {{ %m0: u32 = IAdd %x, u32 1 {long} merge (%m9) }} else = {{ merge (u32 0) }}
           {}
           selection (%c) then = {{ {} merge }}
           return
         }}",
        input("x", 0),
        input("y", 1),
        put(0, "%a"),
        put(1, "%e"),
        put(2, "u32 1"),
    ));
    let found = after(&text, &["simplify"]);
    assert_eq!(["selection", "LogicalOr", "LogicalNot"].map(|word| count(&found, word)), [2, 1, 0], "{found}");
}

#[test]
fn simplify_drops_what_is_never_reached() {
    let text = "func @f(%c: bool) -> u32 {
        selection (%c) then = { return u32 1 } else = { return u32 2 }
        loop header = { condition %c } body = { } continue = { }
        return u32 3
    }";
    let found = after_unrun(text, "simplify");
    assert_eq!((count(&found, "loop"), count(&found, "unreachable")), (0, 1), "{found}");
}

#[test]
fn reuse_stays_within_what_is_visible() {
    let text = with_out(&format!(
        "func @main() -> void {{
           {} %c: bool = ULessThan %x, u32 3
           selection (%c) then = {{ %a: u32 = IMul %x, %x {} merge }} else = {{ %b: u32 = IMul %x, %x {} merge }}
           %d: u32 = IAdd %x, u32 1 %e: u32 = IAdd u32 1, %x
           {} {}
           %pz: ptr<PushConstant, u32> = AccessChain @pc, u32 0 %z: u32 = Load %pz
           %q: ptr<StorageBuffer, u32> = AccessChain @out, u32 0 %r: u32 = Load %q
           {}
           %s: u32 = Load %q %t: u32 = IAdd %r, %s {}
           return
         }}",
        input("x", 0),
        put(0, "%a"),
        put(1, "%b"),
        put(2, "%d"),
        put(3, "%e"),
        put(4, "%z"),
        put(5, "%t"),
    ));
    let found = after(&text, &["reuse"]);
    // Both multiplications stay, one addition goes, and one load of the push constant; those of the buffer stay.
    assert_eq!(["IMul", "IAdd", "Load"].map(|word| count(&found, word)), [2, 2, 3], "{found}");
}

#[test]
fn reuse_takes_constant_loads_out_of_loops() {
    let text = with_out(&format!(
        "func @main() -> void {{
           loop
             header (%i: u32 = u32 0) = {{ {} %c: bool = ULessThan %i, %x condition %c }}
             body = {{
               selection (%c) then = {{ {} {} merge }}
               %q: ptr<StorageBuffer, u32> = AccessChain @out, u32 1
               %r: u32 = Load %q
               fallthrough
             }}
             continue = {{ {} %j: u32 = IAdd %i, %z reenter (%j) }}
           return
         }}",
        input("x", 0),
        input("y", 0),
        put(1, "%y"),
        input("z", 1),
    ));
    let found = after(&text, &["reuse"]);
    let (before, inside) = found.split_once("loop ^loop0").unwrap();
    assert_eq!((count(before, "Load"), count(inside, "Load")), (2, 1), "{found}");
}

/// Sums of `%a`, `%b`, `%c: f32`, `%v`, `%w: f32x2`, and what they become.
const CONTRACTIONS: &[(&str, &str)] = &[
    ("%m: f32 = FMul %a, %b %r: f32 = FAdd %m, %c", "%3: f32 = GLSL.Fma %0, %1, %2"),
    ("%m: f32 = FMul %a, %b %r: f32 = FAdd %c, %m", "%3: f32 = GLSL.Fma %0, %1, %2"),
    ("%m: f32 = FMul %a, %b %r: f32 = FSub %m, %c", "%3: f32 = FNegate %2\n  %4: f32 = GLSL.Fma %0, %1, %3"),
    ("%m: f32 = FMul %a, %b %r: f32 = FSub %c, %m", "%3: f32 = FNegate %0\n  %4: f32 = GLSL.Fma %3, %1, %2"),
    ("%m: f32 = FMul f32 2.0, %b %r: f32 = FSub %c, %m", "%2: f32 = GLSL.Fma f32 -2.0, %0, %1"),
    ("%m: f32 = FMul %a, f32 2.0 %r: f32 = FSub %c, %m", "%2: f32 = GLSL.Fma %0, f32 -2.0, %1"),
    ("%m: f32 = FMul %a, %b %r: f32 = FSub %m, f32 1.0", "%2: f32 = GLSL.Fma %0, %1, f32 -1.0"),
    (
        "%m: f32x2 = VectorTimesScalar %v, %a %r: f32x2 = FAdd %w, %m",
        "%3: f32x2 = CompositeConstruct %0, %0\n  %4: f32x2 = GLSL.Fma %1, %3, %2",
    ),
    ("%m: f32 = FMul %a, %b no_contraction %r: f32 = FAdd %m, %c", "FAdd"),
    ("%m: f32 = FMul %a, %b %r: f32 = FAdd %m, %c no_contraction", "FAdd"),
    ("%m: f32 = FMul %a, %b %n: f32 = FAdd %m, %c %r: f32 = FAdd %n, %m", "%5: f32 = FAdd %4, %3"),
];

#[test]
fn contract_fuses_products_with_one_use() {
    let params = [("a", "f32"), ("b", "f32"), ("c", "f32"), ("v", "f32x2"), ("w", "f32x2")];
    for &(text, expected) in CONTRACTIONS {
        let used = params.iter().filter(|(name, _)| text.contains(&format!("%{name}")));
        let params: Vec<String> = used.map(|(name, ty)| format!("%{name}: {ty}")).collect();
        let ty = if text.contains("f32x2") { "f32x2" } else { "f32" };
        let text = text.replace(" %r:", "\n%r:").replace(" %n:", "\n%n:");
        let found = after_unrun(&format!("func @f({}) -> {ty} {{ {text}\nreturn %r }}", params.join(", ")), "contract");
        assert!(found.contains(expected), "{text}\n{found}");
    }
    println!("{} sums", CONTRACTIONS.len());
}

#[test]
fn passes_are_found_by_name() {
    for pass in PASSES {
        assert_eq!(by_name(pass.name).unwrap().name, pass.name);
    }
    match by_name("inlin") {
        Err(Error::Options(text)) => assert!(text.contains("stdlib, inline"), "{text}"),
        other => panic!("{:?}", other.map(|pass| pass.name)),
    }
}

#[test]
fn the_pipeline_follows_the_options() {
    let text = with_out(&format!(
        "func @main() -> void {{ {} %a: u32 = call @f(%x)\n %d: u32 = IAdd %a, u32 0 {} return }}
         func @f(%x: u32) -> u32 {{ %v: ptr<Function, u32> = variable %x\n %y: u32 = Load %v return %y }}",
        input("x", 0),
        put(0, "%d")
    ));
    for (opt, kept) in [(OptLevel::None, 1), (OptLevel::Speed, 0)] {
        let options = Options { opt, ..Options::default() };
        let found = pipeline(module(&text), &options).unwrap();
        verify::verify(&found).unwrap();
        let found = found.to_string();
        assert_eq!(["call", "variable", "IAdd"].map(|word| count(&found, word)), [0, 0, kept], "{found}");
    }
}

/// Long chains and wide constructs must not take quadratic time; a limit on the number of operations says so without a clock,
/// since the passes would not finish otherwise.
#[test]
fn large_functions_are_no_trouble() {
    let mut body = String::from("%v: ptr<Function, u32> = variable u32 1\n");
    for i in 0..20_000 {
        body += &format!("%a{i}: u32 = Load %v\n%b{i}: u32 = IAdd %a{i}, u32 {i}\nStore %v, %b{i}\n");
        body +=
            &format!("%c{i}: bool = ULessThan %b{i}, u32 9\nselection (%c{i}) then = {{ Store %v, u32 {i} merge }}\n");
    }
    let text = with_out(&format!("func @main() -> void {{ {body} %r: u32 = Load %v {} return }}", put(0, "%r")));
    let module = pipeline(module(&text), &Options::default()).unwrap();
    verify::verify(&module).unwrap();
    assert_eq!(count(&module.to_string(), "Load"), 0);
}

#[test]
fn simplify_nests_early_returns() {
    let text = with_out(&format!(
        "func @main() -> void {{ {} %a: u32 = call @sign(%x)\n %b: u32 = call @many(%x)\n {} {} return }}
         func @sign(%x: u32) -> u32 {{
           %c: bool = SLessThan %x, u32 0
           selection (%c) then = {{ return u32 4294967295 }}
           %d: bool = IEqual %x, u32 0
           selection (%d) then = {{ return u32 0 }} else = {{ return u32 1 }}
           return u32 2
         }}
         func @many(%x: u32) -> u32 {{
           %c: bool = ULessThan %x, u32 4
           %s: u32 = selection (%c) then = {{ {} merge (u32 7) }} else = {{ return u32 8 }}
           %t: u32 = IAdd %s, %x
           %d: bool = ULessThan %t, u32 9
           selection (%d) then = {{ {} return %t }}
           {}
           return %s
         }}",
        input("x", 0),
        put(0, "%a"),
        put(1, "%b"),
        put(2, "u32 1"),
        put(3, "u32 1"),
        put(4, "u32 1"),
    ));
    let found = after(&text, &["inline", "promote", "simplify"]);
    assert_eq!(["break", "selection", "Select"].map(|word| count(&found, word)), [0, 2, 2], "{found}");
}

#[test]
fn simplify_nests_continues() {
    let text = with_out(&format!(
        "func @main() -> void {{
           {}
           %r: u32 = loop ^l
             header (%i: u32 = u32 0, %s: u32 = u32 0) = {{ %c: bool = ULessThan %i, u32 5 condition %c exit (%s) }}
             body = {{
               %d: bool = IEqual %i, %x
               selection (%d) then = {{ continue ^l (%s) }}
               %t: u32 = IAdd %s, %i
               %e: bool = ULessThan %t, u32 4
               selection (%e) then = {{ {} merge }} else = {{ continue ^l (%t) }}
               %u: u32 = IMul %t, u32 3
               fallthrough (%u)
             }}
             continue (%n: u32) = {{ %j: u32 = IAdd %i, u32 1 reenter (%j, %n) }}
           {} return
         }}",
        input("x", 0),
        put(2, "%t"),
        put(0, "%r"),
    ));
    let found = after(&text, &["simplify"]);
    // The `continue` that is left is the region.
    assert_eq!(["continue", "selection"].map(|word| count(&found, word)), [1, 2], "{found}");
}

#[test]
fn early_returns_nest_to_a_bound() {
    let mut body = String::new();
    for i in 0..1000 {
        body += &format!("%c{i}: bool = IEqual %x, u32 {i}\nselection (%c{i}) then = {{ return u32 {} }}\n", i * 7);
    }
    let text = with_out(&format!(
        "func @main() -> void {{ {} %a: u32 = call @f(%x)\n {} return }}
         func @f(%x: u32) -> u32 {{ {body} return u32 0 }}",
        input("x", 0),
        put(0, "%a"),
    ));
    check(&text, &["inline", "promote", "simplify", "reuse", "clean"]);
}

#[test]
fn deep_nesting_goes_through_every_pass() {
    // Selections that store at each level, so that nothing is simplified away.
    let level = |i| format!("%c{i}: bool = IEqual %u, u32 {i}\nselection (%c{i}) then = {{\nStore @g, u32 {i}\n");
    let body: String = (0..MAX_NESTING).map(level).collect();
    let end = "merge\n}\n".repeat(MAX_NESTING) + "return\n}";
    let text = format!("global @g: ptr<StorageBuffer, u32>\nfunc @f(%u: u32) -> void {{\n{body}{end}");
    let mut module = module(&text);
    for pass in PASSES {
        (pass.run)(&mut module).unwrap();
        verify::verify(&module).unwrap();
    }
    assert_eq!(count(&module.to_string(), "selection"), MAX_NESTING);
}
