"""The files of exported programs: ``python -m support.torch_programs.files`` writes them, where PyTorch is installed.

``NAME.pt2`` has no stack traces and no example inputs, ``NAME.npz`` the inputs ``x0`` … and the outputs ``y0`` … of
two runs.
"""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parents[2] / "fixtures" / "torch"
_KEPT = ("models/model.json", "data/weights/", "data/constants/", "archive_format", "archive_version", "byteorder")


def small(content: bytes) -> bytes:
    """Return an archive of ``torch.export.save`` without everything that differs from machine to machine."""
    written = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as new:
        for info in old.infolist():
            name = info.filename.partition("/")[2]
            if not name.startswith(_KEPT):
                continue
            data = old.read(info)
            if name == "models/model.json":
                model = json.loads(data)
                for node in model["graph_module"]["graph"]["nodes"]:
                    stack = node["metadata"].get("nn_module_stack")
                    node["metadata"] = {} if stack is None else {"nn_module_stack": stack}
                data = json.dumps(model, separators=(",", ":")).encode()
            new.writestr(zipfile.ZipInfo(f"program/{name}"), data, zipfile.ZIP_DEFLATED)
    return written.getvalue()


def main() -> None:
    """Write all files."""
    import torch

    from snd_server.exchange.torch_import.tracing import export_program
    from support.torch_programs.modules import cases

    FOLDER.mkdir(exist_ok=True)
    for name, (module, inputs, dynamic) in cases().items():
        program = export_program(module, inputs, {}, dynamic)
        if name == "running_mean":
            program = program.run_decompositions({})
        saved = io.BytesIO()
        torch.export.save(program, saved)
        (FOLDER / f"{name}.pt2").write_bytes(small(saved.getvalue()))
        arrays = {f"x{at}": each.numpy() for at, each in enumerate(inputs)}
        module.eval()
        with torch.no_grad():
            for prefix in ("y", "z"):
                found = module(*inputs)
                outputs = found if isinstance(found, tuple) else (found,)
                arrays.update({f"{prefix}{at}": each.numpy() for at, each in enumerate(outputs)})
        np.savez_compressed(FOLDER / f"{name}.npz", **arrays)


if __name__ == "__main__":
    main()
