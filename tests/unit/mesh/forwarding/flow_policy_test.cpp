// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/forwarding/flow_policy.h"

#include <cmath>

#include "backend/mesh/forwarding/meter.h"
#include "backend/mesh/route/hops.h"
#include "tests/support/test_program.h"
#include "tests/unit/mesh/relay_network.h"

namespace flow_policy_test {

using namespace divisi;
using namespace divisi::mesh;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t chunk = frame::max_chunk_bytes;
const std::string a = "task/stage-0/0", b = "task/stage-1/0";

/// A fixture with the paths 1 - 3 - 2, the better one, and 1 - 4 - 2.
struct TwoWays : RelayNetwork {
    explicit TwoWays(int share = 100) {
        gateway(1, "mic-1");
        gateway(2, "mic-2");
        router(3);
        router(4);
        link(1, 3);
        link(3, 2);
        link(1, 4, 1ms);
        link(4, 2, 1ms);
        place(a, 1);
        place(b, 2);
        install();
        set_share(share);
    }
    void set_share(int share) {
        FlowPolicy policy;
        policy.by_gateways[{RoutingId(1), RoutingId(2)}].first_share = static_cast<std::uint8_t>(share);
        set(policy);
    }
    void set(const FlowPolicy& policy) {
        for (const std::uint16_t id : {1, 2, 3, 4}) step(RoutingId(id), relay::Policy{policy});
    }
    void send_many(int count, int first = 0) {
        for (int i = 0; i < count; ++i) send(a, b, first + i, chunk);
    }
    std::uint64_t carried_by(std::uint16_t router) { return carried[link_key(RoutingId(1), RoutingId(router))]; }
    std::set<std::int64_t> arrived() {
        const auto all = numbers(b);
        return {all.begin(), all.end()};
    }
};

}  // namespace

/// Tests policy at devices: tensors split between two paths, windows, and the reported quality.
class FlowPolicyTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void most_specific_rule_applies();
    void blobs_may_have_a_share_of_their_own();
    void tensors_are_dealt_evenly_and_chunks_stay_together();
    void chunks_are_split_by_share_and_none_is_lost();
    void changes_of_the_path_share_lose_no_chunk();
    void partly_sent_tensor_stays_on_its_path();
    void second_path_carries_all_if_the_first_dies();
    void idle_path_returns_its_promised_credit();
    void larger_window_applies_at_once();
    void whole_buffer_window_leaves_room_for_another_flow();
    void quality_reports_rate_busy_share_and_latency();
    void silent_neighbour_and_full_buffer_are_reported_once_each();
    void policy_sets_when_a_full_buffer_is_reported();
    void two_paths_of_a_flow_count_as_one_full_buffer();
};

void FlowPolicyTest::most_specific_rule_applies() {
    FlowPolicy policy;
    const FlowKey flow{1, 2, 3};
    policy.all = {std::uint8_t{50}, std::uint64_t{1} << 20};
    policy.by_gateways[{RoutingId(1), RoutingId(2)}].first_share = 40;
    policy.by_sids[{2, 3}].window = std::uint64_t{4} << 20;
    const FlowRule rule = policy.rule_for(flow, RoutingId(1), RoutingId(2));
    QCOMPARE(int(*rule.first_share), 40);
    QCOMPARE(*rule.window, std::uint64_t{4} << 20);
    QCOMPARE(int(*policy.rule_for(flow, RoutingId(2), RoutingId(1)).first_share), 50);
}

void FlowPolicyTest::blobs_may_have_a_share_of_their_own() {
    FlowPolicy policy;
    policy.all.first_share = 80;
    const FlowKey tensors{1, 2, 3};
    FlowKey blobs = tensors;
    blobs.flow_class = FlowClass::blob;
    const auto share = [&](const FlowKey& flow) {
        return int{*policy.rule_for(flow, RoutingId(1), RoutingId(2)).first_share};
    };
    QCOMPARE(share(blobs), 80);
    policy.all.blob_share = 10;
    QCOMPARE(share(blobs), 10);
    QCOMPARE(share(tensors), 80);
    policy.by_gateways[{RoutingId(1), RoutingId(2)}].first_share = 60;
    QCOMPARE(share(blobs), 10);
    policy.by_gateways[{RoutingId(1), RoutingId(2)}].blob_share = 0;
    QCOMPARE(share(blobs), 0);
    QCOMPARE(share(tensors), 60);
}

