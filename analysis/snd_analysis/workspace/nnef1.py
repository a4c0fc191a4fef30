"""Files in NNEF 1.0: their trees, and the graphs that they come to."""

from __future__ import annotations

from snd_analysis.compose import Arguments, Specialization, Template
from snd_analysis.db import Database, incremental, query
from snd_analysis.nnef1.elaborate import Elaborated, elaborate
from snd_analysis.nnef1.syntax import SyntaxTree, parse_file
from snd_analysis.skriptnd.syntax import SyntaxTree as FlatTree
from snd_analysis.skriptnd.syntax import made_tree, nodes
from snd_analysis.workspace.composing import session, template
from snd_analysis.workspace.files import FRONT_ENDS, text
from snd_analysis.workspace.operations import operator_of

SUFFIX = "nnef"


def is_nnef1(path: str) -> bool:
    """Return whether a file is in NNEF 1.0, by its name."""
    return path.endswith(f".{SUFFIX}")


@incremental
def nnef1_tree(db: Database, before: SyntaxTree | None, path: str) -> SyntaxTree:
    """Return the tree of a file in NNEF 1.0; an empty one if there is none."""
    found = text(db, path)
    return parse_file(found if isinstance(found, str) else "", before)


@query
def elaborated(db: Database, path: str) -> Elaborated:
    """Return what a file in NNEF 1.0 comes to."""
    return elaborate(nnef1_tree(db, path), _Library(db))


def flat_tree(db: Database, path: str) -> FlatTree:
    """Return the graph that a file in NNEF 1.0 comes to, as the tree of a file."""
    read, found = nnef1_tree(db, path), elaborated(db, path)
    items = () if found.definition is None else (found.definition,)
    problems = (*read.problems, *found.problems)
    return made_tree(read.text, nodes.Document(0, len(read.text), items), read.comments, problems)


FRONT_ENDS[SUFFIX] = flat_tree


class _Library:
    """The operators that operations stand for."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._session = session(db)
        self._templates: dict[str, Template | None] = {}

    def template(self, name: str) -> Template | None:
        """Return the operator of an operation; None if there is no such operation."""
        if name not in self._templates:
            operator = operator_of(name)
            self._templates[name] = None if operator is None else template(self._db, operator)
        return self._templates[name]

    def specialization(self, template: Template, given: Arguments) -> Specialization:
        """Return the operator with everything bound."""
        return self._session.specialization(template, given)
