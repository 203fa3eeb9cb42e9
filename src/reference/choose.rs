//! Twin of `shaders/search/best_child/choose.wgsl`: chooses the best child of every node of a path, the second half of
//! `backup_2`.

use super::{TreeView, lanes::level};
use crate::{
    exact::{halving, puct, ucb},
    forest::{
        Shape,
        layout::{BEST_SHIFT, Link, PLIES_SHIFT, Stats},
    },
};
use fearless_simd::dispatch;
use std::sync::LazyLock;

/// Chooses the best children of a path's nodes. A best child depends on the counts of the node and of its children
/// alone, which only a backup along the path changes: other nodes keep their choices. A proven node keeps the choice of
/// its proof; other nodes choose among open children.
pub fn choose(shape: &Shape, view: &mut TreeView<'_>) {
    for depth in 0..view.tree.path_length as usize {
        choose_at(shape, view, view.path[depth] as usize);
    }
}

/// Chooses the best child of a node, unless it is proven.
pub(super) fn choose_at(shape: &Shape, view: &mut TreeView<'_>, node: usize) {
    if view.stats[node].is_proven() {
        return;
    }
    if let Some(ordinal) = best_ordinal(shape, (view.stats, view.links), node) {
        let link = &mut view.links[node];
        link.info = link.lasting_info() | ordinal << BEST_SHIFT;
    }
}

/// Children whose bounds are computed side by side.
const LANES: usize = 8;

/// The ordinal of the child of greatest UCB (specification, "One step", 1); `None` if no child is open (specification,
/// "Proofs").
pub(super) fn best_ordinal(shape: &Shape, (stats, links): (&[Stats], &[Link]), node: usize) -> Option<u32> {
    if shape.evaluation.is_some() {
        return best_by_priors(shape, (stats, links), node);
    }
    let link = links[node];
    let children = link.first_child as usize..(link.first_child + link.count()) as usize;
    let bounds = Bounds {
        ln_parent: ln(shape.plain(stats[node]).counts().0),
        c: f64::from(shape.scaled_c()),
        rave: f64::from(shape.config.rave),
    };
    let (parent, stats, links) = (&stats[node], &stats[children.clone()], &links[children]);
    match level() {
        Some(level) => dispatch!(level, _simd => bounds.best(parent, stats, links)),
        None => bounds.best(parent, stats, links),
    }
}

/// The same with a network: the child of greatest score (specification, "Networks").
fn best_by_priors(shape: &Shape, (stats, links): (&[Stats], &[Link]), node: usize) -> Option<u32> {
    let (visits, value) = (stats[node].bare().counts().0, stats[node].prior_and_value().1);
    let parent = puct::Parent::new(visits, value, shape.c_word());
    // The root's first visit was its own evaluation.
    let made = visits.clamp(1, u32::MAX.into()) as u32 - 1;
    let considered = Some(stats[node].considered()).filter(|&m| shape.config.gumbel > 0 && m > 0);
    let scheduled = considered.map(|m| halving::scheduled(made, m, shape.config.gumbel_visits));
    let (first, count) = (links[node].first_child as usize, links[node].count() as usize);
    let score = |child: &Stats| {
        let ((n, n_wins), (prior, _)) = (child.bare().counts(), child.prior_and_value());
        match scheduled {
            Some(scheduled) => halving::score(scheduled, n, n_wins, prior),
            None => parent.score(n, n_wins, prior),
        }
    };
    let reversed = |ordinal: usize| links[first + ordinal].action().reverse_bits();
    let mut best = None;
    for (ordinal, child) in stats[first..first + count].iter().enumerate() {
        let score = score(child);
        let leads =
            best.is_none_or(|(at, most)| score > most || score == most && reversed(ordinal) < reversed(at));
        if leads && !child.is_closed(&stats[node]) {
            best = Some((ordinal, score));
        }
    }
    best.map(|(ordinal, _)| ordinal as u32)
}

/// Logarithms of small counts, which most nodes have.
static LOGARITHMS: LazyLock<Vec<f64>> = LazyLock::new(|| (0..1 << 12).map(ucb::ln).collect());

/// [`ucb::ln`], by a table for small counts, which takes a tenth of the time.
fn ln(n: u64) -> f64 {
    LOGARITHMS.get(n as usize).copied().unwrap_or_else(|| ucb::ln(n))
}

/// The common terms of the bounds of a node's children.
struct Bounds {
    ln_parent: f64,
    c: f64,
    /// 0 without rapid action values.
    rave: f64,
}

impl Bounds {
    /// The child of greatest bound among those that are open; of equal bounds, the one whose action has the smallest
    /// bit-reversed index.
    #[inline(always)]
    fn best(&self, parent: &Stats, stats: &[Stats], links: &[Link]) -> Option<u32> {
        // Bounds are never negative.
        let (mut best, mut bound) = (None, -1.0);
        for (first, some) in (0..).step_by(LANES).zip(stats.chunks(LANES)) {
            let mut padded = [Stats::default(); LANES];
            padded[..some.len()].copy_from_slice(some);
            let bounds = if self.rave > 0.0 { self.rapid(&padded) } else { self.plain(&padded) };
            for (lane, child) in some.iter().enumerate() {
                let reversed = || links[first + lane].action().reverse_bits();
                let follows = |best: usize| links[best].action().reverse_bits() < reversed();
                let is_less = bounds[lane] < bound || bounds[lane] == bound && best.is_some_and(follows);
                if !is_less && !child.is_closed(parent) {
                    (best, bound) = (Some(first + lane), bounds[lane]);
                }
            }
        }
        best.map(|ordinal| ordinal as u32)
    }

