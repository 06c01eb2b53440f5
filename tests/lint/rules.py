# SPDX-License-Identifier: Apache-2.0
"""The rules. Each takes a Tree and yields (path, line or 0, what is wrong and what to do)."""
import re

from tree import LIBRARIES, SCRIPT_SUFFIXES, TABLE, code_only

MAX_FILE_LINES = 800
MAX_FUNCTION_LINES = 70
MAX_LINE_WIDTH = 120
MAX_README_LINES = 15

TOP_LEVEL = {"CMakeLists.txt", "CMakePresets.json", "README.md", "LICENSE", "LICENSE.GPL-3.0", "app", "backend",
             "agents", "resources", "translations", "tests", "packaging"}

# These folders contain no I/O, no clock, no randomness and no threads.
PURE_FOLDERS = {"backend/base", "backend/identity", "backend/graph", "backend/frame", "backend/plan", "backend/price",
                "backend/search", "backend/staging", "backend/task", "backend/mesh", "backend/control"}
IMPURE_HEADERS = {"fstream", "iostream", "thread", "random", "future", "ctime", "time.h"}
# A path is a value; everything else in std::filesystem uses the disk.
IMPURE_CODE = (r"_clock\s*::\s*now|filesystem::(?!path\b)\w|=\s*std::filesystem\b"
               r"|\b(getenv|fopen|std::rand|srand|sleep_for|usleep|system)\s*\(")
STANDARD_HEADER = r"[a-z_0-9]+"

MARKS = r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X|HA" + r"CK)\b"


def name_of(path):
    """Returns the name that other rows use for a row: its path below the top folder."""
    return path.split("/", 1)[1]


def closure(table):
    """Returns folder -> the folders whose headers it may include, directly or through a folder in its row."""
    by_name = {name_of(path): path for path in table}

    def reach(path, seen):
        for name in table[path][0]:
            target = by_name.get(name)
            if target and target not in seen:
                seen.add(target)
                reach(target, seen)
        return seen

    return {path: reach(path, {path}) for path in table}


def owner(path, table):
    """Returns the folder or room of the table that contains a path; None if there is none (tests, resources)."""
    parts = path.split("/")[:-1]
    return next((folder for folder in ("/".join(parts[:3]), "/".join(parts[:2])) if folder in table), None)


def moc_of(source):
    """Returns the name of the file that Qt's moc makes from the header of a source. The source includes this file."""
    return f"moc_{source.split('/')[-1]}"


def layers(tree):
    table = tree.table()
    if not table:
        yield TABLE, 0, "the table of folders is missing or cannot be read"
        return
    for path, (uses, _) in table.items():
        for name in uses:
            if name not in {name_of(other) for other in table}:
                yield TABLE, 0, f"the row of {path} names '{name}', which has no row"
    allowed = closure(table)
    for path, reached in allowed.items():
        for other in reached - {path}:
            if path in allowed[other]:
                yield TABLE, 0, f"arrows must go one way: {path} and {other} reach each other"
    for file in tree.sources:
        top = file.path.split("/")[0]
        folder = owner(file.path, table)
        if folder is None:
            if top in ("backend", "agents", "app"):
                yield file.path, 0, f"its folder has no row in {TABLE}; add one and a decision record"
            continue
        for line, header, quoted in file.includes():
            if not quoted or header.endswith(".pb.h") or header == moc_of(file.path):
                continue
            target = owner(header, table)
            if target is None:
                yield file.path, line, f'"{header}" is no path from the root into a folder of the table'
            elif target not in allowed[folder]:
                yield file.path, line, f"{folder} must not include {target}; see {TABLE}"
        source = file.path.removesuffix(".h") + ".cpp"
        if top == "app" and file.path.endswith(".h") and re.search(r"^ *Q_(OBJECT|GADGET)$", file.text, re.M):
            if (found := tree.find(source)) is None or f'#include "{moc_of(source)}"' not in found.text:
                yield source, 0, f'include "{moc_of(source)}"; else it is compiled once more with all its headers'


def picture(tree):
    """Checks that the picture has an arrow from each folder to the folders in its row, except to folders that it
    reaches through another folder."""
    table = tree.table()
    allowed = closure(table)
    by_name = {name_of(path): path for path in table}
    by_node = {name_of(path).replace("/", "_"): path for path in table}
    wanted = set()
    for path, (uses, _) in table.items():
        targets = {by_name[name] for name in uses if name in by_name}
        wanted |= {(path, end) for end in targets if not any(end in allowed[way] for way in targets - {end})}
    drawn = set()
    for line, start, end in tree.arrows():
        arrow = (by_node.get(start), by_node.get(end))
        drawn.add(arrow)
        if arrow not in wanted:
            yield TABLE, line, f"the picture's arrow from {start} to {end} does not follow from the table"
    for start, end in sorted(wanted - drawn):
        yield TABLE, 0, f"the picture lacks the arrow from {start} to {end}"


