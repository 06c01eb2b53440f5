#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the completion of a CLI11 program for bash and zsh: completion.py PROGRAM BASH_FILE ZSH_FILE

Commands, options and fixed values come from the program's --help texts. For other texts, file names are offered; for
numbers, nothing is offered."""
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import program_help

# The type that CLI11 prints after a name, with the set of allowed values if there is one.
TYPE = re.compile(r"(?:TEXT|INT|UINT|FLOAT|NUMBER)\b(?::\{([^}]*)\})?")
FILE, NOTHING = "@file", "@nothing"


def kind(rest):
    """Returns how a value is completed: FILE, NOTHING, or the allowed values, separated by commas; None for a flag."""
    found = TYPE.match(rest)
    if not found:
        return None
    return found.group(1) or (FILE if rest.startswith("TEXT") else NOTHING)


def quote(text):
    return "'" + text.replace("'", "'\\''") + "'"


def long_options(command):
    """Yields the name, the kind of its value, whether it may be repeated, and the description of each option."""
    for entry, description in command.options:
        names, _, rest = entry.partition(" ")
        yield names.split(",")[-1], kind(rest), "..." in rest, description
    yield "--help", None, False, "print help"


def arguments(command):
    """Yields the name, the kind, whether it is required, and whether it may be repeated, of each argument."""
    for entry, _ in command.arguments:
        name, _, rest = entry.partition(" ")
        yield name, kind(rest) or NOTHING, "REQUIRED" in rest, "..." in rest


def every_command(command):
    yield command
    for below in command.commands:
        yield from every_command(below)


def bash_case(name, command):
    """Returns the lines of bash that set the words that may follow a command."""
    options = list(long_options(command))
    values = [f"{option}={what}" for option, what, _, _ in options if what]
    words = [what + ("..." if repeated else "") for _, what, _, repeated in arguments(command)]
    return "\n".join([
        f"        {quote(' '.join([name, *command.words]))})",
        f"            commands={quote(' '.join(below.words[-1] for below in command.commands))}",
        f"            options={quote(' '.join(option for option, *_ in options))}",
        f"            values={quote(' '.join(values))}",
        f"            arguments={quote(' '.join(words))}",
        "            ;;"])


def zsh_spec(text):
    """Returns text with the special characters of _arguments escaped."""
    return re.sub(r"([\\:\[\]])", r"\\\1", text)


def zsh_action(what):
    return {FILE: "_files", NOTHING: " "}.get(what, "(" + what.replace(",", " ") + ")")


def zsh_function(name, command):
    """Returns the zsh function of a command, which calls the functions of its subcommands."""
    specs = []
    for option, what, repeated, description in long_options(command):
        spec = ("*" if repeated else "") + option + ("=" if what else "") + f"[{zsh_spec(description)}]"
        specs.append(spec + (f":value:{zsh_action(what)}" if what else ""))
    if command.commands:
        specs += ["1:command:->command", "*::argument:->argument"]
    else:
        for number, (word, what, required, repeated) in enumerate(arguments(command), 1):
            place = "*:" if repeated else f"{number}:" if required else f"{number}::"
            specs.append(f"{place}{zsh_spec(word)}:{zsh_action(what)}")
    quoted = " \\\n".join(f"        {quote(spec)}" for spec in specs)
    function = "_".join(["", name, *command.words])
    if not command.commands:
        return f"{function}() {{\n    _arguments \\\n{quoted}\n}}"
    names = "\n".join(f"        {quote(below.words[-1] + ':' + below.summary)}" for below in command.commands)
    return f"""{function}() {{
    local curcontext=$curcontext state state_descr line answer=1
    typeset -A opt_args
    local -a subcommands=(
{names}
    )
    _arguments -C \\
{quoted} && answer=0
    case $state in
        command) _describe command subcommands && answer=0 ;;
        argument) (( $+functions[{function}_$words[1]] )) && {function}_$words[1] && answer=0 ;;
    esac
    return answer
}}"""


def write(program, template, parts):
    """Fills a template: replaces @PROGRAM@, and the line #@COMMANDS@ by the code made for each command."""
    text = (HERE / template).read_text(encoding="utf-8")
    return text.replace("@PROGRAM@", program).replace("#@COMMANDS@", "\n".join(parts))


def main():
    if len(sys.argv) != 4:
        sys.exit("usage: completion.py PROGRAM BASH_FILE ZSH_FILE")
    root = program_help.read(sys.argv[1])
    name = root.usage.split()[0]
    commands = list(every_command(root))
    texts = (write(name, "bash.in", [bash_case(name, command) for command in commands]),
             write(name, "zsh.in", [zsh_function(name, command) + "\n" for command in commands]))
    for file, text in zip(sys.argv[2:], texts):
        pathlib.Path(file).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
