"""Rules about the text itself; ``snd_analysis.skriptnd.syntax`` checks them (2.4, 2.16)."""

from __future__ import annotations

from snd_analysis.base.diagnostics import Severity
from snd_analysis.skriptnd.lints.rule import Rule

_FORMULA = """\
operator scale {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = (x[i,] + 1.0) * 0.5, i < n; }
}
"""

_MESSAGE = r"""
operator named {
    @attrib { folder: str = 'C:\\data'; }
    @input { x: real[n]; }
    @output { y: real[n]; }
    @assert { n > 0: "nothing in '{folder}'"; }
    @lower { y[i,] = x[i,], i < n; }
}
""".lstrip()

SYNTAX_ERROR = Rule(
    name="syntax-error",
    summary="The text does not follow the grammar.",
    why=(
        "What cannot be read has no meaning. The message says what was found and what could stand there. The damaged "
        "statement is left out, everything else in the file is checked."
    ),
    bad=_FORMULA.replace("n; }\n}", "n }\n}"),
    good=_FORMULA,
    section="2.16",
)

UNCLOSED_BRACKET = Rule(
    name="unclosed-bracket",
    summary="A bracket or brace has no partner.",
    why="The report is at the bracket that was opened, since the place where the other one is missing is a guess.",
    bad=_FORMULA.replace("1.0)", "1.0"),
    good=_FORMULA,
    section="2.16",
)

UNCLOSED_STRING = Rule(
    name="unclosed-string",
    summary="A string has no second quote.",
    why=(
        "Strings may go on over several lines, so a missing quote could swallow the rest of the file. Where that is "
        "plainly not meant, the string is taken to end with its line, and reported where it begins."
    ),
    bad=_MESSAGE.replace("'\";", "';"),
    good=_MESSAGE,
    section="2.4",
)

ILLEGAL_CHARACTER = Rule(
    name="illegal-character",
    summary="A character has no meaning outside of strings and comments.",
    why=(
        "Names consist of ASCII letters, digits and underscores, and white space is the plain kind. Text that was "
        "copied from a page may contain typographic quotes, dashes or no-break spaces that only look right."
    ),
    bad=_FORMULA.replace("scale", "größe"),
    good=_FORMULA,
    section="2.4",
)

MALFORMED_NUMBER = Rule(
    name="malformed-number",
    summary="Something begins like a number, but is none.",
    why=(
        "Numbers are decimal. A real number has a digit before its point (`0.5`; `1.` is right, too), and its exponent "
        "has digits."
    ),
    bad=_FORMULA.replace("0.5", ".5"),
    good=_FORMULA,
    section="2.4",
)

MALFORMED_FORMAT = Rule(
    name="malformed-format",
    summary="The braces in a string do not enclose one whole expression.",
    why=(
        "In a string, `{…}` stands for the value of the expression inside. A brace that is meant as a character is "
        "written with a backslash."
    ),
    bad=_MESSAGE.replace("{folder}", "{folder"),
    good=_MESSAGE,
    section="2.4",
)

INVALID_ESCAPE = Rule(
    name="invalid-escape",
    summary="A backslash in a string stands before a character that it does not change.",
    why=(
        "It stays as written. Quotes, braces and the backslash itself can be escaped, and `\\n` and `\\t` are a line "
        "break and a tab: with another character the backslash is a mistake, or should be doubled to say that it is "
        "meant."
    ),
    bad=_MESSAGE.replace("\\\\", "\\"),
    good=_MESSAGE,
    section="2.4",
    severity=Severity.WARNING,
)

KEYWORD_AS_NAME = Rule(
    name="keyword-as-name",
    summary="A keyword is used as a name.",
    why=(
        "Keywords such as `if`, `is` or `graph` have a fixed meaning everywhere. `shape`, `rank`, `size` and the "
        "built-in functions are no keywords."
    ),
    bad="""\
operator scale {
    @attrib { with: real; }
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = 2.0 * x[i,], i < n; }
}
""",
    good="""\
operator scale {
    @attrib { width: real; }
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = width * x[i,], i < n; }
}
""",
    section="2.16",
)

NESTING_TOO_DEEP = Rule(
    name="nesting-too-deep",
    summary="An expression, or what an operator is composed of, has hundreds of levels.",
    why=(
        "The limit protects snd from running out of memory on generated text; nobody can read such an expression "
        "either. Give the parts names, in `@using` or `@compose`. Operators may be composed of operators in 400 "
        "levels; the first that has more is reported, and what invokes it is not composed."
    ),
    bad="",
    good="",
    section="tool",
)

INVALID_ENCODING = Rule(
    name="invalid-encoding",
    summary="A file is not encoded in UTF-8.",
    why=(
        "SkriptND is UTF-8; a byte order mark at the start is tolerated. The report is at the first bytes that are no "
        "character. Save the file as UTF-8."
    ),
    bad="",
    good="",
    section="tool",
)

UNREADABLE_FILE = Rule(
    name="unreadable-file",
    summary="A file exists and cannot be read.",
    why=(
        "Permissions, a broken link or a failing disk: the message repeats what the system says. Nothing is known of "
        "the file's contents, so what imports it is not judged by them."
    ),
    bad="",
    good="",
    section="tool",
)

FILE_TOO_LARGE = Rule(
    name="file-too-large",
    summary="A file is too large for the language server.",
    why=(
        "While one writes, files of more than 4,000,000 characters are not looked at: what is known of one takes a "
        "multiple of its size, and questions about other files would wait for it. Nothing is known of its contents, so "
        "what imports it is not judged by them. `snd check` reads files of any size. A model that large may be divided "
        "into modules."
    ),
    bad="",
    good="",
    section="tool",
    severity=Severity.WARNING,
)
