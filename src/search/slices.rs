//! A step cut into slices: each stage that takes long is submitted in parts, sized by the time of the last ones.
//!
//! The cost of a unit of work varies between the kinds of slices and within a kind: games of one tree are over while
//! those of another have just begun. So the size of a slice depends on the one before it: if that one took half the
//! target time, the next one is twice as large. But a device takes as long for one game as for a thousand, which may be
//! longer than the target: a fixed time of slices ([`FixedTime`]) makes none of them small.

use crate::{
    device::{loads::Loads, pace::FixedTime},
    gpu::shaders::GROUP_ROW,
    host::Instant,
};
use std::collections::VecDeque;

/// Seconds that a slice should take: short enough for a desktop's display, and for drivers, which abort submissions of
/// two seconds.
const TARGET: f64 = 0.04;
/// Where a slice takes more than the target and less than this, the next one may be twice as large, to show the fixed
/// time: drivers do not abort that one either.
const SAFE: f64 = 0.5;

/// A stage of a step, for some trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lot {
    /// The stage: lots of a kind have the same work.
    pub kind: usize,
    /// Workgroups, or other pieces of work that are independent.
    pub units: u32,
    /// Units of a slice before any measurement, and the greatest number at any time.
    pub first: u32,
    pub most: u32,
}

impl Lot {
    /// Units of this many games each, of at most `plies` plies.
    pub fn of_games(kind: usize, units: u32, games: u32, plies: u32, loads: Loads) -> Self {
        let within = |bound: u64| {
            let units = bound / (u64::from(games) * u64::from(plies)).max(1);
            units.clamp(1, u32::MAX.into()) as u32
        };
        Self { kind, units, first: within(loads.first.plies), most: within(loads.most.plies) }
    }

    /// Units of a tree each, or of less work.
    pub fn of_trees(kind: usize, units: u32, loads: Loads) -> Self {
        Self { kind, units, first: loads.first.trees, most: loads.most.trees }
    }
}

/// A part of a lot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slice {
    /// The lot's index in the list.
    pub lot: usize,
    /// The first unit.
    pub first: u32,
    /// The number of units.
    pub units: u32,
}

/// The sizes of a kind's slices.
#[derive(Debug, Clone, Copy, Default)]
struct Size {
    /// Units of the next slice; 0 before the first one.
    units: f64,
    /// The size after the last slice that took long: the next step begins with it, since later slices may have had no
    /// work.
    steady: Option<f64>,
    fixed: FixedTime,
}

/// Cuts lots into slices, in their order.
#[derive(Debug)]
pub(super) struct Slicer {
    lots: Vec<Lot>,
    sizes: Vec<Size>,
    /// Lot and unit of the next slice.
    lot: usize,
    unit: u32,
    /// Slices in the queue.
    under_way: VecDeque<Slice>,
    last_end: Instant,
    /// The fixed number of units of every slice, for tests.
    fixed: Option<u32>,
}

impl Slicer {
    /// Without lots.
    pub fn new() -> Self {
        Self {
            lots: Vec::new(),
            sizes: Vec::new(),
            lot: 0,
            unit: 0,
            under_way: VecDeque::new(),
            last_end: Instant::now(),
            fixed: None,
        }
    }

    /// Fixes the number of units of slices, or returns to measured sizes.
    pub fn fix(&mut self, units: Option<u32>) {
        self.fixed = units;
    }

    /// Whether the size of slices is fixed.
    pub fn is_fixed(&self) -> bool {
        self.fixed.is_some()
    }

    /// Sets the next lots to cut.
    pub fn begin(&mut self, lots: Vec<Lot>, now: Instant) {
        let kinds = lots.iter().map(|lot| lot.kind + 1).max().unwrap_or(0);
        self.sizes.resize(self.sizes.len().max(kinds), Size::default());
        for size in &mut self.sizes {
            size.units = size.steady.unwrap_or(size.units);
        }
        (self.lots, self.lot, self.unit, self.last_end) = (lots, 0, 0, now);
        self.under_way.clear();
    }

    /// The next slice and its kind; `None` after the last one.
    pub fn next(&mut self) -> Option<(usize, Slice)> {
        let lot = *self.lots.get(self.lot)?;
        let size = &mut self.sizes[lot.kind];
        if size.units == 0.0 {
            size.units = f64::from(lot.first);
        }
        let wanted = self.fixed.unwrap_or((size.units as u32).min(lot.most)).max(1);
        let mut units = wanted.min(lot.units - self.unit);
        // A dispatch of several rows has whole rows.
        if units > GROUP_ROW {
            units -= units % GROUP_ROW;
        }
        let slice = Slice { lot: self.lot, first: self.unit, units };
        self.unit += units;
        if self.unit == lot.units {
            (self.lot, self.unit) = (self.lot + 1, 0);
        }
        self.under_way.push_back(slice);
        Some((lot.kind, slice))
    }

