//! Every kernel from the same snapshot, shader against twin; and with one wrong word in its input, which must change
//! the result.

use super::*;
use mcts_wgpu::internals::forest::layout::{OUTCOME_SHIFT, Tree};

/// In the order of a search; the twins make some whole steps before `select_leaf`.
const KERNELS: &str = "seed reset select_leaf expand_1 count_jobs expand_2 playout backup_1 backup_2 \
    reduce_over_trees reduce_over_actions fingerprint";

#[test]
fn kernels_of_connect4_equal_their_twins() {
    each_adapter(|adapter| {
        check(adapter, &Connect4::default(), &[1, 32, 512], 3000);
        check(adapter, &connect4_of(4, 5), &[64], 800);
    });
}

#[test]
fn kernels_of_gomoku_equal_their_twins() {
    each_adapter(|adapter| {
        check(adapter, &gomoku_of(6), &[1, 512], 900);
        check(adapter, &Gomoku::default(), &[128], 3000);
    });
}

/// Every variant, with every other number of playouts, and for each of those several seeds, constants and numbers of
/// trees.
fn check<G: Game>(adapter: &Adapter, game: &G, playouts: &[u32], capacity: u32) {
    let device = device(adapter);
    let number = |variant: usize| playouts.iter().skip(variant % 2 % playouts.len()).step_by(2);
    let all: Vec<_> = (0..).zip(Variant::ALL).flat_map(|(i, v)| number(i).map(move |&m| (v, m))).collect();
    for &(variant, m) in cases(adapter, &all) {
        let semantics = Semantics::BOTH[usize::from(variant.thrifty != variant.all_children)];
        let rig = Rig::new(&device, game, (variant, semantics), m, Schedule::Staged);
        let mut player = RandomGames::new(game, u64::from(m));
        let base = Setting { trees_per_position: 3, first_tree: 0, capacity, ucb_c: 2.0, seed: 0 };
        let positions = [Position::start(game), player.before_a_win(2)];
        let mut proven = check_kernels(&rig, base, 0, &positions);
        let other = Setting { first_tree: 5, ucb_c: 0.5, seed: 1 << 63 | 7, ..base };
        let positions = [player.midgame(), player.finished(), player.before_a_win(1)];
        proven.extend(check_kernels(&rig, other, 11, &positions));
        let full = Setting { trees_per_position: 2, capacity: game.max_actions() + 9, ..base };
        proven.extend(check_kernels(&rig, full, 3, &[Position::start(game)]));
        assert!(KERNELS.split(' ').all(|kernel| proven.contains(&kernel)), "{}: only {proven:?}", rig.name);
    }
}

/// Returns the kernels that were run with a wrong word.
fn check_kernels<G: Game>(
    rig: &Rig<G>,
    setting: Setting,
    steps: u32,
    positions: &[Position<G>],
) -> Vec<&'static str> {
    let (mut input, device) = rig.start(setting, positions);
    let mut proven = Vec::new();
    for kernel in KERNELS.split(' ') {
        if kernel == "select_leaf" {
            input.step(steps);
        }
        forget_outputs(&mut input, kernel);
        let mut expected = input.clone();
        expected.twin(kernel);
        let got = run(&device, kernel, &input);
        let differences = expected.differences(&got);
        let first = &differences[..differences.len().min(4)];
        assert!(
            first.is_empty(),
            "{} {setting:?} {kernel}: {} words: {first:?}",
            rig.name,
            differences.len()
        );
        if let Some(noticed) = wrong_word_shows(&device, kernel, &input, &expected) {
            assert!(noticed, "{} {setting:?}: nobody notices a wrong word before {kernel}", rig.name);
            proven.push(kernel);
        }
        input = expected;
    }
    proven
}

fn run<G: Game>(device: &OnDevice, kernel: &str, input: &Snapshot<G>) -> Snapshot<G> {
    device.put(input);
    device.run(kernel, input);
    device.get(input)
}

/// Overwrites the words that a kernel writes without reading them.
fn forget_outputs<G: Game>(snapshot: &mut Snapshot<G>, kernel: &str) {
    let forest = &mut snapshot.forest;
    match kernel {
        "select_leaf" => {
            unwrite(&mut forest.paths);
            unwrite(&mut forest.states);
            for tree in &mut forest.trees {
                (tree.selected, tree.path_length) = (UNWRITTEN, UNWRITTEN);
            }
        }
        "expand_1" => {
            for tree in &mut forest.trees {
                (tree.expanded, tree.drawn) = (UNWRITTEN, UNWRITTEN);
            }
        }
        "playout" => unwrite(&mut forest.tallies),
        "backup_1" => forest.trees.iter_mut().for_each(|tree| tree.tally = UVec2::splat(UNWRITTEN)),
        _ => {}
    }
}

/// Runs a kernel with one wrong word among those it reads: does any other word differ? `None` if no word of the input
/// would change the result.
fn wrong_word_shows<G: Game>(
    device: &OnDevice,
    kernel: &str,
    input: &Snapshot<G>,
    expected: &Snapshot<G>,
) -> Option<bool> {
    if kernel == "seed" {
        return Some(!expected.differences(&with_a_wrong_jump(device, input)).is_empty());
    }
    let wrong = with_a_wrong_word(kernel, input, expected)?;
    let others = (kernel == "backup_2").then(|| with_another_best_child(input, expected)).flatten();
    let shows = |wrong: &Snapshot<G>| {
        let changed = input.differences(wrong);
        assert_eq!(changed.len(), 1, "{kernel}");
        let differences = expected.differences(&run(device, kernel, wrong));
        differences.iter().any(|word| *word != changed[0])
    };
    Some(shows(&wrong) && others.as_ref().is_none_or(shows))
}

