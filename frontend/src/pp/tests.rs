use super::*;

struct Files;

impl Host for Files {
    fn include(&self, requested: &str, relative: bool, from: &str, depth: usize) -> Result<(String, String), String> {
        let text = match requested {
            "a.glsl" => "#define FROM_A 1\nint a;\n",
            "b//c.glsl" if !relative => "int b = __LINE__;\n",
            "self.glsl" if depth < 4 => "deeper\n#include \"self.glsl\"\n",
            _ => return Err(format!("no {requested} beside {from}")),
        };
        Ok((requested.to_string(), text.to_string()))
    }

    fn predefined(&self, names: &[Rc<str>]) -> HashMap<Rc<str>, String> {
        let known = names.iter().filter(|name| ["GL_known", "__VERSION__"].contains(&&***name));
        known.map(|name| (name.clone(), if &**name == "GL_known" { "1" } else { "450" }.to_string())).collect()
    }
}

fn run(text: &str) -> Preprocessed {
    preprocess("main", text, &[("D".to_string(), Some("4".to_string()))], &Files).unwrap_or_else(|e| panic!("{e:?}"))
}

fn texts(text: &str) -> String {
    run(text).tokens.iter().map(|token| &*token.text).collect::<Vec<_>>().join(" ")
}

#[test]
fn macros_expand_as_in_c() {
    let cases = [
        ("#define A B\n#define B 2\nA A", "2 2"),
        ("#define F(x, y) x + y\nF(1, (2, 3)) F", "1 + ( 2 , 3 ) F"),
        ("#define F(x) x\nF\n(\n1\n)", "1"),
        ("#define E()\nE() 1", "1"),
        ("#define f f + 1\nf", "f + 1"),
        ("#define P Q\n#define Q P\nP", "P"),
        ("#define CAT(a, b) a ## b\nCAT(spirv_, type) CAT(x, 1)", "spirv_type x1"),
        ("#define ONE 1\n#define CAT(a, b) a##b\nCAT(ONE, 2)", "ONE2"),
        ("#define CAT(a, b) a ## b ## c\nCAT(x, ) CAT(x, 1D)", "xc x1Dc"),
        ("#define L u\n#define F(L) 1.0L 2L\n1.0L 3.L 1eL F(7) 1L", "1.0 u 3. u 1e u 1.0 7 2L 1L"),
        ("#define G(x) x x\n#define ONE 1\nG(G(ONE))", "1 1 1 1"),
        ("#define OPEN (\n#define F(x) x\nF OPEN 1)", "F ( 1 )"),
        ("#define A 1\n#undef A\nA D", "A 4"),
        ("#define \\\nA \\\n 7\nA", "7"),
        ("GL_known GL_other", "1 GL_other"),
        ("#undef GL_known\nGL_known", "GL_known"),
    ];
    for (text, expected) in cases {
        assert_eq!(texts(text), expected, "{text}");
    }
    println!("{} cases", cases.len());
}

#[test]
fn what_makes_no_token_is_not_pasted() {
    let paste = "#define PASTE(a, b) a ## b\n";
    let cases = ["PASTE(f, (1))", "PASTE(v, .x)", "PASTE(-, 1u)", "PASTE(x, +)", "PASTE(1, =)", "PASTE(;, ;)"];
    for text in cases {
        let (files, wrong) = preprocess("main", &format!("{paste} {text}"), &[], &Files).unwrap_err();
        assert!(wrong.what.contains("do not make one token"), "{text}: {wrong:?}");
        assert_eq!(files[0].line_column(wrong.at.offset), (2, 2), "{text}");
    }
    println!("{} cases", cases.len());
}

#[test]
fn conditions_choose() {
    let cases = [
        ("#if D == 4\n1\n#else\n2\n#endif", "1"),
        ("#ifdef X\n1\n#elif defined(D) && !defined X\n2\n#else\n3\n#endif", "2"),
        ("#ifndef GL_known\n1\n#endif\n#if __VERSION__ >= 450\n2\n#endif", "2"),
        ("#if 0\n#if 1\n1\n#else\n2\n#endif\n#error no\n#elif 1\n3\n#elif 1\n4\n#endif", "3"),
        ("#define F(x) x\n#if F(1) + F(1) == 2\n1\n#endif", "1"),
        ("#include \"a.glsl\"\n#if FROM_A\n1\n#endif", "int a ; 1"),
        ("#if 0 // c\n#bad \"\n#endif\n1", "1"),
    ];
    for (text, expected) in cases {
        assert_eq!(texts(text), expected, "{text}");
    }
    println!("{} cases", cases.len());
    for text in ["#if 1", "#endif", "#else", "#if 1.5\n#endif", "#include \"none\"", "#include none"] {
        assert!(preprocess("main", text, &[], &Files).is_err(), "{text}");
    }
}

#[test]
fn tokens_know_their_places() {
    let text = "#define M(x) [x, 1]\n  M(ab\n, c)".replace(", c", "");
    let result = run(&text);
    let file = &result.files[0];
    let places: Vec<_> = result
        .tokens
        .iter()
        .map(|token| (&*token.text, file.line_column(token.place().offset), file.line_column(token.used.offset)))
        .collect();
    let at = |text| places.iter().find(|(found, ..)| *found == text).unwrap();
    // What comes out of the body is where the macro is used, what comes out of an argument is where it is written.
    assert_eq!(at("["), &("[", (2, 3), (2, 3)));
    assert_eq!(at("ab"), &("ab", (2, 5), (2, 3)));
}

#[test]
fn lines_are_renumbered() {
    let result = run("__LINE__\n#line 100\n__LINE__ a\n#line D \"other\"\nb\n#include <b//c.glsl>\n");
    let texts: Vec<&str> = result.tokens.iter().map(|token| &*token.text).collect();
    assert_eq!(texts, ["1", "#line 100", "100", "a", "#line 4 \"other\"", "b", "int", "b", "=", "1", ";"]);
    let file = &result.files[0];
    assert_eq!([1, 3, 5].map(|line| file.logical(line)), [("main", 1), ("main", 100), ("other", 4)]);
}

#[test]
fn directives_stay() {
    let text = "#version 450\n# extension GL_known : enable\n#pragma once  x\nint a;";
    assert_eq!(texts(text), "#version 450 # extension GL_known : enable #pragma once x int a ;");
}

#[test]
fn bombs_are_errors() {
    let doubling: String = (1..40).map(|n| format!("#define A{n} A{0} A{0}\n", n - 1)).collect();
    let nested = format!("#define F(x) x\n{}1{}", "F(".repeat(5_000), ")".repeat(5_000));
    for text in [format!("#define A0 1\n{doubling}A39"), nested] {
        let (_, wrong) = preprocess("main", &text, &[], &Files).unwrap_err();
        assert!(wrong.what.contains("limit exceeded"), "{wrong:?}");
    }
}
