//! Nothing malformed panics, and what is lifted satisfies the verifier.

use super::{asm::assemble_as, lift, shader};
use crate::{Error, Options, ir};

/// A module with a bit of everything.
const RICH: &str = r#"
    OpCapability Shader
    OpExtension "SPV_KHR_something"
    %glsl = OpExtInstImport "GLSL.std.450"
    OpMemoryModel Logical GLSL450
    OpEntryPoint GLCompute %main "main" %gid
    OpExecutionMode %main LocalSize 8 1 1
    %file = OpString "shader.comp"
    OpName %main "main"
    OpName %S "Block"
    OpMemberName %S 0 "count"
    OpMemberName %S 1 "values"
    OpDecorate %gid BuiltIn GlobalInvocationId
    OpDecorate %n SpecId 3
    OpDecorate %arr ArrayStride 16
    OpDecorate %rarr ArrayStride 16
    OpDecorate %S Block
    OpMemberDecorate %S 0 Offset 0
    OpMemberDecorate %S 1 Offset 16
    OpMemberDecorate %S 1 ColMajor
    OpMemberDecorate %S 1 MatrixStride 16
    OpMemberDecorate %S 2 Offset 512
    OpDecorate %buf DescriptorSet 0
    OpDecorate %buf Binding 2
    OpDecorate %size BuiltIn WorkgroupSize
    %void = OpTypeVoid
    %fn = OpTypeFunction %void
    %uint = OpTypeInt 32 0
    %int = OpTypeInt 32 1
    %bool = OpTypeBool
    %float = OpTypeFloat 32
    %v3 = OpTypeVector %uint 3
    %f4 = OpTypeVector %float 4
    %mat = OpTypeMatrix %f4 4
    %u0 = OpConstant %uint 0
    %u1 = OpConstant %uint 1
    %u2 = OpConstant %uint 2
    %n = OpSpecConstant %uint 4
    %n2 = OpSpecConstantOp %uint IAdd %n %u1
    %size = OpSpecConstantComposite %v3 %n %u1 %u1
    %f0 = OpConstant %float 0
    %zero = OpConstantNull %f4
    %arr = OpTypeArray %mat %n2
    %rarr = OpTypeRuntimeArray %f4
    %S = OpTypeStruct %uint %arr %rarr
    %pS = OpTypePointer StorageBuffer %S
    %pf4 = OpTypePointer StorageBuffer %f4
    %puint = OpTypePointer StorageBuffer %uint
    %pin = OpTypePointer Input %v3
    %pinu = OpTypePointer Input %uint
    %fuint = OpTypePointer Function %uint
    %gid = OpVariable %pin Input
    %buf = OpVariable %pS StorageBuffer
    %helper_t = OpTypeFunction %uint %fuint %uint
    %helper = OpFunction %uint None %helper_t
    %hp = OpFunctionParameter %fuint
    %hv = OpFunctionParameter %uint
    %hb = OpLabel
    %ho = OpLoad %uint %hp
    %hs = OpIAdd %uint %ho %hv
    OpStore %hp %hs
    OpReturnValue %hs
    OpFunctionEnd
    %main = OpFunction %void None %fn
    %entry = OpLabel
    %local = OpVariable %fuint Function %u2
    OpLine %file 12 3
    %pi = OpAccessChain %pinu %gid %u0
    %i = OpLoad %uint %pi
    %pc = OpAccessChain %puint %buf %u0
    %count = OpLoad %uint %pc Volatile
    %len = OpArrayLength %uint %buf 2
    %lim = OpExtInst %uint %glsl UMin %count %len
    OpBranch %h
    %h = OpLabel
    %k = OpPhi %uint %u0 %entry %k1 %cont
    %acc = OpPhi %f4 %zero %entry %acc1 %cont
    OpLoopMerge %m %cont None
    OpBranch %t
    %t = OpLabel
    %lt = OpULessThan %bool %k %lim
    OpBranchConditional %lt %b %m
    %b = OpLabel
    %pv = OpAccessChain %pf4 %buf %u2 %k
    %v = OpLoad %f4 %pv
    %pm = OpInBoundsAccessChain %pf4 %buf %u1 %u1 %u2
    %w = OpLoad %f4 %pm
    %acc1 = OpFAdd %f4 %v %w
    OpSelectionMerge %sm None
    OpSwitch %k %d 1 %c1 2 %c2 7 %c1
    %c1 = OpLabel
    %x = OpFunctionCall %uint %helper %local %k
    OpBranch %c2
    %c2 = OpLabel
    OpBranch %sm
    %d = OpLabel
    %e = OpCompositeExtract %float %acc1 1
    %neg = OpFOrdLessThan %bool %e %f0
    OpBranchConditional %neg %m %sm
    %sm = OpLabel
    OpBranch %cont
    %cont = OpLabel
    %k1 = OpIAdd %uint %k %u1
    OpBranch %h
    %m = OpLabel
    %po = OpAccessChain %pf4 %buf %u2 %i
    OpStore %po %acc
    OpReturn
    OpFunctionEnd
