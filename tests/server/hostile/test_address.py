"""``snd lsp --tcp`` says so when it listens to more than this machine."""

from __future__ import annotations

import subprocess
import sys

import pytest

from support.server.processes import environment


@pytest.mark.parametrize(("address", "is_open"), [("0.0.0.0:0", True), ("127.0.0.1:0", False), ("localhost:0", False)])
def test_an_address_for_all_is_warned_of(address: str, is_open: bool):
    command = [sys.executable, "-m", "snd_server", "lsp", "--tcp", address]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment()) as process:
        assert process.stderr is not None
        first = process.stderr.readline()
        process.kill()
    assert first.startswith("warning: anyone who can reach '0.0.0.0' over the network" if is_open else "snd lsp waits")
