// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "backend/frame/crc32c.h"
#include "backend/frame/frame.h"
#include "tests/support/test_program.h"
#include "tests/unit/mesh/relay_network.h"

namespace relay_cache_test {

using namespace divisi;
using namespace divisi::mesh;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t chunk = 1 << 16;
constexpr std::uint32_t chunks = 3;
const std::string a = "task/stage-0/0", b = "task/stage-1/0", c = "task/stage-2/0", d = "task/stage-3/0";
const frame::ContentKey content{std::byte{9}};

/// A fixture with two MICs and two paths between them: 1 - 3 - 4 - 2, the shorter one, and 1 - 5 - 2.
struct Diamond : RelayNetwork {
    explicit Diamond(std::uint64_t cache = 16u << 20, bool one_way = false) {
        config.cache = cache;
        config.content_hash = [](std::span<const std::byte> bytes) {
            return frame::ContentKey{static_cast<std::byte>(frame::crc32c(bytes))};
        };
        gateway(1, "mic-1");
        gateway(2, "mic-2");
        for (const std::uint16_t id : {3, 4, 5}) router(id);
        if (!one_way) {
            link(1, 3);
            link(3, 4);
            link(4, 2);
        }
        link(1, 5, 1ms);
        link(5, 2, 1ms);
        place(a, 1);
        place(b, 2);
        place(c, 2);
        place(d, 1);
        install();
    }
    static frame::FrameHeader header_of(std::int64_t step, const std::string& from = a, const std::string& to = b) {
        frame::FrameHeader header;
        header.key.task = frame::flow_id(TaskId("task"));
        header.key.step = step;
        header.source = {frame::flow_id(Sid(from)), 1};
        header.destination = {frame::flow_id(Sid(to)), 1};
        frame::set_content(header.routing, content);
        return header;
    }
    void send_result(std::int64_t step) {
        auto memory = std::make_shared<std::vector<std::byte>>(chunks * chunk);
        for (std::size_t i = 0; i < memory->size(); ++i) (*memory)[i] = static_cast<std::byte>(i * 7 + i / chunk);
        for (std::uint32_t i = 0; i < chunks; ++i) {
            frame::Chunk one{header_of(step), memory, std::span(*memory).subspan(i * chunk, chunk)};
            one.header.dtype = graph::DType::uint8;
            one.header.dims = {static_cast<std::int64_t>(memory->size())};
            one.header.total_bytes = memory->size();
            one.header.chunk_bytes = chunk;
            one.header.chunk_count = chunks;
            one.header.chunk_index = i;
            one.header.payload_bytes = chunk;
            one.header.payload_crc = frame::crc32c(one.payload);
            this->step(RoutingId(1), relay::Data{RoutingId(), std::move(one)});
        }
        run_for(50ms);
    }
    void offer(std::int64_t step, const std::string& from = a, const std::string& to = b, std::uint16_t gateway = 1) {
        frame::Chunk one{header_of(step, from, to), nullptr, {}};
        one.header.about = one.header.key.kind;
        one.header.key.kind = frame::FrameKind::offer;
        this->step(RoutingId(gateway), relay::Data{RoutingId(), std::move(one)});
        run_for(50ms);
    }
    /// Returns the frames of this step that reached the consumer. A chunk is represented by its checksum, an offer by
    /// 0.
    std::vector<std::uint32_t> came(std::int64_t step, const std::string& to = b) {
        std::vector<std::uint32_t> found;
        for (const frame::FrameHeader& header : delivered[frame::flow_id(Sid(to))])
            if (header.key.step == step)
                found.push_back(header.key.kind == frame::FrameKind::offer ? 0 : header.payload_crc);
        return found;
    }
    /// Returns the number of `supplied` answers that reached the producer.
    std::size_t supplied() {
        return static_cast<std::size_t>(
            std::ranges::count_if(delivered_lane[frame::flow_id(Sid(a))], [](const frame::FrameHeader& header) {
                return header.key.kind == frame::FrameKind::supplied && header.about == frame::FrameKind::activation &&
                       header.source == frame::End{frame::flow_id(Sid(b)), 1} &&
                       header.destination == frame::End{frame::flow_id(Sid(a)), 1};
            }));
    }
    const ResultCache& cache(std::uint16_t id) { return *at(id).cache(); }
};

}  // namespace

