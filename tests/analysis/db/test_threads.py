"""Threads that share no database answer at the same time, and share the answers about the library."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from threading import Event, Thread

from snd_analysis.db import Database, query
from support.waiting import FAR_SECONDS

_MEETING = [Event(), Event()]


@query
def _meets(db: Database, which: int) -> bool:
    """Return whether a query in another thread and another database is answered at the same time."""
    _MEETING[which].set()
    return _MEETING[1 - which].wait(FAR_SECONDS)


def test_databases_do_not_wait_for_each_other():
    met: list[bool] = []
    threads = [Thread(target=lambda which=which: met.append(_meets(Database(), which))) for which in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert met == [True, True]


# Nothing of the library is known when the threads begin: all of them find it out at the same time.
_RACE = """
import json, sys
from threading import Barrier, Thread

sys.setswitchinterval(1e-5)
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.workspace import Workspace
from support.memory import MemoryReader

COUNT = int(sys.argv[1])
PROGRAM = '''import nn, layer, math;
graph net {
    @input { x: real[1, 3, 16, 16]; }
    @output { y: real[1, %d]; }
    @compose {
        t = layer.conv{channels=%d, size=3}(x);
        u = nn.avg_pool{axes=[2, 3], size=[16, 16], padding=0}(nn.relu(t));
        y = math.add(nn.softmax{axes=[1]}(nn.flatten(u)), wrong);
    }
}
'''
start, found = Barrier(COUNT), [None] * COUNT

def analyse(at):
    snapshot = Workspace(MemoryReader({"a.sknd": PROGRAM % (at + 1, at + 1)})).snapshot()
    start.wait()
    told = [str(each) for each in snapshot.diagnostics("a.sknd")]
    composed = snapshot.specialization(OperatorName("a.sknd", "net"))
    found[at] = [told, composed.valid, [str(each.shape) for each in composed.outputs]]

threads = [Thread(target=analyse, args=(at,)) for at in range(COUNT)]
for thread in threads: thread.start()
for thread in threads: thread.join()
json.dump(found, sys.stdout)
"""


def _raced(count: int) -> list[object]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", _RACE, str(count)]
    found: list[object] = json.loads(subprocess.check_output(command, env=environment, timeout=FAR_SECONDS))
    return found


def test_threads_that_find_out_about_the_library_together_find_the_same():
    together = _raced(6)
    assert None not in together
    assert together[0] == _raced(1)[0]
