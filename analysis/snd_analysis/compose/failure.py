"""Failures of composing, each with the chain of invocations that led to it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import takewhile

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis.base import Edit, Elsewhere, Note, Problem, Repair, Rule, Span, shown_name
from snd_analysis.compose.limits import MOST_NOTES
from snd_analysis.compose.template import Template
from snd_analysis.model import Place
from snd_analysis.skriptnd.evaluate import EvaluationError
from snd_analysis.skriptnd.names import is_library
from snd_analysis.skriptnd.syntax import nodes

_PRIVATE = re.compile(r"'((?:\w+\.)*_[A-Za-z]\w*)'")
"""The name of a private part of the library in a message, which authors of models never wrote."""
_DEMANDED = re.compile(r"; required by '[\w.]+'$")
"""The operator whose assertion does not hold."""


class Site(Struct, frozen=True):
    """A place that takes part in a failure, and its role there."""

    place: Place
    message: str


class Failure(Struct, frozen=True):
    """A broken rule, before it is known which of its sites stands in the file that is checked.

    ``sites`` begins with the place where the rule is broken and goes outwards through invocations; for a rule that an
    invocation breaks as a whole, with the invocation. ``related`` are declarations and assertions that ask for more
    than there is.
    """

    rule: Rule
    message: str
    sites: tuple[Site, ...] = ()
    related: tuple[Site, ...] = ()
    responsible: tuple[str, ...] = ()
    """Attributes and inputs whose values break the rule: the next invocation is blamed for them."""
    instead: str = ""
    """Replacement of the marked text, or of ``replaced``.

    In a failure of an operator, ``…`` is replaced by the value of the attribute that is to blame.
    """
    replaced: Span | None = None
    is_safe: bool = False
    """True if the replacement is surely the intended text."""

    def via(self, site: Site) -> Failure:
        """Return the failure as seen from an outer invocation."""
        return replace(self, sites=(*self.sites, site), responsible=())

    def naming(self, operator: str, written: str) -> Failure:
        """Return the failure with an operator named as its invocation writes it, since modules may share names."""
        return replace(self, message=self.message.replace(f"'{operator}'", f"'{written}'"))


def with_origins(template: Template, failure: Failure) -> Failure:
    """Return the failure as seen from the invocations that its statement is a part of."""
    own = (site.place for site in failure.sites if site.place.path == template.name.path)
    place = next(own, None)
    statement = None if place is None else place.statement
    origins = template.origins.get(statement, ()) if isinstance(statement, nodes.Node) else ()
    for origin in origins:
        failure = failure.via(Site(template.place(0, origin.span), origin.message))
    return failure


def evaluation_failure(template: Template, base: int, error: EvaluationError) -> Failure:
    """Return an expression of a definition that has no value, as a failure at its place."""
    site = Site(template.place(base, error.node), "this is evaluated here")
    related = tuple(Site(template.place(base, node), message) for node, message in error.notes)
    return Failure(error.rule, error.message, (site,), related)


class BindingFailed(Exception):  # noqa: N818 - it carries a finding, it is no fault
    """An operator can't be bound to the arguments of an invocation."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class DeclarationFailed(BindingFailed):
    """A declaration of the operator itself has no value for these arguments: an assertion may guard it (2.9)."""


class Unbindable(Exception):  # noqa: N818
    """An operator can't be bound, for reasons that are reported already."""


class PlacedProblem(Struct, frozen=True):
    """A problem in a definition of the file that is checked; its span counts from the definition's chunk."""

    definition: str
    problem: Problem


def placed_problems(failures: Iterable[Failure], path: str) -> list[PlacedProblem]:
    """Return the failures as problems of one file: each at its innermost site in it, the same place and rule once."""
    found: dict[tuple[Rule, str, Span], PlacedProblem] = {}
    for failure in failures:
        at = next((number for number, site in enumerate(failure.sites) if site.place.path == path), None)
        if at is None:
            continue
        place = failure.sites[at].place
        key = (failure.rule, place.definition, place.span)
        if key not in found:
            notes = _notes(failure, at)
            message = _seen_from(failure, at)
            repair = None
            if failure.instead and at == 0:
                edit = Edit(failure.replaced or place.span, failure.instead)
                repair = Repair(f"write '{failure.instead}'", (edit,), safe=failure.is_safe)
            found[key] = PlacedProblem(place.definition, Problem(failure.rule, place.span, message, notes, repair))
    return list(found.values())


def _seen_from(failure: Failure, at: int) -> str:
    """Return the message at one of the sites: a failure within an operator names that operator.

    Within the library, that is the operator that the author invoked, whatever it is composed of.
    """
    if at == 0:
        return failure.message
    message = failure.message.removesuffix(" here")
    place = failure.sites[0].place
    if not is_library(place.path):
        return f"in '{shown_name(place.definition)}': {message}"
    *_, place = takewhile(lambda place: is_library(place.path), (site.place for site in failure.sites[:at]))
    operator = f"{place.path.rpartition(':')[2]}.{shown_name(place.definition)}"
    message = _PRIVATE.sub(f"'{operator}'", _DEMANDED.sub("", message))
    return f"in '{operator}': {message}"


def _notes(failure: Failure, at: int) -> tuple[Note, ...]:
    sites = [*failure.sites[:at][::-1], *failure.related, *failure.sites[at + 1 :]]
    if len(sites) > MOST_NOTES:
        sites = [*sites[: MOST_NOTES // 2], *sites[-MOST_NOTES // 2 :]]
    return tuple(_note(site) for site in sites)


def _note(site: Site) -> Note:
    place, message = site.place, site.message
    if is_library(place.path) and _PRIVATE.search(message):
        module = place.path.rpartition(":")[2]
        message = f"a part of '{module}.{shown_name(place.definition)}' is invoked here"
    return Note(Span(0, 0), message, Elsewhere(place.path, place.definition, span=place.span))
