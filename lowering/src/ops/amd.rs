//! AMD's extended sets: SPV_AMD_shader_trinary_minmax, SPV_AMD_gcn_shader, SPV_AMD_shader_ballot,
//! SPV_AMD_shader_explicit_vertex_parameter (SPIR-V extensions of these names).

use super::row::{NONE, compose, per_lane};
use super::vectors::Vectors;
use super::{Done, Family, How, InstContext, LaneContext, Row};
use crate::ir::{Opcode, Scalar};
use crate::simt::legal::Legal;
use crate::simt::value::{Comp, Comps, Lanes};
use cranelift_codegen::ir::{self as clif, condcodes::FloatCC};
use smallvec::smallvec;
use spirv::{SpvAmdGcnShaderOp, SpvAmdShaderBallotOp, SpvAmdShaderExplicitVertexParameterOp};

const FAMILY: Family = Family::Amd;

/// The rows.
pub const ROWS: &[&[Row]] = &[trinary::ROWS, gcn::ROWS, BALLOT, VERTEX];

mod trinary {
    use super::*;
    use spirv::SpvAmdShaderTrinaryMinmaxOp as Names;

    const fn name(op: Names) -> Opcode {
        Opcode::TrinaryMinMax(op)
    }

    pub const ROWS: &[Row] = &[
        per_lane!(FMin3AMD, "–", fmin3, F32).note("min(min(x, y), z)"),
        per_lane!(UMin3AMD, "–", umin3, I32),
        per_lane!(SMin3AMD, "–", smin3, I32),
        per_lane!(FMax3AMD, "–", fmax3, F32).note("max(max(x, y), z)"),
        per_lane!(UMax3AMD, "–", umax3, I32),
        per_lane!(SMax3AMD, "–", smax3, I32),
        per_lane!(FMid3AMD, "–", fmid3, F32).note("max(min(x, y), min(max(x, y), z))"),
        per_lane!(UMid3AMD, "–", umid3, I32),
        per_lane!(SMid3AMD, "–", smid3, I32),
    ];
}

mod gcn {
    use super::*;
    use spirv::SpvAmdGcnShaderOp as Names;

    const fn name(op: Names) -> Opcode {
        Opcode::GcnShader(op)
    }

    pub const ROWS: &[Row] = &[
        compose!(CubeFaceIndexAMD, "–", cube_face_index, F32)
            .note("0 to 5 for +x, -x, +y, -y, +z, -z; of equal components z goes before y, and y before x"),
        compose!(CubeFaceCoordAMD, "–", cube_face_coord, F32).note("in the face's texture coordinates, from 0 to 1"),
        Row::unsupported(name(SpvAmdGcnShaderOp::TimeAMD), FAMILY, "there is no shader clock: measure from outside"),
    ];
}

const fn ballot(op: SpvAmdShaderBallotOp) -> Row {
    Row::special(Opcode::ShaderBallot(op), FAMILY, NONE, "subgroup", How::Simt("subgroup"))
}

/// Subgroup operations, executed by the lanes of their own mask only.
const BALLOT: &[Row] = &[
    ballot(SpvAmdShaderBallotOp::SwizzleInvocationsAMD).of(Done::ALL).note("W ≥ 4; of a lane that is off: 0"),
    ballot(SpvAmdShaderBallotOp::SwizzleInvocationsMaskedAMD)
        .of(Done::ALL)
        .note("of a lane that is off, or of none: 0"),
    ballot(SpvAmdShaderBallotOp::WriteInvocationAMD).of(Done::ALL),
    ballot(SpvAmdShaderBallotOp::MbcntAMD).of(Done::I64),
];

const VERTEX: &[Row] = &[Row::unsupported(
    Opcode::ExplicitVertex(SpvAmdShaderExplicitVertexParameterOp::InterpolateAtVertexAMD),
    FAMILY,
    "interpolation needs fragment shaders, which are not done in this version",
)];

type Two = fn(&mut Legal<'_>, clif::Value, clif::Value) -> clif::Value;

/// `f(f(x, y), z)`.
fn three(l: &mut Legal<'_>, args: &[clif::Value], f: Two) -> clif::Value {
    let first = f(l, args[0], args[1]);
    f(l, first, args[2])
}

/// The middle one of three.
fn middle(l: &mut Legal<'_>, args: &[clif::Value], min: Two, max: Two) -> clif::Value {
    let [low, high] = [min(l, args[0], args[1]), max(l, args[0], args[1])];
    let high = min(l, high, args[2]);
    max(l, low, high)
}

fn fmin3(l: &mut Legal<'_>, _: &LaneContext, args: &[clif::Value]) -> clif::Value {
    three(l, args, |l, a, b| l.fmin(a, b))
}

fn umin3(l: &mut Legal<'_>, _: &LaneContext, args: &[clif::Value]) -> clif::Value {
    three(l, args, |l, a, b| l.umin(a, b))
}

fn smin3(l: &mut Legal<'_>, _: &LaneContext, args: &[clif::Value]) -> clif::Value {
    three(l, args, |l, a, b| l.smin(a, b))
}

fn fmax3(l: &mut Legal<'_>, _: &LaneContext, args: &[clif::Value]) -> clif::Value {
    three(l, args, |l, a, b| l.fmax(a, b))
}

fn umax3(l: &mut Legal<'_>, _: &LaneContext, args: &[clif::Value]) -> clif::Value {
    three(l, args, |l, a, b| l.umax(a, b))
}

fn smax3(l: &mut Legal<'_>, _: &LaneContext, args: &[clif::Value]) -> clif::Value {
    three(l, args, |l, a, b| l.smax(a, b))
}

fn fmid3(l: &mut Legal<'_>, _: &LaneContext, args: &[clif::Value]) -> clif::Value {
    middle(l, args, |l, a, b| l.fmin(a, b), |l, a, b| l.fmax(a, b))
}

fn umid3(l: &mut Legal<'_>, _: &LaneContext, args: &[clif::Value]) -> clif::Value {
    middle(l, args, |l, a, b| l.umin(a, b), |l, a, b| l.umax(a, b))
}

fn smid3(l: &mut Legal<'_>, _: &LaneContext, args: &[clif::Value]) -> clif::Value {
    middle(l, args, |l, a, b| l.smin(a, b), |l, a, b| l.smax(a, b))
}

/// Which axis a direction follows most closely.
struct Axis {
    /// Booleans: z; y and not z.
    z: Comp,
    y: Comp,
}

/// Arithmetic on a direction (Vulkan specification, "Cube Map Face Selection").
struct Cube<'x, 'l, 'a> {
    v: Vectors<'x, 'l, 'a>,
}

