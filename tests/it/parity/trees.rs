//! Whole searches by both schedules: after the same steps the trees are equal node by node, and so are the streams.

use super::{snapshot::Word, *};

/// Buffers of the trees and their streams. The others are notes of the last step, which differ between schedules.
const COMPARED: [&str; 7] = ["roots", "trees", "paths", "stats", "links", "states", "streams"];

/// Consecutive searches on one chunk: their roots, and the steps from each.
struct Plan<G: Game> {
    setting: Setting,
    /// A tree of the last search has no room for another expansion.
    full: bool,
    /// The least depth of the deepest tree.
    depth: u32,
    runs: Vec<(Vec<Position<G>>, u32)>,
}

impl<G: Game> Plan<G> {
    fn new(setting: Setting, runs: Vec<(Vec<Position<G>>, u32)>) -> Self {
        Self { setting, full: false, depth: 0, runs }
    }
}

const ALL: [Kind; 8] = [
    (Variant::OCP_THRIFTY, Semantics::Stronger),
    (Variant::OCP_THRIFTY, Semantics::Original),
    (Variant::OCP_PRODIGAL, Semantics::Original),
    (Variant::OCP_PRODIGAL, Semantics::Stronger),
    (Variant::ACP_THRIFTY, Semantics::Original),
    (Variant::ACP_THRIFTY, Semantics::Stronger),
    (Variant::ACP_PRODIGAL, Semantics::Stronger),
    (Variant::ACP_PRODIGAL, Semantics::Original),
];
/// Every variant, and every pair of a property of variants and a semantics.
const HALF: [Kind; 4] = [ALL[0], ALL[2], ALL[4], ALL[6]];
/// The same for the other games. Similar games share them: those with few children, and those with many.
const OTHER_HALF: [Kind; 4] = [ALL[1], ALL[3], ALL[5], ALL[7]];

#[test]
fn trees_of_connect4_are_the_references() {
    each_adapter(|adapter| {
        let game = Connect4::default();
        check(adapter, &game, &ALL, 32, |m| connect4_plans(&game, m));
        check(adapter, &game, &ALL[6..], 128, |m| connect4_plans(&game, m));
    });
}

#[test]
fn trees_of_small_boards_are_the_references() {
    each_adapter(|adapter| {
        let connect4 = connect4_of(4, 4);
        check(adapter, &connect4, &HALF, 64, |m| small_plans(&connect4, m));
        let gomoku = gomoku_of(6);
        check(adapter, &gomoku, &OTHER_HALF, 16, |m| small_plans(&gomoku, m));
    });
}

/// Paths with more levels than a step has path lanes, and than a workgroup has lanes.
#[test]
fn deep_trees_are_the_references() {
    each_adapter(|adapter| {
        let tower = connect4_of(30, 2);
        let setting = Setting { trees_per_position: 3, first_tree: 0, capacity: 4000, ucb_c: 0.0, seed: 1 };
        let runs = || vec![(vec![Position::start(&tower)], 400)];
        check(adapter, &tower, &HALF, 1, |_| vec![Plan { depth: 45, ..Plan::new(setting, runs()) }]);
    });
}

/// A constant so great that new children with different wins have equal bounds.
#[test]
fn trees_of_a_great_constant_are_the_references() {
    each_adapter(|adapter| {
        let game = Connect4::default();
        let setting =
            Setting { trees_per_position: 2, first_tree: 0, capacity: 2000, ucb_c: 1_048_576.0, seed: 1 };
        let runs = || vec![(vec![Position::start(&game)], 100)];
        check(adapter, &game, &ALL[6..7], 512, |_| vec![Plan { depth: 2, ..Plan::new(setting, runs()) }]);
    });
}

#[test]
fn trees_of_gomoku_are_the_references() {
    each_adapter(|adapter| {
        let game = Gomoku::default();
        check(adapter, &game, &HALF, 16, |m| gomoku_plans(&game, m));
    });
}

#[test]
fn trees_of_othello_are_the_references() {
    each_adapter(|adapter| check(adapter, &Othello, &OTHER_HALF, 32, |_| othello_plans()));
}

fn check<G: Game>(
    adapter: &Adapter,
    game: &G,
    kinds: &[Kind],
    playouts: u32,
    plans: impl Fn(u32) -> Vec<Plan<G>>,
) {
    let device = device(adapter);
    for (&kind, schedule) in scheduled(adapter, kinds) {
        let rig = Rig::new(&device, game, kind, playouts, compiled(adapter));
        for plan in plans(playouts) {
            check_plan(&rig, &plan, schedule);
        }
    }
}

