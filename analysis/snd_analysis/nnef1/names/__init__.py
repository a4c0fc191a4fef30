"""Resolution of the names of an NNEF 1.0 file."""

from snd_analysis.nnef1.names.uses import (
    Fragment,
    LocalSubject,
    Nnef1Subject,
    Nnef1Use,
    OperationSubject,
    ParameterSubject,
    Spelled,
    SymbolSubject,
    UseForm,
    assigned_names,
    declared_symbols,
    names_in,
    sanitized,
    spelled_in,
    spelled_names,
    uses_in,
)

__all__ = [
    "Fragment",
    "LocalSubject",
    "Nnef1Subject",
    "Nnef1Use",
    "OperationSubject",
    "ParameterSubject",
    "Spelled",
    "SymbolSubject",
    "UseForm",
    "assigned_names",
    "declared_symbols",
    "names_in",
    "sanitized",
    "spelled_in",
    "spelled_names",
    "uses_in",
]
