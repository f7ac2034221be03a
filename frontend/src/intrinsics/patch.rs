//! What is done to the SPIR-V words that glslang made.
//!
//! In: words, and notes that the rewriting of the source took. Out: words in which numbers that stood in for others are the
//! real ones, literals of extended sets are literals, and parameters and results have their decorations; or an error
//! where an instruction is given a value for a reference, at the line that the module's debug information names.
//!
//! SPIR-V §2.3 and §2.4 give the layout of instructions and of a module.

use std::collections::{HashMap, HashSet};

/// Numbers that stand in for others begin here. None of them means anything in SPIR-V.
const FIRST_DECORATION: u32 = 0x7100_0000;
const FIRST_MODE: u32 = 0x7200_0000;
const FIRST_EXTENDED: u32 = 0x7300_0000;
const FIRST_OPCODE: u32 = 0xE000;
const LAST_OPCODE: u32 = 0xEFFF;

const OP_NAME: u32 = 5;
const OP_STRING: u32 = 7;
const OP_LINE: u32 = 8;
const OP_EXT_INST_IMPORT: u32 = 11;
const OP_EXT_INST: u32 = 12;
const OP_EXECUTION_MODE: u32 = 16;
const OP_TYPE_POINTER: u32 = 32;
const OP_CONSTANT_TRUE: u32 = 41;
const OP_CONSTANT_FALSE: u32 = 42;
const OP_CONSTANT: u32 = 43;
const OP_CONSTANT_NULL: u32 = 46;
const OP_FUNCTION: u32 = 54;
const OP_FUNCTION_PARAMETER: u32 = 55;
const OP_DECORATE: u32 = 71;
const OP_MEMBER_DECORATE: u32 = 72;
const OP_EXECUTION_MODE_ID: u32 = 331;
const OP_DECORATE_ID: u32 = 332;
const OP_DECORATE_STRING: u32 = 5632;
const OP_MEMBER_DECORATE_STRING: u32 = 5633;

/// Opcodes of what stands before the types: annotations go behind the last of them.
const BEFORE_TYPES: &[u32] = &[
    2,
    3,
    4,
    OP_NAME,
    6,
    OP_STRING,
    10,
    OP_EXT_INST_IMPORT,
    14,
    15,
    OP_EXECUTION_MODE,
    17,
    OP_DECORATE,
    OP_MEMBER_DECORATE,
    73,
    74,
    75,
    330,
    OP_EXECUTION_MODE_ID,
    OP_DECORATE_ID,
    OP_DECORATE_STRING,
    OP_MEMBER_DECORATE_STRING,
];

/// How an instruction takes an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Passing {
    Value,
    Reference,
    Literal,
}

/// A decoration without its target: the words that follow it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Decoration {
    pub is_string: bool,
    pub words: Vec<u32>,
}

impl Decoration {
    fn instruction(&self, target: u32) -> Vec<u32> {
        let opcode = if self.is_string { OP_DECORATE_STRING } else { OP_DECORATE };
        let mut words = vec![(self.words.len() as u32 + 2) << 16 | opcode, target];
        words.extend(&self.words);
        words
    }
}

/// A function that is an instruction.
#[derive(Clone, Debug)]
pub(super) struct InstructionPatch {
    pub set: Option<String>,
    /// The real number.
    pub id: u32,
    pub is_void: bool,
    /// Name of the function.
    pub name: String,
    pub passing: Vec<Passing>,
    /// Of its results.
    pub decorations: Vec<Decoration>,
}

/// A decoration of a function's parameter or, without `on`, its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FunctionPatch {
    pub name: String,
    /// The parameters' types, as far as they are known, in glslang's spelling.
    pub types: Vec<Option<String>>,
    pub on: Option<usize>,
    pub decoration: Decoration,
}

/// Something that only the words show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    /// The file and line that debug information names; 0 for none.
    pub file: String,
    pub line: u32,
    pub what: String,
}

