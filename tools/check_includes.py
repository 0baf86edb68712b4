#!/usr/bin/env python3
"""Refuses includes of our own files that are not written from the repository's root.

Prints one line per mistake; exit status 1 if there are any. Which room may include which is
checked by //tests/architecture:includes_test.
"""
import os
import re
import sys

import sources

_INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def mistakes_in(path, text):
    for match in _INCLUDE.finditer(text):
        bracket, included = match.groups()
        line = text.count("\n", 0, match.start(1)) + 1
        ours = included.startswith(tuple(folder + "/" for folder in sources.FOLDERS))
        if ours and bracket == "<":
            yield f'{path}:{line}: write "{included}", not <{included}>'
        elif included.startswith("."):
            yield f"{path}:{line}: write {included} from the repository's root"
        elif not ours and os.path.exists(os.path.join(sources.ROOT, os.path.dirname(path), included)):
            yield f"{path}:{line}: write {os.path.dirname(path)}/{included}"


def main():
    mistakes = [m for path in sources.source_files() for m in mistakes_in(path, sources.read(path))]
    print("\n".join(mistakes), end="\n" if mistakes else "")
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
