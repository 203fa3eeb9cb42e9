//! Enums whose values have names: in reports, in files, on the command line. Also the display of users' texts.

/// Declares an enum with a name for each value, which is its text everywhere: `ALL`, `name`, `Display`, `FromStr` (in
/// either case), `Serialize`, `Deserialize`. `$what` is the enum's description in errors.
macro_rules! named {
    (
        $(#[$meta:meta])*
        pub enum $Type:ident: $what:literal {
            $($(#[$value_meta:meta])* $Value:ident = $name:literal,)+
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        #[serde(into = "&'static str", try_from = "String")]
        pub enum $Type {
            $($(#[$value_meta])* $Value,)+
        }

        impl $Type {
            /// All values, in this order.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$Value),+];

            /// The name of the value.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$Value => $name,)+
                }
            }
        }

        $crate::names::by_name!($Type, $what);
    };
}

/// Implements texts of a type with `ALL` and `name`.
macro_rules! by_name {
    ($Type:ident, $what:literal) => {
        impl std::fmt::Display for $Type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl From<$Type> for &'static str {
            fn from(value: $Type) -> Self {
                value.name()
            }
        }

        impl TryFrom<String> for $Type {
            type Error = $crate::Error;

            fn try_from(name: String) -> $crate::Result<Self> {
                name.parse()
            }
        }

        impl std::str::FromStr for $Type {
            type Err = $crate::Error;

            fn from_str(name: &str) -> $crate::Result<Self> {
                let found = Self::ALL.iter().find(|value| value.name().eq_ignore_ascii_case(name));
                found.copied().ok_or_else(|| {
                    let known: Vec<_> = Self::ALL.iter().map(|value| value.name()).collect();
                    $crate::Error::invalid(format!(
                        concat!("unknown ", $what, " '{}': choose one of {}"),
                        name,
                        known.join(", ")
                    ))
                })
            }
        }
    };
}

pub(crate) use {by_name, named};

/// A text for display on one line: control characters, which a terminal obeys and an XML file may not have, are
/// escaped, as are characters that change the direction of text.
pub fn visible(text: &str) -> String {
    let is_hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
            || matches!(c, '\u{fffe}' | '\u{ffff}')
    };
    let escape = |c: char| if is_hidden(c) { c.escape_default().to_string() } else { c.to_string() };
    text.chars().map(escape).collect()
}

/// [`visible`], of a text whose lines and tabs stay.
#[cfg(feature = "cli")]
pub fn visible_lines(text: &str) -> String {
    let separators = ['\n', '\t'];
    let parts = text.split_inclusive(separators).map(|part| {
        let shown = part.trim_end_matches(separators);
        visible(shown) + &part[shown.len()..]
    });
    parts.collect()
}

/// `1 row`, `2 rows`.
pub fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::visible;

    named! {
        /// A fruit.
        pub enum Fruit: "fruit" {
            /// Red or green.
            Apple = "apple",
            /// Green or yellow.
            Pear = "pear",
        }
    }

    #[test]
    fn values_are_read_and_written_by_name() {
        assert_eq!("Pear".parse(), Ok(Fruit::Pear));
        assert_eq!(serde_json::to_string(&[Fruit::Apple]).unwrap(), r#"["apple"]"#);
        assert_eq!(serde_json::from_str::<Fruit>(r#""pear""#).unwrap(), Fruit::Pear);
        let error = "plum".parse::<Fruit>().unwrap_err();
        assert_eq!(error.to_string(), "unknown fruit 'plum': choose one of apple, pear");
        assert_eq!(format!("{:>6}", Fruit::Pear), "  pear");
    }

    #[test]
    fn what_a_terminal_obeys_is_escaped() {
        let plain = "vanilla:steps=5 | \"caf\u{e9}\" \\ \u{1f600}";
        assert_eq!(visible(plain), plain);
        assert_eq!(
            visible("a\nb\x1b[2J\u{9b}m\u{202e}c\u{ffff}\0"),
            r"a\nb\u{1b}[2J\u{9b}m\u{202e}c\u{ffff}\u{0}"
        );
        #[cfg(feature = "cli")]
        assert_eq!(super::visible_lines("\n\ta\x1b\n\nb\r\n"), "\n\ta\\u{1b}\n\nb\\r\n");
    }
}
