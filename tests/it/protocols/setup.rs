//! Handicaps, boards, rules and clocks set by a controller, and its queries.

use super::{answers, go, last, list};
use crate::support::prelude::*;

/// The points of GTP's specification, section 4.1.1.
#[test]
fn fixed_handicaps_have_their_points() {
    for (size, count, points) in [
        (19, 2, "D4 Q16"),
        (19, 3, "D4 Q16 D16"),
        (19, 4, "D4 Q16 D16 Q4"),
        (19, 5, "D4 Q16 D16 Q4 K10"),
        (19, 6, "D4 Q16 D16 Q4 D10 Q10"),
        (19, 7, "D4 Q16 D16 Q4 D10 Q10 K10"),
        (19, 8, "D4 Q16 D16 Q4 D10 Q10 K4 K16"),
        (19, 9, "D4 Q16 D16 Q4 D10 Q10 K4 K16 K10"),
        (13, 9, "D4 K10 D10 K4 D7 K7 G4 G10 G7"),
        (12, 4, "C3 K10 C10 K3"),
        (9, 5, "C3 G7 C7 G3 E5"),
        (8, 4, "C3 F6 C6 F3"),
        (7, 4, "C3 E5 C5 E3"),
    ] {
        let asked = format!("fixed_handicap {count}");
        assert_eq!(last(go(size), &[&asked]), format!("= {points}"), "{size}");
        let on = list("showboard; list_stones b; list_stones w; undo; list_stones b");
        let after = answers(go(size), &[&[&*asked][..], &on].concat());
        assert!(after[1].ends_with("\nO to move"), "{after:?}");
        assert_eq!(after[2].split(' ').count(), 1 + count, "{after:?}");
        assert_eq!(after[3..], ["=", "=", "="]);
    }
    let counts = [(19, "10"), (18, "5"), (7, "5"), (6, "2"), (9, "1"), (9, "0"), (9, "-1"), (9, "x")];
    for (size, count) in counts {
        let refused = last(go(size), &[&format!("fixed_handicap {count}")]);
        assert!(refused.starts_with("? invalid number of stones: "), "{size} {count}: {refused}");
    }
    let refused = last(go(9), &["play b D4", "undo", "play b E5", "fixed_handicap 2"]);
    assert_eq!(refused, "? board not empty");
    assert!(last(Gomoku::default(), &["fixed_handicap 2"]).starts_with("? this is Gomoku"));
}

#[test]
fn free_handicaps_are_placed_by_either_side() {
    for (size, asked, placed) in [(9, 3, 3), (8, 6, 6), (5, 2, 2), (3, 4, 4), (9, 81, 9)] {
        let all = answers(go(size), &[&format!("place_free_handicap {asked}"), "list_stones b", "showboard"]);
        let mut points: Vec<&str> = all[0].split(' ').skip(1).collect();
        points.sort_unstable();
        points.dedup();
        assert_eq!(points.len(), placed, "{all:?}");
        assert_eq!(all[1].split(' ').count(), 1 + placed, "{all:?}");
        assert!(all[2].ends_with("\nO to move"), "{all:?}");
    }
    let set = list("set_free_handicap A1 J9 E5; list_stones b; genmove w; undo; undo; list_stones b");
    let set = answers(go(9), &set);
    assert_eq!(set[..2], ["=", "= A1 E5 J9"]);
    assert!(set[2].len() > 3 && set[5] == "=", "{set:?}");
    for (vertices, why) in [
        ("A1", "give two or more"),
        ("", "give two or more"),
        ("A1 A1", "A1 is given twice"),
        ("A1 pass", "pass is not a point"),
        ("A1 K1", "K1 is not a point"),
    ] {
        let refused = last(go(9), &[&format!("set_free_handicap {vertices}")]);
        assert!(
            refused.starts_with("? bad vertex list: ") && refused.ends_with(why),
            "{vertices}: {refused}"
        );
    }
    assert_eq!(last(go(2), &["set_free_handicap A1 A2 B1 B2"]), "? bad vertex list: no point is left");
}

#[test]
fn boards_are_set_by_their_stones() {
    let set = "play b A1; set_position b D4 W E5 black C3; list_stones b; list_stones w; showboard; undo";
    let all = answers(go(9), &list(set));
    assert_eq!(all[1..4], ["=", "= C3 D4", "= E5"]);
    assert!(all[4].ends_with("\nX to move") && all[5] == "? cannot undo", "{all:?}");
    for (stones, why) in [
        ("b D4 w", "? syntax error: the last colour has no vertex"),
        ("x D4", "? syntax error: a colour is b or w"),
        ("b K1", "? invalid vertex: K1 is not a point of this board"),
        ("b pass", "? invalid vertex: pass is not a point of this board"),
        ("b D4 w D4", "? invalid position: D4 is given twice"),
        ("b A1 w A2 w B1", "? invalid position: "),
    ] {
        let refused = answers(go(9), &["play b A1", &format!("set_position {stones}"), "list_stones b"]);
        assert!(refused[1].starts_with(why), "{stones}: {refused:?}");
        assert_eq!(refused[2], "= A1");
    }
    assert_eq!(last(go(9), &["play b A1", "set_position", "list_stones b"]), "=");
    assert_eq!(last(Gomoku::default(), &["set_position b J9 w K15", "list_stones w"]), "= K15");
    assert_eq!(last(Othello, &["list_stones b"]), "= E4 D5");
    let no_points = last(Connect4::default(), &["list_stones b"]);
    assert_eq!(no_points, "? Connect4 has no names of points");
}

