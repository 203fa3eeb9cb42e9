//! The measurements and the model, as a figure.

use super::{
    measured::{Kind, Measured, Result, Series},
    model::Model,
    runs::GAMES,
    tables::{LATENCIES_US, MODELLED, latency_text},
};
use plotters::{
    coord::{
        Shift,
        combinators::{BindKeyPoints, IntoLogRange, LogCoord, WithKeyPoints},
        ranged1d::{AsRangedCoord, ValueFormatter},
    },
    prelude::*,
    style::register_font,
};
use std::iter::empty;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

const SIZE: (u32, u32) = (960, 760);
/// Plotters measures texts with a font of its own; readers of the SVG see this one.
const FAMILY: &str = "sans-serif";
const LETTERS: &[u8] = include_bytes!("../../src/cli/figure/Roboto-Latin.ttf");
/// Colours that colour-blind people can distinguish (Okabe and Ito).
const COLOURS: [RGBColor; 3] = [RGBColor(0, 114, 178), RGBColor(213, 94, 0), RGBColor(0, 158, 115)];
const GREY: RGBColor = RGBColor(110, 110, 110);
const PALE: RGBColor = RGBColor(221, 221, 221);

struct Curve {
    name: String,
    colour: RGBColor,
    style: Style,
    points: Vec<(f64, f64)>,
}

/// The style of a curve, which also distinguishes it without colours.
#[derive(PartialEq)]
enum Style {
    /// A line with dots.
    Seen,
    /// A dashed line.
    Reference,
    /// Dots alone.
    Dots,
}

/// The figure as SVG: the first series of a CPU, the time to agree, and the model.
pub fn svg(measured: &Measured) -> Result<String> {
    let cpu = measured.series.iter().find(|series| series.is_cpu).ok_or("no series of the CPU engine")?;
    let model = Model::fit(measured)?;
    register_font(FAMILY, FontStyle::Normal, LETTERS).ok();
    let mut text = String::new();
    {
        let page = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        page.fill(&WHITE)?;
        let parts = page.split_evenly((2, 2));
        let same = format!("CPU engine: the same {} trees on more ranks", cpu.trees);
        let each = format!("CPU engine: {} trees on each rank", cpu.trees_a_rank);
        speed_ups(&parts[0], cpu, Kind::Strong, &same)?;
        speed_ups(&parts[1], cpu, Kind::Weak, &each)?;
        agreements(&parts[2], measured, model)?;
        efficiencies(&parts[3], model)?;
        page.present()?;
    }
    Ok(text)
}

fn speed_ups(area: &Area, series: &Series, kind: Kind, title: &str) -> Result<()> {
    let ranks = series.ranks();
    let ideal = ranks.iter().map(|&ranks| (f64::from(ranks), f64::from(ranks)));
    let mut curves = vec![Curve {
        name: "as many times as ranks".into(),
        colour: GREY,
        style: Style::Reference,
        points: ideal.collect(),
    }];
    for (game, colour) in GAMES.iter().zip(COLOURS) {
        // Relative to one rank: the distance between ranks and separate programs is the loss of the ranks.
        let rate = |of, ranks| series.rate(of, game.name, ranks);
        let point = |of, ranks| Some((f64::from(ranks), rate(of, ranks)? / rate(kind, 1)?));
        let points = |of| ranks.iter().filter_map(|&ranks| point(of, ranks)).collect();
        curves.push(Curve { name: game.title.into(), colour, style: Style::Seen, points: points(kind) });
        if kind == Kind::Weak {
            let name = format!("{}, without MPI", game.title);
            curves.push(Curve { name, colour, style: Style::Reference, points: points(Kind::Apart) });
        }
    }
    let reached = curves.iter().flat_map(|curve| &curve.points).map(|point| point.1);
    let axes = (doublings(&ranks, empty()), doublings(&ranks, reached));
    panel(area, (title, "times one rank (log scale)"), axes, &curves)
}

