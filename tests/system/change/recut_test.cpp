// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "tests/support/task_file.h"
#include "tests/support/test_program.h"

#include "tests/system/disturbed_run.h"

namespace recut_test {

using divisi::testing::TaskFile;
using divisi::tests::DisturbedRun;
using divisi::tests::endless;
using divisi::tests::expect_reference_bits;
using divisi::tests::Finished;
using divisi::tests::Programs;
using divisi::tests::signal_role;

namespace {

constexpr const char *by_steps = "checkpoint.every=5", *never = "checkpoint.every=never";
constexpr int longest_recut_ms = 120'000;

TaskFile resnet_task(const char* name = "resnet") {
    return TaskFile(name)
        .section("model", {{"zoo", "resnet18"}, {"width", 8}})
        .section("train", {{"steps", 1'000'000}, {"lr", 0.05}, {"momentum", 0.9}})
        .set("split.stages", 2);
}

/// Returns a task of three stages with two layers each, across both MICs.
TaskFile layers_task() {
    return TaskFile("layers")
        .gpt(6, 64, 2, 32)
        .section("train", {{"steps", 1'000'000}, {"optimizer", "adamw"}})
        .set("split.cuts", {"/layers/1/Add_1", "/layers/3/Add_1"})
        .set("place.stages", {"mic-1/node-1", "mic-1/node-2", "mic-2/node-1"});
}

/// Checks that no step was repeated: each generation continues after the last step of the previous generation.
void expect_no_step_again(const DisturbedRun& run) {
    int last = 0;
    for (const QJsonObject& line : run.lines()) {
        if (line["event"].toString() == "recut") QCOMPARE(line["step"].toInt(), last);
        if (line["event"].toString() == "step") QCOMPARE(line["step"].toInt(), ++last);
    }
}

}  // namespace

/// Tests re-cuts of trainings while they run. The losses must equal those of the same training in one process.
class Recut : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { QVERIFY(programs_.cluster_up()); }
    void task_is_recut_to_more_stages_and_back_data();
    void task_is_recut_to_more_stages_and_back();
    void recut_moves_cuts();
    void only_moved_layers_are_sent();
    void task_is_recut_to_blocks_and_back();
    void fault_right_after_a_recut_is_recovered();
    void fault_while_a_recut_is_prepared_is_recovered();
    void one_of_two_simultaneous_recuts_succeeds();
    void impossible_recut_is_refused();

private:
    Finished recut(const QStringList& words) const {
        return programs_.run(QStringList{"recut"} + words + QStringList{"--json"}, longest_recut_ms);
    }
    /// Runs a re-cut that must succeed, and returns its output.
    QJsonObject recut_well(const QStringList& words) const {
        const Finished finished = recut(words);
        const auto said = finished.objects();
        if (finished.status == 0 && said.size() == 1) return said[0];
        qWarning("%s", qPrintable(finished.errors));
        return {};
    }
    int stages_that_run(const QString& task) const {
        QSet<QString> instances;
        for (const QJsonObject& row : programs_.run({"services", task, "--json"}).objects())
            if (row["instance_state"].toString() == "running") instances.insert(row["instance"].toString());
        return static_cast<int>(instances.size());
    }
    /// Returns the running processes that were started for this role.
    QList<qint64> pids_of(const QString& role) const { return programs_.pids("divisi-instance", role.toUtf8() + '/'); }
    /// Returns, from the SID's store, how its last incarnations began: with "kept" or "restored" state. "built" stands
    /// before either if the segment was built beforehand.
    QStringList beginnings_of(const QString& sid) const {
        QStringList found;
        bool built = false;
        const Finished shown = programs_.run({"stores", "show", sid, "--table", "event", "--last", "200", "--json"});
        for (const QJsonObject& row : shown.objects()) {
            const QString what = row["row"]["what"].toString();
            built |= what == "built beforehand";
            if (what != "kept" && what != "restored") continue;
            found << (std::exchange(built, false) ? "built, " + what : what);
        }
        return found;
    }
    static QStringList cuts_of(const QJsonObject& done) { return done["cuts"].toVariant().toStringList(); }

    Programs programs_;
};

