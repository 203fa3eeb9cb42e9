//! The syntax of SGF: properties of the nodes of each game's main line.

use crate::error::{Error, Result};

/// Greatest number of nodes of a main line: more than the longest games of Go, few enough to store a position for each.
const MAX_NODES: usize = 4000;

/// A game by its text.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub nodes: Vec<Node>,
    /// Deviations from the format, and their interpretation.
    pub notes: Vec<String>,
}

/// Properties in their order.
pub(super) type Node = Vec<Property>;

/// A name and its values in brackets.
#[derive(Debug)]
pub(super) struct Property {
    /// Its capital letters alone: those before count in the older versions of the format (`AddBlack`).
    pub name: String,
    pub values: Vec<String>,
}

/// The games of a collection, each with the line on which it begins.
pub(super) fn read_trees(bytes: &[u8]) -> Vec<(usize, Result<Tree>)> {
    let is_utf8 = std::str::from_utf8(bytes).is_ok();
    let mut reader = Reader { bytes, place: 0, line: 1, is_lead: |_| false };
    let mut trees: Vec<(usize, Result<Tree>)> = Vec::new();
    loop {
        let strange = reader.skip_to_game();
        let is_end = reader.peek().is_none();
        if !is_end {
            // In UTF-8 no character ends in an ASCII byte, whatever CA says.
            reader.is_lead = if is_utf8 { |_| false } else { lead_bytes(&reader.bytes[reader.place..]) };
            trees.push((reader.line, reader.tree()));
        }
        if strange && let Some((_, Ok(tree))) = trees.last_mut() {
            let side = if is_end { "after" } else { "before" };
            tree.notes.push(format!("text {side} the game is ignored"));
        }
        if is_end {
            return trees;
        }
    }
}

/// The bytes that begin characters of two bytes, by the CA of the text's first game. The second byte may be that of `\`
/// or `]`.
fn lead_bytes(text: &[u8]) -> fn(u8) -> bool {
    let root = text[1..].windows(2).position(|two| two == b"(;").map_or(text, |end| &text[..=end]);
    let value = root.windows(3).position(|three| three == b"CA[").map_or(&[][..], |place| &root[place + 3..]);
    let charset: String = value
        .iter()
        .take_while(|&&byte| byte != b']')
        .filter(|byte| byte.is_ascii_alphanumeric())
        .map(|byte| char::from(byte.to_ascii_lowercase()))
        .collect();
    let is = |names: &[&str]| names.iter().any(|name| charset.contains(name));
    if is(&["sjis", "shiftjis", "932", "31j"]) {
        |byte| matches!(byte, 0x81..=0x9f | 0xe0..=0xfc)
    } else if is(&["gb", "936", "big5", "950"]) {
        |byte| matches!(byte, 0x81..=0xfe)
    } else {
        |_| false
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    place: usize,
    /// The line of the next byte.
    line: usize,
    is_lead: fn(u8) -> bool,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.place).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.place += 1;
        self.line += usize::from(byte == b'\n');
        Some(byte)
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.next();
        }
    }

    /// Skips white space and other text to the next game.
    fn skip_to_game(&mut self) -> bool {
        let mut strange = false;
        if self.place == 0 && self.bytes.starts_with("\u{feff}".as_bytes()) {
            self.place = "\u{feff}".len();
        }
        while let Some(byte) = self.peek() {
            let mut inside = self.bytes[self.place + 1..].iter().filter(|byte| !byte.is_ascii_whitespace());
            if byte == b'(' && inside.next() == Some(&b';') {
                break;
            }
            strange |= !byte.is_ascii_whitespace();
            self.next();
        }
        strange
    }

    /// Reads a game to its end, also after an error in it. The main line ends with the first variation.
    fn tree(&mut self) -> Result<Tree> {
        let (mut tree, mut fault) = (Tree::default(), None);
        let (mut depth, mut is_main, mut last) = (0, true, b')');
        while let Some(byte) = self.peek() {
            let fits = match byte {
                b';' => last != b')',
                b'(' | b')' => last != b'(',
                _ => last == b';' || byte.is_ascii_whitespace(),
            };
            if !fits {
                fault.get_or_insert_with(|| self.misplaced(byte));
            }
            match byte {
                b'(' | b')' | b';' => {
                    self.next();
                    last = byte;
                }
                _ if byte.is_ascii_whitespace() => self.skip_space(),
                _ => match (self.property(), tree.nodes.last_mut()) {
                    (Ok(property), Some(node)) if is_main => add(property, node, &mut tree.notes),
                    (Ok(_), _) => {}
                    (Err(why), _) => {
                        fault.get_or_insert(why);
                    }
                },
            }
            match byte {
                b'(' => depth += 1,
                b')' if depth == 1 => return fault.map_or(Ok(tree), Err),
                b')' => (depth, is_main) = (depth - 1, false),
                b';' if is_main && tree.nodes.len() == MAX_NODES => {
                    let what = format!("the main line has more than {MAX_NODES} nodes");
                    fault.get_or_insert(Error::invalid(what));
                }
                b';' if is_main => tree.nodes.push(Node::new()),
                _ => {}
            }
        }
        tree.notes.push("its end, a ')', is missing".into());
        fault.map_or(Ok(tree), Err)
    }

    fn property(&mut self) -> Result<Property> {
        let (from, line) = (self.place, self.line);
        while self.peek().is_some_and(|byte| byte.is_ascii_alphanumeric()) {
            self.next();
        }
        let written = String::from_utf8_lossy(&self.bytes[from..self.place]).into_owned();
        if written.is_empty() {
            let byte = self.next().unwrap_or_default();
            return Err(self.misplaced(byte));
        }
        self.skip_space();
        let mut values = Vec::new();
        while self.peek() == Some(b'[') {
            values.push(self.value()?);
            self.skip_space();
        }
        let name: String = written.chars().filter(char::is_ascii_uppercase).collect();
        if name.is_empty() || values.is_empty() {
            let shown: String = written.chars().take(20).collect();
            return Err(malformed(line, &format!("'{shown}' is not a property: write it as B[aa]")));
        }
        Ok(Property { name, values })
    }

    fn value(&mut self) -> Result<String> {
        let line = self.line;
        self.next();
        let mut text = Vec::new();
        while let Some(byte) = self.next() {
            match byte {
                b']' => return Ok(String::from_utf8_lossy(&text).into_owned()),
                b'\\' => {
                    // The end of line after a backslash is not part of the text.
                    let escaped = self.next().filter(|&byte| byte != b'\n');
                    escaped.into_iter().for_each(|byte| self.character(byte, &mut text));
                }
                _ => self.character(byte, &mut text),
            }
        }
        Err(malformed(line, "the value that begins here has no end, a ']' is missing"))
    }

    /// Adds the character of a byte. Characters of two bytes are not distinguished: only ASCII matters.
    fn character(&mut self, first: u8, text: &mut Vec<u8>) {
        if (self.is_lead)(first) {
            self.next();
            text.extend(char::REPLACEMENT_CHARACTER.to_string().bytes());
        } else {
            text.push(first);
        }
    }

    fn misplaced(&self, byte: u8) -> Error {
        malformed(self.line, &format!("{:?} is out of place", char::from(byte)))
    }
}

fn malformed(line: usize, what: &str) -> Error {
    Error::invalid(format!("malformed SGF: line {line}: {what}"))
}

fn add(property: Property, node: &mut Node, notes: &mut Vec<String>) {
    if node.iter().any(|other| other.name == property.name) {
        notes.push(format!("{} is twice in a node", property.name));
    }
    node.push(property);
}
