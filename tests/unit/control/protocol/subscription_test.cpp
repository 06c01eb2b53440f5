// SPDX-License-Identifier: Apache-2.0
#include "backend/control/protocol/subscription.h"

#include <random>

#include "backend/control/protocol/state_messages.h"
#include "backend/control/state/encoded_size.h"
#include "tests/support/test_program.h"

namespace subscription_test {

using namespace divisi;
using namespace divisi::control;

namespace {

Event submitted(std::uint64_t sequence, std::size_t text = 10) {
    const TaskId id("t-" + std::to_string(sequence));
    return {sequence, TimePoint(Duration(sequence)),
            TaskSubmitted{id, "t", std::string(text, 'x'), "/", "", {}, "me", 0}};
}

/// Returns a state that takes several pages: tasks with long texts, nodes, keys and lines.
ClusterState large_state() {
    ClusterState state;
    std::uint64_t sequence = 0;
    const auto add = [&](Event::Body body) {
        apply(state, {++sequence, TimePoint(Duration(sequence)), std::move(body)});
    };
    add(ClusterStarted{"lab", "1", {{"a", "b", 1e-3, {}}}, {{"p", "", {"m/*"}}}, {Discipline::share, {{"alice", 2}}}});
    add(ReservationMade{{7, "p", {}, "alice"}});
    add(DeviceJoined{{1, "mg-1", mesh::DeviceRole::gateway, MicId("m"), "h", {"sr-1"}}});
    for (int i = 0; i < 200; ++i)
        add(NodeJoined{{NodeId("m/n" + std::to_string(i)), MicId("m"), "h", "f", {}, "", "", 1}});
    for (int i = 0; i < 40; ++i) add(submitted(sequence + 1, 100'000).body);
    add(KeyChanged{"key", "name", Role::viewer, false});
    add(LinkMeasured{NodeId("m/n1"), NodeId("m/n2"), "a", "b", LinkTransport::tcp, {1e-4, 0, 0, 1e9, 0}});
    return state;
}

struct Client {
    Subscription subscription;
    std::vector<Snapshot> pages;
    std::optional<ClusterState> state;
    std::vector<Error> problems;
    std::optional<Message> asked;

    void take(Subscription::Step step) {
        if (step.snapshot) state = std::move(step.snapshot->state);
        for (const Event& event : step.events) apply(*state, event);
        if (step.problem) problems.push_back(*step.problem);
        asked = std::move(step.request);
    }
    /// Sends the orchestrator's answer to the last request.
    void answer(const ClusterState& now) {
        if (holds_alternative<Subscribe>(*asked)) pages = snapshot_pages(now, {});
        const auto* next = get_if<FetchSnapshotPage>(&*asked);
        take(subscription.answered(Message(pages.at(next ? next->page : 0))));
    }
    void fetch(const ClusterState& now) {
        take(subscription.begin());
        while (asked) answer(now);
    }
};

/// Returns the sizes of a state's contents, for comparison.
std::vector<std::size_t> content(const ClusterState& state) {
    std::vector<std::size_t> sizes{state.sequence,     state.nodes.size(),        state.instances.size(),
                                   state.tasks.size(), state.keys.size(),         state.recent.size(),
                                   state.links.size(), state.stated_links.size(), state.numbers.size()};
    for (const auto& [id, task] : state.tasks) sizes.push_back(encoded_size(task).bytes);
    for (const Event& event : state.recent) sizes.push_back(event.sequence);
    return sizes;
}

}  // namespace

class SubscriptionTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void pages_are_bounded_and_rebuild_the_state();
    void small_state_is_one_page();
    void events_during_the_paging_are_not_lost();
    void gap_is_detected_and_repaired();
    void unreadable_pages_are_detected();
    void page_of_another_moment_is_refused();
    void too_many_held_events_restart_the_subscription();
};

void SubscriptionTest::pages_are_bounded_and_rebuild_the_state() {
    const ClusterState state = large_state();
    const auto pages = snapshot_pages(state, {InstanceLoad{InstanceId("i"), 1}}, {NodeMachine{NodeId("n"), {0.5}}});
    QVERIFY(pages.size() > 3);
    for (const Snapshot& page : pages) {
        EncodedSize encoded;
        for (const auto& [id, task] : page.state.tasks) encoded += encoded_size(task);
        for (const auto& [id, node] : page.state.nodes) encoded += encoded_size(node);
        QVERIFY(encoded.within(page_fill));
        QCOMPARE(page.more, &page != &pages.back());
    }
    Client client;
    client.fetch(state);
    QVERIFY(client.problems.empty());
    QCOMPARE(content(*client.state), content(state));
    QCOMPARE(pages.back().loads.size(), std::size_t(1));
    QCOMPARE(pages.back().nodes.size(), std::size_t(1));
    Snapshot whole;
    for (const Snapshot& page : pages) QVERIFY(add_page(whole, page).ok());
    QCOMPARE(whole.nodes.at(0).machine.cpu_share, 0.5);
}

void SubscriptionTest::small_state_is_one_page() {
    QCOMPARE(snapshot_pages(ClusterState{}, {}).size(), std::size_t(1));
    Client client;
    client.fetch(ClusterState{});
    QVERIFY(client.state && !client.asked);
}

void SubscriptionTest::events_during_the_paging_are_not_lost() {
    ClusterState state = large_state();
    Client client;
    client.take(client.subscription.begin());
    while (client.asked) {
        client.answer(state);
        const bool more = client.asked.has_value();
        const Message asked = more ? *client.asked : Message(Done{});
        apply(state, submitted(state.sequence + 1));
        const Event event{state.sequence, state.time, submitted(state.sequence).body};
        client.take(client.subscription.pushed({event}));
        if (more) client.asked = asked;
    }
    QVERIFY(client.problems.empty());
    QCOMPARE(content(*client.state), content(state));
}

void SubscriptionTest::gap_is_detected_and_repaired() {
    ClusterState state = large_state();
    Client client;
    client.fetch(state);
    const std::uint64_t known = state.sequence;
    for (std::uint64_t i = 1; i <= 3; ++i) apply(state, submitted(known + i));
    client.take(client.subscription.pushed({submitted(known)}));  // a repeated event
    QVERIFY(client.problems.empty());
    client.take(client.subscription.pushed({submitted(known + 1), submitted(known + 3)}));
    QCOMPARE(client.problems.size(), std::size_t(1));
    QVERIFY(client.problems[0].what.find(std::to_string(known + 2)) != std::string::npos);
    QCOMPARE(client.state->sequence, known + 1);  // events are never shown out of order
    client.take(client.subscription.pushed({submitted(known + 4)}));
    QCOMPARE(client.problems.size(), std::size_t(1));  // the gap is reported once
    apply(state, submitted(known + 4));
    client.fetch(state);
    QCOMPARE(content(*client.state), content(state));
}

void SubscriptionTest::unreadable_pages_are_detected() {
    Client client;
    client.take(client.subscription.broken({ErrorCode::corrupt, "before anything", "", ""}));
    QVERIFY(client.problems.empty());
    client.fetch(large_state());
    client.take(client.subscription.broken({ErrorCode::corrupt, "no event push", "", ""}));
    QCOMPARE(client.problems.at(0).what, std::string("no event push"));
    client.take(client.subscription.begin());
    QVERIFY(client.asked && holds_alternative<Subscribe>(*client.asked));
}

void SubscriptionTest::page_of_another_moment_is_refused() {
    ClusterState state = large_state();
    Client client;
    client.take(client.subscription.begin());
    client.answer(state);
    apply(state, submitted(state.sequence + 1));
    client.pages = snapshot_pages(state, {});
    client.answer(state);
    QCOMPARE(client.problems.size(), std::size_t(1));
    QVERIFY(!client.state);
    // The orchestrator may also answer that the page is no longer kept.
    client.take(client.subscription.begin());
    client.take(client.subscription.answered(
        Error{ErrorCode::conflict, "page 1 of the snapshot is no longer kept", "", "subscribe again"}));
    QCOMPARE(client.problems.size(), std::size_t(2));
}

void SubscriptionTest::too_many_held_events_restart_the_subscription() {
    Client client;
    client.take(client.subscription.begin());
    std::vector<Event> flood(most_held_events + 1);
    client.take(client.subscription.pushed(std::move(flood)));
    QCOMPARE(client.problems.size(), std::size_t(1));
    QCOMPARE(client.problems[0].code, ErrorCode::exhausted);
}

DIVISI_TEST(SubscriptionTest)

}  // namespace subscription_test

#include "subscription_test.moc"
