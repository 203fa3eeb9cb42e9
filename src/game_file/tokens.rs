//! The tokens of WGSL: enough to distinguish names, braces and comments. Characters that only some readers treat as
//! blanks or as ends of lines have been refused before (`limits`).

use std::ops::Range;

/// A word, a number, or one character of anything else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub text: &'a str,
    pub place: Range<usize>,
}

impl Token<'_> {
    /// Whether it is a name or a keyword.
    pub fn is_word(&self) -> bool {
        self.text.starts_with(|c: char| c.is_alphabetic() || c == '_')
    }
}

/// The tokens of a text, without comments.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            comment(rest)
        } else if c.is_whitespace() {
            c.len_utf8()
        } else {
            let is_part = |c: char| c.is_alphanumeric() || c == '_';
            let length = match is_part(c) {
                true => rest.find(|c| !is_part(c)).unwrap_or(rest.len()),
                false => c.len_utf8(),
            };
            tokens.push(Token { text: &rest[..length], place: at..at + length });
            length
        };
        at += length;
    }
    tokens
}

/// The length of a comment that may have others inside.
fn comment(text: &str) -> usize {
    let mut depth = 0;
    let bytes = text.as_bytes();
    let mut at = 0;
    while at + 1 < bytes.len() {
        match &bytes[at..at + 2] {
            b"/*" => depth += 1,
            b"*/" => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

/// A declaration at the outermost level of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item<'a> {
    /// `fn`, `const`, `struct`, `alias`, `var`, `override`; or `enable`, `requires`, `diagnostic`; or an attribute's
    /// `@`.
    pub kind: &'a str,
    /// Its name; for an attribute that of the attribute. Empty where there is none.
    pub name: &'a str,
    /// The place of the name, or else of the kind.
    pub place: Range<usize>,
}

/// The declarations of a text.
pub(super) fn items<'a>(tokens: &[Token<'a>]) -> Vec<Item<'a>> {
    const KINDS: [&str; 10] =
        ["fn", "const", "struct", "alias", "var", "override", "enable", "requires", "diagnostic", "@"];
    let mut depth = 0;
    let mut items = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match token.text {
            "{" | "(" => depth += 1,
            "}" | ")" => depth -= 1,
            kind if depth == 0 && KINDS.contains(&kind) => {
                let name = name_after(tokens, at, kind);
                let place = name.map_or(token.place.clone(), |name| name.place.clone());
                items.push(Item { kind, name: name.map_or("", |name| name.text), place });
            }
            _ => {}
        }
    }
    items
}

/// The name of a declaration; after `var<private>` it follows the brackets.
pub(super) fn name_after<'a, 't>(tokens: &'t [Token<'a>], at: usize, kind: &str) -> Option<&'t Token<'a>> {
    let mut next = at + 1;
    if kind == "var" && tokens.get(next).is_some_and(|token| token.text == "<") {
        next += tokens[next..].iter().position(|token| token.text == ">")? + 1;
    }
    tokens.get(next).filter(|token| token.is_word())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_no_tokens_and_declarations_are_found() {
        let text = "//! fn a\n/* fn b /* c */ */ const A = 1u; @id(3) override O = 2;\n\
            var<private, read_write> v: u32; fn f(x: u32) -> bool { let fn_y = x; return true; } \
            struct S { m: u32 } /* end";
        let tokens = tokens(text);
        let items: Vec<_> = items(&tokens).into_iter().map(|item| (item.kind, item.name)).collect();
        let expected =
            [("const", "A"), ("@", "id"), ("override", "O"), ("var", "v"), ("fn", "f"), ("struct", "S")];
        assert_eq!(items, expected);
        assert!(tokens.iter().all(|token| &text[token.place.clone()] == token.text));
    }

    proptest::proptest! {
        #[test]
        fn any_text_has_tokens(text in "\\PC*") {
            let tokens = tokens(&text);
            items(&tokens);
        }
    }
}
