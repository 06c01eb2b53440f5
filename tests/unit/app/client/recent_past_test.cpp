// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the recorded past of a running cluster: every moment of the past can be shown, and memory is bounded.
#include <algorithm>

#include "app/client/recent_past.h"

#include "tests/support/test_program.h"

namespace recent_past_test {

using namespace divisi;
using namespace std::chrono_literals;
using client::Mail;
using client::RecentPast;
using client::RecordFold;

namespace {

const TaskId the_task("gpt-1");
const InstanceId first("gpt-1/stage-0/0"), second("gpt-1/stage-1/0");

/// A fixture with a cluster that follows the test. It has one task with two instances.
class Story {
public:
    explicit Story(Bytes most = client::most_past_bytes, const QString& folder = {}) : past(most, folder) {
        Mail known;
        known.snapshot = control::ClusterState{};
        past.begin(known, 0s);
        tell(1ms, control::ClusterStarted{"lab", "0.1.0"});
        tell(1ms, control::TaskSubmitted{the_task, "gpt", "", "", "", {}, "operator", 0});
        for (const InstanceId& instance : {first, second})
            tell(1ms, control::InstancePlaced{the_task, instance, Sid(instance.value()), NodeId("mic-1/node-1"), 0});
    }
    void tell(Duration at, control::Event::Body body) {
        Mail mail;
        mail.events = {{++sequence_, TimePoint(at), std::move(body)}};
        past.take(mail, at);
    }
    void step(Duration at, std::int64_t step) { tell(at, control::StepDone{the_task, {step, 1.0F, 100, 16, 1}}); }
    void report(Duration at, const InstanceId& instance, double busy) {
        Mail mail;
        mail.loads.resize(1);
        mail.loads[0].instance = instance;
        mail.loads[0].busy_share = busy;
        past.take(mail, at);
    }
    /// Returns the step at a time; -1 if that time is not recorded.
    std::int64_t step_at(Duration moment) {
        const RecordFold* fold = past.at(moment);
        return fold ? fold->data().state.tasks.at(the_task).step : -1;
    }
    RecentPast past;

private:
    std::uint64_t sequence_ = 0;
};

}  // namespace

class RecentPastTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void every_past_state_is_restored() {
        Story story;
        for (int step = 1; step <= 10; ++step) story.step(std::chrono::seconds(step), step);
        for (const int moment : {10, 3, 4, 4, 7, 1, 12})
            QCOMPARE(story.step_at(std::chrono::seconds(moment)), std::int64_t{std::min(moment, 10)});
        QCOMPARE(story.step_at(500ms), std::int64_t{0});
        QCOMPARE(story.step_at(-1s), std::int64_t{-1});
        story.step(11s, 11);  // recording continues while the past is shown
        QCOMPARE(story.step_at(10s), std::int64_t{10});
        QCOMPARE(story.step_at(11s), std::int64_t{11});
    }

    void memory_is_bounded_and_the_oldest_part_is_dropped() {
        constexpr Bytes most = Bytes{128} << 10;
        constexpr int count = 5000;
        Story story(most);
        for (int i = 1; i <= count; ++i) {
            story.report(std::chrono::seconds(i), first, i);
            QVERIFY(story.past.size() <= most);
        }
        const auto from = story.past.from();
        QVERIFY(from && *from > 1000s && *from < 4500s);  // a substantial part, but not everything, is still recorded
        QVERIFY(!story.past.at(*from - 1ns));
        const int begin = static_cast<int>(std::chrono::duration_cast<std::chrono::seconds>(*from).count());
        for (int i = begin; i <= count; i += 37) {
            const RecordFold* fold = story.past.at(std::chrono::seconds(i));
            QVERIFY(fold);
            QCOMPARE(fold->data().loads.at(first).back().load.busy_share, double(i));
            QCOMPARE(fold->data().loads.at(first).size(), std::size_t{1});
        }
    }

