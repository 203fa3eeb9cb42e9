//! The end of a run's loop. The result is computed after the loop, in a time that grows with the number of nodes: the
//! loop must end early enough for the run to keep its time limit.

use crate::{device::AdapterKind, host::Instant};
use std::time::Duration;

/// At most 1 / `MOST_SHARE` of a run's time is reserved for the result.
const MOST_SHARE: u32 = 4;

/// The time that a result takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Finish {
    /// Seconds, independent of the trees' size.
    fixed: f64,
    /// Seconds a node.
    a_node: f64,
}

impl Finish {
    /// An estimate before the first run: on a GPU some round trips, and a pass over memory; on processors the hashes of
    /// the nodes dominate, one node at a time on each core.
    pub fn of(kind: AdapterKind) -> Self {
        match kind {
            AdapterKind::Cpu | AdapterKind::Software => {
                Self { fixed: 0.002, a_node: 4e-8 / rayon::current_num_threads() as f64 }
            }
            _ => Self { fixed: 0.005, a_node: 3e-11 },
        }
    }

    fn seconds(self, nodes: u64) -> f64 {
        self.fixed + self.a_node * nodes as f64
    }

    /// Updates the estimate by a result of this many nodes that took this time: the time a node by large trees, the
    /// fixed time by small ones.
    pub fn took(&mut self, nodes: u64, time: Duration) {
        let (seconds, of_nodes) = (time.as_secs_f64(), self.a_node * nodes as f64);
        if of_nodes > self.fixed {
            self.a_node = (seconds - self.fixed).max(0.1 * of_nodes) / nodes as f64;
        } else {
            self.fixed = (seconds - of_nodes).max(0.1 * self.fixed);
        }
    }

    /// The time at which the loop has to end, with this many nodes, in a run from `start` to `deadline`. Most of the
    /// time is left for steps, even if other programs on the machine have delayed the last result.
    pub fn before(self, start: Instant, deadline: Instant, nodes: u64) -> Instant {
        let most = deadline.saturating_duration_since(start) / MOST_SHARE;
        let time = Duration::try_from_secs_f64(self.seconds(nodes)).unwrap_or(most);
        deadline.checked_sub(time.min(most)).unwrap_or(deadline)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{device::pace::Pace, search::growth::Growth};
    use std::collections::VecDeque;

    /// A device, in seconds a step, a node that memory is taken for, and a node at the end.
    #[derive(Debug, Clone, Copy)]
    struct Machine {
        step: f64,
        memory: f64,
        end: f64,
    }

    /// The result of a run.
    #[derive(Debug)]
    struct Ran {
        seconds: f64,
        steps: u64,
        room: u32,
    }

    /// The greatest number of nodes that a step adds; half of them are really added.
    const A_STEP: u32 = 4000;

    /// A run with this time limit on a machine whose clock only advances by its work, as the loop of a search makes it:
    /// two submissions in the queue, trees that grow in between, and a result at the end.
    fn run(machine: Machine, limit: f64, finish: &mut Finish, growth: &mut Growth) -> Ran {
        let start = Instant::now();
        let after = |at: Instant, seconds: f64| at + Duration::from_secs_f64(seconds);
        let deadline = after(start, limit);
        let (mut now, mut free, mut made, mut steps) = (start, start, 0u64, 0u64);
        let (mut pace, mut queue) = (Pace::new(0.02, 1, start), VecDeque::new());
        let nodes = |steps: u64| 1 + steps * u64::from(A_STEP / 2);
        loop {
            while queue.len() < 2 {
                let end = finish.before(start, deadline, nodes(steps));
                let units = pace.next(Some(end), now);
                if units == 0 {
                    break;
                }
                if !growth.admits(units as u32) {
                    now = now.max(free);
                    growth.counted(nodes(made).min(growth.capacity().into()) as u32);
                    let left = end.saturating_duration_since(now);
                    if let Some(room) = growth.wanted(units as u32)
                        && growth.pays_off(room, Some(left))
                    {
                        let took = Duration::from_secs_f64(machine.memory * f64::from(room));
                        now += took;
                        growth.moved(room, took);
                        pace.paused(took);
                    }
                }
                growth.made(units as u32);
                made += units;
                free = after(free.max(now), machine.step * units as f64);
                pace.submitted(units);
                queue.push_back((units, free));
            }
            let Some((units, end)) = queue.pop_front() else { break };
            now = now.max(end);
            pace.ended(units, now);
            steps += units;
        }
        let all = nodes(steps).min(growth.capacity().into());
        let last = Duration::from_secs_f64(machine.end * all as f64);
        finish.took(nodes(steps), last);
        now += last;
        Ran { seconds: (now - start).as_secs_f64(), steps, room: growth.capacity() }
    }

    /// Trees that fill their memory many times over within a run, on machines where memory is cheap, costs most of the
    /// time, or takes longer than the run.
    #[test]
    fn a_run_ends_in_its_time_however_long_its_trees_take_to_grow() {
        for step in [1e-5, 3e-4, 5e-3] {
            for memory in [1e-11, 1e-9, 1e-8, 1e-7] {
                for limit in [0.1, 1.0, 10.0] {
                    let machine = Machine { step, memory, end: 0.0 };
                    let mut growth = Growth::sized(200_000, 100_000_000, A_STEP);
                    growth.moved(200_000, Duration::from_secs_f64(memory * 2e5));
                    let ran = run(machine, limit, &mut Finish { fixed: 0.0, a_node: 0.0 }, &mut growth);
                    let what = format!("{machine:?}, {limit} s: {ran:?}");
                    assert!(ran.seconds <= limit * 1.02 + 0.02, "{what}");
                    // Cheap memory is used; at least half of the time goes into steps.
                    let wanted = (ran.steps * u64::from(A_STEP / 2)).min(100_000_000);
                    assert!(memory > 1e-11 || u64::from(ran.room) >= wanted, "{what}");
                    assert!(ran.steps as f64 * step > 0.4 * limit - 0.02, "{what}");
                }
            }
        }
    }

    /// The first result of a machine may be late; from then on its time is known.
    #[test]
    fn time_is_left_for_the_result() {
        for end in [1e-10, 1e-8, 5e-8] {
            let machine = Machine { step: 1e-3, memory: 0.0, end };
            let mut finish = Finish { fixed: 0.005, a_node: 1e-9 };
            let runs = (0..3).map(|_| {
                let mut growth = Growth::sized(100_000_000, 100_000_000, A_STEP);
                run(machine, 2.0, &mut finish, &mut growth)
            });
            let last = runs.last().expect("three runs");
            assert!((1.9..=2.06).contains(&last.seconds), "{end}: {last:?}");
        }
    }

    /// A result that other programs delayed leaves the next run its steps, and is forgotten after it.
    #[test]
    fn a_late_result_does_not_end_the_next_run() {
        let machine = Machine { step: 1e-3, memory: 0.0, end: 0.0 };
        let mut finish = Finish { fixed: 0.005, a_node: 1e-9 };
        finish.took(1, Duration::from_secs(1));
        let mut growth = Growth::sized(100_000_000, 100_000_000, A_STEP);
        let ran = run(machine, 0.4, &mut finish, &mut growth);
        assert!(ran.steps >= 250, "{ran:?}");
        assert!(finish.fixed < 0.2, "{finish:?}");
    }
}