    #[inline(always)]
    fn plain(&self, stats: &[Stats; LANES]) -> [f32; LANES] {
        let mut bounds = [0.0; LANES];
        for (bound, Stats { n, n_wins }) in bounds.iter_mut().zip(stats) {
            *bound = self.bound(float(n.x, n.y & N_MASK), float(n_wins.x, n_wins.y));
        }
        bounds
    }

    /// The same with rapid action values: [`Shape::rated_counts`].
    #[inline(always)]
    fn rapid(&self, stats: &[Stats; LANES]) -> [f32; LANES] {
        let mut bounds = [0.0; LANES];
        for (bound, stats) in bounds.iter_mut().zip(stats) {
            let (Stats { n, n_wins }, (n_amaf, points)) = (stats.bare(), stats.amaf());
            let (n_amaf, points) = (f64::from(n_amaf), f64::from(points));
            // For integers below 2^32, a quotient that is not an integer never rounds up to one in float64.
            let playouts = (self.rave * n_amaf / (self.rave + n_amaf)).floor();
            let won = (playouts * points / n_amaf.max(1.0)).floor();
            *bound = self.bound(float(n.x, n.y & N_MASK) + playouts, float(n_wins.x, n_wins.y) + won);
        }
        bounds
    }

    /// [`ucb::ucb`] for whole numbers below 2^53. Without branches and calls, so that the compiler makes SIMD
    /// instructions of it.
    #[inline(always)]
    fn bound(&self, n: f64, n_wins: f64) -> f32 {
        let exploration = (self.ln_parent / n).sqrt();
        let exploitation = n_wins / f64::from(n as f32);
        let bound = exploration.mul_add(self.c, exploitation) as f32;
        if n == 0.0 { f32::INFINITY } else { bound }
    }
}

/// The bits of the count in the high word of n ([`Stats::counts`]).
const N_MASK: u32 = (1 << PLIES_SHIFT) - 1;

/// A number of two words.
#[inline(always)]
fn float(low: u32, high: u32) -> f64 {
    f64::from(high) * 4_294_967_296.0 + f64::from(low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Config,
        exact::rng::Stream,
        forest::layout::{
            ACTION_BITS, AMAF_POINTS_SHIFT, AMAF_SHIFT, AT_LEAST_DRAWN, MOST_AMAF, ROOT, split,
        },
        games::Connect4,
        search::shape_of,
    };
    use std::cmp::Reverse;

    /// The result expected of [`best_ordinal`], computed child by child.
    fn best_one_by_one(shape: &Shape, stats: &[Stats], links: &[Link]) -> Option<u32> {
        let ln_parent = ucb::ln(shape.plain(stats[0]).counts().0);
        let key = |&child: &usize| {
            let (n, n_wins) = shape.rated_counts(stats[child]);
            let bound = ucb::ucb(ln_parent, n, n_wins, shape.scaled_c());
            // Bounds are never negative, so that their bits have their order.
            (bound.to_bits(), Reverse(links[child].action().reverse_bits()))
        };
        let open = (1..stats.len()).filter(|&child| !stats[child].is_closed(&stats[0]));
        open.max_by_key(key).map(|child| child as u32 - 1)
    }

    /// Counts of any size, and small ones, many of which have the same bound.
    fn stats(stream: &mut Stream, rave: bool) -> Stats {
        let mut below = |bits: u64| stream.next_u64() >> (64 - bits);
        let most = if rave { 37 } else { 53 };
        let bits = [1, 2, 4, 16, most][below(8) as usize % 5].min(most);
        let n = below(bits);
        let mut stats = Stats { n: split(n), n_wins: split(below(bits + 1).min(2 * n)) };
        if rave {
            let (bits, shift) = (1 + below(4), below(4));
            let n_amaf = below(16).min(below(bits) << shift);
            stats.n.y |= (n_amaf as u32) << AMAF_SHIFT;
            stats.n_wins.y &= (1 << AMAF_POINTS_SHIFT) - 1;
            stats.n_wins.y |= (below(17).min(2 * n_amaf).min(0xffff) as u32) << AMAF_POINTS_SHIFT;
        }
        match below(4) {
            0 => stats.prove(3),
            1 => stats.n.y |= AT_LEAST_DRAWN,
            _ => {}
        }
        stats
    }

    #[test]
    fn children_side_by_side_choose_as_one_by_one() {
        let mut stream = Stream::seeded(5);
        assert!(u64::from(MOST_AMAF) < 1 << 16);
        for round in 0..20_000 {
            let rave = [0, 1, 1000, 16_384][round % 4];
            let ucb_c = [0.0, 0.15, 2.0][round % 3];
            let config = Config { rave, ucb_c, ..Config::paper() };
            let shape = shape_of(&Connect4::default(), &config);
            let count = if round % 10 == 0 { 361 } else { round as u32 % 23 };
            let mut all: Vec<_> = (0..=count).map(|_| stats(&mut stream, rave > 0)).collect();
            all[0] = Stats { n: split(1 + (stream.next_u64() >> (12 + round % 50))), ..Stats::default() };
            if rave > 0 {
                all[0].n.y &= (1 << AMAF_SHIFT) - 1;
            }
            all[0].n.y |= if round % 2 == 0 { AT_LEAST_DRAWN } else { 0 };
            let links = (0..=count).map(|child| Link::leaf(7 * child % 367, 0));
            let mut links: Vec<_> = links.collect();
            links[0] = Link { first_child: 1, info: count << ACTION_BITS };
            let expected = best_one_by_one(&shape, &all, &links);
            assert_eq!(best_ordinal(&shape, (&all, &links), ROOT as usize), expected, "{shape:?} {all:?}");
        }
    }
}
