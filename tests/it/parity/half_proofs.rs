//! Proofs and half proofs against bounds computed over whole trees: the least and the greatest outcome for the player
//! to move, from the children of each node. Best actions, against the rules of the specification.

use super::*;
use mcts_wgpu::internals::forest::{
    Proof,
    layout::{AT_LEAST_DRAWN, AT_MOST_DRAWN, LEFT_OUT, NO_ACTION},
};
use std::cmp::Reverse;

/// From a loss, -1, to a win, 1.
type Bounds = (i32, i32);

/// Trees of random positions, most of which end in a draw, after some steps.
fn searched<G: Game>(
    game: &G,
    (variant, leaves): (Variant, u32),
    semantics: Semantics,
    plies: usize,
) -> Snapshot<G> {
    let mut games = RandomGames::new(game, 11);
    let positions: Vec<_> = (0..12).map(|_| games.before_a_draw(plies)).collect();
    let shape = semantics.of(shape(game, variant, 4));
    let shape = Shape {
        config: Config { leaf_batch: leaves, ucb_c: 0.7, ..shape.config },
        capacity: 20_000,
        n_trees: 24,
        trees_per_position: 2,
        ..shape
    };
    let widths = Widths::of(32);
    let mut snapshot = Snapshot::begun(game, shape, widths, &positions);
    snapshot.step(400 / leaves);
    snapshot
}

/// The bounds of each node of a tree, from the last one to the root: children come after their parents.
fn bounds_of<G: Game>(snapshot: &Snapshot<G>, tree: usize) -> Vec<Bounds> {
    let forest = &snapshot.forest;
    let links = &forest.links[tree * forest.shape.capacity as usize..];
    let size = forest.trees[tree].size as usize;
    let mut turns = vec![forest.trees[tree].root_turn(); size];
    for node in 0..size {
        let children =
            links[node].first_child as usize..(links[node].first_child + links[node].count()) as usize;
        let turn = 1 - turns[node];
        turns[children].fill(turn);
    }
    let mut bounds = vec![(-1, 1); size];
    for node in (0..size).rev() {
        let link = links[node];
        let children = &bounds[link.first_child as usize..][..link.count() as usize];
        bounds[node] = if link.count() > 0 {
            let least = children.iter().map(|&(_, most)| -most).max().expect("there are children");
            let most = children.iter().map(|&(least, _)| -least).max().expect("there are children");
            (least, if link.info & LEFT_OUT == 0 { most } else { 1 })
        } else {
            match Outcome::from_code(link.outcome()) {
                None => (-1, 1),
                Some(Outcome::Draw) => (0, 0),
                Some(outcome) => {
                    let mover = if turns[node] == 0 { Player::First } else { Player::Second };
                    if outcome == mover.wins() { (1, 1) } else { (-1, -1) }
                }
            }
        };
    }
    bounds
}

/// Every node has the marks of its bounds, and selections of open nodes are open. Returns the number of half-proven
/// nodes.
fn check<G: Game>(snapshot: &Snapshot<G>, what: &str) -> usize {
    let forest = &snapshot.forest;
    let mut half_proven = 0;
    for tree in 0..forest.headers().len() {
        let base = tree * forest.shape.capacity as usize;
        for (node, (least, most)) in bounds_of(snapshot, tree).into_iter().enumerate() {
            let (stats, link) = (forest.stats[base + node], forest.links[base + node]);
            // A root at which the game is over is not proven: it is not searched.
            if node == ROOT as usize && link.count() == 0 {
                continue;
            }
            let what = format!("{what}: node {node} of tree {tree} is from {least} to {most}");
            assert_eq!(stats.is_proven(), least == most, "{what}");
            let marks = if least == most {
                0
            } else {
                (if least == 0 { AT_LEAST_DRAWN } else { 0 }) | (if most == 0 { AT_MOST_DRAWN } else { 0 })
            };
            assert_eq!(stats.half_proofs(), marks, "{what}");
            half_proven += usize::from(marks != 0);
            let children = link.first_child..link.first_child + link.count();
            let is_open = |child: u32| !forest.stats[base + child as usize].is_closed(&stats);
            if !stats.is_proven() && children.clone().any(is_open) {
                assert!(is_open(link.best_child()), "{what} and goes on to a closed child");
            }
        }
    }
    half_proven
}

