"""Patterns of ignore files and configurations: what git says, in time linear in pattern and path."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from snd_server.limits import LONGEST_PATTERN, MOST_PATTERNS
from snd_server.workspace_files.patterns import Patterns, parse_patterns

BACKTRACKING = ["*a" * 30 + "b", "**/a/" * 30 + "b", "a/**/" * 30 + "b", "*[ab]" * 30 + "c", "*?" * 100 + "b"]
DEEP = "/".join(["a"] * 120)


@pytest.mark.parametrize("pattern", BACKTRACKING)
@pytest.mark.parametrize("source", [".gitignore", "exclude", "per-file-ignores"])
def test_no_pattern_takes_for_ever(project: Path, real, pattern: str, source: str):
    for folder in ("a" * 200, DEEP):
        (project / folder).mkdir(parents=True)
        (project / folder / ("a" * 200 + ".sknd")).write_text("operator f {\n    @using {\n        x = y;\n    }\n}\n")
    match source:
        case ".gitignore":
            (project / ".git").mkdir()
            (project / ".gitignore").write_text(f"{pattern}\n")
        case "exclude":
            (project / "snd.toml").write_text(f'exclude = ["{pattern}"]\n')
        case _:
            (project / "snd.toml").write_text(f'[per-file-ignores]\n"{pattern}" = ["all"]\n')
    outcome = real("check", "-q")
    assert outcome.status == 1
    assert outcome.stdout.count("undefined-name") == 2


def covered(pattern: str, path: str) -> bool:
    return parse_patterns([pattern]).covers(path, False)


@pytest.mark.parametrize("pattern", BACKTRACKING)
def test_what_backtracks_elsewhere_still_matches(pattern: str):
    matching = {
        BACKTRACKING[0]: "a" * 200 + "b",
        BACKTRACKING[1]: DEEP + "/b",
        BACKTRACKING[2]: DEEP + "/b",
        BACKTRACKING[3]: "a" * 200 + "c",
        BACKTRACKING[4]: "a" * 200 + "b",
    }
    assert covered(pattern, matching[pattern])
    assert not covered(pattern, matching[pattern][:-1] + "x")


def test_too_many_patterns_and_too_long_ones_are_refused_with_a_message(project: Path, real):
    (project / ".git").mkdir()
    (project / "a.sknd").write_text("")
    for text, message in (
        ("a\n" * (MOST_PATTERNS + 1), "there are 10,001 patterns, and snd reads up to 10,000"),
        ("a" * (LONGEST_PATTERN + 1), "a pattern has 2,001 characters, and snd reads those of up to 2,000"),
    ):
        (project / ".gitignore").write_text(text)
        outcome = real("check")
        assert (outcome.status, f".gitignore: {message}" in outcome.stderr) == (2, True)
    (project / ".gitignore").unlink()
    (project / "snd.toml").write_text(f'\nexclude = ["{"a" * (LONGEST_PATTERN + 1)}"]\n')
    outcome = real("check")
    assert (outcome.status, "snd.toml:2: 'exclude': a pattern has 2,001" in outcome.stderr) == (2, True)


# ---- git as the oracle -----------------------------------------------------------------------------------------------
_PIECES = ["a", "b", "ab", "*", "?", "**", "/", "/", "\\", "[", "[ab]", "[!a]", "[^b]", "[a-b]", "[]a]", "[[:alpha:]]",
           "[b-a]", "[a-]", "[:", ":]", "alpha", "]", "!", "#", " ", ".", "-"]  # fmt: skip
_NAMES = ["a", "b", "ab", ".", "#", "!", " ", "-", "]", "[", "\\", "1"]


def _pattern(chance: random.Random) -> str:
    return "".join(chance.choice(_PIECES) for _ in range(chance.randint(1, 6)))


def _paths(chance: random.Random) -> list[str]:
    names = ["".join(chance.choice(_NAMES) for _ in range(chance.randint(1, 3))) for _ in range(60)]
    usable = [name for name in names if name not in (".", "..")]
    return sorted({"/".join(chance.sample(usable, chance.randint(1, 3))) for _ in range(25)})


def _ignored(patterns: Patterns, path: str) -> bool:
    names = path.split("/")
    above = ("/".join(names[:count]) for count in range(1, len(names)))
    return any(patterns.verdict(folder, True) for folder in above) or patterns.verdict(path, False) is True


@pytest.mark.skipif(shutil.which("git") is None, reason="git is the oracle")
@pytest.mark.parametrize("seed", range(3))
def test_files_are_ignored_that_git_ignores(tmp_path: Path, seed: int):
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    chance = random.Random(seed)
    for _ in range(40):
        lines = [_pattern(chance) for _ in range(chance.randint(1, 3))]
        (tmp_path / ".gitignore").write_text("".join(f"{line}\n" for line in lines))
        paths = _paths(chance)
        command = ["git", "-C", str(tmp_path), "check-ignore", "--no-index", "-z", "--stdin"]
        said = subprocess.run(command, input="\0".join(paths), capture_output=True, text=True, check=False).stdout
        patterns = parse_patterns(lines)
        assert {path for path in paths if _ignored(patterns, path)} == {*said.split("\0")} - {""}, lines
