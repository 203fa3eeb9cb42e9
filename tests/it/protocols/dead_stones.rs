//! Games of Go that end with dead stones on the board.

use super::{answers, brain, last, served};
use crate::support::prelude::*;
use mcts_wgpu::{contest::DeadStones, protocols::GtpServer};

fn go() -> Go {
    go_of(7, -3.5)
}

/// White's stones at A6 and B6 can't live, nor can Black's at G1. Black has 23 points and White 26 without them; as the
/// board stands it is 20 and 24.
const ROWS: [&str; 7] = ["..XXO.O", "OOXXOOO", "XXXOO.O", "XXXO.OO", ".XXOOO.", "X.XOO..", "XXXO.OX"];

fn board() -> Position<Go> {
    position_of(&go(), &ROWS, Player::First)
}

/// The command that sets the board up.
fn set_up() -> String {
    let mut command = "set_position".to_owned();
    for (row, number) in ROWS.iter().zip((1..=7).rev()) {
        for (symbol, letter) in row.chars().zip("ABCDEFG".chars()).filter(|stone| stone.0 != '.') {
            let colour = if symbol == 'X' { "b" } else { "w" };
            command += &format!(" {colour} {letter}{number}");
        }
    }
    command
}

#[test]
fn dead_chains_are_found_whole_on_every_engine() {
    let point = |name| go().parse_action(name).expect("a point");
    let dead = vec![vec![point("G1")], vec![point("A6"), point("B6")]];
    let find = |engine: &Engine| DeadStones::new(engine).chains(&board()).expect("the playouts are played");
    assert_eq!(find(&Engine::cpu()), dead);
    for engine in &Devices::open().engines {
        assert_eq!(find(engine), dead, "{:?}", engine.info());
    }
}

/// The player who plays at C1 or C3 loses all stones there.
#[test]
fn stones_in_a_seki_live() {
    let rows = ["XXXXX", "XOOOX", "XO.OX", "XOXXX", "XO.XX"];
    let board = position_of(&go_of(5, 0.5), &rows, Player::First);
    let found = DeadStones::new(&Engine::cpu()).chains(&board).expect("playouts");
    assert_eq!(found, [[0; 0]; 0]);
}

#[test]
fn finished_games_are_scored_without_them() {
    let set_up = set_up();
    let over = [set_up.as_str(), "play b pass", "play w pass"];
    let scored = answers(go(), &[&over[..], &["final_score", "final_status_list dead"]].concat());
    assert_eq!(scored[3..], ["= B+0.5", "= G1\nA6 B6"]);
    let alive = last(go(), &[&over[..], &["final_status_list alive"]].concat());
    assert!(!alive.contains("A6") && !alive.contains("G1") && alive.contains("C7"), "{alive}");
    assert_eq!(last(go(), &[&over[..], &["final_status_list seki"]].concat()), "=");
    let refused = last(go(), &[&over[..], &["final_status_list black"]].concat());
    assert_eq!(refused, "? syntax error: black is neither alive, seki nor dead");
    let unfinished = last(go(), &[set_up.as_str(), "final_score"]);
    assert_eq!(unfinished, "= W+0.5");
    let alone = GtpServer::new(go(), brain().with_dead_stones(false));
    let as_it_stands = served(alone, format!("{}\nfinal_score\n", over.join("\n")));
    assert!(as_it_stands.ends_with("= W+0.5\n\n"), "{as_it_stands:?}");
}

/// Black has passed. White wins on the board as it stands, but A1 is dead: a pass is White's only move all the same, and
/// needs no search.
#[test]
fn an_only_move_needs_no_search_beside_dead_stones() {
    let set_up = "set_position w A1 b B1 b C1 b B2 b C2 b A3 b B3";
    let go = || go_of(3, 7.5);
    let passed = [set_up, "play b pass", "lz-genmove_analyze w 1"];
    assert_eq!(last(go(), &passed), "=\nplay pass");
    let scores = answers(go(), &[&passed[..], &["final_score", "final_status_list dead"]].concat());
    assert_eq!(scores[3..], ["= B+1.5", "= A1"]);
}

/// A pass that wins only without the dead stones is not played: the opponent could play on. A side that cleans up
/// captures them.
#[test]
fn passes_are_made_only_when_safe() {
    let set_up = set_up();
    let asked = [set_up.as_str(), "play b pass", "reg_genmove w"];
    let as_it_stands = served(GtpServer::new(go(), brain().with_dead_stones(false)), asked.join("\n"));
    assert!(as_it_stands.ends_with("= pass\n\n"));
    assert_ne!(last(go(), &asked), "= pass");
    let cleaned = answers(go(), &[set_up.as_str(), "play b pass", "play w pass", "kgs-genmove_cleanup b"]);
    assert!(cleaned[3].starts_with("= ") && cleaned[3] != "= pass", "{cleaned:?}");
}
