#!/usr/bin/env python3
"""Writes docs/reference.md, the reference of the JSON, from the comments of its schema.

  tools/generate_reference.py           writes it
  tools/generate_reference.py --check   fails if it is not what would be written
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCHEMA = ROOT / "proto/retrykit/v1/service_config.proto"
REFERENCE = ROOT / "docs/reference.md"

HEAD = """# The JSON, field by field

Made from the comments of [service_config.proto](../proto/retrykit/v1/service_config.proto) by
`tools/generate_reference.py`; change it there. `retrykit check FILE` tells what is wrong with a file,
`retrykit explain FILE` what it amounts to.

{about}
"""

# Where an object stands; those that no key of the JSON names are left out.
PLACES = [
    ("ServiceConfig", "The whole file"),
    ("RetryThrottling", "`retryThrottling`"),
    ("GlobalOptions", "`retrykit` of the whole file"),
    ("MethodConfig", "`methodConfig[]`"),
    ("Name", "`methodConfig[].name[]`"),
    ("RetryPolicy", "`methodConfig[].retryPolicy`"),
    ("HedgingPolicy", "`methodConfig[].hedgingPolicy`"),
    ("MethodOptions", "`methodConfig[].retrykit`"),
    ("IdempotencyKey", "`methodConfig[].retrykit.idempotencyKey`"),
    ("CircuitBreaker", "`methodConfig[].retrykit.circuitBreaker`"),
    ("Hedging", "`methodConfig[].retrykit.hedging`"),
]

TYPES = {
    "google.protobuf.Duration": "duration",
    "CoreJson": "any JSON",
    "Decimal": "number",
    "StatusCode": "status code",
    "bool": "true or false",
    "string": "text",
    "double": "number",
}


def json_name(field):
    head, *rest = field.split("_")
    return head + "".join(word.capitalize() for word in rest)


def type_name(kind, repeated, enums):
    if kind in enums:
        name = " or ".join(f"`{value}`" for value, _ in enums[kind]["values"])
    elif kind.startswith(("int", "uint")):
        name = "whole number"
    else:
        name = TYPES.get(kind, "object")
    return f"list of {name}" if repeated else name


def joined(comment):
    """Comment lines as paragraphs."""
    paragraphs = "\n".join(comment).split("\n\n")
    return "\n\n".join(" ".join(part.split()) for part in paragraphs)


def cell(text):
    return text.replace("\n\n", " ").replace("|", "\\|")


def parse(text):
    """The schema's head comment, and its messages by name."""
    messages, stack, comment, about = {}, [], [], None
    for line in text.splitlines():
        line = line.strip()
        if line.startswith("//"):
            comment.append(line[2:].strip())
            continue
        if about is None and comment:
            about = joined(comment)
        opened = re.match(r"(message|enum) (\w+) {$", line)
        if opened:
            kind, name = opened.groups()
            body = {"comment": joined(comment), "fields": [], "enums": {}, "values": []}
            if kind == "message":
                messages[name] = body
            elif stack:
                stack[-1]["enums"][name] = body
            stack.append(body)
        elif line == "}":
            stack.pop()
        elif stack:
            field = re.match(r"(?:(repeated|optional) )?([\w.]+) (\w+) = \d+;", line)
            value = re.match(r"(\w+) = \d+;\s*(?://\s*(.*))?", line)
            if field:
                label, kind, name = field.groups()
                stack[-1]["fields"].append((name, kind, label == "repeated", joined(comment)))
            elif value:
                stack[-1]["values"].append((value[1], value[2] or ""))
        comment = []
    return about, messages


def section(title, message):
    enums = {
        name: {"comment": enum["comment"],
               "values": [(value, said) for value, said in enum["values"] if "UNSPECIFIED" not in value]}
        for name, enum in message["enums"].items()
    }
    lines = [f"## {title}", "", message["comment"], "", "| key | type | meaning |", "|---|---|---|"]
    for name, kind, repeated, comment in message["fields"]:
        said = comment
        if kind in enums:
            values = "; ".join(f"`{value}`: {text.rstrip('.')}" for value, text in enums[kind]["values"])
            said = f"{enums[kind]['comment']} {values}. {comment}".strip()
        lines.append(f"| `{json_name(name)}` | {type_name(kind, repeated, enums)} | {cell(said)} |")
    return "\n".join(lines) + "\n"


def reference():
    about, messages = parse(SCHEMA.read_text())
    missing = set(messages) - {name for name, _ in PLACES} - {"CoreJson", "Decimal"}
    if missing:
        sys.exit(f"no place in the JSON is known for {', '.join(sorted(missing))}")
    everywhere = about[about.index("Everywhere:"):]
    parts = [HEAD.format(about=everywhere)]
    parts += [section(title, messages[name]) for name, title in PLACES]
    return "\n".join(parts)


def main():
    text = reference()
    if sys.argv[1:] == ["--check"]:
        if not REFERENCE.exists() or REFERENCE.read_text() != text:
            sys.exit("docs/reference.md is not what its schema says: run tools/generate_reference.py")
    else:
        REFERENCE.write_text(text)


if __name__ == "__main__":
    main()
