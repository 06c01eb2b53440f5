// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/forwarding/relay.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "backend/mesh/route/hops.h"
#include "tests/support/test_program.h"
#include "tests/unit/mesh/relay_network.h"

namespace relay_test {

using namespace divisi;
using namespace divisi::mesh;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t chunk = frame::max_chunk_bytes;
const std::string a = "task/stage-0/0", b = "task/stage-1/0", c = "task/stage-2/0";

/// A fixture with two MICs with a gateway each, and two disjoint paths between them: 1 - 3 - 4 - 2, the shorter one,
/// and 1 - 5 - 2.
struct Diamond : RelayNetwork {
    explicit Diamond(RelayConfig like = {}) {
        config = like;
        gateway(1, "mic-1");
        gateway(2, "mic-2");
        for (const std::uint16_t id : {3, 4, 5}) router(id);
        link(1, 3);
        link(3, 4);
        link(4, 2);
        link(1, 5, 1ms);
        link(5, 2, 1ms);
        place(a, 1);
        place(b, 2);
        place(c, 2);
        install();
    }
    void send_many(int count, std::size_t bytes = chunk, int first = 0) {
        for (int i = 0; i < count; ++i) send(a, b, first + i, bytes);
    }
};

std::vector<std::int64_t> ascending(std::int64_t count) {
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
}

std::vector<std::int64_t> sorted_once(std::vector<std::int64_t> numbers) {
    std::ranges::sort(numbers);
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
}

}  // namespace

/// Tests gateways and routers in simulated time: credit, fair turns, paths, and the death of a device.
class RelayTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void chunks_arrive_in_order_over_the_better_path();
    void neighbouring_gateways_need_no_router();
    void restarted_gateway_numbers_its_flows_anew();
    void lane_frames_need_no_credit();
    void lane_frames_arrive_despite_a_remote_cut_link();
    void router_removed_from_the_table_loses_nothing();
    void foreign_frames_open_no_flow();
    void sender_never_exceeds_the_promised_credit();
    void routers_hold_at_most_their_promise_if_a_receiver_stops();
    void dead_router_loses_nothing_and_the_backup_takes_over();
    void slow_link_is_not_a_failed_one();
    void ended_link_loses_nothing();
    void idle_flow_keeps_one_chunk_promised_on_its_backup_path();
    void lost_signals_are_repeated();
    void flows_share_a_link_evenly();
    void full_device_refuses_the_flow_and_the_other_path_serves();
    void all_devices_close_the_flows_of_an_ended_task();
    void unserved_flow_is_reported();
    void invalid_frames_and_signals_are_counted();
    void duplicate_and_reordered_signals_do_no_harm();
    void replayed_resv_grants_its_credit_once();
    void resv_with_only_the_credit_object_of_the_draft_is_refused();
    void flood_of_path_messages_takes_bounded_memory_and_ends();
    void path_that_returns_to_its_gateway_is_not_forwarded();
    void reconnected_neighbour_is_used_again();
};

void RelayTest::chunks_arrive_in_order_over_the_better_path() {
    Diamond net;
    net.send_many(100);
    net.run_for(2s);
    QCOMPARE(net.numbers(b), ascending(100));
    QCOMPARE(net.carried[link_key(RoutingId(3), RoutingId(4))], std::uint64_t{100 * chunk});
    QCOMPARE(net.carried[link_key(RoutingId(1), RoutingId(5))], std::uint64_t{0});
    for (const std::uint16_t id : {1, 2, 3, 4, 5}) QCOMPARE(net.at(id).held(), std::uint64_t{0});
    const Path hops = route_of(net.delivered[frame::flow_id(Sid(b))].front()).path;
    QCOMPARE(hops.size(), std::size_t{4});
    QVERIFY(net.refused.empty());
}

