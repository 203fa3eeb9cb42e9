//! Boards by the number of words of their planes.

/// Planes of as few words as a board needs; the two common boards with a fixed stride.
#[derive(Debug, Clone)]
pub(super) enum Width<Nine, Two, Four, Nineteen, Six> {
    Nine(Nine),
    Two(Two),
    Four(Four),
    Nineteen(Nineteen),
    Six(Six),
}

/// Evaluates the expression with `$inner` bound to the value of any width.
macro_rules! any_width {
    ($width:expr, $inner:ident => $result:expr) => {
        match $width {
            Width::Nine($inner) => $result,
            Width::Two($inner) => $result,
            Width::Four($inner) => $result,
            Width::Nineteen($inner) => $result,
            Width::Six($inner) => $result,
        }
    };
}

pub(super) use any_width;
