//! In a page: the browser tells when the work has ended.

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

/// Work that a device was handed.
#[derive(Debug, Clone)]
pub struct Ticket(Event);

/// The work of a device. Each piece has an end of its own: to wait for the queue would be to wait for all that is in
/// it.
#[derive(Debug, Default)]
pub struct Line {}

impl Line {
    /// Hands work over.
    pub fn submit(&self, queue: &wgpu::Queue, work: wgpu::CommandBuffer) -> Ticket {
        queue.submit([work]);
        let ended = Event::default();
        let told = ended.clone();
        queue.on_submitted_work_done(move || told.happen());
        Ticket(ended)
    }

    /// The browser does that.
    pub fn look(&self, _: &wgpu::Device) -> Result<(), PollError> {
        Ok(())
    }

    /// Waits until the work has ended, or the device is lost.
    pub async fn wait(&self, _: &wgpu::Device, ticket: &Ticket) -> Result<(), PollError> {
        ticket.0.happened().await;
        Ok(())
    }

    /// Maps the first bytes of a buffer, after the work that writes to it; or fails to, which shows where they are
    /// read.
    pub fn map(&self, buffer: &wgpu::Buffer, bytes: u64) -> impl Future<Output = ()> + use<> {
        let mapped = Event::default();
        let told = mapped.clone();
        buffer.map_async(wgpu::MapMode::Read, 0..bytes, move |_| told.happen());
        async move { mapped.happened().await }
    }
}

/// Something that happens once, and that one future waits for.
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
