#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a manual page: page.py PROGRAM PAGE.1.in PAGE.1

The line .@OPTIONS@ becomes what the program prints by --help, and so do, one after the other, its commands; @VERSION@
becomes the program's. So a page cannot say of options what the program does not."""
import re
import subprocess
import sys

# What a line of CLI11 or of Qt starts an entry with; what goes on is indented further.
ENTRY = re.compile(r"^ {1,2}(?=\S)")


def escape(text):
    """Text as roff takes it: no line is a request, and a dash can be searched for."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def ask(program, *words):
    done = subprocess.run([program, *words], capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        sys.exit(f"page: {program} {' '.join(words)}: status {done.returncode}: {done.stderr or done.stdout}")
    return done.stdout


def parse(text):
    """A program's help as (what it does, its usage, {section: [(entry, words of it)]})."""
    about, usage, sections, current = [], "", {}, None
    for line in text.splitlines():
        if line.startswith("Usage: "):
            usage = line[len("Usage: "):].strip()
        elif re.fullmatch(r"[A-Z][A-Za-z ]*:", line):
            current = sections.setdefault(line[:-1], [])
        elif current is not None and ENTRY.match(line):
            name, _, rest = line.strip().partition("  ")
            current.append([name, rest.strip()])
        elif current is not None and line.startswith("   ") and current:
            current[-1][1] = (current[-1][1] + " " + line.strip()).strip()
        elif line.strip():
            current = None
            about.append(line.strip())
    return about, usage, sections


def entries(rows):
    """CLI11 writes defaults and bounds behind the name; the name is bold, the rest as it is."""
    for name, words in rows:
        first, _, rest = name.partition(" ")
        if first.endswith(","):  # Qt: -h, --help
            second, _, rest = rest.partition(" ")
            first = f"{first} {second}"
        yield ".TP"
        yield f"\\fB{escape(first)}\\fR" + (f" {escape(rest)}" if rest else "")
        yield escape(words) if words else "\\&"


def sections_of(sections):
    for title in ("Positionals", "Arguments", "Options"):
        rows = [row for row in sections.get(title, []) if not row[0].startswith(("-h,", "-h ", "--help-all"))]
        if rows:
            yield from entries(rows)


def commands(program, words, sections):
    """Every command, with its own commands behind it."""
    for name, summary in sections.get("Subcommands", []):
        below = [*words, name]
        _, usage, inner = parse(ask(program, *below, "--help"))
        if " ".join(below) not in usage:
            sys.exit(f"page: {program} {' '.join(below)} --help is about something else: {usage}")
        usage = re.sub(r"\s*\[SUBCOMMAND\]| SUBCOMMAND", "", usage.replace("[OPTIONS]", "[options]"))
        yield f".SS \"{escape(usage)}\""
        yield escape(summary[:1].upper() + summary[1:]) + "."
        yield from sections_of(inner)
        yield from commands(program, below, inner)


def write(program, template):
    version = ask(program, "--version").split()[-1]
    _, _, sections = parse(ask(program, "--help"))
    options = [".SH OPTIONS", *sections_of(sections)]
    if "Subcommands" in sections:
        options += [".SH COMMANDS", "Every command also takes \\fB\\-\\-help\\fR.", *commands(program, [], sections)]
    return template.replace("@VERSION@", version).replace(".@OPTIONS@", "\n".join(options))


def main():
    if len(sys.argv) != 4:
        sys.exit("usage: page.py PROGRAM PAGE.1.in PAGE.1")
    with open(sys.argv[2], encoding="utf-8") as file:
        text = write(sys.argv[1], file.read())
    with open(sys.argv[3], "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main()
