use crate::support::{
    prelude::*,
    strange::{cases, edited, edits},
};
use mcts_wgpu::patterns::PatternShape::{self, Diamond, Square};
use proptest::prelude::*;

/// A rating computed from a pattern's canonical code.
fn hashed(shape: PatternShape, code: u32) -> u16 {
    let hash = shape.canonical(code).wrapping_mul(0x9e37_79b9) >> 16;
    (hash % u32::from(PatternTable::MAX_RATING)) as u16 + 1
}

fn some(shape: PatternShape) -> Vec<(u32, u16)> {
    let canonical = shape.codes().step_by(3).filter(|&code| shape.canonical(code) == code);
    canonical.step_by(2).map(|code| (code, hashed(shape, code))).collect()
}

fn table(shape: PatternShape) -> PatternTable {
    let square = PatternTable::new(77, some(Square)).expect("the patterns are good");
    match shape {
        Square => square,
        Diamond => square.with_diamonds(some(Diamond)).expect("the patterns are good"),
    }
}

/// The 3 x 3 code within an M2 code, from the order of the bits in the documentation.
fn square_within(code: u32) -> u32 {
    let offsets = Square.offsets();
    let place = |offset| Diamond.offsets().iter().position(|&other| other == offset);
    let place = |offset| place(offset).expect("M2 holds the 3 x 3 neighbours");
    (0..8).map(|i| ((code >> (2 * place(offsets[i]))) & 3) << (2 * i)).sum()
}

#[test]
fn listed_patterns_have_their_rating_and_others_that_of_the_next_smaller_shape() {
    let listed = |shape| some(shape).into_iter().collect::<HashMap<u32, u16>>();
    let (squares, diamonds) = (listed(Square), listed(Diamond));
    let square_rating = |code| squares.get(&Square.canonical(code)).copied().unwrap_or(77);
    let table_of_squares = table(Square);
    assert!(Square.codes().all(|code| table_of_squares.rating(code) == square_rating(code)));
    let table_of_diamonds = table(Diamond);
    for code in Diamond.codes().step_by(3) {
        let rating = diamonds.get(&Diamond.canonical(code)).copied();
        let expected = rating.unwrap_or_else(|| square_rating(square_within(code)));
        assert_eq!(table_of_diamonds.rating(code), expected, "{code:x}");
    }
}

#[test]
fn all_rotations_have_one_rating() {
    for shape in PatternShape::ALL {
        for table in [&table(shape), PatternTable::shipped(shape)] {
            for code in shape.codes().step_by(11) {
                let ratings = shape.symmetries(code).map(|code| table.rating(code));
                assert!(ratings.iter().all(|&rating| rating == ratings[0]), "{shape:?} {code:x}");
            }
        }
    }
}

#[test]
fn the_dense_table_has_the_same_ratings() {
    for shape in PatternShape::ALL {
        let table = table(shape);
        let dense = table.dense();
        assert_eq!(dense.len(), 1 << shape.bits());
        assert!(table.ratings().all(|(code, rating)| dense[code as usize] == rating));
    }
}

#[test]
fn a_table_is_read_as_it_was_written() {
    for shape in PatternShape::ALL {
        let table = table(shape);
        assert_eq!(PatternTable::parse(&table.to_text()), Ok(table));
    }
}