void RelayTest::neighbouring_gateways_need_no_router() {
    RelayNetwork net;
    net.gateway(1, "mic-1");
    net.gateway(2, "mic-2");
    net.link(1, 2);
    net.place(a, 1);
    net.place(b, 2);
    net.install();
    for (int i = 0; i < 100; ++i) net.send(a, b, i, chunk);
    net.run_for(2s);
    QCOMPARE(net.numbers(b), ascending(100));
    const frame::FrameHeader& last = net.delivered[frame::flow_id(Sid(b))].back();
    QCOMPARE(route_of(last).path, (Path{RoutingId(1), RoutingId(2)}));
    QCOMPARE(last.dims, std::vector<std::int64_t>{chunk});
    for (const std::uint16_t id : {1, 2}) QCOMPARE(net.at(id).held(), std::uint64_t{0});
    QVERIFY(net.refused.empty());
}

void RelayTest::restarted_gateway_numbers_its_flows_anew() {
    Diamond net;
    for (const std::string& to : {b, c}) {
        net.send(a, to, 0, chunk);
        net.run_for(100ms);
    }
    net.begin_anew(1);
    for (int i = 1; i <= 20; ++i)
        for (const std::string& to : {c, b}) {  // the other flow sends first and gets the first flow's number
            net.send(a, to, i, chunk);
            net.run_for(20ms);
        }
    net.run_for(2s);
    for (const std::string& to : {b, c}) QCOMPARE(net.numbers(to).size(), std::size_t{21});
}

void RelayTest::lane_frames_need_no_credit() {
    Diamond net;
    net.stop(b);
    net.send_many(50);
    net.run_for(1s);
    net.send_lane(a, b);
    net.run_for(10ms);
    QCOMPARE(net.delivered_lane[frame::flow_id(Sid(b))].size(), std::size_t{2});  // over both paths
}

void RelayTest::lane_frames_arrive_despite_a_remote_cut_link() {
    Diamond net;
    net.disconnect(4, 2);  // the gateway is not notified
    net.send_lane(a, b);
    net.run_for(10ms);
    QCOMPARE(net.delivered_lane[frame::flow_id(Sid(b))].size(), std::size_t{1});
    QCOMPARE(net.at(4).counters().lost_lane_frames, std::uint64_t{1});
}

void RelayTest::router_removed_from_the_table_loses_nothing() {
    Diamond net;
    net.send_many(300);
    net.run_for(20ms);
    QVERIFY(net.at(1).held() > 0);
    net.unlink(1, 3);
    net.unlink(3, 4);
    net.install();
    net.run_for(5s);
    QCOMPARE(sorted_once(net.numbers(b)), ascending(300));
    for (const std::uint16_t id : {1, 2, 3, 4, 5}) QCOMPARE(net.at(id).held(), std::uint64_t{0});
}

void RelayTest::foreign_frames_open_no_flow() {
    Diamond net;
    frame::Chunk chunk_of;
    chunk_of.header.key.task = frame::flow_id(TaskId("another"));
    chunk_of.header.source = {frame::flow_id(Sid(a)), 1};
    chunk_of.header.destination = {frame::flow_id(Sid(b)), 1};
    net.step(RoutingId(1), relay::Data{RoutingId(), chunk_of});
    chunk_of.header.key.task = frame::flow_id(TaskId("task"));
    net.step(RoutingId(2), relay::Data{RoutingId(), chunk_of});  // the sender is in the other MIC
    for (const std::uint16_t id : {1, 2}) {
        QCOMPARE(net.at(id).counters().refused_frames, std::uint64_t{1});
        QVERIFY(net.at(id).flows().empty());
    }
    net.send_many(1);
    net.run_for(1s);
    QCOMPARE(net.at(2).flows().size(), std::size_t{1});
    net.step(RoutingId(2), relay::Data{RoutingId(), chunk_of});  // refused even though the flow is known by now
    QCOMPARE(net.at(2).counters().refused_frames, std::uint64_t{2});
    QCOMPARE(net.numbers(b), ascending(1));
}

