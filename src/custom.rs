//! Instructions that functions of the embedder's compute: what a shader may use before anybody has implemented it, and what
//! only this program can tell.
//!
//! An instruction is known by its opcode, or by the name of an extended set and its number there; GLSL calls it through
//! `spirv_instruction`. [`Instruction::new`] takes a closure on the operands of one invocation, whose types are the
//! operands' and the result's; [`Instruction::subgroup`] takes one that computes all invocations of a subgroup.
//!
//! A closure may be called by several threads at once. A panic in it ends the dispatch with an error; it never reaches the
//! compiled code.

use crate::lowering::ir::{CustomInstruction, CustomName, CustomParam, CustomType, Scalar};
use std::fmt;
use std::sync::Arc;

/// An instruction and the function that computes it; see [`Compiler::instruction`](crate::Compiler::instruction).
#[derive(Clone)]
pub struct Instruction {
    pub(crate) declaration: CustomInstruction,
    /// `None`: only declared.
    compute: Option<Arc<Compute>>,
}

/// What computes an instruction for a subgroup.
pub(crate) type Compute = dyn Fn(&mut Subgroup<'_>) + Send + Sync;

impl Instruction {
    /// An instruction that `compute` computes for one invocation. Its parameters are the operands: numbers, booleans,
    /// arrays of 2 to 4 of these for vectors, and [`Literal`] for literal operands. It returns nothing, one of these types,
    /// or a tuple of them for a struct.
    ///
    /// ```
    /// use glslc2native::{Instruction, Op};
    ///
    /// let gray = Instruction::new(Op::opcode(60000), |n: u32| n ^ (n >> 1));
    /// let split = Instruction::new(Op::of_set("Example.split", 1), |v: [f32; 2]| (v[0].floor(), v[1] > 0.0));
    /// # let _ = (gray, split);
    /// ```
    pub fn new<P, F: InvocationFn<P>>(name: Op, compute: F) -> Instruction {
        let declaration = CustomInstruction { name: name.0, params: F::params(), results: F::results() };
        let each = move |subgroup: &mut Subgroup<'_>| {
            for lane in subgroup.active_lanes() {
                compute.call(subgroup, lane);
            }
        };
        Instruction { declaration, compute: Some(Arc::new(each)) }
    }

    /// An instruction that `compute` computes for all invocations of a subgroup at once.
    ///
    /// ```
    /// use glslc2native::{Instruction, Op, Signature};
    ///
    /// // How many invocations are active, to each of them.
    /// let signature = Signature::new().result::<u32>();
    /// let count = Instruction::subgroup(Op::opcode(60001), signature, |subgroup| {
    ///     for lane in subgroup.active_lanes() {
    ///         subgroup.set(0, lane, subgroup.active().count_ones());
    ///     }
    /// });
    /// # let _ = count;
    /// ```
    pub fn subgroup(
        name: Op,
        signature: Signature,
        compute: impl Fn(&mut Subgroup<'_>) + Send + Sync + 'static,
    ) -> Instruction {
        let declaration = CustomInstruction { name: name.0, params: signature.params, results: signature.results };
        Instruction { declaration, compute: Some(Arc::new(compute)) }
    }

    /// An instruction for objects only, whose function the program that links the object provides; as
    /// `60000:uint(float,literal)` or `My.Set/3:void(vec2)`. Kernels in this process cannot have it.
    pub fn declared(text: &str) -> Result<Instruction, String> {
        Ok(Instruction { declaration: text.parse()?, compute: None })
    }

    /// Is there a function in this process?
    pub(crate) fn is_computed(&self) -> bool {
        self.compute.is_some()
    }

    /// The function; one that does nothing where there is none.
    pub(crate) fn compute(&self) -> &Compute {
        match &self.compute {
            Some(compute) => compute.as_ref(),
            None => &|_| (),
        }
    }
}

impl fmt::Debug for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.declaration.name, self.declaration.signature())
    }
}

/// Which instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Op(CustomName);

impl Op {
    /// A core instruction by its opcode.
    pub fn opcode(opcode: u16) -> Op {
        Op(CustomName::Core(opcode))
    }

