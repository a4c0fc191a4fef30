"""Inputs and queries, and when an answer that is known holds."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from operator import eq
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar, overload

from snd_analysis.base import UNFORKABLE, checkpoint
from snd_analysis.db.database import Database
from snd_analysis.db.storage import MISSING, ActiveQuery, Cell, Comparison, Memo

P = ParamSpec("P")
Value = TypeVar("Value")

# So many answers are kept of each query and key: users often return to a text that was there a moment ago.
_VERSIONS = 3


class CycleError(Exception):
    """A query depends on its own answer."""


class Input(Generic[P, Value]):
    """A value that only the writer sets. ``read`` returns unset values, from the source of the database."""

    is_firewall = False

    def __init__(self, read: Callable[Concatenate[Any, P], Value]) -> None:
        self.read = read
        update_wrapper(self, read)

    def __call__(self, db: Database, *args: P.args, **kwargs: P.kwargs) -> Value:
        """Return the value in the revision of the database, and record that it was asked for."""
        cell = db.storage.input_cell(self, args)
        if cell.revision != db.revision:
            _look_up(db, cell)
        assert cell.memo is not None
        value: Value = cell.memo.value
        frame = db.storage.frame
        if frame is not None:
            frame.asked[cell] = value
        return value

    def at(self, *args: P.args, **kwargs: P.kwargs) -> tuple[Input[P, Value], tuple[Any, ...]]:
        """Return the input with its arguments, as ``Database.changed`` takes it."""
        return self, args


class Query(Generic[P, Value]):
    """A function of a database and of hashable arguments, whose answers are kept as long as they hold."""

    def __init__(
        self,
        function: Callable[..., Value],
        same: Callable[[Value, Value], bool] = eq,
        is_constant: bool = False,
        is_incremental: bool = False,
        is_firewall: bool = False,
        is_root: bool = False,
    ) -> None:
        self.function = function
        self.same = same
        self.is_constant = is_constant
        self.is_incremental = is_incremental
        self.is_firewall = is_firewall
        self.is_root = is_root
        update_wrapper(self, function)

    def __call__(self, db: Database, *args: P.args, **kwargs: P.kwargs) -> Value:
        """Return the answer in the revision of the database, and record that it was asked for.

        Raise CycleError if that depends on itself.
        """
        cell = db.storage.cell(self, args)
        if cell.revision != db.revision and not cell.is_constant:
            if db.storage.frame is not None:
                with db.storage.lock:
                    _update(db, cell)
            else:  # a fork would leave the answer half worked out
                with UNFORKABLE, db.storage.lock:
                    _update(db, cell)
        assert cell.memo is not None
        value: Value = cell.memo.value
        frame = db.storage.frame
        if frame is not None:
            if cell.is_constant:
                frame.asked_constants = True
            else:
                frame.asked[cell] = value
        elif not cell.is_constant:
            db.storage.asked_outside[cell] = db.storage.count
        return value


class _Declare(Protocol):
    def __call__(self, function: Callable[Concatenate[Database, P], Value], /) -> Query[P, Value]: ...


@overload
def query(function: Callable[Concatenate[Database, P], Value], /) -> Query[P, Value]: ...


@overload
def query(
    *,
    same: Callable[[Any, Any], bool] = eq,
    is_constant: bool = False,
    is_firewall: bool = False,
    is_root: bool = False,
) -> _Declare: ...


def query(function: Any = None, **options: Any) -> Any:
    """Make a function a query.

    ``same`` decides whether an answer equals an earlier one, which then stays, so that dependent answers hold.

    An answer that ``is_constant`` depends on nothing that can change. All databases of the process share such answers,
    and answers that depend on nothing else.

    An answer that ``is_firewall`` mostly stays when its inputs change, and is quickly computed. For the answers that
    depend on it, it acts as an input: it decides whether they hold, without a check of its own dependencies.

    An answer that ``is_root`` is kept, with all its dependencies, however long nobody asks for it.
    """
    return Query(function) if function is not None else lambda function: Query(function, **options)


def incremental(function: Callable[Concatenate[Database, Any, P], Value]) -> Query[P, Value]:
    """Make a query of a function that receives its last answer, and may reuse parts of that.

    The answer must not depend on the last one in any other way.
    """
    return Query(function, is_incremental=True)


def _look_up(db: Database, cell: Cell) -> None:
    value = db.value(cell)
    if cell.memo is None or cell.memo.value is not value:
        cell.memo = Memo(value, (), cell.bit, cell.bit, db.revision)
    cell.revision = db.revision


def _update(db: Database, cell: Cell) -> None:
    """Let a cell have the answer of the revision of the database."""
    if cell.is_input:
        _look_up(db, cell)
        return
    if cell.is_active:
        raise CycleError(f"{cell.query.__name__}{cell.key!r} depends on itself")
    if cell.is_constant:
        return
    cell.is_active = True
    try:
        # A firewall is as quickly worked out as its dependencies are looked at.
        holds = _holds_at_once if cell.bit else _holds
        for memo in cell.versions:
            if holds(db, memo):
                break
        else:
            memo = _work_out(db, cell)
    finally:
        cell.is_active = False
    if memo is not cell.memo:
        cell.memo, cell.older = memo, tuple(each for each in cell.versions if each is not memo)
    memo.revision = cell.revision = db.revision
    if cell.bit:
        db.answers[cell] = memo.value


def _holds(db: Database, memo: Memo) -> bool:
    """Return whether all dependencies have their earlier values.

    Unless that follows from inputs or firewalls, they are checked in the order in which they were asked for, each only
    if the ones before it are the same: so execution would ask for each of them as well.
    """
    if _holds_at_once(db, memo):
        return True
    revision = db.revision
    inputs = near = 0
    for cell, value in memo.dependencies:
        if cell.revision != revision:
            _update(db, cell)
        now = cell.memo
        assert now is not None
        if now.value is not value:
            return False
        inputs |= now.inputs
        near |= _near(cell, now, revision)
    memo.inputs, memo.near, memo.near_revision = inputs, near, revision
    return True


def _holds_at_once(db: Database, memo: Memo) -> bool:
    """Return whether it follows from inputs or firewalls that all dependencies have the values that they had."""
    storage = db.storage
    known = db.compared_with(memo.near_revision)
    if known is None or memo.near & known.open:
        inputs = db.compared_with(memo.revision)
        if inputs is not None and not memo.inputs & inputs.changed and storage.keeps_inputs(memo):
            return True  # no firewall is asked if its files are unchanged
        if known is None or not _firewalls_hold(db, memo, known):
            return False
    if not storage.keeps_near(memo):
        return False
    memo.near_revision = db.revision
    return True


def _firewalls_hold(db: Database, memo: Memo, known: Comparison) -> bool:
    """Return whether the dependencies of an answer, up to the firewalls around it, have their earlier values."""
    rest = memo.near & known.open
    if rest & known.changed:
        return False
    answers = db.storage.history[memo.near_revision].answers
    while rest:
        bit = rest & -rest
        for cell in db.storage.firewalls.get(bit, ()):
            value = answers.get(cell, MISSING)
            if value is MISSING:
                continue  # another cell with the same bit
            if cell.revision != db.revision:
                try:
                    _update(db, cell)
                except CycleError:  # a query out of order may lead back to the running one
                    return False
            if cell.memo is None or cell.memo.value is not value:
                return False
        known.open &= ~bit
        rest ^= bit
    return True


def _near(cell: Cell, memo: Memo, revision: int) -> int:
    """Return the bits of a dependency up to the firewalls, as far as these were looked at in this revision."""
    return cell.bit or (memo.near if memo.near_revision == revision else memo.inputs)


def _work_out(db: Database, cell: Cell) -> Memo:
    query = cell.query
    checkpoint()
    if db.on_execute is not None:
        db.on_execute(query, cell.key)
    storage = db.storage
    around, frame = storage.frame, ActiveQuery()
    storage.frame = frame
    try:
        if query.is_incremental:
            value = query.function(db, None if cell.memo is None else cell.memo.value, *cell.key)
        else:
            value = query.function(db, *cell.key)
    except BaseException:  # a retry follows soon: keep the known answers
        storage.asked_outside.update((other, storage.count) for other in (cell, *frame.asked) if not other.users)
        raise
    finally:
        storage.frame = around
    versions = [*cell.versions]
    for memo in versions:
        if memo.value is value or query.same(memo.value, value):
            value = memo.value
            if cell.bit:
                versions.remove(memo)
                storage.release(memo)
            break
    inputs = near = 0
    for other in frame.asked:
        assert other.memo is not None
        other.users += 1
        inputs |= other.memo.inputs
        near |= _near(other, other.memo, db.revision)
    for memo in versions[_VERSIONS - 1 :]:
        storage.let_go(memo)
    cell.memo = Memo(value, (*frame.asked.items(),), inputs, near, db.revision)
    cell.older = (*versions[: _VERSIONS - 1],)
    cell.revision = db.revision
    if not frame.asked and (query.is_constant or frame.asked_constants):
        storage.keep_constant(cell)
    assert cell.memo is not None
    return cell.memo
