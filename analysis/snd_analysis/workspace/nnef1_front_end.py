"""The front end for queries about files in NNEF 1.0, and their files of quantizations."""

from __future__ import annotations

from collections.abc import Mapping

from snd_analysis.base import MADE_FOR
from snd_analysis.compose import Origin
from snd_analysis.db import Database
from snd_analysis.nnef1.syntax import Dialect
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.symbolic.integers import Integer
from snd_analysis.workspace.files import TreeReader
from snd_analysis.workspace.fragment_samples import chains, made_chunk, sample_call
from snd_analysis.workspace.nnef1 import (
    elaborated,
    flat_tree,
    operations_of_dialect,
    origins_in,
    quantization_tree,
    scope,
    tensor_descriptions,
)


def _origins(db: Database, name: OperatorName) -> Mapping[nodes.Node, tuple[Origin, ...]]:
    return origins_in(chains(db, name) if MADE_FOR in name.name else elaborated(db, name.path).chains)


def _extents(db: Database, name: OperatorName) -> Mapping[str, Integer]:
    return {} if MADE_FOR in name.name else elaborated(db, name.path).extents


FRONT_END = TreeReader(
    flat_tree,
    _origins,
    _extents,
    scope,
    lambda db, path: elaborated(db, path).variables,
    tensor_descriptions,
    made_chunk,
    sample_call,
)
QUANTIZATION_FRONT_END = TreeReader(
    quantization_tree,
    lambda db, name: {},
    lambda db, name: {},
    lambda db, path: operations_of_dialect(Dialect.KHRONOS),
    lambda db, path: (),
    lambda db, path: {},
    lambda db, name: None,
    lambda db, path, sample: None,
)
