"""What the source checkers share: the list of C++ files, and their text without comments and strings."""
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDERS = ("interceptors", "cli", "examples", "proto", "tests")

_NOT_CODE = re.compile(
    r"""
    //[^\n]*                                              # a comment to the end of the line
  | /\*.*?\*/                                             # a comment
  | \bR"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)"        # a raw string
  | "(?:\\.|[^"\\\n])*"                                   # a string
  | (?<![0-9A-Za-z_])'(?:\\.|[^'\\\n])*'                  # a character, not the ' of 1'000
    """,
    re.DOTALL | re.VERBOSE,
)


def source_files():
    """Paths from the root of all .h and .cc files, sorted."""
    found = []
    for folder in FOLDERS:
        for where, folders, names in os.walk(os.path.join(ROOT, folder)):
            folders[:] = [f for f in folders if not f.startswith("bazel-")]
            found += [os.path.relpath(os.path.join(where, n), ROOT) for n in names if n.endswith((".h", ".cc"))]
    return sorted(found)


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def code_of(text):
    """`text` with comments blank and strings empty, each line where it was."""

    def replacement(match):
        text = match.group()
        kept = "\n" * text.count("\n")
        return kept if text.startswith("/") else text[-1] + kept + text[-1]

    return _NOT_CODE.sub(replacement, text)


if __name__ == "__main__":
    print("\n".join(source_files()))
