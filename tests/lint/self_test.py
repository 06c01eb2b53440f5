#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows that every rule passes on a small correct tree and fails if one thing in the tree is broken."""
import pathlib
import tempfile
import unittest

from rules import MAX_FILE_LINES, MAX_FUNCTION_LINES, RULES
from tree import TABLE, Tree

SPDX = "// SPDX-License-Identifier: Apache-2.0\n"
ROWS = """| folder | holds | may use | third party |
| --- | --- | --- | --- |
| `backend/base` | ground | | |
| `backend/graph` | graphs | base | |
| `backend/wire` | messages | graph | protobuf |
| `agents/segment` | devices | base | torch |
| `app/shell` | windows | graph | qt |
"""
PICTURE = "    f_graph & f_segment --> f_base\n    f_wire & f_shell --> f_graph\n"
GOOD = {
    "README.md": "# A tree\n",
    "LICENSE": "text\n",
    TABLE: ROWS + PICTURE,
    "backend/base/README.md": "# base\n",
    "backend/base/result.h": SPDX + "#pragma once\n#include <string>\nnamespace a {\nstruct B {\n    int c() {\n"
                                    "        return 'x';\n    }\n};\n}\n",
    "backend/graph/README.md": "# graph\n",
    "backend/graph/graph.h": SPDX + '#pragma once\n#include "backend/base/result.h"\n/// Holds nodes.\nclass A {\n'
                                    'public:\n    bool is_empty() const;\n    static bool may_hold(int a);\n};\n',
    "backend/graph/graph.cpp": SPDX + '#include "backend/graph/graph.h"\n// a clock::now() in words, new Words[]\n'
                                      'const char* text = "using namespace std; steady_clock::now()";\n',
    "backend/wire/README.md": "# wire\n",
    "backend/wire/codec.cpp": SPDX + '#include "backend/base/result.h"\n#include "divisi/v1/a.pb.h"\n',
    "app/shell/README.md": "# shell\n",
    "tests/unit/README.md": "# unit\n",
    "tests/unit/graph/graph_test.cpp": SPDX + "    void rows_data();\n    void rows();\n",
    "app/shell/main.cpp": SPDX.replace("Apache-2.0", "GPL-3.0-or-later") + "#include <QApplication>\n",
}


def function_of(lines):
    return SPDX + "namespace x {\nstruct Y {\n    int f() {\n" + "        g();\n" * (lines - 2) + "    }\n};\n}\n"


