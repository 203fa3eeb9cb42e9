//! The format of help: groups of options, and the colours of cargo.

use anstyle::{AnsiColor, Style};
use clap::{ValueEnum, builder::Styles};

/// Groups of options.
pub const POSITION: &str = "Game and position";
pub const SEARCH: &str = "Search";
pub const ENGINE: &str = "Engine";
pub const OUTPUT: &str = "Output";

const fn bold(colour: AnsiColor) -> Style {
    colour.on_default().bold()
}

/// The style of the word "error".
pub const ERROR: Style = bold(AnsiColor::BrightRed);
/// The style of the words "warning" and "notice".
pub const WARNING: Style = bold(AnsiColor::Yellow);
pub const NOTICE: Style = bold(AnsiColor::BrightGreen);

/// The name of a value on the command line.
pub fn name_of(value: &impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

pub const STYLES: Styles = Styles::styled()
    .header(bold(AnsiColor::BrightGreen))
    .usage(bold(AnsiColor::BrightGreen))
    .literal(bold(AnsiColor::BrightCyan))
    .placeholder(AnsiColor::Cyan.on_default())
    .error(ERROR)
    .valid(bold(AnsiColor::BrightCyan))
    .invalid(WARNING);
