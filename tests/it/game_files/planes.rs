//! Planes of games of files.

use super::{changed, game, message, text, with_lines};
use crate::{rules::planes::assert_stones_are_seen, support::prelude::*};
use mcts_wgpu::conformance::FileCheck;

#[test]
fn planes_are_the_built_ins() {
    fn assert_same<G: Game>(engine: &Engine, twin: &G) {
        let file = game(engine, &text(twin.name()));
        assert_eq!(file.planes(), twin.planes());
        let (mut position, mut stream) = (Position::start(twin), Stream::seeded(3));
        for _ in 0..20 {
            let mut words = vec![0; twin.state_words() as usize];
            twin.pack(position.state(), &mut words);
            let (state, turn) = (words.into_boxed_slice(), position.turn());
            for cell in 0..twin.planes().expect("planes").cells() {
                let found = file.cell_planes(&state, turn, cell);
                assert_eq!(found, twin.cell_planes(position.state(), turn, cell), "{cell} at\n{position}");
            }
            let legal = position.legal_actions();
            position.play(legal[stream.pick(legal.len() as u32) as usize]).expect("a legal action");
            if position.outcome().is_some() {
                break;
            }
        }
    }
    each_adapter(|adapter| {
        let engine = opened(adapter);
        assert_same(&engine, &Connect4::default());
        assert_same(&engine, &Gomoku::default());
        assert_same(&engine, &Othello);
    });
}

#[test]
fn stones_are_seen_in_games_of_files() {
    each_adapter(|adapter| {
        let engine = opened(adapter);
        for name in ["tictactoe", "breakthrough", "hex11"] {
            assert_stones_are_seen(&game(&engine, &text(name)), 1);
        }
    });
}

/// Too many planes; a board that is too large for planes; no board.
#[test]
fn planes_need_a_board_that_is_not_too_large() {
    let tictactoe = text("tictactoe");
    let refused = |from: &str, to: &str| {
        let text = changed(&tictactoe, from, to);
        message(GameFile::from_wgsl("game.wgsl", &text, &Engine::cpu()), &text)
    };
    assert!(refused("planes = 4", "planes = 33").contains("planes is 33: give a number from 1 to 32"));
    let large = refused("rows = 3\n//! columns = 3", "rows = 64\n//! columns = 17");
    assert!(large.contains("the board has 1088 cells: planes have 1024 at the most"), "{large}");
    let board = "//! [board]\n//! rows = 3\n//! columns = 3\n//! glyphs = \".XO\"\n";
    assert!(refused(board, "").contains("the header has planes, and no [board]"));
}

#[test]
fn a_check_looks_at_planes() {
    each_adapter(|adapter| {
        let engine = opened(adapter);
        let found = |text: &str| {
            let findings = FileCheck::default().run(&game(&engine, text), &engine).expect("a check").findings;
            findings.into_iter().map(|finding| (finding.part, finding.what)).collect::<Vec<_>>()
        };
        let tictactoe = text("tictactoe");
        assert_eq!(found(&tictactoe), []);
        for (text, what) in [
            (with_lines(&tictactoe, "planes", "(*state)[1] |= 1u;"), "planes changes its position"),
            (changed(&tictactoe, "planes = 4", "planes = 3"), "planes has bits beyond its 3 planes"),
        ] {
            let found = found(&text);
            assert!(found[0].0 == Part::Planes && found[0].1.contains(what), "{found:?}");
        }
    });
}
