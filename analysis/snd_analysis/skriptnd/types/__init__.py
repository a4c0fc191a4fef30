"""Types of declarations, expressions, formulas and statements, and type errors (2.3 to 2.14)."""

from snd_analysis.skriptnd.types.compose.invocation.generics import is_within
from snd_analysis.skriptnd.types.compose.recursion import find_cyclic
from snd_analysis.skriptnd.types.compose.reuse import statement
from snd_analysis.skriptnd.types.compose.scopes import TrailStep, scoped_names, trails
from snd_analysis.skriptnd.types.compose.typing_state import TypingState
from snd_analysis.skriptnd.types.context import Context, Stage
from snd_analysis.skriptnd.types.declarations.attributes import ALLOWED
from snd_analysis.skriptnd.types.declarations.declared import declare
from snd_analysis.skriptnd.types.deferred import without_consequences
from snd_analysis.skriptnd.types.expressions.functions import NUMERIC_FUNCTIONS
from snd_analysis.skriptnd.types.formulas.lowering import check_lowering
from snd_analysis.skriptnd.types.signature import AttributeParameter, Others, Signature, TensorParameter
from snd_analysis.skriptnd.types.signature_reading import expression_types, fingerprint, read_signature
from snd_analysis.skriptnd.types.type import BOOL, CONCRETE, INT, REAL, STR, UNTYPED, Dtype, Type, Typed

__all__ = [
    "ALLOWED",
    "BOOL",
    "CONCRETE",
    "INT",
    "NUMERIC_FUNCTIONS",
    "REAL",
    "STR",
    "UNTYPED",
    "AttributeParameter",
    "Context",
    "Dtype",
    "Others",
    "Signature",
    "Stage",
    "TensorParameter",
    "TrailStep",
    "Type",
    "Typed",
    "TypingState",
    "check_lowering",
    "declare",
    "expression_types",
    "find_cyclic",
    "fingerprint",
    "is_within",
    "read_signature",
    "scoped_names",
    "statement",
    "trails",
    "without_consequences",
]
