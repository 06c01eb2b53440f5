#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the manual pages: every program has one, roff accepts it without a warning, and it has every option that the
program prints by --help. Programs that are not built are skipped with a message; DIVISI_BIN_DIR names their
folder."""
import os
import pathlib
import re
import shutil
import stat
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGES = ROOT / "packaging/man"
BIN = pathlib.Path(os.environ.get("DIVISI_BIN_DIR", ROOT / "build/release/bin"))
SECTIONS = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "FILES", "EXAMPLES", "SEE ALSO"]

# What CLI11 and Qt print, with groups, a command below a command, a long name, a name that ends in column 29 and an
# option without words.
CLI11 = r"""#!/bin/sh
case "$*" in
  --version) echo "divisi-fake 1.2.3" ;;
  --help) cat <<'TEXT'
What it does
Usage: divisi-fake [OPTIONS] SUBCOMMAND

Options:
  -h,--help                   Print this help message and exit
  --version                   Display program version information and exit

First things:
  outer                       does much

Other things:
  another                     does something else

A last word.
TEXT
  ;;
  "outer --help") cat <<'TEXT'
does much
Usage: divisi-fake outer [OPTIONS] [SUBCOMMAND]

Options:
  -h,--help                   Print this help message and exit
  --json

Subcommands:
  inner                       does little
TEXT
  ;;
  "outer inner --help") cat <<'TEXT'
does little
Usage: divisi-fake outer inner [OPTIONS] FILE KEY=VALUE...

Positionals:
  FILE TEXT REQUIRED          .starts with a dot
  KEY=VALUE TEXT ... REQUIRED what to set
                              and to what

Options:
  -h,--help                   Print this help message and exit
  --a-long-name INT:INT in [1 - 9]=3 Excludes: --other
                              how many
TEXT
  ;;
  "another --help") cat <<'TEXT'
does something else
Usage: divisi-fake another [OPTIONS]

Options:
  -h,--help                   Print this help message and exit
TEXT
  ;;
  *) exit 2 ;;
esac
"""
QT = r"""#!/bin/sh
[ "$1" = --version ] && { echo "divisi 1.2.3"; exit; }
cat <<'TEXT'
Usage: divisi [options] [file]
Split the training.

Options:
  -h, --help             Displays help on commandline options.
  --help-all             Displays help, including generic Qt options.
  -v, --version          Displays version information.
  --connect <FILE>       Connect to the cluster that FILE names, which
                         somebody has written.

Arguments:
  file                   A model.
