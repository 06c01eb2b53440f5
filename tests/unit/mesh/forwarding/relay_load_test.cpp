// SPDX-License-Identifier: Apache-2.0

#include "tests/unit/mesh/relay_network.h"

#include "tests/support/test_program.h"

namespace relay_load_test {

using namespace divisi;
using namespace divisi::mesh;
using namespace std::chrono_literals;

namespace {

const std::string a = "task/stage-0/0", b = "task/stage-1/0", c = "task/stage-2/0";
constexpr std::size_t chunk = frame::max_chunk_bytes;

/// A fixture with the paths 1 - 3 - 2 and 1 - 4 - 2, which have equal costs. Flows prefer the one through 3.
struct Diamond : RelayNetwork {
    struct Heard {
        RoutingId from, to;
        TimePoint at;
        LoadAdvert said;
    };
    Diamond() {
        gateway(1, "mic-1");
        gateway(2, "mic-2");
        router(3);
        router(4);
        for (const std::uint16_t end : {1, 2})
            for (const std::uint16_t middle : {3, 4}) link(end, middle);
        place(a, 1);
        place(b, 2);
        place(c, 2);
        on_load = [this](RoutingId from, RoutingId to, const LoadAdvert& said) {
            heard.push_back({from, to, now(), said});
        };
        install();
    }
    std::vector<Heard> told(std::uint16_t from, std::uint16_t to, TimePoint since = {}) const {
        std::vector<Heard> found;
        for (const Heard& one : heard)
            if (one.from == RoutingId(from) && one.to == RoutingId(to) && one.at >= since) found.push_back(one);
        return found;
    }
    std::uint64_t bytes(std::uint16_t router) { return at(router).counters().bytes; }
    std::vector<Heard> heard;
};

LinkLoad link_of(const LoadAdvert& said, std::uint32_t to) { return *std::ranges::find(said.links, to, &LinkLoad::to); }

LoadAdvert forged(std::uint32_t sender) {
    LoadAdvert said;
    said.sender = sender;
    said.sequence = std::uint64_t{1} << 60;
    return said;
}

}  // namespace

/// Tests signaling type 4, in which routers report their load to gateways.
class RelayLoadTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void router_advertises_its_load_twice_a_second();
    void advert_has_the_backlog_and_its_destinations();
    void failed_link_is_advertised_at_once_and_avoided();
    void new_flow_takes_the_less_loaded_of_two_equal_paths();
    void unauthorised_adverts_are_refused_and_counted();
};

void RelayLoadTest::router_advertises_its_load_twice_a_second() {
    Diamond net;
    net.run_for(10s);
    for (const std::uint16_t router : {3, 4})
        for (const std::uint16_t gateway : {1, 2}) {
            const auto told = net.told(router, gateway, net.now() - 5s);
            QVERIFY(told.size() == 10 || told.size() == 11);
            for (std::size_t i = 1; i < told.size(); ++i)
                QCOMPARE(told[i].said.sequence, told[i - 1].said.sequence + 1);
            QCOMPARE(told[0].said.links.size(), std::size_t{2});
            QVERIFY(link_of(told[0].said, gateway).usable);
        }
    for (const auto& one : net.heard) QVERIFY(one.from == RoutingId(3) || one.from == RoutingId(4));
    const auto views = net.at(1).neighbours();
    QCOMPARE(views.size(), std::size_t{2});
    for (const Relay::NeighbourView& view : views) QVERIFY(view.load && net.now() - view.load->at <= 500ms);
    QVERIFY(net.refused.empty());
}