void FlowPolicyTest::tensors_are_dealt_evenly_and_chunks_stay_together() {
    for (const int share : {0, 5, 20, 50, 75, 90, 100}) {
        int first = 0;
        constexpr int steps = 50, microbatches = 8;
        for (int step = 1; step <= steps; ++step)
            for (int m = 0; m < microbatches; ++m) {
                frame::FrameHeader header;
                header.key.step = step;
                header.key.microbatch = m;
                const std::uint8_t path_index = path_index_of_tensor(header, static_cast<std::uint8_t>(share));
                first += path_index == 0 ? 1 : 0;
                // another chunk of the tensor takes the same path, and so does a question about the tensor
                header.chunk_index = 7;
                QCOMPARE(path_index_of_tensor(header, static_cast<std::uint8_t>(share)), path_index);
                header.about = header.key.kind;
                header.key.kind = frame::FrameKind::ask;
                QCOMPARE(path_index_of_tensor(header, static_cast<std::uint8_t>(share)), path_index);
            }
        const double percent = 100.0 * first / (steps * microbatches);
        QVERIFY2(std::abs(percent - share) <= 2, qPrintable(QString("%1 of %2").arg(percent).arg(share)));
    }
}

void FlowPolicyTest::chunks_are_split_by_share_and_none_is_lost() {
    for (const int share : {0, 25, 100}) {
        TwoWays net(share);
        net.send_many(200);
        net.run_for(3s);
        QCOMPARE(net.arrived().size(), std::size_t{200});
        QCOMPARE(net.numbers(b).size(), std::size_t{200});  // each chunk arrives exactly once
        const double first = 100.0 * static_cast<double>(net.carried_by(3)) / (200.0 * chunk);
        QVERIFY2(std::abs(first - share) <= 3, qPrintable(QString("%1 of %2").arg(first).arg(share)));
        for (const std::uint16_t id : {1, 2, 3, 4}) QCOMPARE(net.at(id).held(), std::uint64_t{0});
        QVERIFY(net.refused.empty());
    }
}

void FlowPolicyTest::changes_of_the_path_share_lose_no_chunk() {
    TwoWays net;
    for (int turn = 0; turn < 40; ++turn) {
        net.set_share(turn * 37 % 101);
        net.send_many(10, 10 * turn);
        net.run_for(7ms);
    }
    net.run_for(5s);
    QCOMPARE(net.arrived().size(), std::size_t{400});
    QCOMPARE(net.numbers(b).size(), std::size_t{400});
}

void FlowPolicyTest::partly_sent_tensor_stays_on_its_path() {
    TwoWays net(100);
    net.send(a, b, 0, chunk);
    net.run_for(100ms);
    const std::uint64_t before = net.carried_by(4);
    constexpr std::uint32_t chunks = 8;
    for (std::uint32_t i = 0; i < chunks; ++i) {
        if (i == 3) net.set_share(0);
        net.send_chunk(a, b, 1, chunk, i, chunks);
    }
    net.run_for(1s);
    QCOMPARE(net.carried_by(4), before);
    for (std::uint32_t i = 0; i < chunks; ++i) net.send_chunk(a, b, 2, chunk, i, chunks);
    net.run_for(1s);
    QCOMPARE(net.carried_by(4), before + chunks * chunk);
}

