"""Typing of expressions (2.4): types, values and problems."""

from snd_analysis.skriptnd.types.expressions import forms as _forms  # noqa: F401 - fills the tables of ``infer``
