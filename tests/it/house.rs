//! The layers of the crate: which modules a module of src may use.

use crate::support::prelude::*;

/// From the lowest up. A module uses lower layers; modules of one layer do not use one another.
const LAYERS: [&[&str]; 18] = [
    &["error", "hash", "host", "input"],
    &["exact", "names", "ranks"],
    &["net", "rules"],
    &["games"],
    &["patterns", "forest"],
    &["device"],
    &["engine"],
    &["reference", "gpu"],
    &["search"],
    &["rollout"],
    &["pvsplit"],
    &["contest", "game_file"],
    &["any_game"],
    &["conformance", "protocols", "selfplay"],
    &["bench", "verify"],
    &["modules"],
    &["documentation", "web"],
    &["cli"],
];

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&module))
}

/// A file of src, without comments and without its tests.
struct File {
    /// src/forest/layout.rs
    name: String,
    /// forest, layout
    modules: Vec<String>,
    text: String,
}

impl File {
    fn new(name: &str, text: &str) -> Self {
        let path = name.trim_start_matches("src/").trim_end_matches(".rs").trim_end_matches("/mod");
        let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
        let lines: Vec<&str> = lines.take_while(|line| !line.starts_with("#[cfg(test)]")).collect();
        Self { name: name.into(), modules: path.split('/').map(Into::into).collect(), text: lines.join("\n") }
    }

    /// The places of a path's beginning, as lines and what comes after it.
    fn uses<'a>(&'a self, beginning: &'a str) -> impl Iterator<Item = (usize, &'a str)> {
        self.text.match_indices(beginning).filter_map(move |(at, found)| {
            let before = &self.text[..at];
            let inside = before.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':' || c == '$');
            (!inside).then(|| (1 + before.matches('\n').count(), &self.text[at + found.len()..]))
        })
    }
}

/// All files of the library except its root.
fn files() -> Vec<File> {
    let all = texts_below(&of_crate(&["src"]), "rs").into_iter();
    let named = all.map(|(path, text)| (name_in_crate(&path), text));
    let files = named.filter(|(name, _)| !["src/lib.rs", "src/main.rs"].contains(&name.as_str()));
    files.map(|(name, text)| File::new(&name, &text)).collect()
}

/// The first names after a prefix of a path: `a::b` has `a`, `{a::b, c::{d, e}}` has `a` and `c`.
fn heads(rest: &str) -> Vec<&str> {
    let name = |text: &str| text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    let Some(group) = rest.strip_prefix('{') else { return vec![&rest[..name(rest)]] };
    let (mut depth, mut heads, mut awaited) = (0, Vec::new(), true);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => awaited = true,
            c if awaited && (c.is_alphabetic() || c == '_') => {
                heads.push(&group[at..at + name(&group[at..])]);
                awaited = false;
            }
            _ => {}
        }
    }
    heads
}

/// Errors in the paths of a file.
fn climbs(file: &File) -> Vec<String> {
    let own = &file.modules[0];
    let at = |line: usize, what: String| format!("{}:{line}: {what}", file.name);
    let Some(here) = layer(own) else {
        return vec![at(1, format!("{own} has no layer: give it one in LAYERS of tests/it/house.rs"))];
    };
    let paths =
        file.uses("crate::").flat_map(|(line, rest)| heads(rest).into_iter().map(move |head| (line, head)));
    let mut wrong: Vec<_> = paths
        .filter(|(_, head)| head != own)
        .filter_map(|(line, head)| match layer(head) {
            Some(there) if there < here => None,
            Some(_) => Some(at(
                line,
                format!(
                    "{own} uses {head}, which is not in a lower layer: move the item down to {own} or below"
                ),
            )),
            None => {
                Some(at(line, format!("crate::{head} hides a layer: name the module that it comes from")))
            }
        })
        .collect();
    // The number of steps up that leads out of the module.
    let depth = file.modules.len() - usize::from(file.name.ends_with("/mod.rs") && file.modules.len() > 1);
    let out = "super::".repeat(if file.name.ends_with("/mod.rs") { file.modules.len() } else { depth });
    wrong.extend(file.uses(&out).map(|(line, _)| at(line, format!("{out} leaves {own}: write crate::"))));
    wrong
}

