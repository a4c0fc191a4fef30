"""Immutable snapshots of a set of files, and everything that is known about them (invariants 3 and 4).

One workspace has one writer. ``open``, ``edit``, ``close`` and ``refresh`` change what the next snapshot sees; a
snapshot that somebody holds goes on to see what it saw. What was worked out about a definition is kept as long as its
text, and what it uses of others, is the same.

A snapshot is built up in layers, one in each module: files, what their names stand for, what is wrong with each
definition, what it comes to when it is composed, and all of that as diagnostics.
"""

from snd_analysis.workspace.files import File, Reader, UnreadableText
from snd_analysis.workspace.snapshot import Snapshot
from snd_analysis.workspace.writer import Workspace

__all__ = ["File", "Reader", "Snapshot", "UnreadableText", "Workspace"]