/// Everything that is left to do.
#[derive(Debug, Default)]
pub(crate) struct Patches {
    decorations: Vec<u32>,
    modes: Vec<u32>,
    /// Instructions under their own numbers, whose references are checked.
    instructions: Vec<InstructionPatch>,
    /// Instructions of sets, and core ones, under numbers that stand in.
    extended: Vec<InstructionPatch>,
    core: Vec<InstructionPatch>,
    functions: Vec<FunctionPatch>,
}

fn lookup<T>(table: &[T], first: u32, number: u32) -> Option<&T> {
    table.get(number.checked_sub(first)? as usize)
}

impl Patches {
    /// A number for glslang in place of the decoration `number`.
    pub(super) fn stand_in_for_decoration(&mut self, number: u32) -> u32 {
        self.decorations.push(number);
        FIRST_DECORATION + self.decorations.len() as u32 - 1
    }

    /// The decoration that `number` stands for.
    pub(super) fn real_decoration(&self, number: u32) -> u32 {
        lookup(&self.decorations, FIRST_DECORATION, number).copied().unwrap_or(number)
    }

    /// A number for glslang in place of the execution mode `number`.
    pub(super) fn stand_in_for_mode(&mut self, number: u32) -> u32 {
        self.modes.push(number);
        FIRST_MODE + self.modes.len() as u32 - 1
    }

    /// Notes a prototype. Gives the number that glslang is to use, where that is not its own.
    pub(super) fn instruction(&mut self, patch: InstructionPatch, literal_in_set: bool) -> Option<u32> {
        if literal_in_set || (patch.set.is_some() && !patch.decorations.is_empty()) {
            self.extended.push(patch);
            return Some(FIRST_EXTENDED + self.extended.len() as u32 - 1);
        }
        let number = FIRST_OPCODE + self.core.len() as u32;
        if !patch.decorations.is_empty() && number <= LAST_OPCODE {
            self.core.push(patch);
            return Some(number);
        }
        if patch.passing.contains(&Passing::Reference) {
            self.instructions.push(patch);
        }
        None
    }

    pub(super) fn function(&mut self, patch: FunctionPatch) {
        if !self.functions.contains(&patch) {
            self.functions.push(patch);
        }
    }

    /// Applies everything to the words of a module.
    pub(crate) fn apply(&self, words: &[u32]) -> Result<Vec<u32>, Finding> {
        let module = Module::new(words);
        let mut result = words.get(..5).unwrap_or_default().to_vec();
        let mut annotations: Vec<Vec<u32>> = self.on_functions(&module);
        let mut line = (0, 0);
        let mut end_of_annotations = None;
        for mut instruction in module.instructions() {
            let opcode = instruction.first().copied().unwrap_or(0) & 0xffff;
            if end_of_annotations.is_none() && !BEFORE_TYPES.contains(&opcode) {
                end_of_annotations = Some(result.len());
            }
            if let (OP_LINE, [_, file, number, ..]) = (opcode, instruction.as_slice()) {
                line = (*file, *number);
            }
            self.renumber(opcode, &mut instruction);
            let found = self.instruction_words(opcode, &mut instruction, &module, &mut annotations);
            if let Err(what) = found {
                return Err(Finding { file: module.string(line.0), line: line.1, what });
            }
            result.extend(instruction);
        }
        let at = end_of_annotations.unwrap_or(result.len());
        result.splice(at..at, annotations.concat());
        Ok(result)
    }

    /// Puts real numbers of decorations and modes in place.
    fn renumber(&self, opcode: u32, instruction: &mut [u32]) {
        let (at, table, first) = match opcode {
            OP_DECORATE | OP_DECORATE_ID | OP_DECORATE_STRING => (2, &self.decorations, FIRST_DECORATION),
            OP_MEMBER_DECORATE | OP_MEMBER_DECORATE_STRING => (3, &self.decorations, FIRST_DECORATION),
            OP_EXECUTION_MODE | OP_EXECUTION_MODE_ID => (2, &self.modes, FIRST_MODE),
            _ => return,
        };
        if let Some(word) = instruction.get_mut(at)
            && let Some(real) = lookup(table, first, *word)
        {
            *word = *real;
        }
    }

