// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/deal/dealer.h"

#include <set>

#include "backend/base/hash.h"
#include "backend/frame/crc32c.h"
#include "backend/frame/end.h"
#include "tests/support/test_program.h"

namespace dealer_test {

using namespace divisi;
using namespace divisi::mesh;
using frame::DataPlace;
using frame::Demand;

namespace {

const std::uint64_t prefix = frame::flow_id("t-1/data");

DealServer server(int number, double flops = 0) {
    const std::string sid = "t-1/data/" + std::to_string(number);
    return {frame::flow_id(sid), sid, flops};
}
DealServers servers(const std::vector<int>& numbers) {
    DealServers all;
    for (const int number : numbers) all[prefix].push_back(server(number));
    return all;
}

frame::FrameHeader header(std::uint64_t consumer = 5, frame::Incarnation incarnation = 1, Generation generation = 1) {
    frame::FrameHeader header;
    header.key.task = 1;
    header.key.generation = generation;
    header.key.kind = frame::FrameKind::demand;
    header.source = {consumer, incarnation};
    header.destination = {prefix, 0};
    return header;
}

/// The places that each data instance is told to send, by the SID of the data instance.
using Told = std::map<std::uint64_t, std::vector<DataPlace>>;
Told told(const std::vector<Order>& orders) {
    Told all;
    for (const Order& order : orders) {
        const auto bytes = std::as_bytes(std::span(order.payload));
        if (order.header.payload_crc != frame::crc32c(bytes)) qFatal("wrong checksum");
        all[order.header.destination.sid] = frame::decode_demand(bytes).value().places;
    }
    return all;
}

std::vector<DataPlace> places(std::int64_t first, std::int64_t last) {
    std::vector<DataPlace> all;
    for (std::int64_t step = first; step <= last; ++step) all.push_back({step, 0});
    return all;
}

std::map<std::string, Dealer::ServerView> views(const Dealer& dealer) {
    std::map<std::string, Dealer::ServerView> all;
    for (const auto& one : dealer.servers()) all[one.name] = one;
    return all;
}

}  // namespace

class DealerTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { number_ = 0; }
    void data_instances_take_turns();
    void repeated_demand_keeps_its_data_instance();
    void open_demand_of_a_lost_instance_is_dealt_again();
    void new_data_instance_gets_the_next_demand();
    void unserved_demand_is_reported();
    void older_demand_changes_nothing();
    void restarted_consumer_starts_again();
    void least_loaded_instance_gets_more();
    void measured_capability_is_used_as_a_weight();
    void active_instances_are_preferred();
    void open_demand_of_a_faulted_instance_is_dealt_to_others();
    void consumers_of_a_finished_task_are_forgotten();
    void consumers_are_bounded();

private:
    Dealer dealer() {
        return Dealer([this] { return mix(7, number_++); });
    }
    std::uint64_t number_ = 0;
};

void DealerTest::data_instances_take_turns() {
    Dealer deals = dealer();
    QVERIFY(deals.set_servers(servers({0, 1, 2})).empty());
    const Told first = told(deals.take(header(), {1, 100, places(1, 6)}, {}));
    QCOMPARE(first.size(), std::size_t{3});
    for (const auto& [sid, dealt] : first) QCOMPARE(dealt.size(), std::size_t{2});
    for (const auto& [name, view] : views(deals)) QCOMPARE(view.outstanding, std::uint64_t{2});
    // The consumer has the first three places and requests three others.
    (void)deals.take(header(), {2, 100, places(4, 9)}, {});
    std::uint64_t dealt = 0, outstanding = 0;
    for (const auto& [name, view] : views(deals)) {
        dealt += view.microbatches;
        outstanding += view.outstanding;
    }
    QCOMPARE(dealt, std::uint64_t{9});
    QCOMPARE(outstanding, std::uint64_t{6});
}

void DealerTest::repeated_demand_keeps_its_data_instance() {
    Dealer deals = dealer();
    (void)deals.set_servers(servers({0, 1}));
    const Told first = told(deals.take(header(), {1, 100, places(1, 4)}, {}));
    // Repeats the demand, as after a second without an answer. Each data instance is told to send the same places
    // again.
    QVERIFY(told(deals.take(header(), {2, 100, places(1, 4)}, {})) == first);
    QCOMPARE(views(deals)["t-1/data/0"].microbatches, std::uint64_t{2});
}

