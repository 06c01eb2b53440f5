// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/client/subscription.h"

#include "app/client/mailbox.h"
#include "tests/support/test_program.h"

namespace subscription_test {

using namespace divisi;
using client::ClusterData;
using client::Mail;
using client::Subscription;

namespace {

const std::chrono::steady_clock::time_point start{};

/// A fixture for the console's side of a cluster: the worker that handles pushes, and the GUI that takes them.
struct Console {
    Subscription subscription;
    Mail mail;
    ClusterData data;
    control::ClusterState cluster;  ///< the actual state
    int asked = 0;

    Subscription::Attempt ask() {
        ++asked;
        return subscription.begin();
    }
    void answer(Subscription::Attempt attempt) {
        if (!subscription.succeeded(attempt)) return;
        mail.snapshot = cluster;
        mail.events.clear();
        mail.heard = true;
    }
    /// Creates one event and pushes `copies` copies of it.
    void push(std::size_t copies = 1) {
        const control::Event event{cluster.sequence + 1, {}, control::Noted{Severity::info, "test", "", "news"}};
        control::apply(cluster, event);
        mail.heard = mail.heard || subscription.follows();
        const std::vector<control::Event> events(copies, event);
        if (subscription.follows() && !client::add_events(mail, events) && subscription.lost_events()) pending = ask();
    }
    void take() {
        Mail taken = std::exchange(mail, {});
        client::take(data, taken, start);
    }

    Subscription::Attempt pending = 0;
};

control::Event placed(std::uint64_t sequence, const char* task, const char* instance) {
    return {sequence, {}, control::InstancePlaced{TaskId(task), InstanceId(instance), Sid(instance), NodeId("n"), 0}};
}

}  // namespace

class SubscriptionTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void events_follow_on_from_a_snapshot() {
        Console console;
        const auto attempt = console.ask();
        console.push();
        console.take();
        QCOMPARE(console.data.state.sequence, 0u);
        console.answer(attempt);
        console.push();
        console.take();
        QCOMPARE(console.data.state.sequence, console.cluster.sequence);
    }

    void blocked_console_receives_again_after_a_failed_resubscription() {
        Console console;
        console.answer(console.ask());
        console.push(client::mailbox_limit + 1);
        QCOMPARE(console.asked, 2);
        QVERIFY(console.subscription.failed(console.pending));  // the attempt has no answer, so another one follows
        console.take();
        console.mail.heard = false;
        console.push();
        QVERIFY(!console.mail.heard);  // the shown state is out of date
        console.answer(console.ask());
        console.push();
        console.take();
        QCOMPARE(console.data.state.sequence, console.cluster.sequence);
    }

    void many_lost_events_cause_one_request() {
        Console console;
        console.answer(console.ask());
        for (int i = 0; i < 5; ++i) console.push(client::mailbox_limit + 1);
        QCOMPARE(console.asked, 2);
    }

    void a_late_answer_does_not_end_a_newer_attempt() {
        Subscription subscription;
        const auto first = subscription.begin();
        const auto second = subscription.begin();  // after a reconnect
        QVERIFY(!subscription.failed(first));
        QVERIFY(!subscription.succeeded(first));
        QVERIFY(!subscription.follows());
        QVERIFY(subscription.succeeded(second));
        QVERIFY(!subscription.failed(second));
    }

    void full_mailbox_drops_and_counts_measurements_but_no_events() {
        Console console;
        console.answer(console.ask());
        console.cluster.instances[InstanceId("a/0")] = {};
        console.answer(console.ask());
        control::InstanceLoad load;
        load.instance = InstanceId("a/0");
        constexpr std::uint64_t more = 1000;
        const std::vector<control::InstanceLoad> nearly_all(client::mailbox_limit - 1, load);
        client::add_loads(console.mail, nearly_all);
        client::add_loads(console.mail, std::vector<control::InstanceLoad>(more + 1, load));  // only one of them fits
        for (std::uint64_t i = 0; i < more; ++i) {
            client::add_loads(console.mail, {load});
            console.push();
        }
        console.take();
        QCOMPARE(console.data.loads_taken, std::uint64_t{client::mailbox_limit});
        QCOMPARE(console.data.loads_left_out, 2 * more);
        QCOMPARE(console.data.state.sequence, console.cluster.sequence);
        client::add_loads(console.mail, {load});
        console.take();
        QCOMPARE(console.data.loads_taken, std::uint64_t{client::mailbox_limit} + 1);
        QCOMPARE(console.data.loads_left_out, 2 * more);  // each dropped load is counted once
    }

    void full_mailbox_counts_dropped_machine_reports() {
        Console console;
        console.cluster.nodes[NodeId("m/a")] = {};
        console.answer(console.ask());
        const control::NodeMachine told{NodeId("m/a"), {0.5}};
        client::add_nodes(console.mail, std::vector<control::NodeMachine>(client::mailbox_limit + 3, told));
        client::add_nodes(console.mail, {{NodeId("m/gone"), {}}});
        console.take();
        QCOMPARE(console.data.nodes_taken, std::uint64_t{client::mailbox_limit});
        QCOMPARE(console.data.loads_left_out, std::uint64_t{4});
        QCOMPARE(console.data.nodes.size(), std::size_t{1});
        QCOMPARE(console.data.nodes.at(NodeId("m/a")).size(), client::node_history_limit);
        client::add_nodes(console.mail, {{NodeId("m/gone"), {}}});  // a node that is not in the state
        console.take();
        QCOMPARE(console.data.nodes.size(), std::size_t{1});
    }

    void loads_of_a_forgotten_instance_are_removed() {
        ClusterData data;
        Mail mail;
        std::uint64_t sequence = 0;
        const std::size_t tasks = control::ended_task_limit + 20;
        for (std::size_t i = 0; i < tasks; ++i) {
            const std::string task = "task-" + std::to_string(i), instance = task + "/stage-0/0";
            const control::TaskSubmitted submitted{TaskId(task), task, "", "", "", {}, "operator", 0};
            mail.events = {{++sequence, {}, submitted}, placed(++sequence, task.c_str(), instance.c_str())};
            mail.loads.resize(1);
            mail.loads[0].instance = InstanceId(instance);
            client::take(data, mail, start);
            QVERIFY(data.loads.contains(InstanceId(instance)));
            mail = {};
            const control::TaskEnded ended{TaskId(task), control::Outcome::succeeded, {}};
            mail.events = {{++sequence, TimePoint(std::chrono::seconds(i)), ended}};
            client::take(data, mail, start);
            mail = {};
        }
        QCOMPARE(data.loads.size(), data.state.instances.size());
        QCOMPARE(data.loads.size(), control::ended_task_limit);
    }

    void snapshot_of_another_cluster_removes_all_loads() {
        ClusterData data;
        data.state.instances[InstanceId("a/0")] = {};
        data.loads[InstanceId("a/0")].push_back({});
        Mail mail;
        mail.snapshot.emplace();
        client::take(data, mail, start);
        QVERIFY(data.loads.empty());
    }
};

DIVISI_TEST(SubscriptionTest)

}  // namespace subscription_test

#include "subscription_test.moc"
