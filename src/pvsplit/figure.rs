//! Times and speed-up per ply as a figure, after the paper's figures 2 to 4.

use super::SplitReport;
use std::fmt::Write;

/// Two searches of the same position, one on one core, one on the device.
#[derive(Debug, Clone, PartialEq)]
pub struct EngineComparison {
    /// What was searched, for the legend: `19x19`.
    pub label: String,
    /// The sequential search.
    pub cpu: SplitReport,
    /// PV-Split.
    pub gpu: SplitReport,
}

/// A ply, the seconds of both engines from the start of the search to the end of that depth, and the speed-up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DepthComparison {
    /// Plies.
    pub depth: u32,
    /// Of the sequential search.
    pub cpu_seconds: f64,
    /// Of PV-Split.
    pub gpu_seconds: f64,
}

impl DepthComparison {
    /// How many times as fast PV-Split is.
    pub fn speed_up(&self) -> f64 {
        self.cpu_seconds / self.gpu_seconds
    }
}

impl EngineComparison {
    /// One row a depth that both have finished.
    pub fn rows(&self) -> Vec<DepthComparison> {
        let (mut cpu_seconds, mut gpu_seconds) = (0.0, 0.0);
        let depths = self.cpu.per_depth.iter().zip(&self.gpu.per_depth);
        depths
            .map(|(cpu, gpu)| {
                cpu_seconds += cpu.seconds;
                gpu_seconds += gpu.seconds;
                DepthComparison { depth: cpu.depth, cpu_seconds, gpu_seconds }
            })
            .collect()
    }
}

const PANEL: (f64, f64) = (420.0, 300.0);
const MARGIN: f64 = 70.0;
const COLOURS: [&str; 4] = ["#1b6ca8", "#c8553d", "#588157", "#6d597a"];

/// Values over depths, drawn in one colour.
struct Curve {
    name: String,
    colour: &'static str,
    dashed: bool,
    points: Vec<(u32, f64)>,
}

/// Two panels side by side: seconds per ply of both engines, and the speed-up; both axes of values logarithmic.
pub fn svg(comparisons: &[EngineComparison]) -> String {
    let (mut times, mut speed_ups) = (Vec::new(), Vec::new());
    for (comparison, colour) in comparisons.iter().zip(COLOURS.into_iter().cycle()) {
        let rows = comparison.rows();
        let label = escaped(&comparison.label);
        let curve = |name: String, dashed, value: fn(&DepthComparison) -> f64| {
            let points = rows.iter().map(|r| (r.depth, value(r))).collect();
            Curve { name, colour, dashed, points }
        };
        times.push(curve(format!("{label}, sequential"), true, |r| r.cpu_seconds));
        times.push(curve(format!("{label}, PV-Split"), false, |r| r.gpu_seconds));
        speed_ups.push(curve(label, false, DepthComparison::speed_up));
    }
    let (width, height) = (2.0 * (PANEL.0 + 2.0 * MARGIN), PANEL.1 + 2.0 * MARGIN);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
    );
    panel(&mut text, MARGIN, "Seconds to the end of the depth", &times);
    panel(&mut text, PANEL.0 + 3.0 * MARGIN, "Speed-up over one core", &speed_ups);
    text + "</svg>\n"
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Writing to a string cannot fail, so the results of `write!` are let go.
fn panel(text: &mut String, left: f64, title: &str, curves: &[Curve]) {
    let points = || curves.iter().flat_map(|c| &c.points).filter(|p| p.1 > 0.0);
    let deepest = points().map(|p| p.0).max().unwrap_or(1).max(2);
    let exponents = points().map(|p| p.1.log10());
    let low = exponents.clone().fold(0.0, f64::min).floor();
    let high = exponents.fold(low + 1.0, f64::max).ceil();
    let x = |depth: u32| left + PANEL.0 * f64::from(depth - 1) / f64::from(deepest - 1);
    let y = |value: f64| MARGIN + PANEL.1 * (high - value.log10()) / (high - low);
    let (right, bottom) = (left + PANEL.0, MARGIN + PANEL.1);
    _ = writeln!(text, "<text x=\"{left}\" y=\"{}\" font-size=\"15\">{title}</text>", MARGIN - 30.0);
    for exponent in low as i32..=high as i32 {
        let at = y(10f64.powi(exponent));
        _ = writeln!(text, "<path d=\"M{left} {at:.1}H{right}\" stroke=\"#ddd\"/>");
        let label = if exponent < 0 {
            format!("10<tspan dy=\"-5\" font-size=\"9\">{exponent}</tspan>")
        } else {
            10u64.pow(exponent as u32).to_string()
        };
        _ = writeln!(
            text,
            "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
            left - 8.0,
            at + 4.0
        );
    }
    for depth in 1..=deepest {
        let at = x(depth);
        _ = writeln!(
            text,
            "<text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{depth}</text>",
            bottom + 20.0
        );
    }
    let middle = (left + right) / 2.0;
    _ = writeln!(text, "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">plies</text>", bottom + 42.0);
    for (index, curve) in curves.iter().enumerate() {
        draw(text, curve, &x, &y);
        let at = MARGIN + 18.0 * index as f64 + 6.0;
        let (from, to) = (left + 12.0, left + 40.0);
        _ = writeln!(text, "<path d=\"M{from} {at}H{to}\" {}/>", stroke(curve));
        _ = writeln!(text, "<text x=\"{}\" y=\"{}\">{}</text>", to + 8.0, at + 4.0, curve.name);
    }
}

fn draw(text: &mut String, curve: &Curve, x: &impl Fn(u32) -> f64, y: &impl Fn(f64) -> f64) {
    let points = curve.points.iter().filter(|p| p.1 > 0.0);
    let path: Vec<String> = points.clone().map(|&(d, v)| format!("{:.1} {:.1}", x(d), y(v))).collect();
    _ = writeln!(text, "<path d=\"M{}\" fill=\"none\" {}/>", path.join("L"), stroke(curve));
    for &(depth, value) in points {
        let (x, y) = (x(depth), y(value));
        _ = writeln!(text, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{}\"/>", curve.colour);
    }
}

fn stroke(curve: &Curve) -> String {
    let dashes = if curve.dashed { " stroke-dasharray=\"5 4\"" } else { "" };
    format!("stroke=\"{}\" stroke-width=\"2\"{dashes}", curve.colour)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pvsplit::DepthReport;

    fn report(seconds: [f64; 2]) -> SplitReport {
        let depth = |(depth, seconds)| DepthReport {
            depth,
            score: 0,
            exact: false,
            principal_variation: vec![0],
            nodes: 1,
            seconds,
        };
        SplitReport { per_depth: (1..).zip(seconds).map(depth).collect(), workers: None }
    }

    #[test]
    fn a_comparison_counts_time_from_the_start_and_draws_every_depth() {
        let (cpu, gpu) = (report([1.0, 5.0]), report([2.0, 1.0]));
        let comparison = EngineComparison { label: "5x5 <&>".into(), cpu, gpu };
        let speed_ups: Vec<f64> = comparison.rows().iter().map(|row| row.speed_up()).collect();
        assert_eq!(speed_ups, [0.5, 2.0]);
        let figure = svg(&[comparison]);
        assert_eq!(figure.matches("<circle").count(), 6);
        assert!(figure.contains("5x5 &lt;&amp;&gt;, PV-Split"));
    }
}