#[test]
fn marks_agree_with_the_bounds_of_whole_trees() {
    let blind = blind_connect4(4, 5);
    for variant in Variant::ALL {
        for leaves in [1, 8] {
            let what = format!("{variant}, {leaves} leaves");
            let whole = searched(&blind, (variant, leaves), Semantics::Whole, 11);
            let half_proven = check(&whole, &what);
            assert!(half_proven > 50, "{what}: {half_proven}");
        }
    }
    let seeing = connect4_of(5, 5);
    let trees = searched(&seeing, (Variant::OCP_PRODIGAL, 1), Semantics::Stronger, 15);
    assert!(check(&trees, "Connect 4") > 30);
    let trees = searched(&gomoku_of(5), (Variant::ACP_THRIFTY, 1), Semantics::Stronger, 7);
    assert!(check(&trees, "Gomoku") > 30);
}

/// In parts that all kernels share.
const OF_ALL: [Mistake; 2] = [
    ("a child's draw closes nothing", "«(PROVEN | (parent.y & AT_LEAST_DRAWN)) ⇒ PROVEN»"),
    ("both halves make no proof", "«|| (at_most_drawn && rank == DRAWN) ⇒ »"),
];
/// In shared parts, too, found by one set of kernels.
const OF_STAGES: [Mistake; 5] = [
    ("no draw is certain", "let at_least_drawn =« rank == DRAWN || ⇒ »"),
    ("no child's draw is certain", "«|| (open & SOME_DRAWN) != 0u ⇒ »"),
    ("no win is ruled out", "let at_most_drawn = «complete && (open & SOME_MAY_WIN) == 0u ⇒ false»;"),
    ("half proofs are not backed up", "« ⇒ if verdict < LEAST_KEY { break; }\n        »proved.unchanged--;"),
    ("marks count as visits", "own.y« & ((1u << PLIES_SHIFT) - 1u) ⇒ », own.zw"),
];
const OF_WHOLE_STEPS: [Mistake; 1] = [(
    "other half proofs don't matter",
    "(has_path_lanes && ends >= WON && «has_plain_rival ⇒ has_rival»(rivals))",
)];
const OF_RELAYS: [Mistake; 2] = [
    ("other half proofs don't matter", "leaf.depth > 0u && «has_plain_rival ⇒ has_rival»((*mine).rivals);"),
    ("half-proven nodes keep their rivals", "} else if lane «< leaf.depth ⇒ > 77u» {"),
];
const OF_PACKED: [Mistake; 1] =
    [("half proofs are forgotten", "open |= «open_bits(stats[child]) ⇒ SOME_OPEN | SOME_MAY_WIN»;")];
const OF_FEW_LEAVES: [Mistake; 1] =
    [("selections don't know of them", "load_few(children, all, «own ⇒ vec4<u32>(0u)»)")];
const OF_MANY_LEAVES: [Mistake; 1] =
    [("selections don't know of them", "held.counts[i] = as_child(held.counts[i], «own ⇒ vec4<u32>(0u)»);")];

/// On an adapter, searches of drawn positions have the trees of the twins, but not with one of the mistakes. On one
/// adapter: GL compiles so many modules slowly.
fn find<G: Game>(game: &G, plies: usize, (config, steps): (Config, u64), mistakes: &[&[Mistake]]) {
    let mut games = RandomGames::new(game, 17);
    let roots: Vec<Position<G>> = (0..16).map(|number| games.before_a_draw(plies + number % 4)).collect();
    let config = Config { seed: 3, pruning: false, node_limit: Some(4000), ..config };
    let fingerprints = |engine: &Engine| {
        let reports = search_on(engine, game.clone(), config).run_batch(&roots, Budget::steps(steps)).ok()?;
        Some(reports.into_iter().map(|report| (report.fingerprint, report.proven)).collect::<Vec<_>>())
    };
    let mistakes: Vec<_> = mistakes.concat().into_iter().map(|(_, mistake)| mistake).collect();
    on_the_first_adapter(|adapter| {
        assert_mistakes_show(&own_device(adapter), tried(&mistakes), fingerprints);
    });
}

fn config(variant: Variant, trees: u32, leaves: u32, schedule: Schedule) -> Config {
    Config { variant, trees, playouts: 4, leaf_batch: leaves, schedule, ucb_c: 0.7, ..Config::paper() }
}

