"""NNEF 1.0: what texts in that language say, in the dialects of Khronos' parser and of tract."""
