//! `mcts-wgpu bench` and `bench compare`: output and refused input. Speeds are not tested.

use crate::support::prelude::*;
use mcts_wgpu::{
    bench::{BenchReport, CASE_SET, CaseCheck, Comparison},
    engine::Backend,
};

const SHORT: &str = "bench --quick --seconds 0.01 --repeats 2";

/// The rollouts of a quick benchmark, in its order.
const ROLLOUTS: [&str; 7] = [
    "connect4 rollout",
    "gomoku rollout",
    "othello rollout",
    "go 9 rollout",
    "go 9 pattern3x3 rollout",
    "go 9 m2 rollout",
    "go 9 tactical rollout",
];

fn write_json(name: &str, value: &Value) -> String {
    write_file(name, value.to_string())
}

/// A result of one machine with cases of (name, playouts per second).
fn result(adapter: &str, cases: &[(&str, f64)]) -> Value {
    let case = |&(name, rate): &(&str, f64)| {
        let rate = json!({"median": rate, "min": rate, "max": rate});
        json!({"case": name, "schedule": "-", "runs": 1, "playouts_per_second": rate})
    };
    let cases: Vec<_> = cases.iter().map(case).collect();
    let machine = json!({
        "adapter": adapter, "backend": "vulkan", "driver": "", "type": "discrete", "limits": null, "cases": cases
    });
    json!({
        "program": "mcts-wgpu 0.1.0", "quick": false, "seconds": 1.0, "repeats": 1, "memory": 1, "interrupted": false,
        "machines": [machine]
    })
}

fn assert_spread(spread: &Value, what: &str) {
    let [min, median, max] = ["min", "median", "max"].map(|field| spread[field].as_f64().expect(what));
    assert!(0.0 < min && min <= median && median <= max, "{what}: {spread}");
}

#[test]
fn several_adapters_are_measured_together() {
    let bench = "bench --quick --seconds 0.01 --repeats 1 --adapter 0,0 --json";
    let report = run(&format!("{bench} --case ing")).succeeded().json();
    let machine = &report["machines"][0];
    let name = machine["adapter"].as_str().expect("a name");
    let (one, other) = name.split_once(" + ").expect("two names");
    assert_eq!(one, other);
    assert!(machine["cases"][0]["skipped"].as_str().is_some_and(|why| why.contains("one adapter at a time")));
    let report = finish(bench, command(bench).args(["--case", "connect4 rollout"])).succeeded();
    assert_eq!(report.json()["machines"][0]["cases"][0]["runs"], 1);
}

#[test]
fn every_quick_case_is_measured_on_the_cpu_engine() {
    let out = fresh("bench_cpu.json");
    let done = run(&format!("{SHORT} --adapter cpu --out {out}")).succeeded();
    assert_eq!(done.err, "");
    assert!(done.out.lines().all(|line| line.chars().count() <= 100), "{done}");
    let text = fs::read_to_string(&out).expect("the file was written");
    let report: Value = serde_json::from_str(&text).expect("the file is JSON");
    assert_eq!(report["program"], format!("mcts-wgpu {}", env!("CARGO_PKG_VERSION")));
    assert_eq!(fields(&report, "quick interrupted repeats"), json!([true, false, 2]));
    let [machine] = &report["machines"].as_array().expect("a list")[..] else { panic!("{report}") };
    assert_eq!(fields(machine, "backend limits"), json!(["cpu", null]));
    let cases = machine["cases"].as_array().expect("a list");
    let names: Vec<_> = cases.iter().map(|case| case["case"].as_str().expect("text")).collect();
    let searches = "connect4 default, gomoku default, othello default, go 9 default, connect4 \
        playouts, gomoku playouts, othello playouts, go 9 playouts, connect4 ocp 8x128, connect4 acp \
        8x128, gomoku ocp 8x128, connect4 batch 1000 acp 1x32, connect4 net 6x64 leaves 8, seeding 100000, \
        go 19 pvsplit 5";
    let mut expected: Vec<_> = searches.split(", ").collect();
    expected.extend(ROLLOUTS);
    assert_eq!(names, expected);
    for (name, case) in names.iter().zip(cases) {
        assert_eq!(fields(case, "runs skipped check"), json!([2, null, "pass"]), "{case}");
        assert_eq!(case["evidence"]["found"], case["evidence"]["expected"]);
        let searched = ["cp ", " net ", " default", " playouts"].iter().any(|part| name.contains(part));
        let printed = match name {
            _ if name.contains("seeding") => "streams_per_second",
            _ if name.contains("pvsplit") => "pvsplit_ms",
            _ => "playouts_per_second",
        };
        assert_spread(&case[printed], name);
        for figure in ["steps_per_second", "leaves_per_second", "host_ms", "nodes"] {
            assert_eq!(case[figure].is_object(), searched, "{name}: {figure}");
        }
        if searched {
            assert_spread(&case["steps_per_second"], name);
            assert_eq!(fields(case, "node_bytes trees_full"), json!([24, false]), "{name}");
        }
    }
    assert!(serde_json::from_str::<BenchReport>(&text).is_ok());
}

