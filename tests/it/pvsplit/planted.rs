//! The table of positions, the lists of the last plies, and the test for a legal square: scores show mistakes in them.

use super::{go, play_random, scores, start};
use crate::support::prelude::*;
use mcts_wgpu::pvsplit::{
    Connect4Board, DeviceBoard, GoBoard, OthelloBoard, PvSplit, SplitSizes, sequential,
};

/// Workers of more than one workgroup, and no tree for the host.
fn sizes(table: Option<u32>) -> SplitSizes {
    SplitSizes { workers: Some(256), host_nodes: Some(0), table }
}

/// Positions of a game, to be searched to this depth.
struct Boards<B>(Vec<B>, u32);

impl<B: DeviceBoard> Boards<B> {
    fn new(count: u64, plies: usize, depth: u32, start: impl Fn() -> B) -> Self {
        let board = |seed| {
            let mut board = start();
            play_random(&mut board, plies, &mut Pcg64::seed_from_u64(seed));
            board
        };
        Self((0..count).map(board).collect(), depth)
    }

    /// The number of positions with other scores on the device than on one core.
    fn wrong(&self, device: &Device, sizes: SplitSizes) -> usize {
        let Self(boards, depth) = self;
        let limit = SplitLimit::depth(*depth);
        let mut split = block_on(PvSplit::sized(device, &boards[0], *depth, sizes)).expect("it compiles");
        let differs = |board: &&B| {
            let (found, expected) = (split.run(board, limit).unwrap(), sequential(*board, limit).unwrap());
            // If the position is solved, either search may have seen it earlier.
            scores(&found).iter().zip(scores(&expected)).any(|(&a, b)| a != b)
                || found.score() != expected.score()
        };
        boards.iter().filter(differs).count()
    }
}

/// Small boards on which captures, kos and passes are many.
fn of_go() -> [Boards<GoBoard>; 3] {
    let boards = |size, count, plies, depth| Boards::new(count, plies, depth, || start(&go(size)));
    [boards(3, 40, 3, 12), boards(4, 12, 9, 8), boards(5, 4, 12, 7)]
}

fn is_wrong_in_go(device: &Device, sizes: SplitSizes) -> bool {
    of_go().iter().any(|boards| boards.wrong(device, sizes) > 0)
}

/// Each mistake, after its name, makes scores wrong.
fn assert_all_show(devices: &Devices, mistakes: &[(&str, &str)], is_wrong: impl Fn(&Device) -> bool) {
    for (what, mistake) in mistakes {
        let [from, to] = sides(mistake);
        assert!(is_wrong(&devices.all[0].with_mistake(&from, &to)), "{what}");
    }
}

/// A table of two entries forgets nearly everything, one of 64 much, and all workers write to both. Other tests have
/// tables of the usual size.
#[test]
fn no_table_changes_a_score_however_small() {
    let devices = Devices::open();
    let device = &devices.all[0];
    let othello = Boards::<OthelloBoard>::new(4, 20, 6, || start(&Othello));
    let connect4 = Boards::<Connect4Board>::new(6, 8, 10, || start(&Connect4::default()));
    for table in [Some(2), Some(64)] {
        assert!(!is_wrong_in_go(device, sizes(table)), "{table:?}");
        assert_eq!(othello.wrong(device, sizes(table)), 0, "{table:?}");
        assert_eq!(connect4.wrong(device, sizes(table)), 0, "{table:?}");
    }
}

#[test]
#[ignore = "planted mistakes: .ci/run mutations"]
fn mistakes_in_the_table_change_scores() {
    let devices = Devices::open();
    let key = "table_mix(vec2<u32>(0u, side), board_aux)";
    let mistakes = [
        ("ko and passes are not in the key", None, key, "table_mix(vec2<u32>(0u, side), 0u)"),
        ("the side is not in the key", None, key, "table_mix(vec2<u32>(0u), board_aux)"),
        ("any depth will do", None, "((data.y >> TABLE_LEFT) & 0xffu) == left", "left != 0u"),
        ("a bound is taken for another", None, "&& known.bound != AT_MOST", ""),
        ("the key is not looked at", Some(64), "any(entry != table_entry(key, data)) ||", ""),
    ];
    for (what, table, from, to) in mistakes {
        assert!(is_wrong_in_go(&devices.all[0].with_mistake(from, to), sizes(table)), "{what}");
    }
}

/// Entries written in part by each of two workers: an entry without its value, which is the older entry's.
#[test]
fn entries_that_were_written_in_part_are_not_believed() {
    let devices = Devices::open();
    let text = include_str!("../../../shaders/pvsplit/table.wgsl");
    let (store, seal) =
        ("table[at] = table_entry(key, data);", "key ^ table_mix(table_mix(vec2<u32>(0u), data.x), data.y)");
    let part = "let value = select(data.x, table[at].z, (key.y & 1u) != 0u);
        table[at] = vec4<u32>(table_entry(key, data).xy, value, data.y);";
    let torn = devices.all[0].with_mistake(store, part);
    for table in [Some(64), None] {
        assert!(!is_wrong_in_go(&torn, sizes(table)), "{table:?}");
    }
    // Both are in one part of the text, which is replaced as a whole.
    let from = &text[text.find(store).expect("it stores")..];
    let from = &from[..from.find(seal).expect("it seals") + seal.len()];
    let to = from.replace(store, part).replace(seal, "key");
    assert!(is_wrong_in_go(&devices.all[0].with_mistake(from, &to), sizes(None)), "a plain key will do");
}

#[test]
#[ignore = "planted mistakes: .ci/run mutations"]
fn mistakes_at_a_glance_change_scores() {
    let devices = Devices::open();
    let mistakes = [
        ("captures gain nothing", "«points |= captures; ⇒ »"),
        ("any empty neighbour is left to the reply", "let left = here.vacant« & here.wide ⇒ »;"),
        ("the only best reply can't be taken", "«points |= go_bit(survey.reply_point, word); ⇒ »"),
        ("own stones cost nothing", "go_level(walls, « ⇒ 0u * »near_own)"),
        ("tight points are nothing", "«found.tight || (here.vacant & ~here.open) != 0u ⇒ false»"),
    ];
    assert_all_show(&devices, &mistakes, |device| is_wrong_in_go(device, sizes(None)));
}

/// End games of Othello, in which sides have to pass, and games end with empty squares.
#[test]
fn scores_tell_of_mistakes_in_legal_squares() {
    let devices = Devices::open();
    let end_games = Boards::<OthelloBoard>::new(300, 54, 12, || start(&Othello));
    assert_eq!(end_games.wrong(&devices.all[0], sizes(None)), 0);
    let mistakes = [
        ("long lines turn nothing", "turned < «6u ⇒ 1u»"),
        ("one diagonal is left out", "let by = vec4<u32>(1u, 7u, 8u, «9u ⇒ 8u»)[k];"),
        ("lines go up alone", "othello_left(up, by)« | othello_right(down, by) ⇒ »"),
        ("the game ends with the first pass", "«othello_can_move(other, own) ⇒ false»"),
        ("the side that passes is asked", "othello_can_move(«other, own ⇒ own, other»)"),
    ];
    assert_all_show(&devices, tried(&mistakes), |device| end_games.wrong(device, sizes(None)) > 0);
}
