//! Shader cases of the Vulkan conformance suite (`.test` files): shaders in GLSL ES with the values that go in and must come out.
//!
//! In: a file's text. Out: [`Case`]s, with a source that is a compute shader over the case's values where the case is one piece of
//! code for every stage (`both`); cases of several stages are kept for their names. [`run`] compiles and runs one.
//!
//! ```text
//! group swizzles "Swizzles"
//!     case vec2_yx
//!         version 310 es
//!         values
//!         {
//!             input vec2 in0 = [ vec2(0.0, 1.0) | vec2(2.0, 3.0) ];
//!             output vec2 out0 = [ vec2(1.0, 0.0) | vec2(3.0, 2.0) ];
//!         }
//!         both ""
//!             #version 310 es
//!             ${DECLARATIONS}
//!             void main() { ${SETUP} out0 = in0.yx; ${OUTPUT} }
//!         ""
//!     end
//! end
//! ```

mod parse;
mod run;

pub use parse::parse;
pub use run::run;

use glslc2native_scripts::amber::types::Type;

/// A case.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Names of the groups that it is in, and its own, with dots between.
    pub name: String,
    /// Line in the file.
    pub line: u32,
    /// What goes in and comes out.
    pub values: Vec<Value>,
    /// The code of every stage; `None` where stages have code of their own.
    pub both: Option<String>,
}

/// A value of a case.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// Comes out; else goes in.
    pub output: bool,
    /// Name in the shader.
    pub name: String,
    /// Type as the shader has it.
    pub glsl: String,
    /// Type in memory; booleans are 32-bit numbers there.
    pub ty: Type,
    /// Made of booleans.
    pub boolean: bool,
    /// Numbers of each time that the shader runs.
    pub rows: Vec<Vec<f64>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"
# A comment.
group outer "Outer"
    group inner "Inner"
        case one
            version 310 es
            desc "Some words: end case"
            values
            {
                input vec2 in0 = [ vec2(0.5, -1.0) | vec2(2.0) ];
                input bool in1 = [ true | false ];
                output mat2 out0 = [ mat2(0.5, 0.0, 0.0, 0.5) | mat2(4.0, 0.0, 0.0, 4.0) ];
                output bvec2 out1 = [ bvec2(true, false) | bvec2(false, true) ];
            }
            both ""
                #version 310 es
                precision highp float;
                ${DECLARATIONS}
                void main()
                {
                    ${SETUP}
                    out0 = mat2(in1 ? in0.x : in0.x + in0.y);
                    out1 = bvec2(in1, !in1);
                    ${OUTPUT}
                }
            ""
        end
    end
    case constant
        version 310 es
        values { output uint out0 = 7; }
        both ""
            #version 310 es
            ${DECLARATIONS}
            void main() { out0 = 6u; ${OUTPUT} }
        ""
    end
    case stages
        version 310 es
        output_color vec4
        vertex ""
            void main() {}
        ""
        fragment ""
            void main() {}
        ""
    end
end
"#;

    #[test]
    fn cases_are_read_and_run() -> Result<(), String> {
        let cases = parse(FILE)?;
        let names: Vec<&str> = cases.iter().map(|case| case.name.as_str()).collect();
        assert_eq!(names, ["outer.inner.one", "outer.constant", "outer.stages"]);
        assert_eq!(cases[0].values[0].rows, [[0.5, -1.0], [2.0, 2.0]]);
        assert!(cases[0].values[3].boolean && cases[0].values[3].output);
        assert!(cases[2].both.is_none());
        let compiler = glslc2native::Compiler::new();
        assert_eq!(run(&cases[0], &compiler), Ok(12));
        let message = run(&cases[1], &compiler).expect_err("6 is not 7");
        assert!(message.contains("out0, run 0: expected 7, found 6"), "{message}");
        Ok(())
    }

    #[test]
    fn mistakes_have_their_lines() {
        for (text, part) in [
            ("group a \"b\"\n", "1: there is no `end`"),
            (
                "case a\n  values { input vec2 x = [ vec2(1.0, 2.0, 3.0) ]; }\n both \"\" ${DECLARATIONS} \"\"\nend\n",
                "2: ",
            ),
            ("case a\n  values { input vec9 x = 1; }\nend\n", "2: `vec9` is no type"),
            ("case a\n  both \"\"\n", "2: there is no `\"\"`"),
            ("nonsense\n", "1: `nonsense`"),
        ] {
            let message = parse(text).expect_err(text);
            assert!(message.contains(part), "{text}: {message}");
        }
    }
}
