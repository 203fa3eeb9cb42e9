//! Trees with room for a root and its children only, and the last tie-break: compared with an independent model, since
//! device and twin could be wrong alike.

use super::*;

const TREES: u32 = 2;
const PLAYOUTS: u32 = 4;
const SEED: u64 = 77;
const C: f32 = 1.5;

fn config(variant: Variant, room: u32) -> Config {
    let sizes = Config { trees: TREES, playouts: PLAYOUTS, node_limit: Some(room), ..Config::original() };
    Config { variant, ucb_c: C, seed: SEED, ..sizes }
}

// --- full trees ------------------------------------------------------------------------------------------------

/// A child of the root: the position there, its playouts, and those that the root's player has won.
struct Child<G: Game> {
    action: u32,
    position: Position<G>,
    n: u64,
    n_wins: u64,
}

/// A tree with room for the root's children and no more: every action is legal there, or nearly all.
struct Model<G: Game> {
    all_children: bool,
    root: Position<G>,
    children: Vec<Child<G>>,
    /// By action (ACP), then by lane.
    streams: Vec<Stream>,
    expansion: Stream,
}

impl<G: Game> Model<G> {
    fn new(root: &Position<G>, variant: Variant, tree: u32) -> Self {
        let game = root.game();
        let sets = if variant.all_children { game.max_actions() } else { 1 };
        let of_tree = sets * PLAYOUTS;
        let child = |action| {
            let mut position = root.clone();
            position.play(action).expect("a legal action");
            Child { action, position, n: 0, n_wins: 0 }
        };
        Self {
            all_children: variant.all_children,
            children: root.legal_actions().into_iter().map(child).collect(),
            streams: (0..of_tree).map(|i| Jumps::stream(SEED, tree * of_tree + i)).collect(),
            expansion: Jumps::stream(SEED, tree * game.expansion_stride()),
            root: root.clone(),
        }
    }

    fn play_out(&mut self, ordinal: usize, set: u32) {
        let child = &mut self.children[ordinal];
        for lane in 0..PLAYOUTS {
            let stream = &mut self.streams[(set * PLAYOUTS + lane) as usize];
            let outcome = child.position.outcome().unwrap_or_else(|| play(&child.position, stream));
            child.n += 1;
            child.n_wins += u64::from(outcome == self.root.turn().wins());
        }
    }

    /// Each child on its own streams (ACP), or one of them, drawn (OCP).
    fn first_step(&mut self) {
        if !self.all_children {
            let drawn = self.expansion.pick_child(self.children.len() as u32);
            return self.play_out(drawn as usize, 0);
        }
        for ordinal in 0..self.children.len() {
            self.play_out(ordinal, self.children[ordinal].action);
        }
    }

    /// The best child has no room for children: it is played out itself, on the streams of action 0.
    fn later_step(&mut self) {
        let visits = self.children.iter().map(|child| child.n).sum();
        let ln = ucb::ln(visits);
        let bound = |child: &Child<G>| ucb::ucb(ln, child.n, child.n_wins, C);
        let better = |&a: &usize, &b: &usize| {
            let [a, b] = [a, b].map(|ordinal| &self.children[ordinal]);
            bound(a).total_cmp(&bound(b)).then(b.action.reverse_bits().cmp(&a.action.reverse_bits()))
        };
        let best = (0..self.children.len()).max_by(better).expect("the root has children");
        self.play_out(best, 0);
    }
}

fn play<G: Game>(position: &Position<G>, stream: &mut Stream) -> Outcome {
    let game = position.game();
    let mut playout = game.playout_begin(position.state(), position.turn());
    loop {
        let count = game.legal_actions_playout(&mut playout);
        if let Some(outcome) = game.take_action_playout(&mut playout, stream.pick(count)) {
            return outcome;
        }
    }
}

