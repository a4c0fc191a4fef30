from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from snd_analysis.base import Problem, Rule, descendants
from snd_analysis.nnef1.lints.definitions import definitions
from snd_analysis.nnef1.lints.reached import REMEMBERED_STATEMENTS, statements_reached
from snd_analysis.nnef1.syntax import BUILT_INS, nodes

UNSUPPORTED_BY_TRACT = Rule("unsupported-by-tract", section="tool")
ABSENT_IN_TRACT = frozenset(
    [
        "constant", "update", "split", "rcp", "argmax_pool", "sample", "desample", "avg_roi_pool", "max_roi_pool",
        "roi_resample", "gather", "cast", "gelu", "silu", "selu", "nearest_downsample", "area_downsample", "add_n",
        "copy_n", "linear_quantize", "min_max_linear_quantize", "zero_point_linear_quantize", "logarithmic_quantize",
        "avg_roi_align", "max_roi_align", "separable_deconv",
    ]
)  # fmt: skip
"""Operations of the text and of Khronos' tools that tract does not have, or cannot evaluate."""
_INSTEAD = {"rcp": "recip", "gather": "tract_core_gather", "cast": "tract_core_cast", "silu": "tract_core_silu"}
_MISREAD = {"tract_core_matmul": "tract_core_einsum", "tract_core_qmatmul": "tract_core_einsum_q"}
"""Operations that tract 0.23 computes wrongly or does not load, each with its replacement."""
_UNREAD_NUMBER = re.compile(r"\d+E.*")


def check_unsupported(document: nodes.Document) -> Iterator[Problem]:
    """Yield parts that tract does not read: operations, forms of expressions, and notations of numbers."""
    fragments = {each.head.name.text for each in definitions(document, "fragment")}
    for start, statement in statements_reached(document):
        for node, message in _unsupported(statement):
            if not isinstance(node, nodes.Call) or node.function.text not in fragments:
                yield Problem(UNSUPPORTED_BY_TRACT, node.span.shifted(start), message)


@lru_cache(maxsize=REMEMBERED_STATEMENTS)
def _unsupported(statement: nodes.Assignment) -> tuple[tuple[nodes.Node, str], ...]:
    """Return the nodes of a statement that tract does not read, with messages. Invocations of fragments are exempt."""
    found = ((node, _message(node)) for node in descendants(statement.value))
    return tuple((node, message) for node, message in found if message is not None)


def _message(node: nodes.Node) -> str | None:
    match node:
        case nodes.Call(function=function) if function.text in ABSENT_IN_TRACT:
            other = _INSTEAD.get(function.text)
            return f"tract has no operation '{function.text}'" + (f": write '{other}'" if other else "")
        case nodes.Call(function=function) if function.text in _MISREAD:
            what = "computes something else for" if function.text == "tract_core_matmul" else "does not load"
            return f"tract 0.23 {what} '{function.text}': write '{_MISREAD[function.text]}'"
        case nodes.Call(function=function) if function.text in BUILT_INS:
            return f"tract does not know the function '{function.text}'"
        case nodes.Call(function=nodes.Identifier(text="external"), generic=nodes.PrimitiveType(text="string")):
            return "tract has no inputs of strings: its process ends here"
        case nodes.Select():
            return "tract does not evaluate 'if … else'"
        case nodes.Comprehension():
            return "tract does not evaluate comprehensions"
        case nodes.Subscript(index=nodes.Range()):
            return "tract does not evaluate ranges of items"
        case nodes.Binary(operator="&&" | "||" | "in" as operator):
            return f"tract does not evaluate '{operator}'"
        case nodes.Unary(operator="-", operand=nodes.Number() | nodes.Identifier(text="inf")):
            return None
        case nodes.Unary(operator=operator):
            return f"tract does not evaluate '{operator}' before an expression"
        case nodes.Number(text=text) if _UNREAD_NUMBER.fullmatch(text):
            return f"tract does not read '{text}': write a point, or a small 'e'"
        case nodes.Identifier(text="NaN" | "nan"):
            return "tract does not read 'NaN' back, although it writes it"
    return None