    /// Mends and checks an instruction that a function of the source stands for.
    fn instruction_words(
        &self,
        opcode: u32,
        instruction: &mut [u32],
        module: &Module<'_>,
        annotations: &mut Vec<Vec<u32>>,
    ) -> Result<(), String> {
        if opcode == OP_EXT_INST {
            let [_, _, result, set, number, ..] = *instruction else { return Ok(()) };
            if let Some(patch) = lookup(&self.extended, FIRST_EXTENDED, number) {
                if let Some(word) = instruction.get_mut(4) {
                    *word = patch.id;
                }
                annotations.extend(patch.decorations.iter().map(|decoration| decoration.instruction(result)));
                return patch.operands(instruction, 5, module);
            }
            let imported = module.sets.get(&set);
            let same = |patch: &&InstructionPatch| patch.id == number && patch.set.as_ref() == imported;
            return check_all(self.instructions.iter().filter(same), instruction, module);
        }
        if let Some(patch) = lookup(&self.core, FIRST_OPCODE, opcode) {
            if let Some(word) = instruction.first_mut() {
                *word = *word & 0xffff_0000 | patch.id;
            }
            let result = instruction.get(2).copied().unwrap_or(0);
            annotations.extend(patch.decorations.iter().map(|decoration| decoration.instruction(result)));
            return patch.operands(instruction, 3, module);
        }
        let same = |patch: &&InstructionPatch| patch.id == opcode && patch.set.is_none();
        check_all(self.instructions.iter().filter(same), instruction, module)
    }

    /// Decorations of parameters and results.
    fn on_functions(&self, module: &Module<'_>) -> Vec<Vec<u32>> {
        let mut result = vec![];
        for patch in &self.functions {
            for (function, parameters) in &module.functions {
                if !module.names.get(function).is_some_and(|name| patch.is_of(name)) {
                    continue;
                }
                let target = patch.on.map_or(Some(function), |on| parameters.get(on));
                result.extend(target.map(|target| patch.decoration.instruction(*target)));
            }
        }
        result
    }
}

impl FunctionPatch {
    /// Whether a function that glslang calls `mangled` is the one.
    fn is_of(&self, mangled: &str) -> bool {
        // `main` has no parameters, and its name has no brackets.
        let Some((name, types)) = mangled.split_once('(') else { return mangled == self.name };
        let types: Vec<&str> = types.split_terminator(';').collect();
        let fits = |(known, found): (&Option<String>, &&str)| known.as_ref().is_none_or(|known| known == found);
        name == self.name && types.len() == self.types.len() && self.types.iter().zip(&types).all(fits)
    }
}

/// Checks an instruction against the prototypes that it may come from, where they agree about references.
fn check_all<'p>(
    patches: impl Iterator<Item = &'p InstructionPatch>,
    instruction: &[u32],
    module: &Module<'_>,
) -> Result<(), String> {
    let mut fits: Vec<(&InstructionPatch, usize)> = vec![];
    for patch in patches {
        let first = patch.first_operand();
        if instruction.len() == first + patch.passing.len() {
            fits.push((patch, first));
        }
    }
    let Some((patch, first)) = fits.first() else { return Ok(()) };
    for (index, _) in patch.passing.iter().enumerate() {
        let agreed = fits.iter().all(|(patch, _)| patch.passing.get(index) == Some(&Passing::Reference));
        if agreed && instruction.get(first + index).is_some_and(|id| module.is_value(*id)) {
            return Err(patch.needs_reference(index));
        }
    }
    Ok(())
}

impl InstructionPatch {
    /// Where operands begin.
    fn first_operand(&self) -> usize {
        match (&self.set, self.is_void) {
            (Some(_), _) => 5,
            (None, true) => 1,
            (None, false) => 3,
        }
    }

    fn needs_reference(&self, index: usize) -> String {
        format!(
            "'{}' : takes argument {} by reference, and this is a value of another type or several components; put it \
             into a variable of the parameter's type first",
            self.name,
            index + 1
        )
    }