#[test]
fn mistakes_in_half_proofs_show() {
    let (ocp, acp) = (Variant::OCP_PRODIGAL, Variant::ACP_PRODIGAL);
    let game = blind_connect4(4, 5);
    find(&game, 9, (config(ocp, 2, 1, Schedule::Staged), 300), &[&OF_ALL, &OF_STAGES]);
    find(&game, 9, (config(ocp, 2, 1, Schedule::Fused), 300), &[&OF_ALL]);
    find(&game, 9, (config(acp, 2, 1, Schedule::Fused), 200), &[&OF_ALL, &OF_RELAYS[1..]]);
    find(&game, 9, (config(ocp, 64, 1, Schedule::Fused), 300), &[&OF_ALL, &OF_PACKED]);
    find(&game, 9, (config(ocp, 2, 8, Schedule::Auto), 40), &[&OF_ALL, &OF_FEW_LEAVES]);
    let square = blind_connect4(4, 4);
    find(&square, 8, (config(ocp, 8, 1, Schedule::Fused), 300), &[&OF_WHOLE_STEPS]);
    find(&square, 8, (config(acp, 8, 1, Schedule::Fused), 200), &[&OF_RELAYS[..1]]);
    let gomoku = gomoku_of(5);
    find(&gomoku, 6, (config(ocp, 2, 8, Schedule::Auto), 40), &[&OF_ALL, &OF_MANY_LEAVES]);
}

/// Sums of a row of actions, and of their root: few different numbers of playouts, so that many are equal; in every
/// other row so many playouts that q decides.
fn random_row(random: &mut Pcg64, turn: Player) -> Vec<RootSum> {
    let unit = [1, 1 << 19][random.next_u32() as usize % 2];
    let mut row: Vec<_> = (0..8).map(|ordinal| random_sum(random, turn, ordinal, unit)).collect();
    let root = row.last_mut().expect("the root is last");
    (root.present, root.info) = (0, 0);
    row
}

fn random_sum(random: &mut Pcg64, turn: Player, ordinal: u32, unit: u64) -> RootSum {
    let mut below = |end: u32| random.next_u32() % end;
    let mut sum = RootSum { info: ordinal, present: u32::from(below(8) > 0), ..RootSum::default() };
    let n = unit * [1, 2, 3, 32, 33][below(5) as usize];
    // With many playouts, a q of 32 to 35 parts in 64.
    let points = if unit == 1 { below(2 * n as u32 + 1).into() } else { n / 32 * u64::from(32 + below(4)) };
    sum.stats.add(n, points);
    let outcomes =
        [turn.wins(), Outcome::Draw, turn.opponent().wins(), turn.opponent().wins(), Outcome::Draw];
    match outcomes.get(below(12) as usize) {
        // Wins are rare, since they decide at once.
        Some(&outcome) if outcome != turn.wins() || below(4) == 0 => {
            sum.proof = Proof::word(Some(Proof { outcome, plies: below(3) }));
        }
        _ => sum.half_proofs = [0, AT_LEAST_DRAWN, AT_MOST_DRAWN, 0][below(4) as usize],
    }
    sum
}

/// The best action, step by step by the specification ("The result").
fn best_of_row(turn: Player, row: &[RootSum]) -> u32 {
    let (root, actions) = row.split_last().expect("the root is last");
    let all = || (0u32..).zip(actions).filter(|(_, sum)| sum.present == 1);
    let proof = |sum: &RootSum| Proof::from_word(sum.proof);
    let is = |sum: &RootSum, outcome: Outcome| proof(sum).is_some_and(|proof| proof.outcome == outcome);
    let plies = |sum: &RootSum| proof(sum).map_or(0, |proof| proof.plies);
    let by_counts = |&(ordinal, sum): &(u32, &RootSum)| (sum.stats.counts(), !ordinal.reverse_bits());
    let ordinal = |found: Option<(u32, &RootSum)>| found.map(|(ordinal, _)| ordinal);
    let wins = all().filter(|(_, sum)| is(sum, turn.wins()));
    if let Some(best) = ordinal(wins.max_by_key(|each| (Reverse(plies(each.1)), by_counts(each)))) {
        return best;
    }
    let has_draw = root.proof != 0 || root.half_proofs & AT_LEAST_DRAWN != 0;
    let is_useless = |sum: &RootSum| has_draw && sum.half_proofs & AT_LEAST_DRAWN != 0;
    let open = || all().filter(|(_, sum)| sum.proof == 0 && !is_useless(sum));
    let most = open().max_by_key(by_counts);
    let q = |sum: &RootSum| {
        let (n, points) = sum.stats.counts();
        (points << 16) / (2 * n)
    };
    let is_much_better = |sum: &RootSum, most: &RootSum| {
        let n = sum.stats.counts().0;
        n >= 1 << 20 && 16 * n >= most.stats.counts().0 && q(sum) >= q(most) + (1 << 11)
    };
    let better = open().filter(|(_, sum)| most.is_some_and(|(_, most)| is_much_better(sum, most)));
    let chosen = better.max_by_key(|each| (q(each.1), by_counts(each))).or(most);
    let is_good = |sum: &RootSum| {
        let (n, points) = sum.stats.counts();
        points >= n
    };
    if let Some((best, _)) = chosen.filter(|(_, sum)| is_good(sum)) {
        return best;
    }
    let drawn_open = open().filter(|(_, sum)| sum.half_proofs & AT_MOST_DRAWN != 0).max_by_key(by_counts);
    let draws = || all().filter(|(_, sum)| is(sum, Outcome::Draw));
    let drawn = draws().max_by_key(|each| (plies(each.1), by_counts(each)));
    let losses = all().filter(|(_, sum)| is(sum, turn.opponent().wins()));
    let lost = losses.max_by_key(|each| (plies(each.1), by_counts(each)));
    let useless = all().filter(|(_, sum)| sum.proof == 0 && is_useless(sum)).max_by_key(by_counts);
    let found = drawn_open.or(drawn).or(chosen).or(lost).or(useless);
    ordinal(found).unwrap_or(NO_ACTION)
}