void RelayTest::sender_never_exceeds_the_promised_credit() {
    RelayConfig config;
    config.window = 3 * chunk;
    Diamond net(config);
    net.stop(b);
    std::uint64_t most = 0;
    net.after_step = [&](RoutingId id) {
        if (id == RoutingId(4)) most = std::max(most, net.at(4).held());
    };
    net.send_many(40);
    net.run_for(2s);
    QCOMPARE(most, std::uint64_t{3 * chunk});
    QCOMPARE(net.numbers(b).size(), std::size_t{0});
    net.let_go(b);
    net.run_for(2s);
    QCOMPARE(net.numbers(b), ascending(40));
}

void RelayTest::routers_hold_at_most_their_promise_if_a_receiver_stops() {
    Diamond net;
    net.stop(b);
    net.send_many(200);
    net.after_step = [&](RoutingId id) {
        if (id.value() > 1) QVERIFY(net.at(id.value()).held() <= net.at(id.value()).promised());
    };
    net.run_for(30s);
    net.let_go(b);
    net.run_for(5s);
    QCOMPARE(net.numbers(b), ascending(200));
}

void RelayTest::dead_router_loses_nothing_and_the_backup_takes_over() {
    Diamond net;
    net.send_many(400);
    net.run_for(20ms);
    const std::size_t before = net.numbers(b).size();
    QVERIFY(before > 5 && before < 100);
    net.kill(3);
    net.run_for(350ms);  // three heartbeats of silence, and the delay of the longer path
    QVERIFY2(net.numbers(b).size() > before, "the backup path has not taken over within three heartbeats");
    net.run_for(5s);
    // Everything that the gateway held and the dead router had not forwarded has arrived. The receiver drops
    // duplicates.
    QCOMPARE(sorted_once(net.numbers(b)), ascending(400));
    QVERIFY(net.at(1).counters().failures == 1 && net.at(1).counters().rerouted > 0);
}

void RelayTest::slow_link_is_not_a_failed_one() {
    RelayNetwork net;
    net.gateway(1, "mic-1");
    net.router(3);
    net.gateway(2, "mic-2");
    // A chunk takes twice as long as the silence after which a neighbour counts as failed.
    const std::chrono::duration<double> silence = net.config.beats * net.config.heartbeat;
    net.link(1, 3, 5ms, static_cast<double>(chunk) / (2 * silence.count()));
    net.link(3, 2);
    net.place(a, 1);
    net.place(b, 2);
    net.install();
    for (int i = 0; i < 10; ++i) net.send(a, b, i, chunk);
    net.run_for(5s);
    QVERIFY(net.numbers(b).size() < 10);
    net.run_for(5s);
    QCOMPARE(net.numbers(b), ascending(10));
    for (const std::uint16_t id : {1, 3, 2}) QCOMPARE(net.at(id).counters().failures, std::uint64_t{0});
}

void RelayTest::ended_link_loses_nothing() {
    Diamond net;
    net.send_many(300);
    net.run_for(20ms);
    // the cut is between two routers: the first router could only send back, so the gateway must reroute
    net.disconnect(3, 4);
    net.run_for(5s);
    QCOMPARE(sorted_once(net.numbers(b)), ascending(300));
}

void RelayTest::idle_flow_keeps_one_chunk_promised_on_its_backup_path() {
    Diamond net;
    net.send_many(1);
    net.run_for(100ms);
    QVERIFY(net.at(5).promised() == chunk);  // the backup path's chunk
    QVERIFY(net.at(4).promised() > chunk);
    net.run_for(10s);
    QCOMPARE(net.at(5).promised(), std::uint64_t{chunk});
    QCOMPARE(net.at(2).promised(), RelayConfig().window + chunk);  // from both paths
}

void RelayTest::lost_signals_are_repeated() {
    Diamond net;
    int signal = 0;
    net.lose_signal = [&](RoutingId, RoutingId, const RsvpMessage&) { return ++signal % 3 == 0; };
    net.send_many(200);
    net.run_for(30s);
    QCOMPARE(net.numbers(b), ascending(200));
}

