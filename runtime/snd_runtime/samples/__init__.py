"""Evaluation of samples in comments, and comparison with the recorded results.

``SampleEvaluator`` evaluates the samples of a file in a worker process, ``evaluate_samples`` in this one;
``evaluate_sample`` runs one that is checked already, ``update_edits`` records its outcome. The worker also traces
graphs (``tracing``), proposes samples (``proposal``), and does refactorings (``refactoring``), for which it compares a
definition with its edited version (``equivalence``). Nothing is printed or written here.
"""

from snd_runtime.samples.evaluation import evaluate_sample
from snd_runtime.samples.evaluator import SampleEvaluator
from snd_runtime.samples.outcome import SampleOutcome, SampleResult, Status
from snd_runtime.samples.proposal import NoProposal, ProposalRequest, SampleProposal, sample_comment
from snd_runtime.samples.recording import recorded_text
from snd_runtime.samples.refactoring import RefactoringAnswer, RefactoringProgress, RefactoringRequest
from snd_runtime.samples.request import SAMPLE_LIMITS, SampleRequest, evaluate_samples
from snd_runtime.samples.trace import GraphTrace, TracedTensor
from snd_runtime.samples.tracing import TraceRequest
from snd_runtime.samples.update import update_edits

__all__ = [
    "SAMPLE_LIMITS",
    "GraphTrace",
    "NoProposal",
    "ProposalRequest",
    "RefactoringAnswer",
    "RefactoringProgress",
    "RefactoringRequest",
    "SampleEvaluator",
    "SampleOutcome",
    "SampleProposal",
    "SampleRequest",
    "SampleResult",
    "Status",
    "TraceRequest",
    "TracedTensor",
    "evaluate_sample",
    "evaluate_samples",
    "recorded_text",
    "sample_comment",
    "update_edits",
]
