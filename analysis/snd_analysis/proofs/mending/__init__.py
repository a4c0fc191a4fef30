"""Assertions that mend refuted conditions.

``trials`` runs an operator with many sizes, ``outcomes`` has the conditions that each of them breaks, ``candidates``
makes assertions, and ``proposals`` chooses those that refuse failing sizes and no working ones.
"""

from snd_analysis.proofs.mending.proposals import Proposals

__all__ = ["Proposals"]
