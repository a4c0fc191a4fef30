"""Work in a process of its own, which can be killed at any moment and is replaced (invariant 14).

``snd_runtime.worker.child`` runs there. Nothing here may import NumPy: the child settles with how many threads NumPy
computes before it loads it.
"""

from snd_runtime.worker.limits import ProcessLimits, limit_threads, thread_count
from snd_runtime.worker.process import Worker, WorkerFailed

__all__ = ["ProcessLimits", "Worker", "WorkerFailed", "limit_threads", "thread_count"]
