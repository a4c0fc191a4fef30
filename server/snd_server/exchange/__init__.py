"""Models of other formats, in and out: ONNX and NNEF 1.0, with verification."""
