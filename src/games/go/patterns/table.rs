//! Ratings of patterns, and their file.

use super::{PatternShape, square_within};
use crate::{
    error::{Error, Result},
    hash::fnv1a,
    input::read_file,
};
use std::{
    collections::HashMap,
    fmt::{Display, Write},
    path::Path,
    str::FromStr,
    sync::LazyLock,
};

/// The rating of every pattern of a shape: a weight from 1 to [`MAX_RATING`](Self::MAX_RATING), the same for all
/// rotations and reflections.
///
/// Weights are integers, so that their sums depend neither on the order of addition nor on the machine: a draw in
/// proportion to them is exact.
///
/// A table lists patterns. Any other M2 pattern has the rating of its inner 3 x 3 pattern, any other 3 x 3 pattern the
/// table's default.
///
/// # File
/// Text. Lines that begin with `#` are remarks. The first other line is `mcts-wgpu move patterns 1`, the next two are
/// `shape NAME` and `default RATING`. Then each line has a pattern: its code in hexadecimal, four digits for 3 x 3, six
/// for M2, and its rating. The code is the smallest of the pattern's eight rotations and reflections.
///
/// ```
/// use mcts_wgpu::games::go::patterns::{PatternShape, PatternTable};
///
/// let table = PatternTable::parse("mcts-wgpu move patterns 1\nshape 3x3\ndefault 20\n0012 300\n")?;
/// assert_eq!(table.rating(0x0012), 300);
/// assert!(PatternShape::Square.symmetries(0x0012).iter().all(|&code| table.rating(code) == 300));
/// assert_eq!(table.rating(0x0000), 20);
/// # Ok::<(), mcts_wgpu::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternTable {
    default: u16,
    /// The rating of every 3 x 3 code.
    square: Vec<u16>,
    /// M2 codes and their ratings by ascending code, all rotations and reflections; `None` in a 3 x 3 table.
    diamond: Option<Vec<(u32, u16)>>,
}

const HEADER: &str = "mcts-wgpu move patterns 1";
/// The greatest size of a table's file, in bytes: one that lists all patterns has 3 MB.
const MOST_BYTES: u64 = 16 << 20;
/// Characters of a bad line that an error repeats.
const SHOWN: usize = 40;

static SQUARE_TABLE: LazyLock<PatternTable> =
    LazyLock::new(|| shipped_table(include_str!("../../../../games/go/patterns-3x3.txt")));
static DIAMOND_TABLE: LazyLock<PatternTable> =
    LazyLock::new(|| shipped_table(include_str!("../../../../games/go/patterns-m2.txt")));

fn shipped_table(text: &str) -> PatternTable {
    PatternTable::parse(text).expect("the tables that come with the crate are tested")
}

impl PatternTable {
    /// The greatest rating: a sum over a 19 x 19 board's row fits 17 bits, over the board 21.
    pub const MAX_RATING: u16 = 4095;

