//! Shaders with deliberate mistakes.

use std::env;

/// Replaces a piece of a shader that occurs once, whatever its line breaks.
pub fn corrupted(source: &str, from: &str, to: &str) -> String {
    let (places, all): (Vec<usize>, String) = solid(source).unzip();
    let piece: String = solid(from).map(|(_, c)| c).collect();
    let found: Vec<usize> = all.match_indices(&piece).map(|(at, _)| at).collect();
    let [at] = found[..] else { panic!("the shader has '{from}' {} times, and not once", found.len()) };
    [&source[..places[at]], to, &source[places[at + piece.len() - 1] + 1..]].concat()
}

/// All but white space, with its places. Shaders are ASCII.
fn solid(text: &str) -> impl Iterator<Item = (usize, char)> {
    text.char_indices().filter(|(_, c)| !c.is_whitespace())
}

/// The right and the wrong text of a mistake, which is marked in the right one: `a < b` and `a > b` of `a «< ⇒ >» b`.
pub fn sides(mistake: &str) -> [String; 2] {
    let (before, rest) = mistake.split_once('«').expect("the beginning of a mistake");
    let (parts, after) = rest.split_once('»').expect("the end of a mistake");
    let (right, wrong) = parts.split_once(" ⇒ ").expect("what is right and what is wrong");
    [right, wrong].map(|part| [before, part, after].concat())
}

/// The mistakes to plant, which show that a comparison can fail: all of them in `.ci/run mutations`, else none, since
/// each one compiles a module. That part runs the tests that have `mistakes` in their names.
pub fn tried<T>(mistakes: &[T]) -> &[T] {
    if env::var_os("MCTS_WGPU_MUTATIONS").is_some() { mistakes } else { &[] }
}

/// Whether this is `.ci/run thorough`, which takes hours.
pub fn is_thorough() -> bool {
    env::var_os("MCTS_WGPU_THOROUGH").is_some()
}

#[test]
fn pieces_are_found_however_their_lines_are_broken() {
    let [right, wrong] = sides("b «+ c ⇒ - d»;");
    assert_eq!(corrupted("let a = b\n    + c;\n", &right, &wrong), "let a = b - d;\n");
}
