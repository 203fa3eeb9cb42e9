//! Games side by side against the same games one by one.

use crate::support::prelude::*;
use fearless_simd::Level;
use mcts_wgpu::internals::{
    forest::layout::ROOT_HEADER,
    reference::{
        self, TreeView,
        fingerprint::fingerprint,
        lanes::{self, Ended, LANES},
        playout,
        rollout::{Rules, Tally, play, rollout, stream},
        seed::seed,
    },
    rules::{Plies, SideBySide},
};

/// Every instruction set of this machine.
fn levels() -> Vec<Level> {
    let best = Level::new();
    let mut levels = vec![best];
    #[cfg(target_arch = "x86_64")]
    {
        levels.extend(best.as_avx2().map(Level::Avx2));
        levels.extend(best.as_sse4_2().map(Level::Sse4_2));
        levels.extend(best.as_sse2().map(Level::Sse2));
    }
    levels
}

/// Games with numbers from 0 on, and their ends.
struct Noted {
    seed: u64,
    ended: Vec<Option<Ended>>,
}

impl Noted {
    fn new(seed: u64, games: usize) -> Self {
        Self { seed, ended: vec![None; games] }
    }
}

impl lanes::Games for Noted {
    fn stream(&mut self, place: usize) -> Option<Stream> {
        (place < self.ended.len()).then(|| stream(self.seed, place as u64))
    }

    fn ended(&mut self, place: usize, game: Ended) {
        assert_eq!(self.ended[place].replace(game), None, "game {place} ended twice");
    }
}

struct Lanes<'a, S>(Level, &'a S, Player, &'a mut Noted);

impl<S> SideBySide<S> for Lanes<'_, S> {
    type Output = ();

    fn one_by_one(self) {
        panic!("the game has no lanes");
    }

    fn side_by_side<const W: usize>(self, plies: &impl Plies<S, W>) {
        lanes::play(self.0, plies, (self.1, self.2), self.3);
    }
}

fn alone<G: Game>(game: &G, state: &G::State, turn: Player, mut stream: Stream) -> Ended {
    let mut playout = game.playout_begin(state, turn);
    for plies in 1.. {
        let count = game.legal_actions_playout(&mut playout);
        if let Some(outcome) = game.take_action_playout(&mut playout, stream.pick(count)) {
            return Ended { stream, plies, outcome, score: game.playout_score(&playout) };
        }
    }
    unreachable!("games end");
}

/// From positions throughout random games, with all instruction sets: outcomes, plies, scores, and the streams
/// afterwards.
fn assert_same_games<G: Game>(game: &G, positions: u32, games: usize) {
    let mut rng = Pcg64Mcg::seed_from_u64(games as u64);
    for number in 0..positions {
        let (state, turn) = random_position(game, number * game.max_plies() / positions, &mut rng);
        let seed = u64::from(number);
        let expected = (0..games as u64).map(|place| Some(alone(game, &state, turn, stream(seed, place))));
        let expected: Vec<_> = expected.collect();
        for level in levels() {
            let mut noted = Noted::new(seed, games);
            game.playouts_by(Lanes(level, &state, turn, &mut noted));
            assert!(noted.ended == expected, "{:?} from {state:?}, {turn:?}, {level:?}", game.rules());
        }
    }
}

#[test]
fn lanes_play_connect4_on_all_stands_as_single_games_do() {
    assert_same_games(&Connect4::default(), 12, 400);
    for rows in 1..=31 {
        for columns in (1..=16).filter(|columns| (rows + 1) * columns <= 64) {
            if let Ok(game) = Connect4::new(rows, columns) {
                assert_same_games(&game, 3, 40);
            }
        }
    }
}

#[test]
fn lanes_play_tactical_connect4_as_single_games_do() {
    for columns in [1, 4, 7, 9] {
        let game = Connect4::new(6, columns).and_then(|game| game.with_policy("tactical"));
        assert_same_games(&game.expect("a stand, and a policy of Connect 4"), 12, 200);
    }
}

#[test]
fn lanes_play_othello_as_single_games_do() {
    assert_same_games(&Othello, 30, 300);
}

