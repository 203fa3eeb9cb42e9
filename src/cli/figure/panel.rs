//! Curves over two axes.

use super::{Drawn, Figure, GREY, HPos, PALE, Page, colour};
use plotters::{
    coord::ranged1d::{KeyPointHint, NoDefaultFormatting, ValueFormatter},
    prelude::*,
};
use std::ops::{Range, RangeInclusive};

/// Margins of a panel.
const LEFT: f64 = 76.0;
const MARGIN: f64 = 14.0;
const RIGHT: f64 = 20.0;
const BELOW: f64 = 46.0;
const ROW: f64 = 18.0;
const GAP: f64 = 10.0;
const TITLE: f64 = 22.0;
const TEXT: f64 = 12.0;
/// The mean width of a letter in the widest common font.
const WIDEST: f64 = 7.5;

/// The scale of an axis.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Spacing {
    Even,
    Decades,
    Doublings,
}

/// An axis: its name, range and ticks.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    pub name: String,
    spacing: Spacing,
    /// The range on the scale of the axis.
    range: (f64, f64),
    /// Values with labels.
    pub ticks: Vec<f64>,
}

impl Axis {
    /// A linear axis.
    pub fn even(name: &str, range: RangeInclusive<f64>) -> Self {
        let (low, high) = (*range.start(), range.end().max(range.start() + 1e-9));
        let raw = (high - low) / 8.0;
        let power = 10f64.powf(raw.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|it| it * power).into_iter().find(|step| *step >= raw * 0.999);
        let step = step.unwrap_or(10.0 * power);
        let first = (low / step).ceil() as i64;
        let last = (high / step + 1e-9).floor() as i64;
        let ticks = (first..=last).map(|it| it as f64 * step).collect();
        Self { name: name.into(), spacing: Spacing::Even, range: (low, high), ticks }
    }

    /// A linear axis of whole numbers from 1.
    pub fn counted(name: &str, last: u32) -> Self {
        let step = [1, 2, 5, 10, 20, 50, 100, 200].into_iter().find(|step| last / step <= 20).unwrap_or(500);
        let ticks = (1..=last).filter(|it| *it == 1 || it % step == 0).map(f64::from).collect();
        let range = (0.5, f64::from(last.max(2)) + 0.5);
        Self { name: name.into(), spacing: Spacing::Even, range, ticks }
    }

    /// An axis for positive values: logarithmic if the greatest is at least ten times the least, else linear from 0.
    pub fn of_values(name: &str, values: impl Iterator<Item = f64> + Clone) -> Self {
        let (low, high) = values.clone().fold((f64::MAX, 0.0), |(a, b), v| (v.min(a), v.max(b)));
        if values.count() == 0 || high < 10.0 * low {
            return Self::even(name, 0.0..=1.08 * high.max(1e-9));
        }
        Self::decades(name, low, high)
    }

    /// A logarithmic axis of whole decades.
    pub fn decades(name: &str, low: f64, high: f64) -> Self {
        let low = low.log10().floor();
        let high = high.log10().ceil().max(low + 1.0);
        let ticks = (low as i32..=high as i32).map(|exponent| 10f64.powi(exponent)).collect();
        Self { name: format!("{name} (log scale)"), spacing: Spacing::Decades, range: (low, high), ticks }
    }

    /// A logarithmic axis with labels at these values.
    pub fn doublings(name: &str, values: &[u32]) -> Self {
        let ticks: Vec<f64> = values.iter().copied().map(f64::from).collect();
        let (low, high) = ticks.iter().fold((f64::MAX, 1f64), |(a, b), v| (v.min(a), v.max(b)));
        let range = (low.min(high).log2() - 0.3, high.log2() + 0.3);
        Self { name: format!("{name} (log scale)"), spacing: Spacing::Doublings, range, ticks }
    }

    /// Whether the axis can show a value.
    fn has(&self, value: f64) -> bool {
        self.spacing == Spacing::Even || value > 0.0
    }

