// SPDX-License-Identifier: Apache-2.0

#include "backend/mesh/route/hops.h"
#include "tests/support/test_program.h"
#include "tests/unit/mesh/relay_network.h"

namespace relay_limits_test {

using namespace divisi;
using namespace divisi::mesh;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t chunk = frame::max_chunk_bytes;
const std::string a = "task/stage-0/0", b = "task/stage-1/0", other = "task/stage-2/0";

/// A fixture with router 4 between three gateways. 1 floods the router, and 3 sends to 2 as well.
struct Star : RelayNetwork {
    Star() {
        for (const std::uint16_t id : {1, 2, 3}) gateway(id, "mic-" + std::to_string(id));
        router(4);
        for (const std::uint16_t id : {1, 2, 3}) link(id, 4);
        place(a, 1);
        place(b, 2);
        place(other, 3);
        install();
    }
    /// Returns a PATH of gateway 1 for an unknown flow.
    static std::string path_of(std::uint32_t number) {
        RsvpMessage path;
        path.type = RsvpType::credit_path;
        path.sender = {device_address(RoutingId(1)), static_cast<std::uint16_t>(number)};
        path.session = {device_address(RoutingId(2)), 6, 0, static_cast<std::uint16_t>(number)};
        path.hop = {device_address(RoutingId(1)), 7};
        path.sids = FlowSids{"flood-" + std::to_string(number), "x", "y"};
        set_route(path, RouteUse::primary, {1, {RoutingId(1), RoutingId(4), RoutingId(2)}});
        return encode(path).value();
    }
    std::uint64_t refused_signals() { return at(4).counters().refused_signals; }
    std::size_t said(const std::string& what) const {
        return static_cast<std::size_t>(std::ranges::count_if(
            refused, [&](const Error& error) { return error.what.find(what) != std::string::npos; }));
    }
};

frame::FrameHeader greeting(const std::string& from, const std::string& to) {
    frame::FrameHeader header;
    header.key.kind = frame::FrameKind::hello;
    header.source = {frame::flow_id(Sid(from)), 1};
    header.destination = {frame::flow_id(Sid(to)), 1};
    return header;
}

}  // namespace

/// Tests neighbours and instances that exceed their share. Their traffic is refused, counted and logged, and the others
/// continue.
class RelayLimitsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void buffer_part_is_reserved_for_every_other_neighbour();
    void flood_of_invented_flows_gets_a_quarter_of_the_buffer();
    void many_flows_leave_room_for_other_neighbours();
    void new_flows_are_rate_limited();
    void circular_paths_are_refused_and_counted();
    void neighbour_that_floods_the_lane_does_not_block_others();
    void instance_that_floods_the_lane_does_not_block_others();
};

void RelayLimitsTest::buffer_part_is_reserved_for_every_other_neighbour() {
    using Others = std::vector<std::uint64_t>;
    QCOMPARE(left_beside(120, 0, Others{}), std::uint64_t{120});
    QCOMPARE(left_beside(120, 30, Others{0, 0}), std::uint64_t{70});   // 10 is reserved for each of the two
    QCOMPARE(left_beside(120, 30, Others{4, 99}), std::uint64_t{84});  // 6 is reserved for the first
    QCOMPARE(left_beside(120, 119, Others{0, 50}), std::uint64_t{0});  // never below zero
    QCOMPARE(left_beside(120, 500, Others{10, 10}), std::uint64_t{0});
}

