//! Tests of the text form and of the verifier.

use super::*;
use crate::error::Error;

/// Every construct, terminator, type and decoration.
const EVERYTHING: &str = r#"module 1.5
capability Shader
capability Int64
extension "SPV_KHR_storage_buffer_storage_class"
struct $Inner { m: matrix<f32x4, 3> offset 0 matrix_stride 16 row_major, _: f32x2 offset 64 }
struct $Block { n: u32 offset 0 non_writable, "a b": array<$Inner, 2, stride 96> offset 16, data: array<f32, stride 4> offset 208 coherent volatile restrict } block
struct $Block#1 { position: f32x4 builtin Position } buffer_block
spec 7 "N": u32 default 0x4 value 0x8
const #0: array<f32, 3> = {1.0, -0.0, 0x7fc00001}
const #1: array<array<f32, 3>, 2> = {#0, null}
global @block: ptr<StorageBuffer, $Block> set 0 binding 3 non_readable
global @#1: ptr<Input, u32x3> builtin GlobalInvocationId
global @#2: ptr<Private, array<array<f32, 3>, 2>> = #1
global @"f(i1;": ptr<Private, f32> = f32 0.1
global @tex: ptr<UniformConstant, opaque<OpTypeSampledImage>> set 1 binding 0
entry GLCompute "main" @main interface (@block, @#1) local_size 8 4 1 mode SubgroupSize [16]
entry Fragment "other" @"helper(f1;" local_size 1 1 1

func @main() -> void {
  %0: ptr<Function, u32> = variable
  %1: ptr<Function, f32x2> = variable f32x2 {0.5, undef}
  %2: ptr<Input, u32> = AccessChain @#1, i32 0
  %3: u32 = Load %2
  Store %0, %3 volatile
  %4: f32 = call @"helper(f1;"(f32 1e-7, i32 -3)
  %5: f32 = GLSL.Fma %4, f32 inf_bits, f32 3.4028235e38 no_contraction
  %6: bool = ULessThan %3, u32 4294967295
  %7: f32, %8: u32 = selection ^sel0 (%6) control 1
    then = {
      merge (%5, u32 1)
    }
    else = {
      break ^sel0 (%4, u32 2)
    }
  selection ^sel1 (bool true)
    then = {
      kill
    }
  %9: u32 = loop ^loop2 control 2
    header (%10: u32 = u32 0, %11: f32 = %7) = {
      %12: bool = ULessThan %10, %8
      condition %12 exit (%10)
    }
    body = {
      switch ^switch3 (%10)
        case 0, 7 = {
          continue ^loop2 (%11)
        }
        case 1 (%13: f32 = f32 2.0) = {
          fallthrough (f64 0.1)
        }
        default (%14: f64 = f64 1e300) = {
          break ^loop2 (u32 9)
        }
        case 4294967295 = {
          merge
        }
      fallthrough (f32 undef)
    }
    continue (%15: f32) = {
      %16: u32 = IAdd %10, u32 1
      reenter (%16, %15)
    }
  %17: u32 = loop ^loop4
    header (%18: u32 = %9) = {
      fallthrough
    }
    body = {
      fallthrough
    }
    continue = {
      reenter_if bool false (%18) exit (%18)
    }
  %19: i64 = IAdd i64 -9223372036854775808, i64 1
  %20: i8 = SNegate i8 -128
  %21: f16 = FNegate f16 0x3c00
  %22: f32x4 = VectorShuffle %1, %1 [0, 1, 4294967295, 0]
  %23: array<array<f32, 3>, 2> = CopyObject #1
  %24: $Inner = CopyObject $Inner null
  return
}

func @"helper(f1;"(%0: f32, %1: i32) -> f32 control 2 {
  %2: bool = SGreaterThan %1, i32 0
  selection ^sel0 (%2)
    then = {
      return %0
    }
  unreachable
}
"#;

fn everything() -> String {
    EVERYTHING.replace("inf_bits", "0x7f800000")
}

fn round_trip(text: &str) -> String {
    let module = parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    module.to_string()
}

#[test]
fn everything_prints_as_it_was_written() {
    assert_eq!(round_trip(&everything()), everything());
}

#[test]
fn numbering_is_canonical() {
    let text = "func @f(%x: u32) -> u32 { %b: u32 = IAdd %x, u32 0x10 %a: u32 = IMul %b, %b return %a }";
    let expected = "module 1.6\n\nfunc @f(%0: u32) -> u32 {\n  %1: u32 = IAdd %0, u32 16\n  %2: u32 = IMul %1, %1\n  return %2\n}\n";
    assert_eq!(round_trip(text), expected);
}

#[test]
fn float_bits_survive() {
    let mut module = Module::default();
    let ty = module.types.scalar(Scalar::F32);
    let mut function = Function::new("f".into(), ty, 0, Loc::default());
    let body = function.body;
    let mut bits: Vec<u32> = vec![0, 1, 0x8000_0000, 0x7f80_0000, 0xff80_0000, 0x7f80_0001, 0xffff_ffff, 0x7f7f_ffff];
    bits.extend((0..4000u32).map(|i| i.wrapping_mul(0x9e37_79b9)));
    for &bits in &bits {
        let id = module.constant(ty, ConstData::Bits(u64::from(bits)));
        let value = function.const_value(id, ty);
        let opcode = Opcode::Core(spirv::Op::FNegate);
        let inst = Inst { opcode, operands: [value].into_iter().collect(), literals: Default::default(), flags: 0 };
        function.push_op(body, OpKind::Inst(inst), &[ty], Loc::default());
    }
    module.functions.push(function);
    let again = parse(&module.to_string()).unwrap();
    let function = again.functions.values().next().unwrap();
    let found: Vec<u32> = function.regions[function.body]
        .ops
        .iter()
        .map(|&op| {
            let OpKind::Inst(inst) = &function.ops[op].kind else { panic!("no instruction") };
            again.scalar_bits(function.as_const(inst.operands[0]).unwrap()).unwrap() as u32
        })
        .collect();
    assert_eq!(found, bits);
}

#[test]
fn every_instruction_name_is_known() {
    let mut count = 0;
    for number in 0..=9000 {
        if let Some(op) = spirv::Op::from_u32(number) {
            let opcode = Opcode::Core(op);
            assert_eq!(parse::opcode_by_name(&opcode.to_string()), Some(opcode));
            count += 1;
        }
    }
    assert!(count > 500, "only {count} instructions");
    assert_eq!(parse::opcode_by_name("GLSL.Sqrt"), Some(Opcode::Glsl(spirv::GlslStd450Op::Sqrt)));
    assert_eq!(parse::opcode_by_name("Sqrt"), None);
}

#[test]
fn every_prefix_and_every_lost_token_is_an_error_or_a_module() {
    let text = everything();
    let mut errors = 0;
    for (end, _) in text.char_indices() {
        errors += usize::from(parse(&text[..end]).is_err());
    }
    let words: Vec<&str> = text.split_inclusive([' ', '\n']).collect();
    for lost in 0..words.len() {
        let rest: String = words.iter().enumerate().filter(|&(i, _)| i != lost).map(|(_, w)| *w).collect();
        match parse(&rest) {
            Ok(module) => drop(verify::verify(&module)),
            Err(Error::InvalidIr { line, .. }) => {
                assert!(line > 0);
                errors += 1;
            }
            Err(other) => panic!("{other}"),
        }
    }
    println!("{errors} errors in {} texts", text.len() + words.len());
    assert!(errors > 1000);
}

#[test]
fn nesting_is_bounded() {
    let deep = |n: usize| {
        let open = "selection (bool true) then = {".repeat(n);
        format!("func @f() -> void {{ {open} {} return }}", "merge }".repeat(n))
    };
    let module = parse(&deep(MAX_VERIFIED_NESTING)).unwrap();
    verify::verify(&module).unwrap();
    assert_eq!(round_trip(&module.to_string()), module.to_string());
    for text in [deep(100_000), format!("global @g: {}", "ptr<Private, ".repeat(100_000))] {
        assert!(matches!(parse(&text), Err(Error::InvalidIr { .. })));
    }
}

/// Text that parses but must not verify, and a part of the message.
const INVALID: &[(&str, &str)] = &[
    ("func @f() -> u32 { return }", "return does not give u32"),
    ("func @f() -> void { return u32 1 }", "return does not give void"),
    ("func @f() -> void { merge }", "merge cannot end this region"),
    ("func @f() -> void { selection (u32 1) then = { } }", "no boolean but u32"),
    ("func @f() -> void { selection (bool true) then = { fallthrough } }", "fallthrough cannot end"),
    ("func @f() -> void { %a: u32 = selection (bool true) then = { merge (u32 1) } }", "merge passes 0 values"),
    (
        "func @f() -> void { %a: u32 = selection (bool true) then = { merge (i32 1) } else = { merge (u32 1) } }",
        "i32 where u32",
    ),
    ("func @f() -> u32 { selection (bool true) then = { %a: u32 = IAdd u32 1, u32 1 } return %a }", "not visible"),
    (
        "func @f() -> void { loop header = { fallthrough } body = { %a: u32 = IAdd u32 1, u32 1 } continue = { %b: u32 = IAdd %a, u32 1 reenter } }",
        "not visible",
    ),
    (
        "func @f() -> void { loop ^l header = { fallthrough } body = { } continue = { selection (bool true) then = { continue ^l } reenter } }",
        "continue within the continue",
    ),
    ("func @f() -> void { loop header = { fallthrough } body = { } continue = { return } }", "must end in reenter"),
    (
        "func @f() -> void { selection ^a (bool true) then = { } selection (bool true) then = { break ^a } }",
        "does not enclose",
    ),
    ("func @f() -> void { selection ^a (bool true) then = { continue ^a } }", "no loop"),
    ("func @f() -> void { switch (u32 1) case 1 = { } case 1 default = { } }", "two cases"),
    ("func @f() -> void { switch (f32 1.0) default = { } }", "no integer"),
    ("func @f() -> void { switch (u32 1) default = { fallthrough } }", "fallthrough cannot end"),
    (
        "func @f() -> void { loop header (%a: u32) = { fallthrough } body = { } continue = { reenter (%a) } }",
        "passes 0 values where 1",
    ),
    ("func @f() -> void { %p: ptr<Function, u32> = variable f32 1.0 }", "initialiser of another type"),
    ("func @f() -> void { %p: ptr<Function, u32> = variable\n %q: f32 = Load %p }", "types of Load"),
    ("func @f() -> void { %p: ptr<Function, u32> = variable\n Store %p, f32 1.0 }", "types of Store"),
    ("func @f() -> void { call @g(u32 1) } func @g() -> void { }", "other arguments"),
    ("func @f() -> void { %a: u32 = call @g() } func @g() -> void { }", "another result"),
    ("global @g: ptr<Private, u32> class Input", "points to Private"),
    ("global @g: ptr<Private, u32> = f32 1.0", "initialiser of another type"),
    // A value of the header that a `continue` in the header skips.
    (
        "func @f(%c: bool) -> void { loop ^l header = { selection (%c) then = { continue ^l } %a: u32 = IAdd u32 1, u32 1 condition %c } body = { } continue = { %b: u32 = IAdd %a, %a reenter } }",
        "not visible",
    ),
];

#[test]
fn invalid_modules_are_refused() {
    for (text, message) in INVALID {
        let module = parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        match verify::verify(&module) {
            Err(Error::InvalidIr { what, .. }) => assert!(what.contains(message), "{what}\n{text}"),
            other => panic!("{other:?}\n{text}"),
        }
    }
    println!("{} modules refused", INVALID.len());
}

#[test]
fn visibility_reaches_into_loops() {
    let text = "func @f(%c: bool) -> void {
        loop ^l
          header (%i: u32 = u32 0) = {
            %a: u32 = IAdd %i, u32 1
            selection (%c) then = { continue ^l (%a) }
            condition %c
          }
          body = { fallthrough (%a) }
          continue (%j: u32) = {
            %b: u32 = IAdd %a, %j
            reenter_if %c (%b)
          }
    }";
    verify::verify(&parse(text).unwrap()).unwrap();
}
