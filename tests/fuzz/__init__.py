"""Attacks at random on whatever reads foreign bytes: ``make fuzz``, for ``FUZZ_SECONDS`` (60).

A finding is an error that the target may not raise, a case that takes ``FAR_SECONDS`` (``support.confinement``), or one
that takes gigabytes. Its bytes are kept in ``tests/fuzz/corpus/TARGET/``, which ``test_corpus.py`` tries in every
``make test``.
"""
