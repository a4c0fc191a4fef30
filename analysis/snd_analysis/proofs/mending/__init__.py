"""Assertions that mend refuted conditions.

``trials`` runs an operator with many sizes, ``outcomes`` tells the conditions that each of them breaks, ``candidates``
makes assertions, and ``proposals`` chooses those that refuse what fails and nothing that works.
"""

from snd_analysis.proofs.mending.proposals import Proposals

__all__ = ["Proposals"]
