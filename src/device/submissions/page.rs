//! In a page: the browser reports the end of the work.

use futures_util::task::AtomicWaker;
use std::{
    future::{Future, poll_fn},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::Poll,
};
use wgpu::PollError;

/// Submitted work.
#[derive(Debug, Clone)]
pub struct Submission(Event);

/// The work of a device. Each piece has a callback of its own: waiting for the queue would wait for all work in it.
#[derive(Debug, Default)]
pub struct Submissions {}

impl Submissions {
    /// Submits work.
    pub fn submit(&self, queue: &wgpu::Queue, work: wgpu::CommandBuffer) -> Submission {
        queue.submit([work]);
        let ended = Event::default();
        let event = ended.clone();
        queue.on_submitted_work_done(move || event.happen());
        Submission(ended)
    }

    /// Does nothing: the browser polls.
    pub fn poll(&self, _: &wgpu::Device) -> Result<(), PollError> {
        Ok(())
    }

    /// Waits until the work has ended, or the device is lost.
    pub async fn wait(&self, _: &wgpu::Device, submission: &Submission) -> Result<(), PollError> {
        submission.0.happened().await;
        Ok(())
    }

    /// Maps the first bytes of a buffer, after the work that writes to it. A failure shows when they are read.
    pub fn map(&self, buffer: &wgpu::Buffer, bytes: u64) -> impl Future<Output = ()> + use<> {
        let mapped = Event::default();
        let event = mapped.clone();
        buffer.map_async(wgpu::MapMode::Read, 0..bytes, move |_| event.happen());
        async move { mapped.happened().await }
    }
}

/// An event that happens once, for one future that waits for it.
#[derive(Debug, Clone, Default)]
struct Event(Arc<(AtomicBool, AtomicWaker)>);

impl Event {
    fn happen(&self) {
        let (happened, waiting) = &*self.0;
        happened.store(true, Ordering::Release);
        waiting.wake();
    }

    async fn happened(&self) {
        let (happened, waiting) = &*self.0;
        poll_fn(|context| {
            waiting.register(context.waker());
            if happened.load(Ordering::Acquire) { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }
}