#[test]
fn every_adapter_runs_a_search_under_both_schedules() {
    let done = run(&format!("{SHORT} --adapter auto --case connect4-none --json"));
    done.refused(&["no case has 'connect4-none'", "gomoku ocp 8x128"]);
    let report = command(SHORT).args(["--adapter", "0", "--json", "--case", "connect4 ocp"]).output();
    let report = String::from_utf8(report.expect("the program starts").stdout).expect("UTF-8");
    let report: BenchReport = serde_json::from_str(&report).expect("an adapter: install mesa-vulkan-drivers");
    let machine = &report.machines[0];
    let limits = machine.limits.as_ref().expect("an adapter has limits");
    assert!(limits.max_invocations >= 256);
    let schedules: Vec<_> = machine.cases.iter().map(|case| case.schedule.as_str()).collect();
    assert_eq!(schedules, ["staged", "fused"]);
    for case in &machine.cases {
        assert_eq!((case.figures.runs, &case.skipped, case.check), (2, &None, Some(CaseCheck::Pass)));
        let timed = limits.timestamps && case.schedule == "staged";
        // On Metal, time stamps may be zero.
        if !timed || machine.backend != Backend::Metal {
            assert_eq!(case.figures.playout_ms.is_some(), timed, "{}", case.schedule);
        }
    }
}

#[test]
fn cases_without_memory_are_skipped() {
    let done = run(&format!("{SHORT} --adapter cpu --memory 0.001 --case ocp --json")).succeeded();
    let cases = done.json()["machines"][0]["cases"].as_array().expect("a list").clone();
    let skipped = |name: &str| {
        let case = cases.iter().find(|case| case["case"] == name).expect("the case is there");
        case["skipped"].as_str().map(str::to_owned)
    };
    // Full trees are correct trees: this is no failed check.
    let reason = skipped("gomoku ocp 8x128").expect("so many steps of Gomoku do not fit into 1 MiB");
    assert!(reason.contains("too little memory for the steps of its check"), "{reason}");
    assert_eq!(skipped("connect4 ocp 8x128"), None);
    // A thousand trees do not fit into 1 MiB.
    let table = run(&format!("{SHORT} --adapter cpu --memory 0.001 --case 1000")).succeeded().out;
    let line = table.lines().find(|line| line.contains("batch 1000")).expect("a line");
    assert_has(line, &["skipped: too little memory"]);
}

#[test]
fn so_much_memory_is_for_gpus_alone() {
    let done = run("bench --seconds 0.01 --repeats 1 --adapter cpu --case GiB --json").succeeded();
    let cases = done.json()["machines"][0]["cases"].as_array().expect("a list").clone();
    let names: Vec<_> = cases.iter().map(|case| case["case"].as_str().expect("text")).collect();
    assert_eq!(names, [2, 8, 32, 64].map(|gib| format!("connect4 acp 8x128 {gib} GiB")));
    for case in &cases {
        assert!(case["skipped"].as_str().is_some_and(|why| why.contains("GPUs alone")), "{case}");
    }
}

#[test]
fn the_table_has_a_line_a_case() {
    // Rollouts need no memory for trees.
    let done = run(&format!("{SHORT} --adapter cpu --memory 0.001 --case rollout")).succeeded();
    let lines: Vec<_> = done.out.lines().map(str::trim).filter(|line| line.contains("rollout")).collect();
    assert_eq!(lines.len(), ROLLOUTS.len(), "{done}");
    assert!(ROLLOUTS.iter().zip(lines).all(|(name, line)| line.starts_with(name)), "{done}");
    assert!(done.out.matches(" PASS ").count() == ROLLOUTS.len(), "{done}");
    assert!(done.out.contains("+-: half of their 95 % interval"), "{done}");
}

