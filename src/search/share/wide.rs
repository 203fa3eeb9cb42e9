//! The program for trees that exceed one binding, with nodes in arrays of bindings.

use super::Share;
use crate::{
    device::{Device, extras::Extras, segments::Segments},
    error::{Error, Result},
    forest::shape::Shape,
    gpu::{forest::Forest, program::Program},
    host::Background,
};
use std::sync::Arc;

/// The program for nodes in segments.
#[derive(Debug)]
pub(super) struct Wide {
    /// The program for nodes in one binding, with the same kernels.
    of: Arc<Program>,
    segments: Segments,
    /// The shape with the expected number of trees.
    busy: Shape,
    compiled: Compiling,
}

#[derive(Debug)]
enum Compiling {
    Planned,
    UnderWay(Background<Result<Arc<Program>>>),
    Ended(Arc<Program>),
}

impl Wide {
    /// Whether it can be used with these segments.
    fn suits(&self, program: &Arc<Program>, segments: Segments) -> bool {
        let Segments { count, shift } = self.segments;
        Arc::ptr_eq(&self.of, program) && shift == segments.shift && count >= segments.count
    }
}

impl Share {
    /// Sets the program for trees that exceed one binding, if they may. A compiled one is kept if it still fits.
    pub(super) fn set_wide(&mut self, busy: Shape) {
        let segments = self.part.and_then(|part| part.segments(&self.shape, self.shape.capacity));
        let of = &self.program;
        let kept = self.wide.take().filter(|wide| segments.is_some_and(|needed| wide.suits(of, needed)));
        let new = || Some(Wide { of: of.clone(), segments: segments?, busy, compiled: Compiling::Planned });
        self.wide = kept.or_else(new);
    }

    /// Begins to compile the program, while the search makes steps. The kernels are first tried on another device, so
    /// that the trees are not lost with theirs if the driver refuses a kernel.
    pub(super) async fn begin_wide(&mut self) -> Result<()> {
        let Some(wide) = self.wide.as_mut().filter(|wide| matches!(wide.compiled, Compiling::Planned)) else {
            return Ok(());
        };
        let device = wide.of.device().with_segments(wide.segments);
        let (shader, schedule, busy) = (self.kernels.0.clone(), wide.of.schedule(), wide.busy.clone());
        let compiled = Background::begin(async move || {
            let compile = async |device: &Device| {
                let program = Program::compile(device, &shader, &busy, schedule).await?;
                program.warm_up(&busy, schedule).await?;
                Ok(program)
            };
            if let Ok(Some(trial)) = device.for_trials().await {
                compile(&trial).await?;
            }
            compile(&device).await
        });
        wide.compiled = Compiling::UnderWay(compiled.await.map_err(Error::no_thread)?);
        Ok(())
    }

    /// Whether the program for trees of this capacity is compiled.
    pub(super) fn has_program_for(&self, capacity: u32) -> bool {
        let is_wide = self.part.and_then(|part| part.segments(&self.shape, capacity)).is_some();
        let compiled = self.wide.as_ref().map(|wide| &wide.compiled);
        !is_wide
            || match compiled {
                Some(Compiling::UnderWay(beside)) => beside.has_ended(),
                Some(Compiling::Ended(_)) => true,
                Some(Compiling::Planned) | None => false,
            }
    }

    /// The program for trees of this capacity.
    pub(super) async fn program_for(&mut self, capacity: u32) -> Result<Arc<Program>> {
        if self.part.and_then(|part| part.segments(&self.shape, capacity)).is_none() {
            return Ok(self.program.clone());
        }
        self.begin_wide().await?;
        let none = || Error::shader("the kernels can't address so much memory: give the search less memory");
        let wide = self.wide.as_mut().ok_or_else(none)?;
        let program = match std::mem::replace(&mut wide.compiled, Compiling::Planned) {
            Compiling::Planned => return Err(none()),
            Compiling::UnderWay(beside) => beside.ended().await.ok_or_else(none)??,
            Compiling::Ended(program) => program,
        };
        wide.compiled = Compiling::Ended(program.clone());
        Ok(program)
    }

    /// Continues without arrays of bindings, which the driver refused: with several chunks if there is memory for them,
    /// else with one chunk and a smaller capacity.
    pub(super) async fn leave_out_arrays(&mut self, refusal: Error) -> Result<()> {
        let extras = Extras { arrays: true, ..self.program.extras(&self.shape) };
        self.program.device().step_down(extras, refusal)?;
        (self.has_no_arrays, self.wide) = (true, None);
        let Some(with_arrays) = self.part else { return Ok(()) };
        let mut in_one = false;
        loop {
            let (part, most) = with_arrays.without_arrays(&self.shape, self.shape.capacity, in_one);
            self.part = Some(part);
            let chunks = self.cut(most);
            let shapes: Vec<_> = chunks.iter().map(|chunk| self.shape_of(chunk, most)).collect();
            let tried = match chunks.len() {
                1 => Ok(()),
                _ => Forest::try_out(self.program.device(), shapes.into_iter()).await,
            };
            match tried {
                Err(error) if error.is_out_of_memory() && !in_one => in_one = true,
                tried => {
                    self.shape.capacity = most;
                    self.growth.bounded(most, chunks.len() == 1);
                    return tried;
                }
            }
        }
    }
}
