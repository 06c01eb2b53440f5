// SPDX-License-Identifier: GPL-3.0-or-later
// Tests a client that shows an earlier time of a running cluster, and then the live cluster again.
#include "app/client/past_client.h"
#include "backend/control/protocol/fault_messages.h"
#include "backend/control/protocol/task_messages.h"

#include <QDateTime>
#include <QSignalSpy>
#include <atomic>
#include <memory>
#include <optional>

#include "app/client/record_writer.h"
#include "app/model/wording/states.h"
#include "tests/gui/scripted_client.h"
#include "tests/support/test_program.h"

namespace past_client_test {

using namespace divisi;
using namespace std::chrono_literals;
using client::PastClient;

namespace {

const TaskId the_task("gpt-text-1");
const InstanceId instance("gpt-text-1/stage-0/0");
const TimePoint begun{std::chrono::seconds(1'700'000'000)};

/// A fixture with a cluster whose clock the test sets. Its task has done ten steps by 10 s, and does one more at 11 s.
struct Cluster : testing::ScriptedClient {
    TimePoint clock = begun;
    TimePoint now() const override { return clock; }

    void train() {
        connect_to(QStringLiteral("lab"));
        clock = begun + 10s;
        play();
        clock = begun + 11s;
        tell(control::StepDone{the_task, {11, 3.0F, 100, 160, 1}});
        Q_EMIT dataChanged();
    }
    void tell_fault(const char* router) {
        control::MeshState mesh;
        mesh.faults_allowed = true;
        mesh.faults = {{"mg-1", router, true, 0, 0}};
        answer(control::QueryMesh{}, mesh);
    }
};

struct Past : PastClient {
    explicit Past(Cluster& cluster, Bytes most = client::most_past_bytes,
                  std::unique_ptr<client::Courier> thread = std::make_unique<client::Courier>())
        : PastClient(cluster, model::date_text, most, std::move(thread)) {}
};

void set(std::atomic<bool>& flag) {
    flag = true;
    flag.notify_all();
}

/// Waits until the thread has done all work that was queued so far.
void finish(client::Courier& thread) {
    const auto done = std::make_shared<std::atomic<bool>>(false);
    thread.run([done](const std::atomic<bool>&) { set(*done); });
    done->wait(false);
}

/// Blocks a thread at its next work item, so that all later items wait.
class Held {
public:
    explicit Held(client::Courier& thread) : thread_(thread) {
        thread_.run([free = free_](const std::atomic<bool>&) { free->wait(false); });
    }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    ~Held() { let_go(); }
    /// Releases the thread and waits until it has done all work that was queued so far.
    void let_go() {
        set(*free_);
        finish(thread_);
    }

private:
    client::Courier& thread_;
    std::shared_ptr<std::atomic<bool>> free_ = std::make_shared<std::atomic<bool>>(false);
};

std::int64_t step(const client::Client& client) {
    const auto& tasks = client.data().state.tasks;
    return tasks.contains(the_task) ? tasks.at(the_task).step : -1;
}

/// A fixture with one step a second, while the thread is blocked. When the queue is full, a node is lost and one more
/// step is done; the queue drops both.
struct Flooded {
    Cluster cluster;
    std::unique_ptr<client::Courier> made = std::make_unique<client::Courier>();
    client::Courier& thread = *made;
    Past past{cluster, client::most_past_bytes, std::move(made)};
    std::optional<Held> held;
    Duration taken{}, missed{};  ///< times of the last queued step and of a dropped step
    std::int64_t last = 11;

    Flooded() {
        cluster.train();
        finish(thread);
        held.emplace(thread);
        for (std::size_t i = 0; i < client::most_waiting_mails; ++i) taken = next() - begun;
        cluster.tell(control::NodeEnded{NodeId("mic-2/node-1"), control::NodeState::lost, "not heard"});
        missed = next() - begun;
    }
    /// Reports the next step and returns its time.
    TimePoint next() {
        cluster.clock += 1s;
        cluster.tell(control::StepDone{the_task, {++last, 3.0F, 100, 160, 1}});
        return cluster.clock;
    }
    bool node_is_lost() const {
        const auto& nodes = past.data().state.nodes;
        const auto found = nodes.find(NodeId("mic-2/node-1"));
        return found != nodes.end() && found->second.state == control::NodeState::lost;
    }
    bool says_since(TimePoint begin) const {
        const QString since = QStringLiteral("kept from %1 on").arg(model::date_text(begin));
        return past.status().problem.contains(since);
    }
};

}  // namespace

class PastClientTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void live_client_passes_data_and_orders_through() {
        Cluster cluster;
        Past past(cluster);
        const QSignalSpy changed(&past, &client::Client::dataChanged);
        cluster.train();
        QCOMPARE(&past.data(), &cluster.data());
        QVERIFY(past.status().reaches() && !past.status().past);
        QCOMPARE(changed.count(), 2);
        past.order(control::KillRouter{"sr-1"});
        QCOMPARE(cluster.all(&control::KillRouter::name), std::vector<std::string>{"sr-1"});
    }

    void live_data_returns_immediately_after_the_past() {
        Cluster cluster;
        Past past(cluster);
        cluster.train();
        past.show(begun + 10s);
        QTRY_VERIFY(past.status().past);
        QCOMPARE(step(past), std::int64_t{10});
        QVERIFY(past.shown() == begun + 10s);
        QVERIFY(past.status().replayed && !past.status().reaches());
        QVERIFY2(past.status().problem.isEmpty(), qPrintable(past.status().problem));
        past.show(begun + 9s);
        QTRY_COMPARE(step(past), std::int64_t{-1});
        past.show(begun + 11s);
        QTRY_COMPARE(step(past), std::int64_t{11});
        past.show(begun + 10s);
        QTRY_COMPARE(step(past), std::int64_t{10});
        const QSignalSpy data(&past, &client::Client::dataChanged), status(&past, &client::Client::statusChanged);
        cluster.tell(control::StepDone{the_task, {12, 3.0F, 100, 160, 1}});
        Q_EMIT cluster.dataChanged();
        Q_EMIT cluster.statusChanged();
        QCOMPARE(step(past), std::int64_t{10});
        QCOMPARE(data.count() + status.count(), 0);  // live changes are not signaled while the past is shown
        past.show({});
        QCOMPARE(&past.data(), &cluster.data());
        QCOMPARE(step(past), std::int64_t{12});
        QVERIFY(!past.status().past);
        QCOMPARE(data.count(), 1);
        QCOMPARE(status.count(), 1);
    }

    void late_answer_is_dropped() {
        Cluster cluster;
        Past past(cluster);
        cluster.train();
        past.show(begun + 10s);
        past.show({});  // goes live before the answer can arrive, which needs the event loop
        const QSignalSpy changed(&past, &client::Client::statusChanged);
        past.show(begun + 10s);
        past.show(begun + 11s);
        QTRY_VERIFY(past.status().past && past.shown() == begun + 11s);
        QCOMPARE(changed.count(), 1);
        QCOMPARE(step(past), std::int64_t{11});
    }

    void past_client_sends_no_requests_to_the_cluster() {
        Cluster cluster;
        Past past(cluster);
        cluster.train();
        const QSignalSpy refused(&past, &client::Client::refused);
        past.show(begun + 10s);
        past.order(control::KillRouter{"sr-1"});  // while the past is still being loaded
        QTRY_VERIFY(past.status().past);
        past.order(control::KillRouter{"sr-1"});
        past.order(control::FaultLink{{"mg-1", "sr-1", true, 0, 0}});
        past.order(control::KillNode{NodeId("mic-1/node-1")});
        past.order(control::DrainNode{NodeId("mic-1/node-1"), false});
        past.order(control::StopTask{the_task, {}});
        QCOMPARE(refused.count(), 6);
        QVERIFY(refused.front().front().toString().contains(QStringLiteral("shows the past")));
        QVERIFY(cluster.all<control::KillRouter>().empty() && cluster.all<control::FaultLink>().empty() &&
                cluster.all<control::KillNode>().empty());
        QVERIFY(cluster.all<control::DrainNode>().empty() && cluster.all<control::StopTask>().empty());
        past.show({});
        past.order(control::StopTask{the_task, {}});
        QCOMPARE(cluster.last<control::StopTask>().task, the_task);
    }

    void mesh_is_also_shown_at_past_times() {
        Cluster cluster;
        Past past(cluster);
        cluster.train();
        cluster.clock = begun + 12s;
        cluster.tell_fault("sr-1");
        cluster.clock = begun + 13s;
        cluster.tell_fault("sr-2");
        std::vector<control::MeshState> came;
        past.on_answer<control::QueryMesh>(this, [&](const control::MeshState& mesh) { came.push_back(mesh); });
        past.show(begun + 12s);
        QTRY_COMPARE(came.size(), std::size_t{1});
        QCOMPARE(came.back().faults.front().b, std::string("sr-1"));
        QVERIFY(!came.back().faults_allowed);
        cluster.tell_fault("sr-3");
        QCOMPARE(came.size(), std::size_t{1});
        const std::size_t asked = cluster.count<control::QueryMesh>();
        past.poll(control::QueryMesh{});
        QTRY_COMPARE(came.size(), std::size_t{2});
        QCOMPARE(came.back().faults.front().b, std::string("sr-1"));
        QCOMPARE(cluster.count<control::QueryMesh>(), asked);
        past.show(begun + 11s);
        QTRY_COMPARE(came.size(), std::size_t{3});
        QVERIFY(came.back().faults.empty());  // the faults of that time are unknown
        past.show({});
        QVERIFY(cluster.count<control::QueryMesh>() > asked);
        cluster.tell_fault("sr-4");
        QCOMPARE(came.back().faults.front().b, std::string("sr-4"));
        disconnect(&past, nullptr, this, nullptr);
    }

    /// If the clock is set back, no time is shown without the events before it.
    void clock_that_is_set_back_discards_the_past() {
        Cluster cluster;
        Past past(cluster);
        cluster.train();
        cluster.tell_fault("sr-1");
        cluster.clock = begun + 6s;
        cluster.tell(control::StepDone{the_task, {12, 3.0F, 100, 160, 1}});
        std::vector<control::MeshState> came;
        past.on_answer<control::QueryMesh>(this, [&](const control::MeshState& mesh) { came.push_back(mesh); });
        past.show(begun + 6s);
        QTRY_VERIFY(past.status().past);
        QCOMPARE(step(past), std::int64_t{12});
        QVERIFY2(past.status().problem.isEmpty(), qPrintable(past.status().problem));
        QCOMPARE(came.size(), std::size_t{1});
        QCOMPARE(came.back().faults.size(), std::size_t{1});
        past.show(begun + 5s);
        QTRY_VERIFY(past.status().problem.contains(QStringLiteral("kept from")));
        disconnect(&past, nullptr, this, nullptr);
    }

    /// If it were not sent, the map would show the mesh from before the user entered the past until the next report.
    void last_mesh_is_sent_again_when_live() {
        Cluster cluster;
        Past past(cluster);
        cluster.train();
        cluster.tell_fault("sr-1");
        past.show(begun + 10s);
        QTRY_VERIFY(past.status().past);
        cluster.tell_fault("sr-2");
        std::vector<control::MeshState> came;
        past.on_answer<control::QueryMesh>(this, [&](const control::MeshState& mesh) { came.push_back(mesh); });
        past.show({});
        QCOMPARE(came.size(), std::size_t{1});
        QCOMPARE(came.back().faults.front().b, std::string("sr-2"));
        disconnect(&past, nullptr, this, nullptr);
    }

    /// Simulates an outage, during which no newer mesh report arrives.
    void age_of_the_mesh_is_that_at_the_displayed_time() {
        Cluster cluster;
        Past past(cluster);
        cluster.train();
        cluster.clock = begun + 12s;
        cluster.tell_fault("sr-1");
        QVERIFY(past.mesh_age() < 10s);  // measured by the running clock
        cluster.clock = begun + 60s;
        cluster.tell(control::StepDone{the_task, {12, 3.0F, 100, 160, 1}});
        past.show(begun + 60s);
        QTRY_VERIFY(past.status().past);
        QVERIFY(past.mesh_age() == 48s);
        past.show({});
        QVERIFY(past.mesh_age() < 20s);
    }

    void other_cluster_does_not_inherit_the_mesh() {
        Cluster cluster;
        Past past(cluster);
        cluster.train();
        cluster.tell_fault("sr-1");
        client::Mail mail;
        mail.snapshot.emplace().name = "other";
        Q_EMIT cluster.mailCame(mail);
        cluster.cluster.state = *mail.snapshot;
        past.show(begun + 11s);
        QTRY_VERIFY(past.status().past);
        const QSignalSpy came(&past, &client::Client::answered);
        past.show({});
        QCOMPARE(came.count(), 0);
    }

    /// If the queue overflows, the recorded past has a gap. No state without those events is shown, and everything
    /// recorded before the gap is discarded.
    void overload_restarts_the_recorded_past() {
        Flooded shown;
        shown.held->let_go();
        const TimePoint anew = shown.next();
        for (const auto& moment : {Duration(10s), shown.taken, shown.missed}) {
            shown.past.show(begun + moment);
            QTRY_VERIFY(shown.past.status().past && shown.past.shown() == begun + moment);
            QVERIFY2(shown.says_since(anew), qPrintable(shown.past.status().problem));
            QVERIFY(shown.past.data().state.tasks.empty() && shown.past.data().state.nodes.empty());
        }
        shown.past.show(anew);
        QTRY_COMPARE(step(shown.past), shown.last);
        QVERIFY2(shown.past.status().problem.isEmpty(), qPrintable(shown.past.status().problem));
        QVERIFY(shown.node_is_lost());  // the event was in the gap
    }

    void request_during_an_overload_restarts_at_once() {
        Flooded shown;
        const TimePoint anew = shown.cluster.clock;  // the state of this time is complete
        shown.past.show(begun + shown.taken);
        shown.held->let_go();
        QTRY_VERIFY(shown.past.status().past);
        QVERIFY2(shown.says_since(anew), qPrintable(shown.past.status().problem));
        QVERIFY(shown.past.data().state.tasks.empty());
        shown.past.show(anew);
        QTRY_COMPARE(step(shown.past), shown.last);
        QVERIFY(shown.past.status().problem.isEmpty() && shown.node_is_lost());
        const TimePoint later = shown.next();  // this step is after the gap
        shown.past.show(later);
        QTRY_COMPARE(step(shown.past), shown.last);
        shown.past.show(anew);
        QTRY_VERIFY(shown.past.shown() == anew);
        QVERIFY(shown.past.status().problem.isEmpty());
        QCOMPARE(step(shown.past), shown.last - 1);
    }

    /// The report contains the date unless it is today.
    void start_of_the_kept_past_is_reported() {
        Cluster cluster;
        Past past(cluster);
        cluster.train();
        past.show(begun - 1s);
        QTRY_VERIFY(past.status().past);
        const QDateTime then = QDateTime::fromSecsSinceEpoch(1'700'000'000);
        const QString day = then.toString(QStringLiteral("yyyy-MM-dd HH:mm:ss"));
        QVERIFY2(past.status().problem.contains(QStringLiteral("kept from ") + day), qPrintable(past.status().problem));
    }

    void time_before_the_kept_past_is_reported_and_not_shown() {
        Cluster cluster;
        Past past(cluster, Bytes{64} << 10);
        cluster.train();
        past.show(begun - 1s);
        QTRY_VERIFY(past.status().past);
        QVERIFY(past.data().state.nodes.empty());
        QVERIFY2(past.status().problem.contains(QStringLiteral("kept from")), qPrintable(past.status().problem));
        past.show(begun + 10s);
        QTRY_COMPARE(step(past), std::int64_t{10});
        QVERIFY(past.status().problem.isEmpty());
        for (int i = 0; i < 100; ++i) {  // 100 at a time, as the GUI takes them
            client::Mail mail;
            mail.loads.resize(100);
            for (control::InstanceLoad& load : mail.loads) load.instance = instance;
            cluster.clock += 1s;
            Q_EMIT cluster.mailCame(mail);
        }
        past.show(begun + 10s + 1ns);
        QTRY_VERIFY(past.status().problem.contains(QStringLiteral("kept from")));
        QVERIFY(past.data().state.tasks.empty());
        past.show(cluster.clock);
        QTRY_COMPARE(step(past), std::int64_t{11});
    }
};

DIVISI_TEST(PastClientTest)

}  // namespace past_client_test

#include "past_client_test.moc"