    /// The place of a value on the scale of the axis.
    fn place(&self, value: f64) -> f64 {
        match self.spacing {
            Spacing::Even => value,
            Spacing::Decades => value.log10(),
            Spacing::Doublings => value.log2(),
        }
    }

    /// The place of a value, from 0 at the start of the axis to 1 at its end.
    pub fn share(&self, value: f64) -> f64 {
        (self.place(value) - self.range.0) / (self.range.1 - self.range.0)
    }

    pub fn label(&self, value: f64) -> String {
        match self.spacing {
            Spacing::Doublings => format!("{value:.0}"),
            Spacing::Decades if value < 0.009 => format!("{value:e}"),
            _ if value >= 1000.0 => super::rounded(value).replace(".0 ", " "),
            _ => format!("{}", (1e6 * value).round() / 1e6),
        }
    }
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (from, to): (i32, i32)) -> i32 {
        from + (self.share(*value).clamp(0.0, 1.0) * f64::from(to - from)).round() as i32
    }

    fn key_points<H: KeyPointHint>(&self, _hint: H) -> Vec<f64> {
        self.ticks.clone()
    }

    fn range(&self) -> Range<f64> {
        let value = |place: f64| match self.spacing {
            Spacing::Even => place,
            Spacing::Decades => 10f64.powf(place),
            Spacing::Doublings => place.exp2(),
        };
        value(self.range.0)..value(self.range.1)
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, value: &f64) -> String {
        self.label(*value)
    }
}

/// A point of a curve, with the interval of its value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    pub x: f64,
    pub y: f64,
    pub interval: Option<[f64; 2]>,
}

impl Point {
    /// A point without an interval.
    pub fn new(x: f64, y: f64) -> Self {
        Self { x, y, interval: None }
    }
}

/// A sequence of points in one colour.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    pub name: String,
    pub colour: usize,
    pub dashed: bool,
    pub points: Vec<Point>,
}

/// Curves with two axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    pub title: String,
    pub x: Axis,
    pub y: Axis,
    pub curves: Vec<Curve>,
}

impl Panel {
    /// Draws the panel over the whole page.
    fn draw<B: DrawingBackend>(&self, page: &Page<B>, (width, height): (f64, f64)) -> Drawn<B> {
        page.text(&self.title, (LEFT, TITLE / 2.0), (14.0, HPos::Left), BLACK)?;
        let rows = self.legend(page, width - RIGHT)?;
        let top = TITLE + ROW * rows + 8.0;
        self.chart(&page.part((0.0, top), (width, height - top - GAP)))
    }

    /// Draws the names of the curves; returns the number of rows.
    fn legend<B: DrawingBackend>(
        &self,
        page: &Page<B>,
        right: f64,
    ) -> std::result::Result<f64, DrawingAreaErrorKind<B::ErrorType>> {
        let (mut x, mut row) = (LEFT, 0.0);
        let letters = ((right - LEFT - 36.0) / WIDEST) as usize;
        for curve in &self.curves {
            let name = super::shortened(&curve.name, letters);
            let width = 36.0 + page.width(&name, TEXT) + 16.0;
            if x > LEFT && x + width > right {
                (x, row) = (LEFT, row + 1.0);
            }
            let y = TITLE + ROW * (row + 0.5);
            let ends =
                if curve.dashed { vec![(0.0, 7.0), (11.0, 18.0), (22.0, 29.0)] } else { vec![(0.0, 29.0)] };
            for (from, to) in ends {
                page.line((x + from, y), (x + to, y), colour(curve.colour), 2)?;
            }
            page.dot((x + 14.5, y), 3.0, colour(curve.colour))?;
            page.text(&name, (x + 36.0, y), (TEXT, HPos::Left), BLACK)?;
            x += width;
        }
        Ok(row + 1.0)
    }