void RelayTest::flows_share_a_link_evenly() {
    Diamond net;
    for (int i = 0; i < 400; ++i) {
        net.send(a, b, i, chunk);
        for (int k = 0; k < 4; ++k) net.send(a, c, 4 * i + k, chunk / 4);
    }
    net.run_for(200ms);
    const double large = static_cast<double>(net.numbers(b).size()) * chunk;
    const double small = static_cast<double>(net.numbers(c).size()) * chunk / 4;
    QVERIFY(large > 20.0 * chunk);
    QVERIFY2(large / small > 0.8 && large / small < 1.25, qPrintable(QString::number(large / small)));
}

void RelayTest::full_device_refuses_the_flow_and_the_other_path_serves() {
    RelayNetwork net;
    net.gateway(1, "mic-1");
    net.gateway(2, "mic-2");
    net.config.buffer = chunk / 2;  // less than one chunk
    net.router(3);
    net.config.buffer = RelayConfig().buffer;
    net.router(4);
    net.link(1, 3);
    net.link(3, 2);
    net.link(1, 4, 2ms);
    net.link(4, 2, 2ms);
    net.place(a, 1);
    net.place(b, 2);
    net.install();
    net.send(a, b, 0, chunk);
    net.run_for(1s);
    QCOMPARE(net.numbers(b), ascending(1));
    QCOMPARE(net.carried[link_key(RoutingId(1), RoutingId(3))], std::uint64_t{0});
    QVERIFY(net.at(3).counters().refused_signals > 0);
}

void RelayTest::all_devices_close_the_flows_of_an_ended_task() {
    Diamond net;
    net.send_many(3);
    net.run_for(1s);
    net.remove(a);
    net.remove(b);
    net.install();
    net.run_for(1s);
    for (const std::uint16_t id : {1, 2, 3, 4, 5}) {
        QCOMPARE(net.at(id).flows().size(), std::size_t{0});
        QCOMPARE(net.at(id).promised(), std::uint64_t{0});
    }
}

void RelayTest::unserved_flow_is_reported() {
    Diamond net;
    frame::Chunk stray;
    stray.header.source = {frame::flow_id(Sid(a)), 1};
    stray.header.destination = {frame::flow_id(Sid("task/stage-9/0")), 1};
    net.step(RoutingId(1), relay::Data{RoutingId(), stray});
    QCOMPARE(net.at(1).counters().unserved, std::uint64_t{1});
    QCOMPARE(net.refused.size(), std::size_t{1});
    QVERIFY(net.refused[0].what.find("no instance serves") != std::string::npos);
}

void RelayTest::invalid_frames_and_signals_are_counted() {
    Diamond net;
    net.send_many(2);
    net.run_for(100ms);
    // This chunk exceeds the promised credit.
    frame::Chunk extra;
    auto bytes = std::make_shared<std::vector<std::byte>>(chunk);
    extra.header.key.task = frame::flow_id(TaskId("task"));
    extra.header.source = {frame::flow_id(Sid(a)), 1};
    extra.header.destination = {frame::flow_id(Sid(b)), 1};
    extra.payload = *bytes;
    extra.owner = bytes;
    net.step(RoutingId(4), relay::Data{RoutingId(2), extra});
    QCOMPARE(net.at(4).counters().stale_frames, std::uint64_t{1});
    set_reservation(extra.header, std::uint64_t{1} << 62);
    net.stop(b);
    for (int i = 0; i < 20; ++i) net.step(RoutingId(4), relay::Data{RoutingId(3), extra});
    QVERIFY(net.at(4).counters().refused_frames >= 10);  // the window is eight chunks
    net.let_go(b);
    net.run_for(100ms);
    // A RESV with invented credit.
    RsvpMessage resv;
    resv.type = RsvpType::credit_resv;
    resv.session = {device_address(RoutingId(2)), 6, 0, 1};
    resv.sender = {device_address(RoutingId(1)), 1};
    resv.hop = {device_address(RoutingId(3)), 1};
    for (const std::uint64_t allowed : {~std::uint64_t{0}, std::uint64_t{1} << 40}) {
        resv.credit = Credit{1, 1, allowed};
        resv.passed_on.clear();
        set_window(resv, allowed == ~std::uint64_t{0} ? allowed : RelayConfig().window);
        const std::uint64_t refused = net.at(1).counters().refused_signals;
        net.inject(1, 3, encode(resv).value());
        QCOMPARE(net.at(1).counters().refused_signals, refused + 1);
    }
    // A RESV for an unknown flow, and bytes that are not a message.
    resv.session.port = 77;
    resv.credit = Credit{77, 1, 1000};
    const std::uint64_t refused = net.at(1).counters().refused_signals;
    net.inject(1, 3, encode(resv).value());
    net.inject(1, 3, "nonsense");
    QCOMPARE(net.at(1).counters().refused_signals, refused + 2);
    net.send_many(20, chunk, 2);
    net.run_for(1s);
    QCOMPARE(sorted_once(net.numbers(b)), ascending(22));
}