void FlowPolicyTest::second_path_carries_all_if_the_first_dies() {
    for (const std::uint16_t dead : {3, 4}) {
        TwoWays net(50);
        net.send_many(300);
        net.run_for(20ms);
        net.kill(dead);
        net.run_for(5s);
        QCOMPARE(net.arrived().size(), std::size_t{300});
        net.send_many(50, 300);
        net.run_for(2s);
        QCOMPARE(net.arrived().size(), std::size_t{350});
    }
}

void FlowPolicyTest::idle_path_returns_its_promised_credit() {
    TwoWays net(50);
    net.send_many(20);
    net.run_for(1s);
    QCOMPARE(net.at(1).flows().size(), std::size_t{2});
    const std::uint64_t both = net.at(2).promised();
    net.set_share(100);
    net.run_for(path_idle + 2s);
    QCOMPARE(net.at(1).flows().size(), std::size_t{1});
    QVERIFY(net.at(2).promised() < both);
}

void FlowPolicyTest::larger_window_applies_at_once() {
    TwoWays net;
    net.send_many(2);
    net.run_for(100ms);
    const std::uint64_t before = net.at(3).promised();
    FlowPolicy policy;
    policy.all.window = 2 * RelayConfig().window;
    net.set(policy);
    net.send_many(2, 2);
    net.run_for(100ms);
    QCOMPARE(net.at(3).promised(), before + RelayConfig().window);
}

void FlowPolicyTest::whole_buffer_window_leaves_room_for_another_flow() {
    const std::string c = "task/stage-0/1", d = "task/stage-1/1";
    for (const bool later : {false, true}) {  // large from the start, or widened later
        RelayNetwork net;
        net.config.buffer = 8 * chunk;
        net.gateway(1, "mic-1");
        net.gateway(2, "mic-2");
        net.router(3);
        net.link(1, 3);
        net.link(3, 2);
        for (const auto& [sid, gateway] : {std::pair(a, 1), {b, 2}, {c, 1}, {d, 2}})
            net.place(sid, static_cast<std::uint16_t>(gateway));
        net.install();
        FlowPolicy policy;
        policy.all.window = net.config.buffer;
        if (later) {
            policy.all.window = chunk;
            for (const std::uint16_t id : {1, 2, 3}) net.step(RoutingId(id), relay::Policy{policy});
            net.send(a, b, 0, chunk);
            net.run_for(100ms);
            policy.all.window = net.config.buffer;
        }
        for (const std::uint16_t id : {1, 2, 3}) net.step(RoutingId(id), relay::Policy{policy});
        for (int i = 1; i <= 50; ++i) net.send(a, b, i, chunk);
        net.run_for(500ms);
        QVERIFY(net.at(3).promised() <= net.config.buffer / 2);
        for (int i = 1; i <= 50; ++i) net.send(c, d, i, chunk);
        net.run_for(3s);
        QCOMPARE(net.numbers(b).size(), std::size_t(later ? 51 : 50));
        QCOMPARE(net.numbers(d).size(), std::size_t{50});
    }
}

void FlowPolicyTest::quality_reports_rate_busy_share_and_latency() {
    TwoWays net;
    for (int i = 0; i < 500; ++i) {  // 100 MB/s over links of 1 GB/s
        net.send(a, b, i, chunk);
        net.run_for(10ms);
    }
    const auto flows = net.at(1).flows();
    QCOMPARE(flows.size(), std::size_t{1});
    const Quality& quality = flows[0].quality;
    QVERIFY2(std::abs(quality.bytes_per_s / 105e6 - 1) < 0.1, qPrintable(QString::number(quality.bytes_per_s)));
    QVERIFY2(quality.busy > 0.1 && quality.busy < 0.6, qPrintable(QString::number(quality.busy)));
    QVERIFY2(quality.latency_p50_s > 1e-3 && quality.latency_p50_s <= quality.latency_p99_s,
             qPrintable(QString::number(quality.latency_p50_s)));
    QCOMPARE(quality.credit_wait, 0.0);
    net.stop(b);
    net.send_many(100, 500);
    net.run_for(3s);
    QVERIFY(net.at(1).flows()[0].quality.credit_wait > 0.9);
    QVERIFY(net.at(1).neighbours()[0].quality.credit_wait > 0.9);
}