#[test]
fn comparisons_fit_a_hundred_columns() {
    // The longest name, and figures with many digits.
    let name = "connect4 batch 1000 acp 1x32";
    let spread = json!({"median": 123_456_789.0, "min": 0.1, "max": 1e9});
    let case = json!({
        "case": name, "schedule": "staged", "runs": 1, "trees_full": true, "steps_per_second": spread,
        "playouts_per_second": spread, "select_ms": spread, "expand_ms": spread, "playout_ms": spread,
        "backup_ms": spread, "host_ms": {"median": 99_999.0, "min": 1.0, "max": 2.0}, "nodes": spread
    });
    let mut wide = result("wide", &[]);
    wide["machines"][0]["cases"] = json!([case]);
    let wide = write_json("bench_wide.json", &wide);
    let compared = run(&format!("bench compare {wide} {wide}")).succeeded().out;
    assert!(compared.lines().all(|line| line.chars().count() <= 100), "{compared}");
    assert!(compared.contains(name));
}

#[test]
fn two_results_are_compared_case_by_case() {
    let a = write_json("bench_a.json", &result("old", &[("x", 2e6), ("only here", 1.0)]));
    let b = write_json("bench_b.json", &result("new", &[("x", 5e6), ("only there", 1.0)]));
    let done = run(&format!("bench compare {a} {b}")).succeeded();
    assert_has(&done.out, &["A: old (vulkan)", "B: new (vulkan)", "2.500"]);
    assert_has(&done.out, &["only in A: only here -", "only in B: only there -"]);
    let json = run(&format!("bench compare {a} {b} --json")).succeeded().json();
    let row = &json["pairs"][0]["rows"][0];
    let rate = json!({"figure": "playouts_per_second", "a": 2e6, "b": 5e6, "ratio": 2.5, "differs": true});
    assert_eq!((&row["ratios"], &row["rate"]["ratio"]), (&json!([rate]), &json!(2.5)));

    let read = |path: &str| -> BenchReport {
        serde_json::from_str(&fs::read_to_string(path).expect("it was written")).expect("it is a result")
    };
    let library = serde_json::to_value(Comparison::new(&read(&a), &read(&b))).expect("it is JSON");
    assert_eq!(json, library);
}

#[test]
fn a_slower_result_fails_where_it_is_asked_for() {
    let a = write_json("bench_fast.json", &result("a", &[("x", 100.0)]));
    let b = write_json("bench_slow.json", &result("a", &[("x", 90.0)]));
    run(&format!("bench compare {a} {b} --fail-under 0.85")).succeeded();
    run(&format!("bench compare {b} {a} --fail-under 0.95")).succeeded();
    let failed = run(&format!("bench compare {a} {b} --fail-under 0.95"));
    assert_eq!(failed.code, Some(1), "{failed}");
    assert!(failed.err.contains("too slow, or void: x -") && failed.out.contains("0.900*"), "{failed}");
}

#[test]
fn a_result_is_shared_as_json_and_markdown() {
    let folder = fresh_folder("bench_share");
    fs::create_dir_all(&folder).expect("folders can be made");
    let arguments = "bench --quick --seconds 0.01 --repeats 1 --adapter cpu --case rollout --share --json";
    let done = finish(arguments, command(arguments).current_dir(&folder)).succeeded();
    let report = done.json();
    let names: Vec<_> = done.err.lines().filter_map(|line| line.split(' ').nth(1)).collect();
    let [json, markdown] = names[..] else { panic!("two files: {done}") };
    let stem = json.trim_end_matches("json");
    assert!(json.starts_with("cpu-reference-") && stem == markdown.trim_end_matches("md"));
    let read = |file: &str| fs::read_to_string(folder.join(file)).expect("the file was written");
    assert_eq!(read(json), done.out);
    let text = read(markdown);
    assert!(text.starts_with("### CPU reference, "), "{text}");
    assert_has(&text, &["| connect4 rollout | - | PASS | "]);
    for (field, has) in [("os", true), ("cpu", true), ("wgpu", true), ("naga", true), ("commit", false)] {
        let printed = [&report[field], &report["machines"][0][field]].iter().any(|value| value.is_string());
        assert!(printed || !has, "{field}: {report}");
    }
    assert_eq!((&report["case_set"], report["time"].as_str().map(str::len)), (&json!(CASE_SET), Some(20)));
}

fn machines() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("benches/results/machines")
}

fn files_of_machines() -> BTreeMap<PathBuf, String> {
    texts_below(&[machines()], "json")
}