    /// Puts literals in place of constants, and checks references. Operands begin at `first`.
    fn operands(&self, instruction: &mut [u32], first: usize, module: &Module<'_>) -> Result<(), String> {
        for (index, passing) in self.passing.iter().enumerate() {
            let Some(word) = instruction.get_mut(first + index) else { break };
            match passing {
                Passing::Literal if self.set.is_some() => match module.constants.get(word) {
                    Some(value) => *word = *value,
                    None => {
                        return Err(format!(
                            "'{}' : argument {} has to be a constant of 32 bits, and no specialization constant",
                            self.name,
                            index + 1
                        ));
                    }
                },
                Passing::Reference if module.is_value(*word) => return Err(self.needs_reference(index)),
                _ => {}
            }
        }
        Ok(())
    }
}

/// What has to be known about a module.
struct Module<'w> {
    words: &'w [u32],
    /// Constants of 32 bits.
    constants: HashMap<u32, u32>,
    sets: HashMap<u32, String>,
    strings: HashMap<u32, String>,
    names: HashMap<u32, String>,
    /// Functions with their parameters.
    functions: Vec<(u32, Vec<u32>)>,
    /// Results that are known not to be pointers.
    values: HashSet<u32>,
}

fn text(words: &[u32]) -> String {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes()).take_while(|byte| *byte != 0);
    String::from_utf8_lossy(&bytes.collect::<Vec<u8>>()).into_owned()
}

impl<'w> Module<'w> {
    fn new(words: &'w [u32]) -> Module<'w> {
        let mut module = Module {
            words,
            constants: HashMap::new(),
            sets: HashMap::new(),
            strings: HashMap::new(),
            names: HashMap::new(),
            functions: vec![],
            values: HashSet::new(),
        };
        let (mut types, mut pointers) = (HashSet::new(), HashSet::new());
        for instruction in module.instructions() {
            let [first, ids @ ..] = instruction.as_slice() else { continue };
            match (first & 0xffff, ids) {
                (OP_NAME, [target, name @ ..]) => drop(module.names.insert(*target, text(name))),
                (OP_STRING, [result, string @ ..]) => drop(module.strings.insert(*result, text(string))),
                (OP_EXT_INST_IMPORT, [result, name @ ..]) => drop(module.sets.insert(*result, text(name))),
                (OP_TYPE_POINTER, [result, ..]) => drop(pointers.insert(*result)),
                (19..=39, [result, ..]) => drop(types.insert(*result)),
                (OP_CONSTANT, [_, result, value]) => drop(module.constants.insert(*result, *value)),
                (OP_CONSTANT_TRUE, [_, result]) => drop(module.constants.insert(*result, 1)),
                (OP_CONSTANT_FALSE | OP_CONSTANT_NULL, [_, result]) => drop(module.constants.insert(*result, 0)),
                (OP_FUNCTION, [_, result, ..]) => module.functions.push((*result, vec![])),
                (OP_FUNCTION_PARAMETER, [_, result]) => {
                    if let Some((_, parameters)) = module.functions.last_mut() {
                        parameters.push(*result);
                    }
                }
                _ => {}
            }
            // Types and what stands before them have other words there.
            let opcode = first & 0xffff;
            if let [type_, result, ..] = ids
                && !(19..=39).contains(&opcode)
                && !BEFORE_TYPES.contains(&opcode)
                && types.contains(type_)
                && !pointers.contains(type_)
            {
                module.values.insert(*result);
            }
        }
        module
    }

    fn instructions(&self) -> impl Iterator<Item = Vec<u32>> + use<'w> {
        let mut rest = self.words.get(5..).unwrap_or_default();
        std::iter::from_fn(move || {
            let length = (rest.first()? >> 16) as usize;
            let instruction = rest.get(..length.max(1))?;
            rest = rest.get(length.max(1)..)?;
            Some(instruction.to_vec())
        })
    }

    fn string(&self, id: u32) -> String {
        self.strings.get(&id).cloned().unwrap_or_default()
    }

    /// Whether the result `id` is known to be no pointer.
    fn is_value(&self, id: u32) -> bool {
        self.values.contains(&id)
    }
}