void FlowPolicyTest::silent_neighbour_and_full_buffer_are_reported_once_each() {
    TwoWays net;
    std::map<std::pair<std::uint16_t, AbnormalKind>, int> told;
    std::vector<relay::Abnormal> at_gateway;
    net.on_abnormal = [&](RoutingId at, const relay::Abnormal& one) {
        ++told[{at.value(), one.kind}];
        if (at == RoutingId(1)) at_gateway.push_back(one);
    };
    net.stop(b);
    net.send_many(100);
    net.run_for(3s);
    QCOMPARE((told[{2, AbnormalKind::buffer_full}]), 1);
    net.let_go(b);
    net.run_for(3s);
    QCOMPARE((told[{2, AbnormalKind::buffer_free}]), 1);
    net.send_many(100, 100);
    net.run_for(1ms);
    net.silence(1, 3);
    net.run_for(2s);
    QCOMPARE((told[{1, AbnormalKind::neighbour_silent}]), 1);
    QCOMPARE(at_gateway.back().neighbour, RoutingId(3));
    QCOMPARE(at_gateway.back().flows.size(), std::size_t{1});
    QCOMPARE(at_gateway.back().flows[0].way.at(1), RoutingId(4));  // the gateway has already rerouted the flow
    net.silence(1, 3, false);
    net.run_for(1s);
    QCOMPARE((told[{1, AbnormalKind::neighbour_back}]), 1);
}

void FlowPolicyTest::policy_sets_when_a_full_buffer_is_reported() {
    TwoWays net;
    int full = 0, free = 0;
    net.on_abnormal = [&](RoutingId, const relay::Abnormal& one) {
        full += one.kind == AbnormalKind::buffer_full ? 1 : 0;
        free += one.kind == AbnormalKind::buffer_free ? 1 : 0;
    };
    const auto patience = [&](Duration full_for) {
        relay::Policy policy{FlowPolicy()};
        policy.full_for = full_for;
        for (const std::uint16_t id : {1, 2, 3, 4}) net.step(RoutingId(id), policy);
    };
    patience(10s);
    net.stop(b);
    net.send_many(100);
    net.run_for(5s);
    QCOMPARE(full, 0);
    patience(200ms);  // counts the time during which the buffer has already been full
    net.run_for(1500ms);
    const int told = full;
    QVERIFY(told > 0);
    patience(60s);  // the higher limit does not end a state that was already reported
    net.run_for(3s);
    QCOMPARE(full, told);
    QCOMPARE(free, 0);
    net.let_go(b);
    net.run_for(3s);
    QCOMPARE(free, told);
}

void FlowPolicyTest::two_paths_of_a_flow_count_as_one_full_buffer() {
    TwoWays net(50);
    net.silence(1, 4);  // both paths of the flow then arrive from the same neighbour
    net.run_for(1s);
    std::map<std::pair<std::uint16_t, AbnormalKind>, int> told;
    net.on_abnormal = [&](RoutingId at, const relay::Abnormal& one) { ++told[{at.value(), one.kind}]; };
    net.stop(b);
    net.send_many(100);
    net.run_for(3s);
    std::size_t paths_with_promises = 0;
    for (const Relay::FlowView& flow : net.at(2).flows()) paths_with_promises += flow.promised > 0 ? 1 : 0;
    QCOMPARE(paths_with_promises, std::size_t{2});
    QCOMPARE((told[{2, AbnormalKind::buffer_full}]), 1);
    net.let_go(b);
    net.run_for(3s);
    QCOMPARE((told[{2, AbnormalKind::buffer_free}]), 1);
    QCOMPARE(net.arrived().size(), std::size_t{100});
}

DIVISI_TEST(FlowPolicyTest)

}  // namespace flow_policy_test

#include "flow_policy_test.moc"
