"""NNEF 1.0: the language, in the dialects of Khronos' parser and of tract."""
