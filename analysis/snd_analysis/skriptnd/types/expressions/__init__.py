"""Typing of expressions (2.4): what is known of each, and what is wrong with it."""

from snd_analysis.skriptnd.types.expressions import forms as _forms  # noqa: F401 - fills the tables of ``infer``
