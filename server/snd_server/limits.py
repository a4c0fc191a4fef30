"""Limits of the command line and of files, with their effects for users."""

from __future__ import annotations

MOST_SOURCE_BYTES = 16 << 20
"""Maximum number of bytes of a SkriptND file. A larger file is not read: it gets one diagnostic that says so."""
MOST_DEFINITIONS = 50_000
"""Maximum number of definitions of a file; each takes about a millisecond and 20 KB. A larger file is not analysed."""
MOST_STATEMENTS = 200_000
"""Maximum number of statements of a file; each takes some 0.3 milliseconds and 10 KB. A larger file is not analysed."""
MOST_SAMPLES = 10_000
"""Maximum number of samples of a file; each takes about a millisecond and 20 KB. A larger file is not analysed."""
MOST_LISTED_PATHS = 20_000
"""Maximum number of paths below the folder of a model.

If there are more, its tensor files are not compared with its variables, and a folder of weights is refused.
"""
MOST_SETTINGS_BYTES = 512 << 10
"""Maximum number of bytes of a configuration or ignore file.

A larger one is a mistake of the configuration (exit status 2).
"""
MOST_ENTRY_BYTES = 64 << 20
"""Maximum number of bytes of an entry of the cache. A larger one is not used."""
MOST_PATTERNS = 10_000
"""Maximum number of patterns of one list. More are a mistake of the configuration."""
LONGEST_PATTERN = 2_000
"""Maximum number of characters of a pattern. A longer one is a mistake of the configuration."""
MOST_MODULE_PATHS = 200
"""Maximum number of folders of `module-paths`; every import searches them. More are a mistake of the configuration."""
MOST_CONFIGURATION_DOTS = 2_000
"""Dots of a configuration, as the root of the sum of the squares of the dots of its lines. With more, the file is
refused: the parser takes time by their square."""
LONGEST_SETTING_ERROR = 500
"""Maximum number of characters of a message about a configuration. The rest of a longer message is '…'."""
MOST_UNKNOWN_KEYS = 10
"""Maximum number of unknown keys that are reported.

Finding the line of a key takes a pass over all lines.
"""
LONGEST_ARGUMENT = 10_000
"""Maximum number of characters of a value on the command line. A longer value is refused."""
MOST_ARGUMENT_ITEMS = 65_536
"""Maximum number of items of a list on the command line. A longer list is refused."""
MOST_ARGUMENT_EXTENTS = 64
"""Maximum number of extents of a shape on the command line. A longer shape is refused."""
MOST_SECONDS = 1_000_000.0
"""Maximum number of seconds of a time limit, more than eleven days.

A larger number is refused: timers of the system don't count much further.
"""
MOST_FIX_ROUNDS = 100
"""Maximum number of rounds of fixes for one file. The remaining problems stay and are reported."""
MOST_FAILED_FIX_ROUNDS = 25
"""Maximum number of rounds of fixes for one file that are undone, because they lead to other mistakes.

The remaining problems stay and are reported.
"""
MOST_RUN_NOTES = 8
"""Maximum number of invocations that lead to a failure of a run. The middle of a longer chain is left out."""
MOST_RESULT_CHARACTERS = 400
"""Maximum number of characters of a result in a message about a sample. The rest of a longer result is '…'."""
MOST_FRAME_LINES = 4
"""Maximum number of lines of a marked place. Of more lines, the first two and the last are shown."""
MOST_PREVIEW_LINES = 10
"""Maximum number of lines of the preview of a fix. Further lines are '...'."""
MOST_LISTED_NAMES = 5
"""Maximum number of names in a sentence about tensors. Further names are '…'."""
MOST_TENSORS_OF_OPERATION = 4
"""Maximum number of tensors of one operation in the table of `snd shapes`. Further tensors are '...'."""
ALL_LEVELS = 50
"""Levels of operators in a drawing that mean all, operators of the library included; none are nested so deeply."""
MOST_DOT_NODES = 20_000
"""Maximum number of nodes of a drawing for Graphviz. Operators that would lead beyond stay closed."""
MOST_DOT_ATTRIBUTES = 6
"""Maximum number of attributes beside a node for Graphviz. Of the others, their number is shown."""
LONGEST_DOT_LABEL = 48
"""Maximum number of characters of a line of a label for Graphviz. The rest of a longer line is '…'."""
DRAWING_SECONDS = 60.0
"""Default time limit of drawing an .svg (``--time-limit``), in seconds; beyond it the command fails (exit status 2)."""
MOST_DRAWING_MEGABYTES = 1024
"""Maximum memory for drawing an .svg, in MB; beyond it the command fails (exit status 2)."""
MOST_PROBLEMS = 10_000
"""Maximum number of listed nodes of an ONNX model that can't be translated. Their total number is always shown."""
LONGEST_PROBLEM = 2_000
"""Maximum number of characters of a line about an untranslated node; the rest is left out."""
MOST_SAFETENSORS_HEADER_BYTES = 4 << 20
"""Maximum number of bytes of the header of a .safetensors file, of tens of thousands of tensors.

Users see ``invalid-tensor-file``.
"""
MOST_ARCHIVE_BYTES = 16 << 30
"""Maximum unpacked size of the archive of a model. Users see ``unreadable-file``."""
MOST_ARCHIVE_RATIO = 20
"""Maximum ratio of the unpacked to the compressed size of an archive: trained weights hardly shrink."""
LEAST_UNFOLDED_BYTES = 1 << 30
"""Unpacked size that every compressed archive may have."""
MOST_ARCHIVE_MEMBERS = 100_000
"""Maximum number of files, folders and links in the archive of a model. Users see ``unreadable-file``."""
MOST_HEADER_BYTES = 128 << 10
"""Maximum size of the header of a member: long names and the like. Users see ``unreadable-file``."""
MOST_JSON_BYTES = 1 << 16
"""Maximum number of bytes of a JSON file in an archive. The values of a larger one are unknown."""
MOST_ARCHIVES_WITHIN = 4
"""Maximum nesting of archives of models, as submodels of tract. Deeper archives are not read."""
MOST_ARCHIVE_TEXT_BYTES = 4 * MOST_SOURCE_BYTES
"""Maximum size read of an archive to check it: texts, and the starts of tensor files. Users see ``unreadable-file``."""
TOOL_SECONDS = 120
"""Time limit of one tool of `snd mcp`, in seconds; the tool reports when it is reached."""
LONGEST_TOOL_ARGUMENT = 100_000
"""Characters of an argument of a tool for coding agents; Linux gives a process no longer than 128 KB."""
MOST_TOOL_CHARACTERS = 100_000
"""Maximum length of the result of a tool of `snd mcp`; the number of omitted characters is stated."""
MOST_FLOW_GRIDS = 6
"""Maximum number of slices of a tensor in a picture of its data flow. The picture counts the others."""
MOST_FLOW_LINES = 300
"""Maximum number of rows and columns of a tensor in such a picture. A larger grid has no lines between its cells."""
MOST_TABLE_ROWS = 200
"""Maximum number of tensors in the table that a notebook shows of a model. It counts the others."""
DEEPEST_RECURSION = 10_000
"""Maximum number of calls inside of each other: trees and compositions are walked by recursion.

The parser limits how deep a tree is; operators that invoke one another can be nested as deeply as somebody cares to
write them, up to the limit of composing. Python functions take no room on the C stack.
"""
MOST_MODEL_BYTES = 1_900_000_000
"""Maximum number of bytes of weights in an ONNX model of one file: protocol buffers have no more than 2 GB.

More are written beside it.
"""
MOST_VARIABLES = 20_000
"""Maximum number of variables of a graph that is exported. One with more is refused."""
MOST_READ_ITEMS = 8
"""Maximum number of items of a tensor file that are read to check a model, since exporters keep numbers in files.

Items of a larger tensor are unknown.
"""
MOST_CHANGED_LINES = 12
"""Maximum number of changed lines between the two programs of a rule.

Of a larger change, the page of the rule shows both programs.
"""
MOST_COMPARED_NAMES = 1_000_000
"""Maximum number of pairs of weights and variables of fitting shapes that `--write-map` compares.

Of more, it leaves all open.
"""
MOST_NUMBERS_OF_NAMES = 4
"""Numbers of a name that `--write-map` tries in each order. With more, it tries one order."""
MOST_TRIED_SIZES = 24
"""Maximum number of combinations of pairwise different sizes that `--verify` tries with a model."""
MOST_INFERENCE_SECONDS = 300.0
"""Maximum number of seconds that onnxruntime may take to load a model, and to run it.

Then it is stopped, with a message.
"""
MOST_VERIFICATION_SECONDS = 900.0
"""Seconds after which `--verify` tries no further inputs. It gives up with a message."""
LONGEST_VERIFICATION_RUN = 300.0
"""Maximum number of seconds that snd may take for one run of `--verify`.

Then the run fails, and other inputs are tried.
"""
SECONDS_OF_MENDING = 8.0
"""Computing time for the assertions that mend an operator. Conditions that are looked at later get no fix."""
