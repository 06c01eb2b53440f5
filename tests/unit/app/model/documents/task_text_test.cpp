// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/documents/task_text.h"

#include "backend/task/parse.h"
#include "tests/support/test_program.h"

namespace task_text_test {

using namespace divisi;
using model::edited_task;

namespace {

const std::string text = R"(# A study of depth.

[train]
lr = 0.01       # found by hand
batch = 8
microbatches = 4

[task]
name = "mine"

[model]
zoo = "gpt"     # small
layers = 4

[data]
kind = "synthetic"
samples = 64

[split]
cuts = [
  "/layers/0/Add",  # cheap
  "/layers/2/Add",
]  # two of them
# the end
)";

task::TaskSpec parsed(const std::string& task) {
    auto spec = task::parse_task(task, "test");
    if (!spec.ok()) qFatal("%s", spec.error().message().c_str());
    return *spec;
}

std::string replaced(std::string in, const std::string& what, const std::string& by) {
    const std::size_t at = in.find(what);
    if (at == std::string::npos) qFatal("no %s", what.c_str());
    return in.replace(at, what.size(), by);
}

}  // namespace

class TaskTextTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void unchanged_keys_are_kept() { QCOMPARE(edited_task(text, parsed(text)), text); }

    void value_is_replaced_in_place() {
        task::TaskSpec spec = parsed(text);
        spec.train.batch = 32;
        spec.task.name = "yours";
        QCOMPARE(edited_task(text, spec), replaced(replaced(text, "batch = 8", "batch = 32"), "mine", "yours"));
        spec = parsed(text);
        spec.train.lr = 0.5;
        QCOMPARE(edited_task(text, spec), replaced(text, "lr = 0.01 ", "lr = 0.5 "));
    }

    void list_over_several_lines_is_replaced_as_a_whole() {
        task::TaskSpec spec = parsed(text);
        spec.split.cuts = {"/layers/1/Add"};
        const std::string edited = edited_task(text, spec);
        QVERIFY2(edited.find("cuts = [\"/layers/1/Add\"]  # two of them\n# the end\n") != std::string::npos,
                 edited.c_str());
        QVERIFY(edited.starts_with("# A study of depth.\n\n[train]\nlr = 0.01       # found by hand\n"));
        QVERIFY(parsed(edited) == spec);
    }

    void new_keys_are_added_to_their_section() {
        task::TaskSpec spec = parsed(text);
        spec.train.seed = 7;
        spec.place.threads = 2;
        const std::string edited = edited_task(text, spec);
        QVERIFY2(edited.find("microbatches = 4\nseed = 7\n\n[task]") != std::string::npos, edited.c_str());
        QVERIFY2(edited.ends_with("# the end\n\n[place]\nthreads = 2\n"), edited.c_str());
        QVERIFY(parsed(edited) == spec);
    }

    void keys_with_default_values_are_removed() {
        task::TaskSpec spec = parsed(text);
        spec.train.batch = task::TaskSpec().train.batch;
        const std::string edited = edited_task(text, spec);
        QCOMPARE(edited, replaced(text, "batch = 8\n", ""));
    }

    void painted_segments_are_added_and_removed() {
        task::TaskSpec cut = parsed(text), painted = cut;
        painted.split.cuts.clear();
        painted.split.strategy = "block";
        painted.split.segments = {{{"/layers/0/*"}, ""}, {{"/layers/1/*"}, "mic-1/node-1"}};
        const std::string edited = edited_task(text, painted);
        QVERIFY2(edited.find("# found by hand") != std::string::npos, edited.c_str());
        QVERIFY(parsed(edited) == painted);
        const std::string back = edited_task(edited, cut);
        QVERIFY2(back.find("# found by hand") != std::string::npos, back.c_str());
        QVERIFY2(back.find("segment]]") == std::string::npos, back.c_str());
        QVERIFY(parsed(back) == cut);
    }

    void text_of_unusual_form_is_replaced() {
        task::TaskSpec spec = parsed(text);
        spec.train.batch = 32;
        QCOMPARE(edited_task("no task at all", spec), task::print_task(spec));
        QCOMPARE(edited_task("", spec), task::print_task(spec));
        const std::string dotted =
            "task.name = \"mine\"\nmodel.zoo = \"gpt\"\ndata = { kind = \"synthetic\", samples = 64 }\n";
        QVERIFY(task::parse_task(dotted, "test").ok());
        QCOMPARE(edited_task(dotted, spec), task::print_task(spec));
    }

    void lines_may_end_as_on_windows() {
        std::string windows;
        for (const char c : text) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
        task::TaskSpec spec = parsed(windows);
        spec.train.batch = 32;
        QCOMPARE(edited_task(windows, spec), replaced(windows, "batch = 8", "batch = 32"));
    }
};

DIVISI_WINDOW_TEST(TaskTextTest)

}  // namespace task_text_test

#include "task_text_test.moc"