void RelayLoadTest::advert_has_the_backlog_and_its_destinations() {
    Diamond net;
    net.send(a, b, 0, chunk);
    net.run_for(1s);
    const TimePoint stalled = net.now();
    net.silence(3, 2);  // too short to be noticed as silence
    for (int i = 1; i <= 20; ++i) net.send(a, b, i, chunk);
    net.run_for(200ms);
    const auto told = net.told(3, 1, stalled);
    const auto longest =
        std::ranges::max_element(told, {}, [](const Diamond::Heard& one) { return link_of(one.said, 2).queued; });
    QVERIFY(longest != told.end());
    const LoadAdvert& said = longest->said;
    QVERIFY2(link_of(said, 2).queued >= 2 * chunk, qPrintable(QString::number(link_of(said, 2).queued)));
    QCOMPARE(link_of(said, 1).queued, std::uint64_t{0});
    QCOMPARE(said.prefixes.size(), std::size_t{1});
    QCOMPARE(said.prefixes[0].prefix, std::string("task/stage-1"));
    QCOMPARE(said.prefixes[0].queued, link_of(said, 2).queued);
    net.silence(3, 2, false);
    net.run_for(2s);
    QCOMPARE(net.numbers(b).size(), std::size_t{21});
    const LoadAdvert after = net.told(3, 1).back().said;
    QCOMPARE(link_of(after, 2).queued, std::uint64_t{0});
    QCOMPARE(link_of(after, 2).loss, 0.0);
    const auto passed = net.told(3, 1, stalled);
    QVERIFY(std::ranges::any_of(passed, [](const auto& one) { return link_of(one.said, 2).bytes_per_s > 0; }));
}

void RelayLoadTest::failed_link_is_advertised_at_once_and_avoided() {
    Diamond net;
    net.send(a, b, 0, chunk);
    net.run_for(1s);
    QCOMPARE(net.bytes(3), std::uint64_t{chunk});
    net.disconnect(3, 2);
    const TimePoint broken = net.now();
    net.run_for(200ms);
    const auto told = net.told(3, 1, broken);
    QVERIFY(!told.empty() && told[0].at - broken <= 200ms);
    QVERIFY(!link_of(told[0].said, 2).usable);
    // The link is avoided for the whole outage, not only while a refusal is remembered.
    for (int i = 1; i <= 10; ++i) {
        net.send(a, b, i, chunk);
        net.run_for(1s);
    }
    QCOMPARE(net.bytes(3), std::uint64_t{chunk});
    QCOMPARE(net.numbers(b).size(), std::size_t{11});
    net.connect(RoutingId(3), RoutingId(2));
    net.run_for(6s);
    net.send(a, b, 11, chunk);
    net.run_for(1s);
    QCOMPARE(net.bytes(3), std::uint64_t{2 * chunk});
}

void RelayLoadTest::new_flow_takes_the_less_loaded_of_two_equal_paths() {
    Diamond net;
    net.send(a, b, 0, chunk);
    net.run_for(1s);
    LoadAdvert said = forged(3);
    said.links = {{1, true, 0, 0, 0, 0, 0}, {2, true, 64 * chunk, 0, 0, 0, 0}};
    net.step(RoutingId(1), relay::Load{RoutingId(3), said});
    net.send(a, c, 0, chunk);
    net.send(a, b, 1, chunk);
    net.run_for(1s);
    QCOMPARE(net.bytes(4), std::uint64_t{chunk});
    QCOMPARE(net.bytes(3), std::uint64_t{2 * chunk});  // an existing flow stays on its path
    said.sequence += 1;
    said.links[1].queued = 0;
    net.step(RoutingId(1), relay::Load{RoutingId(3), said});
    net.send(a, c, 1, chunk);
    net.run_for(1s);
    QCOMPARE(net.bytes(4), std::uint64_t{2 * chunk});  // an existing flow stays on its path
    QCOMPARE(net.numbers(c).size(), std::size_t{2});
    QCOMPARE(net.numbers(b).size(), std::size_t{2});
}

void RelayLoadTest::unauthorised_adverts_are_refused_and_counted() {
    Diamond net;
    net.run_for(1s);
    const auto say = [&](std::uint16_t to, std::uint16_t from, std::uint32_t sender) {
        const std::uint64_t before = net.at(to).counters().refused_signals;
        net.refused.clear();
        net.step(RoutingId(to), relay::Load{RoutingId(from), forged(sender)});
        return net.at(to).counters().refused_signals - before == 1 && net.refused.size() == 1;
    };
    QVERIFY(say(1, 3, 4));    // the report is in the name of another router
    QVERIFY(say(1, 2, 2));    // the report is from a gateway that is not a neighbour
    QVERIFY(say(3, 1, 1));    // the report is sent to a router
    QVERIFY(say(1, 77, 77));  // the report is from an unknown device
    QVERIFY(!say(1, 3, 3));
    net.send(a, b, 0, chunk);
    net.run_for(1s);
    QCOMPARE(net.numbers(b).size(), std::size_t{1});
}

DIVISI_TEST(RelayLoadTest)

}  // namespace relay_load_test

#include "relay_load_test.moc"
