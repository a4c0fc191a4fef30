"""Features of editors for files in NNEF 1.0, a file for each feature; ``front_end.py`` has all of them."""
