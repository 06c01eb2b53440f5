// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/serving/instance_figures.h"

#include "tests/support/test_program.h"

namespace instance_figures_test {

using namespace divisi;
using namespace divisi::instance;

namespace {

bool has(const std::string& text, const std::string& line) {
    return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

InstanceFigures starting() {
    InstanceFigures instance;
    instance.instance = InstanceId("gpt-1/stage-1/0#2");
    instance.sid = Sid("gpt-1/stage-1/0");
    instance.resident = 4096;
    return instance;
}

InstanceFigures running() {
    InstanceFigures instance = starting();
    instance.connected = true;
    instance.state = control::InstanceState::running;
    instance.generation = 3;
    instance.data.bytes_sent = 100;
    instance.data.bytes_received = 200;
    instance.data.duplicates = 4;
    instance.unacknowledged = 2;
    EngineWork work;
    work.step = 12;
    work.steps = 7;
    work.samples = 56;
    work.busy = std::chrono::milliseconds(1500);
    work.held = 3;
    work.slots = 5;
    work.taken = 1;
    instance.work = work;
    control::InstanceLoad load;
    load.parameters = 1000;
    load.activations = 300;
    instance.load = load;
    return instance;
}

}  // namespace

/// Tests the Prometheus metrics of an instance.
class InstanceFiguresTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void metrics_contain_work_and_memory_of_an_instance() {
        const std::string text = figures_of(running()).text();
        const std::string sid = "{sid=\"gpt-1/stage-1/0\"} ";
        for (const auto& [name, value] : std::map<std::string, std::string>{{"connected", "1"},
                                                                            {"incarnation", "2"},
                                                                            {"generation", "3"},
                                                                            {"resident_bytes", "4096"},
                                                                            {"step", "12"},
                                                                            {"steps_total", "7"},
                                                                            {"samples_total", "56"},
                                                                            {"busy_seconds_total", "1.5"},
                                                                            {"sent_bytes_total", "100"},
                                                                            {"received_bytes_total", "200"},
                                                                            {"duplicate_chunks_total", "4"},
                                                                            {"unacknowledged_tensors", "2"},
                                                                            {"held_tensors", "3"},
                                                                            {"taken_slots", "1"},
                                                                            {"free_slots", "4"}}) {
            const std::string line = "divisi_instance_" + name + sid + value;
            QVERIFY2(has(text, line), (line + "\nis not in\n" + text).c_str());
        }
        for (const char* line : {"divisi_instance_memory_bytes{of=\"parameters\",sid=\"gpt-1/stage-1/0\"} 1000",
                                 "divisi_instance_memory_bytes{of=\"activations\",sid=\"gpt-1/stage-1/0\"} 300",
                                 "divisi_instance_state{sid=\"gpt-1/stage-1/0\",state=\"running\"} 1"})
            QVERIFY2(has(text, line), line);
    }

    /// Unknown values are left out, not reported as zero.
    void metrics_of_work_are_absent_before_the_deployment() {
        const std::string text = figures_of(starting()).text();
        QVERIFY(has(text, "divisi_instance_connected{sid=\"gpt-1/stage-1/0\"} 0"));
        QVERIFY(has(text, "divisi_instance_generation{sid=\"gpt-1/stage-1/0\"} 0"));
        for (const char* name : {"divisi_instance_step", "divisi_instance_free_slots", "divisi_instance_memory_bytes"})
            QVERIFY2(text.find(std::string("\n") + name + "{") == std::string::npos, name);
    }

    void snapshots_are_counted_with_their_bytes_and_times() {
        InstanceFigures instance = running();
        control::SnapshotTaken snapshot;
        snapshot.step = 5;
        snapshot.size = 1'000;
        snapshot.copy_ms = 250;
        snapshot.write_ms = 500;
        instance.snapshots.add(snapshot);
        snapshot.step = 10;
        instance.snapshots.add(snapshot);
        snapshot.step = 15;
        snapshot.error = Error{ErrorCode::exhausted, "the disk is full", "", ""};
        instance.snapshots.add(snapshot);
        const std::string text = figures_of(instance).text();
        const std::string sid = "{sid=\"gpt-1/stage-1/0\"} ";
        QVERIFY(has(text, "divisi_instance_snapshots_total" + sid + "2"));
        QVERIFY(has(text, "divisi_instance_failed_snapshots_total" + sid + "1"));
        QVERIFY(has(text, "divisi_instance_snapshot_step" + sid + "10"));
        QVERIFY(has(text, "divisi_instance_snapshot_written_bytes_total" + sid + "2000"));
        // The failed snapshot counts too, since the stage waited for it.
        QVERIFY(has(text, "divisi_instance_snapshot_copy_seconds_total" + sid + "0.75"));
        QVERIFY(has(text, "divisi_instance_snapshot_write_seconds_total" + sid + "1.5"));
    }
};

DIVISI_TEST(InstanceFiguresTest)

}  // namespace instance_figures_test

#include "instance_figures_test.moc"
