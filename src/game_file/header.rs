//! The header of a game file: the lines that begin with `//!`, which together are a TOML document.

use super::text::Text;
use crate::error::Result;
use serde::{
    Deserialize, Deserializer,
    de::{SeqAccess, Visitor},
};
use std::{
    collections::BTreeMap,
    fmt::{self, Formatter},
    ops::Range,
};

/// The fields of a header.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Header {
    pub name: String,
    pub max_actions: u32,
    pub state_words: u32,
    pub max_plies: u32,
    pub start: Option<Vec<u32>>,
    /// The number of planes of networks.
    pub planes: Option<u32>,
    pub board: Option<Board>,
    pub action_names: Option<Vec<String>>,
    /// Numbers declared before the rules, each as `const NAME: u32`.
    #[serde(default)]
    pub constants: BTreeMap<String, u32>,
    /// Fields that affect speed alone, except for the last.
    #[serde(default)]
    pub tuning: Tuning,
}

/// The drawing of a position.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Board {
    pub rows: u32,
    pub columns: u32,
    #[serde(deserialize_with = "glyphs")]
    pub glyphs: Vec<String>,
}

/// Glyphs as a text, each of one character, or as a list of texts.
fn glyphs<'a, D: Deserializer<'a>>(from: D) -> std::result::Result<Vec<String>, D::Error> {
    struct Glyphs;

    impl<'a> Visitor<'a> for Glyphs {
        type Value = Vec<String>;

        fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
            f.write_str("a text such as \".XO\", or a list of texts")
        }

        fn visit_str<E>(self, text: &str) -> std::result::Result<Vec<String>, E> {
            Ok(text.chars().map(String::from).collect())
        }

        fn visit_seq<A: SeqAccess<'a>>(self, mut list: A) -> std::result::Result<Vec<String>, A::Error> {
            std::iter::from_fn(|| list.next_element().transpose()).collect()
        }
    }

    from.deserialize_any(Glyphs)
}

/// Numbers of [`GameShader`](crate::GameShader) and [`Game`](crate::Game), with the same meaning.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Tuning {
    #[serde(default)]
    pub playout_words: u32,
    pub playout_run: Option<u32>,
    #[serde(default)]
    pub stores_playouts: bool,
    #[serde(default)]
    pub in_step: bool,
    #[serde(alias = "ply_turns")]
    pub ply_iterations: Option<u32>,
    pub rollout_round: Option<u32>,
    pub expansion_stride: Option<u32>,
}

const EXAMPLE: &str = "begin the file with lines such as `//! name = \"nim\"`, `//! max_actions = 21`, \
    `//! state_words = 1` and `//! max_plies = 15`";
/// Greatest number of cells of a side.
const MOST_CELLS: u32 = 64;

/// Greatest number of cells of a board with planes.
const MOST_PLANE_CELLS: u32 = 1024;

/// Greatest number of words of a position: the time that drivers compile for grows with their square.
const MOST_STATE_WORDS: u32 = 256;

/// The header's document, with the position of each of its lines in the file.
struct Document {
    toml: String,
    /// (start in the document, start in the file)
    lines: Vec<(usize, usize)>,
}

impl Document {
    fn of(text: &str) -> Self {
        let mut document = Self { toml: String::new(), lines: Vec::new() };
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let inner = line.trim_start().strip_prefix("//!");
            if inner.is_none() && !line.trim().is_empty() {
                break;
            }
            if let Some(inner) = inner {
                let skipped = line.len() - inner.len();
                document.lines.push((document.toml.len(), at + skipped));
                document.toml += inner.trim_end_matches(['\n', '\r']);
                document.toml.push('\n');
            }
            at += line.len();
        }
        document
    }

    /// A range of the document as a range of the file.
    fn place(&self, place: Range<usize>) -> Range<usize> {
        let start = self.lines.iter().rev().find(|(start, _)| *start <= place.start);
        let &(document, file) = start.unwrap_or(&(0, 0));
        let first = file + place.start - document;
        first..first + place.len()
    }

    /// The place of a key's value, or of the key if it has none.
    fn key(&self, key: &str) -> Range<usize> {
        let line = self.toml.lines().find(|line| {
            line.trim_start().strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with(['=', ']']))
                || line.trim().trim_matches(['[', ']']) == key
        });
        let Some(line) = line else { return self.place(0..1) };
        let start = line.as_ptr() as usize - self.toml.as_ptr() as usize;
        let inner = line.len() - line.trim_start().len();
        self.place(start + inner..start + line.trim_end().len())
    }
}

/// Reads and checks the header of a file.
///
/// # Errors
/// Shader, pointing at the error.
pub(super) fn read(text: &Text) -> Result<Header> {
    let document = Document::of(&text.text);
    if document.lines.is_empty() {
        return Err(text.error(&format!("there is no header: {EXAMPLE}")));
    }
    let header: Header = toml::from_str(&document.toml).map_err(|error| {
        let what = format!("the header: {}", error.message().trim().replace('\n', " "));
        let missing = error.message().contains("missing field");
        let place = error.span().filter(|_| !missing).unwrap_or(0..1);
        text.error_at(document.place(place), &what, "", if missing { EXAMPLE } else { "" })
    })?;
    for (key, wrong) in objections(&header) {
        if let Some(wrong) = wrong {
            return Err(text.error_at(document.key(key), &format!("the header: {wrong}"), "", ""));
        }
    }
    Ok(header)
}