    void finished_stretches_of_the_record_are_moved_to_the_disk() {
        Story story;
        for (int i = 1; i <= 40'000; ++i) story.report(std::chrono::seconds(i), first, i);
        QVERIFY(story.past.size() > Bytes{2} << 20);
        QVERIFY(story.past.memory_bytes() < Bytes{1} << 20);
        for (const int i : {40'000, 1, 9'999, 10'000, 19'000, 77}) {
            const RecordFold* fold = story.past.at(std::chrono::seconds(i));
            QVERIFY(fold);
            QCOMPARE(fold->data().loads.at(first).back().load.busy_share, double(i));
        }
        QVERIFY(story.past.memory_bytes() < Bytes{2} << 20);  // including the pages that were read
    }

    /// A time in the newest part of the record remains visible while that part is written to the disk.
    void time_stays_available_while_its_stretch_is_written() {
        Story story(Bytes{128} << 10);
        for (int i = 1; i <= 20; ++i) story.report(std::chrono::seconds(i), first, i);
        QCOMPARE(story.past.at(10s)->data().loads.at(first).back().load.busy_share, 10.0);
        for (int i = 21; i <= 300; ++i) story.report(std::chrono::seconds(i), first, i);
        QVERIFY(story.past.from() && *story.past.from() < 10s);
        QCOMPARE(story.past.at(15s)->data().loads.at(first).back().load.busy_share, 15.0);
        QCOMPARE(story.past.at(5s)->data().loads.at(first).back().load.busy_share, 5.0);
    }

    void stretches_stay_in_memory_without_a_disk() {
        Story story(client::most_past_bytes, QStringLiteral("/nowhere/at/all"));
        for (int i = 1; i <= 5'000; ++i) story.report(std::chrono::seconds(i), first, i);
        QVERIFY(story.past.memory_bytes() >= story.past.size());
        for (const int i : {1, 2'500, 5'000})
            QCOMPARE(story.past.at(std::chrono::seconds(i))->data().loads.at(first).back().load.busy_share, double(i));
    }

    void old_reports_keep_their_age() {
        Story story(Bytes{64} << 10);
        Mail told;
        told.status.emplace().connection = client::Connection::connected;
        told.status->where = QStringLiteral("lab");
        control::MeshState mesh;
        mesh.faults = {{"mg-1", "sr-1", true, 0, 0}};
        told.add(control::QueryMesh{}, mesh);
        story.past.take(told, 1s);
        story.report(2s, second, 0.5);
        for (int i = 3; i <= 3000; ++i) story.report(std::chrono::seconds(i), first, 0.1);
        QVERIFY(story.past.from() && *story.past.from() > 2s);
        const RecordFold* fold = story.past.at(3000s);
        QVERIFY(fold);
        const auto& loads = fold->data().loads;
        QVERIFY(fold->since_begin(loads.at(second).back().time) == 2s);
        QVERIFY(fold->since_begin(loads.at(first).back().time) == 3000s);
        QVERIFY(fold->status() && fold->status()->connection == client::Connection::connected);
        QVERIFY(fold->mesh() && fold->mesh()->faults.size() == 1);
        QVERIFY(fold->mesh_at() == 1s);
    }

    void machine_figures_of_nodes_are_kept() {
        Story story(Bytes{64} << 10);
        control::NodeInfo info;
        info.id = NodeId("mic-1/node-1");
        story.tell(2ms, control::NodeJoined{info});
        const auto report = [&](Duration at, double cpu_share) {
            Mail mail;
            mail.nodes = {control::NodeMachine{info.id, {cpu_share}}};
            mail.nodes[0].machine.temperature_c = 61.5;
            story.past.take(mail, at);
        };
        report(1s, 0.25);
        report(3s, 0.75);
        const auto machine_at = [&](Duration moment) {
            return story.past.at(moment)->data().nodes.at(info.id).back().machine;
        };
        QCOMPARE(machine_at(2s).cpu_share, 0.25);
        QCOMPARE(machine_at(2s).temperature_c, std::optional(61.5));
        QVERIFY(!machine_at(2s).power_w);
        QCOMPARE(machine_at(4s).cpu_share, 0.75);
        QCOMPARE(story.past.at(4s)->data().nodes.at(info.id).size(), std::size_t{1});
        QVERIFY(story.past.at(500ms)->data().nodes.empty());
        for (int i = 4; i <= 3000; ++i) story.report(std::chrono::seconds(i), first, 0.1);
        QVERIFY(story.past.from() && *story.past.from() > 3s);
        const RecordFold* fold = story.past.at(3000s);  // this part of the record begins long after the report
        QCOMPARE(fold->data().nodes.at(info.id).back().machine.cpu_share, 0.75);
        QVERIFY(fold->since_begin(fold->data().nodes.at(info.id).back().time) == 3s);
    }

    void clock_set_back_loses_nothing() {
        Story story;
        story.step(5s, 1);
        story.step(3s, 2);
        QCOMPARE(story.step_at(4s), std::int64_t{0});
        QCOMPARE(story.step_at(5s), std::int64_t{2});
    }

    void mesh_known_at_the_start_keeps_its_age() {
        Mail known;
        known.snapshot = control::ClusterState{};
        known.add(control::QueryMesh{}, {});
        RecentPast past;
        past.begin(known, 10s, 4s);
        const RecordFold* fold = past.at(10s);
        QVERIFY(fold && fold->mesh() && fold->mesh_at() == 6s);
    }

    void restarted_record_begins_with_the_known_state() {
        Story story;
        story.step(1s, 1);
        Mail known;
        known.snapshot = story.past.at(1s)->data().state;
        story.past.begin(known, 10s);
        QCOMPARE(story.step_at(9s), std::int64_t{-1});
        QCOMPARE(story.step_at(10s), std::int64_t{1});
        story.past.rest();
        QCOMPARE(story.step_at(10s), std::int64_t{1});
    }
};

DIVISI_TEST(RecentPastTest)

}  // namespace recent_past_test

#include "recent_past_test.moc"
