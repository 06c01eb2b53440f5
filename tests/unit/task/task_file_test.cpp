// SPDX-License-Identifier: Apache-2.0
#include "tests/support/task_file.h"

#include "backend/task/parse.h"
#include "tests/support/test_program.h"

namespace task_file_test {

using namespace divisi;
using divisi::testing::TaskFile;

/// Tests the builder with which the tests write their task files.
class TaskFileTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void default_task_is_valid() {
        const auto spec = task::parse_task(TaskFile("t").text(), "t.toml");
        QVERIFY2(spec.ok(), spec.ok() ? "" : spec.error().message().c_str());
        QCOMPARE(spec->task.name, std::string("t"));
        QCOMPARE(spec->model.zoo, std::string("mlp"));
        QCOMPARE(spec->train.batch, 8);
    }
    void sections_keep_the_order_in_which_they_were_set() {
        const std::string text = TaskFile("t")
                                     .gpt(2, 16, 1, 8)
                                     .replace("data", {{"kind", "text"}, {"path", "a \"b\".txt"}})
                                     .drop("train.microbatches")
                                     .section("train", {{"lr", 1.0}, {"epsilon", 1e-30}, {"batch", 4}})
                                     .set("train.losses.y", "mse")
                                     .section("split", {{"cuts", {"/a", "/b"}}})
                                     .section("place.pin", {{"/a/*", "mic-1/node-1"}})
                                     .append("split.segment", {{"nodes", {"/a/*"}}, {"place", "mic-1/node-1"}})
                                     .append("split.segment", {{"nodes", {"*"}}})
                                     .add("# the end\n")
                                     .text();
        QCOMPARE(text, std::string("[task]\nname = \"t\"\n"
                                   "[model]\nzoo = \"gpt\"\nlayers = 2\nwidth = 16\nheads = 1\ncontext = 8\n"
                                   "[data]\nkind = \"text\"\npath = \"a \\\"b\\\".txt\"\n"
                                   "[train]\nbatch = 4\nlr = 1.0\nepsilon = 1e-30\n"
                                   "[train.losses]\ny = \"mse\"\n"
                                   "[split]\ncuts = [\"/a\", \"/b\"]\n"
                                   "[place.pin]\n\"/a/*\" = \"mic-1/node-1\"\n"
                                   "[[split.segment]]\nnodes = [\"/a/*\"]\nplace = \"mic-1/node-1\"\n"
                                   "[[split.segment]]\nnodes = [\"*\"]\n"
                                   "# the end\n"));
    }
    void section_may_be_removed() {
        QCOMPARE(TaskFile().drop_section("train").drop_section("data").text(), std::string("[model]\nzoo = \"mlp\"\n"));
    }
};

DIVISI_TEST(TaskFileTest)

}  // namespace task_file_test

#include "task_file_test.moc"