/// Results with the version of the case set are of the work in the table: a line that changes needs a new version.
#[test]
fn results_of_one_case_set_are_of_one_work() {
    let table = include_str!("../../../src/bench/fingerprints.json");
    let table: Vec<Value> = serde_json::from_str(table).expect("a list");
    for (file, text) in files_of_machines() {
        let report: BenchReport = serde_json::from_str(&text).expect("a result of bench");
        assert!(!report.has_failed() && report.case_set <= CASE_SET, "{}", file.display());
        let machines = report.machines.iter().filter(|_| report.case_set == CASE_SET);
        for case in machines.flat_map(|machine| &machine.cases).filter(|case| case.skipped.is_none()) {
            let found = &case.evidence.as_ref().expect("each case of the built-in games has some").found;
            let is_known = |line: &Value| line["case"] == case.case && line["result"] == *found;
            assert!(table.iter().any(is_known), "{}: {}: raise CASE_SET", file.display(), case.case);
        }
    }
}

/// benches/results/machines is what `bench table` makes of it.
#[test]
fn the_page_of_machines_is_up_to_date() {
    let machines = machines();
    let copy = fresh_folder("bench_machines");
    fs::create_dir_all(&copy).expect("folders can be made");
    for (file, text) in files_of_machines() {
        fs::write(copy.join(file.file_name().expect("a name")), text).expect("files can be copied");
    }
    run(&format!("bench table {}", copy.display())).succeeded();
    for name in ["README.md", "speed.svg"] {
        let [made, there] = [&copy, &machines].map(|folder| fs::read(folder.join(name)).expect("a file"));
        assert!(made == there, "{name}: run `mcts-wgpu bench table benches/results/machines`");
    }
}

#[test]
fn bad_input_is_refused() {
    let good = write_json("bench_good.json", &result("a", &[]));
    let bad = write_json("bench_bad.json", &json!({"machines": 3}));
    let refused: &[(&str, &[&str])] = &[
        ("bench --seconds 0", &["--seconds 0", "positive"]),
        ("bench --seconds -1", &["--seconds"]),
        ("bench --seconds inf", &["--seconds inf"]),
        ("bench --repeats 0", &["0 repeats", "from 1 to 1000"]),
        ("bench --repeats 1001", &["1001 repeats"]),
        ("bench --memory 0", &["'0' for '--memory"]),
        ("bench --case chess", &["no case has 'chess'", "connect4 ocp 8x128", "go 19 rollout"]),
        ("bench --adapter nosuch", &["no adapter 'nosuch'"]),
        ("bench --adapter cpu --backend gl", &["the CPU engine has no backend"]),
        ("bench --adapter cpu --out /no/such/folder/file", &["--out /no/such/folder/file can't be written"]),
        ("bench compare", &["<A>"]),
        ("bench compare a b --fail-under nan", &["'nan' for '--fail-under", "0.95"]),
        ("bench table /no/such/folder", &["/no/such/folder can't be read"]),
        ("bench compare /no/such/file /no/such/file", &["/no/such/file can't be read"]),
        ("bench --quick compare a b", &["compare"]),
    ];
    for (arguments, parts) in refused {
        run(arguments).refused(parts);
    }
    run(&format!("bench compare {good} {bad}"))
        .refused(&["bench_bad.json is not a result of bench", "expected a sequence"]);
    run(&format!("bench compare {good} {good}")).succeeded();
}

#[cfg(target_os = "linux")]
#[test]
fn without_an_adapter_the_cpu_engine_is_measured() {
    let done = without_adapters(&format!("{SHORT} --case rollout --json")).succeeded();
    assert!(done.err.contains("no usable GPU adapter found"), "{done}");
    let machines = done.json()["machines"].as_array().expect("a list").clone();
    assert_eq!(machines.len(), 1);
    assert_eq!(machines[0]["backend"], "cpu");
}

#[test]
fn a_game_file_is_measured() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/games/tictactoe.wgsl");
    let bench = "bench --adapter 0 --seconds 0.02 --repeats 1 --memory 0.01 --json --game-file";
    let report = run(&format!("{bench} {file}")).succeeded().json();
    let cases = report["machines"][0]["cases"].as_array().expect("cases");
    let named = |case: &Value| case["case"].as_str().expect("a name").to_owned();
    let names: Vec<_> = cases.iter().map(named).collect();
    let searches = "file default, file ocp 8x128, file ocp 8x128, file acp 8x128, file acp 8x128";
    assert_eq!(names.join(", "), format!("{searches}, file rollout"));
    assert!(cases.iter().all(|case| case["playouts_per_second"]["median"].as_f64() > Some(0.0)), "{report}");
    assert!(cases.iter().all(|case| case["check"].is_null()), "{report}");
    run(&format!("{bench} /nowhere.wgsl")).refused(&["/nowhere.wgsl"]);
}
