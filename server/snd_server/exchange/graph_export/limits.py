"""Limits of writing models in other formats, with their effects for users."""

from __future__ import annotations

LONGEST_REFUSAL = 400
"""Maximum number of characters of a message of another program that are shown; longer ones end with an ellipsis."""
MOST_CULPRITS = 5
"""Maximum number of operations that are named as the cause where another program refuses an exported file."""
