//! The loops of the rules in the parsed module: their iterations, their calls, and whether the text counts them.

use super::parsed::{Parsed, any_statement, blocks};
use naga::{
    BinaryOperator, Block, Expression, Function, Handle, Literal, LocalVariable, Module, ScalarKind,
    Statement, TypeInner,
};

/// The function called before every iteration of a loop that counts its iterations.
pub(super) const COUNTS: &str = "rules_loop_ends";

/// A loop of a function, or the function itself.
#[derive(Debug, Default)]
pub(super) struct Loop {
    /// The greatest number of its iterations; `None` if unknown. A function has one.
    pub most: Option<u64>,
    /// The place of its keyword in the text; `None` if unknown, or for a function.
    pub place: Option<usize>,
    /// Whether it is in a `continuing` block.
    pub continuing: bool,
    /// The count of each iteration, if it counts and ends at the limit.
    pub counted: Option<u64>,
    pub inner: Vec<Loop>,
    pub calls: Vec<Handle<Function>>,
}

pub(super) fn of_function(parsed: &Parsed, function: &Function) -> Loop {
    let mut body = Loop { most: Some(1), ..Loop::default() };
    Reader { parsed, function }.read(&function.body, false, &mut body);
    body
}

struct Reader<'a> {
    parsed: &'a Parsed,
    function: &'a Function,
}

