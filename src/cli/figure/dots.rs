//! Figures with one value and its interval for each player.

use super::{
    Axis, Drawn, Figure, GREY, HPos, PALE, Page, colour,
    panel::{HEAD, head},
    rounded, shortened,
};
use plotters::prelude::*;

const LEFT: f64 = 390.0;
const WIDTH: f64 = 400.0;
const RIGHT: f64 = 90.0;
const ROW: f64 = 30.0;
const BELOW: f64 = 52.0;
/// Greatest length of a name, in letters.
const LETTERS: usize = 52;

/// A row with a dot for each player.
#[derive(Debug, Clone, PartialEq)]
pub struct Dots {
    pub title: String,
    /// The text below the title.
    pub note: String,
    pub axis: Axis,
    pub values: Vec<Dot>,
}

/// A value of a player.
#[derive(Debug, Clone, PartialEq)]
pub struct Dot {
    pub name: String,
    pub value: f64,
    /// Half the width of the interval; 0 for none.
    pub error: f64,
    /// The value as text.
    pub label: String,
}

impl Dot {
    /// A dot for a count.
    pub fn count(name: String, value: f64) -> Self {
        Self { name, value, error: 0.0, label: rounded(value) }
    }
}

impl Figure for Dots {
    fn size(&self) -> (u32, u32) {
        let height = HEAD + ROW * self.values.len() as f64 + BELOW;
        ((LEFT + WIDTH + RIGHT) as u32, height as u32)
    }

    fn draw<B: DrawingBackend>(&self, page: &Page<B>) -> Drawn<B> {
        head(page, &self.title, &self.note)?;
        let axis = &self.axis;
        let x = |value: f64| LEFT + WIDTH * axis.share(value);
        let bottom = HEAD + ROW * self.values.len() as f64;
        for &tick in &axis.ticks {
            page.line((x(tick), HEAD), (x(tick), bottom + 4.0), PALE, 1)?;
            page.text(&axis.label(tick), (x(tick), bottom + 14.0), (12.0, HPos::Center), BLACK)?;
        }
        page.text(&axis.name, (LEFT + WIDTH / 2.0, bottom + 36.0), (12.0, HPos::Center), BLACK)?;
        for (row, Dot { name, value, error, label }) in self.values.iter().enumerate() {
            let y = HEAD + ROW * (row as f64 + 0.5);
            page.text(&shortened(name, LETTERS), (LEFT - 10.0, y), (12.0, HPos::Right), BLACK)?;
            page.line((LEFT, y), (LEFT + WIDTH, y), PALE, 1)?;
            if *error > 0.0 {
                page.line((x(value - error), y), (x(value + error), y), colour(0), 2)?;
            }
            page.dot((x(*value), y), 5.0, colour(0))?;
            page.text(label, (LEFT + WIDTH + 10.0, y), (12.0, HPos::Left), GREY)?;
        }
        Ok(())
    }
}
