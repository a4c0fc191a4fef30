"""Evaluates ``@lower`` formulas with NumPy (2.12).

A formula becomes a few assignments of terms (``elaboration``); their indices are analysed (``affine``), so that they
become strided views, contractions, gathers and scatters over boxes of the index space (``execution``).
"""

from snd_runtime.lowering.lowered import Lowered, constant_values, lower

__all__ = ["Lowered", "constant_values", "lower"]