def library_of(header):
    return next((word for word, pattern in LIBRARIES.items() if re.fullmatch(pattern, header)), None)


def libraries(tree):
    table = tree.table()
    for file in tree.sources:
        folder = owner(file.path, table)
        if folder is None:
            continue
        for line, header, quoted in file.includes():
            word = library_of(header)
            if word and word not in table[folder][1]:
                yield file.path, line, f"{folder} must not include {header} ({word}); see {TABLE}"
            if header.endswith(".pb.h") and quoted and folder != "backend/wire":
                yield file.path, line, "generated headers stay inside backend/wire"


# Code that depends on the LibTorch version is included in one place, so that only one place has to change.
TORCH_INTERNALS = "agents/segment/torch_compat.h"


def internals(tree):
    for file in tree.sources:
        for line, header, _ in file.includes():
            if re.match(r"torch/(csrc|version\.h)", header) and file.path != TORCH_INTERNALS:
                yield file.path, line, f"<{header}> differs between versions of LibTorch: include {TORCH_INTERNALS}"


def purity(tree):
    for file in tree.sources:
        if "/".join(file.folder.split("/")[:2]) not in PURE_FOLDERS:
            continue
        for line, header, quoted in file.includes():
            if not quoted and (header in IMPURE_HEADERS or not re.fullmatch(STANDARD_HEADER, header)):
                if library_of(header) is None:
                    yield file.path, line, f"{file.folder} does no I/O and reads no clock: do not include <{header}>"
        for number, line in enumerate(code_only(file.text).split("\n"), 1):
            if re.search(IMPURE_CODE, line):
                yield file.path, number, f"{file.folder} does no I/O and reads no clock: pass it in as a port"


# A gateway and a router forward frames: the sockets, and the code that they need, depend on no task and on no message
# about a task.
GATEWAY_STARTS = ("backend/link/data_port.h", "backend/link/zmq_transport.h", "backend/link/memory_transport.h")
NOT_IN_A_GATEWAY = {"backend/plan", "backend/price", "backend/search", "backend/staging", "backend/task",
                    "backend/control", "backend/wire"}


def gateway(tree):
    """Follows includes, and continues from a header to the source beside it, since a program that links one also links
    the other."""
    waiting, seen = list(GATEWAY_STARTS), set()
    while waiting:
        path = waiting.pop()
        file = tree.find(path)
        if file is None or path in seen:
            continue
        seen.add(path)
        if path.endswith(".h"):
            waiting.append(path[:-2] + ".cpp")
        for line, header, quoted in file.includes():
            if not quoted:
                continue
            waiting.append(header)
            if "/".join(header.split("/")[:2]) in NOT_IN_A_GATEWAY:
                yield path, line, f"a gateway would link this, and {header} depends on tasks"


def licences(tree):
    for file in tree.files:
        name = file.path.rsplit("/", 1)[-1]
        is_code = (file.is_source or file.suffix in SCRIPT_SUFFIXES | {".proto", ".toml", ".qml"}
                   or name == "CMakeLists.txt" or file.text.startswith("#!"))
        if not is_code:
            continue
        licence = "GPL-3.0-or-later" if file.path.startswith("app/") else "Apache-2.0"
        found = re.search(r"SPDX-License-Identifier: (\S+)(?: (?:\*/|-->))?$", "\n".join(file.lines[:3]), re.MULTILINE)
        if not found:
            yield file.path, 1, f"add the line: SPDX-License-Identifier: {licence}"
        elif found.group(1) != licence and not (file.path.startswith("tests/") and "GPL" in found.group(1)):
            yield file.path, 1, f"the licence of this folder is {licence}, not {found.group(1)}"


