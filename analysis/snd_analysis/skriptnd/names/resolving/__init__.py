"""The way from the nodes of a definition to its ``Resolution``: the symbol of each of its names."""

from snd_analysis.skriptnd.names.resolving.resolve import resolve

__all__ = ["resolve"]
