//! The request handler of the browser's page, without a page.

use crate::support::prelude::*;
use mcts_wgpu::{
    bench::{BenchReport, BenchSettings, CASE_SET, CaseCheck},
    internals::web::RequestHandler,
};

/// Sends a page's requests, and collects their progress.
#[derive(Default)]
struct Page {
    handler: RequestHandler,
    news: Vec<Value>,
    /// Ends all work at the first progress.
    is_impatient: bool,
}

impl Page {
    fn ask(&mut self, request: Value) -> Result<Value, String> {
        let Self { handler, news, is_impatient } = self;
        let mut listener = |new: Option<String>| {
            news.extend(new.map(|new| serde_json::from_str::<Value>(&new).expect("JSON")));
            if *is_impatient { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let answer = block_on(handler.handle(&request.to_string(), &mut listener));
        answer.map(|text| serde_json::from_str(&text).expect("JSON")).map_err(|error| error.to_string())
    }

    fn with(game: Value) -> Self {
        let mut page = Self::default();
        page.ask(json!({"ask": "open", "adapter": "cpu"})).expect("a machine");
        page.ask(game).expect("a game");
        page
    }
}

#[test]
fn a_game_is_played() {
    let settings = json!({"trees": 2, "playouts": 8, "memory": 1.0 / 1024.0});
    let mut page = Page::with(json!({"ask": "game", "game": "connect4", "settings": settings}));
    let found = page.ask(json!({"ask": "search", "steps": 30})).expect("a search");
    assert_eq!((&found["steps"], &found["report"]["n_root"]), (&json!(30), &found["playouts"]));
    assert_eq!(found["report"]["policy"], json!("tactical"), "the policy that suits all sizes");
    assert_eq!(page.news[0]["steps"], json!(1), "the state after one step is reported");
    let board = page.ask(json!({"ask": "play", "action": 3})).expect("legal");
    assert_eq!((&board["turn"], &board["rows"][5]), (&json!("O"), &json!("...X...")));
    assert_eq!(board["moves"], json!([{"index": 3, "name": "3"}]));
    // The tree is reused.
    let found = page.ask(json!({"ask": "search", "steps": 1})).expect("a search");
    assert!(found["report"]["trees_info"]["reused_nodes"].as_u64() > Some(0), "{found}");
    let board = page.ask(json!({"ask": "undo"})).expect("there is a move");
    assert_eq!((&board["turn"], board["legal"].as_array().map(Vec::len)), (&json!("X"), Some(7)));
    assert!(page.ask(json!({"ask": "undo"})).unwrap_err().contains("no move to take back"));
}

#[test]
fn searches_end_with_their_time_by_request_and_with_the_game() {
    let mut page =
        Page::with(json!({"ask": "game", "game": "othello", "settings": {"trees": 1, "playouts": 1}}));
    let found = page.ask(json!({"ask": "search", "seconds": 0.0})).expect("a search");
    assert_eq!(found["steps"], json!(1), "one step is made, however little time there is");
    page.is_impatient = true;
    let found = page.ask(json!({"ask": "search"})).expect("a search");
    assert!(found["report"]["n_root"].as_u64() > Some(0), "{found}");
    page.is_impatient = false;
    page.ask(json!({"ask": "game", "game": "connect4"})).expect("a game");
    for action in [3, 2, 3, 2, 3, 2, 3] {
        page.ask(json!({"ask": "play", "action": action})).expect("legal");
    }
    assert!(page.ask(json!({"ask": "search", "seconds": 1})).unwrap_err().contains("the game is over"));
}

#[test]
fn cases_report_their_progress() {
    let mut page = Page::with(json!({"ask": "game", "game": "connect4"}));
    let asked = json!({"ask": "bench", "seconds": 0.01, "filter": "rollout"});
    page.ask(asked.clone()).expect("figures");
    let message: Vec<_> = page.news.iter().map(|news| (news["done"].as_u64(), news["of"].as_u64())).collect();
    assert_eq!(message, (0..7).map(|done| (Some(done), Some(7))).collect::<Vec<_>>(), "each case once");
    page.is_impatient = true;
    assert_eq!(page.ask(asked).unwrap_err(), "stopped");
}

/// The result can stand beside those of `bench --share`, with the browser in the place of the system.
#[test]
fn the_page_measures_the_cases_of_bench() {
    let mut page = Page::with(json!({"ask": "game", "game": "connect4"}));
    let seen = json!({"adapter": "gpu-7", "system": "Browser 5"});
    let asked = json!({"ask": "bench", "seconds": 0.01, "filter": "8x128", "seen": seen});
    let measured = page.ask(asked).expect("a result");
    let report: BenchReport = serde_json::from_value(measured["report"].clone()).expect("a result of bench");
    let settings = BenchSettings { filter: "8x128".into(), ..BenchSettings::quick() };
    let [machine] = &report.machines[..] else { panic!("one machine: {report:?}") };
    let mut expected: Vec<_> = settings.cases().into_iter().map(|case| case.name).collect();
    expected.dedup();
    assert_eq!(
        machine.cases.iter().map(|case| &case.case).collect::<Vec<_>>(),
        expected.iter().collect::<Vec<_>>()
    );
    assert!(machine.cases.iter().all(|case| case.check == Some(CaseCheck::Pass)), "{report:?}");
    assert!((report.case_set, report.quick) == (CASE_SET, true) && report.time.is_some());
    assert_eq!((machine.adapter.as_str(), machine.system.os.as_str()), ("gpu-7", "Browser 5"));
    assert_eq!(fields(&measured, "name markdown"), json!([report.file_name(), report.markdown()]));
}

#[test]
fn invalid_requests_are_specific_errors() {
    let mut page = Page::default();
    let wrong = [
        (json!({"ask": "tea"}), "not a request"),
        (json!({"ask": "open", "adapter": "toaster"}), "choose auto, gpu or cpu"),
        (json!({"ask": "game", "game": "connect4"}), "no engine: open one first"),
        (json!({"ask": "search", "seconds": 1}), "no game: start one first"),
        (json!({"ask": "verify", "seconds": 1}), "no engine"),
    ];
    for (request, what) in wrong {
        let error = page.ask(request).unwrap_err();
        assert!(error.contains(what), "{error}");
    }
    let mut page = Page::with(json!({"ask": "game", "game": "connect4"}));
    let wrong = [
        (json!({"ask": "play", "action": 9}), "illegal"),
        (json!({"ask": "search", "seconds": -1}), "-1 seconds"),
        (json!({"ask": "search", "steps": 0}), "0 steps"),
        (json!({"ask": "bench", "seconds": 0}), "0 seconds"),
        (json!({"ask": "game", "game": "chess"}), "unknown game 'chess'"),
        (json!({"ask": "game", "game": "othello", "size": 9}), "size is no option of othello"),
        (json!({"ask": "game", "game": "go", "size": 1000}), "1000"),
        (json!({"ask": "game", "game": "go", "settings": {"trees": 0}}), "0 trees"),
    ];
    for (request, what) in wrong {
        let error = page.ask(request).unwrap_err();
        assert!(error.contains(what), "{error}");
    }
}

#[test]
fn a_machine_is_verified() {
    let mut page = Page::default();
    page.ask(json!({"ask": "open", "adapter": "cpu"})).expect("a machine");
    let report =
        page.ask(json!({"ask": "verify", "seconds": 100, "filter": "fingerprints"})).expect("a report");
    assert_eq!((&report["ok"], &report["checks"][0]["result"]), (&json!(true), &json!("passed")), "{report}");
    let first = &page.news[0];
    assert!(
        first["of"] == 1 && first["next"].as_str().is_some_and(|next| next.starts_with("fingerprints: "))
    );
    let refused = |page: &mut Page, request: Value| page.ask(request).expect_err("refused");
    let none = refused(&mut page, json!({"ask": "verify", "seconds": 100, "filter": "moon"}));
    assert!(none.contains("no check has 'moon'"), "{none}");
    let never = refused(&mut page, json!({"ask": "verify", "seconds": -1}));
    assert!(never.contains("give a positive number"), "{never}");
    page.is_impatient = true;
    assert_eq!(refused(&mut page, json!({"ask": "verify", "seconds": 100})), "stopped");
}

#[test]
fn a_request_names_its_networks() {
    let page = Page::with(json!({"ask": "game", "game": "gomoku"}));
    let needed = |request: Value| page.handler.networks(&request.to_string());
    assert_eq!(
        needed(json!({"ask": "game", "game": "othello", "settings": {"net": "othello"}})),
        ["othello"]
    );
    assert_eq!(needed(json!({"ask": "game", "game": "go"})), ["go"], "the default");
    assert_eq!(needed(json!({"ask": "verify", "seconds": 1})).len(), 4);
    assert_eq!(needed(json!({"ask": "bench", "seconds": 1})).len(), 4);
    for none in [
        json!({"ask": "game", "game": "gomoku", "size": 13}),
        json!({"ask": "game", "game": "go", "size": 13}),
        json!({"ask": "game", "game": "go", "settings": {"trees": 4}}),
        json!({"ask": "game", "game": "go", "settings": {"net": "none"}}),
        json!({"ask": "open", "adapter": "cpu"}),
        json!({"ask": "nothing"}),
    ] {
        assert!(needed(none.clone()).is_empty(), "{none}");
    }
}
