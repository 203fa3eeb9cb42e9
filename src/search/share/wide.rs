//! The program for trees that exceed one binding, with nodes in arrays of bindings.

use super::Share;
use crate::{
    device::{Device, extras::Extras, segments::Segments},
    error::{Error, Result},
    forest::shape::Shape,
    gpu::{forest::Forest, program::Program},
    search::growth::Growth,
};
use std::sync::Arc;

/// The program for nodes in segments.
#[derive(Debug)]
pub(super) struct Wide {
    /// The program for nodes in one binding, with the same kernels.
    of: Arc<Program>,
    segments: Segments,
    program: Arc<Program>,
}

impl Wide {
    /// Whether it can be used with these segments.
    fn suits(&self, program: &Arc<Program>, segments: Segments) -> bool {
        let Segments { count, shift } = self.segments;
        Arc::ptr_eq(&self.of, program) && shift == segments.shift && count >= segments.count
    }
}

impl Share {
    /// Compiles the program for trees that exceed one binding, if they may, for the expected number of trees. A
    /// compiled one is kept if it still fits. A driver may refuse arrays of bindings: then the trees do without.
    pub(super) async fn set_wide(&mut self, busy: &Shape) -> Result<()> {
        let needed = self.part.and_then(|part| part.segments(&self.shape, self.shape.capacity));
        let of = self.program.clone();
        self.wide = self.wide.take().filter(|wide| needed.is_some_and(|needed| wide.suits(&of, needed)));
        let Some(segments) = needed.filter(|_| self.wide.is_none()) else { return Ok(()) };
        match self.compile_wide(segments, busy).await {
            Err(refusal) => self.leave_out_arrays(refusal).await,
            Ok(program) => {
                self.wide = Some(Wide { of, segments, program });
                Ok(())
            }
        }
    }

    /// The kernels are first tried on another device, so that this one is not lost, with the programs and trees of all
    /// its searches, if the driver refuses a kernel.
    async fn compile_wide(&self, segments: Segments, busy: &Shape) -> Result<Arc<Program>> {
        let (shader, schedule) = (&self.kernels.0, self.program.schedule());
        let compile = async |device: &Device| {
            let program = Program::compile(device, shader, busy, schedule).await?;
            program.warm_up(busy, schedule).await?;
            Ok(program)
        };
        let device = self.program.device().with_segments(segments);
        if let Ok(Some(trial)) = device.for_trials().await {
            compile(&trial).await?;
        }
        compile(&device).await
    }

    /// The program for trees of this capacity.
    pub(super) fn program_for(&self, capacity: u32) -> Arc<Program> {
        let is_wide = self.part.is_some_and(|part| part.segments(&self.shape, capacity).is_some());
        let wide = self.wide.as_ref().filter(|_| is_wide);
        wide.map_or(&self.program, |wide| &wide.program).clone()
    }

    /// Continues without arrays of bindings, which the driver refused: with several chunks if there is memory for them,
    /// else with one chunk and a smaller capacity.
    async fn leave_out_arrays(&mut self, refusal: Error) -> Result<()> {
        let extras = Extras { arrays: true, ..self.program.extras(&self.shape) };
        self.program.device().step_down(extras, refusal)?;
        self.has_no_arrays = true;
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
                    let first = part.first_capacity(&self.shape, most);
                    self.growth = Growth::new(first, &self.shape, chunks.len() == 1);
                    return tried;
                }
            }
        }
    }
}