#[test]
fn bad_tables_are_refused_with_the_place() {
    let refused = |text: &str, said: &[&str]| {
        let error = PatternTable::parse(text).expect_err(text);
        assert!(error.is_bad_input());
        assert_has(&error.to_string(), said);
    };
    let header = "mcts-wgpu move patterns 1\n";
    refused("", &["not a pattern table"]);
    refused("shape 3x3\n", &["not a pattern table"]);
    refused(header, &["ends too early", "'shape'"]);
    refused(&format!("{header}shape 4x4\n"), &["line 2", "'4x4'", "3x3, m2"]);
    refused(
        &format!("{header}shape 3x3\nchosen 3\n"),
        &["line 3, 'chosen 3'", "write 'default' and its value here"],
    );
    refused(&format!("{header}shape 3x3\ndefault x\n"), &["line 3, 'default x'", "invalid digit"]);
    let patterns = |lines: &str| format!("{header}# remark\nshape 3x3\ndefault 9\n{lines}");
    refused(&patterns("0000 4096\n"), &["line 5, '0000 4096'", "3x3 pattern 0", "1 to 4095"]);
    refused(&patterns("0000 0\n"), &["line 5", "0 is no rating"]);
    refused(&patterns("0000 5\n0012\n"), &["line 6", "'0012'"]);
    refused(&patterns("00012 5\n"), &["line 5", "hexadecimal"]);
    refused(&patterns("00000g 5\n"), &["line 5", "hexadecimal"]);
    refused(&patterns("000000 5\n"), &["line 5", "m2 pattern in a table of shape 3x3"]);
    refused(&patterns("0300 5\n"), &["line 5", "3x3 pattern 300", "no point of a board"]);
    refused(&patterns("4000 5\n"), &["line 5", "3x3 pattern 4000", "give 1"]);
    refused(&patterns("0001 5\n# remark\n0001 5\n"), &["line 7, '0001 5'", "on line 5 already"]);
    refused(&patterns("").replace("default 9", "default 5000"), &["line 4", "5000 is no rating"]);
    refused(&patterns(&"x\u{1b}".repeat(50)), &["line 5, 'x\\u{1b}x", "...': give a code"]);
    let wide = patterns("").replace("3x3", "m2");
    refused(&format!("{wide}000000 5\n0000 5\n000000 5\n"), &["line 7", "on line 5 already"]);
    refused(&format!("{wide}800000 5\n"), &["line 5", "m2 pattern 800000", "give 2"]);
}

#[test]
fn two_patterns_listed_twice_are_refused() {
    let error = PatternTable::new(9, [(1, 5), (1, 5)]).expect_err("it comes twice");
    assert!(error.to_string().contains("3x3 pattern 1 is listed twice"), "{error}");
}

#[test]
fn tables_are_told_apart_by_their_digests() {
    let header = "mcts-wgpu move patterns 1\nshape 3x3\ndefault 9\n";
    let digest = |lines: &str| PatternTable::parse(&format!("{header}{lines}")).expect("a table").digest();
    let texts = ["", "0000 5\n", "0000 6\n", "0001 5\n", "0000 5\n0001 5\n"];
    let digests: std::collections::HashSet<u64> = texts.iter().map(|text| digest(text)).collect();
    assert_eq!(digests.len(), texts.len());
    assert_eq!(digest("0001 5\n0000 5\n"), digest("# remark\n0000 5\n0001 5\n"));
    assert_eq!(digest("0000 9\n"), digest(""), "that is the default");
}

#[test]
fn files_that_are_no_tables_are_refused_with_their_names() {
    let header = "mcts-wgpu move patterns 1\nshape 3x3\ndefault 9\n";
    let huge = format!("{header}{}", "# remark\n".repeat(2_000_000));
    for (path, said) in [
        (write_file("empty-table.txt", ""), "not a pattern table"),
        (write_file("bytes-table.txt", b"\xff\xfe\x00"), "not a text"),
        (write_file("huge-table.txt", huge), "it is larger than 16 MiB"),
        (write_file("bad-table.txt", format!("{header}0001 x\n")), "line 4, '0001 x'"),
        (env!("CARGO_TARGET_TMPDIR").to_owned(), "directory"),
    ] {
        let error = PatternTable::load(path.as_ref()).expect_err("it is no table");
        let begin = format!("{path}: ");
        assert!(error.is_bad_input() && error.to_string().starts_with(&begin), "{error}");
        assert!(error.to_string().contains(said), "{error}: {said}");
    }
}

#[test]
fn a_missing_file_is_named() {
    let error = PatternTable::load(Path::new("no/such/table.txt")).expect_err("there is none");
    assert!(error.is_bad_input() && error.to_string().starts_with("no/such/table.txt: "), "{error}");
}

proptest! {
    #![proptest_config(cases(100))]

    /// The text of a table that was read is read as the same table.
    #[test]
    fn any_text_is_a_table_or_an_error(
        edits in edits("default|pattern|m2|3x3|1|65535|65536|#| |00000000"),
    ) {
        let text = table(Square).to_text().lines().take(12).map(|line| format!("{line}\n")).collect::<String>();
        if let Ok(table) = PatternTable::parse(&edited(&text, &edits)) {
            prop_assert_eq!(PatternTable::parse(&table.to_text()), Ok(table));
        }
    }
}
