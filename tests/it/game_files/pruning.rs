//! `action_urgency` in a game file: trees leave actions out, the rules do not.

use super::{HEAP, changed, game, searched, small, with_lines};
use crate::support::prelude::*;
use mcts_wgpu::conformance::FileCheck;

/// Only actions that leave a multiple of four are urgent. From a multiple of four there are none.
const WORTH: &str = "
fn action_urgency(state: ptr<function, State>, turn: u32, action: u32) -> u32 {
    return u32(((*state)[0] - action - 1u) % 4u == 0u);
}
";

fn indexes(report: &Report) -> Vec<u32> {
    report.actions.iter().map(|action| action.index).collect()
}

/// As many actions as a word has bits, or more, of which the others are never legal.
fn texts() -> [String; 2] {
    let few = format!("{HEAP}{WORTH}");
    let many = changed(&few, "max_actions = 3", "max_actions = 40");
    [changed(&many, "action < (*state)[0]", "action < min((*state)[0], 3u)"), few]
}

#[test]
fn trees_have_the_most_urgent_actions() {
    each_adapter(|adapter| {
        let engine = opened(adapter);
        for text in cases(adapter, &texts()) {
            let (pruned, whole) =
                (game(&engine, text), game(&engine, &changed(text, "fn action_urgency", "fn worth")));
            let by_its_former_name = game(&engine, &changed(text, "fn action_urgency", "fn action_worth"));
            let start = Position::start(&pruned);
            let [some, all] =
                [&start, &Position::start(&whole)].map(|start| perft(start, 3).expect("leaves"));
            assert_eq!(some, all);
            for &variant in cases(adapter, &Variant::ALL) {
                let mut known: Option<(Vec<u32>, String)> = None;
                for &schedule in cases(adapter, &SCHEDULES) {
                    let config = small(variant, schedule);
                    let report = searched(&engine, &pruned, config, 30).expect("a search");
                    assert_eq!(indexes(&report), [0, 1, 2]);
                    let off = Config { pruning: false, ..config };
                    let fingerprint =
                        |game, config| searched(&engine, game, config, 30).expect("a search").fingerprint;
                    assert_eq!(fingerprint(&pruned, off), fingerprint(&whole, config));
                    assert_ne!(report.fingerprint, fingerprint(&whole, config));
                    if variant == Variant::ALL[0] {
                        assert_eq!(report.fingerprint, fingerprint(&by_its_former_name, config));
                    }
                    let seen = (report.trees_info.sizes, report.fingerprint);
                    assert_eq!(known.get_or_insert_with(|| seen.clone()), &seen, "{variant} {schedule}");
                    let after = position_after(&pruned, &["0"]);
                    let mut search = search_on(&engine, pruned.clone(), config);
                    assert_eq!(indexes(&search.run(&after, Budget::steps(9)).expect("a report")), [2]);
                    assert_eq!(after.legal_actions(), [0, 1, 2]);
                }
            }
        }
    });
}

#[test]
fn the_rules_have_urgencies() {
    each_adapter(|adapter| {
        let game = game(&opened(adapter), &texts()[1]);
        let worth = |heap: u32| -> Vec<u32> {
            let state = vec![heap, 0].into_boxed_slice();
            (0..3).filter(|&action| game.action_urgency(&state, Player::First, action) > 0).collect()
        };
        assert_eq!([12, 11, 10, 9].map(worth), [vec![], vec![2], vec![1], vec![0]]);
    });
}

#[test]
fn a_position_that_it_changes_is_found() {
    each_adapter(|adapter| {
        let engine = opened(adapter);
        let check =
            |text: &str| FileCheck::default().run(&game(&engine, text), &engine).expect("a check").findings;
        if !compiles_slowly(adapter) {
            assert_eq!(check(&texts()[1]), []);
        }
        let changes = with_lines(&texts()[1], "action_urgency", "(*state)[1] = 7u;");
        let found = check(&changes);
        assert!(found[0].part == Part::Actions && found[0].what.contains("action_urgency"), "{found:?}");
    });
}
