//! Each construct's shape. Labels of constructs are the numbers of their operations; the six instructions that every test
//! shader starts with are 0 to 5.

use super::{lift, shape};

fn check(body: &str, wanted: &str) {
    let module = lift(body).unwrap_or_else(|e| panic!("{e}\n{body}"));
    crate::ir::verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{body}"));
    let got = shape(&module).replace("AccessChain AccessChain AccessChain Load Load ULessThan ", "… ");
    let wanted = wanted.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(got.trim(), wanted, "\n{body}");
}

#[test]
fn straight_line() {
    check(
        "%s = OpIAdd %uint %x %y
         OpBranch %next
         %next = OpLabel
         OpStore %po %s
         OpReturn",
        "… IAdd Store return",
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
        "… if6 then { Store merge } else { merge } return",
    );
}

#[test]
fn if_else_with_phi() {
    check(
        "OpSelectionMerge %m None
         OpBranchConditional %c %t %e
         %t = OpLabel
         %a = OpIAdd %uint %x %y
         OpBranch %m
         %e = OpLabel
         %b = OpISub %uint %x %y
         OpBranch %m
         %m = OpLabel
         %r = OpPhi %uint %a %t %b %e
         OpStore %po %r
         OpReturn",
        "Variable … if6 then { IAdd Store merge } else { ISub Store merge } Load Store return",
    );
}

#[test]
fn both_sides_return() {
    check(
        "OpSelectionMerge %m None
         OpBranchConditional %c %t %e
         %t = OpLabel
         OpReturn
         %e = OpLabel
         OpReturn
         %m = OpLabel
         OpUnreachable",
        "… if6 then { return } else { return } unreachable",
    );
}

#[test]
fn value_of_one_side_used_behind_it() {
    // Only the then side reaches the merge block, so its value dominates the use.
    check(
        "OpSelectionMerge %m None
         OpBranchConditional %c %t %e
         %t = OpLabel
         %a = OpIAdd %uint %x %y
         OpBranch %m
         %e = OpLabel
         OpReturn
         %m = OpLabel
         OpStore %po %a
         OpStore %po %a
         OpReturn",
        "Variable … if6 then { IAdd Store merge } else { return } Load Store Store return",
    );
}

#[test]
fn pointers_are_computed_again() {
    check(
        "OpSelectionMerge %m None
         OpBranchConditional %c %t %e
         %t = OpLabel
         %i = OpIAdd %uint %x %y
         %p = OpAccessChain %pu %out %u0 %i
         OpStore %p %x
         OpBranch %m
         %e = OpLabel
         OpReturn
         %m = OpLabel
         OpStore %p %y
         OpReturn",
        "Variable … if6 then { IAdd Store AccessChain Store merge } else { return } Load AccessChain Store return",
    );
}

const FOR_HEAD: &str = "OpBranch %h
     %h = OpLabel
     %i = OpPhi %uint %u0 %entry %in1 %cont
     OpLoopMerge %m %cont None
     OpBranch %test
     %test = OpLabel
     %lt = OpULessThan %bool %i %x
     OpBranchConditional %lt %b %m
     %b = OpLabel";

const FOR_TAIL: &str = "%cont = OpLabel
     %in1 = OpIAdd %uint %i %u1
     OpBranch %h
     %m = OpLabel
     OpReturn";

#[test]
fn for_loop() {
    check(
        &format!("{FOR_HEAD} \n OpStore %po %i \n OpBranch %cont \n {FOR_TAIL}"),
        "Variable … Store loop8 header { Load ULessThan condition } body { Store fallthrough }
         cont { IAdd Store reenter } return",
    );
}

#[test]
fn loop_that_goes_on_when_its_test_fails() {
    let head = FOR_HEAD.replace("%lt %b %m", "%lt %m %b");
    check(
        &format!("{head} \n OpBranch %cont \n {FOR_TAIL}"),
        "Variable … Store loop8 header { Load ULessThan LogicalNot condition } body { fallthrough }
         cont { IAdd Store reenter } return",
    );
}

#[test]
fn break_and_continue_under_selections() {
    check(
        &format!(
            "{FOR_HEAD}
             OpSelectionMerge %s None
             OpBranchConditional %c %brk %s
             %brk = OpLabel
             OpBranch %m
             %s = OpLabel
             OpSelectionMerge %s2 None
             OpBranchConditional %c %con %s2
             %con = OpLabel
             OpBranch %cont
             %s2 = OpLabel
             OpStore %po %i
             OpBranch %cont
             {FOR_TAIL}"
        ),
        "Variable … Store loop8 header { Load ULessThan condition }
         body { if11 then { break 8 } else { merge } if12 then { continue 8 } else { merge } Store fallthrough }
         cont { IAdd Store reenter } return",
    );
}

