//! Paths with more nodes than workgroup memory holds: 256.

use super::*;

/// Nodes of the paths.
pub const LENGTH: u32 = 300;

/// Go with a distant limit of moves.
pub fn long_go(size: u32) -> Go {
    Go::new(size, 0.5).and_then(|go| go.with_max_moves(2 * LENGTH)).expect("the board exists")
}

/// Grows a tree that is its root alone along a random game: each position has all its children, and a selection follows
/// the game. Returns the actions.
pub fn grow<G: Game>(forest: &mut Forest, tree: usize, start: &Position<G>, seed: u64) -> Vec<u32> {
    let base = tree * forest.shape.capacity as usize;
    let mut random = Pcg64::seed_from_u64(seed);
    let actions = long_game(start, &mut random);
    let (mut position, mut node) = (start.clone(), ROOT);
    let (mut size, mut depths) = (1, 0);
    forest.stats[base] = some_stats(&mut random, true);
    for (depth, &action) in (1_u64..).zip(&actions) {
        let legal = position.legal_actions();
        let best = legal.iter().position(|&other| other == action).expect("it is legal") as u32;
        let count = legal.len() as u32;
        let link = &mut forest.links[base + node as usize];
        *link = Link { first_child: size, info: link.info | count << ACTION_BITS | best << BEST_SHIFT };
        for (at, &other) in (base + size as usize..).zip(&legal) {
            forest.links[at] = Link::leaf(other, Outcome::code(after(&position, other).outcome()));
            forest.stats[at] = some_stats(&mut random, other == action);
        }
        position = after(&position, action);
        node = size + best;
        size += count;
        depths += depth * u64::from(count);
    }
    let header = &mut forest.trees[tree];
    (header.size, header.max_depth, header.depth_sum) = (size, LENGTH - 1, split(depths));
    actions
}

/// The actions of a game that is not over before its path has [`LENGTH`] nodes.
fn long_game<G: Game>(start: &Position<G>, random: &mut Pcg64) -> Vec<u32> {
    for _ in 0..1000 {
        let mut position = start.clone();
        while position.outcome().is_none() && position.moves().len() + 1 < LENGTH as usize {
            let mut legal = position.legal_actions();
            // The pass comes last, and is taken only if it is the only action.
            legal.truncate((legal.len() - 1).max(1));
            position = after(&position, legal[random.next_u32() as usize % legal.len()]);
        }
        if position.outcome().is_none() {
            return position.moves().to_vec();
        }
    }
    panic!("all games of {} are short", start.game().name());
}

fn after<G: Game>(position: &Position<G>, action: u32) -> Position<G> {
    let mut next = position.clone();
    next.play(action).expect("the action is legal");
    next
}

/// Counts about to carry into their high words; the game's always win, and sometimes another one does.
fn some_stats(random: &mut Pcg64, of_the_game: bool) -> Stats {
    let n = (1 << 32) - 1 - u64::from(random.next_u32() % 4);
    let wins = of_the_game || random.next_u32().is_multiple_of(16);
    let share = if wins { n } else { n / 64 * u64::from(random.next_u32() % 32) };
    Stats { n: split(n), n_wins: split(share) }
}

/// Deep trees, and some steps of them.
fn deep_steps<G: Game>(rig: &Rig<G>, game: &G) -> (Steps<G>, OnDevice) {
    let capacity = LENGTH * game.max_actions() + 100;
    let setting = Setting { trees_per_position: 3, first_tree: 0, capacity, ucb_c: 0.5, seed: 4 };
    let start = Position::start(game);
    let (mut trees, device) = rig.begin(setting, std::slice::from_ref(&start));
    (0..3).for_each(|tree| drop(grow(&mut trees.forest, tree, &start, tree as u64)));
    let mut first = trees.clone();
    first.step(1);
    assert!(first.forest.trees.iter().all(|tree| tree.path_length == LENGTH));
    (Steps::of(trees, 2), device)
}

const MISTAKES: [Mistake; 4] = [
    ("far nodes noted in one place", "paths[leaf * PATH_WORDS« + reached.depth ⇒ »] = reached.node"),
    ("near nodes for far ones", "return «paths[leaf * PATH_WORDS + depth] ⇒ sh_path[depth % NEAR_PATH]»;"),
    ("near nodes handed on for far ones", "depth < «min(length, NEAR_PATH) ⇒ length»"),
    (
        "a path that ends at its near nodes",
        "select(«trees[tree].path_length ⇒ min(trees[tree].path_length, NEAR_PATH)», 0u, root_is_proven(flags))",
    ),
];

/// In the fused schedule, whose last nodes have no path lane, or no lane, of their own.
const OF_FAR_NODES: Mistake =
    ("counters of far nodes carry nothing", "old.yw« + vec2<u32>(low < old.xz) ⇒ »");

fn check<G: Game>(device: &Device, game: &G, variant: Variant, plant: bool) {
    let rig = Rig::new(device, game, (variant, Semantics::Original), 4, Schedule::Auto);
    let (steps, on_device) = deep_steps(&rig, game);
    for schedule in [Schedule::Staged, Schedule::Fused] {
        steps.assert_same(&rig, &on_device, schedule);
    }
    if plant {
        steps.assert_found(&rig, Schedule::Staged, &MISTAKES[2..]);
        steps.assert_found(&rig, Schedule::Fused, &[MISTAKES[0], MISTAKES[1], OF_FAR_NODES]);
    }
}

#[test]
fn long_paths_are_the_references_and_mistakes_show() {
    on_the_first_adapter(|adapter| {
        let device = device(adapter);
        check(&device, &long_go(2), Variant::OCP_PRODIGAL, true);
        check(&device, &long_go(2), Variant::ACP_THRIFTY, false);
    });
}
