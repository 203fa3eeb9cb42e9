//! Figures of scores by trees and playouts, with a panel for each kind of search.

use super::{
    Drawn, Figure, GREY, HPos, PALE, Page,
    panel::{HEAD, head},
    rounded, shortened,
};
use plotters::prelude::*;
use std::collections::BTreeMap;

const CELL: (f64, f64) = (104.0, 62.0);
const LEFT: f64 = 66.0;
const TOP: f64 = 30.0;
const BELOW: f64 = 52.0;
const GAP: f64 = 18.0;
/// Width of the colour scale with its numbers.
const SCALE: f64 = 96.0;
/// Least width, for the title and the note.
const LEAST_WIDTH: f64 = 620.0;

/// The colour scale from 0 to 1 in even steps: viridis, which also works for colour-blind readers.
const VIRIDIS: [RGBColor; 9] = [
    RGBColor(68, 1, 84),
    RGBColor(71, 45, 123),
    RGBColor(59, 82, 139),
    RGBColor(44, 114, 142),
    RGBColor(33, 145, 140),
    RGBColor(40, 174, 128),
    RGBColor(94, 201, 98),
    RGBColor(173, 220, 48),
    RGBColor(253, 231, 37),
];

/// The result of one search.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// Points per game.
    pub score: f64,
    /// Playouts and steps per move, mean and greatest depth; `None` without reports.
    pub work: Option<[f64; 4]>,
}

/// Results by (trees, playouts) of searches that differ in them only.
pub type Cells = BTreeMap<(u32, u32), Cell>;

/// Scores of many searches against one opponent.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    pub title: String,
    /// The text below the title.
    pub note: String,
    /// By the searches' common settings.
    pub panels: BTreeMap<String, Cells>,
    /// Columns of all panels, ascending.
    pub playouts: Vec<u32>,
    /// Rows of all panels, ascending.
    pub trees: Vec<u32>,
}

impl Grid {
    fn columns(&self) -> u32 {
        if self.panels.len() > 1 { 2 } else { 1 }
    }

    fn panel_size(&self) -> (f64, f64) {
        let (columns, rows) = (self.playouts.len() as f64, self.trees.len() as f64);
        (LEFT + columns * CELL.0 + GAP, TOP + rows * CELL.1 + BELOW)
    }

    /// Width and height of all panels.
    fn panels_size(&self) -> (f64, f64) {
        let (width, height) = self.panel_size();
        let rows = (self.panels.len() as u32).div_ceil(self.columns());
        (f64::from(self.columns()) * width, f64::from(rows) * height)
    }

    fn panel<B: DrawingBackend>(&self, page: &Page<B>, title: &str, cells: &Cells) -> Drawn<B> {
        let letters = (self.panel_size().0 - LEFT) as usize / 7;
        page.text(&shortened(title, letters), (LEFT, TOP / 2.0), (14.0, HPos::Left), BLACK)?;
        let bottom = TOP + self.trees.len() as f64 * CELL.1;
        for (row, &trees) in self.trees.iter().enumerate() {
            // More trees are higher up, as on an axis.
            let top = bottom - (row as f64 + 1.0) * CELL.1;
            let label = format!("T = {trees}");
            page.text(&label, (LEFT - 8.0, top + CELL.1 / 2.0), (12.0, HPos::Right), BLACK)?;
            for (column, &playouts) in self.playouts.iter().enumerate() {
                let at = (LEFT + column as f64 * CELL.0, top);
                draw_cell(page, at, cells.get(&(trees, playouts)))?;
            }
        }
        for (column, playouts) in self.playouts.iter().enumerate() {
            let middle = LEFT + (column as f64 + 0.5) * CELL.0;
            page.text(&format!("m = {playouts}"), (middle, bottom + 14.0), (12.0, HPos::Center), BLACK)?;
        }
        Ok(())
    }