#[test]
fn conditional_branches_straight_to_merge_and_continue() {
    check(
        &format!(
            "{FOR_HEAD}
             OpBranchConditional %c %m %s
             %s = OpLabel
             OpBranchConditional %c %s2 %cont
             %s2 = OpLabel
             OpStore %po %i
             OpBranchConditional %c %cont %m
             {FOR_TAIL}"
        ),
        "Variable … Store loop8 header { Load ULessThan condition }
         body { if11 then { break 8 } else { merge } if12 then { merge } else { continue 8 } Store
                if14 then { merge } else { break 8 } fallthrough }
         cont { IAdd Store reenter } return",
    );
}

#[test]
fn do_while_tests_in_its_continue_construct() {
    check(
        "OpBranch %h
         %h = OpLabel
         OpLoopMerge %m %cont DontUnroll
         OpBranch %b
         %b = OpLabel
         OpStore %po %x
         OpBranch %cont
         %cont = OpLabel
         %v = OpLoad %uint %pi
         %again = OpULessThan %bool %v %y
         OpBranchConditional %again %h %m
         %m = OpLabel
         OpReturn",
        "… loop6 header { fallthrough } body { Store fallthrough } cont { Load ULessThan reenter_if } return",
    );
}

#[test]
fn single_block_loop() {
    check(
        "OpBranch %h
         %h = OpLabel
         %i = OpPhi %uint %u0 %entry %j %h
         %j = OpIAdd %uint %i %u1
         %lt = OpULessThan %bool %j %x
         OpLoopMerge %m %h None
         OpBranchConditional %lt %h %m
         %m = OpLabel
         OpStore %po %j
         OpReturn",
        "Variable Variable … Store loop8
         header { Load IAdd Store ULessThan Store condition } body { fallthrough } cont { reenter }
         Load Store return",
    );
}

#[test]
fn endless_loop_with_break_in_the_middle() {
    check(
        "OpBranch %h
         %h = OpLabel
         OpLoopMerge %m %cont None
         OpBranch %b
         %b = OpLabel
         %v = OpLoad %uint %pi
         %e = OpIEqual %bool %v %y
         OpSelectionMerge %s None
         OpBranchConditional %e %t %s
         %t = OpLabel
         OpBranch %m
         %s = OpLabel
         OpStore %po %v
         OpBranch %cont
         %cont = OpLabel
         OpBranch %h
         %m = OpLabel
         OpReturn",
        "… loop6 header { fallthrough }
         body { Load IEqual if9 then { break 6 } else { merge } Store fallthrough } cont { reenter } return",
    );
}

#[test]
fn exit_test_behind_a_selection_stays_in_the_header() {
    // while (a && b): the second operand is evaluated under the first.
    check(
        "OpBranch %h
         %h = OpLabel
         OpLoopMerge %m %cont None
         OpBranch %t
         %t = OpLabel
         OpSelectionMerge %s None
         OpBranchConditional %c %and %s
         %and = OpLabel
         %v = OpLoad %uint %pi
         %d = OpULessThan %bool %v %y
         OpBranch %s
         %s = OpLabel
         %both = OpPhi %bool %c %t %d %and
         OpBranchConditional %both %b %m
         %b = OpLabel
         OpStore %po %x
         OpBranch %cont
         %cont = OpLabel
         OpBranch %h
         %m = OpLabel
         OpReturn",
        "Variable … loop6
         header { Store if9 then { Load ULessThan Store merge } else { merge } Load condition }
         body { Store fallthrough } cont { reenter } return",
    );
}

#[test]
fn continue_before_the_exit_test_keeps_the_header_short() {
    check(
        "OpBranch %h
         %h = OpLabel
         OpLoopMerge %m %cont None
         OpBranch %t
         %t = OpLabel
         OpSelectionMerge %s None
         OpBranchConditional %c %and %s
         %and = OpLabel
         OpBranch %cont
         %s = OpLabel
         OpBranchConditional %c %b %m
         %b = OpLabel
         OpBranch %cont
         %cont = OpLabel
         OpBranch %h
         %m = OpLabel
         OpReturn",
        "… loop6 header { fallthrough }
         body { if7 then { continue 6 } else { merge } if8 then { merge } else { break 6 } fallthrough }
         cont { reenter } return",
    );
}

#[test]
fn nested_loops_leave_and_continue_the_outer_one() {
    check(
        &format!(
            "{FOR_HEAD}
             OpBranch %h2
             %h2 = OpLabel
             OpLoopMerge %m2 %cont2 None
             OpBranchConditional %c %b2 %m2
             %b2 = OpLabel
             OpSelectionMerge %s2 None
             OpBranchConditional %c %ret %s2
             %ret = OpLabel
             OpReturn
             %s2 = OpLabel
             OpBranch %cont2
             %cont2 = OpLabel
             OpBranch %h2
             %m2 = OpLabel
             OpBranch %cont
             {FOR_TAIL}"
        ),
        "Variable … Store loop8 header { Load ULessThan condition }
         body { loop11 header { condition } body { if12 then { return } else { merge } fallthrough } cont { reenter }
                fallthrough }
         cont { IAdd Store reenter } return",
    );
}

