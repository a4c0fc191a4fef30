"""The rules by which all packages report problems: a module per subject, and a page per rule in the folder beside it.

``rules.LOOP_COUNT`` is a rule of ``control_flow.py``. ``rules.control_flow`` is that module: it has the messages that
several phases report.
"""

# ruff: noqa: F403
from __future__ import annotations

from snd_analysis.rules import catalogue as catalogue
from snd_analysis.rules.checks import check_of as check_of
from snd_analysis.rules.checks import problems_of as problems_of
from snd_analysis.rules.composition import *
from snd_analysis.rules.constants import *
from snd_analysis.rules.control_flow import *
from snd_analysis.rules.declarations import *
from snd_analysis.rules.expressions import *
from snd_analysis.rules.files import *
from snd_analysis.rules.formats import *
from snd_analysis.rules.formulas import *
from snd_analysis.rules.invocations import *
from snd_analysis.rules.names import *
from snd_analysis.rules.nnef1 import *
from snd_analysis.rules.packs import *
from snd_analysis.rules.quantization import *
from snd_analysis.rules.results import *
from snd_analysis.rules.samples import *
from snd_analysis.rules.syntax import *
from snd_analysis.rules.tensor_shapes import *