void DealerTest::open_demand_of_a_lost_instance_is_dealt_again() {
    Dealer deals = dealer();
    (void)deals.set_servers(servers({0, 1, 2}));
    const Told first = told(deals.take(header(), {1, 100, places(1, 6)}, {}));
    const Told again = told(deals.set_servers(servers({0, 2})));
    std::set<DataPlace> covered;
    for (const auto& [sid, dealt] : again) {
        QVERIFY(sid != server(1).sid);
        covered.insert(dealt.begin(), dealt.end());
    }
    for (const DataPlace& place : first.at(server(1).sid)) QVERIFY(covered.contains(place));
    auto now = views(deals);
    QCOMPARE(now.size(), std::size_t{2});
    QCOMPARE(now["t-1/data/0"].dealt_again + now["t-1/data/2"].dealt_again, std::uint64_t{2});
    QCOMPARE(now["t-1/data/0"].outstanding + now["t-1/data/2"].outstanding, std::uint64_t{6});
}

void DealerTest::new_data_instance_gets_the_next_demand() {
    Dealer deals = dealer();
    (void)deals.set_servers(servers({0}));
    (void)deals.take(header(), {1, 100, places(1, 4)}, {});
    QVERIFY(!told(deals.set_servers(servers({0, 1}))).contains(server(1).sid));
    const Told next = told(deals.take(header(), {2, 100, places(5, 8)}, {}));
    QCOMPARE(next.at(server(1).sid).size(), std::size_t{2});
}

void DealerTest::unserved_demand_is_reported() {
    Dealer deals = dealer();
    QVERIFY(deals.take(header(), {1, 100, places(1, 4)}, {}).empty());
    QCOMPARE(deals.counters().unserved, std::uint64_t{0});  // the route table may not have arrived yet
    QVERIFY(deals.take(header(), {2, 100, places(1, 4)}, {}).empty());
    QCOMPARE(deals.counters().unserved, std::uint64_t{1});
    QCOMPARE(told(deals.set_servers(servers({0}))).at(server(0).sid), places(1, 4));
    QCOMPARE(views(deals)["t-1/data/0"].dealt_again, std::uint64_t{0});
}

void DealerTest::older_demand_changes_nothing() {
    Dealer deals = dealer();
    (void)deals.set_servers(servers({0}));
    (void)deals.take(header(), {5, 100, places(3, 4)}, {});
    QVERIFY(deals.take(header(), {4, 100, places(1, 2)}, {}).empty());
    QVERIFY(deals.take(header(5, 0), {9, 100, places(1, 2)}, {}).empty());
    QCOMPARE(deals.counters().stale, std::uint64_t{2});
    QCOMPARE(views(deals)["t-1/data/0"].microbatches, std::uint64_t{2});
}

void DealerTest::restarted_consumer_starts_again() {
    Dealer deals = dealer();
    (void)deals.set_servers(servers({0}));
    (void)deals.take(header(5, 1), {5, 100, places(1, 2)}, {});
    QCOMPARE(told(deals.take(header(5, 2), {1, 100, places(1, 2)}, {})).at(server(0).sid), places(1, 2));
    QCOMPARE(views(deals)["t-1/data/0"].microbatches, std::uint64_t{4});
    QCOMPARE(views(deals)["t-1/data/0"].outstanding, std::uint64_t{2});
    QCOMPARE(told(deals.take(header(5, 2, 2), {1, 100, places(1, 1)}, {})).size(), std::size_t{1});
}

void DealerTest::least_loaded_instance_gets_more() {
    Dealer deals = dealer();
    deals.set_rule(Balancing::least_outstanding);
    (void)deals.set_servers(servers({0, 1}));
    // The first data instance serves a consumer of large micro-batches. A consumer of small micro-batches gets the
    // other data instance, until both have equally many bytes outstanding.
    (void)deals.take(header(5), {1, 1000, places(1, 1)}, {});
    const Told small = told(deals.take(header(6), {1, 100, places(1, 8)}, {}));
    QCOMPARE(small.size(), std::size_t{1});
    QCOMPARE(small.at(server(1).sid).size(), std::size_t{8});
}