void Recut::task_is_recut_to_more_stages_and_back_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("task");
    QTest::addColumn<QString>("checkpoints");
    QTest::newRow("adamw, a cut between MICs") << programs_.task_across_mics("far", endless) << "far-1" << never;
    QTest::newRow("with its own checkpoints")
        << programs_.task_across_mics("often", endless, "mic-1/node-2") << "often-1" << by_steps;
    QTest::newRow("batch normalization and momentum")
        << programs_.write("resnet.toml", resnet_task()) << "resnet-1" << never;
}

void Recut::task_is_recut_to_more_stages_and_back() {
    QFETCH(QString, file);
    QFETCH(QString, task);
    QFETCH(QString, checkpoints);
    DisturbedRun run(programs_, file, {checkpoints});
    QVERIFY2(run.wait_for_steps(20), run.told());
    const auto first = pids_of(task + "/stage-0"), second = pids_of(task + "/stage-1");
    QCOMPARE(first.size(), 1);
    QCOMPARE(second.size(), 1);
    const QJsonObject more = recut_well({task, "--stages", "3"});
    QCOMPARE(cuts_of(more).size(), 2);
    QCOMPARE(more["generation"].toInt(), 2);
    QCOMPARE(more["steps_again"].toInt(-1), 0);
    qInfo("%s: a stall of %.0f ms", qPrintable(task), more["stall_ms"].toDouble());
    // Stages 0 and 1 keep their processes. The new stage 2 runs in a process that was started in advance as a standby.
    QCOMPARE(pids_of(task + "/stage-0"), first);
    QCOMPARE(pids_of(task + "/stage-1"), second);
    QVERIFY(pids_of(task + "/stage-2").isEmpty());
    QCOMPARE(pids_of(task + "/standby").size(), 1);
    QVERIFY2(run.wait_for_generation(2), run.told());
    QVERIFY2(run.wait_for_more_steps(), run.told());
    QCOMPARE(run.generation(), 2);
    QCOMPARE(stages_that_run(task), 3);

    const QJsonObject back = recut_well({task, "--undo", "--plan", more["plan"].toString()});
    QCOMPARE(back["plan"].toString(), more["from"].toString());
    QCOMPARE(cuts_of(back), more["cuts_before"].toVariant().toStringList());
    QCOMPARE(back["generation"].toInt(), 3);
    QVERIFY2(run.wait_for_generation(3), run.told());
    QVERIFY2(run.wait_for_more_steps(), run.told());
    QCOMPARE(stages_that_run(task), 2);
    run.stop();
    expect_reference_bits(run);
    expect_no_step_again(run);

    const auto told = run.all("recut");
    QCOMPARE(told.size(), 2);
    QCOMPARE(told[0]["step"].toInt(), more["step"].toInt());
    QCOMPARE(told[0]["stages"].toInt(), 3);
    QCOMPARE(told[1]["plan"].toString(), more["from"].toString());
    QVERIFY(run.all("recovery").isEmpty());
}

void Recut::recut_moves_cuts() {
    DisturbedRun run(programs_, programs_.task_across_mics("moved", endless), {never});
    QVERIFY2(run.wait_for_steps(20), run.told());
    const QJsonObject three = recut_well({"moved-1", "--stages", "3"});
    const QStringList cuts = cuts_of(three);
    QCOMPARE(cuts.size(), 2);
    for (const QString& cut : cuts) {  // one at a time, so that the only cut moves
        const QJsonObject two = recut_well({"moved-1", "--cuts", cut});
        QCOMPARE(cuts_of(two), QStringList{cut});
        QVERIFY2(run.wait_for_generation(two["generation"].toInt()), run.told());
        QVERIFY2(run.wait_for_more_steps(), run.told());
        QCOMPARE(two["steps_again"].toInt(-1), 0);
        // The first stage still ends at the first cut, so it keeps its state in memory.
        const QString begun = cut == cuts.first() ? "kept" : "built, restored";
        QCOMPARE(beginnings_of("moved-1/stage-0/0").value(two["generation"].toInt() - 2), begun);
        const QStringList others = beginnings_of("moved-1/stage-1/0");
        QCOMPARE(others.value(others.size() - 1), QString("built, restored"));
    }
    const Finished same = recut({"moved-1", "--cuts", cuts.last()});
    QVERIFY(same.status != 0);
    QVERIFY2(same.errors.contains("is already in force"), qPrintable(same.errors));
    const QJsonObject again = recut_well({"moved-1", "--cuts", " " + cuts.join(" , ")});
    QCOMPARE(cuts_of(again), cuts);
    QVERIFY2(run.wait_for_generation(again["generation"].toInt()), run.told());
    QVERIFY2(run.wait_for_more_steps(), run.told());
    run.stop();
    expect_reference_bits(run);
    expect_no_step_again(run);
    QCOMPARE(run.all("recut").size(), 4);
}

