"""Options for the evaluation of samples and graphs: the setting ``evaluation`` of the client.

It is ``false`` for no evaluation at all, or an object: ``automatic`` (whether cheap ones are evaluated in pauses),
``graphs`` (whether graphs are, too), ``timeout`` (seconds for each), ``memory`` (megabytes for its tensors), ``budget``
(seconds that its last evaluation may have taken for it to be cheap), ``seed``, ``real`` (``f32`` or ``f64``),
``pictures`` (whether hovers hold pictures, for clients that show them), ``quantize`` (whether graphs are run with the
operators of ``@quantize``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

_MEGABYTE = 1 << 20


class EvaluationOptions(Struct, frozen=True):
    """Options as described above; wrong values are ignored."""

    enabled: bool = True
    automatic: bool = True
    graphs: bool = True
    timeout: float = 5.0
    memory: int = 1024
    budget: float = 0.5
    seed: int = 0
    real: str = "f32"
    pictures: bool = False
    quantize: bool = False

    @property
    def tensor_bytes(self) -> int:
        """Maximum size of all tensors of a sample or graph together, in bytes."""
        return self.memory * _MEGABYTE

    def digest(self, sample: str) -> str:
        """Return the digest of a sample's dependencies with these options, given the digest of all others."""
        return f"{sample} {self.timeout:g} {self.memory} {self.seed} {self.real} {self.pictures} {self.quantize}"


def evaluation_options(switches: Mapping[str, Any]) -> EvaluationOptions:
    """Return the options that a client's settings ask for."""
    given = switches.get("evaluation")
    if given is False:
        return EvaluationOptions(enabled=False)
    if not isinstance(given, Mapping):
        return EvaluationOptions()
    default = EvaluationOptions()
    return EvaluationOptions(
        automatic=given.get("automatic") is not False,
        graphs=given.get("graphs") is not False,
        timeout=_positive(given.get("timeout"), default.timeout),
        memory=max(1, int(_positive(given.get("memory"), default.memory))),
        budget=_positive(given.get("budget"), default.budget),
        seed=int(_positive(given.get("seed"), default.seed)),
        real="f64" if given.get("real") == "f64" else "f32",
        pictures=given.get("pictures") is True,
        quantize=given.get("quantize") is True,
    )


def _positive(value: Any, default: float) -> float:
    known = isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1e9
    return value if known else default
