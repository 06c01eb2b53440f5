// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/support/test_program.h"

#include "tests/unit/mesh/relay_network.h"

namespace relay_comeback_test {

using namespace divisi;
using namespace divisi::mesh;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t chunk = frame::max_chunk_bytes;
const std::string a = "task/stage-0/0", b = "task/stage-1/0";
constexpr std::uint16_t gateway_there = 2;

/// A fixture with the mesh of the embedded cluster: 1 - 3 - 2, the shorter path, and 1 - 4 - 5 - 2. Gateway 1 learns
/// the state of the link 3 - 2 by signaling type 4, but that of the link 5 - 2 only by refusals.
struct Embedded : RelayNetwork {
    explicit Embedded(bool type_4 = false) {
        gateway(1, "mic-1");
        gateway(gateway_there, "mic-2");
        for (const std::uint16_t id : {3, 4, 5}) router(id);
        link(1, 3);
        link(3, gateway_there);
        link(1, 4);
        link(4, 5);
        link(5, gateway_there);
        place(a, 1);
        place(b, gateway_there);
        if (type_4) on_load = [](RoutingId, RoutingId, const LoadAdvert&) {};
        lose_signal = [this](RoutingId from, RoutingId to, const RsvpMessage& message) {
            const bool asks = from == RoutingId(1) && message.type == RsvpType::credit_path;
            if (asks) asked[to.value()].push_back(now());
            return false;
        };
        install();
    }
    /// Sets up a flow and leaves it idle for a while.
    void begin() {
        send(a, b, 0, chunk);
        run_for(1s);
    }
    std::size_t arrived() {
        const std::vector<std::int64_t> all = numbers(b);
        return std::set(all.begin(), all.end()).size();
    }
    /// times at which gateway 1 sent PATH messages, by the neighbour that received them
    std::map<std::uint16_t, std::vector<TimePoint>> asked;
};

std::string refusal_by(std::uint16_t device) {
    RsvpMessage message;
    message.type = RsvpType::path_error;
    message.session = {device_address(RoutingId(gateway_there)), 6, 0, 1};
    message.sender = {device_address(RoutingId(1)), 1};
    message.error = ErrorSpec{device_address(RoutingId(device)), 0, 24, 5};  // the device has no route onwards
    return encode(message).value();
}

}  // namespace

/// Tests how peers use a gateway again after it has died and restarted.
class RelayComebackTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void restarted_gateway_forwards_again_within_a_second_data();
    void restarted_gateway_forwards_again_within_a_second();
    void refusals_of_many_flows_count_once();
    void dead_gateway_is_tried_at_growing_intervals();
    void dead_gateway_is_not_tried_more_often_for_many_flows();
    void gateway_is_used_again_soon_after_a_long_absence();
    void delivery_shortens_the_next_pause();
    void path_on_trial_counts_as_lost_until_a_delivery();
    void idle_flow_regains_its_path_without_sending();
    void backup_path_is_used_although_its_router_refused_before();
};

void RelayComebackTest::restarted_gateway_forwards_again_within_a_second_data() {
    QTest::addColumn<bool>("type_4");
    QTest::addColumn<int>("away_ms");
    QTest::newRow("100 ms") << false << 100;
    QTest::newRow("100 ms, with type 4") << true << 100;
    QTest::newRow("at once") << false << 0;
    QTest::newRow("300 ms, with type 4") << true << 300;
}

void RelayComebackTest::restarted_gateway_forwards_again_within_a_second() {
    QFETCH(bool, type_4);
    QFETCH(int, away_ms);
    Embedded net(type_4);
    net.begin();
    QCOMPARE(net.arrived(), std::size_t{1});
    net.end(gateway_there);
    for (int i = 1; i <= 20; ++i) net.send(a, b, i, chunk);
    net.run_for(std::chrono::milliseconds(away_ms));
    net.start_again(gateway_there);
    QCOMPARE(net.arrived(), std::size_t{1});
    net.run_for(1s - std::chrono::milliseconds(away_ms));
    QCOMPARE(net.arrived(), std::size_t{21});
    for (const std::uint16_t id : {1, 2, 3, 4, 5}) QCOMPARE(net.at(id).held(), std::uint64_t{0});
}