/// Layer 2 is sent from the second stage to the first, within a MIC. Layer 4 is sent from the third stage to the
/// second, through the mesh. `brought_bytes` does not count the checkpoint's own copies.
void Recut::only_moved_layers_are_sent() {
    DisturbedRun run(programs_, programs_.write("layers.toml", layers_task()), {never});
    QVERIFY2(run.wait_for_steps(10), run.told());
    const QJsonObject done = recut_well({"layers-1", "--cuts", "/layers/2/Add_1,/layers/4/Add_1"});
    QCOMPARE(cuts_of(done), (QStringList{"/layers/2/Add_1", "/layers/4/Add_1"}));
    QVERIFY2(run.wait_for_generation(2), run.told());
    QVERIFY2(run.wait_for_more_steps(), run.told());
    for (const char* stage : {"layers-1/stage-0/0", "layers-1/stage-1/0"})
        QVERIFY(beginnings_of(stage).value(0).contains("restored"));
    QCOMPARE(stages_that_run("layers-1"), 3);
    run.stop();
    expect_reference_bits(run);
    expect_no_step_again(run);
    QCOMPARE(run.last("checkpoint")["step"].toInt(), done["step"].toInt());
    const double all = run.last("checkpoint")["bytes"].toDouble(), brought = done["brought_bytes"].toDouble(-1);
    qInfo("brought %.0f bytes of a checkpoint of %.0f", brought, all);
    // Two of six layers were sent, with AdamW's state. Both whole snapshots would exceed half of the checkpoint.
    QVERIFY2(brought > all / 10, qPrintable(QString::number(brought)));
    QVERIFY2(brought < all / 2, qPrintable(QString::number(brought)));
}

/// The segments are not contiguous; the down-sampling paths are parallel to the main ones.
void Recut::task_is_recut_to_blocks_and_back() {
    const TaskFile blocks =
        resnet_task()
            .drop("split.stages")
            .set("split.strategy", "block")
            .append("split.segment", {{"nodes", {"/layer4/*", "/GlobalAveragePool", "/Flatten", "/fc/*"}}})
            .append("split.segment", {{"nodes", {"/layer2/*", "/layer3/*", "/layer4/0/downsample/*"}}})
            .append("split.segment", {{"nodes", {"*", "/layer2/0/downsample/*"}}});
    const QString file = programs_.write("painted.toml", resnet_task("painted"));
    DisturbedRun run(programs_, file, {never});
    QVERIFY2(run.wait_for_steps(10), run.told());
    const QJsonObject painted = recut_well({"painted-1", "--blocks", programs_.write("blocks.toml", blocks)});
    QCOMPARE(painted["generation"].toInt(), 2);
    QVERIFY(cuts_of(painted).isEmpty());
    QVERIFY2(run.wait_for_generation(2), run.told());
    QVERIFY2(run.wait_for_more_steps(), run.told());
    QCOMPARE(stages_that_run("painted-1"), 3);
    const QJsonObject back = recut_well({"painted-1", "--undo"});
    QCOMPARE(back["plan"].toString(), painted["from"].toString());
    QVERIFY2(run.wait_for_generation(3), run.told());
    QVERIFY2(run.wait_for_more_steps(), run.told());
    run.stop();
    expect_reference_bits(run);
}

/// The new plan has no checkpoint of its own yet. A process keeps its original command line, so the first stage's
/// process is still found by the first stage's name.
void Recut::fault_right_after_a_recut_is_recovered() {
    DisturbedRun run(programs_, programs_.task_across_mics("after", endless), {never});
    QVERIFY2(run.wait_for_steps(20), run.told());
    const QJsonObject done = recut_well({"after-1", "--stages", "3"});
    QCOMPARE(done["generation"].toInt(), 2);
    QCOMPARE(signal_role(programs_, "after-1/stage-0", SIGKILL).size(), 1);
    QVERIFY2(run.wait_for_recoveries(1), run.told());
    QCOMPARE(run.last("recovery")["step"].toInt(), done["step"].toInt());
    QVERIFY2(run.wait_for_generation(3), run.told());
    QVERIFY2(run.wait_for_more_steps(), run.told());
    run.stop();
    expect_reference_bits(run);
}

