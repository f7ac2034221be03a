use super::constants::{Named, Value, evaluate, number};
use super::declared::Declared;
use crate::pp::{Host, Token, preprocess};
use std::collections::HashMap;
use std::rc::Rc;

struct Nothing;

impl Host for Nothing {
    fn include(&self, _: &str, _: bool, _: &str, _: usize) -> Result<(String, String), String> {
        Err("none".to_string())
    }

    fn predefined(&self, _: &[Rc<str>]) -> HashMap<Rc<str>, String> {
        HashMap::new()
    }
}

fn tokens(text: &str) -> Vec<Token> {
    preprocess("main", text, &[], &Nothing).unwrap_or_else(|error| panic!("{error:?}")).tokens
}

fn value(text: &str) -> Result<Value, String> {
    let tokens = tokens(text);
    let name = |name: &str| match name {
        "SEVEN" => Named::Value(Value::Int(7)),
        "SPEC" => Named::Specialization,
        "other" => Named::Other,
        _ => Named::Unknown,
    };
    evaluate(&tokens, &tokens[0], &name).map_err(|(_, what)| what)
}

#[test]
fn constant_expressions_have_glsl_s_values() {
    use Value::{Bool, Float, Int, Uint};
    let cases = [
        ("1 + 2 * 3", Int(7)),
        ("(100 + 28)", Int(128)),
        ("SEVEN - 8", Int(-1)),
        ("-7 / 2", Int(-3)),
        ("-7 % 4", Int(-3)),
        ("7u % 4", Uint(3)),
        ("~0u >> 28", Uint(15)),
        ("-16 >> 2", Int(-4)),
        ("1 << 4 | 3 & 2 ^ 1", Int(19)),
        ("0xFFFFFFFF", Int(-1)),
        ("017", Int(15)),
        ("1.5 * 2", Float(3.0)),
        ("2e1f", Float(20.0)),
        ("1 < 2 && !(3 == 4) ^^ false", Bool(true)),
        ("uint(-1)", Uint(u32::MAX)),
        ("int(2.9)", Int(2)),
        ("float(true) + .5", Float(1.5)),
        ("bool(2)", Bool(true)),
    ];
    for (text, expected) in cases {
        assert_eq!(value(text), Ok(expected), "{text}");
    }
    println!("{} cases", cases.len());
    let wrong = ["1 / 0", "1 % 0", "1 <<", "(1", "1 2", "true + 1", "1.0 % 2", "SPEC", "other", "nothing", "vec2(1)"];
    for text in wrong.iter().copied().chain(["int(1, 2)", "4294967296", "1 ? 2 : 3", "\"a\"", "1 << 32"]) {
        assert!(value(text).is_err(), "{text}");
    }
    assert!(value(&"- ".repeat(5_000)).unwrap_err().contains("limit exceeded"));
    assert!(value(&("(".repeat(900) + "1" + &")".repeat(900))).unwrap_err().contains("limit exceeded"));
}

#[test]
fn literals_read_back() {
    let values = [Value::Int(3), Value::Uint(3), Value::Float(0.1), Value::Float(16777216.0), Value::Uint(u32::MAX)];
    for value in values {
        let (_, text) = value.literal();
        assert_eq!(number(&text).map(Value::word), Some(value.word()), "{text}");
    }
    // One token, whatever the sign.
    for value in [Value::Int(-5), Value::Float(-0.5), Value::Float(f64::INFINITY), Value::Int(i32::MIN)] {
        let (_, text) = value.literal();
        assert_eq!(tokens(&text).len(), 1, "{text}");
        assert_eq!(number(&text).map(Value::word), Some(value.word()), "{text}");
    }
}

#[test]
fn names_are_known_by_scope() {
    let text = "const int A = 4, B = A * 2; layout(constant_id = 1) const uint S = 1u; const uint T = S + 1u;\n\
                const vec2 V = vec2(1); const int L[2] = int[2](1, 2); struct P { int m; } p; int plain;\n\
                void f(int A) { const int C = 9; float B; { const int A = 1; } ";
    let tokens = tokens(text);
    let mut declared = Declared::default();
    (0..tokens.len()).for_each(|at| declared.see(&tokens, at));
    let expected = [
        ("A", Named::Other),
        ("B", Named::Other),
        ("C", Named::Value(Value::Int(9))),
        ("S", Named::Specialization),
        ("T", Named::Specialization),
        ("V", Named::Other),
        ("L", Named::Other),
        ("plain", Named::Other),
        ("nothing", Named::Unknown),
        ("gl_MaxDrawBuffers", Named::Other),
    ];
    for (name, named) in expected {
        assert_eq!(declared.named(name), named, "{name}");
    }
    let closed: Vec<Token> =
        tokens.iter().cloned().chain(tokens.last().map(|last| last.becomes(last.kind, "}"))).collect();
    declared.see(&closed, tokens.len());
    assert_eq!(declared.named("A"), Named::Value(Value::Int(4)));
    assert_eq!(declared.named("B"), Named::Value(Value::Int(8)));
    assert!(declared.is_struct("P") && declared.is_member("m") && !declared.is_member("plain"));
}