"#;

/// Lifts; whatever comes out must verify and have an interface or an error.
fn survives(words: &[u32]) -> bool {
    match super::super::lift(words, &Options::default()) {
        Ok(module) => {
            ir::verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
            let _ = crate::analysis::interface::interface(&module, 0);
            true
        }
        Err(Error::Internal(what)) => panic!("{what}"),
        Err(_) => false,
    }
}

#[test]
fn the_rich_module_is_lifted() {
    assert!(survives(&assemble_as(3, RICH)));
    for minor in 0..=6 {
        assert!(survives(&assemble_as(minor, RICH)), "SPIR-V 1.{minor}");
    }
}

#[test]
fn prefixes_are_errors() {
    let words = assemble_as(3, RICH);
    let lifted = (0..words.len()).filter(|&n| survives(&words[..n])).count();
    assert_eq!(lifted, 0);
    println!("checked {} prefixes", words.len());
}

/// A small generator of pseudo-random numbers (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % below
    }
}

#[test]
fn changed_words_and_bytes_do_not_panic() {
    let words = assemble_as(3, RICH);
    let mut random = Random(0x1234_5678_9abc_def1);
    let mut lifted = 0;
    const ROUNDS: usize = 20_000;
    for round in 0..ROUNDS {
        let mut changed = words.clone();
        for _ in 0..1 + random.next(3) {
            let at = random.next(changed.len());
            match round % 4 {
                0 => changed[at] ^= 1 << random.next(32),
                1 => changed[at] = (changed[at] & !0xff) | random.next(256) as u32,
                // Another word of the module: mostly an id of another kind.
                2 => changed[at] = words[random.next(words.len())],
                _ => changed[at] = random.next(90) as u32,
            }
        }
        lifted += usize::from(survives(&changed));
    }
    println!("{ROUNDS} changed modules, {lifted} lifted all the same");
    assert!(lifted > 0 && lifted < ROUNDS);
}

#[test]
fn removed_and_repeated_instructions_do_not_panic() {
    let words = assemble_as(3, RICH);
    let mut starts = vec![];
    let mut at = 5;
    while at < words.len() {
        starts.push(at);
        at += (words[at] >> 16) as usize;
    }
    let mut checked = 0;
    for (index, &start) in starts.iter().enumerate() {
        let end = starts.get(index + 1).copied().unwrap_or(words.len());
        survives(&[&words[..start], &words[end..]].concat());
        survives(&[&words[..end], &words[start..]].concat());
        // Swapped with the next instruction.
        let after = starts.get(index + 2).copied().unwrap_or(words.len());
        survives(&[&words[..start], &words[end..after], &words[start..end], &words[after..]].concat());
        checked += 3;
    }
    println!("checked {checked} modules");
    assert!(checked > 100);
}

