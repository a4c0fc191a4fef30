"""The query engine: inputs, derived queries, recorded dependencies.

It follows salsa in the small. An *input* is something that only the writer sets. A *query* is a plain function of a
``Database`` and hashable arguments; calling it records the call as a dependency of the query that is being answered.
A ``Database`` is one immutable revision of the inputs: ``changed`` makes the next one, and the old one goes on to give
the answers of its own revision. All revisions share one storage, so an answer is worked out again only if something
that it depends on has another value.
"""

from snd_analysis.db.database import Database
from snd_analysis.db.query import CycleError, Input, Query, incremental, query

__all__ = ["CycleError", "Database", "Input", "Query", "incremental", "query"]
