//! In a program: threads poll for the end of the work.

use crate::host::give_way;
use std::{
    future::{Future, poll_fn, ready},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
    task::Poll,
    thread,
    time::Duration,
};
use wgpu::{PollError, PollStatus, PollType};

/// A wait yields to other futures of its thread after this time.
const TURN: Duration = Duration::from_millis(1);
/// Threads that wait for one device at the same time poll in turns, with this pause in between.
const PAUSE: Duration = Duration::from_micros(100);

/// Submitted work.
#[derive(Debug, Clone)]
pub struct Ticket(wgpu::SubmissionIndex);

/// The work of a device, which ends in the order of submission.
#[derive(Debug, Default)]
pub struct Line {
    /// Held while wgpu polls for work that has ended, which submitting does, too. Two threads must not poll at a time:
    /// one of them can find the queue empty with an outdated index of finished work, which wgpu (30.0) treats as a bug
    /// of its own, and panics.
    looking: Mutex<()>,
    /// Threads that poll, or are about to.
    lookers: AtomicU32,
}

impl Line {
    /// Submits work.
    pub fn submit(&self, queue: &wgpu::Queue, work: wgpu::CommandBuffer) -> Ticket {
        let _looking = self.looking();
        Ticket(queue.submit([work]))
    }

    /// Polls for work that has ended.
    pub fn look(&self, device: &wgpu::Device) -> Result<(), PollError> {
        let _looking = self.looking();
        device.poll(PollType::Poll).map(drop)
    }

    /// Waits until the work has ended. The thread is blocked for a millisecond at a time; in between it yields to its
    /// other futures, the first time before any waiting, and even if the work has ended by then: on a device that is
    /// faster than the program, a run may otherwise never yield.
    pub async fn wait(&self, device: &wgpu::Device, ticket: &Ticket) -> Result<(), PollError> {
        give_way().await;
        poll_fn(|context| match self.look_for(device, ticket, TURN) {
            Err(PollError::Timeout) => {
                context.waker().wake_by_ref();
                Poll::Pending
            }
            ended => Poll::Ready(ended.map(drop)),
        })
        .await
    }

    /// Maps the first bytes of a buffer. They are available once the work that wrote to it, and then the future
    /// returned here, have been waited for.
    pub fn map(&self, buffer: &wgpu::Buffer, bytes: u64) -> impl Future<Output = ()> + use<> {
        buffer.map_async(wgpu::MapMode::Read, 0..bytes, |_| {});
        ready(())
    }

    fn looking(&self) -> MutexGuard<'_, ()> {
        self.looking.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Polls for a while, if no other thread wants to poll.
    fn look_for(
        &self,
        device: &wgpu::Device,
        ticket: &Ticket,
        timeout: Duration,
    ) -> Result<PollStatus, PollError> {
        let is_alone = self.lookers.fetch_add(1, Ordering::Relaxed) == 0;
        let looking = self.looking();
        let (submission_index, timeout) =
            (Some(ticket.0.clone()), if is_alone { timeout } else { Duration::ZERO });
        let looked = device.poll(PollType::Wait { submission_index, timeout: Some(timeout) });
        drop(looking);
        self.lookers.fetch_sub(1, Ordering::Relaxed);
        if !is_alone && matches!(looked, Err(PollError::Timeout)) {
            thread::sleep(PAUSE);
        }
        looked
    }
}
