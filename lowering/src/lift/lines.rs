//! Lines of the source: `OpLine` (SPIR-V specification, §3.49.3) and `DebugLine` of the set
//! NonSemantic.Shader.DebugInfo.100. Either holds until the next one or the end of the block.

use super::source::{Inst, Source, ends_block};
use crate::error::Result;
use spirv::{NonsemanticShaderDebuginfo100Op as Debug, Op};
use std::collections::{HashMap, HashSet};

/// The line that holds where a module is being read.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// Index into [`Source::files`].
    pub file: u32,
    /// 0 when there is none.
    pub line: u32,
    /// Ids of the imported debug information set.
    sets: HashSet<u32>,
    /// Instructions that later ones refer to.
    defs: HashMap<u32, Inst>,
    /// Files by the id of an `OpString` or a `DebugSource`.
    files: HashMap<u32, u32>,
}

impl Lines {
    /// Takes note of an instruction; false when it has no other meaning.
    pub fn see(&mut self, source: &mut Source<'_>, inst: &Inst) -> Result<bool> {
        match inst.op() {
            Some(Op::Line) => {
                self.line = source.word(inst, 1)?;
                self.file = self.file(source, source.word(inst, 0)?);
                return Ok(false);
            }
            Some(Op::NoLine) => {
                self.line = 0;
                return Ok(false);
            }
            Some(Op::ExtInst) if self.sets.contains(&source.word(inst, 0)?) => return self.debug(source, inst),
            Some(Op::ExtInstImport) if source.string(inst, 0)?.0 == "NonSemantic.Shader.DebugInfo.100" => {
                self.sets.insert(inst.id());
            }
            Some(Op::String | Op::Constant) => drop(self.defs.insert(inst.id(), *inst)),
            Some(op) if ends_block(op) => self.line = 0,
            _ => {}
        }
        Ok(true)
    }

    fn debug(&mut self, source: &mut Source<'_>, inst: &Inst) -> Result<bool> {
        match Debug::from_u32(source.word(inst, 1)?) {
            Some(Debug::DebugLine) => {
                // The line is the id of a constant.
                let line = self.defs.get(&source.word(inst, 3)?).filter(|i| i.is(Op::Constant)).copied();
                self.line = line.map_or(Ok(0), |line| source.word(&line, 0))?;
                self.file = self.file(source, source.word(inst, 2)?);
            }
            Some(Debug::DebugNoLine) => self.line = 0,
            Some(Debug::DebugSource) => drop(self.defs.insert(inst.id(), *inst)),
            _ => {}
        }
        Ok(true)
    }

    fn file(&mut self, source: &mut Source<'_>, id: u32) -> u32 {
        if let Some(&file) = self.files.get(&id) {
            return file;
        }
        let mut named = self.defs.get(&id).copied();
        if let Some(debug) = named.filter(|i| i.is(Op::ExtInst)) {
            named = source.word(&debug, 2).ok().and_then(|id| self.defs.get(&id).copied());
        }
        let name = named.filter(|i| i.is(Op::String)).and_then(|i| source.string(&i, 0).ok());
        source.files.push(name.map_or_else(String::new, |(s, _)| s));
        let file = source.files.len() as u32 - 1;
        self.files.insert(id, file);
        file
    }
}
