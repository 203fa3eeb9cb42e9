//! Figures as SVG and PNG, drawn by the same code.
//!
//! A PNG has twice the pixels of the SVG's size. Its font is included, so that machines without fonts can draw it:
//! Roboto (copyright 2011 Google Inc., Apache License 2.0), reduced to Latin and Greek letters, digits and signs.

mod comparison;
mod course;
mod dots;
mod grid;
mod panel;

pub use comparison::{EngineComparison, comparison};
pub use course::Course;
pub use dots::{Dot, Dots};
pub use grid::{Cell, Cells, Grid};
pub use panel::{Axis, Curve, Panel, Panels, Point};

use super::failure::{Failure, Result};
use crate::names::visible;
use plotters::{
    coord::Shift,
    drawing::DrawingAreaErrorKind,
    prelude::*,
    style::{
        register_font,
        text_anchor::{HPos, Pos, VPos},
    },
};
use std::sync::Once;

/// The result of drawing.
pub type Drawn<B> = std::result::Result<(), DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>>;

/// The font family in SVGs, and the name of the included font.
const FAMILY: &str = "sans-serif";
const LETTERS: &[u8] = include_bytes!("Roboto-Latin.ttf");
/// Pixels of a PNG per pixel of the SVG.
const PNG_SCALE: u32 = 2;
/// The height of a PNG's letters above an SVG's, relative to their size: a correction.
const PNG_LIFT: f64 = 0.14;

/// Colours that colour-blind readers can distinguish (Okabe and Ito), dark ones first.
const COLOURS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
];
const GREY: RGBColor = RGBColor(110, 110, 110);
const PALE: RGBColor = RGBColor(221, 221, 221);

/// The colour of the n-th curve of a figure.
pub fn colour(n: usize) -> RGBColor {
    COLOURS[n % COLOURS.len()]
}

/// A figure that can be drawn.
pub trait Figure {
    /// Width and height of the SVG.
    fn size(&self) -> (u32, u32);

    /// Draws the figure on a white page of its size.
    fn draw<B: DrawingBackend>(&self, page: &Page<B>) -> Drawn<B>;
}

pub fn svg(figure: &impl Figure) -> Result<String> {
    let mut text = String::new();
    draw(figure, SVGBackend::with_string(&mut text, figure.size()), (1, 0.0))?;
    Ok(text)
}

pub fn png(figure: &impl Figure) -> Result<Vec<u8>> {
    let (width, height) = figure.size();
    let (width, height) = (width * PNG_SCALE, height * PNG_SCALE);
    let mut pixels = vec![0; 3 * width as usize * height as usize];
    draw(figure, BitMapBackend::with_buffer(&mut pixels, (width, height)), (PNG_SCALE, PNG_LIFT))?;
    encoded(&pixels, width, height).map_err(|error| Failure::message(format!("no PNG: {error}")))
}

fn encoded(pixels: &[u8], width: u32, height: u32) -> std::result::Result<Vec<u8>, png::EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    Ok(bytes)
}

fn draw<B: DrawingBackend>(figure: &impl Figure, backend: B, (scale, lift): (u32, f64)) -> Result<()> {
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| {
        let registered = register_font(FAMILY, FontStyle::Normal, LETTERS);
        assert!(registered.is_ok(), "the included font is valid");
    });
    let page = Page { area: backend.into_drawing_area(), scale, lift };
    let drawn = page.area.fill(&WHITE).and_then(|()| figure.draw(&page)).and_then(|()| page.area.present());
    drawn.map_err(|error| Failure::message(format!("the figure can't be drawn: {error}")))
}

/// A page, or a part of one. Lengths are pixels of the SVG.
pub struct Page<B: DrawingBackend> {
    area: DrawingArea<B, Shift>,
    scale: u32,
    /// The height by which letters are too high, relative to their size.
    lift: f64,
}

