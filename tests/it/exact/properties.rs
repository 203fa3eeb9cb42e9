//! Properties that hold for any number.

use super::order::Child;
use crate::support::prelude::*;
use mcts_wgpu::internals::exact::rng::{self};
use proptest::prelude::*;

fn any_child() -> impl Strategy<Value = Child> {
    (0..=1_u64 << 20, 0.0..=1.0, 0..512_u32).prop_map(|(n, q, action)| {
        let n_wins = (n as f64 * q) as u64;
        Child { n, n_wins, action }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn better_is_a_strict_order(
        parent in 1_u64..1 << 30,
        children in [any_child(), any_child(), any_child()],
    ) {
        let ln = ucb::ln(parent);
        let keys = children.map(|child| (ucb::ucb(ln, child.n, child.n_wins, 2.0), child.action));
        let better = |i: usize, j: usize| ucb::better(keys[i].0, keys[i].1, keys[j].0, keys[j].1);
        for (i, j) in [(0, 1), (1, 2), (0, 2)] {
            prop_assert_eq!(keys[i] == keys[j], !better(i, j) && !better(j, i));
            prop_assert!(!(better(i, j) && better(j, i)));
        }
        prop_assert!(!(better(0, 1) && better(1, 2)) || better(0, 2));
    }

    #[test]
    fn a_bound_grows_with_wins_and_with_the_parents_visits(parent in 1_u64..1 << 40, child in any_child()) {
        let bound = |parent, n_wins| ucb::ucb(ucb::ln(parent), child.n, n_wins, 1.5);
        prop_assert!(bound(parent, child.n_wins) <= bound(parent, child.n.max(child.n_wins)));
        prop_assert!(bound(parent, child.n_wins) <= bound(parent + 1, child.n_wins));
        prop_assert_eq!(bound(parent, child.n_wins) == f32::INFINITY, child.n == 0);
    }

    #[test]
    fn ordinals_are_in_range_and_grow_with_the_draw(a: u64, b: u64, count in 1_u32..=512) {
        let (low, high) = (a.min(b), a.max(b));
        prop_assert!(rng::ordinal(low, count) <= rng::ordinal(high, count));
        prop_assert!(rng::ordinal(high, count) < count);
        prop_assert!(rng::child_ordinal(low, count) <= rng::child_ordinal(high, count));
        prop_assert!(rng::child_ordinal(high, count) < count);
    }

    #[test]
    fn words_hold_the_whole_state(s0: u64, s1: u64) {
        let stream = Stream { s0, s1 };
        prop_assert_eq!(Stream::from_words(stream.words()), stream);
    }

    #[test]
    fn jumps_add_up(seed: u64, a: u32, b: u32) {
        let (a, b) = (a / 2, b / 2);
        prop_assert_eq!(Jumps::advance(Jumps::stream(seed, a), b), Jumps::stream(seed, a + b));
    }
}