void RelayTest::duplicate_and_reordered_signals_do_no_harm() {
    for (const std::uint32_t seed : {1U, 2U, 3U, 4U, 5U}) {
        Diamond net;
        std::mt19937 rng(seed);
        net.spread_signal = [&](const RsvpMessage&) {
            std::vector<Duration> copies;
            for (unsigned i = 0; i < 1 + rng() % 3; ++i) copies.push_back(std::chrono::microseconds(rng() % 20'000));
            return copies;
        };
        net.send_many(200);
        net.run_for(50ms);
        net.silence(3, 4);  // so that the flow changes to the other path and back
        net.run_for(2s);
        net.silence(3, 4, false);
        net.send_many(200, chunk, 200);
        net.run_for(10s);
        QCOMPARE(sorted_once(net.numbers(b)), ascending(400));
        for (const std::uint16_t id : {1, 2, 3, 4, 5}) {
            QCOMPARE(net.at(id).held(), std::uint64_t{0});
            QCOMPARE(net.at(id).counters().refused_frames, std::uint64_t{0});
            QVERIFY(net.at(id).promised() <= RelayConfig().buffer);
        }
    }
}

void RelayTest::replayed_resv_grants_its_credit_once() {
    Diamond net;
    std::vector<std::pair<RoutingId, std::string>> said;  // from 3 to 1
    net.lose_signal = [&](RoutingId from, RoutingId to, const RsvpMessage& message) {
        if (from == RoutingId(3) && to == RoutingId(1) && message.type == RsvpType::credit_resv)
            said.emplace_back(from, encode(message).value());
        return false;
    };
    net.send_many(60);
    net.run_for(1s);
    QVERIFY(said.size() > 5);
    const auto credit = [&] {
        const auto flows = net.at(1).flows();
        return std::pair(flows[0].credit, flows[0].out);
    };
    const auto before = credit();
    QCOMPARE(before.first, RelayConfig().window);
    const auto allowed = [](const std::string& bytes) {
        const RsvpMessage message = decode(std::as_bytes(std::span(bytes))).value();
        return std::pair(message.credit->incarnation, message.credit->allowed_bytes);
    };
    for (int round = 0; round < 3; ++round)
        for (const auto& [from, bytes] : said) {
            const std::uint64_t refused = net.at(1).counters().refused_signals;
            net.inject(1, from.value(), bytes);
            QCOMPARE(credit(), before);
            // The newest RESV counts as a repetition of itself. Older ones are refused and counted.
            const bool old = allowed(bytes) < allowed(said.back().second);
            QCOMPARE(net.at(1).counters().refused_signals, refused + (old ? 1 : 0));
        }
    // A neighbour's messages do not count if another neighbour sends them.
    for (const auto& [from, bytes] : said) net.inject(1, 5, bytes);
    QCOMPARE(credit(), before);
    net.send_many(60, chunk, 60);
    net.run_for(1s);
    QCOMPARE(net.numbers(b), ascending(120));
}

void RelayTest::resv_with_only_the_credit_object_of_the_draft_is_refused() {
    Diamond net;
    net.send_many(2);
    net.run_for(100ms);
    RsvpMessage resv;
    resv.type = RsvpType::credit_resv;
    resv.session = {device_address(RoutingId(2)), 6, 0, 1};
    resv.sender = {device_address(RoutingId(1)), 1};
    resv.hop = {device_address(RoutingId(3)), 1};
    const std::uint64_t credit = net.at(1).flows()[0].credit;
    for (const std::uint32_t megabytes : {0U, 1U, 0xffffffffU}) {
        resv.credit_megabytes = megabytes;
        const std::uint64_t refused = net.at(1).counters().refused_signals;
        net.inject(1, 3, encode(resv).value());
        QCOMPARE(net.at(1).counters().refused_signals, refused + 1);
        QCOMPARE(net.at(1).flows()[0].credit, credit);
    }
}

void RelayTest::flood_of_path_messages_takes_bounded_memory_and_ends() {
    Diamond net;
    net.send_many(1);
    net.run_for(100ms);
    RsvpMessage path;
    path.type = RsvpType::credit_path;
    path.sender.source = device_address(RoutingId(1));
    path.session.destination = device_address(RoutingId(2));
    path.hop = {device_address(RoutingId(3)), 7};
    for (std::uint32_t i = 0; i < most_flows + 3000; ++i) {
        path.session.port = path.sender.port = static_cast<std::uint16_t>(2 + i);
        path.sids = FlowSids{"flood-" + std::to_string(i), "x", "y"};
        net.inject(4, 3, encode(path).value());
        QVERIFY(net.at(4).promised() <= RelayConfig().buffer);
    }
    QVERIFY(net.at(4).flows().size() <= most_flows);
    QVERIFY(net.at(4).counters().refused_signals > 0);
    net.refused.clear();
    net.run_for(lapse_after + 5s);  // the flood ends, and its share is freed
    QVERIFY(net.at(4).flows().size() <= 1);
    net.send_many(20, chunk, 1);
    net.run_for(3s);
    QCOMPARE(sorted_once(net.numbers(b)), ascending(21));
}

void RelayTest::path_that_returns_to_its_gateway_is_not_forwarded() {
    Diamond net;
    net.send_many(1);
    net.run_for(100ms);
    RsvpMessage path;
    path.type = RsvpType::credit_path;
    path.sender = {device_address(RoutingId(1)), 9};
    path.session = {device_address(RoutingId(2)), 6, 0, 9};
    path.hop = {device_address(RoutingId(3)), 7};
    path.sids = FlowSids{"task", "task/stage-9/0", b};
    const std::uint64_t signals = net.signals;
    net.inject(1, 3, encode(path).value());
    QCOMPARE(net.signals, signals);
    QCOMPARE(net.at(1).flows().size(), std::size_t{1});
    // A circular route is invalid: a device that receives one continues without a route.
    set_route(path, RouteUse::primary, {99, {RoutingId(1), RoutingId(3), RoutingId(4), RoutingId(3), RoutingId(4)}});
    net.inject(3, 1, encode(path).value());
    net.run_for(5s);
    QVERIFY(net.signals < signals + 200);
}

void RelayTest::reconnected_neighbour_is_used_again() {
    Diamond net;
    net.send_many(100);
    net.run_for(20ms);
    net.silence(1, 3);
    net.run_for(2s);
    QCOMPARE(sorted_once(net.numbers(b)), ascending(100));
    net.silence(1, 3, false);
    net.run_for(2s);
    const std::uint64_t before = net.carried[link_key(RoutingId(3), RoutingId(4))];
    net.send_many(100, chunk, 100);
    net.run_for(2s);
    QCOMPARE(sorted_once(net.numbers(b)), ascending(200));
    QVERIFY(net.carried[link_key(RoutingId(3), RoutingId(4))] > before);
}

DIVISI_TEST(RelayTest)

}  // namespace relay_test

#include "relay_test.moc"