/// If each refusal counted, the first refusals would already cause the longest avoidance of the link.
void RelayComebackTest::refusals_of_many_flows_count_once() {
    Embedded net;
    constexpr int flows = 12;
    const auto destination = [](int i) { return "task/stage-1/" + std::to_string(i); };
    for (int i = 0; i < flows; ++i) net.place(destination(i), gateway_there);
    net.install();
    for (int i = 0; i < flows; ++i) net.send(a, destination(i), 0, 1'000);
    net.run_for(1s);
    net.end(gateway_there);
    for (int i = 0; i < flows; ++i) net.send(a, destination(i), 1, 1'000);
    net.run_for(100ms);
    net.start_again(gateway_there);
    net.run_for(900ms);
    for (int i = 0; i < flows; ++i) QVERIFY(std::ranges::count(net.numbers(destination(i)), 1) >= 1);
}

void RelayComebackTest::dead_gateway_is_tried_at_growing_intervals() {
    Embedded net;
    net.begin();
    net.end(gateway_there);
    net.asked.clear();
    const TimePoint died = net.now();
    net.send(a, b, 1, chunk);
    net.run_for(60s);
    // Attempts through 3 follow after 0.25 s, 0.5 s and so on up to 5 s. Each is made at the next tick.
    const std::vector<TimePoint>& tries = net.asked[3];
    QVERIFY2(tries.size() >= 12 && tries.size() <= 16, qPrintable(QString::number(tries.size())));
    TimePoint before = died;
    Duration least = first_avoidance;
    for (const TimePoint one : tries) {
        QVERIFY(one - before >= least && one - before <= least + 2 * net.config.heartbeat);
        before = one;
        least = std::min<Duration>(2 * least, longest_avoidance);
    }
    // The same applies to attempts through 4. In addition, the path through 4 is tried first as the backup, and once
    // when the gateway dies.
    QVERIFY2(net.asked[4].size() <= 2 * tries.size() + 2, qPrintable(QString::number(net.asked[4].size())));
    QCOMPARE(net.arrived(), std::size_t{1});
}

void RelayComebackTest::dead_gateway_is_not_tried_more_often_for_many_flows() {
    Embedded net;
    constexpr std::size_t flows = 12;
    const auto destination = [](std::size_t i) { return "task/stage-1/" + std::to_string(i); };
    for (std::size_t i = 0; i < flows; ++i) net.place(destination(i), gateway_there);
    net.install();
    for (std::size_t i = 0; i < flows; ++i) net.send(a, destination(i), 0, 1'000);
    net.run_for(1s);
    net.end(gateway_there);
    net.asked.clear();
    for (std::size_t i = 0; i < flows; ++i) net.send(a, destination(i), 1, 1'000);
    net.run_for(60s);
    QVERIFY2(net.asked[3].size() <= 16 * flows, qPrintable(QString::number(net.asked[3].size())));
    const std::vector<TimePoint>& all = net.asked[3];
    QVERIFY(std::set(all.begin(), all.end()).size() <= 16);
}

void RelayComebackTest::gateway_is_used_again_soon_after_a_long_absence() {
    Embedded net;
    net.begin();
    net.end(gateway_there);
    net.send(a, b, 1, chunk);
    net.run_for(5min);
    net.start_again(gateway_there);
    net.run_for(longest_avoidance + 500ms);
    QCOMPARE(net.arrived(), std::size_t{2});
}

void RelayComebackTest::delivery_shortens_the_next_pause() {
    Embedded net;
    net.begin();
    net.end(gateway_there);
    net.send(a, b, 1, chunk);
    net.run_for(3s);  // long enough for a pause of 2 s
    net.start_again(gateway_there);
    net.run_for(1500ms);
    QCOMPARE(net.arrived(), std::size_t{2});
    net.end(gateway_there);
    net.send(a, b, 2, chunk);
    net.run_for(100ms);
    net.start_again(gateway_there);
    net.run_for(900ms);
    QCOMPARE(net.arrived(), std::size_t{3});
}

/// If each attempt restarted the timeout, an instance would never be told that there is no route.
void RelayComebackTest::path_on_trial_counts_as_lost_until_a_delivery() {
    Embedded net;
    net.begin();
    QVERIFY(net.at(1).reaches(RoutingId(gateway_there)));
    net.end(gateway_there);
    net.send(a, b, 1, chunk);
    for (int i = 0; i < 100; ++i) {
        net.run_for(100ms);  // just after a tick, and before the answer to its request
        QVERIFY(!net.at(1).reaches(RoutingId(gateway_there)));
    }
    net.start_again(gateway_there);
    net.run_for(longest_avoidance + 500ms);
    QCOMPARE(net.arrived(), std::size_t{2});
    QVERIFY(net.at(1).reaches(RoutingId(gateway_there)));
}

void RelayComebackTest::idle_flow_regains_its_path_without_sending() {
    Embedded net;
    net.begin();
    net.end(gateway_there);
    net.run_for(100ms);
    QVERIFY(!net.at(1).reaches(RoutingId(gateway_there)));
    net.start_again(gateway_there);
    net.run_for(first_avoidance + longest_trial + 2 * net.config.heartbeat);
    QVERIFY(net.at(1).reaches(RoutingId(gateway_there)));
}

void RelayComebackTest::backup_path_is_used_although_its_router_refused_before() {
    Embedded net;
    net.begin();
    net.inject(1, 4, refusal_by(5));  // 5 is on the backup path
    net.disconnect(3, gateway_there);
    net.send(a, b, 1, chunk);
    net.run_for(1s);  // by now, 5 has a route
    QCOMPARE(net.arrived(), std::size_t{2});
}

DIVISI_TEST(RelayComebackTest)

}  // namespace relay_comeback_test

#include "relay_comeback_test.moc"
