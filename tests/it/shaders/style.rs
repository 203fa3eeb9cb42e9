//! One style in all files of WGSL, and banners that agree with the code.

use super::{
    buffers::{Row, used},
    portability::staged_entries,
};
use crate::support::prelude::*;
use mcts_wgpu::internals::gpu::shaders::REUSE;

/// All WGSL of the crate: paths and texts.
fn files() -> Vec<(String, String)> {
    files_of(&["games", "shaders"], "wgsl")
}

/// All files of some folders with an extension.
fn files_of(folders: &[&str], extension: &str) -> Vec<(String, String)> {
    let files = texts_below(&of_crate(folders), extension).into_iter();
    let files: Vec<_> = files.map(|(path, text)| (name_in_crate(&path), text)).collect();
    assert!(files.len() > 50);
    files
}

/// The comment at the start of a file, in one line.
fn banner(text: &str) -> String {
    let lines: Vec<_> = text.lines().map_while(|line| line.strip_prefix("//")).map(str::trim).collect();
    lines.join(" ")
}

/// The kernels of a file.
fn kernels(text: &str) -> Vec<&str> {
    let after = text.split("@compute ").skip(1);
    after.filter_map(|text| text.split_once("fn ")?.1.split('(').next()).collect()
}

/// Whether one pair of parentheses encloses the whole condition.
fn is_in_parentheses(condition: &str) -> bool {
    let depths = condition.chars().scan(0, |depth, c| {
        *depth += i32::from(c == '(') - i32::from(c == ')');
        Some(*depth)
    });
    let closes = depths.collect::<Vec<_>>().iter().position(|&depth| depth == 0);
    condition.starts_with('(') && closes == Some(condition.chars().count() - 1)
}

/// The error of style in a line.
fn flaw(line: &str) -> Option<&'static str> {
    let code = line.trim_start();
    let condition = ["if ", "while ", "} else if "].iter().find_map(|start| code.strip_prefix(start));
    let condition = condition.and_then(|rest| rest.strip_suffix(" {"));
    [
        ("more than 120 columns", line.chars().count() > 120),
        (
            "no multiple of four spaces before it",
            !(line.len() - code.len()).is_multiple_of(4) || line.contains('\t'),
        ),
        ("spaces behind it", line != line.trim_end()),
        ("a condition in parentheses", condition.is_some_and(is_in_parentheses)),
        ("workgroup memory without sh_", code.starts_with("var<workgroup>") && !code.contains("> sh_")),
    ]
    .iter()
    .find_map(|&(flaw, is_there)| is_there.then_some(flaw))
}

#[test]
fn all_files_are_of_one_style() {
    for (path, text) in files() {
        for (number, line) in (1..).zip(text.lines()) {
            assert_eq!(flaw(line), None, "{path}:{number}: {line}");
        }
        let banner = banner(&text);
        let blank = text.lines().find(|line| !line.starts_with("//"));
        assert!(
            !banner.is_empty() && blank == Some(""),
            "{path}: its first lines are a comment with its purpose, and a blank line"
        );
        let has = |what: &str| banner.contains(what);
        let full = has("Reads ") && (has("One workgroup ") || has("One invocation "));
        assert!(
            full || kernels(&text).is_empty(),
            "{path}: its first comment lacks the work of an invocation, or the buffers it reads and writes"
        );
    }
}

#[test]
fn flaws_are_found() {
    let wide = format!("// {}", "x".repeat(118));
    for line in [&wide, "   let a = 1u;", "\tlet a = 1u;", "let a = 1u; ", "var<workgroup> memory: u32;"] {
        assert!(flaw(line).is_some(), "{line}");
    }
    for (line, found) in
        [("if (a) {", true), ("} else if ((a) || b) {", true), ("if (a) || (b) {", false), ("if a {", false)]
    {
        assert_eq!(flaw(line).is_some(), found, "{line}");
    }
}

/// The right texts of the mistakes that tests plant in shaders.
fn marked_texts() -> Vec<String> {
    let mut texts = Vec::new();
    for (path, text) in files_of(&["tests/it"], "rs") {
        let marks = text.match_indices('«').filter(|_| !path.ends_with("corrupted.rs"));
        for (at, _) in marks {
            let start = text[..at].rfind('"').expect("a mark is in a literal") + 1;
            let end = at + text[at..].find('"').expect("a literal ends");
            let literal = text[start..end].replace("\\\n", " ").replace("\\n", " ");
            if literal.contains(" ⇒ ") {
                let [right, _] = sides(&literal);
                texts.push(right);
            }
        }
    }
    texts
}

/// An ordinary run plants the first mistake of each list: the others could name a text that is no longer there.
#[test]
fn marked_mistakes_are_in_the_shaders() {
    let solid = |text: &str| text.split_whitespace().collect::<String>();
    let shaders: String = files().iter().map(|(_, text)| solid(text)).collect();
    let texts = marked_texts();
    assert!(texts.len() > 150);
    for text in texts {
        assert!(shaders.contains(&solid(&text)), "{text}");
    }
}

/// The last sentence of the banners of the stages, in the order of the bindings.
#[test]
fn banners_say_what_kernels_read_and_write() {
    let (used, mut found) = (used(), 0);
    for (path, text) in files() {
        let folders = ["staged/", "run/", "leaves/", "net/write_planes"];
        let kernels = kernels(&text);
        let is_there = folders.iter().any(|folder| path.starts_with(&format!("shaders/search/{folder}")));
        if !is_there || kernels.is_empty() {
            continue;
        }
        let buffers = |by: fn(&Row) -> &BTreeSet<String>| {
            let of_these = |row: &&Row| kernels.iter().any(|kernel| by(row).contains(*kernel));
            let names = used.iter().filter(of_these).map(|row| row.name.as_str());
            names.filter(|name| *name != "params").collect::<Vec<_>>().join(", ")
        };
        let sentence =
            format!("Reads {}; writes {}.", buffers(|row| &row.read_by), buffers(|row| &row.written_by));
        assert!(banner(&text).ends_with(&sentence), "{path}: {sentence}");
        found += kernels.len();
    }
    // 11 more are of steps with several leaves: eight stages, `credit_leaves`, `withdraw_leaves` and `write_planes`.
    assert_eq!(found, staged_entries().len() + REUSE.len() + 11);
}
