//! The program: rollouts and searches with a policy, and refused policies.

use super::go;
use crate::support::prelude::*;

fn json(arguments: &str) -> Value {
    run(arguments).succeeded().json()
}

#[test]
fn the_program_plays_as_the_library_does() {
    for policy in ["random", "pattern3x3", "m2", "tactical"] {
        let game = go(5, 2.5).with_policy(policy).expect("Go has every policy");
        let start = Position::start(&game);
        let rollouts = Rollouts::new(&Engine::cpu(), game.clone(), RolloutConfig::default());
        let expected = rollouts.expect("the rollouts start").run(&start, 500).expect("the games are played");
        let mappings = if policy == "tactical" { &["thread"][..] } else { &["thread", "group"] };
        for &mapping in mappings {
            let printed = json(&format!(
                "rollout go --size 5 --komi 2.5 --games 500 --policy {policy} --mapping {mapping} --adapter cpu --json"
            ));
            assert_eq!((&printed["policy"], &printed["mapping"]), (&policy.into(), &mapping.into()));
            assert_eq!(printed["first_wins"], expected.first_wins);
            assert_eq!(printed["mean_length"], expected.mean_length);
            assert_eq!(printed["mean_score"], expected.mean_score.expect("a score"));
        }
    }
}

#[test]
fn the_program_searches_as_the_library_does() {
    let game = go(5, 7.5).with_policy("m2").expect("Go has every policy");
    let (ucb_c, node_limit) = (game.search_defaults().ucb_c, Some(20 * 26 + 1));
    let config = Config { trees: 2, playouts: 8, ucb_c, node_limit, ..Config::paper() };
    let mut search = search_on(&Engine::cpu(), game.clone(), config);
    let report = search.steps(&Position::start(&game), 20);
    let printed =
        json("search go --size 5 --policy m2 --trees 2 --playouts 8 --steps 20 --adapter cpu --json");
    assert_eq!(printed["fingerprint"], report.fingerprint.as_str());
}

#[test]
fn a_file_is_a_policy() {
    let (search, rollout) = (
        "search go --size 5 --trees 2 --playouts 8 --steps 20 --adapter cpu --json --policy",
        "rollout go --size 5 --games 500 --adapter cpu --json --policy",
    );
    let shipped = [("pattern3x3", "games/go/patterns-3x3.txt"), ("m2", "games/go/patterns-m2.txt")];
    let [squares, diamonds] = shipped.map(|(name, file)| {
        let fingerprints =
            [name, file].map(|policy| json(&format!("{search} {policy}"))["fingerprint"].clone());
        assert_eq!(fingerprints[0], fingerprints[1]);
        let counts = [name, file].map(|policy| {
            let printed = json(&format!("{rollout} {policy}"));
            assert_eq!(printed["policy"], name);
            ["first_wins", "mean_length", "mean_score"].map(|field| printed[field].clone())
        });
        assert_eq!(counts[0], counts[1]);
        fingerprints[0].clone()
    });
    let table = fresh("policy-of-its-own.txt");
    run(&format!("learn-patterns tests/data/gnugo_selfplay.sgf --shape m2 --out {table}")).succeeded();
    let mine = json(&format!("{search} {table}"))["fingerprint"].clone();
    assert!(mine != squares && mine != diamonds);
    let name = json(&format!("{rollout} {table}"))["policy"].clone();
    assert!(name.as_str().is_some_and(|name| name.starts_with("m2:") && name.len() == 19), "{name}");
}

#[test]
fn the_program_refuses_missing_policies_and_mappings() {
    for (arguments, parts) in [
        ("rollout othello --policy m2", ["unknown policy 'm2'", "othello has random"]),
        (
            "search connect4 --policy pattern3x3",
            ["unknown policy 'pattern3x3'", "connect4 has random, tactical"],
        ),
        ("play gomoku --policy m2", ["unknown policy 'm2'", "gomoku has random"]),
        (
            "rollout go --policy greedy",
            ["unknown policy 'greedy'", "go has random, pattern3x3, m2, tactical"],
        ),
        ("play go --policy no/such.txt", ["unknown policy 'no/such.txt'", "no file of that name"]),
        ("search go --policy Cargo.toml", ["Cargo.toml: not a pattern table", "move patterns 1"]),
        (
            "rollout othello --policy games/go/patterns-m2.txt",
            ["othello reads no policy from a file", "choose random"],
        ),
        (
            "search connect4 --policy games/go/patterns-m2.txt",
            ["connect4 reads no policy from a file", "choose random, tactical"],
        ),
        ("rollout go --policy tactical --mapping group", ["go has no group mapping", "choose thread"]),
        ("rollout gomoku --mapping group", ["gomoku has no group mapping", "choose thread"]),
        ("rollout gomoku --mapping group --adapter cpu", ["gomoku has no group mapping", "choose thread"]),
    ] {
        run(arguments).refused(&parts);
    }
}
