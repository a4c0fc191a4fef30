"""The symbols of an operator that an invocation has bound so far (2.6.2)."""

from __future__ import annotations

from msgspec import Struct, field

from snd_analysis import rules
from snd_analysis.base import Rule, counted
from snd_analysis.compose.bind.declared_shapes import Unsolvable, solve
from snd_analysis.compose.checks.assertion_text import failed_evaluation, responsible_for
from snd_analysis.compose.failure import BindingFailed, DeclarationFailed, Failure, Site
from snd_analysis.compose.scope import ValueScope
from snd_analysis.compose.specialization import shown
from snd_analysis.compose.template import Member, Template
from snd_analysis.model import RuntimeCheck, Tensor, TensorValue
from snd_analysis.skriptnd.evaluate import EvaluationError
from snd_analysis.skriptnd.names import Symbol
from snd_analysis.skriptnd.syntax import nodes, written
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import TRUE, EqualityVerdict, Integer, Truth
from snd_analysis.symbolic.values import Value


class BindingState(Struct):
    """The values bound to the symbols of a definition, and the conditions on them that only the run can check."""

    template: Template
    scope: ValueScope
    attributes: dict[str, Value] = field(default_factory=dict)
    inputs: list[TensorValue] = field(default_factory=list)
    checks: list[RuntimeCheck] = field(default_factory=list)
    origins: dict[Symbol, str] = field(default_factory=dict)
    """The origin of each extent or length, for messages."""
    left_out: set[Member] = field(default_factory=set)
    """The attributes that have their default value."""
    item: int | None = None
    """Index of the tensor in a pack that is bound now, if it is known."""
    first: Tensor | None = None
    """The first tensor of that pack."""

    def fail(self, rule: Rule, message: str, member: Member, others: tuple[Site, ...] = ()) -> BindingFailed:
        """Return a failure to bind a member. The invocation is blamed if it supplies the value of the member."""
        what = "attribute" if member in self.template.attributes else "input"
        related = Site(self.template.declared(member.symbol), f"the {what} '{member.name}' is declared here")
        blamed = member.name if self.item is None else f"{member.name}[{self.item}]"
        return BindingFailed(Failure(rule, message, (), (related, *others), (blamed,)))

    def fail_evaluating(self, base: int, error: EvaluationError) -> DeclarationFailed:
        """Return a failure of an expression in the operator's own declarations."""
        return DeclarationFailed(failed_evaluation(self.scope, base, error))

    def negative(self, member: Member, expression: nodes.Expression, value: Integer, what: str) -> DeclarationFailed:
        """Return the failure of a negative number of ``what``; it blames the parameters that determine the number."""
        message = f"the {what} of '{member.name}' would be negative: '{written(expression)}' evaluates to {value}"
        site = Site(self.template.place(member.base, expression), f"the {what} is declared here")
        responsible = responsible_for(self.scope, expression)
        return DeclarationFailed(Failure(rules.NEGATIVE_EXTENT, message, (), (site,), responsible))

    def check(self, condition: Truth, message: str, base: int, node: nodes.Node) -> None:
        """Note a condition that only the run can decide."""
        if condition is not TRUE:
            self.checks.append(RuntimeCheck(condition, message, self.template.place(base, node)))

    def bind_count(
        self, member: Member, expression: nodes.Expression, actual: Integer, what: str, certain: bool = True
    ) -> bool:
        """Bind or check the length of a pack; return False if it is not known yet. ``what`` names the counted items."""
        form = self.template.form(expression)
        values = self.scope.values
        if form is not None and form.symbol not in values:
            found = solve(form, actual)
            if isinstance(found, Unsolvable):
                if not certain:
                    return True
                message = (
                    f"the {_kind(self.template, member)} '{member.name}' of '{self.template.shown}' is a pack of "
                    f"'{written(expression)}' {what}, but here there are {shown(actual)}: {found.because}"
                )
                raise self.fail(rules.LENGTH_MISMATCH, message, member)
            values[form.symbol] = found
            self.origins[form.symbol] = f"because of the {_kind(self.template, member)} '{member.name}'"
            return True
        if not self.scope.knows(expression):
            return False
        expected = self.evaluated(member.base, expression)
        expected = shapes.choose(expected, 1, 0) if isinstance(expected, Truth) else expected
        if isinstance(expected, Integer) and certain:
            if shapes.is_negative(expected):
                raise self.negative(member, expression, expected, "length")
            verdict = shapes.decide_equal(expected, actual)
            if verdict is EqualityVerdict.DIFFERENT:
                raise self._length_differs(member, expression, expected, actual, what)
            if verdict is EqualityVerdict.UNKNOWN:
                self.check(shapes.compare("==", expected, actual), "the lengths must agree", member.base, expression)
        return True

    def _length_differs(
        self, member: Member, expression: nodes.Expression, expected: Integer, actual: Integer, what: str
    ) -> BindingFailed:
        origin = self.origin_of(expression)
        wanted = (
            f"'{written(expression)}' {what}"
            if expected.value is None or origin
            else counted(expected, what.removesuffix("s"))
        )
        value = f", which is {shown(expected)}{origin}" if "'" in wanted and wanted != f"'{expected}' {what}" else ""
        message = (
            f"the {_kind(self.template, member)} '{member.name}' of '{self.template.shown}' is a pack of "
            f"{wanted}{value}, but {'its default' if member in self.left_out else 'this'} has {counted(actual, 'item')}"
        )
        return self.fail(rules.LENGTH_MISMATCH, message, member)

    def origin_of(self, expression: nodes.Node) -> str:
        """Return the origin of the names in an expression: `` because of the input 'A'``."""
        found = [self.origins[symbol] for symbol in self.template.symbols(expression) if symbol in self.origins]
        return f" {found[0]}" if len(set(found)) == 1 else ""

    def evaluated(self, base: int, expression: nodes.Expression) -> Value:
        try:
            return self.scope.evaluate(expression)
        except EvaluationError as error:
            raise self.fail_evaluating(base, error) from None


def _kind(template: Template, member: Member) -> str:
    return "attribute" if member in template.attributes else "input"
