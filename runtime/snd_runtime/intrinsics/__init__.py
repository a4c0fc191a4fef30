"""Operators of the library that have no formula, in NumPy: chapter 4 leaves them to the implementation.

``INTRINSICS`` has one for each library operator with neither ``@lower`` nor ``@compose``, by the operator's name.
"""

from snd_runtime.intrinsics.invocation import BoundIntrinsic, Intrinsic
from snd_runtime.intrinsics.table import INTRINSICS
from snd_runtime.values import PlainValue

__all__ = ["INTRINSICS", "BoundIntrinsic", "Intrinsic", "PlainValue"]