    /// The table that comes with the crate, learnt from game records (games/go/README.md).
    pub fn shipped(shape: PatternShape) -> &'static Self {
        match shape {
            PatternShape::Square => &SQUARE_TABLE,
            PatternShape::Diamond => &DIAMOND_TABLE,
        }
    }

    /// A 3 x 3 table of (code, rating), one code of each pattern.
    ///
    /// # Errors
    /// Bad input if a rating is not 1 to [`MAX_RATING`](Self::MAX_RATING), a code is not the smallest of its rotations
    /// and reflections or cannot occur on a board, or a pattern is repeated.
    pub fn new(default: u16, patterns: impl IntoIterator<Item = (u32, u16)>) -> Result<Self> {
        check_rating(default).map_err(|why| Error::invalid(format!("the default rating: {why}")))?;
        let shape = PatternShape::Square;
        let mut square = vec![default; 1 << shape.bits()];
        for (code, rating) in all_rotations(shape, patterns)? {
            square[code as usize] = rating;
        }
        Ok(Self { default, square, diamond: None })
    }

    /// An M2 table of (code, rating), one code of each pattern; all other patterns have the ratings of this 3 x 3
    /// table.
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    pub fn with_diamonds(self, patterns: impl IntoIterator<Item = (u32, u16)>) -> Result<Self> {
        let diamond = Some(all_rotations(PatternShape::Diamond, patterns)?);
        Ok(Self { diamond, ..self })
    }

    /// The patterns that the table rates.
    pub fn shape(&self) -> PatternShape {
        if self.diamond.is_some() { PatternShape::Diamond } else { PatternShape::Square }
    }

    /// The rating of 3 x 3 patterns that are not listed.
    pub fn default_rating(&self) -> u16 {
        self.default
    }

    /// The rating of a code of the table's shape, 1 to [`MAX_RATING`](Self::MAX_RATING). For M2 this is a search in a
    /// sorted list; for many lookups use [`dense`](Self::dense).
    ///
    /// # Panics
    /// If a 3 x 3 code has more than 16 bits.
    pub fn rating(&self, code: u32) -> u16 {
        let Some(diamond) = &self.diamond else { return self.square[code as usize] };
        match diamond.binary_search_by_key(&code, |&(code, _)| code) {
            Ok(place) => diamond[place].1,
            Err(_) => self.square[square_within(code) as usize],
        }
    }

    /// All codes that can occur on a board ([`PatternShape::codes`]) and their ratings, in no particular order.
    pub fn ratings(&self) -> impl Iterator<Item = (u32, u16)> {
        self.shape().codes().map(|code| (code, self.rating(code)))
    }

    /// The ratings of all codes that can occur, at the index of the code: 2^16 or 2^24 numbers. The others are 1.
    pub fn dense(&self) -> Vec<u16> {
        let mut dense = vec![1; 1 << self.shape().bits()];
        let unlisted = |code| match self.diamond {
            Some(_) => self.square[square_within(code) as usize],
            None => self.square[code as usize],
        };
        self.shape().codes().for_each(|code| dense[code as usize] = unlisted(code));
        let listed = self.diamond.iter().flatten();
        listed.for_each(|&(code, rating)| dense[code as usize] = rating);
        dense
    }

    /// The listed patterns, one code of each, 3 x 3 before M2, without 3 x 3 patterns of the default rating.
    pub fn patterns(&self) -> impl Iterator<Item = (PatternShape, u32, u16)> {
        let square = (0..).zip(&self.square).filter(|&(_, &rating)| rating != self.default);
        let square = square.map(|(code, &rating)| (PatternShape::Square, code, rating));
        let diamond = self.diamond.iter().flatten();
        let diamond = diamond.map(|&(code, rating)| (PatternShape::Diamond, code, rating));
        square.chain(diamond).filter(|&(shape, code, _)| shape.canonical(code) == code)
    }

    /// Parses the text of [`to_text`](Self::to_text).
    ///
    /// # Errors
    /// Bad input, with the line, if the text is no such table.
    pub fn parse(text: &str) -> Result<Self> {
        let lines = (1..).zip(text.lines().map(str::trim_end));
        let mut lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        if lines.next().is_none_or(|(_, line)| line != HEADER) {
            let what = format!("not a pattern table: a table begins with the line '{HEADER}'");
            return Err(Error::invalid(what));
        }
        let shape: PatternShape = field("shape", lines.next(), |_| Ok(()))?;
        let default = field("default", lines.next(), |&rating| check_rating(rating))?;
        let mut listing = Listing::new(shape);
        for (number, line) in lines {
            listing.add(number, line).map_err(|why| at_line(number, line, &why))?;
        }
        let table = Self::new(default, listing.squares)?;
        if shape == PatternShape::Diamond { table.with_diamonds(listing.diamonds) } else { Ok(table) }
    }

    /// A hash of the table's text: equal for equal tables, and different for others except by chance, for one pair in
    /// 2^64.
    pub fn digest(&self) -> u64 {
        fnv1a(self.to_text().into_bytes())
    }

    /// The text of the table's file.
    pub fn to_text(&self) -> String {
        let mut text = format!("{HEADER}\nshape {}\ndefault {}\n", self.shape().name(), self.default);
        for (shape, code, rating) in self.patterns() {
            let digits = shape.bits() as usize / 4;
            writeln!(text, "{code:0digits$x} {rating}").expect("a string takes all that is written");
        }
        text
    }

    /// Reads a table's file.
    ///
    /// # Errors
    /// Bad input, with the file's name, if it cannot be read or is no such table.
    pub fn load(path: &Path) -> Result<Self> {
        let of_file = |why: &dyn Display| Error::invalid(format!("{}: {why}", path.display()));
        let bytes = read_file(path, MOST_BYTES).map_err(|why| of_file(&why))?;
        let text =
            String::from_utf8(bytes).map_err(|_| of_file(&"not a pattern table: not a text in UTF-8"))?;
        Self::parse(&text).map_err(|why| of_file(&why))
    }
}

/// The patterns of a table's text, each checked with its line.
struct Listing {
    shape: PatternShape,
    squares: Vec<(u32, u16)>,
    diamonds: Vec<(u32, u16)>,
    /// The line number of every pattern.
    lines: HashMap<(PatternShape, u32), usize>,
    /// The borders of 3 x 3 and of M2 patterns.
    borders: [Vec<u32>; 2],
}

