"""What takes the place of each kind of node, a module for each family. Importing the package registers all."""

from snd_server.onnx_import.operations import (
    elementwise,
    layout,
    networks,
    reductions,
    windows,
)

__all__ = ["elementwise", "layout", "networks", "reductions", "windows"]
