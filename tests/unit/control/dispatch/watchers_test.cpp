// SPDX-License-Identifier: Apache-2.0
#include "backend/control/dispatch/watchers.h"

#include "backend/control/protocol/state_messages.h"
#include "backend/control/runs/runs.h"
#include "backend/control/state/limits.h"
#include "tests/support/test_program.h"
#include "tests/unit/control/fixture.h"

namespace watchers_test {

using namespace divisi;
using namespace divisi::control;

namespace {

struct Gallery : test::Fixture {
    Models models{context};
    MeshDevices devices{context};
    Leases leases{context};
    KeptProcesses kept{context};
    Runs runs{context, models, devices, leases, kept};
    Watchers watchers{context, runs.reports()};

    /// Fills the state with more than one page.
    void fill() {
        for (int i = 0; i < 300; ++i)
            context.append(
                TaskSubmitted{TaskId("t-" + std::to_string(i)), "t", std::string(10'000, 't'), "/", "", {}, "me", 0});
        clear();
    }
    Snapshot page(PeerId peer, std::uint32_t number) {
        clear();
        if (number == 0) say(watchers, peer, Subscribe{});
        else say(watchers, peer, FetchSnapshotPage{number});
        const auto pages = sent<Snapshot>();
        return pages.empty() ? Snapshot{} : pages[0].second;
    }
};

Event noted(std::uint64_t sequence, std::size_t bytes = 10) {
    return {sequence, {}, Noted{Severity::info, "node a", "", std::string(bytes, 'n')}};
}

}  // namespace

/// Tests watchers. Each watcher gets the state of one moment in pages, and then all later events, in messages of
/// bounded size.
class WatchersTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void all_pages_show_the_same_moment();
    void pages_are_kept_for_a_few_watchers_only();
    void events_go_to_subscribers_in_several_messages();
    void newest_node_reports_are_sent_periodically();
};

void WatchersTest::all_pages_show_the_same_moment() {
    Gallery gallery;
    gallery.fill();
    const PeerId peer = gallery.connect(1);
    Snapshot whole = gallery.page(peer, 0);
    QVERIFY(whole.more);
    const std::uint64_t moment = whole.state.sequence;
    gallery.context.append(TaskSubmitted{TaskId("late"), "t", "", "/", "", {}, "me", 0});
    for (std::uint32_t next = 1; whole.more; ++next) QVERIFY(add_page(whole, gallery.page(peer, next)).ok());
    QCOMPARE(whole.state.sequence, moment);
    QCOMPARE(whole.state.tasks.size(), std::size_t{300});
    QVERIFY(!whole.state.tasks.contains(TaskId("late")));
    // Once all pages are fetched, they are no longer kept.
    QCOMPARE(gallery.page(peer, 1).page, std::uint32_t{0});
    QVERIFY(gallery.refusal().find("is no longer kept") != std::string::npos);
}

void WatchersTest::pages_are_kept_for_a_few_watchers_only() {
    Gallery gallery;
    gallery.fill();
    for (std::uint64_t i = 1; i <= most_open_snapshots + 1; ++i) {
        gallery.context.append(Noted{Severity::info, "node a", "", "a moment later"});
        QVERIFY(gallery.page(gallery.connect(i), 0).more);
    }
    (void)gallery.page(PeerId(1), 1);
    // the pages of the oldest moment were discarded
    QVERIFY(gallery.refusal().find("is no longer kept") != std::string::npos);
    QCOMPARE(gallery.page(PeerId(2), 1).page, std::uint32_t{1});
    gallery.watchers.forget(PeerId(3));
    (void)gallery.page(PeerId(3), 1);
    QVERIFY(!gallery.refusal().empty());
}

void WatchersTest::events_go_to_subscribers_in_several_messages() {
    Gallery gallery;
    const PeerId watching = gallery.connect(1);
    gallery.connect(2);
    (void)gallery.page(watching, 0);
    gallery.clear();
    gallery.watchers.push({noted(1), noted(2)});
    QCOMPARE(gallery.sent<EventPush>().size(), std::size_t{1});
    QCOMPARE(gallery.sent<EventPush>()[0].first, watching);
    QCOMPARE(gallery.sent<EventPush>()[0].second.events.size(), std::size_t{2});
    gallery.clear();
    std::vector<Event> many;
    for (std::uint64_t i = 1; i <= 40; ++i) many.push_back(noted(i, 100'000));
    gallery.watchers.push(many);
    std::uint64_t last = 0;
    for (const auto& [peer, push] : gallery.sent<EventPush>())
        for (const Event& one : push.events) QCOMPARE(one.sequence, ++last);
    QCOMPARE(last, std::uint64_t{40});
    QVERIFY(gallery.sent<EventPush>().size() >= 4);
    gallery.clear();
    gallery.watchers.push(std::vector<InstanceLoad>{});
    QVERIFY(gallery.context.output().sends.empty());
    gallery.watchers.push(std::vector<InstanceLoad>{{}});
    QCOMPARE(gallery.sent<LoadPush>().size(), std::size_t{1});
    (void)gallery.context.sessions().close(watching);
    gallery.clear();
    gallery.watchers.push({noted(1)});
    QVERIFY(gallery.context.output().sends.empty());
    gallery.connect(1);  // another client, under the number of the one that left
    gallery.watchers.push({noted(2)});
    QVERIFY(gallery.context.output().sends.empty());
}

void WatchersTest::newest_node_reports_are_sent_periodically() {
    Gallery gallery;
    const NodeId first("m/a"), second("m/b");
    const auto report = [&](const NodeId& node, double share) {
        gallery.context.machines()[node].cpu_share = share;
        gallery.watchers.reported(node);
    };
    const auto pushed = [&] {
        gallery.clear();
        gallery.watchers.push_nodes();
        return gallery.sent<LoadPush>();
    };
    report(first, 0.1);
    const PeerId watching = gallery.connect(1);
    gallery.connect(2);
    QCOMPARE(gallery.page(watching, 0).nodes.at(0).machine.cpu_share, 0.1);  // a later watcher gets the latest report
    QCOMPARE(pushed().size(), std::size_t{1});
    for (const double share : {0.2, 0.3, 0.4}) report(first, share);
    report(second, 0.5);
    gallery.pass(node_push_interval - std::chrono::milliseconds(1));
    QVERIFY(pushed().empty());  // too early
    gallery.pass(std::chrono::milliseconds(1));
    auto told = pushed();
    QCOMPARE(told.size(), std::size_t{1});  // sent to the subscriber
    QCOMPARE(told[0].first, watching);
    QVERIFY(told[0].second.loads.empty());
    QCOMPARE(told[0].second.nodes.size(), std::size_t{2});
    QCOMPARE(told[0].second.nodes[0].machine.cpu_share, 0.4);
    QCOMPARE(told[0].second.nodes[1].node, second);
    gallery.pass(node_push_interval);
    QVERIFY(pushed().empty());  // no node has reported since
    report(first, 0.6);
    report(second, 0.7);
    gallery.context.machines().erase(first);  // the node has left
    told = pushed();
    QCOMPARE(told.size(), std::size_t{1});
    QCOMPARE(told[0].second.nodes.size(), std::size_t{1});
    QCOMPARE(told[0].second.nodes[0].node, second);
}

DIVISI_TEST(WatchersTest)

}  // namespace watchers_test

#include "watchers_test.moc"
