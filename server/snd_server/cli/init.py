"""``snd init``."""

from __future__ import annotations

import os
from pathlib import Path

import click

from snd_server.cli.shared_options import examples
from snd_server.console.terminal import say
from snd_server.workspace_files.writing import made_folders, write_together

_MODEL = """\
import nn;

# A fully connected layer with weights of its own, and a probability for each of ten classes.
graph main {
    @input {
        image: real[batch|8, 784];
    }
    @variable {
        weight: real[10, 784];
        bias: real[10];
    }
    @output {
        probabilities: real[batch, 10];
    }
    @compose {
        scores = nn.linear(image, weight, bias);
        probabilities = nn.softmax(scores);
    }
}

# Weighs two tensors.
#
# >>> blend{share=0.25}([4.0, 8.0], [0.0, 16.0])
# mixed: real[2] = [1.0, 14.0]
operator blend {
    @attrib {
        share: real = 0.5;
    }
    @input {
        first: real[s..];
        second: real[s..];
    }
    @output {
        mixed: real[s..];
    }
    @lower {
        mixed[i..] = share * first[i..] + (1.0 - share) * second[i..],
                i < s;
    }
}
"""
_CONFIGURATION = """\
# Rules that `snd check` does not report here; `snd rule` lists all.
ignore = []
"""


@click.command(short_help="Create a small model.", epilog=examples("snd init classifier"))
@click.argument("folder", default=".", metavar="[FOLDER]")
def init(folder: str) -> None:
    """Write a small model with a sample, main.sknd, and a configuration, snd.toml, into FOLDER.

    Files that are there already are never overwritten.
    """
    path = Path(folder)
    texts = {"main.sknd": _MODEL, "snd.toml": _CONFIGURATION}
    there = [name for name in texts if os.path.lexists(path / name)]
    if there:
        raise click.ClickException(f"{path / there[0]} exists already: snd wrote nothing")
    with made_folders(path):
        write_together({path / name: (text.encode(),) for name, text in texts.items()})
    for name in texts:
        say(f"wrote {path / name}")
    place = "" if folder == "." else f" {folder}"
    say(f"next: snd check{place}, snd run{place}, snd test{place}")
