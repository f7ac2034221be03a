//! What functions outside of the shader do: prints (NonSemantic.DebugPrintf), and instructions that the embedder has
//! registered, whatever their opcode or set.

use super::{Family, Flow, How, Row};
use crate::ir::Opcode;
use spirv::NonsemanticDebugprintfOp::DebugPrintf;

const FAMILY: Family = Family::Outside;

/// The rows.
pub const ROWS: &[&[Row]] = &[&[
    Row::special(Opcode::Printf(DebugPrintf), FAMILY, "–", "outside", How::Simt("outside"))
        .flow(Flow::None)
        .note("active lanes only, to the context's print sink; nothing where there is none"),
    Row::special(Opcode::Custom, FAMILY, "–", "outside", How::Simt("outside"))
        .note("an instruction that the embedder has registered: its function is called with the active lanes"),
]];
