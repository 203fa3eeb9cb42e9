//! Rapid action values against games that are repeated move by move.

use super::*;
use mcts_wgpu::{
    games::GoState,
    internals::{forest::layout::MOST_AMAF, reference::playout::draw_ordinal},
};

const SIZE: u32 = 4;

fn go(policy: &str) -> Go {
    Go::new(SIZE, 1.0).and_then(|go| go.with_policy(policy)).expect("there is such a game")
}

fn snapshot(go: &Go, (playouts, leaves): (u32, u32)) -> Snapshot<Go> {
    let shape = Semantics::Rapid.of(shape(go, Variant::OCP_PRODIGAL, playouts));
    let shape = Shape {
        config: Config { leaf_batch: leaves, ucb_c: 0.3, ..shape.config },
        capacity: 40_000,
        n_trees: 2,
        trees_per_position: 2,
        ..shape
    };
    let widths = Widths::of(32);

    Snapshot::begun(go, shape, widths, &[Position::start(go)])
}

fn stones(go: &Go, state: &GoState, player: Player) -> Vec<bool> {
    let rows = go.board_rows(state);
    let cells = rows.iter().rev().flat_map(|row| row.chars().map(|cell| cell == player.symbol()));
    cells.collect()
}

/// The first player to play at each point of a game that goes on from a position, and the outcome.
fn firsts_of(
    go: &Go,
    (state, mut turn): (&GoState, Player),
    stream: &mut Stream,
) -> (HashMap<u32, Player>, Outcome) {
    let (mut playout, mut firsts) = (go.playout_begin(state, turn), HashMap::new());
    loop {
        let before = stones(go, &go.playout_state(&playout), turn);
        let count = go.legal_actions_playout(&mut playout);
        let outcome = go.take_action_playout(&mut playout, draw_ordinal(go, stream, count));
        let after = stones(go, &go.playout_state(&playout), turn);
        let placed = (0..).zip(before.iter().zip(&after)).find(|(_, (before, after))| **after && !**before);
        placed.map(|(point, _)| firsts.entry(point).or_insert(turn));
        if let Some(outcome) = outcome {
            return (firsts, outcome);
        }
        turn = turn.opponent();
    }
}

/// The credits of each node of a tree in a step that is about to be backed up, by the initial streams of its games.
fn credits(snapshot: &Snapshot<Go>, tree: usize, streams: &[Stream]) -> HashMap<usize, (u32, u32)> {
    let (forest, go) = (&snapshot.forest, &snapshot.game);
    let shape = &forest.shape;
    let base = tree * shape.capacity as usize;
    let link = |node: u32| forest.links[base + node as usize];
    let mut credits = HashMap::<usize, (u32, u32)>::new();
    for place in 0..shape.config.leaf_batch as usize {
        let leaf = tree * shape.config.leaf_batch as usize + place;
        let header = &forest.leaf_headers()[leaf];
        let mut path = forest.paths[leaf * shape.path_words()..][..header.path_length as usize].to_vec();
        if header.expanded > 0 {
            path.push(header.first_child + header.drawn);
        }
        let mut played = Position::start(go);
        path[1..].iter().for_each(|&node| played.play(link(node).action()).expect("a legal action"));
        for game in 0..shape.config.playouts as usize {
            let mut stream = streams[leaf * shape.config.playouts as usize + game];
            let (mut firsts, outcome) = match played.outcome() {
                Some(outcome) => (HashMap::new(), outcome),
                None => firsts_of(go, (played.state(), played.turn()), &mut stream),
            };
            for (depth, &node) in path[..header.path_length as usize].iter().enumerate().rev() {
                let turn = if depth % 2 == 0 { Player::First } else { Player::Second };
                if let Some(&next) = path.get(depth + 1).filter(|&&next| link(next).action() < go.pass()) {
                    firsts.insert(link(next).action(), turn);
                }
                let points = if outcome == turn.wins() { 2 } else { u32::from(outcome == Outcome::Draw) };
                for child in link(node).first_child..link(node).first_child + link(node).count() {
                    if firsts.get(&link(child).action()) == Some(&turn) {
                        let (n, sum) = credits.entry(base + child as usize).or_default();
                        (*n, *sum) = (*n + 1, *sum + points);
                    }
                }
            }
        }
    }
    credits
}

