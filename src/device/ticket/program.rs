//! In a program: threads look whether the work has ended.

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

/// A wait looks at other work of its thread after this time.
const TURN: Duration = Duration::from_millis(1);
/// Threads that wait for one device side by side look at it in turns, and pause for so long between them.
const PAUSE: Duration = Duration::from_micros(100);

/// Work that a device was handed.
#[derive(Debug, Clone)]
pub struct Ticket(wgpu::SubmissionIndex);

/// The work of a device, which ends in the order in which it was handed over.
#[derive(Debug, Default)]
pub struct Line {
    /// Held while wgpu looks for work that has ended, which submitting does, too. It must not do so on two threads at a
    /// time: one of them can find the queue empty while it has an old idea of how far the device is, and wgpu (30.0)
    /// takes that for a fault of its own and panics.
    looking: Mutex<()>,
    /// Threads that are looking, or about to.
    lookers: AtomicU32,
}

impl Line {
    /// Hands work over.
    pub fn submit(&self, queue: &wgpu::Queue, work: wgpu::CommandBuffer) -> Ticket {
        let _looking = self.looking();
        Ticket(queue.submit([work]))
    }

    /// Has wgpu look for work that has ended.
    pub fn look(&self, device: &wgpu::Device) -> Result<(), PollError> {
        let _looking = self.looking();
        device.poll(PollType::Poll).map(drop)
    }

    /// Waits until the work has ended. The thread is kept for a millisecond at a time; others of its futures have their
    /// turn in between, the first time before any waiting, and even where the work has ended by then: where a device is
    /// faster than the program, there may be nothing to wait for from the first submission to the last.
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

    /// Maps the first bytes of a buffer. They are there once the work that wrote to it has been waited for, and then
    /// what is returned here.
    pub fn map(&self, buffer: &wgpu::Buffer, bytes: u64) -> impl Future<Output = ()> + use<> {
        buffer.map_async(wgpu::MapMode::Read, 0..bytes, |_| {});
        ready(())
    }

    fn looking(&self) -> MutexGuard<'_, ()> {
        self.looking.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks whether work has ended, for a while if no other thread wants to look.
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