/// Action, n and n_wins of the root's children, summed over the trees of the model.
fn expected<G: Game>(root: &Position<G>, variant: Variant, first: u32, steps: u64) -> Vec<(u32, u64, u64)> {
    let trees = (0..TREES).map(|tree| {
        let mut model = Model::new(root, variant, first + tree);
        model.first_step();
        (1..steps).for_each(|_| model.later_step());
        model.children
    });
    let trees: Vec<_> = trees.collect();
    let sum =
        |ordinal: usize, count: fn(&Child<G>) -> u64| trees.iter().map(|tree| count(&tree[ordinal])).sum();
    let children = trees[0].iter().enumerate();
    children.map(|(i, child)| (child.action, sum(i, |child| child.n), sum(i, |child| child.n_wins))).collect()
}

fn check_full<G: Game>(roots: &[Position<G>], variants: &[Variant], steps: u64) {
    let game = roots[0].game();
    for &variant in variants {
        let numbered = (0..).step_by(TREES as usize).zip(roots);
        let expected: Vec<_> = numbered.map(|(tree, root)| expected(root, variant, tree, steps)).collect();
        each_schedule(&SCHEDULES, |engine, schedule, name| {
            let config = Config { schedule, ..config(variant, game.max_actions() + 1) };
            let reports = search_on(engine, game.clone(), config).batch(roots, steps);
            // A tree whose root's player wins at once expands no further.
            assert!(reports.iter().any(|report| report.trees_info.full));
            for (report, expected) in reports.iter().zip(&expected) {
                let found =
                    report.actions.iter().map(|action| (action.index, action.n, action.n_wins as u64));
                assert_eq!(&found.collect::<Vec<_>>(), expected, "{name} {} {variant}", game.name());
            }
        });
    }
}

#[test]
fn full_trees_are_those_of_a_model() {
    let connect4 = Connect4::default();
    let mut player = RandomGames::new(&connect4, 31);
    let roots = [Position::start(&connect4), player.before_a_win(1), player.before_a_win(4)];
    check_full(&roots, &[Variant::OCP_THRIFTY, Variant::ACP_PRODIGAL], 60);
    let gomoku = gomoku_of(5);
    check_full(&[Position::start(&gomoku)], &[Variant::OCP_PRODIGAL, Variant::ACP_THRIFTY], 50);
}

// --- the last tie-break ----------------------------------------------------------------------------------------

/// A position in which every game is a draw, and the last ties of thrifty and of prodigal variants select different
/// actions; with those actions.
fn drawn(game: &Connect4) -> (Position<Connect4>, [u32; 2]) {
    (0..)
        .find_map(|seed| {
            let position = RandomGames::new(game, seed).forced_draw(4);
            let legal = position.legal_actions();
            let by_ordinal = (0..legal.len() as u32).min_by_key(|ordinal| mirrored(*ordinal))?;
            let thrifty = legal[by_ordinal as usize];
            let prodigal = *legal.iter().min_by_key(|action| mirrored(**action))?;
            (thrifty != prodigal).then_some((position, [thrifty, prodigal]))
        })
        .expect("some position has them")
}

/// Bits from the lowest on, as text that sorts as bit-reversed numbers do.
fn mirrored(number: u32) -> String {
    format!("{number:032b}").chars().rev().collect()
}

/// The best of a report's actions, all with one count and without wins.
fn assert_tied(report: &Report) {
    let first = &report.actions[0];
    assert!(report.actions.iter().all(|action| (action.n, action.n_wins) == (first.n, 0.0)));
}

#[test]
fn last_ties_go_by_ordinals_or_by_actions() {
    let game = connect4_of(4, 5);
    let (position, [thrifty, prodigal]) = drawn(&game);
    let steps = position.legal_actions().len() as u64;
    // All schedules have the same reductions.
    each_schedule(&[Schedule::Staged], |engine, schedule, name| {
        for variant in Variant::ALL {
            let config = Config { schedule, ..config(variant, game.max_actions() + 1) };
            let mut search = search_on(engine, game.clone(), config);
            // Each child is played out once.
            let steps = if variant.all_children { 1 } else { steps };
            let report = search.steps(&position, steps);
            assert_tied(&report);
            let best = report.best.expect("the game goes on").index;
            assert_eq!(best, if variant.thrifty { thrifty } else { prodigal }, "{name} {variant}");
        }
    });
}
