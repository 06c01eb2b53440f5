// SPDX-License-Identifier: Apache-2.0
#include "backend/control/change/recut_text.h"

#include "backend/task/parse.h"
#include "tests/support/task_file.h"
#include "tests/support/test_program.h"

namespace recut_text_test {

using namespace divisi;
using namespace divisi::control;

namespace {

TaskView view_of(const testing::TaskFile& file) {
    TaskView view;
    view.id = TaskId("t-1");
    view.text = file.text();
    return view;
}
testing::TaskFile split_by(testing::TaskFile::Entries split) {
    return testing::TaskFile().drop_section("train").section("split", split);
}
testing::TaskFile in_stages(int stages) { return split_by({{"stages", stages}}); }
task::TaskSpec spec_of(const Result<std::string>& text) {
    if (!text) qFatal("%s", text.error().message().c_str());
    return task::parse_task(*text, "t").value();
}
using Names = std::vector<std::string>;

}  // namespace

/// Tests the task file from which a re-cut is compiled.
class RecutTextTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void cuts_replace_any_other_split();
    void number_of_stages_leaves_the_cuts_open();
    void stage_nodes_stay_only_for_an_equal_number_of_stages();
    void blocks_replace_cuts();
    void undo_uses_the_previous_text();
    void found_cuts_are_written_into_the_text();
    void empty_or_contradictory_requests_are_refused();
};

void RecutTextTest::cuts_replace_any_other_split() {
    for (const testing::TaskFile& file :
         {in_stages(2), split_by({{"cuts", {"/c"}}}), split_by({{"least_stages", 2}, {"most_stages", 4}}),
          in_stages(2).set("split.strategy", "block"),
          split_by({{"strategy", "block"}}).append("split.segment", {{"nodes", {"/a"}}})}) {
        const auto spec = spec_of(recut_text(view_of(file), {TaskId("t-1"), "", {"/a", "/b"}}));
        QCOMPARE(spec.split.cuts, (Names{"/a", "/b"}));
        QCOMPARE(spec.split.strategy, std::string("layer"));
        QVERIFY(spec.split.segments.empty());
        QCOMPARE(spec.split.stages, std::int64_t{0});
        QCOMPARE(spec.model.zoo, std::string("mlp"));
    }
}

void RecutTextTest::number_of_stages_leaves_the_cuts_open() {
    const auto spec =
        spec_of(recut_text(view_of(split_by({{"cuts", {"/c"}}, {"method", "tabu"}})), {TaskId("t-1"), "", {}, 3}));
    QVERIFY(spec.split.cuts.empty());
    QCOMPARE(spec.split.stages, std::int64_t{3});
    QCOMPARE(spec.split.method, std::string("tabu"));
}

void RecutTextTest::stage_nodes_stay_only_for_an_equal_number_of_stages() {
    const TaskView two = view_of(in_stages(2).section("place", {{"stages", {"m/a", "m/b"}}, {"threads", 2}}));
    const auto moved = spec_of(recut_text(two, {TaskId("t-1"), "", {"/a"}}));
    QCOMPARE(moved.place.stages, (Names{"m/a", "m/b"}));
    const auto more = spec_of(recut_text(two, {TaskId("t-1"), "", {}, 3}));
    QVERIFY(more.place.stages.empty());
    QCOMPARE(more.place.threads, std::int64_t{2});
}

void RecutTextTest::blocks_replace_cuts() {
    Recut message{TaskId("t-1")};
    message.blocks = {{{"/a", "/c"}, "m/a"}, {{"*"}, ""}};
    const TaskView two = view_of(split_by({{"cuts", {"/c"}}}).set("place.stages", {"m/a", "m/b"}));
    const auto spec = spec_of(recut_text(two, message));
    QCOMPARE(spec.split.strategy, std::string("block"));
    QVERIFY(spec.split.segments == message.blocks);
    QVERIFY(spec.split.cuts.empty() && spec.place.stages.empty());
    // Change back from blocks to cuts.
    TaskView blocks = two;
    blocks.text = recut_text(two, message).value();
    const auto back = spec_of(recut_text(blocks, {TaskId("t-1"), "", {"/c"}}));
    QCOMPARE(back.split.strategy, std::string("layer"));
    QVERIFY(back.split.segments.empty());
    message.stages = 2;
    QCOMPARE(recut_text(two, message).error().code, ErrorCode::invalid_input);
}

void RecutTextTest::undo_uses_the_previous_text() {
    TaskView twice = view_of(in_stages(3));
    const Recut undo{TaskId("t-1"), "", {}, 0, true};
    QCOMPARE(recut_text(twice, undo).error().code, ErrorCode::conflict);
    twice.text_before = in_stages(2).text();
    QCOMPARE(recut_text(twice, undo).value(), twice.text_before);
}

void RecutTextTest::found_cuts_are_written_into_the_text() {
    PlanSummary plan;
    plan.cuts = {"/a", "/b"};
    const auto spec = spec_of(with_found_cuts(in_stages(3).text(), plan));
    QCOMPARE(spec.split.cuts, plan.cuts);
    QCOMPARE(spec.split.stages, std::int64_t{0});
    plan.cuts.clear();
    QCOMPARE(with_found_cuts(in_stages(1).text(), plan).value(), in_stages(1).text());
}

void RecutTextTest::empty_or_contradictory_requests_are_refused() {
    const TaskView two = view_of(in_stages(2));
    for (const Recut& bad :
         {Recut{TaskId("t-1")}, Recut{TaskId("t-1"), "", {"/a"}, 3}, Recut{TaskId("t-1"), "", {}, -1},
          Recut{TaskId("t-1"), "", {}, 3, true}, Recut{TaskId("t-1"), "", {}, 100'000}}) {
        const auto text = recut_text(two, bad);
        QVERIFY(!text.ok());
        QCOMPARE(text.error().code, ErrorCode::invalid_input);
        QVERIFY(!text.error().next.empty());
    }
}

DIVISI_TEST(RecutTextTest)

}  // namespace recut_text_test

#include "recut_text_test.moc"
