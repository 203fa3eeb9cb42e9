//! Rapid action values in whole searches: the same trees on every engine, and no effect when switched off.

use super::priors::found;
use crate::support::prelude::*;

fn go(size: u32, policy: &str) -> Go {
    Go::new(size, 0.5).and_then(|go| go.with_policy(policy)).expect("there is such a game")
}

fn config(variant: Variant, leaves: u32) -> Config {
    let sizes =
        Config { trees: 2, playouts: 2, leaf_batch: leaves, node_limit: Some(20_000), ..Config::paper() };
    Config { variant, ucb_c: 0.25, seed: 3, prior_visits: 8, rave: 200, ..sizes }
}

/// A batch, a search, and one that continues on its trees; whole steps or cut ones.
fn results(
    engine: &Engine,
    game: &Go,
    config: &Config,
    units: Option<u32>,
) -> Vec<impl PartialEq + std::fmt::Debug + use<>> {
    let config = Config { reuse: true, ..*config };
    let mut search = search_on(engine, game.clone(), config);
    search.cut_steps(units);
    let start = Position::start(game);
    let mut after = start.clone();
    after.play(game.max_actions() / 2).expect("a legal action");
    let mut reports = search.batch(&[start, after.clone()], 15);
    reports.extend(search.moves(after, &[40, 20]));
    assert!(reports[3].trees_info.reused_nodes > 0);
    reports.iter().map(found).collect()
}

#[test]
fn every_engine_grows_the_same_trees() {
    let cases = [
        (go(5, "tactical"), config(Variant::OCP_PRODIGAL, 9)),
        (go(5, "random").with_superko(true), config(Variant::OCP_THRIFTY, 1)),
        (go(3, "pattern3x3"), config(Variant::OCP_PRODIGAL, 4)),
    ];
    for (game, config) in &cases {
        let expected = results(&Engine::cpu(), game, config, None);
        assert!(results(&Engine::cpu(), game, &Config { rave: 0, ..*config }, None) != expected);
        assert_eq!(results(&Engine::cpu(), game, config, Some(3)), expected, "CPU, cut");
        each_fast_adapter(|adapter| {
            let (engine, name) = (opened(adapter), adapter.info().backend.name());
            assert_eq!(results(&engine, game, config, None), expected, "{name}");
            assert_eq!(results(&engine, game, config, Some(5)), expected, "{name}, cut");
        });
    }
}

/// n and n_wins are those of playouts: reports leave out rapid action values.
#[test]
fn reports_have_playouts_alone() {
    let game = go(5, "random");
    let config = Config { prior_visits: 0, ..config(Variant::OCP_PRODIGAL, 3) };
    let report = search_on(&Engine::cpu(), game.clone(), config).steps(&Position::start(&game), 200);
    assert_eq!(report.config.rave, 200);
    assert_eq!(report.n_root, 200 * 3 * 2 * 2);
    assert_eq!(report.actions.iter().map(|action| action.n).sum::<u64>(), report.n_root);
    assert!(report.actions.iter().all(|action| action.n_wins <= action.n as f64));
    assert!(report.principal_variation.iter().all(|action| action.n <= report.n_root));
}

#[test]
fn mistakes_show() {
    let game = go(5, "random");
    let config = config(Variant::OCP_PRODIGAL, 5);
    let run = |engine: &Engine| {
        let mut search = search_on(engine, game.clone(), config);
        search.run(&Position::start(&game), Budget::steps(30)).map(|report| report.fingerprint).ok()
    };
    on_the_first_adapter(|adapter| {
        let mistakes = tried(&[
            "«go_without(stone, go_or(go_black_firsts, go_white_firsts)) ⇒ stone»",
            "action« + action / GO_COLUMNS ⇒ »",
            "«sh_owners[place] = turn_at(leaf, depth); ⇒ »",
            "1u + «turn * FIRST_WORDS +  ⇒ »place / 32u",
            "first_word(«SECOND ⇒ FIRST», word)",
            "PLAYOUTS + game, «points ⇒ 0u»)",
            ">= «MOST_AMAF ⇒ 40u»",
            "«RAVE * n / (RAVE + n) ⇒ n»",
            "«playouts * points / max(n, 1u) ⇒ points»",
            "held.counts[i] = «as_child(held.counts[i], own) ⇒ plain(held.counts[i])»;",
            "let counts = «as_child(stats[level.first + ordinal], level.counts) ⇒ \
             plain(stats[level.first + ordinal])»;",
        ]);
        assert_mistakes_show(&own_device(adapter), mistakes, run);
    });
}

#[test]
fn they_are_off_where_nothing_else_is_possible_or_wanted() {
    let config_of = |choices: &Settings| choices.resolve(&go(5, "random"), &Engine::cpu()).rave;
    let usual = go(5, "random").search_defaults().rave;
    assert!(usual > 0 && Connect4::default().search_defaults().rave == 0);
    let choices = Settings::default();
    assert_eq!(config_of(&choices), usual);
    assert_eq!(config_of(&Settings::original()), 0);
    assert_eq!(config_of(&Settings { trees: Some(3), ..choices.clone() }), 0);
    let ocp = Settings { rave: Some(7), variant: Some(Variant::OCP_THRIFTY), ..choices };
    assert_eq!(config_of(&ocp), 7);
    let assert_invalid = |choices: Settings, what: &str| {
        assert!(choices.validate().is_err_and(|error| error.to_string().contains(what)), "{what}");
    };
    assert_invalid(Settings { schedule: Some(Schedule::Fused), ..ocp.clone() }, "fused");
    assert_invalid(Settings { variant: Some(Variant::ACP_THRIFTY), ..ocp.clone() }, "ACP");
    assert_invalid(Settings { rave: Some(16_385), ..ocp }, "0 to 16384");
    // A game without `first_words` has no rapid action values.
    let game = Connect4::default();
    let run = |rave| {
        let config = Config { rave, prior_visits: 0, ..config(Variant::OCP_PRODIGAL, 2) };
        let report = search_on(&Engine::cpu(), game.clone(), config).steps(&Position::start(&game), 30);
        (report.fingerprint, report.config.rave)
    };
    assert_eq!(run(50), run(0));
}