/// Black has to pass at once, and White, who takes the only black disc, ends the game.
#[test]
fn lanes_pass_and_end_where_nobody_can_place_a_disc() {
    let rows =
        ["OX......", "........", "........", "...OO...", "...OO...", "........", "........", "........"];
    let state = Othello.parse_board(&rows).expect("a board");
    for turn in [Player::First, Player::Second] {
        let expected = alone(&Othello, &state, turn, stream(1, 0));
        assert_eq!(expected.plies, 1 + u32::from(turn == Player::First));
        for level in levels() {
            let mut noted = Noted::new(1, 1);
            Othello.playouts_by(Lanes(level, &state, turn, &mut noted));
            assert_eq!(noted.ended, [Some(expected)]);
        }
    }
}

#[test]
fn lanes_draw_the_exact_ordinal_where_the_likely_one_is_not_sure() {
    // One draw in 2^16 is not: some in these games.
    let game = Connect4::default();
    assert_same_games(&game, 1, 40_000);
}

#[test]
fn rollouts_of_any_number_of_games_equal_single_games() {
    let lanes = LANES as u64;
    for games in [0, 1, lanes - 1, lanes, lanes + 1, 3 * lanes + 5, 1000, 20_001] {
        assert_same_sums(&Connect4::default(), 1 << 20, 7..7 + games);
        assert_same_sums(&Othello, 1 << 20, 1 << 40..(1 << 40) + games / 8);
    }
    for cut in [1, 2, 7, 8, 41, 42, 43, 119, 120, 121] {
        assert_same_sums(&Connect4::default(), cut, 3..303);
        assert_same_sums(&Othello, cut, 3..103);
    }
}

fn assert_same_sums<G: Game>(game: &G, max_moves: u32, games: std::ops::Range<u64>) {
    let rules = Rules {
        game: game.clone(),
        state: game.start(),
        turn: Player::First,
        seed: 9,
        max_moves,
        owners: false,
    };
    let single =
        games.clone().map(|number| play(&rules, number)).fold(Tally::default(), |sum, game| sum + game);
    assert_eq!(rollout(&rules, games.clone()), single, "{} {games:?} {max_moves}", game.name());
    assert_eq!(single.games(), games.end - games.start);
}

/// Steps with 128 playouts, which are played in lanes, and with the same playouts one by one.
fn assert_same_trees<G: Game>(game: &G, variant: Variant, parts: u32) {
    let shape = Shape {
        config: Config { ucb_c: 1.0, seed: 3, ..shape(game, variant, 128).config },
        n_trees: 2,
        trees_per_position: 2,
        capacity: 2000,
        parts,
        ..shape(game, variant, 128)
    };
    let shape = Semantics::Stronger.of(shape);
    let mut forests = [(); 2].map(|()| planted(game, &shape));
    for _ in 0..40 {
        forests[0].for_each_tree(|mut tree| reference::step(game, &shape, &mut tree));
        forests[1].for_each_tree(|mut tree| step_one_by_one(game, &shape, &mut tree));
        let [lanes, single] = &forests;
        assert!(lanes.streams == single.streams, "the streams of {} {}", game.name(), variant.name());
        assert_eq!(fingerprint(lanes), fingerprint(single), "{} {}", game.name(), variant.name());
    }
}

/// Two trees at the start of the game.
fn planted<G: Game>(game: &G, shape: &Shape) -> Forest {
    let mut forest = Forest::new(shape.clone()).expect("the host has room");
    for record in forest.roots.chunks_mut(shape.root_words()) {
        record[0] = Player::First as u32;
        record[1] = Outcome::code(None);
        game.pack(&game.start(), &mut record[ROOT_HEADER as usize..]);
    }
    seed(&mut forest);
    forest.for_each_tree(|mut tree| reference::reset::reset(&mut tree));
    forest
}

fn step_one_by_one<G: Game>(game: &G, shape: &Shape, tree: &mut TreeView<'_>) {
    reference::descend(game, shape, tree);
    for view in tree.reborrow().into_plays() {
        for job in playout::jobs(game, shape, view) {
            assert_eq!(job.play_one_by_one(game, shape.max_plies()), 0);
        }
    }
    reference::back_up(game, shape, tree);
}

#[test]
fn steps_with_lanes_make_the_trees_of_steps_without() {
    for variant in Variant::ALL {
        assert_same_trees(&Connect4::default(), variant, 1);
        assert_same_trees(&Othello, variant, 4);
    }
}
