"""Files of tensors as bytes: NNEF 1.0's ``.dat``, NumPy's ``.npy`` and ``.npz``, and ``.safetensors``.

Nothing here opens a file. Code that reads only headers loads no NumPy, since ``snd check`` has no time for it.
"""

from typing import TYPE_CHECKING

from snd_analysis.base import loaded_when_used
from snd_runtime.files.errors import InvalidFileError
from snd_runtime.files.header import HEADER_BYTES, Header, read_header, with_shape
from snd_runtime.files.plain_items import plain_items
from snd_runtime.files.safetensors_header import read_safetensors_header
from snd_runtime.files.storage import ElementStorage, ItemKind

if TYPE_CHECKING:
    from snd_runtime.files.numpy_files import read_npy, read_npz, write_npy, write_npz
    from snd_runtime.files.safetensors_file import read_safetensors, write_safetensors
    from snd_runtime.files.tensor_file import read_tensor, write_tensor
else:
    __getattr__ = loaded_when_used(__name__, "tensor_file", "numpy_files", "safetensors_file")

__all__ = [
    "HEADER_BYTES",
    "ElementStorage",
    "Header",
    "InvalidFileError",
    "ItemKind",
    "plain_items",
    "read_header",
    "read_npy",
    "read_npz",
    "read_safetensors",
    "read_safetensors_header",
    "read_tensor",
    "with_shape",
    "write_npy",
    "write_npz",
    "write_safetensors",
    "write_tensor",
]