impl Listing {
    fn new(shape: PatternShape) -> Self {
        let borders = PatternShape::ALL.map(PatternShape::borders);
        Self { shape, squares: Vec::new(), diamonds: Vec::new(), lines: HashMap::new(), borders }
    }

    fn add(&mut self, number: usize, line: &str) -> Result<()> {
        let (shape, code, rating) = parse_pattern(line).ok_or_else(|| {
            Error::invalid("give a code of 4 (3x3) or 6 (m2) hexadecimal digits and a rating")
        })?;
        let (patterns, borders) = match shape {
            PatternShape::Square => (&mut self.squares, &self.borders[0]),
            PatternShape::Diamond => (&mut self.diamonds, &self.borders[1]),
        };
        if shape == PatternShape::Diamond && self.shape == PatternShape::Square {
            return Err(Error::invalid("an m2 pattern in a table of shape 3x3"));
        }
        check_pattern(shape, borders, code, rating)?;
        if let Some(first) = self.lines.insert((shape, code), number) {
            return Err(Error::invalid(format!("this pattern is on line {first} already: list it once")));
        }
        patterns.push((code, rating));
        Ok(())
    }
}

/// The value of a line `NAME VALUE`.
fn field<T: FromStr<Err: Display>>(
    name: &str,
    line: Option<(usize, &str)>,
    check: impl Fn(&T) -> Result<()>,
) -> Result<T> {
    let (number, line) = line
        .ok_or_else(|| Error::invalid(format!("the table ends too early: its line '{name}' is missing")))?;
    let at = |what: &dyn Display| at_line(number, line, what);
    let value = line.strip_prefix(name).and_then(|rest| rest.strip_prefix(' '));
    let value = value.ok_or_else(|| at(&format!("write '{name}' and its value here")))?;
    let value = value.parse().map_err(|why| at(&why))?;
    check(&value).map_err(|why| at(&why))?;
    Ok(value)
}

fn at_line(number: usize, line: &str, what: &dyn Display) -> Error {
    let shown: String = line.chars().take(SHOWN).flat_map(char::escape_debug).collect();
    let rest = if line.chars().nth(SHOWN).is_some() { "..." } else { "" };
    Error::invalid(format!("line {number}, '{shown}{rest}': {what}"))
}

fn parse_pattern(line: &str) -> Option<(PatternShape, u32, u16)> {
    let (code, rating) = line.split_once(' ')?;
    let shape = PatternShape::ALL.into_iter().find(|shape| shape.bits() as usize == 4 * code.len())?;
    Some((shape, u32::from_str_radix(code, 16).ok()?, rating.parse().ok()?))
}

fn check_rating(rating: u16) -> Result<()> {
    if (1..=PatternTable::MAX_RATING).contains(&rating) {
        return Ok(());
    }
    Err(Error::invalid(format!("{rating} is no rating: give 1 to {}", PatternTable::MAX_RATING)))
}

/// `borders` are those of the shape.
fn check_pattern(shape: PatternShape, borders: &[u32], code: u32, rating: u16) -> Result<()> {
    let refuse = |why: &str| Err(Error::invalid(format!("{} pattern {code:x}: {why}", shape.name())));
    if let Err(why) = check_rating(rating) {
        return refuse(&why.to_string());
    }
    if code >> shape.bits() != 0 || borders.binary_search(&shape.border_of(code)).is_err() {
        return refuse("no point of a board has it");
    }
    match shape.canonical(code) {
        smallest if smallest == code => Ok(()),
        smallest => refuse(&format!("give {smallest:x}, the smallest code among its rotations")),
    }
}

/// All rotations and reflections of (code, rating), ascending, after a check of each.
fn all_rotations(
    shape: PatternShape,
    patterns: impl IntoIterator<Item = (u32, u16)>,
) -> Result<Vec<(u32, u16)>> {
    let borders = shape.borders();
    let mut all = Vec::new();
    for (code, rating) in patterns {
        check_pattern(shape, &borders, code, rating)?;
        let mut rotations = shape.symmetries(code);
        rotations.sort_unstable();
        let distinct = (0..8).filter(|&i| i == 0 || rotations[i] != rotations[i - 1]);
        all.extend(distinct.map(|i| (rotations[i], rating)));
    }
    all.sort_unstable_by_key(|&(code, _)| code);
    match all.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        Some(pair) => {
            let what = format!("{} pattern {:x} is listed twice", shape.name(), shape.canonical(pair[0].0));
            Err(Error::invalid(what))
        }
        None => Ok(all),
    }
}