/// Errors in the values of keys.
fn objections(header: &Header) -> Vec<(&'static str, Option<String>)> {
    let range = |key: &'static str, value: u32, least: u32, most: u32| {
        let wrong = !(least..=most).contains(&value);
        (key, wrong.then(|| format!("{key} is {value}: give a number from {least} to {most}")))
    };
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let name_is_right = !header.name.is_empty() && header.name.chars().all(is_name);
    let words = header.start.as_ref().map_or(header.state_words as usize, Vec::len);
    let mut found = vec![
        ("name", (!name_is_right).then(|| "a name has letters, digits, - and _ alone".into())),
        range("max_actions", header.max_actions, 1, 512),
        range("state_words", header.state_words, 1, MOST_STATE_WORDS),
        range("max_plies", header.max_plies, 1, 1 << 21),
        range("playout_words", header.tuning.playout_words, 0, 1 << 16),
        range("playout_run", header.tuning.playout_run.unwrap_or(1), 1, u32::MAX),
        range("ply_iterations", header.tuning.ply_iterations.unwrap_or(1), 1, u32::MAX),
        range("rollout_round", header.tuning.rollout_round.unwrap_or(1), 1, u32::MAX),
        range("expansion_stride", header.tuning.expansion_stride.unwrap_or(1), 1, 512),
        (
            "start",
            (words != header.state_words as usize).then(|| {
                format!(
                    "start has {words} words, state_words is {}: let them be the same",
                    header.state_words
                )
            }),
        ),
        range("planes", header.planes.unwrap_or(1), 1, 32),
        ("action_names", wrong_names(header)),
        ("constants", wrong_constant(header)),
    ];
    if let Some(board) = &header.board {
        found.push(range("rows", board.rows, 1, MOST_CELLS));
        found.push(range("columns", board.columns, 1, MOST_CELLS));
        let cells = board.rows.saturating_mul(board.columns);
        found.push((
            "planes",
            (header.planes.is_some() && cells > MOST_PLANE_CELLS)
                .then(|| format!("the board has {cells} cells: planes have {MOST_PLANE_CELLS} at the most")),
        ));
        let is_wrong = |glyph: &String| glyph.is_empty() || glyph.chars().any(|c| c.is_control() || c == '/');
        let wrong = board.glyphs.is_empty() || board.glyphs.iter().any(is_wrong);
        found.push((
            "glyphs",
            wrong.then(|| {
                "glyphs are the characters of the values of `cell`: \".XO\" or [\"..\", \"X1\"], without /".into()
            }),
        ));
    }
    found
}

fn wrong_names(header: &Header) -> Option<String> {
    let names = header.action_names.as_ref()?;
    if names.len() != header.max_actions as usize {
        let (names, actions) = (names.len(), header.max_actions);
        return Some(format!(
            "action_names has {names} names, max_actions is {actions}: let them be the same"
        ));
    }
    let mut seen = BTreeMap::new();
    names.iter().zip(0u32..).find_map(|(name, action)| {
        let wrong = if name.is_empty() || name.contains(|c: char| c.is_whitespace() || c == ',') {
            "names are not empty, and have neither spaces nor commas".into()
        } else if name.parse().is_ok_and(|index: u32| index != action) {
            format!("'{name}' is the name of action {action}, but would be read as action {name}")
        } else {
            let earlier = seen.insert(name.to_lowercase(), action)?;
            format!("'{name}' is the name of actions {earlier} and {action}")
        };
        Some(format!("action_names: {wrong}"))
    })
}

fn wrong_constant(header: &Header) -> Option<String> {
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let wrong = header.constants.keys().find(|name| !is_name(name))?;
    Some(format!("'{wrong}' is not a name of a constant: use letters, digits and _"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "//! name = \"nim\"\n//! max_actions = 3\n//! state_words = 1\n//! max_plies = 9\n";

    fn read_text(text: &str) -> Result<Header> {
        read(&Text { file: "nim.wgsl".into(), text: text.into() })
    }

    #[test]
    fn a_header_is_read() {
        let more = "//! start = [0x753]\n\n//! [board]\n//! rows = 1\n//!columns = 3\n//! glyphs = \".X\"\n\
            //! [constants]\n//! SIZE = 3\nfn f() {}\n//! [no] part of it";
        let header = read_text(&format!("{GOOD}{more}")).expect("it is right");
        assert_eq!(
            (header.name.as_str(), header.start, header.constants["SIZE"]),
            ("nim", Some(vec![0x753]), 3)
        );
        assert_eq!(header.board.map(|board| board.columns), Some(3));
    }

    #[test]
    fn settings_have_their_former_names() {
        let iterations = |name: &str| {
            let header = read_text(&format!("{GOOD}//! [tuning]\n//! {name} = 40")).expect("a header");
            header.tuning.ply_iterations
        };
        assert_eq!(["ply_iterations", "ply_turns"].map(iterations), [Some(40); 2]);
    }
}
