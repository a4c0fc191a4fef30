"""What somebody may have meant by a word that does not exist."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher


def close_matches(word: str, choices: Iterable[str], most: int = 3) -> list[str]:
    """The ``choices`` most like ``word``, best first; none if none is near enough to be worth saying."""
    scored = []
    for choice in choices:
        if choice == word or abs(len(choice) - len(word)) > max(2, len(word) // 3):
            continue
        if choice.lower() == word.lower():
            scored.append((1.0, choice))
            continue
        matcher = SequenceMatcher(None, word, choice)
        if matcher.real_quick_ratio() < 0.6 or matcher.quick_ratio() < 0.6:
            continue
        ratio = matcher.ratio()
        if ratio >= 0.67 or sorted(word) == sorted(choice):
            scored.append((ratio, choice))
    scored.sort(key=lambda item: (-item[0], item[1]))
    return [choice for _, choice in scored[:most]]
