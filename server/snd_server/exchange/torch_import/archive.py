"""Files of ``torch.export.save``: zip archives with the graph as JSON and the weights as bytes.

Only members by known names are read, and no pickle is.
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from math import prod
from typing import IO, Any

import msgspec
import numpy as np

from snd_server.exchange.onnx_import.source import Array, InvalidModelError
from snd_server.limits import MOST_ARCHIVE_MEMBERS, MOST_ARCHIVE_RATIO

_MODEL = "models/model.json"
_CONFIGS = {
    "data/weights": "data/weights/model_weights_config.json",
    "data/constants": "data/constants/model_constants_config.json",
}
_LEAST_BYTES = 1 << 20
"""Number of bytes that a packed member may have however small it is in the archive."""

DTYPES: Mapping[int, str] = {
    1: "uint8", 2: "int8", 3: "int16", 4: "int32", 5: "int64", 6: "float16", 7: "float32", 8: "float64", 12: "bool",
    13: "bfloat16", 28: "uint16", 34: "uint32", 35: "uint64",
}  # fmt: skip
"""Types of elements by their numbers in the schema of exported programs."""


class ArchivedTensor(msgspec.Struct, frozen=True):
    """A tensor of an archive: the member that has its elements, and their arrangement."""

    member: str
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    pickled: bool = False


class ProgramArchive:
    """An exported program in a file that is open for reading."""

    def __init__(self, file: IO[bytes], most_bytes: int) -> None:
        """Read the names of the members. Raise InvalidModelError for a file that is no such archive."""
        try:
            self._zip = zipfile.ZipFile(file)
        except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError, EOFError):
            raise InvalidModelError("this is no archive of torch.export.save, or it is cut off") from None
        self._left = most_bytes
        self._most = most_bytes
        infos = self._zip.infolist()
        if len(infos) > MOST_ARCHIVE_MEMBERS:
            raise InvalidModelError(f"it has {len(infos):,} members, more than the {MOST_ARCHIVE_MEMBERS:,} allowed")
        self._members: dict[str, zipfile.ZipInfo] = {}
        for info in infos:
            # All members lie in one folder with the name of the archive; older archives have none.
            name = info.filename if info.filename in (_MODEL, *_CONFIGS.values()) else info.filename.partition("/")[2]
            name = info.filename if info.filename.startswith(("data/", "models/")) else name
            if name in self._members:
                raise InvalidModelError(f"two of its members have the name '{info.filename}'")
            self._members[name] = info
        if _MODEL not in self._members:
            raise InvalidModelError(self._other_format())

    def _other_format(self) -> str:
        if "serialized_exported_program.json" in {info.filename for info in self._zip.infolist()}:
            return "it was saved by a PyTorch before 2.8: load it there, and save it by a newer one"
        names = [name for name in self._members if name.startswith("models/")]
        if names:
            return f"it has the models {', '.join(sorted(names))[:100]}, and 'models/model.json' is missing"
        return "it has no 'models/model.json': only archives by torch.export.save can be read"

    def model(self) -> dict[str, Any]:
        """Return the program. Raise InvalidModelError."""
        return self._json(_MODEL)

    def tensors(self) -> dict[str, ArchivedTensor]:
        """Return the parameters, buffers and constants by their names, without their elements."""
        found: dict[str, ArchivedTensor] = {}
        for folder, config in _CONFIGS.items():
            if config not in self._members:
                continue
            entries = self._json(config).get("config", {})
            try:
                for name, each in entries.items():
                    if each.get("tensor_meta") is not None:
                        found[name] = _stored(folder, each)
            except (LookupError, TypeError, AttributeError) as error:
                raise InvalidModelError(f"the member '{config}' has no list of tensors ({error})") from None
        return found

    def array(self, stored: ArchivedTensor) -> Array:
        """Return the elements of a tensor. Raise InvalidModelError."""
        if stored.pickled:
            raise InvalidModelError(f"'{stored.member}' is a pickle, which could execute code when it is read")
        is_half = stored.dtype == "bfloat16"
        dtype = np.dtype("<u2" if is_half else stored.dtype).newbyteorder("<")
        content = self._read(stored.member)
        if 0 not in stored.shape:
            last = stored.offset + sum(
                (extent - 1) * stride for extent, stride in zip(stored.shape, stored.strides, strict=True)
            )
            if last < 0 or min(stored.strides, default=0) < 0 or (last + 1) * dtype.itemsize > len(content):
                raise InvalidModelError(f"'{stored.member}' has {len(content):,} bytes, fewer than its shape needs")
            flat = np.frombuffer(content, dtype, count=len(content) // dtype.itemsize)
            strides = tuple(stride * dtype.itemsize for stride in stored.strides)
            array = np.lib.stride_tricks.as_strided(flat[stored.offset :], stored.shape, strides, writeable=False)
        else:
            array = np.zeros(stored.shape, dtype)
        self._left -= prod(stored.shape) * dtype.itemsize if any(each == 0 for each in stored.strides) else 0
        if self._left < 0:
            raise self._too_large()
        # numpy makes arrays of one element of scalars.
        whole = np.ascontiguousarray(array).reshape(stored.shape)
        return (whole.astype(np.uint32) << 16).view(np.float32) if is_half else whole

    def _json(self, member: str) -> dict[str, Any]:
        try:
            found = msgspec.json.decode(self._read(member))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise InvalidModelError(f"the member '{member}' is no JSON ({error})") from None
        if not isinstance(found, dict):
            raise InvalidModelError(f"the member '{member}' is no JSON object")
        return found

    def _read(self, member: str) -> bytes:
        info = self._members.get(member)
        if info is None:
            raise InvalidModelError(f"the member '{member}' is missing")
        self._left -= info.file_size
        if self._left < 0:
            raise self._too_large()
        if info.file_size > max(_LEAST_BYTES, MOST_ARCHIVE_RATIO * info.compress_size):
            raise InvalidModelError(f"the member '{member}' unpacks to {info.file_size:,} bytes, suspiciously many")
        try:
            return self._zip.read(info)
        except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, OSError, ValueError) as error:
            raise InvalidModelError(f"the member '{member}' can't be read ({error})") from None

    def _too_large(self) -> InvalidModelError:
        return InvalidModelError(f"what snd reads of it has more than the {self._most:,} bytes allowed")


def _stored(folder: str, entry: Mapping[str, Any]) -> ArchivedTensor:
    meta = entry["tensor_meta"]
    name = entry["path_name"]
    if not isinstance(name, str) or "/" in name:
        raise InvalidModelError(f"'{name}' is no name of a member")
    dtype = DTYPES.get(meta["dtype"])
    if dtype is None:
        raise InvalidModelError(f"'{name}' has elements of a type that snd does not read (number {meta['dtype']})")
    shape, strides = ([int(each["as_int"]) for each in meta[key]] for key in ("sizes", "strides"))
    if any(each < 0 for each in shape) or len(shape) != len(strides):
        raise InvalidModelError(f"'{name}' has a shape that no tensor has")
    offset = int(meta["storage_offset"]["as_int"])
    return ArchivedTensor(
        f"{folder}/{name}", dtype, tuple(shape), tuple(strides), offset, bool(entry.get("use_pickle"))
    )
