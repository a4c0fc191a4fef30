"""Proofs about the operators of open documents for all sizes, in pauses by a process under limits.

The setting ``proofs`` selects the time: ``off``, ``onSave`` or ``onType``. Verdicts belong to states of operators, as
values do (``freshness``): a hover or diagnostic has the verdicts of its exact state, and waits for none. An edit
outdates only the operators that it concerns.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING

from lsprotocol import types
from msgspec import Struct
from msgspec.structs import replace

from snd_analysis.base import Diagnostic, Span
from snd_analysis.ide import front_end
from snd_analysis.proofs import Proof, Verdict, is_available
from snd_analysis.skriptnd.names import OperatorName, is_library
from snd_analysis.workspace import Snapshot
from snd_runtime.worker import ProcessLimits, Worker, WorkerFailed
from snd_server.lsp.limits import MOST_PROOF_BYTES, MOST_PROOF_SECONDS
from snd_server.lsp.session.analysis_thread import Question, Urgency
from snd_server.lsp.session.late_runtime import load_runtime
from snd_server.lsp.session.session import UnknownDocument
from snd_server.lsp.session.switches import choice
from snd_server.lsp.values.evaluation import texts_of

if TYPE_CHECKING:
    from snd_analysis.ide.hover import Hover
    from snd_analysis.ide.proofs import Provable
    from snd_server.checking.proving import ProofOrder
    from snd_server.lsp.server import SndServer

# Duration without changes before proofs begin, and idle time after which the process ends.
_PAUSE_SECONDS = 0.5
_IDLE_SECONDS = 60.0
_TARGET = "snd_server.checking.proving:make"
DEFAULT = "onSave"
"""Default of the setting."""


class _Found(Struct, frozen=True):
    digest: str
    proofs: tuple[Proof, ...]
    """Proofs with spans counted from the start of the operator."""
    is_mended: bool
    """True if the assertions that mend refuted conditions were looked for."""


class _Wanted(Struct, frozen=True):
    """An operator without verdicts for its current state."""

    operator: Provable
    digest: str
    order: ProofOrder


class Proofs:
    """The verdicts that are known."""

    def __init__(self, server: SndServer) -> None:
        self._server = server
        self._found: dict[OperatorName, _Found] = {}
        self._events: dict[str, bool] = {}
        """Documents with changes since the last look for work, each with True if it was saved."""
        self._due: dict[str, Mapping[OperatorName, str]] = {}
        """Operators to be proved, by document, with their states."""
        self._working: asyncio.Task[None] | None = None
        self._worker = Worker(_TARGET, ProcessLimits(MOST_PROOF_BYTES))
        self._sent: frozenset[str] = frozenset()
        """The files that the process knows."""
        self._calls = ThreadPoolExecutor(1, "proofs")
        self._idle: asyncio.TimerHandle | None = None
        self._stopped = False

    # ---- for functions that answer questions: on the analysis thread -------------------------------------------------
    def hover(self, snapshot: Snapshot, path: str, offset: int) -> Hover | None:
        """Return the verdicts on the operator, or the conditions, at an offset; None if there are none."""
        if not self._found:
            return None
        from snd_analysis.ide.proofs import conditions_hover

        for operator in front_end(path).provable(snapshot, path, Span(offset, offset)):
            found = conditions_hover(operator, self._known(operator), offset)
            if found is not None:
                return found
        return None

    def refutations(self, snapshot: Snapshot, path: str) -> Iterator[Diagnostic]:
        """Yield the known refutations of the operators of a file."""
        if not any(name.path == path and _is_refuted(found) for name, found in self._found.items()):
            return
        from snd_analysis.ide.proofs import refutations

        for operator in front_end(path).provable(snapshot, path, None):
            yield from refutations(self._known(operator), snapshot)

    def _known(self, operator: Provable) -> list[Proof]:
        found = self._found.get(operator.name)
        if found is None or found.digest != operator.digest:
            return []
        return [replace(each, span=each.span.shifted(operator.span.start)) for each in found.proofs]

    # ---- events ------------------------------------------------------------------------------------------------------
    def saved(self, path: str) -> None:
        """Note that a document was saved."""
        self._events[path] = True
        self._begin()

    def changed(self) -> None:
        """Note a change that verdicts may depend on."""
        for document in self._server.session.documents:
            self._events.setdefault(document.source.path, False)
        self._begin()

    def closed(self, path: str) -> None:
        """Forget the verdicts of a closed document."""
        self._events.pop(path, None)
        self._due.pop(path, None)
        for name in [name for name in self._found if name.path == path]:
            del self._found[name]

    def stop(self) -> None:
        """End the running proof at once."""
        self._stopped = True
        if self._working is not None:
            self._working.cancel()
        self._rest_later(None)
        self._worker.close()
        self._calls.shutdown(wait=False)

    # ---- work --------------------------------------------------------------------------------------------------------
    def _begin(self) -> None:
        if not self._stopped and _can_prove() and (self._working is None or self._working.done()):
            self._working = self._server.begin(self._work())

    async def _work(self) -> None:
        """Look for operators to prove after each change, and prove them one after the other."""
        session = self._server.session
        while self._events:
            events, self._events = self._events, {}
            paths = [path for path, saved in events.items() if await self._is_due(path, saved)]
            if paths:
                await asyncio.sleep(_PAUSE_SECONDS)
                await asyncio.to_thread(load_runtime)
                if self._events:  # typing goes on
                    self._events = {**events, **self._events, **{path: True for path in paths if events[path]}}
                    continue
            for path in paths:
                with suppress(UnknownDocument):
                    self._due[path] = await session.ask(path, _operators(path), urgency=Urgency.PAUSE)
            await self._prove()

    async def _is_due(self, path: str, saved: bool) -> bool:
        """Return whether to prove the operators of a document, which was just edited or saved."""

        def answer(snapshot: Snapshot, question: Question) -> bool:
            mode = choice(self._server.session.settings(path).switches, "proofs", DEFAULT)
            return mode == "onType" or (mode == "onSave" and saved)

        try:  # in a pause: the requests after a keystroke go on
            return not is_library(path) and await self._server.session.ask(path, answer, urgency=Urgency.PAUSE)
        except UnknownDocument:
            return False

    async def _prove(self) -> None:
        """Prove the operators that are due, until something changes."""
        while self._due and not self._events:
            path = next(iter(self._due))
            wanted = None
            with suppress(UnknownDocument):
                wanted = await self._server.session.ask(path, self._next(path), urgency=Urgency.PAUSE)
            if wanted is None:
                self._due.pop(path, None)
            else:
                self._keep(wanted, await self._proved(wanted.order))

    def _next(self, path: str) -> Callable[[Snapshot, Question], _Wanted | None]:
        """Return a question for the next operator that is due and still in that state, with the order for a process.

        The verdicts on all operators come first, then the assertions that mend refuted conditions.
        """
        due = self._due[path]

        def answer(snapshot: Snapshot, question: Question) -> _Wanted | None:
            unmended: Provable | None = None
            for operator in question.each(front_end(path).provable(snapshot, path, None)):
                if due.get(operator.name) != operator.digest:
                    continue
                found = self._found.get(operator.name)
                if found is None or found.digest != operator.digest:
                    return _Wanted(operator, operator.digest, self._order(snapshot, operator.name, is_mending=False))
                if unmended is None and not found.is_mended and _is_refuted(found):
                    unmended = operator
            if unmended is None:
                return None
            return _Wanted(unmended, unmended.digest, self._order(snapshot, unmended.name, is_mending=True))

        return answer

    def _order(self, snapshot: Snapshot, name: OperatorName, is_mending: bool) -> ProofOrder:
        from snd_runtime.evaluation import Texts
        from snd_server.checking.proving import ProofOrder

        texts = texts_of(
            snapshot, [each for each in (name.path, *snapshot.dependencies(name.path)) if not is_library(each)]
        )
        gone, self._sent = self._sent - texts.keys(), frozenset(texts)
        return ProofOrder(Texts(texts, self._sent, gone, snapshot.settings), name, is_mending)

    async def _proved(self, order: ProofOrder) -> list[Proof]:
        """Return the verdicts; none if the process fails or takes too long."""
        self._rest_later(None)

        def proved() -> list[Proof]:
            try:
                answer: list[Proof] = self._worker.call(order, seconds=MOST_PROOF_SECONDS)
            except WorkerFailed as failed:
                if failed.reason == "fault":
                    self._server.log(
                        types.MessageType.Error, f"the proofs of {order.name.name} failed: {failed.detail}"
                    )
                return []
            return answer

        proofs = await asyncio.get_running_loop().run_in_executor(self._calls, proved)
        self._rest_later(_IDLE_SECONDS)
        return proofs

    def _rest_later(self, seconds: float | None) -> None:
        """End the process when it has had nothing to do for a while; never for None."""
        if self._idle is not None:
            self._idle.cancel()
        self._idle = None if seconds is None else asyncio.get_running_loop().call_later(seconds, self._worker.stop)

    def _keep(self, wanted: _Wanted, proofs: Sequence[Proof]) -> None:
        path, start = wanted.operator.name.path, wanted.operator.span.start
        if self._server.session.documents.get(path) is None:  # closed meanwhile
            return
        before = self._found.get(wanted.operator.name)
        is_mended = wanted.order.is_mending
        relative = tuple(replace(each, span=each.span.shifted(-start)) for each in proofs)
        if is_mended and not relative and before is not None:
            relative = before.proofs  # the search failed: the verdicts stay
        now = self._found[wanted.operator.name] = _Found(wanted.digest, relative, is_mended)
        if _is_refuted(now) or (before is not None and _is_refuted(before)):
            self._server.refresher.texts(path)


def _operators(path: str) -> Callable[[Snapshot, Question], Mapping[OperatorName, str]]:
    """Return a question: the operators of a document, and the state in which they are."""

    def answer(snapshot: Snapshot, question: Question) -> Mapping[OperatorName, str]:
        return {each.name: each.digest for each in question.each(front_end(path).provable(snapshot, path, None))}

    return answer


@cache
def _can_prove() -> bool:
    """Return whether z3 is installed: it is asked after every keystroke."""
    return is_available()


def _is_refuted(found: _Found) -> bool:
    return any(each.verdict is Verdict.REFUTED for each in found.proofs)