fn check(policy: &str, sizes: (u32, u32), steps: u32) {
    let go = go(policy);
    let mut snapshot = snapshot(&go, sizes);
    let mut credited = 0;
    for _ in 0..steps {
        let streams: Vec<_> =
            snapshot.forest.streams.iter().map(|&words| Stream::from_words(words.into())).collect();
        let descent = ["select_leaves", "list_leaves", "allot_leaves", "append_leaves", "playout"];
        descent.into_iter().for_each(|kernel| snapshot.twin(kernel));
        let before = snapshot.forest.stats.clone();
        snapshot.twin("credit_leaves");
        let capacity = snapshot.forest.shape.capacity as usize;
        for (tree, header) in snapshot.forest.headers().to_vec().iter().enumerate() {
            let expected = credits(&snapshot, tree, &streams);
            for node in tree * capacity..tree * capacity + header.size as usize {
                let (now, before) = (snapshot.forest.stats[node], before[node]);
                let [(n, points), (n_before, points_before)] = [now.amaf(), before.amaf()];
                let expected = expected.get(&node).copied().unwrap_or_default();
                assert_eq!((n - n_before, points - points_before), expected, "{policy}: node {node}");
                assert_eq!(now.bare(), before.bare());
                credited += expected.0;
            }
        }
        for kernel in ["back_up_leaves", "prove_leaves", "choose_leaves", "settle_leaves"] {
            snapshot.twin(kernel);
        }
    }
    assert!(credited > 1000, "{credited}");
}

#[test]
fn values_are_those_of_games_played_once_more() {
    check("random", (4, 5), 12);
    check("tactical", (2, 1), 40);
    check("pattern3x3", (1, 16), 12);
}

/// A node's children are credited until so many playouts have gone through it.
#[test]
fn counting_ends() {
    let mut snapshot = snapshot(&go("random"), (512, 8));
    let amaf = |snapshot: &Snapshot<Go>| -> Vec<_> {
        let root = snapshot.forest.links[0];
        let children = root.first_child as usize..(root.first_child + root.count()) as usize;
        children.map(|child| snapshot.forest.stats[child].amaf()).collect()
    };
    // Each step counts 4,096 visits of the root before it credits its children.
    snapshot.step(MOST_AMAF / 4096 - 1);
    let before = amaf(&snapshot);
    assert!(before.iter().any(|&(n, _)| n > MOST_AMAF / 4) && before.iter().all(|&(n, _)| n < MOST_AMAF));
    snapshot.step(1);
    assert_eq!(amaf(&snapshot), before);
    let root = snapshot.forest.stats[0];
    assert_eq!(root.bare().counts().0, u64::from(MOST_AMAF));
    assert_eq!(root.amaf(), (0, 0));
}

/// The choice among children counts k n_r / (k + n_r) more playouts, with the same share of wins.
#[test]
fn values_count_as_playouts() {
    let go = go("random");
    let shape = Semantics::Rapid.of(shape(&go, Variant::OCP_PRODIGAL, 1));
    assert_eq!(shape.config.rave, 300);
    let mut stats = mcts_wgpu::internals::forest::layout::Stats::default();
    stats.add(10, 7);
    assert_eq!(shape.rated_counts(stats), (10, 7));
    stats.add_amaf(600, 900);
    assert_eq!((stats.amaf(), shape.plain(stats).counts()), ((600, 900), (10, 7)));
    assert_eq!(shape.rated_counts(stats), (10 + 200, 7 + 300));
    stats.prove(4);
    assert_eq!((stats.amaf(), stats.plies()), ((600, 900), 4));
    let none = shape.with(Config { rave: 0, ..shape.config });
    assert_eq!(none.rated_counts(shape.plain(stats)), (10, 7));
}