fn agreements(area: &Area, measured: &Measured, model: Model) -> Result<()> {
    let ranks: Vec<u32> = measured.costs.iter().map(|costs| costs.ranks).collect();
    let seen: Vec<_> = measured.costs.iter().map(|costs| (f64::from(costs.ranks), costs.agree_us)).collect();
    let fitted: Vec<_> = ranks.iter().map(|&ranks| (f64::from(ranks), model.agree_us(ranks, 0.0))).collect();
    let most = seen.iter().chain(&fitted).fold(0.0, |most: f64, point| most.max(point.1));
    let curves = [
        Curve { name: "measured".into(), colour: COLOURS[0], style: Style::Dots, points: seen },
        Curve {
            name: format!("{:.1} + {:.1} log2(ranks)", model.alone_us, model.doubling_us),
            colour: GREY,
            style: Style::Reference,
            points: fitted,
        },
    ];
    panel(area, ("Time to agree", "microseconds"), (doublings(&ranks, empty()), 0.0..1.1 * most), &curves)
}

fn efficiencies(area: &Area, model: Model) -> Result<()> {
    let curves: Vec<_> = LATENCIES_US
        .iter()
        .zip(COLOURS)
        .map(|(&latency, colour)| Curve {
            name: latency_text(latency),
            colour,
            style: Style::Seen,
            points: MODELLED.map(|ranks| (f64::from(ranks), 100.0 * model.efficiency(ranks, latency))).into(),
        })
        .collect();
    let axes = (doublings(&MODELLED, empty()), 0.0..105.0);
    panel(area, ("A model, not run: efficiency of a rank", "percent of one rank alone"), axes, &curves)
}

/// A logarithmic axis with these numbers alone, as far as the values reach.
fn doublings(numbers: &[u32], reached: impl Iterator<Item = f64>) -> WithKeyPoints<LogCoord<f64>> {
    let numbers: Vec<f64> = numbers.iter().copied().map(f64::from).collect();
    let all = numbers.iter().copied().chain(reached);
    let (first, last) = all.fold((1.0, 2.0), |(first, last): (f64, f64), it| (first.min(it), last.max(it)));
    LogCoord::from((first..last).log_scale().base(2.0)).with_key_points(numbers)
}

/// Curves over the ranks, with a title and a name of the other axis.
fn panel<X, Y>(area: &Area, (title, name): (&str, &str), (x, y): (X, Y), curves: &[Curve]) -> Result<()>
where
    X: AsRangedCoord<Value = f64>,
    Y: AsRangedCoord<Value = f64>,
    X::CoordDescType: ValueFormatter<f64>,
    Y::CoordDescType: ValueFormatter<f64>,
{
    let mut chart = ChartBuilder::on(area)
        .caption(title, (FAMILY, 18))
        .margin(10)
        .margin_right(26)
        .x_label_area_size(44)
        .y_label_area_size(56)
        .build_cartesian_2d(x, y)?;
    chart
        .configure_mesh()
        .bold_line_style(PALE)
        .light_line_style(TRANSPARENT)
        .axis_style(GREY)
        .label_style((FAMILY, 15))
        .x_desc("ranks (log scale)")
        .y_desc(name)
        .x_label_formatter(&|value| format!("{value:.0}"))
        .y_label_formatter(&|value| format!("{}", (100.0 * value).round() / 100.0))
        .draw()?;
    for curve in curves {
        let places = || curve.points.iter().copied();
        let (colour, line) = (curve.colour, curve.colour.stroke_width(2));
        let is_dashed = curve.style == Style::Reference;
        let drawn = match curve.style {
            Style::Seen => chart.draw_series(LineSeries::new(places(), line).point_size(3))?,
            Style::Reference => chart.draw_series(DashedLineSeries::new(places(), 6, 4, line))?,
            Style::Dots => chart.draw_series(places().map(|at| Circle::new(at, 4, colour.filled())))?,
        };
        // As long as a dash, or as a line.
        let length = if is_dashed { 9 } else { 20 };
        drawn.label(&curve.name).legend(move |(x, y)| PathElement::new([(x, y), (x + length, y)], line));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerRight)
        .background_style(WHITE.mix(0.85))
        .label_font((FAMILY, 14))
        .draw()?;
    Ok(())
}
