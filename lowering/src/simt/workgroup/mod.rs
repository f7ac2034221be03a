//! Kernels with barriers: workgroup-level control flow around loops over the workgroup's subgroups.
//!
//! In: the barrier plan. Out: CLIF. At workgroup level control flow is branches and what is uniform is in registers; each
//! segment is a loop over subgroups that starts with the subgroup's mask and the values that it needs of other segments.
//! No fibers and no coroutines: the machine stack never holds a suspended invocation.
//!
//! | file | what is in it |
//! |---|---|
//! | `places` | scratch memory for values and masks that cross barriers |
//! | `loops` | loops over subgroups |
//! | `segment` | segments, and what happens at their ends |
//! | `control` | regions, and constructs that the whole workgroup takes together |
//! | `masked` | constructs that lanes take apart |
//!
//! Invariant: lanes of `exec` (all of the workgroup where it is `None`) are those that the code being emitted runs for;
//! masks of regions are only read between where they are set and the region's end.
//!
//! Model: the parallel regions of pocl, over subgroups instead of work-items.

mod control;
mod loops;
mod masked;
mod places;
mod segment;

use self::control::WorkgroupFrame;
use self::masked::Masks;
use self::places::Place;
use super::emit::Emitter;
use super::memory::MAX_SCRATCH;
use crate::analysis::barriers::{BarrierPlan, Segment, WORKGROUP};
use crate::ir::{OpId, Value};
use crate::{Error, Result};
use cranelift_codegen::ir as clif;
use std::collections::HashMap;

/// State of a kernel with barriers.
pub(super) struct Workgroup<'a> {
    pub plan: &'a BarrierPlan,
    /// The segment being emitted, or [`WORKGROUP`].
    current: Segment,
    places: HashMap<Value, Place>,
    frames: Vec<WorkgroupFrame>,
    /// Masks of masked constructs.
    masks: HashMap<OpId, Masks>,
    /// The lanes that the code runs for, of each subgroup; `None`: all of the workgroup.
    exec: Option<Place>,
    /// Where control goes when all lanes have left a masked region, innermost last; the first is the end of the workgroup.
    joins: Vec<clif::Block>,
}

impl<'a> Emitter<'a> {
    /// The code of a workgroup, for kernels with barriers.
    pub fn workgroup_code(&mut self, plan: &'a BarrierPlan) -> Result<()> {
        let mut state = Workgroup {
            plan,
            current: WORKGROUP,
            places: HashMap::new(),
            frames: vec![],
            masks: HashMap::new(),
            exec: None,
            joins: vec![self.kernel.subgroup_end],
        };
        for &value in &plan.crossing {
            let home = plan.home(value);
            let place = match state.places.get(&home) {
                Some(place) => place.clone(),
                None => {
                    let place = self.make_place(home)?;
                    state.places.insert(home, place.clone());
                    self.legal.stats.crossing += 1;
                    place
                }
            };
            state.places.insert(value, place);
        }
        if plan.may_return {
            state.exec = Some(self.mask_place());
        }
        self.workgroup = Some(state);
        self.place_shared()?;
        self.set_exec_full();
        self.workgroup_builtins();
        self.start_segments()?;
        self.workgroup_region(self.func.body)?;
        if self.locals.scratch_size > MAX_SCRATCH {
            let what = format!(
                "what crosses barriers needs {} bytes a workgroup, more than {MAX_SCRATCH}; keep less of it, or use a buffer",
                self.locals.scratch_size
            );
            return Err(Error::Limit { place: Default::default(), what });
        }
        Ok(())
    }

    fn state(&mut self) -> Result<&mut Workgroup<'a>> {
        self.workgroup.as_mut().ok_or_else(|| Error::Internal("no barrier plan".into()))
    }

    /// Subgroups of a workgroup.
    pub fn subgroups(&self) -> u32 {
        self.entry.local_size.iter().product::<u32>().div_ceil(self.width.subgroup)
    }

    /// Is a value there in the code being emitted? Guards against a plan with a hole.
    pub fn is_current(&self, value: Value) -> bool {
        match &self.workgroup {
            None => true,
            Some(state) => {
                let at = self.emitted_in[value];
                at == WORKGROUP || at == state.current
            }
        }
    }

    /// Has a value been emitted at workgroup level?
    pub fn is_at_workgroup_level(&self, value: Value) -> bool {
        self.emitted_in[value] == WORKGROUP
    }

    /// Has a value a place in memory, since other segments use it?
    pub fn is_kept(&self, value: Value) -> bool {
        self.workgroup.as_ref().is_some_and(|state| state.places.contains_key(&value))
    }

    /// Notes where a value has been emitted.
    pub fn note_emitted(&mut self, value: Value) {
        if let Some(state) = &self.workgroup {
            self.emitted_in[value] = state.current;
        }
    }

    /// Initial masks and Private variables.
    fn start_segments(&mut self) -> Result<()> {
        let alive = self.state()?.exec.clone();
        if alive.is_none() && !self.has_private() {
            return Ok(());
        }
        let open = self.open_subgroups(self.all_subgroups());
        let first = self.first_invocation();
        self.starting_mask(first);
        if let Some(alive) = alive {
            let mask = self.exec_mask();
            self.store_mask(&alive, &mask);
        }
        self.private_variables()?;
        self.close_subgroups(open);
        Ok(())
    }
}
