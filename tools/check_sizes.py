#!/usr/bin/env python3
"""Refuses files and functions that are too long; prints how long functions are.

Limits: headers under 300 lines, sources under 350, tests under 600, functions at most 60 lines from
the first line of their signature to the closing brace. Functions are found by their braces, not by a
compiler: a body is a { after a ) outside other bodies. Prints one line per mistake; exit status 1 if
there are any.
"""
import re
import sys

import sources

FUNCTION_LIMIT = 60

_SCOPE = re.compile(r"\b(namespace|class|struct|union|enum)\b|\bextern\s*\"\"\s*$")
_RETURNS_STRUCT = re.compile(r"\b(struct|union|enum|class)\s+[\w:]+[\s&*]+[\w:~]+\s*$")
_MEMBER_INITIALIZER = re.compile(r"\)[\w\s]*:(?!:).*[\w>]\s*$", re.DOTALL)
_ACCESS = re.compile(r"\b(public|private|protected)\s*:(?!:)")
_PREPROCESSOR = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", re.MULTILINE)


def file_limit(path):
    if path.startswith("tests/"):
        return 600
    return 300 if path.endswith(".h") else 350


def what_opens(statement):
    """What a { begins after `statement`, the text since the last ; or brace: scope, value or function."""
    head = re.sub(r"\boperator\W+", "operator ", statement).split("(", 1)[0]
    if _SCOPE.search(head) and not _RETURNS_STRUCT.search(head):
        return "scope"
    if ")" not in statement or "=" in head or _MEMBER_INITIALIZER.search(statement):
        return "value"
    return "function"


def blanked(code):
    """`code` without preprocessor lines, and with the labels of access control as statements."""
    code = _PREPROCESSOR.sub(lambda match: "\n" * match.group().count("\n"), code)
    return _ACCESS.sub(lambda match: " " * (len(match.group()) - 1) + ";", code)


def functions_in(code):
    """(first line, length) of every function in `code`, which has no comments and no strings."""
    code = blanked(code)
    statement = 0  # where the statement that is being read begins
    nested = 0  # open parentheses and braces inside it
    body = False  # whether it is a function, its body reached
    for at, char in enumerate(code):
        if nested > 0:
            nested += {"(": 1, "{": 1, ")": -1, "}": -1}.get(char, 0)
            if nested == 0 and body:
                begin = statement + len(code[statement:at]) - len(code[statement:at].lstrip())
                yield code.count("\n", 0, begin) + 1, code.count("\n", begin, at) + 1
                statement, body = at + 1, False
        elif char == "(":
            nested = 1
        elif char == "{":
            opened = what_opens(code[statement:at])
            body = opened == "function"
            if opened == "scope":
                statement = at + 1
            else:
                nested = 1
        elif char in ";}":
            statement = at + 1


def share(lengths, percent):
    """The length that `percent` of the functions do not exceed."""
    return sorted(lengths)[max(0, -(-len(lengths) * percent // 100) - 1)] if lengths else 0


def report(name, lengths):
    print(f"{name}: {len(lengths)} functions, median {share(lengths, 50)} lines, "
          f"90th percentile {share(lengths, 90)}, longest {max(lengths, default=0)}")


def main():
    mistakes, lengths = [], {"sources": [], "tests": []}
    for path in sources.source_files():
        text = sources.read(path)
        lines = text.count("\n")
        if lines >= file_limit(path):
            mistakes.append(f"{path}: {lines} lines; it must stay under {file_limit(path)}")
        for first, length in functions_in(sources.code_of(text)):
            lengths["tests" if path.startswith("tests/") else "sources"].append(length)
            if length > FUNCTION_LIMIT:
                mistakes.append(f"{path}:{first}: a function of {length} lines; at most {FUNCTION_LIMIT}")
    print("\n".join(mistakes), end="\n" if mistakes else "")
    for name, found in lengths.items():
        report(name, found)
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
