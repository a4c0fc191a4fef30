"""Resolution of the names of an NNEF 1.0 file."""

from snd_analysis.nnef1.names.subjects import Fragment, Local, Operation, Parameter, Subject, Symbol
from snd_analysis.nnef1.names.uses import (
    Form,
    Spelled,
    Use,
    assigned_names,
    declared_symbols,
    names_in,
    sanitized,
    spelled_in,
    spelled_names,
    uses_in,
)

__all__ = [
    "Form",
    "Fragment",
    "Local",
    "Operation",
    "Parameter",
    "Spelled",
    "Subject",
    "Symbol",
    "Use",
    "assigned_names",
    "declared_symbols",
    "names_in",
    "sanitized",
    "spelled_in",
    "spelled_names",
    "uses_in",
]
