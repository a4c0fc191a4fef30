"""Inference of types and values of expressions, by form (2.4).

Forms contain expressions of all forms, so the code that types one of them uses the tables here, and no other form:
``forms`` fills the tables.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.types.context import Context, Stage
from snd_analysis.skriptnd.types.type import Typed

Form = Callable[[Context, Any], Typed]

FORMS: Final[dict[type[nodes.Node], Form]] = {}
"""The typing of every form of expression, by the type of its node."""
INDEX_FORMS: Final[dict[type[nodes.Node], Form]] = {}
"""The typing of forms in which a bounded index keeps its meaning, for an index of a tensor."""


def infer(context: Context, node: nodes.Node) -> Typed:
    """Return the type and value of an expression at its place."""
    typed = FORMS[type(node)](context, node)
    context.expressions[node] = typed
    return typed


def infer_list_item(context: Context, item: nodes.Node) -> Typed:
    """Return the type of an item of a list or of an index: a pack if it is a range or expanded."""
    if isinstance(item, nodes.Expanded | nodes.Range):
        return FORMS[type(item)](context, item)
    return infer_index_part(context, item)


def infer_index_part(context: Context, node: nodes.Node) -> Typed:
    """Infer an index of a tensor, which may be ``|i|`` (2.4, Tensor access)."""
    form = INDEX_FORMS.get(type(node)) if context.stage is Stage.LOWER else None
    if form is None:
        return infer(context, node)
    typed = form(context, node)
    context.expressions[node] = typed
    return typed