#[test]
fn sizes_komi_and_rules_are_answered() {
    let asked = "query_boardsize; get_komi; boardsize 13; komi 0; query_boardsize; get_komi; kata-get-rules";
    let all = answers(go(9), &list(asked));
    assert_eq!(all[..6], ["= 9", "= 7.5", "=", "=", "= 13", "= 0"]);
    assert_has(&all[6], &["\"ko\":\"SIMPLE\"", "\"suicide\":false"]);
    for (command, ko) in [
        ("kgs-rules chinese", "POSITIONAL"),
        ("kata-set-rules chinese-ogs", "POSITIONAL"),
        ("kata-set-rules Chinese", "SIMPLE"),
    ] {
        let asked = format!("play b D4; play w E5; {command}; kata-get-rules; undo; list_stones b");
        let all = answers(go(9), &list(&asked));
        assert_has(&all[3], &[&format!("\"ko\":\"{ko}\"")]);
        assert_eq!([&all[2], &all[5]], ["=", "= D4"], "{command}");
    }
    for rules in ["kgs-rules japanese", "kgs-rules aga", "kata-set-rules tromp-taylor", "kata-set-rules {}"] {
        assert!(last(go(9), &[rules]).contains("is not supported: choose one of chinese, "), "{rules}");
    }
    for command in ["get_komi", "kata-get-rules", "kata-set-rules chinese"] {
        assert!(last(Othello, &[command]).starts_with("? this is Othello"), "{command}");
    }
}

#[test]
fn clocks_of_kgs_are_set() {
    for times in ["none", "absolute 300", "byoyomi 30 10 5", "byoyomi 30 0 0", "canadian 30 60 25"] {
        let set = format!("kgs-time_settings {times}");
        let all = answers(go(5), &[&set, "time_left b 10 5", "genmove b", "time_left w 0 1", "genmove w"]);
        assert!(all.iter().all(|answer| answer.starts_with('=')), "{times}: {all:?}");
    }
    for times in ["byoyomi 30 10", "sudden 3", "absolute x", ""] {
        let refused = last(go(5), &[&format!("kgs-time_settings {times}")]);
        assert!(refused.starts_with("? syntax error"), "{times}: {refused}");
    }
}

/// The types of analysis that GoGui shows.
#[test]
fn searches_are_shown_on_boards() {
    let listed = last(go(5), &["gogui-analyze_commands"]);
    assert_eq!(listed.lines().count(), 4);
    for line in listed.trim_start_matches("= ").lines() {
        let line: Vec<&str> = line.split('/').collect();
        let answer = last(go(5), &["play b C3", "play w B2", line[2]]);
        let words: Vec<&str> = answer.split_whitespace().skip(1).collect();
        match line[0] {
            "pspairs" => assert!(words.len().is_multiple_of(2) && words.len() > 2, "{line:?}: {answer}"),
            "var" => assert!(!words.is_empty(), "{line:?}: {answer}"),
            "dboard" => {
                let shares: Vec<f64> = words.iter().map(|word| word.parse().expect("a number")).collect();
                assert!(shares.len() == 25 && shares[12] > shares[16], "{line:?}: {answer}");
            }
            _ => panic!("{line:?}"),
        }
        assert_eq!(last(go(5), &[&format!("known_command {}", line[2])]), "= true");
    }
    assert_eq!(last(Othello, &["gogui-analyze_commands"]).lines().count(), 3);
}

/// A printed record is loaded as the same game.
#[test]
fn games_are_printed_as_records() {
    let file = fresh("protocols-printed.sgf");
    let game = list(
        "komi 0.5; fixed_handicap 2; play w E5; play w E4; play b pass; play b pass; play b A1; \
        play w pass; play b pass; genmove w",
    );
    let printed = last(go(9), &[&game[..], &["printsgf"]].concat());
    let moves = "AB[cg][gc]PL[W]\n;W[ee]\n;W[ef]\n;B[]\n;B[]\n;B[ai]\n;W[]\n;B[]\n;W[])";
    assert!(printed.contains("SZ[9]KM[0.5]") && printed.ends_with(moves), "{printed}");
    let written = answers(go(9), &[&game[..9], &[&format!("printsgf {file}"), "showboard"]].concat());
    let read = answers(go(13), &[&format!("loadsgf {file}"), "showboard", "get_komi"]);
    assert_eq!((written[9].as_str(), &written[10], "= 0.5"), ("=", &read[1], read[2].as_str()));
    let refused = last(go(9), &["printsgf /no/such/folder/a.sgf"]);
    assert!(refused.starts_with("? cannot write /no/such/folder/a.sgf: "), "{refused}");
    assert_eq!(last(Othello, &["printsgf"]), "? game records are of go");
}
