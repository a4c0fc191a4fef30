"""Renaming of symbols, modules and files, tried in a copy of the files, where every name must still mean the same."""

from snd_analysis.ide.rename.same_meaning import Moves, Unreachable, file_rename_edits, moved_paths
from snd_analysis.ide.rename.symbols import RenameRefused, Renaming, edited_texts, prepare_rename, rename

__all__ = [
    "Moves",
    "RenameRefused",
    "Renaming",
    "Unreachable",
    "edited_texts",
    "file_rename_edits",
    "moved_paths",
    "prepare_rename",
    "rename",
]