/// On one adapter: GL compiles so many modules slowly.
fn found_on<'a>(adapter: &Adapter, mistakes: &'a [Mistake]) -> &'a [Mistake] {
    if adapter.info().index == 0 { mistakes } else { &[] }
}

#[test]
fn best_actions_are_those_of_the_specification_and_mistakes_show() {
    let game = Connect4::default();
    each_adapter(|adapter| {
        let device = device(adapter);
        let rig = Rig::new(&device, &game, (Variant::OCP_PRODIGAL, Semantics::Whole), 1, Schedule::Staged);
        let setting = Setting { trees_per_position: 1, first_tree: 0, capacity: 8, ucb_c: 1.0, seed: 2 };
        let (mut rows, _) = rig.start(setting, &vec![Position::start(&game); 2000]);
        ["seed", "reset"].into_iter().for_each(|kernel| rows.twin(kernel));
        let mut random = Pcg64::seed_from_u64(5);
        rows.root_sums = (0..2000).flat_map(|_| random_row(&mut random, Player::First)).collect();
        let mistakes = found_on(adapter, &OF_BEST_ACTIONS);
        let expected = check_mistakes(&rig, &rows, ("reduce_over_actions", [2000, 1, 1]), mistakes);
        for (row, best) in expected.root_sums.chunks(8).zip(&expected.best) {
            assert_eq!(best.ordinal, best_of_row(Player::First, row), "{row:?}");
        }
    });
}

const OF_BEST_ACTIONS: [Mistake; 8] = [
    ("a q is never much greater", "«PROVES && are_open && are_enough ⇒ false»"),
    ("one that is as good is much better", "sum_q(most)« + Q_MARGIN ⇒ »"),
    ("few playouts are enough", "vec2<u32>(«LEAST_PLAYOUTS,  ⇒ »0u)"),
    ("far fewer playouts are enough", "«u64_shl(n, TIMES_BITS), most.stats.xy ⇒ n, vec2<u32>(0u)»"),
    ("of two that are much better the worse", "select(«a, b ⇒ b, a», a_q < b_q)"),
    ("what can only draw is as good as another", "select(OPEN_RANK, 0u, «is_drawn ⇒ false»"),
    ("a tree's proof of the root says nothing", "«root.proof != 0u || ⇒ »"),
    ("only whole proofs are draws", "«(sum.half_proofs & AT_MOST_DRAWN) != 0u ⇒ false»);"),
];

/// Proofs of roots and their children, in several trees each.
#[test]
fn sums_over_trees_have_their_proofs_and_mistakes_show() {
    let game = blind_connect4(4, 5);
    let mut games = RandomGames::new(&game, 19);
    let positions: Vec<_> = (0..16).map(|number| games.before_a_draw(8 + number % 6)).collect();
    each_adapter(|adapter| {
        let device = device(adapter);
        let rig = Rig::new(&device, &game, (Variant::OCP_PRODIGAL, Semantics::Whole), 1, Schedule::Staged);
        let setting = Setting { trees_per_position: 3, first_tree: 0, capacity: 2000, ucb_c: 0.7, seed: 2 };
        let (mut trees, _) = rig.begin(setting, &positions);
        trees.step(250);
        let kernel = ("reduce_over_trees", [game.max_actions() + 1, 16, 1]);
        check_mistakes(&rig, &trees, kernel, found_on(adapter, &OF_SUMS));
    });
}

const OF_SUMS: [Mistake; 3] = [
    ("the root's proof is lost", "root_sums[row + MAX_ACTIONS]« = sum ⇒ .stats = sum.stats»;"),
    ("draws at the least are lost", "half.«x |= ⇒ y |= 0u * »"),
    ("draws at the most are lost", "half.«z |= ⇒ w |= 0u * »"),
];