#[test]
fn loop_whose_continue_target_is_not_reached() {
    check(
        "OpBranch %h
         %h = OpLabel
         OpLoopMerge %m %cont None
         OpBranch %b
         %b = OpLabel
         OpStore %po %x
         OpBranch %m
         %cont = OpLabel
         OpBranch %h
         %m = OpLabel
         OpReturn",
        "… loop6 header { fallthrough } body { Store merge } cont { reenter } return",
    );
}

#[test]
fn phis_that_swap_are_loaded_before_any_is_stored() {
    check(
        "OpBranch %h
         %h = OpLabel
         %a = OpPhi %uint %x %entry %b %cont
         %b = OpPhi %uint %y %entry %a %cont
         OpLoopMerge %m %cont None
         OpBranchConditional %c %t %m
         %t = OpLabel
         OpBranch %cont
         %cont = OpLabel
         OpBranch %h
         %m = OpLabel
         OpStore %po %a
         OpReturn",
        "Variable Variable Variable … Store Store loop10
         header { Load Store Load condition } body { fallthrough } cont { Store Store reenter } Load Store return",
    );
}

#[test]
fn switch_with_shared_cases_fallthrough_and_default_to_merge() {
    check(
        "OpSelectionMerge %m None
         OpSwitch %x %m 1 %a 2 %b 3 %a 4 %m
         %a = OpLabel
         OpStore %po %x
         OpBranch %b
         %b = OpLabel
         OpStore %po %y
         OpBranch %m
         %m = OpLabel
         OpReturn",
        "… switch6 case [1, 3] { Store fallthrough } case [2] { Store merge } case [4] default { merge } return",
    );
}

#[test]
fn default_moves_to_where_it_falls_through() {
    check(
        "OpSelectionMerge %m None
         OpSwitch %x %d 1 %a 2 %b
         %d = OpLabel
         OpBranch %b
         %a = OpLabel
         OpBranch %d
         %b = OpLabel
         OpReturn
         %m = OpLabel
         OpUnreachable",
        "… switch6 case [1] { fallthrough } case [] default { fallthrough } case [2] { return } unreachable",
    );
}

#[test]
fn switch_in_a_loop_leaves_all_three() {
    check(
        &format!(
            "{FOR_HEAD}
             OpSelectionMerge %s None
             OpSwitch %x %d 1 %cont 2 %m 3 %e
             %d = OpLabel
             OpSelectionMerge %s2 None
             OpBranchConditional %c %brk %s2
             %brk = OpLabel
             OpBranch %s
             %s2 = OpLabel
             OpBranch %s
             %e = OpLabel
             OpBranch %cont
             %s = OpLabel
             OpBranch %cont
             {FOR_TAIL}"
        ),
        "Variable … Store loop8 header { Load ULessThan condition }
         body { switch11 case [1] { continue 8 } case [2] { break 8 } case [3] { continue 8 }
                case [] default { if12 then { break 11 } else { merge } merge } fallthrough }
         cont { IAdd Store reenter } return",
    );
}

#[test]
fn copies_vanish_and_undefined_values_are_constants() {
    check(
        "%undef = OpUndef %uint
         %copy = OpCopyObject %uint %x
         %copy2 = OpCopyObject %uint %copy
         %s = OpIAdd %uint %copy2 %undef
         OpNop
         OpStore %po %s
         OpReturn",
        "… IAdd Store return",
    );
}

#[test]
fn what_is_not_structured_is_refused() {
    let cases = [
        // Two sides meet without a merge instruction.
        "OpBranchConditional %c %t %e
         %t = OpLabel
         OpBranch %m
         %e = OpLabel
         OpBranch %m
         %m = OpLabel
         OpReturn",
        // A loop without OpLoopMerge.
        "OpBranch %h
         %h = OpLabel
         OpBranch %h",
        // Two sides meet before the merge block.
        "OpSelectionMerge %m None
         OpBranchConditional %c %t %e
         %t = OpLabel
         OpBranch %x1
         %e = OpLabel
         OpBranch %x1
         %x1 = OpLabel
         OpBranch %m
         %m = OpLabel
         OpReturn",
        // A switch without OpSelectionMerge.
        "OpSwitch %x %d 1 %d
         %d = OpLabel
         OpReturn",
    ];
    for body in cases {
        let error = lift(body).expect_err(body).to_string();
        assert!(error.contains("not structured"), "{error}\n{body}");
        assert!(error.contains("SPIR-V %") || error.contains("word"), "{error}");
    }
}

/// What falls through from within a selection is enclosed in one that is always taken; to leave that is to fall through.
#[test]
fn case_that_falls_through_from_within() {
    check(
        "OpSelectionMerge %m None
         OpSwitch %x %m 1 %one 2 %two
         %one = OpLabel
         OpSelectionMerge %s None
         OpBranchConditional %c %t %s
         %t = OpLabel
         OpBranch %two
         %s = OpLabel
         OpStore %po %x
         OpBranch %m
         %two = OpLabel
         OpStore %po %y
         OpBranch %m
         %m = OpLabel
         OpReturn",
        "… switch6 case [1] { if7 then { if8 then { break 7 } else { merge } Store break 6 } else { merge } fallthrough }
         case [2] { Store merge } case [] default { merge } return",
    );
}
