"""Files of tensors as bytes: NNEF 1.0's ``.dat``, NumPy's ``.npy`` and ``.npz``, and ``.safetensors``.

Nothing here opens a file.
"""

from snd_runtime.files.errors import InvalidFileError
from snd_runtime.files.header import HEADER_BYTES, Header, read_header, with_shape
from snd_runtime.files.numpy_files import read_npy, read_npz, write_npy, write_npz
from snd_runtime.files.safetensors_file import read_safetensors, read_safetensors_header, write_safetensors
from snd_runtime.files.storage import ElementStorage, ItemKind
from snd_runtime.files.tensor_file import read_tensor, write_tensor

__all__ = [
    "HEADER_BYTES",
    "ElementStorage",
    "Header",
    "InvalidFileError",
    "ItemKind",
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