void RelayLimitsTest::flood_of_invented_flows_gets_a_quarter_of_the_buffer() {
    Star net;
    for (std::uint32_t i = 1; i <= 3'000; ++i) net.inject(4, 1, Star::path_of(i));
    net.run_for(10ms);
    const std::uint64_t quarter = RelayConfig().buffer / unnamed_part;
    for (const std::uint16_t id : {2, 4}) {  // the gateway, and the router that forwards the flows to it
        QVERIFY(net.at(id).promised() <= quarter);
        QVERIFY(net.at(id).promised() > quarter / 2);
    }
    QVERIFY(net.refused_signals() > 1'000);
    QVERIFY(net.said("no buffer left") > 1'000);
    net.send(other, b, 0, chunk);
    net.run_for(1s);
    QCOMPARE(net.numbers(b).size(), std::size_t{1});
    // The flows are not refreshed, so all of them lapse.
    net.run_for(40s);
    QVERIFY(net.at(4).flows().size() <= 1);
    QVERIFY(net.at(4).promised() <= 2 * RelayConfig().window);
}

void RelayLimitsTest::many_flows_leave_room_for_other_neighbours() {
    Star net;
    constexpr std::uint32_t flows = 400;
    const auto sid = [](std::uint32_t i) { return "task/many-" + std::to_string(i) + "/0"; };
    for (std::uint32_t i = 1; i <= flows; ++i) net.place(sid(i), 1);
    net.install();
    const auto path_of = [&](std::uint32_t i) {
        const std::string made_up = Star::path_of(i);
        RsvpMessage path = decode(std::as_bytes(std::span(made_up))).value();
        path.sids = FlowSids{"task", sid(i), b};
        return encode(path).value();
    };
    for (std::uint32_t i = 1; i <= flows; ++i) net.inject(4, 1, path_of(i));
    // reserved for the two other neighbours
    const std::uint64_t buffer = RelayConfig().buffer, kept = 2 * (buffer / 12);
    QVERIFY2(net.at(4).promised() <= buffer - kept && net.at(4).promised() > buffer - kept - 2 * chunk,
             qPrintable(QString::number(net.at(4).promised())));
    QVERIFY(net.said("no buffer left") > 0);
    const std::uint64_t before = net.at(4).promised();
    net.send(other, b, 0, chunk);
    net.run_for(10ms);
    QVERIFY(net.at(4).promised() > before);
}

void RelayLimitsTest::new_flows_are_rate_limited() {
    Star net;
    for (std::uint32_t i = 1; i <= 20'000; ++i) net.inject(4, 1, Star::path_of(i));
    QVERIFY(net.at(4).flows().size() <= static_cast<std::size_t>(new_flows_at_once));
    const std::uint64_t before = net.refused_signals();
    QVERIFY(before > 15'000 && net.said("no room for another flow") > 15'000);
    net.run_for(1s);
    for (std::uint32_t i = 20'001; i <= 30'000; ++i) net.inject(4, 1, Star::path_of(i));
    QVERIFY(net.refused_signals() - before >= 10'000 - static_cast<std::uint64_t>(new_flows_per_s));
}

void RelayLimitsTest::circular_paths_are_refused_and_counted() {
    Star net;
    const std::string bytes = Star::path_of(7);
    RsvpMessage path = decode(std::as_bytes(std::span(bytes))).value();
    net.inject(1, 4, encode(path).value());  // the path leads back to the sender
    QCOMPARE(net.at(1).counters().refused_signals, std::uint64_t{1});
    for (const Path& way : {Path{RoutingId(1), RoutingId(4), RoutingId(1), RoutingId(4), RoutingId(2)},
                            Path{RoutingId(1), RoutingId(3), RoutingId(2)}}) {
        path.passed_on.clear();
        set_route(path, RouteUse::primary, {2, way});
        const std::uint64_t before = net.refused_signals();
        net.inject(4, 1, encode(path).value());
        QCOMPARE(net.refused_signals(), before + 1);
        QVERIFY(net.at(4).flows().empty());
    }
    QCOMPARE(net.refused.size(), std::size_t{3});
}

void RelayLimitsTest::neighbour_that_floods_the_lane_does_not_block_others() {
    Star net;
    frame::FrameHeader header = greeting(a, b);
    set_route(header, {0, {RoutingId(1), RoutingId(4), RoutingId(2)}});
    for (int i = 0; i < 150'000; ++i) net.step(RoutingId(4), relay::Lane{RoutingId(1), header, {}});
    QCOMPARE(net.at(4).counters().refused_frames, std::uint64_t{130'000});
    QCOMPARE(net.said("more lane frames than one sender may send"), std::size_t{130'000});
    // RSVP messages of the neighbour count towards the same limit.
    net.inject(4, 1, Star::path_of(1));
    QCOMPARE(net.said("more messages than a neighbour may send"), std::size_t{1});
    net.send_lane(other, b);
    net.run_for(10ms);
    const auto& came = net.delivered_lane[frame::flow_id(Sid(b))];
    QCOMPARE(came.size(), std::size_t{20'001});
    QCOMPARE(came.back().source.sid, frame::flow_id(Sid(other)));
}

void RelayLimitsTest::instance_that_floods_the_lane_does_not_block_others() {
    Star net;
    const std::string neighbour = "task/stage-3/0";
    net.place(neighbour, 1);
    net.install();
    for (int i = 0; i < 50'000; ++i) net.step(RoutingId(1), relay::Lane{RoutingId(), greeting(a, b), {}});
    QCOMPARE(net.at(1).counters().refused_frames, std::uint64_t{42'000});
    // All invented senders share one limit.
    for (int i = 0; i < 50'000; ++i)
        net.step(RoutingId(1), relay::Lane{RoutingId(), greeting("task/no-" + std::to_string(i), b), {}});
    QCOMPARE(net.at(1).counters().refused_frames, std::uint64_t{84'000});
    net.send_lane(neighbour, b);
    net.run_for(10ms);
    QCOMPARE(net.delivered_lane[frame::flow_id(Sid(b))].back().source.sid, frame::flow_id(Sid(neighbour)));
}

DIVISI_TEST(RelayLimitsTest)

}  // namespace relay_limits_test

#include "relay_limits_test.moc"
