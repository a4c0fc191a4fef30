"""The expressions of PyTorch for operators of the library, a module for each family."""

from snd_server.exchange.torch_export.counterparts import arithmetic, layout, networks, reductions

__all__ = ["arithmetic", "layout", "networks", "reductions"]
