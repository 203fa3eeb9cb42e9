//! What networks see of the games.

use mcts_wgpu::{Game, Planes, Player, Position, games::Connect4, internals::exact::rng::Stream};

/// The planes of a board, each as its rows: `1` where the bit is set.
fn planes<G: Game>(game: &G, rows: &[&str], turn: Player) -> Vec<Vec<String>> {
    let state = game.parse_board(rows).expect("a board of the game");
    let Planes { rows, columns, count } = game.planes().expect("the game has planes");
    let sign = |plane, cell| {
        if game.cell_planes(&state, turn, cell) >> plane & 1 == 1 { '1' } else { '.' }
    };
    let row = |plane, row| (0..columns).map(|column| sign(plane, row * columns + column)).collect();
    (0..count).map(|plane| (0..rows).map(|place| row(plane, place)).collect()).collect()
}

/// The first four planes of every position of some random games, against the board as text.
fn assert_stones_are_seen<G: Game>(game: &G, games: u64) {
    let planes = game.planes().expect("the game has planes");
    for seed in 0..games {
        let (mut position, mut stream) = (Position::start(game), Stream::seeded(seed));
        while position.outcome().is_none() {
            let turn = position.turn();
            let rows = game.board_rows(position.state());
            let [own, theirs] = if turn == Player::First { ['X', 'O'] } else { ['O', 'X'] };
            let seen = |symbol| u32::from(symbol == own) + 2 * u32::from(symbol == theirs);
            let ones = 4 + 8 * u32::from(turn == Player::First);
            let expected: Vec<_> = rows.iter().flat_map(|row| row.chars()).map(|c| seen(c) + ones).collect();
            let found = (0..planes.cells()).map(|cell| game.cell_planes(position.state(), turn, cell));
            let found: Vec<_> = found.map(|bits| bits & 15).collect();
            assert_eq!((rows.len() as u32, found), (planes.rows, expected), "at\n{position}");
            let legal = position.legal_actions();
            position.play(legal[stream.pick(legal.len() as u32) as usize]).expect("a legal action");
        }
    }
}

#[test]
fn stones_are_seen_by_the_player_to_move() {
    super::conformance::connect4_games().iter().for_each(|game| assert_stones_are_seen(game, 5));
}

#[test]
fn planes_of_connect4() {
    let game = Connect4::new(4, 5).expect("a stand");
    let rows = [".....", "O....", "XO...", "XOX.."];
    let ones = ["11111"; 4];
    let [first, second] = [[".....", ".....", "1....", "1.1.."], [".....", "1....", ".1...", ".1..."]];
    assert_eq!(planes(&game, &rows, Player::First), [first, second, ones, ones]);
    assert_eq!(planes(&game, &rows, Player::Second), [second, first, ones, ["....."; 4]]);
}
