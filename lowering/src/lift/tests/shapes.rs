//! Each construct's shape.

use super::{lift, shape};

/// Checks a body's shape; labels of constructs are numbers in order of operations.
fn check(body: &str, wanted: &str) {
    let module = lift(body).unwrap_or_else(|e| panic!("{e}\n{body}"));
    let got = shape(&module);
    let got = got.trim().trim_start_matches("AccessChain AccessChain AccessChain Load Load ULessThan ");
    let wanted = wanted.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(got, wanted, "\n{body}");
}

#[test]
fn straight_line() {
    check(
        "%s = OpIAdd %uint %x %y
         OpStore %po %s
         OpReturn",
        "IAdd Store return",
    );
}

#[test]
fn if_then() {
    check(
        "OpSelectionMerge %m None
         OpBranchConditional %c %t %m
         %t = OpLabel
         OpStore %po %x
         OpBranch %m
         %m = OpLabel
         OpReturn",
        "if6 then { Store merge } else { merge } return",
    );
}