/// The input of `backup_2` with so many more visits of the child that the root chooses that it chooses another one;
/// `None` if no root has two children.
fn with_another_best_child<G: Game>(input: &Snapshot<G>, expected: &Snapshot<G>) -> Option<Snapshot<G>> {
    let mut wrong = input.clone();
    let capacity = input.forest.shape.capacity as usize;
    let is_open = |tree: usize| {
        !input.forest.trees[tree].root_is_proven() && !expected.forest.trees[tree].root_is_proven()
    };
    let has_choice = |&tree: &usize| is_open(tree) && input.forest.links[tree * capacity].count() > 1;
    let root = (0..input.forest.trees.len()).find(has_choice)?;
    let best = expected.forest.links[root * capacity].best_child();
    wrong.forest.stats[root * capacity + best as usize].n.y ^= 1 << 8;
    Some(wrong)
}

/// Seeds with a wrong word in the matrix of one jump, in a column that stream 1 takes.
fn with_a_wrong_jump<G: Game>(device: &OnDevice, input: &Snapshot<G>) -> Snapshot<G> {
    let mut jumps = Jumps::words().to_vec();
    let zero = Stream::seeded(input.forest.shape.config.seed).words();
    let bit = (0..128).find(|bit| zero[bit / 32] >> (bit % 32) & 1 == 1).expect("the state is not zero");
    jumps[bit][2] ^= 1 << 5;
    device.forest.write("jumps", &jumps);
    let got = run(device, "seed", input);
    device.forest.write("jumps", Jumps::words());
    got
}

/// The input with one word changed that affects the result; `None` if there is no such word.
fn with_a_wrong_word<G: Game>(
    kernel: &str,
    input: &Snapshot<G>,
    expected: &Snapshot<G>,
) -> Option<Snapshot<G>> {
    let mut wrong = input.clone();
    let forest = &mut wrong.forest;
    let node = |tree: usize, node: u32| tree * input.forest.shape.capacity as usize + node as usize;
    match kernel {
        // The player to move.
        "reset" => forest.roots[0] ^= 1,
        // The root's best child is another one.
        "select_leaf" => {
            let tree = find_tree(expected, |tree| tree.path_length > 1)?;
            forest.links[node(tree, ROOT)].info ^= 1 << BEST_SHIFT;
        }
        // A game that goes on is over.
        "expand_1" => {
            let tree = find_tree(expected, |tree| tree.expanded > 0)?;
            forest.links[node(tree, forest.trees[tree].selected)].info ^= 2 << OUTCOME_SHIFT;
        }
        "count_jobs" => forest.trees[find_tree(input, |_| true)?].expanded ^= 4,
        // There are no children to fill in.
        "expand_2" => {
            let tree = find_tree(expected, |tree| tree.expanded > 0)?;
            forest.trees[tree].expanded = 0;
        }
        "playout" => {
            let stream = played_stream(expected)?;
            forest.streams[stream].x ^= 1 << 9;
        }
        "backup_1" => {
            let tree = find_tree(input, |_| true)?;
            forest.tallies[tree * input.forest.shape.tallies_per_leaf()].x ^= 1;
        }
        // The wins that the root counts.
        "backup_2" => {
            let tree = find_tree(input, |_| true)?;
            let mover = 1 - forest.trees[tree].root_turn() as usize;
            forest.trees[tree].tally[mover] ^= 1;
        }
        "reduce_over_trees" => forest.stats[0].n.x ^= 1,
        // The best action isn't there.
        "reduce_over_actions" => {
            wrong.root_sums[expected.best[0].ordinal as usize].present ^= 1;
        }
        "fingerprint" => forest.stats[0].n_wins.y ^= 1,
        _ => panic!("no kernel {kernel}"),
    }
    Some(wrong)
}

fn find_tree<G: Game>(snapshot: &Snapshot<G>, holds: impl Fn(&Tree) -> bool) -> Option<usize> {
    snapshot.forest.trees.iter().position(|tree| !tree.root_is_proven() && holds(tree))
}

/// A stream that some game of this step was played on.
fn played_stream<G: Game>(snapshot: &Snapshot<G>) -> Option<usize> {
    let forest = &snapshot.forest;
    let shape = &forest.shape;
    let link =
        |tree: usize, node: u32| -> Link { forest.links[tree * shape.capacity as usize + node as usize] };
    let mut active = (0..forest.trees.len()).filter(|&index| !forest.trees[index].root_is_proven());
    active.find_map(|index| {
        let tree = &forest.trees[index];
        let (first, count) = match (tree.expanded, shape.config.variant.all_children) {
            (0, _) => (tree.selected, 1),
            (expanded, true) => (tree.first_child, expanded),
            (_, false) => (tree.first_child + tree.drawn, 1),
        };
        let played = (first..first + count).find(|&child| link(index, child).outcome() == 0)?;
        let own_set = shape.config.variant.all_children && tree.expanded > 0;
        let set = if own_set { link(index, played).action() } else { 0 };
        Some(index * shape.streams_per_tree() + (set * shape.config.playouts) as usize)
    })
}
