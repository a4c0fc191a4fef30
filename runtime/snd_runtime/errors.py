"""Errors that stop an evaluation."""

from __future__ import annotations

from collections.abc import Iterable

from snd_analysis.base import Rule, shown_name
from snd_analysis.compose import Site
from snd_analysis.model import Place
from snd_analysis.skriptnd.names import is_library
from snd_runtime.rules import LIMIT_EXCEEDED


class EvaluationFailed(Exception):  # noqa: N818
    """An operation without a value, or a limit that is exceeded: by which rule, why, and where.

    ``place`` has the path, the definition and a span of it; None if there is no text to blame. ``chain`` are the
    invocations that led there, from the innermost outwards; ``related`` other places that say why.
    """

    def __init__(
        self,
        rule: Rule,
        message: str,
        place: Place | None = None,
        chain: Iterable[Site] = (),
        related: Iterable[Site] = (),
    ) -> None:
        super().__init__(message)
        self.rule = rule
        self.message = message
        self.place = place
        self.chain = tuple(chain)
        self.related = tuple(related)

    def via(self, site: Site) -> EvaluationFailed:
        """Return the failure as seen from an outer invocation, which is its place if it has none yet."""
        chain = self.chain if self.place is None else (*self.chain, site)
        place = site.place if self.place is None else self.place
        return EvaluationFailed(self.rule, self.message, place, chain, self.related)

    def outside_of_library(self) -> EvaluationFailed:
        """Return the failure at the innermost place outside the library, with the operator that is invoked there."""
        if self.place is None:
            return self
        sites = (Site(self.place, "it fails here"), *self.chain)
        at = next((at for at, site in enumerate(sites) if not is_library(site.place.path)), 0)
        if not at:
            return self
        message = self.message
        if self.rule != LIMIT_EXCEEDED:
            invoked = sites[at - 1].place
            operator = f"{invoked.path.rpartition(':')[2]}.{shown_name(invoked.definition)}"
            message = f"in '{operator}': {message.removesuffix(' here').replace(' here (at ', ' (at ')}"
        return EvaluationFailed(self.rule, message, sites[at].place, sites[at + 1 :], (sites[0], *self.related))

    def __reduce__(self) -> tuple[object, ...]:
        return EvaluationFailed, (self.rule, self.message, self.place, self.chain, self.related)
