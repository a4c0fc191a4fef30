"""Recovery from syntax errors: repairs, and where none fits, an error node for the skipped text."""

from snd_analysis.skriptnd.limits import LONGEST_LOOKAHEAD
from snd_analysis.skriptnd.syntax.recovery.fault import BLOCK_KINDS
from snd_analysis.skriptnd.syntax.recovery.recover import NEAR, Recovery

__all__ = ["BLOCK_KINDS", "LONGEST_LOOKAHEAD", "NEAR", "Recovery"]