    /// Notes the end of the first slice in the queue. Slices follow one another without a gap, so that its time is the
    /// time since the last end.
    pub fn ended(&mut self, now: Instant) {
        let seconds = now.duration_since(self.last_end).as_secs_f64().max(1e-9);
        self.last_end = now;
        let Some(slice) = self.under_way.pop_front() else { return };
        let size = &mut self.sizes[self.lots[slice.lot].kind];
        let units = f64::from(slice.units);
        let cost = size.fixed.note(units, seconds);
        let tries_more = (TARGET..SAFE).contains(&seconds) && size.fixed.asks_for_more(units, seconds);
        let least = if tries_more { 2.0 * units } else { 1.0 };
        size.units = size.fixed.units(TARGET, cost, units).max(least);
        if seconds > 0.5 * TARGET {
            size.steady = Some(size.units);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// The cost of a step.
    #[derive(Debug, Default)]
    struct Ran {
        units: u64,
        slices: u32,
        seconds: f64,
        longest: f64,
    }

    /// Makes a step on a device where a slice takes `seconds` of its units, one slice ahead. Every unit runs once.
    fn run(slicer: &mut Slicer, lots: &[Lot], seconds: impl Fn(Slice) -> f64) -> Ran {
        let start = Instant::now();
        let (mut now, mut ran, mut queue) = (start, Ran::default(), VecDeque::new());
        let mut next = (0, 0);
        slicer.begin(lots.to_vec(), now);
        loop {
            while queue.len() < 2
                && let Some((_, slice)) = slicer.next()
            {
                assert_eq!((slice.lot, slice.first), next);
                assert!(
                    slice.units > 0 && (slice.units <= GROUP_ROW || slice.units.is_multiple_of(GROUP_ROW))
                );
                let end = slice.first + slice.units;
                next = if end == lots[slice.lot].units { (slice.lot + 1, 0) } else { (slice.lot, end) };
                queue.push_back(slice);
            }
            let Some(slice) = queue.pop_front() else { break };
            let took = seconds(slice);
            now += Duration::from_secs_f64(took);
            slicer.ended(now);
            ran.units += u64::from(slice.units);
            ran.slices += 1;
            ran.longest = ran.longest.max(took);
        }
        assert_eq!(next, (lots.len(), 0));
        ran.seconds = (now - start).as_secs_f64();
        ran
    }

    fn lot(kind: usize, units: u32) -> Lot {
        Lot { kind, units, first: 2, most: 100_000 }
    }

    #[test]
    fn every_unit_is_run_once_in_slices_of_the_right_length() {
        for (trees, games) in [(1, 1), (8, 2_900), (70_000, 1_000_000), (8, 131_072)] {
            let lots = [lot(0, trees), lot(1, games), lot(1, games), lot(2, trees)];
            let cost = |slice: Slice| f64::from(slice.units) * [1e-5, 2e-3, 2e-3, 1e-4][slice.lot];
            let mut slicer = Slicer::new();
            for step in 0..3 {
                let ran = run(&mut slicer, &lots, cost);
                assert_eq!(ran.units, 2 * u64::from(trees) + 2 * u64::from(games));
                assert!(ran.longest < 0.05, "{trees} x {games}, step {step}: {ran:?}");
                assert!(f64::from(ran.slices) < 30.0 + ran.seconds / 0.03, "{trees} x {games}: {ran:?}");
            }
        }
    }

    /// A device that plays a thousand games in the time of one.
    #[test]
    fn wide_devices_are_filled() {
        let mut slicer = Slicer::new();
        for step in 0..3 {
            let ran =
                run(&mut slicer, &[lot(0, 50_000)], |slice| 0.015 * (1.0 + f64::from(slice.units) / 1000.0));
            assert!(ran.longest < 0.06 && ran.slices < 60, "step {step}: {ran:?}");
        }
    }

    /// A device that plays one game in more than the time of a slice, and thousands in the same time.
    #[test]
    fn slices_are_large_where_each_takes_a_fixed_time() {
        for (fixed, first) in [(0.05, 1), (0.1, 2), (0.4, 2), (0.1, 300), (0.6, 300)] {
            let mut slicer = Slicer::new();
            let lots = [Lot { first, ..lot(0, 50_000) }];
            for step in 0..3 {
                let ran = run(&mut slicer, &lots, |slice| fixed + 1e-6 * f64::from(slice.units));
                assert!(
                    ran.slices < 40 && ran.longest < 2.1 * fixed,
                    "{fixed}, {first}, step {step}: {ran:?}"
                );
            }
        }
    }

    /// Units that take longer than a slice should.
    #[test]
    fn slices_of_long_units_have_one() {
        for cost in [0.05, 0.2, 0.9] {
            let ran = run(&mut Slicer::new(), &[lot(0, 100)], |slice| cost * f64::from(slice.units));
            assert!(ran.slices > 90 && ran.longest < 2.1 * cost, "{cost}: {ran:?}");
        }
    }

    /// Units without work, at the end of a step or anywhere, do not make the next step's slices long.
    #[test]
    fn units_without_work_mislead_no_next_step() {
        let cost = |slice: Slice| {
            let busy = 5000u32.clamp(slice.first, slice.first + slice.units) - slice.first;
            1e-6 + f64::from(busy) * 1e-3
        };
        let mut slicer = Slicer::new();
        for step in 0..4 {
            let ran = run(&mut slicer, &[lot(0, 90_000)], cost);
            assert!(ran.longest < 0.05, "step {step}: {ran:?}");
        }
    }

    /// Slices grow slowly while their measured work takes no time.
    #[test]
    fn work_that_follows_none_is_met_with_small_slices() {
        let cost = |slice: Slice| if slice.first < 50 { 1e-6 } else { 1e-3 * f64::from(slice.units) };
        let ran = run(&mut Slicer::new(), &[lot(0, 90_000)], cost);
        assert!(ran.longest < 0.2, "{ran:?}");
    }

    /// A pause of the machine does not keep slices small.
    #[test]
    fn a_pause_is_forgotten() {
        let mut slicer = Slicer::new();
        let cost = |slice: Slice| if slice.first == 0 { 2.0 } else { 1e-4 * f64::from(slice.units) };
        let ran = run(&mut slicer, &[lot(0, 50_000)], cost);
        assert!(ran.slices < 150, "{ran:?}");
    }

    #[test]
    fn fixed_slices_read_no_clock() {
        let mut slicer = Slicer::new();
        slicer.fix(Some(3));
        let ran = run(&mut slicer, &[lot(0, 10), lot(1, 2)], |_| 1.0);
        assert_eq!((ran.slices, ran.units), (5, 12));
    }
}