    /// An instruction of an extended set.
    pub fn of_set(set: impl Into<String>, number: u32) -> Op {
        Op(CustomName::Set(set.into(), number))
    }
}

/// Operands and results of an instruction for [`Instruction::subgroup`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signature {
    params: Vec<CustomParam>,
    results: Vec<CustomType>,
}

impl Signature {
    /// Neither operands nor results.
    pub fn new() -> Signature {
        Signature::default()
    }

    /// A further operand.
    pub fn param<T: Operand>(mut self) -> Signature {
        self.params.push(T::PARAM);
        self
    }

    /// A further result; several are the members of a struct.
    pub fn result<T: Value>(mut self) -> Signature {
        self.results.push(T::TYPE);
        self
    }
}

/// A subgroup that executes an instruction.
///
/// Operands and results are 32-bit words, one for each lane of each component: the components of all operands are numbered
/// in order, and those of all results.
pub struct Subgroup<'a> {
    active: u64,
    lanes: usize,
    args: &'a [u32],
    results: &'a mut [u32],
}

impl<'a> Subgroup<'a> {
    pub(crate) fn new(active: u64, lanes: usize, args: &'a [u32], results: &'a mut [u32]) -> Subgroup<'a> {
        Subgroup { active, lanes, args, results }
    }

    /// The lanes that execute the instruction: lane 0 is the lowest bit.
    pub fn active(&self) -> u64 {
        self.active
    }

    /// Their numbers.
    pub fn active_lanes(&self) -> impl Iterator<Item = usize> + use<> {
        let (active, lanes) = (self.active, self.lanes);
        (0..lanes).filter(move |lane| active >> lane & 1 != 0)
    }

    /// Lanes of the subgroup.
    pub fn size(&self) -> usize {
        self.lanes
    }

    /// The bits of a component of the operands in a lane; of lanes that are not active they are anything. 0 where there is
    /// no such component.
    pub fn get(&self, component: usize, lane: usize) -> u32 {
        if lane >= self.lanes { 0 } else { self.args.get(component * self.lanes + lane).copied().unwrap_or(0) }
    }

    /// Sets a component of the results in a lane; nothing where there is no such component. Results are 0 otherwise.
    pub fn set(&mut self, component: usize, lane: usize, bits: u32) {
        if lane < self.lanes
            && let Some(word) = self.results.get_mut(component * self.lanes + lane)
        {
            *word = bits;
        }
    }
}

mod sealed {
    pub trait Sealed {}
}

/// A type of operands: a [`Value`], or [`Literal`].
pub trait Operand: Sized + sealed::Sealed {
    /// What the instruction has there.
    const PARAM: CustomParam;

    /// From the words of its components.
    fn read(word: impl FnMut(usize) -> u32) -> Self;
}

/// A literal operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Literal(pub u32);

impl sealed::Sealed for Literal {}
impl Operand for Literal {
    const PARAM: CustomParam = CustomParam::Literal;

    fn read(mut word: impl FnMut(usize) -> u32) -> Literal {
        Literal(word(0))
    }
}

/// A type of values: `f32`, `i32`, `u32`, `bool`, or an array of 2 to 4 of these for a vector.
pub trait Value: Operand {
    /// The type in the shader.
    const TYPE: CustomType;

    /// The words of its components.
    fn write(self, word: impl FnMut(usize, u32));
}

