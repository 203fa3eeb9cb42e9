//! Comparison of two engines of alpha-beta: times and speed-up by depth.

use super::{Axis, Curve, Panel, Panels, Point};

/// Two searches of the same position, on one core and on a device.
#[derive(Debug, Clone, PartialEq)]
pub struct EngineComparison {
    /// The board, such as `19x19`.
    pub label: String,
    /// One row for each depth that both have completed.
    pub rows: Vec<DepthComparison>,
}

/// The times of both engines from the start of the search to the end of a depth.
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
    /// The time of the sequential search divided by that of PV-Split.
    pub fn speed_up(&self) -> f64 {
        self.cpu_seconds / self.gpu_seconds
    }
}

impl EngineComparison {
    /// From the depths of the sequential search and of PV-Split, as (depth, seconds of that depth).
    pub fn new(
        label: String,
        cpu: impl IntoIterator<Item = (u32, f64)>,
        gpu: impl IntoIterator<Item = (u32, f64)>,
    ) -> Self {
        let (mut cpu_seconds, mut gpu_seconds) = (0.0, 0.0);
        let depths = cpu.into_iter().zip(gpu);
        let rows = depths
            .map(|((depth, cpu), (_, gpu))| {
                cpu_seconds += cpu;
                gpu_seconds += gpu;
                DepthComparison { depth, cpu_seconds, gpu_seconds }
            })
            .collect();
        Self { label, rows }
    }
}

/// The times of both engines and the speed-up, by depth, for all measured sizes.
pub fn comparison(comparisons: &[EngineComparison], adapter: &str) -> Panels {
    let (mut times, mut speed_ups) = (Vec::new(), Vec::new());
    for (colour, comparison) in comparisons.iter().enumerate() {
        let rows = &comparison.rows;
        let label = &comparison.label;
        let curve = |name: String, dashed, value: fn(&DepthComparison) -> f64| {
            let points = rows.iter().map(|row| Point::new(row.depth.into(), value(row))).collect();
            Curve { name, colour, dashed, points }
        };
        times.push(curve(format!("{label}, sequential"), true, |row| row.cpu_seconds));
        times.push(curve(format!("{label}, PV-Split"), false, |row| row.gpu_seconds));
        speed_ups.push(curve(label.clone(), false, DepthComparison::speed_up));
    }
    Panels {
        title: format!("PV-Split on {adapter} against alpha-beta on one CPU core"),
        note: "Times are counted from the start of the search to the end of each depth.".into(),
        panels: vec![
            panel("Time to the end of the depth", "seconds", times),
            panel("Speed-up over one core", "factor", speed_ups),
        ],
        columns: 2,
        panel_size: (520, 420),
    }
}

fn panel(title: &str, unit: &str, curves: Vec<Curve>) -> Panel {
    let values = curves.iter().flat_map(|curve| &curve.points).map(|point| point.y).filter(|y| *y > 0.0);
    let (low, high) = values.fold((1.0, 1.0), |(low, high): (f64, f64), y| (low.min(y), high.max(y)));
    let depths = curves.iter().flat_map(|curve| &curve.points).map(|point| point.x as u32);
    let x = Axis::counted("plies", depths.max().unwrap_or(1));
    Panel { title: title.into(), x, y: Axis::decades(unit, low, high), curves }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::figure::svg;

    #[test]
    fn a_comparison_counts_time_from_the_start_and_draws_every_depth() {
        let (cpu, gpu) = ([(1, 1.0), (2, 5.0), (3, 9.0)], [(1, 2.0), (2, 1.0)]);
        let comparison = EngineComparison::new("5x5 <&>".into(), cpu, gpu);
        let speed_ups: Vec<f64> = comparison.rows.iter().map(DepthComparison::speed_up).collect();
        assert_eq!(speed_ups, [0.5, 2.0]);
        let figure = svg(&super::comparison(&[comparison], "a device")).expect("it is drawn");
        // Two depths of three curves, and a dot each in the legends.
        assert_eq!(figure.matches("<circle").count(), 6 + 3);
        assert!(figure.contains("5x5 &lt;&amp;&gt;, PV-Split"));
    }
}
