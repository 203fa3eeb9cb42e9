//! What a search is where nothing, something or everything was chosen.

use crate::support::{
    adapters::{each_adapter, opened},
    circle::Circle,
};
use mcts_wgpu::{
    Budget, Choices, Config, Engine, Game, Position, Schedule, Search, Tuning, Variant,
    contest::Spec,
    games::{Connect4, Go, Gomoku, Othello},
};

fn config(choices: &Choices) -> Config {
    choices.config(&Connect4::default(), &Engine::cpu())
}

fn sizes(config: &Config) -> (Variant, u32, u32, u32) {
    (config.variant, config.trees, config.playouts, config.leaves)
}

/// Software adapters have the sizes of the CPU engine: they are the same cores.
#[test]
fn sizes_suit_the_engine_where_none_are_chosen() {
    let chosen = config(&Choices::default());
    assert_eq!(sizes(&chosen), (Variant::OCP_PRODIGAL, 4, 1, 1));
    assert!(chosen.proofs && chosen.prunes);
    // Many games of Othello take hardly longer than one.
    let of_othello = Choices::default().config(&Othello, &Engine::cpu());
    assert_eq!(sizes(&of_othello), (Variant::OCP_PRODIGAL, 4, 16, 1));
    each_adapter(|adapter| {
        let found = Choices::default().config(&Connect4::default(), &opened(adapter));
        if adapter.info().kind == mcts_wgpu::engine::AdapterKind::Software {
            assert_eq!(found, chosen);
        } else {
            assert_eq!(sizes(&found), (Variant::OCP_PRODIGAL, 16, 8, 64));
        }
    });
}

#[test]
fn sizes_that_are_chosen_go_with_those_of_the_original() {
    let acp = Variant::ACP_PRODIGAL;
    let none = Choices::default();
    for (choices, expected) in [
        (Choices { trees: Some(3), ..none.clone() }, (acp, 3, 128, 1)),
        (Choices { playouts: Some(4), ..none.clone() }, (acp, 8, 4, 1)),
        (Choices { variant: Some(Variant::OCP_THRIFTY), ..none.clone() }, (Variant::OCP_THRIFTY, 8, 128, 1)),
        (Choices { schedule: Schedule::Fused, ..none.clone() }, (acp, 8, 128, 1)),
        (Choices { leaves: Some(16), ..none.clone() }, (Variant::OCP_PRODIGAL, 4, 1, 16)),
        (Choices { leaves: Some(16), trees: Some(2), ..none.clone() }, (acp, 2, 128, 16)),
    ] {
        assert_eq!(sizes(&config(&choices)), expected, "{choices:?}");
        assert_eq!(config(&choices).ucb_c, Connect4::default().tuning().ucb_c);
    }
    assert_eq!(Choices { playouts: Some(4), ..none.clone() }.trees_and_playouts(), Some((8, 4)));
    assert_eq!(none.trees_and_playouts(), None);
}

#[test]
fn the_constant_suits_the_game_unless_one_is_chosen() {
    fn of<G: Game>(game: &G, choices: &Choices) -> f32 {
        choices.config(game, &Engine::cpu()).ucb_c
    }
    let go = Go::new(9, 7.5).expect("a board");
    let [none, chosen] = [None, Some(1.25)].map(|ucb_c| Choices { ucb_c, ..Choices::default() });
    let all = |choices: &Choices| {
        let (connect4, gomoku) = (Connect4::default(), Gomoku::default());
        [of(&connect4, choices), of(&gomoku, choices), of(&Othello, choices), of(&go, choices)]
    };
    assert_eq!(all(&none), [0.7, 0.3, 0.3, 0.15]);
    assert_eq!(all(&chosen), [1.25; 4]);
    assert_eq!(all(&Choices { original: true, ..none }), [2.0; 4]);
}

#[test]
fn the_policy_suits_the_game_unless_sizes_or_another_one_are_chosen() {
    fn policy<G: Game>(game: G, choices: &Choices) -> String {
        choices.tuned(game).expect("a policy of the game").policy()
    }
    let go = || Go::new(9, 7.5).expect("a board");
    let none = Choices::default();
    assert_eq!(policy(go(), &none), "tactical");
    assert_eq!(policy(go().with_size(5).expect("a board"), &Choices { seed: 3, ..none.clone() }), "tactical");
    assert_eq!(policy(go().with_policy("m2").expect("a policy"), &none), "m2");
    assert_eq!(policy(Gomoku::default(), &none), "random");
    assert_eq!(policy(Connect4::default(), &none), "tactical");
    let (trees, schedule) = (Some(4), Schedule::Fused);
    for chosen in [
        Choices { original: true, ..none.clone() },
        Choices { trees, ..none.clone() },
        Choices { schedule, ..none.clone() },
    ] {
        assert_eq!(policy(go(), &chosen), "random", "{chosen:?}");
        // Connect 4's suits all sizes, but not the original.
        let of_connect4 = if chosen.original { "random" } else { "tactical" };
        assert_eq!(policy(Connect4::default(), &chosen), of_connect4, "{chosen:?}");
    }
}

#[test]
fn the_original_is_as_it_was_and_can_be_changed() {
    let original = Choices { original: true, ..Choices::default() };
    assert_eq!(config(&original), Config::original());
    let changed = Choices { prunes: Some(true), seed: 7, reuse: true, ..original };
    assert_eq!(config(&changed), Config { prunes: true, seed: 7, reuse: true, ..Config::original() });
}

/// Sizes that suit one kind of engine alone are no reason to refuse the other.
#[test]
fn what_some_engine_can_search_is_not_refused() {
    let with = |tuning| Circle { tuning, ..Circle::new(3) };
    let (on_cpus, on_gpus) =
        (Tuning { cpu_playouts: 3, ..Tuning::default() }, Tuning { playouts: 3, ..Tuning::default() });
    let none = Choices::default();
    none.check(&with(on_cpus), 1).expect("GPUs can");
    none.check(&with(on_gpus), 1).expect("CPUs can");
    let error = none.check(&with(Tuning { playouts: 3, ..on_cpus }), 1).expect_err("nobody can");
    assert!(error.to_string().contains("3 playouts"), "{error}");
}

/// What is told of settings that change nothing, and what reports say of them.
#[test]
fn settings_that_change_nothing_are_told() {
    let choices = Choices { rave: Some(100), prunes: Some(true), ..Choices::default() };
    let go = Go::new(9, 7.5).expect("a board");
    assert_eq!((choices.idle(&Othello), choices.idle(&go)), (vec!["rave", "prunes"], vec![]));
    let player: Spec = "default:rave=100,prunes=true".parse().expect("a player");
    assert_eq!((player.idle(&Othello), player.idle(&go)), (vec!["rave", "prunes"], vec![]));
    let config = choices.config(&Othello, &Engine::cpu());
    let mut search = Search::new(&Engine::cpu(), Othello, config).expect("the search starts");
    let report = search.run(&Position::start(&Othello), Budget::steps(2)).expect("the search runs");
    assert_eq!((report.rave, report.prunes), (0, false));
}

#[test]
fn bad_choices_are_refused_without_an_engine() {
    let error =
        |choices: Choices| choices.check(&Connect4::default(), 1).expect_err("a bad choice").to_string();
    assert!(error(Choices { playouts: Some(100), ..Choices::default() }).contains("power of two"));
    assert!(error(Choices { leaves: Some(0), ..Choices::default() }).contains("0 leaves"));
    assert!(error(Choices { ucb_c: Some(-1.0), ..Choices::default() }).contains("UCB constant -1"));
    Choices::default().check(&Connect4::default(), 1000).expect("a search of many positions");
}