    fn chart<B: DrawingBackend>(&self, page: &Page<B>) -> Drawn<B> {
        let (x, y) = (&self.x, &self.y);
        let label = page.font(TEXT).color(&BLACK);
        let mut chart = ChartBuilder::on(&page.area)
            .margin_left(page.px(MARGIN))
            .margin_right(page.px(RIGHT))
            .margin_top(page.px(6.0))
            .set_label_area_size(LabelAreaPosition::Left, page.px(LEFT - MARGIN))
            .set_label_area_size(LabelAreaPosition::Bottom, page.px(BELOW))
            .build_cartesian_2d(x.clone(), y.clone())?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .bold_line_style(PALE.stroke_width(page.scale))
            .light_line_style(TRANSPARENT)
            .axis_style(GREY.stroke_width(page.scale))
            .set_all_tick_mark_size(page.px(4.0))
            .x_labels(x.ticks.len() + 1)
            .y_labels(y.ticks.len() + 1)
            .x_desc(&x.name)
            .y_desc(&y.name)
            .label_style(label.clone())
            .axis_desc_style(label)
            .draw()?;
        for curve in &self.curves {
            self.curve(&mut chart, curve, page)?;
        }
        Ok(())
    }

    fn curve<B: DrawingBackend>(
        &self,
        chart: &mut ChartContext<'_, B, Cartesian2d<Axis, Axis>>,
        curve: &Curve,
        page: &Page<B>,
    ) -> Drawn<B> {
        let style = colour(curve.colour).stroke_width(2 * page.scale);
        let known: Vec<_> =
            curve.points.iter().filter(|point| self.x.has(point.x) && self.y.has(point.y)).collect();
        let bars = known.iter().filter_map(|point| {
            let ends = point.interval?.map(|end| (point.x, end));
            Some(PathElement::new(ends, colour(curve.colour).mix(0.45).stroke_width(page.scale + 1)))
        });
        chart.draw_series(bars)?;
        let places = || known.iter().map(|point| (point.x, point.y));
        if curve.dashed {
            let (dash, gap) = (page.px(6.0), page.px(4.0));
            chart.draw_series(DashedLineSeries::new(places(), dash, gap, style))?;
        } else {
            chart.draw_series(LineSeries::new(places(), style))?;
        }
        let dot = |place| Circle::new(place, page.px(3.0), colour(curve.colour).filled());
        chart.draw_series(places().map(dot))?;
        Ok(())
    }
}

/// Panels of one size, row by row below a title.
#[derive(Debug, Clone, PartialEq)]
pub struct Panels {
    pub title: String,
    /// The text below the title.
    pub note: String,
    pub panels: Vec<Panel>,
    pub columns: u32,
    pub panel_size: (u32, u32),
}

/// Height of the title of a figure.
pub const HEAD: f64 = 56.0;

/// Draws the title of a figure, and the text below it.
pub fn head<B: DrawingBackend>(page: &Page<B>, title: &str, note: &str) -> Drawn<B> {
    page.text(title, (16.0, 20.0), (16.0, HPos::Left), BLACK)?;
    page.text(note, (16.0, 41.0), (TEXT, HPos::Left), GREY)
}

impl Figure for Panels {
    fn size(&self) -> (u32, u32) {
        let rows = (self.panels.len() as u32).div_ceil(self.columns);
        (self.columns * self.panel_size.0, HEAD as u32 + rows * self.panel_size.1)
    }

    fn draw<B: DrawingBackend>(&self, page: &Page<B>) -> Drawn<B> {
        head(page, &self.title, &self.note)?;
        let (width, height) = (f64::from(self.panel_size.0), f64::from(self.panel_size.1));
        for (panel, place) in self.panels.iter().zip(0..) {
            let (row, column) = (place / self.columns, place % self.columns);
            let at = (f64::from(column) * width, HEAD + f64::from(row) * height);
            panel.draw(&page.part(at, (width, height)), (width, height))?;
        }
        Ok(())
    }
}
