#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a manual page: page.py PROGRAM PAGE.1.in PAGE.1

The line .@OPTIONS@ is replaced by the options and commands in the program's --help text, and @VERSION@ by its version.
So a page cannot name an option that the program does not have."""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import program_help


def escape(text):
    """Escapes text for roff, so that no line is read as a request, and readers can search for a dash."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def entries(rows):
    """Yields an entry for each option, with its name in bold. Defaults and bounds after the name are kept."""
    for name, words in rows:
        first, _, rest = name.partition(" ")
        if first.endswith(","):  # Qt: -h, --help
            second, _, rest = rest.partition(" ")
            first = f"{first} {second}"
        yield ".TP"
        yield f"\\fB{escape(first)}\\fR" + (f" {escape(rest)}" if rest else "")
        yield escape(words) if words else "\\&"


def overview(command):
    """Lists the commands of each group, if there are several groups."""
    groups = command.groups
    if len(groups) > 1:
        for title, names in groups.items():
            yield from (".TP", escape(title), ", ".join(f"\\fB{escape(name)}\\fR" for name in names))


def commands(parent):
    """Yields the section of each command, followed by the sections of its subcommands."""
    for command in parent.commands:
        usage = re.sub(r"\s*\[SUBCOMMAND\]| SUBCOMMAND", "", command.usage.replace("[OPTIONS]", "[options]"))
        yield f".SS \"{escape(usage)}\""
        yield escape(command.summary[:1].upper() + command.summary[1:]) + "."
        yield from entries(command.arguments + command.options)
        yield from commands(command)


def write(program, template):
    version = program_help.ask(program, "--version").split()[-1]
    command = program_help.read(program)
    options = [".SH OPTIONS", *entries(command.arguments + command.options)]
    if command.commands:
        options += [".SH COMMANDS", "Every command also takes \\fB\\-\\-help\\fR.", *overview(command),
                    *commands(command)]
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
