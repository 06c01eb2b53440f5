// SPDX-License-Identifier: Apache-2.0
#include "backend/orchestrator/trial_player.h"

#include <QTemporaryDir>

#include "tests/support/task_file.h"
#include "tests/support/test_program.h"

namespace policy_player_test {

using namespace divisi;
using namespace divisi::control;

namespace {

testing::TaskFile wide_task() {
    return testing::TaskFile("wide")
        .section("model", {{"inputs", 16}, {"width", 256}, {"layers", 2}, {"classes", 4}})
        .set("data.samples", 8192)
        .section("train", {{"steps", 100}, {"batch", 4096}, {"microbatches", 4}})
        .set("split.stages", 2);
}

void measure(ClusterState& state, const char* from, const char* to, double bytes_per_s) {
    LinkFigures figures;
    figures.latency_s = 1e-4;
    figures.message_s = 1e-5;
    figures.bytes_per_s = bytes_per_s;
    const LinkMeasured link{NodeId(), NodeId(), from, to, LinkTransport::mesh, figures};
    state.links[key_of(link)] = {link, TimePoint()};
}

/// Returns a trial with two MICs and two paths between them. The first path, by sr-1, is a hundred times slower.
PolicyTrialJob job(std::vector<PolicyEntry> entries) {
    PolicyTrialJob job{"share=0 (was 100)", std::move(entries), {}, {}, {}};
    for (const char* id : {"mic-1/a", "mic-2/b"}) {
        NodeInfo info;
        info.id = NodeId(id);
        info.mic = MicId(std::string(id).substr(0, 5));
        info.host = "here";
        info.blob_endpoint = "ipc:///x";
        info.devices = {{"cpu", "cpu", 2, 0}};
        job.nodes.nodes[info.id].info = info;
    }
    const auto device = [&](std::uint32_t id, const char* name, const char* mic, std::vector<std::string> neighbours) {
        const auto role = *mic ? mesh::DeviceRole::gateway : mesh::DeviceRole::router;
        job.nodes.devices[name] = {id, name, role, MicId(mic), "here", std::move(neighbours)};
    };
    device(1, "mg-1", "mic-1", {"sr-1", "sr-2"});
    device(2, "mg-2", "mic-2", {"sr-1", "sr-2"});
    device(3, "sr-1", "", {});
    device(4, "sr-2", "", {});
    for (const char* gateway : {"mg-1", "mg-2"})
        for (const char* router : {"sr-1", "sr-2"}) {
            measure(job.nodes, gateway, router, router == std::string("sr-1") ? 10e6 : 1e9);
            measure(job.nodes, router, gateway, router == std::string("sr-1") ? 10e6 : 1e9);
        }
    job.tasks = {{TaskId("wide-1"), wide_task().text(), "", {"mic-1/a", "mic-2/b"}, "", 12}};
    return job;
}

Result<PolicyTrial> play(const PolicyTrialJob& job, bool stop = false) {
    const QTemporaryDir data;
    return orchestrator::play_policy(job, data.path().toStdString(), [stop] { return stop; });
}

}  // namespace

/// Tests the effect of a policy change on the predicted steps of running tasks.
class PolicyPlayerTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void leaving_a_slow_path_makes_steps_shorter() {
        const auto trial = play(job({{PolicyKey::share, "", "", 0}}));
        QVERIFY2(trial, trial ? "" : trial.error().message().c_str());
        const TriedTask& task = trial->tasks.at(0);
        QVERIFY2(!task.error, task.error ? task.error->message().c_str() : "");
        QVERIFY2(task.after_ms > 0 && task.after_ms < 0.5 * task.before_ms,
                 qPrintable(QStringLiteral("%1 and %2 ms").arg(task.before_ms).arg(task.after_ms)));
        QVERIFY2(task.before_paths.find("mg-1 > sr-1 > mg-2") != std::string::npos, task.before_paths.c_str());
        QVERIFY2(task.after_paths.find("mg-1 > sr-2 > mg-2") != std::string::npos, task.after_paths.c_str());
        QCOMPARE(task.measured_ms, 12.0);
        QCOMPARE(trial->change, std::string("share=0 (was 100)"));
        QVERIFY(trial->notes.empty());
    }
    void policy_that_changes_no_path_changes_no_step() {
        const auto trial = play(job({{PolicyKey::window, "", "", 16 << 20}}));
        QVERIFY(trial);
        QCOMPARE(trial->tasks.at(0).after_ms, trial->tasks.at(0).before_ms);
        QCOMPARE(trial->notes.size(), 1U);  // the note says that windows are not simulated
    }
    void task_that_cannot_be_simulated_has_an_error_and_others_are_simulated() {
        PolicyTrialJob two = job({{PolicyKey::share, "", "", 0}});
        two.tasks.push_back({TaskId("broken-1"), "[task]\nname = 1\n", "", {}, "", 0});
        const auto trial = play(two);
        QVERIFY(trial);
        QVERIFY(!trial->tasks.at(0).error && trial->tasks.at(1).error);
        QCOMPARE(trial->tasks[1].after_ms, 0.0);
    }
    void player_stops_when_the_orchestrator_ends() { QVERIFY(!play(job({}), true)); }
};

DIVISI_TEST(PolicyPlayerTest)

}  // namespace policy_player_test

#include "policy_player_test.moc"
