//! Players as texts.

use crate::support::prelude::*;
use mcts_wgpu::{
    DrawValue,
    contest::{Kind, Protocol, Spec},
};
use proptest::prelude::*;

fn kind(text: &str) -> Kind {
    text.parse::<Spec>().expect("the text of a player").kind().clone()
}

#[test]
fn every_setting_is_read() {
    let Kind::Search { settings, budget, adapter, resign } = kind(
        "OCP-Thrifty: trees=3 ,playouts=16,c=1.5,seed=18446744073709551615,steps=70,\
         time=2.5,policy=m2,adapter=0,1,reuse=true,prunes=false,knowledge=9,rave=300,\
         resign=0.125",
    ) else {
        panic!("a search")
    };
    let expected = Settings {
        variant: Some(Variant::OCP_THRIFTY),
        trees: Some(3),
        playouts: Some(16),
        ucb_c: Some(1.5),
        seed: Some(u64::MAX),
        reuse: Some(true),
        pruning: Some(false),
        prior_visits: Some(9),
        rave: Some(300),
        policy: Some("m2".into()),
        ..Settings::default()
    };
    assert_eq!(*settings, expected);
    assert_eq!(budget, Budget::steps(70).within(Duration::from_millis(2500)));
    assert_eq!((adapter.as_deref(), resign), (Some("0,1"), Some(0.125)));

    let Kind::Vanilla { config, policy } = kind("vanilla:c=1,seed=7,draws=none,steps=5") else {
        panic!("vanilla")
    };
    assert_eq!((config.ucb_c, config.seed, config.draw_value, policy), (1.0, 7, DrawValue::None, None));
    assert_eq!(config.budget, Budget::steps(5));
    assert_eq!(kind("random:seed=9"), Kind::Random { seed: 9 });
}

#[test]
fn omitted_settings_have_their_defaults() {
    let Kind::Search { settings, budget, .. } = kind("default") else { panic!("a search") };
    assert_eq!((*settings, budget), (Settings::default(), Budget::default()));
    let Kind::Vanilla { config, .. } = kind("vanilla") else { panic!("vanilla") };
    assert_eq!((config.budget, config.draw_value), (Budget::default(), DrawValue::Half));
    for variant in Variant::ALL {
        let Kind::Search { settings, .. } = kind(variant.name()) else { panic!("a search") };
        assert_eq!(settings.variant, Some(variant));
    }
}

#[test]
fn programs_keep_their_command_lines() {
    let Kind::External(external) = kind("GTP: gnugo --mode gtp,a=b:c ") else { panic!("a program") };
    assert_eq!((external.protocol, external.command.as_str()), (Protocol::Gtp, "gnugo --mode gtp,a=b:c"));
    let Kind::External(external) = kind("gomocup:./brain") else { panic!("a program") };
    assert_eq!(external.protocol, Protocol::Gomocup);
}

#[test]
fn bad_texts_are_explained() {
    for (text, parts) in [
        (
            "vanila:time=5",
            &["unknown player 'vanila': did you mean vanilla? choose one of random", "gtp:COMMAND"][..],
        ),
        ("", &["unknown player ''"]),
        ("vanilla:trees=4", &["no setting 'trees'", "vanilla takes time, steps"]),
        ("vanilla:fast", &["'fast' is not a setting", "key=value"]),
        ("vanilla:", &["'' is not a setting"]),
        ("vanilla:time=5,time=6", &["time is given twice"]),
        ("vanilla:time=0", &["time=0", "positive number of seconds"]),
        ("vanilla:time=soon", &["time=soon", "positive number of seconds"]),
        ("vanilla:time=1e300", &["positive number of seconds"]),
        ("vanilla:time=NaN", &["positive number of seconds"]),
        ("vanilla:steps=0", &["steps=0", "at least 1"]),
        ("vanilla:c=-1", &["c=-1", "0 to 1000000"]),
        ("vanilla:c=NaN", &["c=NaN"]),
        ("vanilla:draws=third", &["draws=third", "half", "none"]),
        ("default:playouts=100", &["100 playouts", "power of two"]),
        ("default:leaves=5000", &["batch of 5000", "4096"]),
        ("default:trees=x", &["trees=x", "whole number"]),
        ("default:reuse=maybe", &["reuse=maybe", "true or false"]),
        ("default:prunes=0", &["prunes=0", "true or false"]),
        ("default:resign=0.6", &["resign=0.6", "0 (never) to 0.5"]),
        ("default:resign=NaN", &["resign=NaN"]),
        ("vanilla:resign=0.1", &["no setting 'resign'"]),
        ("acp-prodigal:c=-2", &["UCB constant -2"]),
        ("pvsplit:depth=65", &["depth 65", "1 to 64"]),
        ("pvsplit:steps=5", &["no setting 'steps'", "depth, time, adapter"]),
        ("random:time=1", &["no setting 'time'", "random takes seed"]),
        ("gtp:", &["command line", "gtp:COMMAND"]),
        ("gomocup", &["gomocup:COMMAND"]),
    ] {
        let error = text.parse::<Spec>().expect_err(text).to_string();
        assert_has(&error, parts);
    }
}

#[test]
fn players_that_can_not_play_a_game_are_found_without_an_engine() {
    let spec = |text: &str| text.parse::<Spec>().expect("the text of a player");
    let error = spec("vanilla:policy=m2").check(&Connect4::default()).expect_err("connect4 has no m2");
    assert!(error.to_string().contains("player 'vanilla:policy=m2'"), "{error}");
    spec("vanilla:policy=m2").check(&go_of(5, 7.5)).expect("go has m2");
    assert!(spec("default:policy=pattern3x3").check(&Gomoku::default()).is_err());
    assert!(spec("random").check(&Gomoku::default()).is_ok());
}

#[test]
fn time_limits_depend_on_the_machine() {
    let timed = |text: &str| text.parse::<Spec>().expect("the text of a player").is_timed();
    let all = ["vanilla", "default:time=1", "gtp:x", "pvsplit:time=1", "vanilla:steps=1,time=1"];
    assert!(all.into_iter().all(timed));
    assert!(!["random", "vanilla:steps=1", "pvsplit:depth=2", "default:steps=4"].into_iter().any(timed));
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(
        text in "\\PC{0,30}",
        name in "(vanilla|random|pvsplit|default|acp-thrifty|gtp|gomocup):",
        key in "(time|steps|c|seed|trees|playouts|leaves|adapter|reuse|prunes|resign|draws|depth)=",
        value in "[-0-9.eE,=:a-z]{0,12}",
    ) {
        for text in [text.clone(), format!("{name}{text}"), format!("{name}{key}{value}")] {
            if let Ok(spec) = text.parse::<Spec>() {
                prop_assert_eq!(spec.to_string(), text.trim());
            }
        }
    }
}