void DealerTest::measured_capability_is_used_as_a_weight() {
    Dealer deals = dealer();
    deals.set_rule(Balancing::weighted);
    (void)deals.set_servers({{prefix, {server(0, 1e9), server(1, 3e9)}}});
    (void)deals.take(header(), {1, 100, places(1, 4000)}, {});
    const double share = static_cast<double>(views(deals)["t-1/data/1"].microbatches) / 4000;
    QVERIFY(share > 0.72 && share < 0.78);
}

void DealerTest::active_instances_are_preferred() {
    const auto dealt_to = [this](const std::vector<Health>& healths) {
        Dealer deals = dealer();
        DealServers all;
        for (std::size_t i = 0; i < healths.size(); ++i) {
            all[prefix].push_back(server(static_cast<int>(i)));
            all[prefix].back().health = healths[i];
        }
        (void)deals.set_servers(all);
        std::set<std::uint64_t> who;
        for (const auto& [sid, dealt] : told(deals.take(header(), {1, 100, places(1, 8)}, {}))) who.insert(sid);
        return who;
    };
    const auto only = [](const std::set<int>& numbers) {
        std::set<std::uint64_t> who;
        for (const int number : numbers) who.insert(server(number).sid);
        return who;
    };
    using enum Health;
    QCOMPARE(dealt_to({faulted, active, draining, pending, active}), only({1, 4}));
    QCOMPARE(dealt_to({faulted, draining, pending}), only({2}));
    QCOMPARE(dealt_to({faulted, draining}), only({1}));
    QCOMPARE(dealt_to({faulted, faulted}), only({0, 1}));
}

void DealerTest::open_demand_of_a_faulted_instance_is_dealt_to_others() {
    Dealer deals = dealer();
    DealServers all = servers({0, 1});
    (void)deals.set_servers(all);
    const Told first = told(deals.take(header(), {1, 100, places(1, 4)}, {}));
    QCOMPARE(first.at(server(1).sid).size(), std::size_t{2});
    all[prefix][1].health = Health::draining;
    QVERIFY(deals.set_servers(all).empty());  // a draining instance still sends the places that were assigned to it
    all[prefix][1].health = Health::faulted;
    const Told again = told(deals.set_servers(all));
    QCOMPARE(again.at(server(0).sid), places(1, 4));
    QVERIFY(again.at(server(1).sid).empty());
    QCOMPARE(views(deals)["t-1/data/0"].dealt_again, std::uint64_t{2});
    QCOMPARE(views(deals)["t-1/data/1"].outstanding, std::uint64_t{0});
    QVERIFY(deals.set_servers(all).empty());  // the demand is assigned again only once
}

void DealerTest::consumers_of_a_finished_task_are_forgotten() {
    Dealer deals = dealer();
    (void)deals.set_servers(servers({0}));
    (void)deals.take(header(), {5, 100, places(1, 2)}, {});
    (void)deals.set_servers({});
    QVERIFY(deals.servers().empty());
    (void)deals.set_servers(servers({0}));
    // The consumer was forgotten. Its demand numbers start again, and are not treated as outdated.
    QCOMPARE(told(deals.take(header(), {1, 100, places(1, 2)}, {})).size(), std::size_t{1});
}

void DealerTest::consumers_are_bounded() {
    Dealer deals = dealer();
    (void)deals.set_servers(servers({0}));
    for (std::uint64_t consumer = 1; consumer <= most_dealt_consumers; ++consumer)
        QVERIFY(!deals.take(header(consumer), {1, 1, places(1, 1)}, {}).empty());
    QVERIFY(deals.take(header(1'000'000), {1, 1, places(1, 1)}, {}).empty());
    QCOMPARE(deals.counters().refused, std::uint64_t{1});
}

DIVISI_TEST(DealerTest)

}  // namespace dealer_test

#include "dealer_test.moc"