fn check_plan<G: Game>(rig: &Rig<G>, plan: &Plan<G>, schedule: Schedule) {
    let (mut host, device) = rig.start(plan.setting, &plan.runs[0].0);
    device.put(&host);
    device.run("seed", &host);
    host.twin("seed");
    for (index, (roots, steps)) in plan.runs.iter().enumerate() {
        host.place(roots);
        device.run("reset", &host);
        host.twin("reset");
        device.step(schedule, *steps);
        host.step(*steps);
        let got = device.get(&host);
        let what = format!("{} {} {:?} run {index}", rig.name, schedule.name(), plan.setting);
        compare(&host, &got, &what);
    }
    let full = host.forest.trees.iter().any(|tree| tree.flags & TREE_FULL != 0);
    assert_eq!(full, plan.full, "{} {:?}", rig.name, plan.setting);
    let depth = host.forest.trees.iter().map(|tree| tree.max_depth).max();
    assert!(depth >= Some(plan.depth), "{} {:?}: {depth:?}", rig.name, plan.setting);
}

pub fn differing_words<G: Game>(host: &Snapshot<G>, got: &Snapshot<G>) -> Vec<Word> {
    let mut differences = host.differences(got);
    differences.retain(|word| COMPARED.contains(&word.buffer) && !is_left_over(host, word));
    differences
}

pub fn compare<G: Game>(host: &Snapshot<G>, got: &Snapshot<G>, what: &str) {
    let differences = differing_words(host, got);
    let first = &differences[..differences.len().min(4)];
    assert!(first.is_empty(), "{what}: {} words differ, the first ones are {first:?}", differences.len());
}

/// Nodes of earlier, longer paths may follow a path, in schedules that store every path.
fn is_left_over<G: Game>(host: &Snapshot<G>, word: &Word) -> bool {
    let capacity = host.forest.shape.path_capacity as usize;
    word.buffer == "paths"
        && word.index % capacity >= host.forest.trees[word.index / capacity].path_length as usize
}

fn connect4_plans(game: &Connect4, m: u32) -> Vec<Plan<Connect4>> {
    let mut player = RandomGames::new(game, u64::from(m) + 1);
    let base = Setting { trees_per_position: 1, first_tree: 0, capacity: 4000, ucb_c: 2.0, seed: 0 };
    let start = Position::start(game);
    let ends = vec![player.finished(), player.forced_draw(4), player.before_a_win(1), player.before_a_win(3)];
    vec![
        Plan::new(base, vec![(vec![start.clone()], 300)]),
        Plan::new(
            Setting { trees_per_position: 5, first_tree: 40, ucb_c: 1.0, seed: 99, ..base },
            vec![(vec![start.clone()], 61), (vec![player.midgame()], 64), (vec![start], 1)],
        ),
        Plan::new(
            Setting { trees_per_position: 2, ucb_c: 0.0, seed: u64::MAX, ..base },
            vec![(ends.clone(), 100), (ends.into_iter().rev().collect(), 33)],
        ),
    ]
}

/// Boards so small that trees become full: their memory, or the whole game.
fn small_plans<G: Game>(game: &G, m: u32) -> Vec<Plan<G>> {
    let mut player = RandomGames::new(game, u64::from(m) + 2);
    let least = game.max_actions() + 1;
    let base = Setting { trees_per_position: 3, first_tree: 1, capacity: least, ucb_c: 1.5, seed: 5 };
    let roots = vec![Position::start(game), player.forced_draw(3), player.before_a_win(2)];
    vec![
        Plan { full: true, ..Plan::new(base, vec![(roots.clone(), 40)]) },
        Plan {
            full: true,
            ..Plan::new(Setting { capacity: 5 * least + 3, ..base }, vec![(roots.clone(), 90)])
        },
        Plan::new(
            Setting { trees_per_position: 1, capacity: 20_000, ucb_c: 100.0, seed: 6, ..base },
            vec![(roots[1..].to_vec(), 500)],
        ),
    ]
}

fn othello_plans() -> Vec<Plan<Othello>> {
    let mut player = RandomGames::new(&Othello, 4);
    let base = Setting { trees_per_position: 2, first_tree: 3, capacity: 2000, ucb_c: 1.0, seed: 12 };
    let late = vec![player.before_a_win(1), player.before_a_win(5), player.finished()];
    vec![
        Plan {
            depth: 2,
            ..Plan::new(base, vec![(vec![Position::start(&Othello)], 40), (vec![player.midgame()], 9)])
        },
        Plan {
            depth: 1,
            ..Plan::new(Setting { trees_per_position: 1, ucb_c: 0.5, ..base }, vec![(late, 60)])
        },
    ]
}

fn gomoku_plans(game: &Gomoku, m: u32) -> Vec<Plan<Gomoku>> {
    let mut player = RandomGames::new(game, u64::from(m) + 3);
    let base = Setting { trees_per_position: 1, first_tree: 0, capacity: 3000, ucb_c: 2.0, seed: 3 };
    vec![
        Plan::new(
            Setting { trees_per_position: 2, ..base },
            vec![(vec![Position::start(game)], 7), (vec![player.midgame()], 3)],
        ),
        Plan::new(
            Setting { ucb_c: 0.25, seed: 4, ..base },
            vec![(vec![player.before_a_win(1), player.before_a_win(3), player.finished()], 12)],
        ),
    ]
}