macro_rules! values {
    ($($ty:ty, $scalar:expr, $of:expr, $bits:expr;)*) => {$(
        impl sealed::Sealed for $ty {}
        impl Operand for $ty {
            const PARAM: CustomParam = CustomParam::Value(Self::TYPE);
            fn read(mut word: impl FnMut(usize) -> u32) -> Self {
                ($of)(word(0))
            }
        }
        impl Value for $ty {
            const TYPE: CustomType = CustomType::scalar($scalar);
            fn write(self, mut word: impl FnMut(usize, u32)) {
                word(0, ($bits)(self));
            }
        }
        values! { @vector $ty, 2 }
        values! { @vector $ty, 3 }
        values! { @vector $ty, 4 }
    )*};
    (@vector $ty:ty, $n:literal) => {
        impl sealed::Sealed for [$ty; $n] {}
        impl Operand for [$ty; $n] {
            const PARAM: CustomParam = CustomParam::Value(Self::TYPE);
            fn read(mut word: impl FnMut(usize) -> u32) -> Self {
                std::array::from_fn(|i| <$ty>::read(|_| word(i)))
            }
        }
        impl Value for [$ty; $n] {
            const TYPE: CustomType = CustomType { scalar: <$ty>::TYPE.scalar, count: $n };
            fn write(self, mut word: impl FnMut(usize, u32)) {
                for (i, value) in self.into_iter().enumerate() {
                    Value::write(value, |_, bits| word(i, bits));
                }
            }
        }
    };
}

values! {
    f32, Scalar::F32, f32::from_bits, f32::to_bits;
    i32, Scalar::I32, |bits| bits as i32, |value| value as u32;
    u32, Scalar::U32, |bits| bits, |value| value;
    bool, Scalar::Bool, |bits| bits != 0, u32::from;
}

/// What a closure may return: nothing, a [`Value`], or a tuple of values.
pub trait Results {
    /// Their types.
    fn types() -> Vec<CustomType>;

    /// The words of their components.
    fn write(self, word: impl FnMut(usize, u32));
}

impl Results for () {
    fn types() -> Vec<CustomType> {
        vec![]
    }

    fn write(self, _: impl FnMut(usize, u32)) {}
}

impl<T: Value> Results for T {
    fn types() -> Vec<CustomType> {
        vec![T::TYPE]
    }

    fn write(self, word: impl FnMut(usize, u32)) {
        Value::write(self, word);
    }
}

macro_rules! tuples {
    ($($($ty:ident $value:ident)+;)*) => {$(
        impl<$($ty: Value),+> Results for ($($ty,)+) {
            fn types() -> Vec<CustomType> {
                vec![$($ty::TYPE),+]
            }

            fn write(self, mut word: impl FnMut(usize, u32)) {
                let ($($value,)+) = self;
                let mut first = 0;
                $(
                    Value::write($value, |i, bits| word(first + i, bits));
                    first += $ty::TYPE.count as usize;
                )+
                let _ = first;
            }
        }
    )*};
}

tuples! {
    A a B b;
    A a B b C c;
    A a B b C c D d;
}

/// A closure on the operands of one invocation; `P` is the tuple of its parameters. Up to eight are possible.
pub trait InvocationFn<P>: Send + Sync + 'static {
    /// The operands.
    fn params() -> Vec<CustomParam>;

    /// The results.
    fn results() -> Vec<CustomType>;

    /// Computes the instruction for a lane.
    fn call(&self, subgroup: &mut Subgroup<'_>, lane: usize);
}

macro_rules! closures {
    ($($($ty:ident $arg:ident)*;)*) => {$(
        impl<Function, Return, $($ty),*> InvocationFn<($($ty,)*)> for Function
        where
            Function: Fn($($ty),*) -> Return + Send + Sync + 'static,
            Return: Results,
            $($ty: Operand),*
        {
            fn params() -> Vec<CustomParam> {
                vec![$($ty::PARAM),*]
            }

            fn results() -> Vec<CustomType> {
                Return::types()
            }

            #[allow(unused_assignments, unused_mut, unused_variables)] // of the last parameter, and where there is none
            fn call(&self, subgroup: &mut Subgroup<'_>, lane: usize) {
                let mut first = 0;
                $(
                    let $arg = $ty::read(|i| subgroup.get(first + i, lane));
                    first += $ty::PARAM.components();
                )*
                self($($arg),*).write(|i, bits| subgroup.set(i, lane, bits));
            }
        }
    )*};
}

closures! {
    ;
    A a;
    A a B b;
    A a B b C c;
    A a B b C c D d;
    A a B b C c D d E e;
    A a B b C c D d E e F f;
    A a B b C c D d E e F f G g;
    A a B b C c D d E e F f G g H h;
}