/// Files of one folder that use one another in a circle: their names.
fn circle(files: &[File], folder: &str) -> Option<Vec<String>> {
    let inside = files.iter().filter(|file| file.modules.len() == 2 && file.modules[0] == folder);
    let uses: BTreeMap<&str, BTreeSet<&str>> = inside
        .map(|file| {
            let full = format!("crate::{folder}::");
            let near: BTreeSet<&str> = file.uses("super::").flat_map(|(_, rest)| heads(rest)).collect();
            let far: BTreeSet<String> =
                file.uses(&full).flat_map(|(_, rest)| heads(rest)).map(Into::into).collect();
            let all = files.iter().filter(|other| other.modules.len() == 2 && other.modules[0] == folder);
            let names = all.map(|other| other.modules[1].as_str());
            let used = names.filter(|name| near.contains(name) || far.contains(*name));
            (file.modules[1].as_str(), used.collect())
        })
        .collect();
    // A file that uses none of the remaining files is in no circle.
    let mut left: BTreeSet<&str> = uses.keys().copied().collect();
    loop {
        let free: Vec<&str> = left.iter().copied().filter(|name| uses[name].is_disjoint(&left)).collect();
        if free.is_empty() {
            break;
        }
        free.iter().for_each(|name| _ = left.remove(name));
    }
    (!left.is_empty()).then(|| left.into_iter().map(|name| format!("src/{folder}/{name}.rs")).collect())
}

#[test]
fn modules_use_lower_layers() {
    let files = files();
    assert!(files.len() > 60);
    let wrong: Vec<String> = files.iter().flat_map(climbs).collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn files_of_a_folder_do_not_use_one_another_in_a_circle() {
    let files = files();
    let folders: BTreeSet<&str> = files.iter().map(|file| file.modules[0].as_str()).collect();
    // In the program, a signal clears the bar, whose end writes notices, which one rank prints; ranks check for
    // signals.
    for folder in folders.into_iter().filter(|&folder| folder != "cli") {
        let circle = circle(&files, folder);
        assert_eq!(circle, None, "move what two of them share to a file below both");
    }
}

#[test]
fn lines_that_break_the_layers_are_found() {
    let wrong = |name: &str, text: &str| climbs(&File::new(name, text));
    assert_eq!(
        wrong("src/search/on_cpu.rs", "use crate::{\n    rules::{Game, search},\n    search::Config,\n};"),
        [""; 0]
    );
    assert_eq!(wrong("src/rules/game.rs", "// crate::gpu\nlet a = 1; // crate::gpu"), [""; 0]);
    assert_eq!(wrong("src/rules/game.rs", "fn f() {}\n#[cfg(test)]\nmod tests { use crate::gpu; }"), [""; 0]);
    let found = wrong("src/rules/game.rs", "use crate::{\n    error::Error,\n    gpu::forest,\n};\n");
    assert!(found[0].starts_with("src/rules/game.rs:1: rules uses gpu,"), "{found:?}");
    let found = wrong("src/forest/shape.rs", "\nfn f() { crate::patterns::learn() }");
    assert!(found[0].starts_with("src/forest/shape.rs:2: forest uses patterns,"), "{found:?}");
    assert!(wrong("src/search/on_devices.rs", "use crate::Game;")[0].contains("crate::Game hides a layer"));
    assert!(wrong("src/new.rs", "")[0].contains("new has no layer"));
    assert!(wrong("src/engine.rs", "use super::search;")[0].contains("leaves engine"));
    assert!(wrong("src/search/mod.rs", "use super::rollout;")[0].contains("leaves search"));
    assert!(wrong("src/search/on_devices.rs", "use super::super::rollout;")[0].contains("leaves search"));
    assert_eq!(wrong("src/search/on_devices.rs", "use super::Config;"), [""; 0]);
}

#[test]
fn circles_are_found() {
    let file = |name: &str, text: &str| File::new(&format!("src/pvsplit/{name}.rs"), text);
    let open = [
        file("mod", "use gpu::Gpu;"),
        file("gpu", "use super::{Board, split::Split};"),
        file("split", "use super::Board;"),
    ];
    assert_eq!(circle(&open, "pvsplit"), None);
    let closed = [
        file("gpu", "use super::split::A;"),
        file("split", "use crate::pvsplit::table;"),
        file("table", "use super::gpu;"),
    ];
    assert_eq!(circle(&closed, "pvsplit").map(|names| names.len()), Some(3));
}

/// Modules run without run-time checks only where the crate vouches for them: for its own games, and for loops of game
/// files whose guards were checked.
#[test]
fn the_crate_vouches_for_its_own_games_and_for_guarded_loops() {
    let vouching = |what: &str| -> Vec<_> {
        let files = files().into_iter().filter(|file| file.text.contains(what));
        files.map(|file| file.name).collect()
    };
    let games =
        ["connect4.rs", "go/mod.rs", "gomoku.rs", "othello.rs"].map(|game| format!("src/games/{game}"));
    assert_eq!(vouching("Vouch::own()"), games);
    assert_eq!(vouching("Vouch::loops_end()"), ["src/game_file/guard.rs"]);
    assert_eq!(vouching("LoopsEnd(())"), ["src/game_file/guard.rs"]);
    assert_eq!(vouching("unsafe "), ["src/device/trusted.rs"]);
}

/// Crates whose types would tie every release of this one to theirs.
const FOREIGN: [&str; 4] = ["wgpu::", "naga::", "glam::", "UVec"];

/// Names that src/lib.rs re-exports: `pub use module::Name;`.
fn root_names() -> Vec<(String, String)> {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).expect("text");
    let mut names = Vec::new();
    for line in text.split(';').filter_map(|item| item.trim_start().strip_prefix("pub use ")) {
        let (module, rest) = line.split_once("::").expect("a path");
        names.extend(heads(rest).into_iter().map(|name| (module.to_owned(), name.to_owned())));
    }
    names
}

