//! Shader stages and the names by which files, flags and pragmas choose them.

use crate::{Error, Result};
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// A shader stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Vertex.
    Vertex,
    /// Fragment.
    Fragment,
    /// Tessellation control.
    TessControl,
    /// Tessellation evaluation.
    TessEvaluation,
    /// Geometry.
    Geometry,
    /// Compute.
    Compute,
    /// Ray generation.
    RayGeneration,
    /// Any hit.
    AnyHit,
    /// Closest hit.
    ClosestHit,
    /// Miss.
    Miss,
    /// Intersection.
    Intersection,
    /// Callable.
    Callable,
    /// Task.
    Task,
    /// Mesh.
    Mesh,
}

/// Each stage with its file extension and its long name, both as glslc knows them.
const STAGES: &[(Stage, &str, &str)] = &[
    (Stage::Vertex, "vert", "vertex"),
    (Stage::Fragment, "frag", "fragment"),
    (Stage::TessControl, "tesc", "tesscontrol"),
    (Stage::TessEvaluation, "tese", "tesseval"),
    (Stage::Geometry, "geom", "geometry"),
    (Stage::Compute, "comp", "compute"),
    (Stage::RayGeneration, "rgen", "rgen"),
    (Stage::AnyHit, "rahit", "rahit"),
    (Stage::ClosestHit, "rchit", "rchit"),
    (Stage::Miss, "rmiss", "rmiss"),
    (Stage::Intersection, "rint", "rint"),
    (Stage::Callable, "rcall", "rcall"),
    (Stage::Task, "task", "task"),
    (Stage::Mesh, "mesh", "mesh"),
];

impl Stage {
    /// The stage that a file's extension names: `blur.comp`, or `blur.comp.glsl`.
    pub fn from_file_name(file_name: &str) -> Option<Stage> {
        let path = Path::new(file_name);
        let extension = path.extension()?.to_str()?;
        if extension == "glsl" {
            return Stage::from_file_name(path.file_stem()?.to_str()?);
        }
        STAGES.iter().find(|(_, name, _)| *name == extension).map(|(stage, ..)| *stage)
    }

    /// Whether the stage is one of the classic graphics pipeline.
    pub fn is_graphics(self) -> bool {
        use Stage::{Fragment, Geometry, TessControl, TessEvaluation, Vertex};
        matches!(self, Vertex | Fragment | TessControl | TessEvaluation | Geometry)
    }

    /// The file extension, without a dot.
    pub fn extension(self) -> &'static str {
        STAGES.iter().find(|(stage, ..)| *stage == self).map_or("", |(_, name, _)| name)
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(STAGES.iter().find(|(stage, ..)| stage == self).map_or("", |(_, _, name)| name))
    }
}

impl FromStr for Stage {
    type Err = Error;

    /// Reads the argument of `-fshader-stage`: `comp` or `compute`.
    fn from_str(text: &str) -> Result<Stage> {
        let found = STAGES.iter().find(|(_, short, long)| text == *short || text == *long);
        found.map(|(stage, ..)| *stage).ok_or_else(|| {
            let known: Vec<&str> = STAGES.iter().map(|(_, _, long)| *long).collect();
            Error::Options(format!("unknown shader stage `{text}`: one of {}", known.join(", ")))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found() {
        for (stage, short, long) in STAGES {
            assert_eq!(Stage::from_file_name(&format!("a/b.{short}")), Some(*stage));
            assert_eq!(Stage::from_file_name(&format!("b.{short}.glsl")), Some(*stage));
            assert_eq!(short.parse::<Stage>().unwrap(), *stage);
            assert_eq!(long.parse::<Stage>().unwrap(), *stage);
            assert_eq!(stage.to_string(), *long);
            assert_eq!(stage.extension(), *short);
        }
        for none in ["", "comp", "a.glsl", ".comp", "a.spv", "comp.glsl"] {
            assert_eq!(Stage::from_file_name(none), None, "{none}");
        }
        assert!("compu".parse::<Stage>().is_err());
    }
}