impl Cube<'_, '_, '_> {
    fn axis(&mut self, [x, y, z]: [&Comp; 3]) -> Axis {
        let [x, y, z] = [x, y, z].map(|c| self.v.unary(c, |l, c| l.fabs(c)));
        let scalar = self.v.scalar;
        let all = [(&x, scalar), (&y, scalar), (&z, scalar)];
        let is_z = self.v.lanes.map(all, |l, [x, y, z]| {
            let others = l.fmax(x, y);
            l.fcmp(FloatCC::GreaterThanOrEqual, z, others)
        });
        let is_y =
            self.v.lanes.map([(&x, scalar), (&y, scalar)], |l, [x, y]| l.fcmp(FloatCC::GreaterThanOrEqual, y, x));
        Axis { z: is_z, y: is_y }
    }

    fn select(&mut self, cond: &Comp, a: &Comp, b: &Comp) -> Comp {
        let scalar = self.v.scalar;
        self.v.lanes.map([(cond, Scalar::Bool), (a, scalar), (b, scalar)], |l, [c, a, b]| l.select(c, a, b))
    }

    /// The value of the chosen axis, of three.
    fn choose(&mut self, axis: &Axis, [x, y, z]: [&Comp; 3]) -> Comp {
        let rest = self.select(&axis.y, y, x);
        self.select(&axis.z, z, &rest)
    }

    fn negate(&mut self, a: &Comp) -> Comp {
        self.v.unary(a, |l, a| l.fneg(a))
    }

    /// `a` where `major` is negative, else `b`.
    fn by_sign(&mut self, major: &Comp, a: &Comp, b: &Comp) -> Comp {
        let zero = self.v.float(0.0);
        let scalar = self.v.scalar;
        let negative =
            self.v.lanes.map([(major, scalar), (&zero, scalar)], |l, [m, zero]| l.fcmp(FloatCC::LessThan, m, zero));
        self.select(&negative, a, b)
    }
}

fn cube<'x, 'l, 'a>(l: &'x mut Lanes<'l, 'a>, cx: &InstContext<'_>) -> Cube<'x, 'l, 'a> {
    Cube { v: Vectors { lanes: l, scalar: cx.operands[0] } }
}

fn cube_face_index(l: &mut Lanes<'_, '_>, cx: &InstContext<'_>, args: &[Comps]) -> Comps {
    let Some([x, y, z]) = args.first().map(|c| &c[..]) else { return Comps::new() };
    let mut c = cube(l, cx);
    let axis = c.axis([x, y, z]);
    let major = c.choose(&axis, [x, y, z]);
    let faces = [0.0, 2.0, 4.0].map(|face| c.v.float(face));
    let face = c.choose(&axis, [&faces[0], &faces[1], &faces[2]]);
    let one = c.v.float(1.0);
    let other = c.v.add(&face, &one);
    smallvec![c.by_sign(&major, &other, &face)]
}

fn cube_face_coord(l: &mut Lanes<'_, '_>, cx: &InstContext<'_>, args: &[Comps]) -> Comps {
    let Some([x, y, z]) = args.first().map(|c| &c[..]) else { return Comps::new() };
    let mut c = cube(l, cx);
    let axis = c.axis([x, y, z]);
    let major = c.choose(&axis, [x, y, z]);
    let [minus_x, minus_y, minus_z] = [x, y, z].map(|v| c.negate(v));
    // Along x: z to the left, y down; along y: x to the right, z towards the sign; along z: x to the right, y down.
    let on_x = c.by_sign(&major, z, &minus_z);
    let on_z = c.by_sign(&major, &minus_x, x);
    let s = c.choose(&axis, [&on_x, x, &on_z]);
    let on_y = c.by_sign(&major, &minus_z, z);
    let t = c.choose(&axis, [&minus_y, &on_y, &minus_y]);
    let size = c.v.unary(&major, |l, m| l.fabs(m));
    let half = c.v.float(0.5);
    let mut place = |v: &Comp| {
        let ratio = c.v.binary(v, &size, |l, v, size| l.fdiv(v, size));
        let scaled = c.v.mul(&ratio, &half);
        c.v.add(&scaled, &half)
    };
    smallvec![place(&s), place(&t)]
}
