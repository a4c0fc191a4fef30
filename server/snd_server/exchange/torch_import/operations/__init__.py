"""Translations of ATen calls, a module for each family. Importing the package registers all."""

from snd_server.exchange.torch_import.operations import (
    creation,
    elementwise,
    indexing,
    layout,
    networks,
    recurrent,
    reductions,
    symbols,
    windows,
)

__all__ = [
    "creation",
    "elementwise",
    "indexing",
    "layout",
    "networks",
    "recurrent",
    "reductions",
    "symbols",
    "windows",
]