impl Reader<'_> {
    fn module(&self) -> &Module {
        &self.parsed.module
    }

    fn read(&self, block: &Block, continuing: bool, into: &mut Loop) {
        for (statement, span) in block.span_iter() {
            match statement {
                Statement::Call { function, .. } => into.calls.push(*function),
                Statement::Loop { body, continuing: last, .. } => {
                    let mut inner = Loop {
                        most: self.bounded_iterations(body, last),
                        place: self.parsed.place(*span).map(|place| place.start),
                        continuing,
                        counted: self.counted(body),
                        ..Loop::default()
                    };
                    self.read(body, continuing, &mut inner);
                    self.read(last, true, &mut inner);
                    into.inner.push(inner);
                }
                other => blocks(other).for_each(|block| self.read(block, continuing, into)),
            }
        }
    }

    /// The count of each iteration: the loop calls [`COUNTS`] before any statement of its body that can begin the next
    /// iteration, and breaks if that returns true.
    fn counted(&self, body: &Block) -> Option<u64> {
        let mut statements = body.iter();
        while let Some(statement) = statements.next() {
            match statement {
                Statement::Call { function, arguments, result: Some(result) }
                    if self.module().functions[*function].name.as_deref() == Some(COUNTS) =>
                {
                    let leaves = statements.next().is_some_and(|next| {
                        matches!(next, Statement::If { condition, accept, .. }
                            if condition == result
                                && matches!(accept.last(), Some(Statement::Return { .. } | Statement::Break)))
                    });
                    let iterations = self.number(*arguments.first()?)?;
                    return u64::try_from(iterations).ok().filter(|_| leaves);
                }
                Statement::Block(block) => return self.counted(block),
                other => {
                    let goes_on = |statement: &Statement| matches!(statement, Statement::Continue);
                    let inner = matches!(other, Statement::Loop { .. } | Statement::Continue);
                    if inner || blocks(other).any(|block| any_statement(block, &goes_on)) {
                        return None;
                    }
                }
            }
        }
        None
    }

    /// The greatest number of iterations of `for (var i = A; i < B; i++)`, of `i <= B` and of `i += C`, where A, B and
    /// C are known and the body does not change i.
    fn bounded_iterations(&self, body: &Block, continuing: &Block) -> Option<u64> {
        let (variable, bound) = self.bound(body)?;
        let is_signed = match self.module().types[self.function.local_variables[variable].ty].inner {
            TypeInner::Scalar(scalar) if scalar.width == 4 && scalar.kind == ScalarKind::Sint => true,
            TypeInner::Scalar(scalar) if scalar.width == 4 && scalar.kind == ScalarKind::Uint => false,
            _ => return None,
        };
        let [stored] = self.stores(continuing, variable)[..] else { return None };
        let is_certain = continuing
            .iter()
            .any(|statement| matches!(statement, Statement::Store { value, .. } if *value == stored));
        let step = self.step(stored, variable, continuing).filter(|_| is_certain)?;
        let most = if is_signed { i64::from(i32::MAX) } else { i64::from(u32::MAX) };
        let stays = self.stores(body, variable).is_empty() && !self.is_lent(variable);
        if !stays || step < 1 || bound + step > most {
            return None;
        }
        let start = if is_signed { self.least_start(variable, continuing)? } else { 0 };
        u64::try_from(bound - start.min(0)).ok()
    }

    /// The variable and its bound, if every iteration begins by leaving the loop at the bound.
    fn bound(&self, body: &Block) -> Option<(Handle<LocalVariable>, i64)> {
        let head = body.iter().take_while(|statement| matches!(statement, Statement::Emit(_))).count();
        let Statement::If { condition, accept, reject } = body.get(head)? else { return None };
        if !accept.is_empty() || !matches!(reject[..], [Statement::Break]) {
            return None;
        }
        let Expression::Binary { op, left, right } = self.function.expressions[*condition] else {
            return None;
        };
        let extra = match op {
            BinaryOperator::Less => 0,
            BinaryOperator::LessEqual => 1,
            _ => return None,
        };
        Some((self.loaded(left, &body[..head])?, self.number(right)? + extra))
    }

    /// The difference of a value that a block stores to the variable.
    fn step(
        &self,
        value: Handle<Expression>,
        variable: Handle<LocalVariable>,
        block: &[Statement],
    ) -> Option<i64> {
        match self.function.expressions[value] {
            Expression::Binary { op: BinaryOperator::Add, left, right }
                if self.loaded(left, block) == Some(variable) =>
            {
                self.number(right)
            }
            _ => None,
        }
    }

    /// The least value of a variable at the start of a loop: its initial one, or one stored outside of the loop, whose
    /// last block this is.
    fn least_start(&self, variable: Handle<LocalVariable>, continuing: &Block) -> Option<i64> {
        let own = self.function.local_variables[variable].init.map_or(Some(0), |init| self.number(init))?;
        let step = self.stores(continuing, variable);
        let stored =
            self.stores(&self.function.body, variable).into_iter().filter(|value| !step.contains(value));
        stored.map(|value| self.number(value)).try_fold(own, |least, value| Some(least.min(value?)))
    }

    /// The values that a block stores in a variable.
    fn stores(&self, block: &Block, variable: Handle<LocalVariable>) -> Vec<Handle<Expression>> {
        let mut found = Vec::new();
        for statement in block {
            match statement {
                Statement::Store { pointer, value } if self.is(*pointer, variable) => found.push(*value),
                other => found.extend(blocks(other).flat_map(|block| self.stores(block, variable))),
            }
        }
        found
    }

    /// Whether a function that may write to the variable is called.
    fn is_lent(&self, variable: Handle<LocalVariable>) -> bool {
        any_statement(&self.function.body, &|statement| {
            matches!(statement, Statement::Call { arguments, .. }
                if arguments.iter().any(|&argument| self.is(argument, variable)))
        })
    }

    fn is(&self, expression: Handle<Expression>, variable: Handle<LocalVariable>) -> bool {
        self.function.expressions[expression] == Expression::LocalVariable(variable)
    }

    /// The variable of an expression that is its value, read by these statements: a value read before them is of an
    /// earlier iteration.
    fn loaded(
        &self,
        expression: Handle<Expression>,
        statements: &[Statement],
    ) -> Option<Handle<LocalVariable>> {
        let is_read = statements.iter().any(
            |statement| matches!(statement, Statement::Emit(range) if range.clone().any(|read| read == expression)),
        );
        let Expression::Load { pointer } = self.function.expressions[expression] else { return None };
        match self.function.expressions[pointer] {
            Expression::LocalVariable(variable) if is_read => Some(variable),
            _ => None,
        }
    }

    /// A known number.
    fn number(&self, expression: Handle<Expression>) -> Option<i64> {
        let expression = match self.function.expressions[expression] {
            Expression::Constant(constant) => {
                &self.module().global_expressions[self.module().constants[constant].init]
            }
            ref other => other,
        };
        match *expression {
            Expression::Literal(Literal::U32(value)) => Some(value.into()),
            Expression::Literal(Literal::I32(value)) => Some(value.into()),
            Expression::ZeroValue(_) => Some(0),
            _ => None,
        }
    }
}