/// Declarations of an item, and its public parts: fields, methods, and the functions of a trait.
fn public_lines<'a>(file: &'a File, name: &str) -> Vec<&'a str> {
    let declares = |line: &str| {
        let words: Vec<&str> =
            line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).collect();
        (line.starts_with("pub ") || line.starts_with("impl")) && words.contains(&name)
    };
    let mut lines = Vec::new();
    let mut inside = false;
    for line in file.text.lines() {
        inside = declares(line) || inside && !line.starts_with('}');
        let is_trait_function = line.starts_with("    fn ");
        if declares(line) || inside && (line.starts_with("    pub ") || is_trait_function) {
            lines.push(line);
        }
    }
    lines
}

#[test]
fn the_root_of_the_crate_shows_no_types_of_others() {
    let (files, names) = (files(), root_names());
    assert!(names.len() >= 15, "{names:?}");
    for (module, name) in names {
        let lines: Vec<_> = files
            .iter()
            .filter(|file| file.modules[0] == module)
            .flat_map(|file| public_lines(file, &name))
            .collect();
        assert!(!lines.is_empty(), "{module}::{name} is not found");
        let foreign: Vec<_> =
            lines.iter().filter(|line| FOREIGN.iter().any(|foreign| line.contains(foreign))).collect();
        assert!(
            foreign.is_empty(),
            "{name} shows a type of another crate: hide it, or give it one of its own: {foreign:?}"
        );
    }
    let leak =
        File::new("src/engine.rs", "pub struct Engine {\n    pub limits: wgpu::Limits,\n    inner: u32,\n}");
    assert_eq!(public_lines(&leak, "Engine"), ["pub struct Engine {", "    pub limits: wgpu::Limits,"]);
}

/// The public types and modules of a file of the library.
fn shown(text: &str) -> (Vec<String>, Vec<String>) {
    let (mut types, mut modules) = (Vec::new(), Vec::new());
    let text: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let text = text.join("\n");
    let is_type = |word: &&str| {
        word.starts_with(char::is_uppercase) && word.contains(char::is_lowercase) && *word != "Result"
    };
    for (at, _) in text.match_indices("\npub ").filter(|&(at, _)| !text[..at].ends_with("#[doc(hidden)]")) {
        let item = &text[at + "\npub ".len()..];
        let item = &item[..item.find([';', '<']).unwrap_or(item.len())];
        let words = item.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
        let words: Vec<&str> = words.collect();
        match words[..] {
            ["mod", name] if !item.contains('{') => modules.push(name.to_owned()),
            // Re-exports count in the module that they come from.
            ["use", "crate", ..] => {}
            ["use", from, ref names @ ..] if !modules.iter().any(|module| module == from) => {
                types.extend(names.iter().filter(|word| is_type(word)).map(|word| (*word).to_owned()));
            }
            ["struct" | "enum" | "trait" | "type", name, ..] => types.push(name.to_owned()),
            _ => {}
        }
    }
    (types, modules)
}

fn public_types() -> Vec<(String, String)> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut types, mut modules) = (Vec::new(), vec!["lib".to_owned()]);
    while let Some(module) = modules.pop() {
        let files = [format!("{module}.rs"), format!("{module}/mod.rs")];
        let text = files.iter().find_map(|file| fs::read_to_string(source.join(file)).ok());
        let (own, inside) = shown(&text.expect("the module has a file"));
        types.extend(own.into_iter().map(|name| (name, module.clone())));
        let path = |name: String| if module == "lib" { name } else { format!("{module}/{name}") };
        modules.extend(inside.into_iter().map(path));
    }
    types
}

#[test]
fn no_two_public_types_have_one_name() {
    let text = "\npub mod a;\npub use a::Twice;\npub use b::{MOST, Once, once};\n#[doc(hidden)]\npub use c::Hidden;\n\
                pub struct Own<T> {\n    pub inner: Inner,\n}\npub fn of() -> Other {}\n";
    assert_eq!(shown(text), (vec!["Once".into(), "Own".into()], vec!["a".into()]));
    let types = public_types();
    assert!(types.len() > 100, "{types:?}");
    let mut modules: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    types.iter().for_each(|(name, module)| modules.entry(name).or_default().push(module));
    modules.retain(|_, modules| modules.len() > 1);
    assert!(modules.is_empty(), "give each a name of its own: {modules:#?}");
}
