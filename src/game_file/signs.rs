//! Remainders of numbers that may be negative, for which adapters differ.

use super::{parsed::Parsed, text::Text};
use naga::{
    BinaryOperator, Expression, Function, Handle, Literal, MathFunction, Module, ScalarKind,
    valid::FunctionInfo,
};

/// Greatest depth of operations that are examined for the sign of one of them.
const MOST_DEPTH: u32 = 8;

/// For people: remainders of numbers that may be negative, or by one.
pub(super) fn notices(text: &Text, parsed: &Parsed) -> Vec<String> {
    let mut notices = Vec::new();
    for (handle, function, _) in parsed.functions() {
        let signs = Signs { module: &parsed.module, function, info: &parsed.info[handle] };
        for (expression, operation) in function.expressions.iter() {
            let Expression::Binary { op: BinaryOperator::Modulo, left, right } = *operation else { continue };
            let is_known = signs.known(left, MOST_DEPTH) && signs.known(right, MOST_DEPTH);
            if signs.kind(expression) != Some(ScalarKind::Sint) || is_known {
                continue;
            }
            if let Some(place) = parsed.place(function.expressions.get_span(expression)) {
                let (line, column) = text.line_and_column(place.start);
                notices.push(format!(
                    "{}:{line}:{column}: % of numbers that may be negative: adapters differ in it (through GL it is \
                     often not WGSL's): make both positive first, or use u32",
                    text.file
                ));
            }
        }
    }
    notices
}

struct Signs<'a> {
    module: &'a Module,
    function: &'a Function,
    info: &'a FunctionInfo,
}

impl Signs<'_> {
    fn kind(&self, expression: Handle<Expression>) -> Option<ScalarKind> {
        self.info[expression].ty.inner_with(&self.module.types).scalar_kind()
    }

    /// Whether a number is certainly not negative, if numbers converted from u32 are counts, and sums and products fit.
    fn known(&self, expression: Handle<Expression>, depth: u32) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        match self.function.expressions[expression] {
            Expression::Literal(literal) => is_positive(literal),
            Expression::ZeroValue(_) => true,
            Expression::Constant(constant) => {
                let init = self.module.constants[constant].init;
                matches!(self.module.global_expressions[init], Expression::Literal(literal) if is_positive(literal))
            }
            Expression::Splat { value, .. } => self.known(value, depth),
            Expression::As { expr, convert: Some(_), .. } => {
                self.kind(expr) == Some(ScalarKind::Uint) || self.known(expr, depth)
            }
            Expression::Math { fun: MathFunction::Abs, .. } => true,
            Expression::Math { fun: MathFunction::Max, arg, arg1: Some(other), .. }
            | Expression::Binary { op: BinaryOperator::And, left: arg, right: other } => {
                self.known(arg, depth) || self.known(other, depth)
            }
            Expression::Math { fun: MathFunction::Min, arg, arg1: Some(other), .. }
            | Expression::Select { accept: arg, reject: other, .. }
            | Expression::Binary {
                op: BinaryOperator::Add | BinaryOperator::Multiply | BinaryOperator::Divide,
                left: arg,
                right: other,
            } => self.known(arg, depth) && self.known(other, depth),
            Expression::Binary { op: BinaryOperator::Modulo | BinaryOperator::ShiftRight, left, .. } => {
                self.known(left, depth)
            }
            _ => false,
        }
    }
}

fn is_positive(literal: Literal) -> bool {
    matches!(literal, Literal::I32(value) if value >= 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remainders_of_what_may_be_negative_are_noticed() {
        let noticed = |line: &str| {
            let text =
                format!("const N = 5;\nfn f(a: i32, b: u32) {{\n    var v = a;\n    let r = {line};\n}}\n");
            let text = Text { file: "a.wgsl".into(), text };
            let parsed = Parsed::new(&text, "").unwrap_or_else(|error| panic!("{line}: {error}"));
            notices(&text, &parsed)
        };
        let lines = "a % 3; (a - 1) % N; 7 % a; v % N; (a + N) % N; -3 % v; vec2(a) % 3; min(a, 3) % 2";
        for line in lines.split("; ") {
            let notices = noticed(line);
            assert!(notices.len() == 1 && notices[0].starts_with("a.wgsl:4:13: %"), "{line}: {notices:?}");
        }
        let lines = "b % 3u; i32(b) % N; abs(a) % 3; max(a, 0) % N; (a & 7) % 3; \
            (i32(b) + 4 * i32(b) / 3) % 7; ((a & 7) >> 1u) % 3 % 2; -7 % 3";
        for line in lines.split("; ") {
            assert_eq!(noticed(line), [""; 0], "{line}");
        }
    }
}