#[test]
fn wrong_headers() {
    let good = assemble_as(3, RICH);
    let error = |words: &[u32]| super::super::lift(words, &Options::default()).unwrap_err().to_string();
    assert!(error(&[]).contains("empty"));
    assert!(error(&[0x1234_5678, 0, 0, 0, 0]).contains("magic number"));
    assert!(error(&good[..3]).contains("header is cut off"));
    let mut version = good.clone();
    version[1] = 0x0001_0700;
    assert!(error(&version).contains("1.0 to 1.6"));
    // The bound is not relied on, and byte order is.
    let mut bound = good.clone();
    bound[3] = u32::MAX;
    assert!(survives(&bound));
    let swapped: Vec<u32> = good.iter().map(|w| w.swap_bytes()).collect();
    assert!(survives(&swapped));
}

#[test]
fn recursion_is_refused_with_names() {
    let text = shader("%r = OpFunctionCall %void %f \n OpReturn")
        + "
         %f = OpFunction %void None %fn
         %fb = OpLabel
         %fr = OpFunctionCall %void %g
         OpReturn
         OpFunctionEnd
         %g = OpFunction %void None %fn
         %gb = OpLabel
         %gr = OpFunctionCall %void %f
         OpReturn
         OpFunctionEnd";
    let text = text.replace("OpName %main", "OpName %f \"f(\"\n OpName %g \"g(\"\n OpName %main");
    let error = super::super::lift(&assemble_as(3, &text), &Options::default()).unwrap_err();
    assert!(matches!(error, Error::InvalidSpirv { .. }));
    assert!(error.to_string().contains("f calls g calls f"), "{error}");
}

#[test]
fn deep_nesting_is_a_limit_and_not_an_overflow() {
    // Selections in selections.
    let mut body = String::new();
    for level in 0..5000 {
        body += &format!(
            "OpSelectionMerge %m{level} None \n OpBranchConditional %c %t{level} %m{level} \n %t{level} = OpLabel\n"
        );
    }
    for level in (0..5000).rev() {
        body += &format!("OpBranch %m{level} \n %m{level} = OpLabel\n");
    }
    let error = lift(&(body + "OpReturn")).unwrap_err();
    assert!(matches!(error, Error::Limit { .. }), "{error}");
    // Access chains on access chains, used where they must be computed again.
    let mut body = "OpSelectionMerge %m None \n OpBranchConditional %c %t %e \n %t = OpLabel \n %p0 = OpAccessChain %pu %in %u0 %x\n".to_owned();
    for level in 1..5000 {
        body += &format!("%p{level} = OpAccessChain %pu %p{}\n", level - 1);
    }
    body += "OpBranch %m \n %e = OpLabel \n OpReturn \n %m = OpLabel \n OpStore %p4999 %x \n OpReturn";
    let error = lift(&body).unwrap_err();
    assert!(matches!(error, Error::Limit { .. }), "{error}");
}

#[test]
fn deep_types_are_a_limit() {
    let arrays: String = (0..5000)
        .map(|n| format!("%a{n} = OpTypeArray {} %u1\n", if n == 0 { "%uint".into() } else { format!("%a{}", n - 1) }))
        .collect();
    let structs: String = (0..5000)
        .map(|n| {
            let inner = if n == 0 { "%uint".into() } else { format!("%a{}", n - 1) };
            format!("%a{n} = OpTypeStruct {inner} {inner}\n")
        })
        .collect();
    for types in [arrays, structs] {
        // Both at once, and used from the inside out, so that each step is a shallow one.
        for used in [vec![4999], (0..5000).step_by(50).collect::<Vec<_>>()] {
            let pointers: String = used.iter().map(|n| format!("%q{n} = OpTypePointer Function %a{n}\n")).collect();
            let variables: String = used.iter().map(|n| format!("%v{n} = OpVariable %q{n} Function\n")).collect();
            let text = shader(&(variables + "OpReturn"));
            let text = text.replace("%main = OpFunction", &format!("{types}{pointers}%main = OpFunction"));
            let error = super::super::lift(&assemble_as(3, &text), &Options::default()).unwrap_err();
            assert!(matches!(error, Error::Limit { .. }), "{error}");
        }
    }
}
