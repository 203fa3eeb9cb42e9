//! In a program: threads poll for the end of the work.

use crate::host::{give_way, locked};
use std::{
    future::{Future, poll_fn, ready},
    sync::{
        Mutex,
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
pub struct Submission(wgpu::SubmissionIndex);

/// The work of a device, which ends in the order of submission.
#[derive(Debug, Default)]
pub struct Submissions {
    /// Held while wgpu polls for work that has ended, which submitting does, too. Two threads must not poll at a time:
    /// one of them can find the queue empty with an outdated index of finished work, which wgpu (30.0) treats as a bug
    /// of its own, and panics.
    polling: Mutex<()>,
    /// Threads that poll, or are about to.
    pollers: AtomicU32,
}

impl Submissions {
    /// Submits work.
    pub fn submit(&self, queue: &wgpu::Queue, work: wgpu::CommandBuffer) -> Submission {
        let _guard = locked(&self.polling);
        Submission(queue.submit([work]))
    }

    /// Polls for work that has ended.
    pub fn poll(&self, device: &wgpu::Device) -> Result<(), PollError> {
        let _guard = locked(&self.polling);
        device.poll(PollType::Poll).map(drop)
    }

    /// Waits until the work has ended. The thread is blocked for a millisecond at a time; in between it yields to its
    /// other futures, the first time before any waiting, and even if the work has ended by then: on a device that is
    /// faster than the program, a run may otherwise never yield.
    pub async fn wait(&self, device: &wgpu::Device, submission: &Submission) -> Result<(), PollError> {
        give_way().await;
        poll_fn(|context| match self.poll_for(device, submission, TURN) {
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

    /// Polls for a while, unless another thread is waiting to poll.
    fn poll_for(
        &self,
        device: &wgpu::Device,
        submission: &Submission,
        timeout: Duration,
    ) -> Result<PollStatus, PollError> {
        let is_alone = self.pollers.fetch_add(1, Ordering::Relaxed) == 0;
        let polling = locked(&self.polling);
        let (submission_index, timeout) =
            (Some(submission.0.clone()), if is_alone { timeout } else { Duration::ZERO });
        let polled = device.poll(PollType::Wait { submission_index, timeout: Some(timeout) });
        drop(polling);
        self.pollers.fetch_sub(1, Ordering::Relaxed);
        if !is_alone && matches!(polled, Err(PollError::Timeout)) {
            thread::sleep(PAUSE);
        }
        polled
    }
}
