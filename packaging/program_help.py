# SPDX-License-Identifier: Apache-2.0
"""Reads the --help texts of a CLI11 or Qt program and of all its commands. Manual pages and shell completion are made
from these texts, so they cannot name an option that the program does not have."""
import dataclasses
import re
import subprocess
import sys

# Sections with other titles list commands: CLI11 prints one section for each group of commands.
ARGUMENTS, OPTIONS = ("Positionals", "Arguments"), ("Options",)

# An entry is indented by one or two columns; its continuation lines are indented further.
ENTRY = re.compile(r"^ {1,2}(?=\S)")
# CLI11 leaves only one space between a name and its description if the name ends in column 29.
TIGHT = re.compile(r"(?!.*(?:Needs:|Excludes:| in \[))(.{28}\S) (?!REQUIRED|\.\.\.)(\S.*)")


@dataclasses.dataclass
class Command:
    words: list  # the words after the program's name; empty for the program itself
    summary: str
    usage: str
    sections: dict  # title -> [(entry, its description)]
    commands: list  # in the order of the groups

    @property
    def arguments(self):
        return [row for title in ARGUMENTS for row in self.sections.get(title, [])]

    @property
    def options(self):
        """All options except the options that print help."""
        rows = [row for title in OPTIONS for row in self.sections.get(title, [])]
        return [row for row in rows if not row[0].startswith(("-h,", "-h ", "--help-all"))]

    @property
    def groups(self):
        """The names of the commands of each group: {title: [name]}."""
        return {title: [name for name, _ in rows] for title, rows in self.sections.items()
                if title not in ARGUMENTS + OPTIONS}


def ask(program, *words):
    done = subprocess.run([program, *words], capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        sys.exit(f"{program} {' '.join(words)}: status {done.returncode}: {done.stderr or done.stdout}")
    return done.stdout


def parse(text):
    """Returns the usage and the sections of a help text: {title: [(entry, its description)]}."""
    usage, sections, current = "", {}, None
    for line in text.splitlines():
        if line.startswith("Usage: "):
            usage = line[len("Usage: "):].strip()
        elif re.fullmatch(r"[A-Z][A-Za-z ]*:", line):
            current = sections.setdefault(line[:-1], [])
        elif current is not None and ENTRY.match(line):
            tight = "  " not in line.strip() and TIGHT.fullmatch(line)
            name, description = tight.groups() if tight else line.strip().partition("  ")[::2]
            current.append((name.strip(), description.strip()))
        elif current and line.startswith("   "):
            name, description = current[-1]
            current[-1] = (name, f"{description} {line.strip()}".strip())
        elif line.strip():
            current = None
    return usage, sections


def read(program, words=(), summary=""):
    """Runs the program and each of its commands with --help, and returns the parsed texts."""
    usage, sections = parse(ask(program, *words, "--help"))
    if " ".join(words) not in usage:
        sys.exit(f"{program} {' '.join(words)} --help is about something else: {usage}")
    command = Command(list(words), summary, usage, sections, [])
    for rows in (sections[title] for title in command.groups):
        command.commands += [read(program, [*words, name], below) for name, below in rows]
    return command
