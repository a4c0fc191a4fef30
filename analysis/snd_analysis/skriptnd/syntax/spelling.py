"""Suggestions for a word that does not exist."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

# More alike than a word with a missing letter.
_SWAPPED = 0.99


_SHORT = 6
_LEAST_ALIKE, _LEAST_ALIKE_LONG = 0.67, 0.75
"""A third of the letters may differ in a short word; in a long one that makes another word (``layer_norm``)."""


def close_matches(word: str, choices: Iterable[str], most: int = 3) -> list[str]:
    """Return the ``choices`` most like ``word``, best first; none if none is near enough to be worth saying."""
    from difflib import SequenceMatcher  # a text without mistakes does without it

    scored = []
    letters, length, lower = Counter(word), len(word), word.lower()
    farthest = max(2, length // 3)
    others = str.maketrans(dict.fromkeys(word.lower() + word.upper()))
    names = [choice for choice in choices if -farthest <= len(choice) - length <= farthest and choice != word]
    # A graph may have thousands of names: they are looked at together.
    different = map(len, "\n".join(names).translate(others).split("\n"))
    for choice, left in zip(names, different, strict=False):
        if 2 * (len(choice) - left) < 0.6 * (length + len(choice)):
            continue
        if choice.lower() == lower:
            scored.append((1.0, choice))
            continue
        if _is_swapped(word, choice):
            scored.append((_SWAPPED, choice))
            continue
        if 2 * _common_letters(letters, choice) < 0.6 * (length + len(choice)):
            continue
        ratio = SequenceMatcher(None, word, choice).ratio()
        if ratio >= (_LEAST_ALIKE if length <= _SHORT else _LEAST_ALIKE_LONG) or sorted(word) == sorted(choice):
            scored.append((ratio, choice))
    scored.sort(key=lambda item: (-item[0], item[1]))
    return [choice for _, choice in scored[:most]]


def _is_swapped(word: str, choice: str) -> bool:
    """Return whether two adjacent letters are swapped and nothing else differs: a single slip."""
    if len(word) != len(choice):
        return False
    at = next((index for index, (one, other) in enumerate(zip(word, choice, strict=True)) if one != other), len(word))
    return word[at : at + 2] == choice[at : at + 2][::-1] and word[at + 2 :] == choice[at + 2 :]


def _common_letters(letters: Mapping[str, int], word: str) -> int:
    """Return the number of letters of a word that are in ``letters``: a bound of the common letters."""
    common = 0
    left: dict[str, int] = {}
    for letter in word:
        count = left.get(letter)
        if count is None:
            count = letters.get(letter, 0)
        if count > 0:
            common += 1
        left[letter] = count - 1
    return common
