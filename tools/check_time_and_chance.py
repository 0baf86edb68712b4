#!/usr/bin/env python3
"""Refuses sleeps, real clocks and unseeded randomness outside the files that may have them.

Time and randomness are arguments in this project (a clock, a bit generator), so that every test is
exact. The exceptions stand in time_and_chance_allowed.txt, one a line: path, kind, reason. Prints
one line per mistake, exceptions that nothing needs among them; exit status 1 if there are any.
"""
import os
import re
import sys

import sources

ALLOWED = os.path.join("tools", "time_and_chance_allowed.txt")

RULES = {
    "sleep": re.compile(r"\b(sleep_for|sleep_until|SleepFor|usleep|nanosleep|clock_nanosleep)\b|(?<![\w.>])sleep\s*\("),
    "clock": re.compile(
        r"\babsl::(Now|GetCurrentTimeNanos)\b|\b(system_clock|steady_clock|high_resolution_clock)::now\b"
        r"|\b(clock_gettime|gettimeofday|gpr_now)\b|(?<![\w.>])time\s*\(\s*(nullptr|NULL|0|&\w+)\s*\)"
    ),
    "chance": re.compile(
        r"\b(random_device|srand|arc4random|getrandom|random_shuffle)\b|(?<![\w.>])rand\s*\("
        # A BitGen without a seed; references to one (BitGen&, BitGenRef) are fine.
        r"|\babsl::(Insecure)?BitGen\b\s*(\w+\s*(;|\{\s*\})|>?\s*(\(\s*\)|\{\s*\}))"
    ),
}


def read_allowed():
    """The exceptions as {(path, kind): reason}, and the mistakes in the list itself."""
    allowed, mistakes = {}, []
    for number, line in enumerate(sources.read(ALLOWED).splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        words = line.split(None, 2)
        if len(words) < 3 or words[1] not in RULES:
            mistakes.append(f"{ALLOWED}:{number}: want: path, one of {', '.join(RULES)}, reason")
        else:
            allowed[words[0], words[1]] = words[2]
    return allowed, mistakes


def uses_in(path):
    """Every use of real time or chance in the file: (line, kind, what)."""
    for number, line in enumerate(sources.code_of(sources.read(path)).splitlines(), 1):
        for kind, pattern in RULES.items():
            for match in pattern.finditer(line):
                yield number, kind, match.group().strip()


def main():
    allowed, mistakes = read_allowed()
    needed = set()
    for path in sources.source_files():
        for number, kind, what in uses_in(path):
            if (path, kind) in allowed:
                needed.add((path, kind))
            else:
                mistakes.append(f"{path}:{number}: {kind}: {what} (give it as an argument, or see {ALLOWED})")
    for path, kind in sorted(set(allowed) - needed):
        mistakes.append(f"{ALLOWED}: {path} has no {kind} any more")
    print("\n".join(mistakes), end="\n" if mistakes else "")
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
