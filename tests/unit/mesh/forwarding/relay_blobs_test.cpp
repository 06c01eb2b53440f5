// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <numeric>

#include "backend/mesh/forwarding/relay.h"
#include "backend/mesh/route/hops.h"
#include "tests/support/test_program.h"
#include "tests/unit/mesh/relay_network.h"

namespace relay_blobs_test {

using namespace divisi;
using namespace divisi::mesh;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t chunk = frame::max_chunk_bytes, piece = chunk / 4;
const std::string a = "task/stage-0/0", b = "task/stage-1/0";
const std::string source = "blobs/7/source", sink = "blobs/7/sink";

/// A fixture with two gateways and two disjoint paths, 1 - 3 - 4 - 2, the shorter one, and 1 - 5 - 2. Links carry 1
/// GB/s.
struct Mesh : RelayNetwork {
    Mesh() {
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
        place(source, 1, blob_root);
        place(sink, 2, blob_root);
        install();
        on_delivery = [this](const frame::FrameHeader& header) { arrivals[header.destination.sid].push_back(now()); };
    }
    void send_blob(int pieces, int first = 0) {
        for (int i = 0; i < pieces; ++i) send(source, sink, first + i, piece);
    }
    std::uint64_t bytes_of(const std::string& sid, std::size_t each) { return numbers(sid).size() * each; }
    const Relay::FlowView* flow_at(std::uint16_t id, FlowClass flow_class) {
        views = at(id).flows();
        const auto found =
            std::ranges::find_if(views, [&](const Relay::FlowView& view) { return view.key.flow_class == flow_class; });
        return found == views.end() ? nullptr : &*found;
    }

    std::map<std::uint64_t, std::vector<TimePoint>> arrivals;
    std::vector<Relay::FlowView> views;
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

/// Tests blobs and tensors on the same links.
class RelayBlobsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void every_device_learns_the_class_of_a_flow();
    void blob_uses_the_whole_link_if_no_tensor_waits();
    void tensors_keep_fifteen_sixteenths_and_blobs_never_starve();
    void tensor_waits_at_most_for_a_window_of_the_blob();
    void dead_router_loses_nothing_of_a_blob();
    void class_that_does_not_match_the_sid_is_refused();
    void waiting_blob_is_not_an_abnormal_state();
};

void RelayBlobsTest::every_device_learns_the_class_of_a_flow() {
    Mesh net;
    net.send_blob(4);
    net.send(a, b, 0, chunk);
    net.run_for(50ms);
    for (const std::uint16_t id : {1, 3, 4, 2}) {
        QVERIFY(net.flow_at(id, FlowClass::blob));
        QCOMPARE(net.flow_at(id, FlowClass::blob)->sids.task, std::string(blob_root));
        QVERIFY(net.flow_at(id, FlowClass::tensor));
        QCOMPARE(net.flow_at(id, FlowClass::tensor)->sids.task, std::string("task"));
    }
    QCOMPARE(net.numbers(sink), ascending(4));
    QVERIFY(net.refused.empty());
}

void RelayBlobsTest::blob_uses_the_whole_link_if_no_tensor_waits() {
    Mesh net;
    net.send_blob(400);
    net.run_for(100ms);
    // 100 MB would be possible, but the credit window of blobs is small
    QVERIFY2(net.bytes_of(sink, piece) > 40'000'000, qPrintable(QString::number(net.bytes_of(sink, piece))));
}

void RelayBlobsTest::tensors_keep_fifteen_sixteenths_and_blobs_never_starve() {
    const auto tensors_in = [](bool blob) {
        Mesh net;
        for (int i = 0; i < 250; ++i) net.send(a, b, i, chunk);
        if (blob) net.send_blob(200);
        net.run_for(200ms);
        return std::pair(net.bytes_of(b, chunk), net.bytes_of(sink, piece));
    };
    const auto alone = tensors_in(false), beside = tensors_in(true);
    const double kept = static_cast<double>(beside.first) / static_cast<double>(alone.first);
    QVERIFY2(kept > 0.92, qPrintable(QString::number(kept)));
    QVERIFY2(beside.second > alone.first / 20, qPrintable(QString::number(beside.second)));
}

/// Sends one tensor every 10 ms, once while a blob fills the link and once alone.
void RelayBlobsTest::tensor_waits_at_most_for_a_window_of_the_blob() {
    const auto worst = [](bool blob) {
        Mesh net;
        net.send(a, b, 0, chunk);  // sets up the flow
        net.run_for(100ms);
        if (blob) net.send_blob(800);
        Duration longest{};
        for (int i = 1; i <= 15; ++i) {
            const TimePoint sent = net.now();
            net.send(a, b, i, chunk);
            net.run_for(10ms);
            longest = std::max(longest, net.arrivals.at(frame::flow_id(Sid(b))).back() - sent);
        }
        return net.numbers(sink).size() < 800 ? longest : 1h;  // the blob must fill the link until the end
    };
    // There are three links. Each holds the link model's room of four chunks, and a window. 1 MiB takes 1.05 ms.
    const Duration alone = worst(false), beside = worst(true);
    QVERIFY2(beside <= alone + 4ms, qPrintable(QString::number(to_ms(beside - alone))));
    QVERIFY(beside > alone);
}

void RelayBlobsTest::dead_router_loses_nothing_of_a_blob() {
    Mesh net;
    net.send_blob(800);
    net.run_for(20ms);
    QVERIFY(net.numbers(sink).size() < 800);
    net.kill(4);
    net.run_for(5s);
    QCOMPARE(sorted_once(net.numbers(sink)), ascending(800));
    QVERIFY(net.carried[link_key(RoutingId(1), RoutingId(5))] > 0);
}

void RelayBlobsTest::class_that_does_not_match_the_sid_is_refused() {
    Mesh net;
    net.kind = frame::FrameKind::blob_chunk;
    net.send(a, b, 0, chunk);
    net.run_for(50ms);
    QCOMPARE(net.numbers(b).size(), std::size_t{0});
    QCOMPARE(net.at(1).counters().refused_frames, std::uint64_t{1});
    // A device does not set up a flow with a wrong class at the next device, either.
    RsvpMessage message;
    message.type = RsvpType::credit_path;
    message.session = {device_address(RoutingId(2)), 6, 0, 9};
    message.sender = {device_address(RoutingId(1)), 9};
    message.hop = {device_address(RoutingId(1)), 1};
    message.refresh = 10s;
    message.sids = FlowSids{blob_root, source, sink};
    const auto inject = [&] {
        net.inject(3, 1, encode(message).value());
        return net.at(3).counters().refused_signals;
    };
    QCOMPARE(inject(), std::uint64_t{1});
    set_class(message, FlowClass::blob);
    QCOMPARE(inject(), std::uint64_t{1});
}

void RelayBlobsTest::waiting_blob_is_not_an_abnormal_state() {
    Mesh net;
    std::size_t abnormal = 0;
    net.on_abnormal = [&](RoutingId, const relay::Abnormal&) { ++abnormal; };
    net.stop(sink);
    net.send_blob(100);
    net.run_for(5s);
    QCOMPARE(abnormal, std::size_t{0});
    for (const std::uint16_t id : {2, 3, 4}) QVERIFY(net.at(id).held() <= RelayConfig().blob_window);
    net.let_go(sink);
    net.run_for(1s);
    QCOMPARE(net.numbers(sink), ascending(100));
}

DIVISI_TEST(RelayBlobsTest)

}  // namespace relay_blobs_test

#include "relay_blobs_test.moc"