    /// Draws the colour scale from 0 to 1.
    fn scale<B: DrawingBackend>(page: &Page<B>, height: f64) -> Drawn<B> {
        let steps = 100;
        let step = height / f64::from(steps);
        for place in (0..steps).rev() {
            let share = (f64::from(place) + 0.5) / f64::from(steps);
            let y = height - f64::from(place + 1) * step;
            // Each rectangle overlaps the one above, so that there are no gaps.
            page.rectangle((0.0, TOP + y), (20.0, height - y), shade(share))?;
        }
        for percent in [0.0, 25.0, 50.0, 75.0, 100.0] {
            let y = TOP + height * (1.0 - percent / 100.0);
            page.line((20.0, y), (25.0, y), BLACK, 1)?;
            page.text(&format!("{percent} %"), (30.0, y), (12.0, HPos::Left), BLACK)?;
        }
        page.text("score", (0.0, TOP / 2.0 - 4.0), (12.0, HPos::Left), BLACK)
    }
}

fn draw_cell<B: DrawingBackend>(page: &Page<B>, (x, y): (f64, f64), cell: Option<&Cell>) -> Drawn<B> {
    let size = (CELL.0 - 2.0, CELL.1 - 2.0);
    let middle = x + size.0 / 2.0;
    let Some(cell) = cell else {
        page.rectangle((x, y), size, PALE)?;
        return page.text("not played", (middle, y + size.1 / 2.0), (11.0, HPos::Center), GREY);
    };
    let back = shade(cell.score);
    let ink = if is_light(back) { BLACK } else { WHITE };
    page.rectangle((x, y), size, back)?;
    let score = format!("{:.1} %", 100.0 * cell.score);
    let Some([playouts, steps, mean, max]) = cell.work else {
        return page.text(&score, (middle, y + size.1 / 2.0), (16.0, HPos::Center), ink);
    };
    page.text(&score, (middle, y + 17.0), (16.0, HPos::Center), ink)?;
    let work = format!("{} / {}", rounded(playouts), rounded(steps));
    page.text(&work, (middle, y + 35.0), (10.5, HPos::Center), ink)?;
    page.text(&format!("{mean:.2} / {max:.2}"), (middle, y + 49.0), (10.5, HPos::Center), ink)
}

/// The colour of a score.
fn shade(share: f64) -> RGBColor {
    let at = share.clamp(0.0, 1.0) * (VIRIDIS.len() - 1) as f64;
    let low = (at as usize).min(VIRIDIS.len() - 2);
    let (a, b, part) = (VIRIDIS[low], VIRIDIS[low + 1], at - low as f64);
    let mixed = |a: u8, b: u8| (f64::from(a) + part * (f64::from(b) - f64::from(a))).round() as u8;
    RGBColor(mixed(a.0, b.0), mixed(a.1, b.1), mixed(a.2, b.2))
}

/// Whether black has more contrast than white on this colour, by the Web Content Accessibility Guidelines.
fn is_light(colour: RGBColor) -> bool {
    let linear = |channel: u8| (f64::from(channel) / 255.0).powf(2.2);
    0.2126 * linear(colour.0) + 0.7152 * linear(colour.1) + 0.0722 * linear(colour.2) > 0.18
}

impl Figure for Grid {
    fn size(&self) -> (u32, u32) {
        let (width, height) = self.panels_size();
        ((width + SCALE).max(LEAST_WIDTH) as u32, (HEAD + height) as u32)
    }

    fn draw<B: DrawingBackend>(&self, page: &Page<B>) -> Drawn<B> {
        head(page, &self.title, &self.note)?;
        let (size, columns) = (self.panel_size(), self.columns());
        for ((title, cells), place) in self.panels.iter().zip(0..) {
            let at = (f64::from(place % columns) * size.0, HEAD + f64::from(place / columns) * size.1);
            self.panel(&page.part(at, size), title, cells)?;
        }
        let (width, height) = self.panels_size();
        let bar = page.part((width + 8.0, HEAD), (SCALE - 8.0, height));
        Self::scale(&bar, height - TOP - BELOW)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shades_grow_lighter_with_the_score() {
        assert_eq!((shade(0.0), shade(1.0)), (VIRIDIS[0], VIRIDIS[8]));
        assert_eq!(shade(0.5), VIRIDIS[4]);
        let light: Vec<_> = (0..=10).map(|score| is_light(shade(f64::from(score) / 10.0))).collect();
        assert_eq!((light[0], light[10]), (false, true));
        assert!(light.is_sorted());
    }
}
