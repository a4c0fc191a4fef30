"""Graphs as Python files with modules of PyTorch: written by tables of calls, without PyTorch."""

from snd_server.exchange.torch_export.model_writer import PythonModel, write_model

__all__ = ["PythonModel", "write_model"]
