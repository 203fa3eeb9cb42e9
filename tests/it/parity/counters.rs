//! 64-bit counters that pass 2^32 during steps: n and n_wins of nodes, and the sum of depths.

use super::*;

/// Playouts of a node: more than counters lack to 2^32.
const PLAYOUTS: u32 = 16;

/// A count that the next playouts carry into its high word.
fn just_below(random: &mut Pcg64, short_by: u32) -> u64 {
    (u64::from(1 + random.next_u32() % 5) << 32) - u64::from(1 + random.next_u32() % short_by)
}

/// Gives visited nodes counts that are about to carry, and some of them small counts with about the same bound, so that
/// choices depend on the high words.
fn bring_near_the_carry<G: Game>(trees: &mut Snapshot<G>) {
    let random = &mut Pcg64::seed_from_u64(21);
    let forest = &mut trees.forest;
    for (index, stats) in forest.stats.iter_mut().enumerate() {
        let is_root = index % forest.shape.capacity as usize == 0;
        let there =
            index as u32 % forest.shape.capacity < forest.trees[index / forest.shape.capacity as usize].size;
        if !there || stats.counts().0 == 0 || stats.is_proven() {
            continue;
        }
        let (n, n_wins) = if is_root || random.next_u32() % 3 > 0 {
            let n = just_below(random, 4);
            (n, n - (u64::from(random.next_u32() % 3).min(n >> 32) << 32))
        } else {
            let n = (1 << 20) + u64::from(random.next_u32() % (1 << 20));
            (n, n / 4 * u64::from(2 + random.next_u32() % 2))
        };
        (stats.n, stats.n_wins) = (split(n), split(n_wins));
    }
    for tree in &mut forest.trees {
        tree.depth_sum = split(just_below(random, 2));
    }
}

/// Trees of some steps whose counters are about to carry, and the next steps.
fn carrying<G: Game>(rig: &Rig<G>, game: &G, grown: u32) -> (Steps<G>, super::rig::OnDevice) {
    let setting = Setting { trees_per_position: 4, first_tree: 2, capacity: 4000, ucb_c: 60.0, seed: 8 };
    let (mut trees, device) = rig.begin(setting, &[Position::start(game)]);
    trees.step(grown);
    bring_near_the_carry(&mut trees);
    let steps = Steps::of(trees, 12);
    assert_carried(&steps);
    (steps, device)
}

/// Counters of every kind have carried into their high words.
fn assert_carried<G: Game>(steps: &Steps<G>) {
    let (before, after) = (&steps.before.forest, &steps.after.forest);
    let stats = || before.stats.iter().zip(&after.stats);
    assert!(stats().any(|(before, after)| before.n.y > 0 && after.n.y > before.n.y));
    assert!(stats().any(|(before, after)| before.n_wins.y > 0 && after.n_wins.y > before.n_wins.y));
    let mut trees = before.trees.iter().zip(&after.trees);
    assert!(trees.any(|(before, after)| after.depth_sum.y > before.depth_sum.y));
}

const OF_NODES: Mistake = ("a node's counters carry nothing", "old.yw« + vec2<u32>(low < old.xz) ⇒ »");
const OF_SUMS: Mistake = ("sums carry nothing", "a.yw + b.yw« + vec2<u32>(low < a.xz) ⇒ »");
const OF_DEPTHS: Mistake =
    ("the sum of depths carries nothing", "(*header).depth_sum.y« + u32(low < (*header).depth_sum.x) ⇒ »");
const OF_VISITS: Mistake = (
    "visits that a choice looks ahead to carry nothing",
    "«u64_add(unmarked(mine.counts).xy, vec2<u32>(n, 0u)) ⇒ (unmarked(mine.counts).xy + vec2<u32>(n, 0u))»",
);

/// Both schedules of some variants, and on one adapter the mistakes of each.
fn check<G: Game>(adapter: &Adapter, game: &G, grown: u32) {
    let device = &device(adapter);
    let has_few = game.max_actions() <= 16;
    for &variant in cases(adapter, &[Variant::OCP_THRIFTY, Variant::ACP_PRODIGAL]) {
        let rig = Rig::new(device, game, (variant, Semantics::Stronger), PLAYOUTS, compiled(adapter));
        let (steps, on_device) = carrying(&rig, game, grown);
        for &schedule in cases(adapter, &SCHEDULES) {
            steps.assert_same(&rig, &on_device, schedule);
        }
        if adapter.info().index == 0 {
            steps.assert_found(&rig, Schedule::Staged, &[OF_NODES, OF_DEPTHS]);
            steps.assert_found(&rig, Schedule::Fused, &[OF_SUMS, OF_DEPTHS]);
            if has_few {
                steps.assert_found(&rig, Schedule::Fused, &[OF_VISITS]);
            }
        }
    }
}

#[test]
fn counters_carry_into_their_high_words_and_mistakes_show() {
    let connect4 = connect4_of(4, 4);
    let gomoku = gomoku_of(5);
    each_adapter(|adapter| {
        check(adapter, &connect4, 60);
        check(adapter, &gomoku, 60);
    });
}