/// Tests that the router nearest to the consumer supplies tensors that have passed it before, using the flow's credit.
class RelayCacheTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void nearest_router_supplies_tensors_that_have_passed();
    void unknown_offer_reaches_the_consumer();
    void offers_are_passed_on_without_a_cache();
    void results_of_another_gateway_are_not_supplied();
    void stopped_receiver_limits_the_supplied_bytes();
    void dead_router_loses_its_results();
    void first_frame_of_a_flow_may_be_an_offer();
};

void RelayCacheTest::nearest_router_supplies_tensors_that_have_passed() {
    Diamond net;
    net.send_result(1);
    QCOMPARE(net.came(1).size(), chunks);
    QCOMPARE(net.cache(4).results(), 1U);
    QCOMPARE(net.cache(3).results(), 0U);
    QCOMPARE(net.cache(5).results(), 0U);
    const auto carried = net.carried;
    net.offer(2);
    QVERIFY(net.came(2) == net.came(1));
    QVERIFY(net.supplied() > 0);
    const auto more = [&](std::uint16_t x, std::uint16_t y) {
        const LinkKey key = link_key(RoutingId(x), RoutingId(y));
        return net.carried[key] - carried.at(key);
    };
    QCOMPARE(more(4, 2), chunks * chunk);
    QCOMPARE(more(1, 3) + more(3, 4), 0U);
    QCOMPARE(net.cache(4).counters().saved_bytes, chunks * chunk);
    net.run_for(1s);
    for (const std::uint16_t id : {1, 2, 3, 4}) QCOMPARE(net.at(id).held(), 0U);
    QVERIFY(net.refused.empty());
}

void RelayCacheTest::unknown_offer_reaches_the_consumer() {
    Diamond net;
    net.offer(1);
    QVERIFY(net.came(1) == std::vector<std::uint32_t>{0});
    QCOMPARE(net.supplied(), 0U);
    QCOMPARE(net.cache(4).counters().misses, 1U);
    QCOMPARE(net.cache(3).counters().misses, 0U);
}

void RelayCacheTest::offers_are_passed_on_without_a_cache() {
    Diamond net(0);
    net.send_result(1);
    net.offer(2);
    QVERIFY(net.came(2) == std::vector<std::uint32_t>{0});
    QVERIFY(!net.at(4).cache());
}

void RelayCacheTest::results_of_another_gateway_are_not_supplied() {
    Diamond net(16u << 20, true);  // router 5 is the last one in both directions
    net.send_result(1);
    QCOMPARE(net.cache(5).results(), 1U);
    net.offer(2, c, d, 2);
    QVERIFY(net.came(2, d) == std::vector<std::uint32_t>{0});
    QCOMPARE(net.cache(5).counters().misses, 1U);
}

void RelayCacheTest::stopped_receiver_limits_the_supplied_bytes() {
    Diamond net;
    net.send_result(1);
    net.stop(b);
    for (std::int64_t step = 2; step < 200; ++step) net.offer(step);
    // The bytes at the receiver's gateway were promised; the rest is the cache's own memory.
    QVERIFY(net.at(2).held() <= net.at(2).promised());
    QCOMPARE(net.at(4).held(), 0U);
    QVERIFY(net.cache(4).held() <= net.cache(4).limit());
    net.let_go(b);
    net.run_for(5s);
    for (std::int64_t step = 2; step < 200; ++step) QVERIFY(net.came(step) == net.came(1));
}

void RelayCacheTest::dead_router_loses_its_results() {
    Diamond net;
    net.send_result(1);
    net.kill(4);
    net.run_for(3s);
    net.offer(2);
    QVERIFY(net.came(2) == std::vector<std::uint32_t>{0});  // the offer takes the other path
    net.send_result(3);
    QVERIFY(net.came(3) == net.came(1));
    net.offer(4);
    QVERIFY(net.came(4) == net.came(1));
    QCOMPARE(net.cache(5).counters().hits, 1U);
}

void RelayCacheTest::first_frame_of_a_flow_may_be_an_offer() {
    Diamond net;
    net.offer(1);
    QCOMPARE(net.came(1).size(), 1U);
    QVERIFY(net.refused.empty());
}

DIVISI_TEST(RelayCacheTest)

}  // namespace relay_cache_test

#include "relay_cache_test.moc"
