"""Verdicts of tract about models: whether it loads them and can prepare them for a run.

tract ends its process where it panics, so another process than that of the tests loads the models.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from subprocess import DEVNULL, PIPE

from msgspec import Struct


class Verdict(Struct, frozen=True):
    """The answer of tract: outputs as it prints them, or the reason for a refusal."""

    is_loaded: bool
    text: str


def verdict(folder: Path) -> Verdict:
    """Return the verdict of tract about the model in a folder."""
    return _PROCESS.load(str(folder))


class _Process:
    """A process that loads models, one for each line with the path of a folder."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def load(self, folder: str) -> Verdict:
        """Return the verdict about the model in a folder."""
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, __file__], stdin=PIPE, stdout=PIPE, stderr=DEVNULL, encoding="utf-8", bufsize=1
            )
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{folder}\n")
        answer = process.stdout.readline()
        if answer:
            return Verdict(answer.startswith("+"), answer[1:].strip())
        process.wait()
        self._process = None
        return Verdict(False, "its process ends")


_PROCESS = _Process()


def _load(folder: str) -> str:
    import tract

    reader = tract.nnef()
    for registry in ("onnx", "pulse", "tract_extra", "tract_transformers"):
        reader = getattr(reader, f"with_{registry}")()
    try:
        model = reader.load(folder)
        facts = ", ".join(str(model.output_fact(at)) for at in range(model.output_count()))
        model.into_runnable()
    except tract.TractError as error:
        text = str(error).split("Stack backtrace")[0][-400:]
        return f"-{' '.join(text.split())}"
    return f"+{facts}"


if __name__ == "__main__":
    for line in sys.stdin:
        print(_load(line.strip()), flush=True)
