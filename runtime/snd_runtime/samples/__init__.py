"""Samples in comments, evaluated: is what is recorded what comes out?

``evaluate_sample`` runs one that is checked already; ``evaluate_samples`` those of a file, given its texts, so that it
can be done in another process. Nothing here is printed or written: outcomes hold the lines to record.
"""

from snd_runtime.samples.evaluation import evaluate_sample
from snd_runtime.samples.outcome import Result, SampleOutcome, Status
from snd_runtime.samples.recording import recorded_text
from snd_runtime.samples.request import SampleRequest, evaluate_samples
from snd_runtime.samples.update import update_edits

__all__ = [
    "Result",
    "SampleOutcome",
    "SampleRequest",
    "Status",
    "evaluate_sample",
    "evaluate_samples",
    "recorded_text",
    "update_edits",
]