/// A stage dies as soon as the re-cut was requested. Afterwards either the old plan or the new one is in force.
void Recut::fault_while_a_recut_is_prepared_is_recovered() {
    DisturbedRun run(programs_, programs_.task_across_mics("meanwhile", endless), {by_steps});
    QVERIFY2(run.wait_for_steps(20), run.told());
    QProcess asks;
    asks.setProcessEnvironment(programs_.environment());
    asks.start(Programs::program("divisictl"), {"recut", "meanwhile-1", "--stages", "3", "--json"});
    QVERIFY(asks.waitForStarted());
    const auto is_asked = [&] {
        return programs_.run({"logs", "--task", "meanwhile-1", "--contains", "will be re-cut"}).output.contains("for");
    };
    QVERIFY(QTest::qWaitFor(is_asked, 60'000));
    QCOMPARE(signal_role(programs_, "meanwhile-1/stage-1", SIGKILL).size(), 1);
    QVERIFY2(run.wait_for_recoveries(1), run.told());
    QVERIFY(asks.state() == QProcess::NotRunning || asks.waitForFinished(longest_recut_ms));
    const int expected = asks.exitCode() == 0 ? 3 : 2;
    QVERIFY2(run.wait_for_generation(run.all("recut").size() + 2), run.told());
    QVERIFY2(run.wait_for_more_steps(), run.told());
    QCOMPARE(stages_that_run("meanwhile-1"), expected);
    // Processes that were started for a plan end if the plan never comes into force.
    QVERIFY(QTest::qWaitFor([&] { return pids_of("meanwhile-1/standby").size() <= expected - 2; }, 30'000));
    run.stop();
    expect_reference_bits(run);
}

/// One of the two requests succeeds. The other one fails, because a re-cut is in progress or its plan is already in
/// force.
void Recut::one_of_two_simultaneous_recuts_succeeds() {
    DisturbedRun run(programs_, programs_.task_across_mics("twice", endless), {never});
    QVERIFY2(run.wait_for_steps(20), run.told());
    QProcess other;
    other.setProcessEnvironment(programs_.environment());
    other.start(Programs::program("divisictl"), {"recut", "twice-1", "--stages", "3"});
    const Finished one = recut({"twice-1", "--stages", "3"});
    QVERIFY(other.waitForFinished(longest_recut_ms));
    QCOMPARE((one.status == 0 ? 1 : 0) + (other.exitCode() == 0 ? 1 : 0), 1);
    QVERIFY2(run.wait_for_generation(2), run.told());
    QVERIFY2(run.wait_for_more_steps(), run.told());
    run.stop();
    expect_reference_bits(run);
    QCOMPARE(run.all("recut").size(), 1);
}

void Recut::impossible_recut_is_refused() {
    DisturbedRun run(programs_, programs_.task_across_mics("refused", endless), {never});
    QVERIFY2(run.wait_for_steps(20), run.told());
    const auto refused = [&](const QStringList& words, const QString& why) {
        const Finished finished = recut(words);
        QVERIFY(finished.status != 0);
        QVERIFY2(finished.errors.contains(why), qPrintable(finished.errors));
    };
    refused({"refused-1", "--stages", "3", "--plan", "0123456789abcdef"}, "0123456789abcdef");
    refused({"refused-1", "--cuts", "/nowhere"}, "/nowhere");
    refused({"refused-1", "--stages", "200"}, "stages");
    refused({"refused-1", "--undo"}, "not re-cut yet");
    refused({"refused-1"}, "does not describe the new plan");
    refused({"nobody-1", "--stages", "3"}, "nobody-1");
    QVERIFY2(run.wait_for_more_steps(), run.told());
    QCOMPARE(run.generation(), 1);
    run.stop();
    expect_reference_bits(run);
    refused({"refused-1", "--stages", "3"}, "does not train now");
}

DIVISI_TEST(Recut)

}  // namespace recut_test

#include "recut_test.moc"