# (rule, path, new text or None to remove it, part of the problem)
BROKEN = [
    ("layers", "backend/base/up.cpp", SPDX + '#include "backend/graph/graph.h"\n', "must not include backend/graph"),
    ("layers", "backend/plan/plan.cpp", SPDX, "has no row"),
    ("layers", "backend/graph/near.cpp", SPDX + '#include "graph.h"\n', "is no path from the root"),
    ("layers", "backend/graph/near.cpp", SPDX + '#include "moc_far.cpp"\n', "is no path from the root"),
    ("layers", "app/shell/near.h", SPDX + "class A : public QObject {\n    Q_OBJECT\n};\n", 'include "moc_near.cpp"'),
    ("layers", TABLE, ROWS.replace("| ground | |", "| ground | graph |"), "arrows must go one way"),
    ("layers", TABLE, ROWS.replace("| graphs | base |", "| graphs | bass |"), "has no row"),
    ("layers", TABLE, None, "the table of folders is missing"),
    ("picture", TABLE, ROWS, "the picture lacks the arrow from backend/graph to backend/base"),
    ("picture", TABLE, ROWS + PICTURE + "    f_wire --> f_base\n", "does not follow from the table"),
    ("picture", TABLE, ROWS + PICTURE.replace("f_shell", "f_shall"), "from shall to graph does not follow"),
    ("libraries", "backend/graph/g.cpp", SPDX + "#include <archive.h>\n", "must not include archive.h"),
    ("libraries", "backend/graph/g.cpp", SPDX + "#include <ATen/ATen.h>\n", "must not include ATen/ATen.h"),
    ("libraries", "backend/graph/g.cpp", SPDX + "#include <QString>\n", "must not include QString"),
    ("libraries", "app/shell/g.cpp", SPDX + "#include <sqlite3.h>\n", "must not include sqlite3.h"),
    ("libraries", "agents/segment/g.cpp", SPDX + '#include "divisi/v1/a.pb.h"\n', "stay inside backend/wire"),
    ("internals", "agents/segment/g.cpp", SPDX + "#include <torch/csrc/autograd/autograd.h>\n", "differs between"),
    ("internals", "tests/unit/segment/g.cpp", SPDX + "#include <torch/version.h>\n", "differs between"),
    ("purity", "backend/graph/g.cpp", SPDX + "#include <fstream>\n", "do not include <fstream>"),
    ("purity", "backend/graph/g.cpp", SPDX + "#include <sys/socket.h>\n", "do not include <sys/socket.h>"),
    ("purity", "backend/graph/g.cpp", SPDX + "auto t = std::chrono::steady_clock::now();\n", "reads no clock"),
    ("purity", "backend/graph/g.cpp", SPDX + "bool b = std::filesystem::exists(p);\n", "reads no clock"),
    ("gateway", "backend/link/data_port.h", SPDX + '#include "backend/wire/codec.h"\n', "a gateway would link this"),
    ("licences", "backend/graph/graph.h", "#pragma once\n", "add the line"),
    ("licences", "app/shell/main.cpp", SPDX, "the licence of this folder is GPL-3.0-or-later"),
    ("licences", "packaging/build", "#!/bin/bash\n", "add the line"),
    ("licences", "backend/graph/CMakeLists.txt", "divisi_library(graph)\n", "add the line"),
    ("licences", "backend/graph/g.cpp", SPDX[:-1] + " Holds nodes.\n", "add the line: SPDX-License"),
    ("lengths", "backend/graph/g.cpp", SPDX + "\n" * MAX_FILE_LINES, "divide files"),
    ("lengths", "backend/graph/g.cpp", SPDX + "//" + "x" * 119 + "\n", "121 columns"),
    ("lengths", "resources/docs/a.md", "# A\n\n" + "x" * 121 + "\n", "121 columns"),
    ("functions", "backend/graph/g.cpp", function_of(MAX_FUNCTION_LINES + 1), "a function of 71 lines"),
    ("functions", "backend/graph/g.cpp", SPDX + "void f() {\n    if (x) {\n" + "    g();\n" * 80 + "    }\n}\n",
     "a function of 84 lines"),
    ("readmes", "backend/graph/README.md", None, "has no README.md"),
    ("readmes", "backend/graph/README.md", "line\n" * 16, "16 lines"),
    ("layout", "scripts/x.sh", "# SPDX-License-Identifier: Apache-2.0\n", "the top level is fixed"),
    ("words", "backend/graph/g.cpp", SPDX + "// TO" + "DO: later\n", "without such a mark"),
    ("words", "backend/graph/g.h", SPDX + "#pragma once\nusing namespace std;\n", "no 'using namespace'"),
    ("words", "backend/graph/g.h", SPDX, "#pragma once"),
    ("words", "backend/graph/g.cpp", SPDX + "auto* p = new Graph();\n", "no raw new"),
    ("openings", "backend/graph/g.h", SPDX + "#pragma once\n/// Of a graph the nodes.\n", "opens with 'Of'"),
    ("openings", "backend/graph/g.h", SPDX + "#pragma once\nint a;  ///< What it counts.\n", "opens with 'What'"),
    ("lengthy", "backend/graph/g.h", SPDX + "#pragma once\n/// Says" + " a word" * 18 + "\n/// in two lines.\n",
     "a sentence of 40 words"),
    ("lengthy", "resources/docs/a.md", "# A\n\n- Says" + " a word" * 18 + ".\n", "a sentence of 37 words"),
    ("predicates", "backend/graph/g.h", SPDX + "#pragma once\nclass A {\npublic:\n    bool is_ready();\n};\n",
     "is_ready() is not const"),
    ("predicates", "backend/graph/g.h", SPDX + "#pragma once\nstruct A {\n    int may_begin(int a) { return a; }\n};\n",
     "may_begin() is not const"),
    ("slots", "tests/unit/graph/g_test.cpp", SPDX + "    void rows();\n    void rows_data();\n    void wrong_data();\n",
     "there is no test wrong()"),
    ("slots", "tests/unit/graph/g_test.cpp", SPDX + "    void holds_the_data() {\n    }\n",
     "there is no test holds_the()"),
]


def problems(rule, files):
    with tempfile.TemporaryDirectory() as folder:
        for path, text in files.items():
            target = pathlib.Path(folder) / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
        return [f"{path}:{line}: {problem}" for path, line, problem in RULES[rule](Tree(folder))]


class SelfTest(unittest.TestCase):
    def test_good_tree_passes(self):
        for rule in RULES:
            self.assertEqual(problems(rule, GOOD), [], rule)

    def test_function_at_the_limit_passes(self):
        files = GOOD | {"backend/graph/g.cpp": function_of(MAX_FUNCTION_LINES)}
        self.assertEqual(problems("functions", files), [])

    def test_long_table_is_no_function(self):
        files = GOOD | {"backend/graph/g.cpp": SPDX + "constexpr auto t = to_array({\n" + "    1,\n" * 99 + "});\n"}
        self.assertEqual(problems("functions", files), [])

    def test_every_rule_is_broken_somewhere(self):
        self.assertEqual({rule for rule, _, _, _ in BROKEN}, set(RULES))

    def test_broken_tree_fails(self):
        for rule, path, text, expected in BROKEN:
            files = dict(GOOD)
            if text is None:
                del files[path]
            else:
                files[path] = text
            with self.subTest(rule=rule, path=path, expected=expected):
                found = problems(rule, files)
                self.assertTrue(any(expected in problem for problem in found), found)


if __name__ == "__main__":
    unittest.main()
