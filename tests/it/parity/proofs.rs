//! Mistakes in proofs and their inputs: each must change the trees.

use super::*;

const MISTAKES: [Mistake; 5] = [
    ("a win decides nothing", "(rank == «WIN ⇒ 77u» ||"),
    ("open children don't matter", "«(complete && open == 0u) ⇒ complete»"),
    ("plies are not counted", "min(proof_plies(stats[child])« + 1u ⇒ »,"),
    ("the node above a proven one still chooses it", "(*mine).rivals.counts.y |= «PROVEN ⇒ 0u»"),
    (
        "the wrong one of two wins",
        "(«proof_tie(action) ⇒ (1023u - proof_tie(action))» << COUNT_BITS) | ordinal",
    ),
];

/// In solved outcomes.
const OF_FORESIGHT: [Mistake; 4] = [
    ("plies are forgotten", "PROVEN« | (known_plies(known) << PLIES_SHIFT) ⇒ »"),
    (
        "the later of two wins",
        "let plies = «(MOST_PLIES - known_plies(known)) ⇒ known_plies(known)» << WON_PLIES_SHIFT;",
    ),
    ("a foreseen win proves a win at once", "«min(won_plies(ends) + 1u, MOST_PLIES) ⇒ 1u»"),
    ("nothing is foreseen", "if « ⇒ !»SOLVES && outcome == ONGOING"),
];

/// In pruning.
pub const OF_PRUNING: [Mistake; 3] = [
    ("the least is kept", "«firstLeadingBit ⇒ firstTrailingBit»(max(urgencies, 1u))"),
    ("nothing is said to be left out", "most «< FORCING_URGENCY ⇒ > MAX_URGENCY» && urgencies"),
    ("more is said to be left out", "most «< FORCING_URGENCY ⇒ <= MAX_URGENCY» && urgencies"),
];

/// In parts that only fused steps have, or only steps with separate playouts.
const OF_WHOLE_STEPS: [Mistake; 2] = [
    ("other proofs don't matter", "(has_path_lanes && ends >= WON« && has_plain_rival(rivals) ⇒ »)"),
    ("draws and losses are forgotten", "let is_done = ends «== 0u ⇒ <= ENDED» ||"),
];
const OF_STEPS_APART: [Mistake; 2] = [
    ("other proofs don't matter", "return wins_at_once« && has_plain_rival(mine.rivals) ⇒ »;"),
    ("draws and losses are forgotten", "select(0u, TREE_ENDED, ends «!= 0u ⇒ > ENDED»)"),
];

/// Positions this many plies before the end of random games.
fn positions<G: Game>(game: &G) -> Vec<Position<G>> {
    let mut player = RandomGames::new(game, 9);
    let mut positions = vec![player.forced_draw(4), player.forced_draw(5)];
    positions.extend((2..8).map(|plies| player.before_a_win(plies)));
    positions
}

#[test]
fn mistakes_in_proofs_of_whole_steps_show() {
    check(&blind_connect4(4, 5), Variant::OCP_PRODIGAL, &[&MISTAKES[..], &OF_WHOLE_STEPS].concat());
}

#[test]
fn mistakes_in_proofs_of_steps_apart_show() {
    check(&blind_connect4(4, 5), Variant::ACP_PRODIGAL, &[&MISTAKES[..], &OF_STEPS_APART].concat());
}

#[test]
fn mistakes_in_foresight_show() {
    let game = connect4_of(4, 5);
    for variant in [Variant::OCP_PRODIGAL, Variant::ACP_PRODIGAL] {
        check(&game, variant, &OF_FORESIGHT);
    }
}

/// By fused steps with few children, and by steps with separate playouts with many.
#[test]
fn mistakes_in_pruning_show() {
    on_the_first_adapter(|adapter| {
        let device = device(adapter);
        check_pruning(&device, &blind_connect4(4, 5), Variant::OCP_PRODIGAL, &OF_PRUNING[..1]);
        let gomoku = gomoku_of(6);
        check_pruning(&device, &gomoku, Variant::ACP_PRODIGAL, &OF_PRUNING);
    });
}

fn check_pruning<G: Game>(device: &Device, game: &G, variant: Variant, mistakes: &[Mistake]) {
    let setting = Setting { trees_per_position: 2, first_tree: 0, capacity: 3000, ucb_c: 0.3, seed: 2 };
    let rig = Rig::new(device, game, (variant, Semantics::Stronger), 4, Schedule::Fused);
    let mut player = RandomGames::new(game, 9);
    let roots: Vec<_> = (2..8).map(|plies| player.before_a_win(plies)).collect();
    let (trees, on_device) = rig.begin(setting, &roots);
    let steps = Steps::of(trees, 40);
    steps.assert_same(&rig, &on_device, Schedule::Fused);
    steps.assert_found(&rig, Schedule::Fused, mistakes);
}

fn check<G: Game>(game: &G, variant: Variant, mistakes: &[Mistake]) {
    on_the_first_adapter(|adapter| {
        let device = device(adapter);
        let setting = Setting { trees_per_position: 2, first_tree: 0, capacity: 3000, ucb_c: 1.0, seed: 2 };
        let rig = Rig::new(&device, game, (variant, Semantics::Whole), 4, Schedule::Fused);
        let (trees, on_device) = rig.begin(setting, &positions(game));
        let steps = Steps::of(trees, 80);
        let resting = steps.after.forest.trees.iter().filter(|tree| tree.root_is_proven()).count();
        assert!(resting > 4, "{resting}");
        steps.assert_same(&rig, &on_device, Schedule::Fused);
        steps.assert_found(&rig, Schedule::Fused, mistakes);
    });
}
