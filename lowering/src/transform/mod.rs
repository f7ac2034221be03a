//! Transforms: IR to IR, one file each.
//!
//! Each takes a verified module and leaves a verified one. [`PASSES`] names them for `--passes=`; [`pipeline`] is what the
//! compiler runs.

pub mod clean;
pub mod contract;
mod edges;
pub(crate) mod effects;
pub mod inline;
pub mod parameters;
pub mod promote;
pub mod reuse;
pub mod simplify;
pub mod stdlib;
mod subst;
#[cfg(test)]
pub(crate) mod tests;

use crate::error::{Error, Result};
use crate::ir::Module;
use crate::options::{OptLevel, Options};
use crate::stack::{levels, with_room};
use inline::Budget;

/// A transform.
#[derive(Clone, Copy)]
pub struct Pass {
    /// Name on the command line.
    pub name: &'static str,
    /// What it does, in a line.
    pub about: &'static str,
    /// Runs it.
    pub run: fn(&mut Module) -> Result<()>,
}

/// All transforms, in the order in which the compiler runs them.
pub const PASSES: &[Pass] = &[
    Pass {
        name: "stdlib",
        about: "turns functions of GLSL into calls of the standard library",
        run: |m| roomy(m, stdlib::run),
    },
    Pass { name: "inline", about: "replaces calls by the bodies of their callees", run: |m| roomy(m, inline::run) },
    Pass { name: "parameters", about: "passes by value what is shared by address", run: |m| roomy(m, parameters::run) },
    Pass { name: "promote", about: "turns variables into values", run: |m| roomy(m, promote::run) },
    Pass {
        name: "simplify",
        about: "folds constants and splices in constructs with known conditions",
        run: |m| roomy(m, simplify::run),
    },
    Pass { name: "reuse", about: "executes equal instructions once", run: |m| roomy(m, reuse::run) },
    Pass { name: "contract", about: "fuses multiplications and additions", run: |m| roomy(m, contract::run) },
    Pass {
        name: "clean",
        about: "removes superfluous arguments, results and operations",
        run: |m| roomy(m, clean::run),
    },
];

/// Runs a transform where the stack has room for the module's nesting.
fn roomy(module: &mut Module, run: fn(&mut Module) -> Result<()>) -> Result<()> {
    with_room(levels(module), || run(module))
}

/// What the compiler runs on a lifted module. At `-O0` that is what the lowering needs: functions of GLSL
/// from the standard library, no calls but of functions that are worth one, variables as values.
/// At `-O` also what makes the code shorter; contraction where the options ask for it.
pub fn pipeline(module: Module, options: &Options) -> Result<Module> {
    with_room(levels(&module), || transforms(module, options))
}

fn transforms(mut module: Module, options: &Options) -> Result<Module> {
    let speed = options.opt == OptLevel::Speed;
    if module.functions.len() > 1 {
        // A body that is copied often had better be short. Those of the library, which come next, are.
        promote::run(&mut module)?;
        if speed {
            simplify::run(&mut module)?;
        }
    }
    stdlib::run(&mut module)?;
    inline::within(&mut module, Budget::new(options))?;
    if module.functions.len() > 1 {
        parameters::run(&mut module)?;
    }
    promote::run(&mut module)?;
    if speed {
        simplify::run(&mut module)?;
        reuse::run(&mut module)?;
        if options.contract {
            contract::run(&mut module)?;
        }
    }
    Ok(module)
}

/// The transform of that name; the error lists all names.
pub fn by_name(name: &str) -> Result<Pass> {
    PASSES.iter().find(|pass| pass.name == name).copied().ok_or_else(|| {
        let names: Vec<&str> = PASSES.iter().map(|pass| pass.name).collect();
        Error::Options(format!("there is no pass \"{name}\"; the passes are {}", names.join(", ")))
    })
}
