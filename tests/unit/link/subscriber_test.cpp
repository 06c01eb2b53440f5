// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "backend/link/subscriber.h"

#include "backend/control/protocol/state_messages.h"
#include "backend/link/control_server.h"
#include "backend/link/memory_transport.h"
#include "tests/support/test_program.h"

namespace subscriber_test {

using namespace divisi;
using namespace divisi::link;
using namespace divisi::control;
using std::chrono::milliseconds, std::chrono::seconds;

namespace {

const std::string endpoint = "mem://orchestrator";

/// An orchestrator whose state can only be watched, and whose pushes may be malformed.
struct Watched {
    Watched(Loop& loop, Transport& transport) : server(loop, [this](const Input& input) { take(input); }) {
        if (!server.listen(transport, endpoint).ok()) qFatal("no endpoint");
        for (int i = 0; i < 5; ++i) happen(std::string(400'000, 'x'));
    }
    void take(const Input& input) {
        const auto* received = get_if<Received>(&input);
        if (!received) return;
        peer = received->peer;
        const auto answer = [&](Message message) { server.send({peer, received->correlation, std::move(message)}); };
        if (holds_alternative<Hello>(received->message)) {
            ++hellos;
            answer(Welcome{"test", "1", Role::operate, state.sequence});
        } else if (holds_alternative<Subscribe>(received->message)) {
            ++subscriptions;
            pages = snapshot_pages(state, {});
            answer(pages.at(0));
        } else if (const auto* next = get_if<FetchSnapshotPage>(&received->message)) {
            answer(pages.at(next->page));
        }
    }
    Event happen(const std::string& text = "t") {
        const TaskId id = next_task_id(state, "t");
        const Event event{state.sequence + 1, {}, TaskSubmitted{id, "t", text, "", "", {}, "", 0}};
        apply(state, event);
        return event;
    }
    void push(std::vector<Event> events) { server.send({peer, 0, EventPush{std::move(events)}}); }

    ClusterState state;
    std::vector<Snapshot> pages;
    PeerId peer{};
    int hellos = 0, subscriptions = 0;
    ControlServer server;
};

struct Watcher {
    Watcher(Loop& loop, Transport& transport)
        : control(loop, transport, {endpoint, ""}, {"test", "1", Role::operate}),
          subscriber(loop, control,
                     {[this](Snapshot snapshot) { state = std::move(snapshot.state); },
                      [this](std::vector<Event> events) {
                          for (const Event& event : events) apply(state, event);
                      },
                      [this](const Error& problem) { problems.push_back(problem); }}) {
        control.start(
            [this](const ControlClient::State& now) {
                if (now.kind == ControlClient::State::Kind::connected) subscriber.begin();
                else subscriber.pause();
            },
            [this](std::uint64_t, const Message& message) {
                if (const auto* push = get_if<EventPush>(&message)) subscriber.pushed(*push);
            },
            [this](const Error& why) { subscriber.broken(why); });
    }
    ClusterState state;
    std::vector<Error> problems;
    ControlClient control;
    Subscriber subscriber;
};

/// Returns an event that the encoder accepts but no decoder reads.
Event unreadable(std::uint64_t sequence) { return {sequence, {}, KeyChanged{"k", "n", Role{}, false}}; }

struct Net {
    SimLoop loop;
    MemoryTransport transport{loop};
    Watched watched{loop, transport};
};

}  // namespace

class SubscriberTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void state_of_several_pages_arrives();
    void unreadable_push_is_reported_and_repaired();
    void gap_is_reported_and_repaired();
    void permanent_failure_is_retried_at_intervals();
    void new_connection_restarts_the_subscription();
    void client_without_a_subscription_reconnects();
};

void SubscriberTest::state_of_several_pages_arrives() {
    Net net;
    Watcher watcher(net.loop, net.transport);
    net.loop.run_for(seconds(1));
    QVERIFY(net.watched.pages.size() > 1);
    QCOMPARE(watcher.state.tasks.size(), std::size_t(5));
    net.watched.push({net.watched.happen()});
    net.loop.run_for(milliseconds(10));
    QCOMPARE(watcher.state.tasks.size(), std::size_t(6));
    QVERIFY(watcher.problems.empty());
}

void SubscriberTest::unreadable_push_is_reported_and_repaired() {
    Net net;
    Watcher watcher(net.loop, net.transport);
    net.loop.run_for(seconds(1));
    (void)net.watched.happen();
    net.watched.push({unreadable(net.watched.state.sequence)});
    net.loop.run_for(milliseconds(10));
    QCOMPARE(watcher.problems.size(), std::size_t(1));
    QCOMPARE(watcher.problems[0].code, ErrorCode::corrupt);
    net.loop.run_for(seconds(2));
    QCOMPARE(watcher.state.sequence, net.watched.state.sequence);
    QCOMPARE(watcher.state.tasks.size(), std::size_t(6));
    QCOMPARE(net.watched.hellos, 1);  // the client did not open a new connection
}

void SubscriberTest::gap_is_reported_and_repaired() {
    Net net;
    Watcher watcher(net.loop, net.transport);
    net.loop.run_for(seconds(1));
    (void)net.watched.happen();
    net.watched.push({net.watched.happen()});
    net.loop.run_for(milliseconds(10));
    QCOMPARE(watcher.problems.size(), std::size_t(1));
    net.loop.run_for(seconds(2));
    QCOMPARE(watcher.state.tasks.size(), std::size_t(7));
}

void SubscriberTest::permanent_failure_is_retried_at_intervals() {
    Net net;
    Watcher watcher(net.loop, net.transport);
    net.loop.run_for(seconds(1));
    const int before = net.watched.subscriptions;
    for (int i = 0; i < 100; ++i) {
        net.watched.push({unreadable(1)});
        net.loop.run_for(milliseconds(100));
    }
    QVERIFY(net.watched.subscriptions - before >= 5);
    QVERIFY(net.watched.subscriptions - before <= 11);
}

void SubscriberTest::new_connection_restarts_the_subscription() {
    Net net;
    Watcher watcher(net.loop, net.transport);
    net.loop.run_for(seconds(1));
    net.transport.cut(endpoint);
    (void)net.watched.happen();
    net.transport.heal(endpoint);
    net.loop.run_for(seconds(5));
    QCOMPARE(watcher.state.tasks.size(), std::size_t(6));
    QVERIFY(net.watched.hellos > 1);
}

void SubscriberTest::client_without_a_subscription_reconnects() {
    Net net;
    ControlClient agent(net.loop, net.transport, {endpoint, ""}, {"test", "1", Role::agent});
    std::vector<std::string> details;
    agent.start([&](const ControlClient::State& state) { details.push_back(state.detail); },
                [](std::uint64_t, const Message&) {});
    net.loop.run_for(seconds(1));
    net.watched.push({unreadable(1)});
    net.loop.run_for(seconds(5));
    QCOMPARE(net.watched.hellos, 2);
    QVERIFY(std::any_of(details.begin(), details.end(),
                        [](const std::string& text) { return text.find("KeyChanged.role") != std::string::npos; }));
}

DIVISI_TEST(SubscriberTest)

}  // namespace subscriber_test

#include "subscriber_test.moc"