impl<B: DrawingBackend> Page<B> {
    fn px(&self, length: f64) -> i32 {
        (length * f64::from(self.scale)).round() as i32
    }

    /// The part with this corner and size.
    fn part(&self, (x, y): (f64, f64), (width, height): (f64, f64)) -> Self {
        let (left, top) = (self.px(x), self.px(y));
        let area = self.area.clone().shrink((left, top), (self.px(width), self.px(height)));
        Self { area, scale: self.scale, lift: self.lift }
    }

    fn font(&self, size: f64) -> FontDesc<'static> {
        // plotters' font size is the height of a line: an em is 1 / 1.24 of it.
        (FAMILY, 1.24 * size * f64::from(self.scale)).into_font()
    }

    fn width(&self, text: &str, size: f64) -> f64 {
        // Browsers may use a wider font than the included one.
        let measured = self.font(size).box_size(&visible(text)).map_or(0, |(width, _)| width);
        1.12 * f64::from(measured) / f64::from(self.scale)
    }

    /// Draws a text that has the point at this side, or in its middle; centred vertically.
    fn text(&self, text: &str, at: (f64, f64), (size, side): (f64, HPos), colour: RGBColor) -> Drawn<B> {
        let style = self.font(size).color(&colour).pos(Pos::new(side, VPos::Center));
        self.area.draw_text(&visible(text), &style, (self.px(at.0), self.px(at.1 + self.lift * size)))
    }

    fn line(&self, from: (f64, f64), to: (f64, f64), colour: RGBColor, width: u32) -> Drawn<B> {
        let points = [from, to].map(|(x, y)| (self.px(x), self.px(y)));
        self.area.draw(&PathElement::new(points, colour.stroke_width(width * self.scale)))
    }

    fn rectangle(&self, (x, y): (f64, f64), (width, height): (f64, f64), colour: RGBColor) -> Drawn<B> {
        let corners = [(self.px(x), self.px(y)), (self.px(x + width), self.px(y + height))];
        self.area.draw(&Rectangle::new(corners, colour.filled()))
    }

    fn dot(&self, at: (f64, f64), radius: f64, colour: RGBColor) -> Drawn<B> {
        self.area.draw(&Circle::new((self.px(at.0), self.px(at.1)), self.px(radius), colour.filled()))
    }
}

/// A text of at most `most` letters; letters in its middle are removed if it is longer.
pub fn shortened(text: &str, most: usize) -> String {
    let text = visible(text);
    let letters: Vec<char> = text.chars().collect();
    if letters.len() <= most {
        return text;
    }
    let (head, tail) = (most.div_ceil(2), most / 2 - 1);
    let [head, tail] = [&letters[..head], &letters[letters.len() - tail..]].map(|part| part.iter().collect());
    let (head, tail): (String, String) = (head, tail);
    format!("{head}\u{2026}{tail}")
}

/// A count in about four letters: `870`, `17.1 k`, `2.3 M`.
pub fn rounded(count: f64) -> String {
    match count {
        _ if count >= 9.995e8 => format!("{:.1} G", count / 1e9),
        _ if count >= 9.995e5 => format!("{:.1} M", count / 1e6),
        _ if count >= 999.5 => format!("{:.1} k", count / 1e3),
        _ if count >= 10.0 || count == count.round() => format!("{count:.0}"),
        _ => format!("{count:.1}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_are_short() {
        let texts = [0.0, 2.5, 999.0, 17_140.0, 999_999.0, 2.26e6, 3.0e9].map(rounded);
        assert_eq!(texts, ["0", "2.5", "999", "17.1 k", "1.0 M", "2.3 M", "3.0 G"]);
        assert_eq!(shortened("acp-prodigal", 12), "acp-prodigal");
        assert_eq!(shortened("acp-prodigal:trees=4", 11), "acp-pr\u{2026}es=4");
        assert_eq!(shortened("äöüäöü", 4), "äö\u{2026}ü");
    }
}
