# SPDX-License-Identifier: Apache-2.0
"""The rules' view of the tree: its files, their includes, and the table of folders."""
import pathlib
import re
import subprocess

SOURCE_SUFFIXES = {".cpp", ".h", ".inc", ".cu", ".cuh"}
SCRIPT_SUFFIXES = {".py", ".sh", ".cmake"}
TABLE = "resources/docs/architecture.md"

# Third-party headers by the word that the table's last column uses for them.
LIBRARIES = {
    "torch": r"(ATen|torch|c10)/.*",
    "cuda": r"(cuda.*|cublas.*|nccl)\.h(pp)?",
    "onnx": r"onnx/.*",
    "protobuf": r"google/protobuf/.*|.*\.pb\.h",
    "toml": r"toml\+\+/.*|toml\.h(pp)?",
    "zmq": r"zmq.*\.h(pp)?",
    "archive": r"archive(_entry)?\.h",
    "sodium": r"sodium(\.h|/.*)",
    "sqlite": r"sqlite3\.h|SQLiteCpp/.*",
    "json": r"nlohmann/.*",
    "http": r"httplib\.h|prometheus/.*",
    "cli": r"CLI/.*",
    "png": r"png\.h",
    "qt": r"(Qt\w*/)?Q\w+|Qt",
}


class File:
    def __init__(self, path, text):
        self.path = path  # relative to the root, with slashes
        self.text = text
        self.lines = text.split("\n")

    @property
    def folder(self):
        return self.path.rsplit("/", 1)[0] if "/" in self.path else ""

    @property
    def suffix(self):
        return pathlib.PurePosixPath(self.path).suffix

    @property
    def is_source(self):
        return self.suffix in SOURCE_SUFFIXES

    def includes(self):
        """Yields (line, header, quoted) of each #include."""
        for number, line in enumerate(self.lines, 1):
            found = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
            if found:
                yield number, found.group(2), found.group(1) == '"'


class Tree:
    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.paths = self._list()
        self.files = []
        for path in self.paths:
            data = (self.root / path).read_bytes()
            if b"\0" not in data[:4096]:
                self.files.append(File(path, data.decode("utf-8", errors="replace")))

    def _list(self):
        """Returns the files that git knows or would add; without git, every file."""
        listed = subprocess.run(
            ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=self.root, capture_output=True, check=False) if (self.root / ".git").exists() else None
        if listed is not None and listed.returncode == 0:
            names = {name for name in listed.stdout.decode().split("\0") if name}
        else:
            names = {str(p.relative_to(self.root)) for p in self.root.rglob("*")
                     if p.is_file() and p.relative_to(self.root).parts[0] not in ("build", ".git")}
        return sorted(name for name in names if (self.root / name).is_file())

    @property
    def sources(self):
        return [file for file in self.files if file.is_source]

    def find(self, path):
        return next((file for file in self.files if file.path == path), None)

    def table(self):
        """Returns the table of folders and rooms: path -> (names that it may use, third-party words). A name is the
        path below the top folder: `plan`, `control/queue`."""
        rows = {}
        document = self.find(TABLE)
        for line in document.lines if document else []:
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            folder = re.fullmatch(r"`((backend|agents|app)/\w+(/\w+)?)`", cells[0])
            if folder and len(cells) == 4:
                rows[folder.group(1)] = (cells[2].split(), cells[3].split())
        return rows

    def arrows(self):
        """Yields arrows of the pictures, such as `f_plan & f_control_queue --> f_graph`: (line, from, to)."""
        document = self.find(TABLE)
        for number, line in enumerate(document.lines if document else [], 1):
            ends = line.split("-->")
            names = [re.findall(r"\bf_(\w+)", end) for end in ends]
            if len(ends) == 2 and all(names):
                yield from ((number, start, end) for start in names[0] for end in names[1])


def code_only(text):
    """Returns the text with comments and the insides of literals blanked; line ends stay where they are."""
    pattern = re.compile(r'(?P<comment>//[^\n]*|/\*.*?\*/)|R"(?P<tag>\w*)\(.*?\)(?P=tag)"|"(?:\\.|[^"\\\n])*"|'
                         r"(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'", re.DOTALL)

    def blank(found):
        return ("" if found.group("comment") else '""') + "\n" * found.group(0).count("\n")

    return pattern.sub(blank, text)
