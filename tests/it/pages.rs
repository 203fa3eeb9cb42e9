//! README.md and the other pages: their links, and the figures of files of results.

use crate::support::prelude::*;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All pages in Markdown of the repository.
fn pages() -> BTreeMap<PathBuf, String> {
    let own = ["README.md", "CHANGELOG.md"].map(|name| root().join(name));
    let own = own.into_iter().map(|path| (path.clone(), fs::read_to_string(path).expect("text")));
    let folders = of_crate(&[".github", "benches", "games", "shaders", "src", "tests"]);
    own.chain(texts_below(&folders, "md")).collect()
}

/// Targets of the links of a page that are files.
fn linked_files(text: &str) -> impl Iterator<Item = &str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
    targets.filter(|target| !target.is_empty() && !target.contains(':'))
}

#[test]
fn files_that_pages_link_are_there() {
    let found: Vec<_> =
        linked_files("[a](b.md#c) [d](https://e) [f](#g) [h](crate::i) ![j](k/l.svg)").collect();
    assert_eq!(found, ["b.md", "k/l.svg"]);
    let pages = pages();
    assert!(pages.len() > 30, "{:?}", pages.keys());
    for (page, text) in pages {
        let folder = page.parent().expect("a folder");
        let missing: Vec<_> = linked_files(&text).filter(|target| !folder.join(target).exists()).collect();
        assert!(missing.is_empty(), "{} has links to files that do not exist: {missing:?}", page.display());
    }
}

/// A number such as `4,513` or `4.6 M`.
fn number(cell: &str) -> f64 {
    let (digits, unit) = cell.split_once(' ').unwrap_or((cell, ""));
    let unit = match unit {
        "k" => 1e3,
        "M" => 1e6,
        _ => 1.0,
    };
    digits.replace(',', "").parse::<f64>().expect("a number") * unit
}

#[test]
fn the_readme_has_the_medians_of_the_results() {
    let readme = fs::read_to_string(root().join("README.md")).expect("text");
    let [gpu, cpu] = ["nvidia-h200-vulkan", "cpu-reference-2-threads-of-amd-epyc"].map(|name| {
        let file = root().join(format!("benches/results/machines/{name}.json"));
        serde_json::from_str::<Value>(&fs::read_to_string(file).expect("text")).expect("JSON")
    });
    let median = |result: &Value, case: &str, rate: &str| {
        let cases = result["machines"][0]["cases"].as_array().expect("a list");
        let case = cases.iter().find(|measured| measured["case"] == case).expect("it was measured");
        case[rate]["median"].as_f64().expect("a number")
    };
    let games =
        [("Connect 4", "connect4"), ("Gomoku 15x15", "gomoku"), ("Othello", "othello"), ("Go 9x9", "go 9")];
    for (game, name) in games {
        let row = readme.lines().find(|line| line.starts_with(&format!("| {game} |"))).expect("a row");
        let cells: Vec<_> = row.split('|').skip(2).take(4).map(|cell| number(cell.trim())).collect();
        let cases = ["default", "playouts"].map(|of| format!("{name} {of}"));
        let measured: Vec<_> = cases
            .iter()
            .flat_map(|case| [&gpu, &cpu].map(|result| median(result, case, "playouts_per_second")))
            .collect();
        let differ = |(printed, measured): (&f64, &f64)| (printed / measured - 1.0).abs() > 0.02;
        assert!(
            !cells.iter().zip(&measured).any(differ),
            "the README has {row}, and was measured {measured:?}"
        );
    }
}
