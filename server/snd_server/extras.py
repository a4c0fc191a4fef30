"""Packages that not every installation has."""

from __future__ import annotations


class MissingExtraError(Exception):
    """A request needs a package that is not installed; the message names it."""


def demand_torch() -> None:
    """Raise MissingExtraError if PyTorch is not there."""
    try:
        import torch  # noqa: F401
    except ImportError:
        raise MissingExtraError("this needs the package torch: pip install torch installs it") from None


def demand_onnx() -> None:
    """Raise MissingExtraError if the packages of the extra ``snd[onnx]`` are not there."""
    try:
        import onnx  # noqa: F401
        import onnxruntime  # noqa: F401
    except ImportError as missing:
        message = f"this needs the package {missing.name}: pip install {missing.name} installs it"
        raise MissingExtraError(message) from missing
