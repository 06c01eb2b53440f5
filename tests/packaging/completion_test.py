#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generates the completion for bash and zsh from a made-up program, and from divisictl if DIVISI_BIN_DIR has it. It
tests what bash completes. The file for zsh is only checked for its syntax, if zsh is installed. Run one shell
by its class: completion_test.py Bash, completion_test.py Zsh."""
import os
import pathlib
import re
import shlex
import shutil
import stat
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
GENERATOR = ROOT / "packaging/completion/completion.py"
BIN = pathlib.Path(os.environ.get("DIVISI_BIN_DIR", ROOT / "build/release/bin"))

HELP = """  -h,--help                   Print this help message and exit
"""
FAKE = {
    "": f"""What it does
Usage: fakectl [OPTIONS] SUBCOMMAND

Options:
{HELP}  --version                   Display program version information and exit

First things:
  plan                        plans: what's [next]

Other things:
  policies                    shows policies
  pools                       shows pools
""",
    "plan": f"""plans: what's [next]
Usage: fakectl plan [OPTIONS] FILE NUMBER [MORE...]

Positionals:
  FILE TEXT REQUIRED          a file
  NUMBER UINT REQUIRED        a number
  MORE TEXT ...               more files

Options:
{HELP}  --json                      print JSON
  --set TEXT ...              override: a=b
  --role TEXT:{{viewer,admin}}=viewer
                              a role
  --limit INT:INT in [1 - 9] Excludes: --set
                              how many
""",
    "policies": f"""shows policies
Usage: fakectl policies [OPTIONS] [SUBCOMMAND]

Options:
{HELP}  --connect TEXT              a file

Subcommands:
  set                         sets one
  try                         tries one
""",
    "policies set": f"""sets one
Usage: fakectl policies set [OPTIONS]

Options:
{HELP}""",
    "policies try": f"""tries one
Usage: fakectl policies try [OPTIONS]

Options:
{HELP}""",
    "pools": f"""shows pools
Usage: fakectl pools [OPTIONS]

Options:
{HELP}""",
}
# compopt fails outside a completion, so the test replaces it.
ASK = """compopt() { [[ $* == "-o default" ]] && COMPREPLY=(FILES); }
ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); "_$1"; printf '%s\\n' "${COMPREPLY[*]}"; }
"""


def run(*command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120, **options)


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="divisi-completion-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def fake(self):
        program = self.folder / "program"
        cases = "".join(f"{shlex.quote(f'{words} --help'.strip())}) cat <<'TEXT'\n{text}TEXT\n;;\n"
                        for words, text in FAKE.items())
        program.write_text(f'#!/bin/sh\ncase "$*" in\n{cases}*) exit 2 ;;\nesac\n')
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        return program

    def divisictl(self):
        program = BIN / "divisictl"
        if not program.exists():
            self.skipTest(f"{program} is not built")
        return program

    def make(self, program):
        """Returns the files for bash and for zsh."""
        files = self.folder / "completion.bash", self.folder / "_completion"
        done = run("python3", GENERATOR, program, *files)
        self.assertEqual(done.returncode, 0, done.stderr)
        return files


class Bash(Folder):
    def answers(self, file, *lines):
        """Returns the words with which bash would complete the end of each line. FILES: file names."""
        self.assertEqual(run("bash", "-n", file).stderr, "")
        calls = "\n".join("ask " + " ".join(shlex.quote(word) for word in line) for line in lines)
        done = run("bash", "--norc", "-c", f". {file}\n{ASK}{calls}")
        self.assertEqual(done.stderr, "")
        return [sorted(answer.split()) for answer in done.stdout.splitlines()]

    def check(self, file, expected):
        lines = [re.split(" +|(?<==)|(?==)", line) for line in expected]
        for line, answer in zip(expected, self.answers(file, *lines)):
            with self.subTest(line):
                self.assertEqual(answer, sorted(expected[line].split()))

    def test_commands(self):
        self.check(self.make(self.fake())[0], {
            "fakectl ": "plan policies pools",
            "fakectl po": "policies pools",
            "fakectl policies ": "set try",
            "fakectl policies s": "set",
            "fakectl policies --connect plan t": "try",
            "fakectl -": "--help --version",
            "fakectl policies --": "--connect --help",
            "fakectl nothing ": "--help --version"})

    def test_values(self):
        self.check(self.make(self.fake())[0], {
            "fakectl plan --role ": "viewer admin",
            "fakectl plan --role a": "admin",
            "fakectl plan --role=": "viewer admin",
            "fakectl plan --role=v": "viewer",
            "fakectl plan --limit ": "",
            "fakectl plan --set ": "FILES",
            "fakectl plan --set=": "FILES",
            "fakectl policies --connect=": "FILES"})

    def test_arguments(self):
        self.check(self.make(self.fake())[0], {
            "fakectl plan ": "FILES",
            "fakectl plan --role admin a": "FILES",
            "fakectl plan a ": "",
            "fakectl plan a 1 ": "FILES",
            "fakectl plan a 1 b c ": "FILES",
            "fakectl plan a -- ": "",
            "fakectl plan -- -a": "FILES",
            "fakectl pools ": "--help"})

    def test_a_program_that_fails_makes_no_file(self):
        files = self.folder / "a", self.folder / "b"
        self.assertNotEqual(run("python3", GENERATOR, "/bin/false", *files).returncode, 0)
        self.assertFalse(files[0].exists() or files[1].exists())

    def test_commands_of_divisictl(self):
        self.check(self.make(self.divisictl())[0], {
            "divisictl pl": "plan",
            "divisictl policies ": "rollback set try",
            "divisictl keys add --role ": "admin agent module operator viewer",
            "divisictl run ": "FILES"})

    def test_all_options_of_divisictl(self):
        program = self.divisictl()
        file = self.make(program)[0]
        commands = [words.split() for words in re.findall(r"^        '(divisictl[a-z -]*)'\)$", file.read_text(),
                                                          re.MULTILINE)]
        self.assertGreater(len(commands), 60)
        for command, answer in zip(commands, self.answers(file, *[[*command, "--"] for command in commands])):
            with self.subTest(" ".join(command)):
                text = run(program, *command[1:], "--help").stdout.partition("\nOptions:\n")[2].partition("\n\n")[0]
                self.assertEqual(answer, sorted(re.findall(r"^  (?:-h,)?(--[a-z-]+)", text, re.MULTILINE)))


class Zsh(Folder):
    def test_specifications(self):
        text = self.make(self.fake())[1].read_text()
        self.assertTrue(text.startswith("#compdef fakectl\n"))
        self.assertIn("'plan:plans: what'\\''s [next]'\n", text)
        self.assertIn("'*--set=[override\\: a=b]:value:_files'", text)
        self.assertIn("'--role=[a role]:value:(viewer admin)'", text)
        self.assertIn("'--limit=[how many]:value: '", text)
        self.assertIn("'1:FILE:_files' \\\n        '2:NUMBER: ' \\\n        '*:MORE:_files'\n", text)
        self.assertIn("_fakectl_policies_set() {", text)

    def test_zsh_reads_the_files(self):
        if not shutil.which("zsh"):
            self.skipTest("zsh is not installed, so its completion was not checked")
        programs = [self.fake()] + [path for path in [BIN / "divisictl"] if path.exists()]
        for program in programs:
            done = run("zsh", "-n", self.make(program)[1])
            self.assertEqual((done.returncode, done.stderr), (0, ""), program)


if __name__ == "__main__":
    unittest.main(verbosity=2)
