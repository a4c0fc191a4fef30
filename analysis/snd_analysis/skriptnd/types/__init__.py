"""Types of declarations, expressions, formulas and statements, and type errors (2.3 to 2.14)."""

from snd_analysis.skriptnd.types.compose.cycles import find_cyclic
from snd_analysis.skriptnd.types.compose.invocation.generics import is_within
from snd_analysis.skriptnd.types.compose.scopes import TrailStep, scoped_names, trails
from snd_analysis.skriptnd.types.compose.statements import statement
from snd_analysis.skriptnd.types.compose.typing_state import TypingState
from snd_analysis.skriptnd.types.consequences import without_consequences
from snd_analysis.skriptnd.types.context import Context, Stage
from snd_analysis.skriptnd.types.declarations.declared import declare
from snd_analysis.skriptnd.types.declarations.generics import ALLOWED
from snd_analysis.skriptnd.types.entry import expression_types
from snd_analysis.skriptnd.types.expressions.functions import NUMERIC_FUNCTIONS
from snd_analysis.skriptnd.types.formulas.lowering import check_lowering
from snd_analysis.skriptnd.types.others import Others
from snd_analysis.skriptnd.types.signature import AttributeParameter, Signature, TensorParameter
from snd_analysis.skriptnd.types.signature_reading import fingerprint, read_signature
from snd_analysis.skriptnd.types.type import BOOL, CONCRETE, INT, REAL, STR, Dtype, Type
from snd_analysis.skriptnd.types.typed import UNTYPED, Typed

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
