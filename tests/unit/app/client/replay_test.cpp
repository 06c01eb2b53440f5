// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the replay of a recording: the cluster at any time and speed, and answers to the views' questions.
#include <QSignalSpy>
#include <QTemporaryDir>
#include <cmath>

#include "app/client/record_codec.h"
#include "app/client/replay_client.h"
#include "app/model/tracking/replay_player.h"
#include "app/model/tracking/telemetry.h"
#include "backend/control/protocol/connection_messages.h"
#include "backend/control/protocol/log_messages.h"
#include "backend/control/protocol/probe_messages.h"
#include "backend/control/protocol/task_messages.h"
#include "backend/control/types/log_types.h"
#include "tests/support/test_program.h"

namespace replay_test {

using namespace divisi;
using namespace std::chrono_literals;
using client::Mail;
using client::RecordedCluster;
using client::RecordingMark;
using client::ReplayClient;
using model::ReplayPlayer;
using model::Telemetry;
using model::TimeCursor;

namespace {

const TimePoint begun{std::chrono::seconds(1'700'000'000)};
const TaskId the_task("gpt-1");
const InstanceId instance("gpt-1/stage-0/0");

/// Returns seconds since the Unix epoch, as on the curves' axis.
double seconds(Duration at) { return std::chrono::duration<double>((begun + at).time_since_epoch()).count(); }

/// A training cluster with a step each second from 1 s to 10 s, a link cut at 4 s, and a re-cut at 6 s.
class Script {
public:
    Script() {
        Mail first;
        first.status.emplace();
        first.status->connection = client::Connection::connected;
        first.status->where = QStringLiteral("lab");
        first.snapshot = state_;
        put(0ms, first);
        tell(100ms, control::ClusterStarted{"lab", "0.1.0"});
        tell(200ms, control::TaskSubmitted{the_task, "gpt", "", "", "", {}, "operator", 0});
        tell(300ms, control::InstancePlaced{the_task, instance, Sid("gpt-1/stage-0/0"), NodeId("mic-1/node-1"), 0});
        for (int step = 1; step <= 10; ++step) {
            if (step == 4) cut_link(4s - 1ms);
            if (step == 6) tell(6s - 1ms, control::TaskRecut{the_task, 2, 5, "a", "b", "operator", "", {}});
            tell(std::chrono::seconds(step),
                 control::StepDone{the_task, {step, 5.0F / static_cast<float>(step), 100, 16, 1}});
            Mail loads;
            loads.loads.resize(1);
            loads.loads[0].instance = instance;
            loads.loads[0].busy_share = 0.1 * step;
            loads.loads[0].bytes_sent = 1000 * step;
            put(std::chrono::seconds(step), loads);
        }
    }
    void tell(Duration at, control::Event::Body body) {
        Mail mail;
        mail.events = {{state_.sequence + 1, begun + at, std::move(body)}};
        control::apply(state_, mail.events.front());
        put(at, mail);
    }
    void put(Duration at, const Mail& mail) {
        const auto made = client::records_of(mail, at);
        if (!made.ok()) qFatal("%s", made.error().message().c_str());
        records.insert(records.end(), made->begin(), made->end());
    }
    /// Reports the rate from a gateway to a router.
    void report_link(Duration at, double bytes_per_s) {
        Mail mail;
        control::MeshState mesh;
        mesh.devices.resize(2);
        mesh.devices[0].id = 1;
        mesh.devices[0].info.name = "mg-1";
        mesh.devices[0].up = true;
        mesh.devices[0].heard = begun + at;
        mesh.devices[0].neighbours.resize(1);
        mesh.devices[0].neighbours[0].id = 2;
        mesh.devices[0].neighbours[0].quality.bytes_per_s = bytes_per_s;
        mesh.devices[1].id = 2;
        mesh.devices[1].info.name = "sr-1";
        mail.add(control::QueryMesh{}, mesh);
        put(at, mail);
    }
    std::vector<store::Record> records;

private:
    void cut_link(Duration at) {
        Mail mail;
        control::MeshState mesh;
        mesh.faults = {{"mg-1", "sr-1", true, 0, 0}};
        mesh.faults_allowed = true;
        mail.add(control::QueryMesh{}, mesh);
        put(at, mail);
    }
    control::ClusterState state_;
};

}  // namespace

class ReplayTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    std::filesystem::path write(const std::vector<store::Record>& records, bool finish = true,
                                std::uint32_t protocol = control::protocol_version) const {
        const std::filesystem::path file = folder_.filePath(QStringLiteral("lab.divisirec")).toStdString();
        auto writer = store::RecordingWriter::create(file, {"0.1.0", protocol, begun}).value();
        if (!writer.write(records).ok() || (finish && !writer.finish().ok())) qFatal("cannot write the recording");
        return file;
    }
    std::unique_ptr<ReplayClient> client(bool finish = true, const Script& script = {}) const {
        return ReplayClient::open(write(script.records, finish)).value();
    }
    static std::int64_t step(const client::Client& client) {
        const auto& tasks = client.data().state.tasks;
        return tasks.contains(the_task) ? tasks.at(the_task).step : -1;
    }

private Q_SLOTS:
    void machines_of_nodes_are_recorded_and_shown_again() {
        Script script;
        control::NodeInfo info;
        info.id = NodeId("mic-1/node-1");
        script.tell(10s + 1ms, control::NodeJoined{info});
        for (int i = 1; i <= 4; ++i) {
            Mail mail;
            mail.nodes = {control::NodeMachine{info.id, {0.1 * i}}};
            mail.nodes[0].machine.temperature_c = 40 + i;
            script.put(10s + 2s * i, mail);
        }
        auto replay = client(true, script);
        const Telemetry telemetry(replay.get());
        const auto warm = [&] { return telemetry.store().find(Telemetry::of_node(info.id, "temperature")); };
        replay->show(begun + 18s);
        QVERIFY(warm());
        QCOMPARE(warm()->size(), 4);
        QCOMPARE(warm()->at(3)->y, 44.0);
        QVERIFY(std::abs(warm()->at(0)->x - seconds(12s)) < 0.5);
        QVERIFY(!telemetry.store().find(Telemetry::of_node(info.id, "power")));
        replay->show(begun + 15s);  // moves back
        QCOMPARE(warm()->size(), 2);
        QCOMPARE(replay->data().nodes.at(info.id).back().machine.cpu_share, 0.2);
        replay->show(begun + 11s);
        QVERIFY(!warm());
    }

    void many_machines_are_several_records() {
        Mail mail;
        for (int i = 0; i < 1001; ++i) {
            control::NodeMachine one{NodeId("n-" + std::to_string(i)), {0.0005 * i}};
            if (i % 2 == 0) one.machine.power_w = i;
            mail.nodes.push_back(one);
        }
        const auto records = client::records_of(mail, 1s).value();
        QCOMPARE(records.size(), std::size_t{3});
        client::RecordDecoder decoder;
        Mail back;
        for (const store::Record& one : records)
            QVERIFY(decoder.add(static_cast<client::RecordKind>(one.kind), one.type, one.bytes, back).ok());
        QVERIFY(back.heard && back.loads.empty());
        QCOMPARE(back.nodes.size(), mail.nodes.size());
        for (std::size_t i = 0; i < mail.nodes.size(); ++i) {
            QCOMPARE(back.nodes[i].node, mail.nodes[i].node);
            QVERIFY(back.nodes[i].machine == mail.nodes[i].machine);
        }
    }

    void dropped_measurements_stay_counted() {
        Script script;
        for (const auto& [at, count] : {std::pair{11s, 40}, std::pair{12s, 2}}) {
            Mail mail;
            mail.loads_left_out = static_cast<std::uint64_t>(count);
            script.put(at, mail);
        }
        auto replay = client(true, script);
        replay->show(begun + 10s);
        QCOMPARE(replay->data().loads_left_out, 0U);
        replay->show(begun + 12s);
        QCOMPARE(replay->data().loads_left_out, 42U);
        replay->show(begun + 11s);  // moves back: only the loads that were left out before that time count
        QCOMPARE(replay->data().loads_left_out, 40U);
        QVERIFY(replay->note().isEmpty());
    }

    void unreadable_count_of_dropped_measurements_is_reported() {
        Script script;
        script.records.push_back({11s, static_cast<std::uint16_t>(client::RecordKind::left_out), 0, "many"});
        QVERIFY(!client(true, script)->note().isEmpty());
    }

    void every_past_state_is_shown() {
        auto replay = client();
        QVERIFY(replay->begin() == begun);
        QVERIFY(replay->end() == begun + 10s);
        QCOMPARE(step(*replay), -1);
        replay->show(begun + 250ms);
        QCOMPARE(step(*replay), 0);
        for (const int at : {3, 7, 10, 2, 9, 1}) {  // forwards and backwards
            replay->show(begun + std::chrono::seconds(at));
            QCOMPARE(step(*replay), at);
            QCOMPARE(replay->data().state.tasks.at(the_task).history.size(), static_cast<std::size_t>(at));
            QCOMPARE(replay->data().loads.at(instance).size(), static_cast<std::size_t>(at));
            replay->show(begun + std::chrono::seconds(at) - 1ns);
            QCOMPARE(step(*replay), at - 1);
        }
        replay->show(begun + 1h);
        QVERIFY(replay->at() == replay->end());
        replay->show(begun - 1h);
        QVERIFY(replay->at() == replay->begin());
        QCOMPARE(step(*replay), -1);
    }

    void measured_steps_match_the_displayed_time() {
        Script script;
        for (const int step : {4, 8}) {
            Mail mail;
            mail.spans.resize(1);
            mail.spans[0].spans.task = the_task;
            mail.spans[0].spans.instance = instance;
            mail.spans[0].spans.step = step;
            mail.spans[0].spans.begin = begun + std::chrono::seconds(step);
            mail.spans[0].spans.spans = {{0, plan::OperationKind::forward, 0, 1ms, 2ms}};
            script.put(std::chrono::seconds(10) + std::chrono::seconds(step), mail);
        }
        auto replay = client(true, script);
        const auto shown = [&] {
            const client::MeasuredStep* measured = replay->data().spans.at(the_task, TimePoint::max());
            return measured ? measured->step : -1;
        };
        for (const auto& [at, step] : {std::pair(13, -1), {14, 4}, {17, 4}, {18, 8}, {15, 4}, {1, -1}}) {
            replay->show(begun + std::chrono::seconds(at));
            QCOMPARE(shown(), std::int64_t{step});
        }
    }

    /// A long recording stores states at intervals. Moving forwards and backwards must give the same states.
    void step_back_in_a_long_recording_restores_the_state() {
        constexpr int count = 5'000;
        Script script;
        const auto at = [](int number) { return 20s + std::chrono::milliseconds(10 * number); };
        for (int number = 1; number <= count; ++number)
            script.tell(at(number), control::StepDone{the_task, {10 + number, 1.0F, 100, 16, 1}});
        auto replay = client(true, script);
        for (const int number : {count, 4'999, 2'500, 4'000, 1, 777, 3'000, 2'999, count}) {
            replay->show(begun + at(number) + 1ms);
            QCOMPARE(step(*replay), 10 + number);
        }
        replay->show(begun + 5s);
        QCOMPARE(step(*replay), 5);
    }

    void ages_match_the_recording() {
        auto replay = client();
        replay->show(begun + 9500ms);
        const auto now = std::chrono::steady_clock::now();
        const auto& samples = replay->data().loads.at(instance);
        QCOMPARE(samples.size(), std::size_t{9});
        for (std::size_t i = 0; i < samples.size(); ++i) {
            const auto wanted = 9500ms - std::chrono::seconds(i + 1);
            const auto age = now - samples[i].time;
            QVERIFY(age >= wanted && age < wanted + 400ms);
        }
    }

    void curves_use_the_recorded_times() {
        Script script;
        script.report_link(10500ms, 3000);
        auto replay = client(true, script);
        const Telemetry telemetry(replay.get());
        const auto same = [](double a, double b) { return std::abs(a - b) < 0.4; };
        for (int at = 1; at <= 10; ++at) replay->show(begun + std::chrono::seconds(at));
        const auto fourth = telemetry.seconds_of(the_task, 4);
        QVERIFY(fourth && same(*fourth, seconds(4s)));
        QCOMPARE(telemetry.step_at(the_task, seconds(4500ms)).value_or(0), 4.0);
        const auto busy = telemetry.store().find(Telemetry::of_instance(instance, "busy"));
        QVERIFY(busy);
        QCOMPARE(busy->size(), 10);
        for (int i = 0; i < 10; ++i) QVERIFY(same(busy->at(i)->x, seconds(std::chrono::seconds(i + 1))));
        replay->show(begun + 10500ms);
        replay->poll(control::QueryMesh{});
        QCoreApplication::processEvents();
        const auto rate = telemetry.store().find(Telemetry::of_link("mg-1", "sr-1", "rate"));
        QVERIFY(rate);
        QVERIFY(same(*rate->first_x(), seconds(10500ms)));
    }

    void repeated_time_adds_nothing_to_curves() {
        auto replay = client();
        const Telemetry telemetry(replay.get());
        for (int at = 1; at <= 5; ++at)
            for (int again = 0; again < 10; ++again) replay->show(begun + std::chrono::seconds(at));
        const auto busy = telemetry.store().find(Telemetry::of_instance(instance, "busy"));
        const auto sent = telemetry.store().find(Telemetry::of_instance(instance, "sent"));
        QVERIFY(busy && sent);
        QCOMPARE(busy->size(), 5);
        QCOMPARE(sent->size(), 4);
        for (int i = 0; i < 4; ++i) QCOMPARE(sent->at(i)->y, 1000.0);
    }

    void curves_go_back_with_the_displayed_time() {
        Script script;
        script.report_link(10500ms, 3000);
        auto replay = client(true, script);
        const Telemetry telemetry(replay.get());
        const auto size = [&](const std::string& name) {
            const auto series = telemetry.store().find(name);
            return series ? series->size() : 0;
        };
        const std::string loss = Telemetry::of_task(the_task, "loss");
        for (int at = 1; at <= 10; ++at) replay->show(begun + std::chrono::seconds(at));
        for (const int at : {4, 6, 3, 2, 10, 1}) {
            replay->show(begun + std::chrono::seconds(at));
            QCOMPARE(size(loss), at);
            QCOMPARE(size(Telemetry::of_task(the_task, "step_ms")), at);
            QCOMPARE(size(Telemetry::of_instance(instance, "busy")), at);
            QCOMPARE(telemetry.step_at(the_task, seconds(1h)).value_or(0), static_cast<double>(at));
        }
        replay->show(begun + 10500ms);
        replay->poll(control::QueryMesh{});
        QCoreApplication::processEvents();
        QCOMPARE(size(Telemetry::of_link("mg-1", "sr-1", "rate")), 1);
        replay->show(begun + 500ms);  // before the task's first step
        QCOMPARE(size(loss), 0);
        QCOMPARE(size(Telemetry::of_instance(instance, "busy")), 0);
        QCOMPARE(size(Telemetry::of_link("mg-1", "sr-1", "rate")), 0);
    }

    void steps_repeated_by_a_recovery_are_replaced() {
        Script script;
        const auto evaluate = [&](Duration at, std::int64_t step, float loss, Generation generation) {
            control::EvalRecord record;
            record.step = step;
            record.loss = loss;
            record.generation = generation;
            script.tell(at, control::Evaluated{the_task, record});
        };
        evaluate(10500ms, 10, 1, 1);
        script.tell(11s, control::TaskRecovers{the_task, 2, 7, {}, "killed"});
        script.tell(12s, control::StepDone{the_task, {8, 99, 100, 16, 2}});
        evaluate(12500ms, 8, 2, 2);
        auto replay = client(true, script);
        const Telemetry telemetry(replay.get());
        const auto curve = [&](const char* figure) {
            const auto series = telemetry.store().find(Telemetry::of_task(the_task, figure));
            return series ? series->range(0, 100) : std::vector<model::Sample>();
        };
        for (int at = 1; at <= 10; ++at) replay->show(begun + std::chrono::seconds(at));
        replay->show(begun + 10500ms);
        const auto before = curve("loss"), validation = curve("validation");
        QCOMPARE(before.size(), std::size_t{10});
        QCOMPARE(validation.size(), std::size_t{1});
        replay->show(begun + 12500ms);
        QCOMPARE(curve("loss").size(), std::size_t{8});
        QCOMPARE(curve("loss").back(), (model::Sample{8, 99}));
        QCOMPARE(curve("validation").back(), (model::Sample{8, 2}));
        replay->show(begun + 10500ms);
        QCOMPARE(curve("loss"), before);
        QCOMPARE(curve("validation"), validation);
        replay->show(begun + 9s);
        QVERIFY(curve("validation").empty());
        replay->show(begun + 12500ms);
        QCOMPARE(curve("loss").back(), (model::Sample{8, 99}));
    }

    void playback_speed_follows_the_clock_data() {
        QTest::addColumn<double>("speed");
        for (const double speed : {0.25, 0.5, 1.0, 4.0, 64.0}) QTest::addRow("%g", speed) << speed;
    }
    void playback_speed_follows_the_clock() {
        QFETCH(double, speed);
        auto replay = client();
        TimePoint clock = replay->end();
        TimeCursor cursor([&] { return clock; });
        ReplayPlayer player(*replay, cursor);
        player.set_speed(speed);
        QVERIFY(!player.playing());
        player.play();
        const auto wait = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(5.5 / speed));
        for (int part = 0; part < 10; ++part) {
            clock += wait / 10;
            cursor.tick();
            player.show();
        }
        QVERIFY(player.playing());
        QCOMPARE(step(*replay), 5);
        player.pause();
        clock += 1h;
        cursor.tick();
        player.show();
        QCOMPARE(step(*replay), 5);
        player.play();
        clock += wait;
        cursor.tick();  // past the end
        player.show();
        QVERIFY(!player.playing());
        QVERIFY(player.at() == replay->end());
        QCOMPARE(step(*replay), 10);
        player.play();  // restarts from the beginning
        QVERIFY(player.playing());
        player.show();
        QCOMPARE(step(*replay), -1);
    }

    void speed_stays_within_bounds_and_keeps_playing() {
        auto replay = client();
        TimePoint clock = replay->end();
        TimeCursor cursor([&] { return clock; });
        ReplayPlayer player(*replay, cursor);
        player.play();
        player.set_speed(1000);
        QCOMPARE(cursor.speed(), 64.0);
        QVERIFY(player.playing());
        player.set_speed(0.001);
        QCOMPARE(cursor.speed(), 0.25);
        player.go_end();
        QVERIFY(!player.playing() && player.at() == player.end());
        cursor.go_live();  // a recording has no live state
        QVERIFY(!cursor.live() && player.at() == player.end());
    }

    void only_the_last_of_many_requests_is_shown() {
        auto replay = client();
        TimePoint clock = replay->end();
        TimeCursor cursor([&] { return clock; });
        ReplayPlayer player(*replay, cursor);
        QSignalSpy shown(replay.get(), &client::Client::dataChanged);
        for (int i = 1; i <= 100; ++i) player.go(begun + i * 90ms);
        QCoreApplication::processEvents();
        QCOMPARE(shown.size(), 1);
        QCOMPARE(step(*replay), 9);
    }

    void steps_faults_and_recuts_are_marked() {
        const auto replay = client();
        std::size_t steps = 0;
        std::map<RecordingMark::Kind, Duration> others;
        for (const RecordingMark& mark : replay->marks()) {
            if (mark.kind == RecordingMark::Kind::step) ++steps;
            else others[mark.kind] = mark.at;
        }
        QCOMPARE(steps, std::size_t{10});
        QCOMPARE(others.size(), std::size_t{2});
        QVERIFY(others.at(RecordingMark::Kind::fault) == 4s - 1ms);
        QVERIFY(others.at(RecordingMark::Kind::recut) == 6s - 1ms);
    }

    /// The window of a recording is painted before everything is decoded.
    void recording_is_shown_before_it_is_read_completely() {
        const auto whole = client();
        const auto replay = ReplayClient::open(write(Script().records), RecordedCluster::Scan::later).value();
        QVERIFY(replay->marks().empty() && !replay->is_scanned());
        replay->show(begun + 5s);
        QCOMPARE(step(*replay), 5);
        const QSignalSpy scanned(replay.get(), &ReplayClient::scanned);
        std::vector<control::LogPage> log;
        replay->on_answer<control::QueryLog>(this, [&](const control::LogPage& page) { log.push_back(page); });
        control::QueryLog question;
        question.kind = "step_done";
        replay->poll(question);  // waits until the rest has been read
        QTRY_COMPARE(log.size(), std::size_t{1});
        QCOMPARE(log[0].events.size(), std::size_t{5});
        QCOMPARE(scanned.size(), 1);
        QVERIFY(replay->is_scanned());
        QCOMPARE(replay->marks().size(), whole->marks().size());
        QCOMPARE(step(*replay), 5);
    }

    void a_recording_is_read_through_in_pieces() {
        const std::filesystem::path file = write(Script().records);
        auto cluster = RecordedCluster::open(file, RecordedCluster::Scan::later).value();
        const std::size_t records = Script().records.size();
        QVERIFY(records > 20);
        QVERIFY(!cluster.scan_on(records - 1));
        QVERIFY(cluster.scan_on(1));
        QCOMPARE(cluster.marks().size(), RecordedCluster::open(file).value().marks().size());
    }

    void views_are_answered_from_the_file() {
        auto replay = client();
        replay->show(begun + 5s);
        std::vector<control::MeshState> mesh;
        std::vector<control::LogPage> log;
        replay->on_answer<control::QueryMesh>(this, [&](const control::MeshState& state) { mesh.push_back(state); });
        replay->on_answer<control::QueryLog>(this, [&](const control::LogPage& page) { log.push_back(page); });
        replay->poll(control::QueryMesh{});
        control::QueryLog question;
        question.kind = "step_done";
        question.limit = 2;
        replay->poll(question);
        QVERIFY(mesh.empty());  // answered only after the call has returned
        QTRY_COMPARE(mesh.size(), std::size_t{1});
        QCOMPARE(mesh[0].faults.size(), std::size_t{1});
        QVERIFY(!mesh[0].faults_allowed);
        QTRY_COMPARE(log.size(), std::size_t{1});
        const control::LogPage page = log[0];
        QCOMPARE(page.events.size(), std::size_t{2});
        QVERIFY(page.more);
        QCOMPARE(get<control::StepDone>(page.events[1].body).record.step, std::int64_t{5});
        QCOMPARE(get<control::StepDone>(page.events[0].body).record.step, std::int64_t{4});
    }

    void requests_that_need_a_cluster_are_refused() {
        auto replay = client();
        QVERIFY(replay->status().replayed && !replay->status().reaches());
        QSignalSpy refused(replay.get(), &client::Client::refused);
        std::vector<QString> recut, lines;
        replay->on_failure<control::Recut>(
            this, [&](const control::Recut&, const client::Answered& failed) { recut.push_back(failed.why); });
        replay->on_failure<control::QueryLines>(
            this, [&](const control::QueryLines&, const client::Answered& failed) { lines.push_back(failed.why); });
        replay->order(client::SubmitText{});
        replay->order(control::StopTask{the_task, {}});
        replay->order(control::KillNode{NodeId("mic-1/node-1")});
        replay->order(control::SetPolicies{{"share=50"}});
        QCOMPARE(refused.size(), 4);
        for (const QList<QVariant>& one : refused) {
            QVERIFY2(one[0].toString().contains(QStringLiteral("recording of lab")), qPrintable(one[0].toString()));
            QVERIFY(one[0].toString().contains(QStringLiteral("connect to a cluster")));
        }
        replay->ask(control::Recut{the_task});
        QCOMPARE(recut,
                 std::vector{QStringLiteral("This is a recording of lab: connect to a cluster to re-cut a task.")});
        replay->ask(control::QueryLines{});
        QTRY_COMPARE(lines, std::vector{QStringLiteral("This is a recording of lab: connect to the cluster to read its "
                                                       "processes' output.")});
    }

    void an_unknown_order_is_refused_too() {
        auto replay = client();
        const QSignalSpy refused(replay.get(), &client::Client::refused);
        replay->order(control::MeasureLinks{});
        QCOMPARE(refused.size(), 1);
        QCOMPARE(refused[0][0].toString(), client::why_not_replayed(replay->status()));
    }

    void views_repeat_their_requests_after_going_back() {
        auto replay = client();
        std::vector<client::Connection> seen;
        connect(replay.get(), &client::Client::statusChanged, this,
                [&] { seen.push_back(replay->status().connection); });
        replay->show(begun + 5s);
        QVERIFY(seen.empty());
        replay->show(begun + 2s);
        QVERIFY((seen == std::vector{client::Connection::connecting, client::Connection::connected}));
        QCOMPARE(replay->status().where, QStringLiteral("lab"));
    }

    void recorded_task_is_followed_without_a_submission() {
        auto replay = client();
        QSignalSpy submitted(replay.get(), &client::Client::submitted);
        replay->show(begun + 1s);
        replay->show(begun + 2s);
        QCOMPARE(submitted.size(), 1);
        QCOMPARE(submitted[0][0].toString(), QStringLiteral("gpt-1"));
    }

    void unfinished_recording_is_reported() {
        QVERIFY(client()->note().isEmpty());
        const auto open = client(false);
        QVERIFY(open->note().contains(QStringLiteral("not closed")));
        QVERIFY(open->end() == begun + 10s);
    }

    void unknown_records_are_left_out() {
        Script script;
        script.records.insert(script.records.begin() + 3, {script.records[2].at, 77, 0, "of a later version"});
        script.records.insert(
            script.records.begin() + 3,
            {script.records[2].at, static_cast<std::uint16_t>(client::RecordKind::message), 9999, "x"});
        const auto replay = ReplayClient::open(write(script.records)).value();
        QVERIFY(replay->note().contains(QStringLiteral("left out")));
        replay->show(replay->end());
        QCOMPARE(step(*replay), 10);
    }

    void other_protocol_is_refused_with_a_remedy() {
        const auto refused = ReplayClient::open(write(Script().records, true, control::protocol_version + 1));
        QVERIFY(!refused.ok());
        QVERIFY(refused.error().code == ErrorCode::unsupported);
        QVERIFY(refused.error().next.find("0.1.0") != std::string::npos);
        QVERIFY(!ReplayClient::check(write({}, true, 0)).ok());
    }
};

DIVISI_TEST(ReplayTest)

}  // namespace replay_test

#include "replay_test.moc"
