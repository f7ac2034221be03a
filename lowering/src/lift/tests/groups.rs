//! Subgroup operations with types that do not fit are refused where they stand.

use super::asm::assemble;
use crate::Error;

/// A vector of four words and a float beside what [`shader`](super::shader) has.
const VALUES: &str = "%set = OpCompositeConstruct %v4 %x %x %x %x
         %f = OpConvertUToF %float %x";

fn outcome(inst: &str) -> Result<(), String> {
    let body = format!("{VALUES}\n{inst}\nOpReturn");
    let text = super::shader(&body).replace(
        "%true = OpConstantTrue %bool",
        "%true = OpConstantTrue %bool\n%v4 = OpTypeVector %uint 4\n%float = OpTypeFloat 32",
    );
    match super::super::lift(&assemble(&text), &crate::Options::default()) {
        Ok(_) => Ok(()),
        Err(Error::InvalidSpirv { what, .. }) => Err(what),
        Err(other) => Err(format!("another error: {other}")),
    }
}

#[test]
fn types_of_operands_and_results() {
    let fits = [
        "%r = OpGroupNonUniformElect %bool %u3",
        "%r = OpGroupNonUniformAllEqual %bool %u3 %f",
        "%r = OpGroupNonUniformBallot %v4 %u3 %c",
        "%r = OpGroupNonUniformShuffle %float %u3 %f %x",
        "%r = OpGroupNonUniformBallotFindLSB %uint %u3 %set",
        "%r = OpSubgroupReadInvocationKHR %uint %x %y",
        "%r = OpSubgroupAllKHR %bool %c",
    ];
    let misfits = [
        "%r = OpGroupNonUniformElect %uint %u3",
        "%r = OpGroupNonUniformElect %bool %x",
        "%r = OpGroupNonUniformAll %bool %u3 %x",
        "%r = OpGroupNonUniformAllEqual %v4 %u3 %f",
        "%r = OpGroupNonUniformAllEqual %bool %u3 %pi",
        "%r = OpGroupNonUniformBallot %uint %u3 %c",
        "%r = OpGroupNonUniformInverseBallot %bool %u3 %x",
        "%r = OpGroupNonUniformBroadcast %float %u3 %x %u1",
        "%r = OpGroupNonUniformShuffle %float %u3 %f %f",
        "%r = OpGroupNonUniformShuffleXor %uint %u3 %x %set",
        "%r = OpGroupNonUniformBallotFindLSB %uint %u3 %x",
        "%r = OpSubgroupBallotKHR %v4 %x",
    ];
    for inst in fits {
        assert_eq!(outcome(inst), Ok(()), "{inst}");
    }
    for inst in misfits {
        let what = outcome(inst).expect_err(inst);
        assert!(what.contains("do not fit together"), "{inst}: {what}");
    }
}
