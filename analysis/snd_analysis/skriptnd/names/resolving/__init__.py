"""From the nodes of a definition to its ``Resolution``: what each of its names stands for."""

from snd_analysis.skriptnd.names.resolving.resolve import resolve

__all__ = ["resolve"]
