"""Limits of the language server, with their effects for users."""

from __future__ import annotations

MOST_DOCUMENT_CHARACTERS = 4_000_000
"""Maximum number of characters of a file in an editor.

A larger file gets the diagnostic `file-too-large` and no analysis: that takes up to 200 times its size, and seconds for
each million of characters.
"""
MOST_CHECKED_ARCHIVE_BYTES = 64 << 20
"""Maximum number of bytes of an archive in a workspace folder that is checked.

Editors show nothing of a larger one: to unpack it would hold up answers for seconds.
"""
MOST_HEADER_BYTES = 16 * 1024
"""Maximum number of bytes without the header of a message; headers have some dozens.

The server ends then: no client sends such bytes.
"""
MOST_MESSAGE_BYTES = 256 << 20
"""Maximum number of bytes of a message. The server refuses a longer one, and ends."""
MOST_UNREAD_BYTES = 64 << 20
"""Maximum number of bytes that wait for a client that does not read. With more, the server ends."""
MOST_LOGGED_CHARACTERS = 2_000
"""Maximum number of characters of the parameters of a request in the log; the rest is left out."""
MOST_URGENT_SECONDS = 0.1
"""Maximum number of seconds for which a question holds up others.

Then it begins again after them, and may take twice as long.
"""
MOST_SECONDS = 3600.0
"""Maximum number of seconds that a request may allow an evaluation. A request with more is refused."""
MOST_REFACTORING_SECONDS = 3.0
"""Maximum number of seconds for which a refactoring is computed and compared.

Then it is refused, or its message says how many evaluations there were.
"""
MOST_PROOF_SECONDS = 60.0
"""Seconds after which the process that looks at an operator for all sizes is killed.

Nothing is shown of it then.
"""
MOST_PROOF_BYTES = 2 << 30
"""Maximum number of bytes that this process may take. Nothing is shown of an operator that takes more."""
MOST_EVALUATIONS = 2
"""Maximum number of evaluations at once. Others are shown as pending."""
MOST_EVALUATIONS_OVER_LIMIT = 3
"""Maximum number of consecutive evaluations of one subject that exceed their limits.

Then the subject is evaluated only on request.
"""
MOST_RECORDINGS = 3
"""Maximum number of attempts to record the result of a sample while the text changes.

Beyond it, the command fails with a message.
"""
MOST_WRITINGS = 3
"""Maximum number of attempts to write a sample while the text changes. Beyond it, the command fails with a message."""
MOST_ANSWERED_TENSORS = 10_000
"""Maximum number of intermediate tensors in the answer about a run; further ones are left out."""
MOST_REPORTS_TOGETHER = 16
"""Maximum number of reports in one message to a client that accepts partial results."""
MOST_REMEMBERED_TOKENS = 64
"""Maximum number of documents whose last semantic tokens are kept. For others, all tokens are sent."""
MOST_COUNTED_AT_ONCE = 10_000
"""Maximum number of definitions times files for which lenses show the number of references at once.

This needs files that have been read. Otherwise a lens shows the number when it comes into view.
"""
LONGEST_NODE_TEXT = 80
"""Maximum number of characters of the text of a node in the view of the syntax tree; the rest is left out."""
LONGEST_HINT = 43
"""Maximum number of characters of a hint with a value: VS Code shows no more in a line by default.

Statistics and elements that do not fit are left out.
"""
LONGEST_HINT_MESSAGE = 80
"""Maximum number of characters of a hint with a message. The rest of a longer one is '…'."""
MOST_HINT_ELEMENTS = 12
"""Maximum number of elements in a hint. Of more, statistics are shown."""
MOST_HOVERED_BYTES = 64 << 20
"""Maximum number of bytes of a tensor file that a hover reads for statistics and a picture.

For a larger file, the hover shows the header.
"""
DEEPEST_SHOWN_NODE = 150
"""Maximum number of levels of the view of the syntax tree: writers of JSON go down by recursion.

Deeper nodes are left out.
"""
MOST_LENGTH_DIGITS = 15
"""Maximum number of digits of the length of a message. The server ends after a longer one."""
MOST_SHOWN_BYTES = 80
"""Maximum number of bytes of a broken header in the log."""
