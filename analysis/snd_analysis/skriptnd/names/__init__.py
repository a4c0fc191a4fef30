"""Resolution of names: symbols of a definition, visible definitions of other files, every use of a name (2.2, 2.15)."""

from snd_analysis.base import OperatorName
from snd_analysis.skriptnd.names.affine import affine
from snd_analysis.skriptnd.names.binding_order import Obstacle, binding_order, is_constant
from snd_analysis.skriptnd.names.bindings import (
    BOUND_KINDS,
    Binding,
    Declaration,
    bindings,
    bound_symbol,
    declarations,
    symbols_in,
)
from snd_analysis.skriptnd.names.definitions import (
    Definitions,
    LibraryDefinitions,
    definitions_are_readable,
    definitions_of,
)
from snd_analysis.skriptnd.names.fold import PassFold, PassResults, is_ambiguous, is_long
from snd_analysis.skriptnd.names.foreign_operators import (
    counterparts,
    counterparts_beginning,
    counterparts_of_nodes,
    foreign_attribute,
    operators_called,
    opposite_attribute,
)
from snd_analysis.skriptnd.names.library import (
    LIBRARY_PREFIX,
    LibraryNames,
    format_modules,
    is_format_library,
    is_library,
    library_file,
    library_modules,
    library_names,
    library_original,
    library_text,
)
from snd_analysis.skriptnd.names.limits import MOST_GUESSES
from snd_analysis.skriptnd.names.module_scope import BUILT_INS, ModuleNames, ModuleScope
from snd_analysis.skriptnd.names.modules import candidates, is_main, model_root
from snd_analysis.skriptnd.names.part import StatementPart
from snd_analysis.skriptnd.names.resolution import AttributeName, ModuleName, Resolution, Role, Use
from snd_analysis.skriptnd.names.resolving.resolve import resolve
from snd_analysis.skriptnd.names.rows import GroupRow
from snd_analysis.skriptnd.names.scope import Scope
from snd_analysis.skriptnd.names.symbols import (
    TENSOR_KINDS,
    BuiltIn,
    ShapeMember,
    Symbol,
    SymbolKind,
    Target,
)
from snd_analysis.skriptnd.names.undefined import import_of, with_import

__all__ = [
    "BOUND_KINDS",
    "BUILT_INS",
    "LIBRARY_PREFIX",
    "MOST_GUESSES",
    "TENSOR_KINDS",
    "AttributeName",
    "Binding",
    "BuiltIn",
    "Declaration",
    "Definitions",
    "GroupRow",
    "LibraryDefinitions",
    "LibraryNames",
    "ModuleName",
    "ModuleNames",
    "ModuleScope",
    "Obstacle",
    "OperatorName",
    "PassFold",
    "PassResults",
    "Resolution",
    "Role",
    "Scope",
    "ShapeMember",
    "StatementPart",
    "Symbol",
    "SymbolKind",
    "Target",
    "Use",
    "affine",
    "binding_order",
    "bindings",
    "bound_symbol",
    "candidates",
    "counterparts",
    "counterparts_beginning",
    "counterparts_of_nodes",
    "declarations",
    "definitions_are_readable",
    "definitions_of",
    "foreign_attribute",
    "format_modules",
    "import_of",
    "is_ambiguous",
    "is_constant",
    "is_format_library",
    "is_library",
    "is_long",
    "is_main",
    "library_file",
    "library_modules",
    "library_names",
    "library_original",
    "library_text",
    "model_root",
    "operators_called",
    "opposite_attribute",
    "resolve",
    "symbols_in",
    "with_import",
]