def prose_lines(file):
    """Yields (number, line) of a document's lines that can be broken: no tables, links or blocks of code."""
    fenced = False
    for number, line in enumerate(file.lines, 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith(("|", "[", "#", "![")) and "://" not in line:
            yield number, line


def lengths(tree):
    for file in tree.files:
        if file.is_source or file.suffix in SCRIPT_SUFFIXES or file.text.startswith("#!"):
            if len(file.lines) > MAX_FILE_LINES + 1:
                yield file.path, 0, f"{len(file.lines) - 1} lines; divide files above {MAX_FILE_LINES}"
            lines = enumerate(file.lines, 1)
        elif file.suffix == ".md" and "/zh_CN/" not in file.path:
            lines = prose_lines(file)
        else:
            continue
        for number, line in lines:
            if len(line) > MAX_LINE_WIDTH:
                yield file.path, number, f"{len(line)} columns; the limit is {MAX_LINE_WIDTH}"


def is_function(head):
    """Returns whether a brace block is a function's body. A body follows a parameter list, and not '=', '(' or ','."""
    head = head.rstrip()
    return ")" in head and head[-1] not in "=(,"


def bodies(text):
    """Yields (first line, lines) of each outermost brace block that is a function's body, judged by its head."""
    lines = code_only(text).split("\n")
    depth_of_scope, opened, counts, head = 0, None, False, ""
    stack = []
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("#"):
            continue
        for char in line:
            if char == "{":
                if opened is None and is_scope(head):
                    stack.append("scope")
                else:
                    stack.append("body")
                    if opened is None:
                        opened, depth_of_scope, counts = number, len(stack), is_function(head)
                head = ""
            elif char == "}" and stack:
                if opened is not None and len(stack) == depth_of_scope:
                    if counts:
                        yield opened, number - opened + 1
                    opened = None
                stack.pop()
                head = ""
            elif char == ";":
                head = ""
            else:
                head += char
        head += " "


def is_scope(head):
    """Returns whether a brace block may hold functions, as a namespace or a class does."""
    head = re.sub(r"\b(public|private|protected|Q_SLOTS|signals|Q_SIGNALS)\s*:(?!:)", "", head).strip()
    head = re.sub(r"^(\[\[\w+\]\]|Q_OBJECT|Q_DECLARE_METATYPE\(.*?\)|template\s*<.*?>)\s*", "", head)
    return bool(re.match(r'(inline\s+)?namespace\b|(class|struct|union|extern\s+"")(?![^=]*\)\s*(const)?\s*$)', head))


def functions(tree):
    for file in tree.sources:
        for line, length in bodies(file.text):
            if length > MAX_FUNCTION_LINES:
                yield file.path, line, f"a function of {length} lines; the limit is {MAX_FUNCTION_LINES}"


def readmes(tree):
    # The folders of tests/unit mirror the sources, whose README.md files explain them.
    folders = {"/".join(file.folder.split("/")[:2]) if file.folder.startswith("tests/unit/") else file.folder
               for file in tree.sources if file.folder}
    for folder in sorted(folders):
        readme = tree.find(folder + "/README.md")
        if readme is None:
            yield folder, 0, "has no README.md: purpose, may include, must not include, where to start reading"
        elif len(readme.lines) > MAX_README_LINES + 1:
            yield readme.path, 0, f"{len(readme.lines) - 1} lines; a folder's README has at most {MAX_README_LINES}"


def layout(tree):
    for name in sorted({path.split("/")[0] for path in tree.paths}):
        if name not in TOP_LEVEL and not name.startswith("."):
            yield name, 0, "the top level is fixed; put it into a folder"


def words(tree):
    for file in tree.files:
        if not (file.is_source or file.suffix in SCRIPT_SUFFIXES | {".md", ".proto", ".txt", ".toml"}):
            continue
        if file.path.startswith("resources/samples/text/"):
            continue
        for number, line in enumerate(file.lines, 1):
            if re.search(MARKS, line):
                yield file.path, number, "finish it, or state what is missing, without such a mark"
        if file.is_source:
            yield from source_words(file)


def source_words(file):
    for number, line in enumerate(code_only(file.text).split("\n"), 1):
        if file.suffix == ".h" and re.search(r"\busing\s+namespace\b", line):
            yield file.path, number, "no 'using namespace' in a header"
        # A smart pointer may take a new object whose constructor is private; in Qt parents own.
        raw_new = re.search(r"(?<![\w.:>])new\s+[A-Za-z_:]+\s*[\[({;<]", line) and "_ptr<" not in line
        if raw_new and not file.path.startswith(("app/", "tests/")):
            yield file.path, number, "no raw new; std::make_unique"
    if file.suffix == ".h" and "#pragma once" not in file.text:
        yield file.path, 1, "add #pragma once"


def slots(tree):
    """Checks slots named *_data. Qt Test treats such a slot as the rows of another test, and never runs it alone."""
    for file in tree.sources:
        if not file.path.startswith("tests/"):
            continue
        for number, line in enumerate(code_only(file.text).split("\n"), 1):
            found = re.fullmatch(r"\s*void (\w+)_data\(\)(?:;| \{.*)\s*", line)
            if found and not re.search(rf"\bvoid {found[1]}\(\)(?:;| \{{)", file.text):
                yield file.path, number, f"there is no test {found[1]}(): its rows never run; give it another name"


MAX_SENTENCE_WORDS = 35
BARE = r"(?:Of|What|Who|Whose|Where|With|Likewise)\b"
# Texts that are not ours: samples that are trained on, and the text of licences.
FOREIGN = ("resources/samples/", "LICENSE")


def comments(file):
    """Yields (first line, marker, text) of each comment of a source. Consecutive lines are one comment."""
    number, lines = 0, file.lines
    while number < len(lines):
        found = re.match(r"^(.*?)(///<?|//)(?: (.*)|)$", lines[number])
        if not found or found.group(1).count('"') % 2 or (found.group(1).strip() and "//" in found.group(1)):
            number += 1
            continue
        start, marker, text = number, found.group(2), [found.group(3) or ""]
        number += 1
        while number < len(lines):
            more = re.match(rf"^\s*{marker[:3]}(?!/)(?: (.*)|)$", lines[number])
            if not more:
                break
            text.append(more.group(1) or "")
            number += 1
        yield start + 1, marker, text


def paragraphs(file):
    """Yields (first line, lines) of each paragraph of prose: without tables, headings, pictures and code."""
    fenced, start, text = False, 0, []
    for number, line in enumerate(file.lines + [""], 1):
        if line.startswith("```"):
            fenced = not fenced
        prose = not fenced and line.strip() and not re.match(r"\s*(```|\||#|!\[|\[\d+\]:|<)", line)
        item = re.match(r"\s*([-*]|\d+\.) ", line)
        if text and (not prose or item):
            yield start, text
            text = []
        if prose:
            if not text:
                start = number
            text.append(re.sub(r"^\s*([-*]|\d+\.) ", "", line))


def sentences(text):
    """Returns the sentences of prose; an item of a list is a sentence. Lines of code and of tables do not count."""
    prose = " ".join(re.sub(r"^- ", ". ", line) for line in text if not line.startswith(("  ", "|")))
    return re.split(r"(?<=[.!?])[\"')\]]*\s+", prose)


def openings(tree):
    """Checks that a comment names its subject or begins with a verb."""
    for file in tree.sources:
        for number, marker, text in comments(file):
            if marker.startswith("///") and re.match(BARE, text[0]):
                yield file.path, number, f"a comment opens with '{text[0].split()[0]}'; name its subject, or use a verb"


def lengthy(tree):
    for file in tree.files:
        if file.path.startswith(FOREIGN):
            continue
        if file.is_source:
            parts = ((number, text) for number, _, text in comments(file))
        elif file.suffix == ".md" and "/zh_CN/" not in file.path:
            parts = paragraphs(file)
        else:
            continue
        for number, text in parts:
            for sentence in sentences(text):
                words = len(re.findall(r"[A-Za-z]\S*", sentence))
                if words > MAX_SENTENCE_WORDS:
                    yield file.path, number, f"a sentence of {words} words; the limit is {MAX_SENTENCE_WORDS}"


PREDICATE = r"(?:virtual |inline |constexpr |\[\[nodiscard\]\] )*[\w:<>,&* ]+[ &*]((?:is|has|may|can|was)_\w+)\s*\("


def members(text):
    """Returns (line, head) of each function that a class declares or defines: the text before its ';' or '{'."""
    scopes, head, first = [], "", 0
    for number, line in enumerate(code_only(text).split("\n"), 1):
        if line.lstrip().startswith("#"):
            continue
        for char in line:
            if char in ";{}":
                if char != "}" and scopes and scopes[-1] == "class" and "(" in head:
                    yield first, " ".join(head.split())
                if char == "{":
                    bare = re.sub(r"\b(public|private|protected|Q_SIGNALS)\s*(Q_SLOTS)?\s*:(?!:)", "", head).strip()
                    opens = re.match(r"(template\s*<.*>\s*)?(class|struct)\b(?![^=]*\)\s*$)", bare)
                    kind = "class" if opens else "other"
                    scopes.append(kind if kind == "class" or "(" not in bare else "body")
                elif char == "}" and scopes:
                    scopes.pop()
                head = ""
            else:
                if not head.strip():
                    first = number
                head += char
        head += " "


def predicates(tree):
    """Checks that a member function that asks, such as is_ready(), is const. Otherwise its name must be a verb, such as
    try_begin()."""
    for file in tree.sources:
        for number, head in members(file.text):
            head = re.sub(r"^.*\b(?:public|private|protected)( Q_SLOTS)?\s*:(?!:)\s*", "", head)
            found = re.match(PREDICATE, head)
            if not found or head.startswith(("static ", "friend ", "return ")) or " static " in head.split("(")[0]:
                continue
            if not re.search(r"\)\s*const\b", head) and not re.match(r"void\b", head):
                yield file.path, number, f"{found.group(1)}() is not const; a function that acts has a verb in its name"


RULES = {rule.__name__: rule for rule in
         (layers, picture, libraries, internals, purity, gateway, licences, lengths, functions, readmes, layout, words,
          slots, openings, lengthy, predicates)}