TEXT
"""
TEMPLATE = '.TH X 1 "" "Divisi @VERSION@" "Divisi"\n.SH NAME\nx \\- y\n.@OPTIONS@\n.SH FILES\nnone\n'


def run(*command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)


def programs():
    """Returns the programs that the build installs, from the calls of divisi_program."""
    names = []
    for folder in ("app", "backend", "agents"):
        for file in sorted((ROOT / folder).rglob("CMakeLists.txt")):
            for name, first in re.findall(r"divisi_program\(([a-z-]+)\s+(\w+)", file.read_text()):
                if first != "NOT_INSTALLED":
                    names.append(name)
    return names


def option_names(text):
    """Ignores --help, which is not listed for every command."""
    return set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]+", text)) - {"--help", "--help-all"}


def rendered(page):
    """Returns the page as plain text with one long line per paragraph, and the warnings of roff."""
    environment = {**os.environ, "MANWIDTH": "1000", "LC_ALL": "C.UTF-8", "MANROFFOPT": "", "GROFF_NO_SGR": "1"}
    done = run("man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", page, env=environment)
    return re.sub(".\b", "", done.stdout), done.stderr


def help_of(program, *words):
    return run(program, *words, "--help").stdout


def command_groups(text):
    """Returns the commands that a help text lists, by the title of their group."""
    sections = re.findall(r"^([A-Z][A-Za-z ]*):\n((?:  .*\n)+)", text, re.MULTILINE)
    return {title: re.findall(r"^  ([a-z-]+)(?:\s|$)", rows, re.MULTILINE)
            for title, rows in sections if title not in ("Positionals", "Arguments", "Options")}


def subcommands(text):
    """Returns the names of the commands that a help text lists."""
    return {name for names in command_groups(text).values() for name in names}


def all_help(program, *words):
    """Returns the help of a program and of all its commands."""
    text = help_of(program, *words)
    for name in sorted(subcommands(text)):
        text += all_help(program, *words, name)
    return text


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="divisi-pages-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def make(self, program, template):
        page = self.folder / "page.1"
        done = run("python3", PAGES / "page.py", program, template, page)
        self.assertEqual(done.returncode, 0, done.stderr)
        return page

    def fake(self, script, template=TEMPLATE):
        program, source = self.folder / "program", self.folder / "page.1.in"
        program.write_text(script)
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        source.write_text(template)
        return self.make(program, source).read_text()


class Generator(Folder):
    def test_commands_below_commands(self):
        page = self.fake(CLI11)
        self.assertIn('"Divisi 1.2.3"', page)
        self.assertIn('.SS "divisi\\-fake outer [options]"\nDoes much.', page)
        self.assertIn('.SS "divisi\\-fake outer inner [options] FILE KEY=VALUE..."\nDoes little.', page)
        self.assertIn("\\fB\\-\\-a\\-long\\-name\\fR INT:INT in [1 \\- 9]=3 Excludes: \\-\\-other\nhow many", page)
        self.assertIn("\n\\&.starts with a dot", page, "a dot at the start of a line would be a request")
        self.assertIn("\\fB\\-\\-json\\fR\n", page)
        self.assertIn("\\fBKEY=VALUE\\fR TEXT ... REQUIRED\nwhat to set and to what", page)
        self.assertNotIn("\\-h,", page)

    def test_groups_of_commands(self):
        page = self.fake(CLI11)
        self.assertIn(".TP\nFirst things\n\\fBouter\\fR\n.TP\nOther things\n\\fBanother\\fR\n.SS", page)

    def test_options_of_qt(self):
        page = self.fake(QT)
        self.assertIn("\\fB\\-v, \\-\\-version\\fR\nDisplays version information.", page)
        self.assertIn("\\fB\\-\\-connect\\fR <FILE>\n"
                      "Connect to the cluster that FILE names, which somebody has written.", page)
        self.assertIn("\\fBfile\\fR\nA model.", page)
        self.assertNotIn("help\\-all", page)

    def test_a_program_that_fails_makes_no_page(self):
        source = self.folder / "page.1.in"
        source.write_text(TEMPLATE)
        done = run("python3", PAGES / "page.py", "/bin/false", source, self.folder / "page.1")
        self.assertNotEqual(done.returncode, 0)
        self.assertFalse((self.folder / "page.1").exists())


class Sources(unittest.TestCase):
    def test_every_program_has_a_page(self):
        pages = sorted(path.name.removesuffix(".1.in") for path in PAGES.glob("*.1.in"))
        self.assertEqual(pages, sorted(programs()))

    def test_every_page_has_its_sections(self):
        for path in PAGES.glob("*.1.in"):
            text = path.read_text().replace(".@OPTIONS@", ".SH OPTIONS")
            self.assertEqual(re.findall(r"^\.SH (.*)$", text, re.MULTILINE), SECTIONS, path.name)

    def test_pages_refer_to_pages(self):
        for path in PAGES.glob("*.1.in"):
            for name in re.findall(r"^\.BR (\S+) \(1\)", path.read_text(), re.MULTILINE):
                self.assertTrue((PAGES / f"{name.replace(chr(92), '')}.1.in").exists(), f"{path.name}: {name}")


@unittest.skipUnless(shutil.which("man"), "man is not installed (package man-db)")
class Pages(Folder):
    def test_pages_of_the_programs(self):
        for name in programs():
            with self.subTest(name):
                program = BIN / name
                if not program.exists():
                    self.skipTest(f"{program} is not built")
                text, warnings = rendered(self.make(program, PAGES / f"{name}.1.in"))
                self.assertEqual(warnings, "")
                missing = option_names(all_help(program)) - option_names(text)
                self.assertEqual(missing, set(), f"options that the page of {name} does not tell")

    def test_examples_use_options_that_exist(self):
        for name in programs():
            with self.subTest(name):
                program = BIN / name
                if not program.exists():
                    self.skipTest(f"{program} is not built")
                source = (PAGES / f"{name}.1.in").read_text().replace("\\-", "-")
                calls = [line for line in source.splitlines() if line.startswith(name + " ")]
                self.assertTrue(calls or name.startswith("divisi-module"), "an example calls the program")
                self.assertEqual(option_names("\n".join(calls)) - option_names(all_help(program)), set())


class Manual(unittest.TestCase):
    """Tests the commands that the console's manual tells users to type."""
    def commands(self):
        for page in sorted((ROOT / "resources/docs/user").glob("*.md")):
            for line in page.read_text().splitlines():
                if line.startswith("    divisi"):
                    yield page.name, line.split()

    def test_commands_exist(self):
        seen = set()
        for page, words in self.commands():
            program = BIN / words[0]
            if not program.exists():
                self.skipTest(f"{program} is not built")
            with self.subTest(page=page, words=" ".join(words)):
                seen.add(words[0])
                told = help_of(program, words[1]) if words[0] == "divisictl" else help_of(program)
                self.assertIn(f"Usage: divisictl {words[1]}" if words[0] == "divisictl" else "Usage: ", told)
        self.assertGreaterEqual(seen, {"divisi", "divisictl"})

    def test_the_page_of_commands_has_all_of_them(self):
        program = BIN / "divisictl"
        if not program.exists():
            self.skipTest(f"{program} is not built")
        told = {words[1] for page, words in self.commands() if page == "terminal.md"}
        self.assertEqual(subcommands(help_of(program)) - told, set())

    def test_help_and_the_page_of_commands_have_the_same_groups(self):
        program = BIN / "divisictl"
        if not program.exists():
            self.skipTest(f"{program} is not built")
        seen, groups = set(), {}
        for line in (ROOT / "resources/docs/user/terminal.md").read_text().splitlines():
            if line.startswith("## "):
                groups[line[3:]] = []
            elif line.startswith("    divisictl ") and line.split()[1] not in seen:
                seen.add(line.split()[1])
                groups[list(groups)[-1]].append(line.split()[1])
        self.assertEqual(list(command_groups(help_of(program)).items()), list(groups.items()),
                         "a command is in the group of its first example, in the order of the page")

    def test_options_exist(self):
        for page, words in self.commands():
            program = BIN / words[0]
            if not program.exists():
                self.skipTest(f"{program} is not built")
            with self.subTest(page=page, words=" ".join(words)):
                told = all_help(program, words[1]) if words[0] == "divisictl" else all_help(program)
                self.assertEqual(option_names(" ".join(words)) - option_names(told), set())

    def test_samples_exist(self):
        for page in (ROOT / "resources/docs/user").glob("*.md"):
            for path in re.findall(r"/usr/share/divisi/([a-z0-9./-]+)", page.read_text()):
                self.assertTrue((ROOT / "resources" / path.rstrip(".")).exists(), f"{page.name}: {path}")


if __name__ == "__main__":
    unittest.main(verbosity=1)
