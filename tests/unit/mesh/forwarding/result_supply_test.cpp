// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/forwarding/result_supply.h"

#include "backend/frame/crc32c.h"
#include "backend/frame/frame.h"
#include "tests/support/test_program.h"
#include "tests/unit/mesh/relay_parts.h"

namespace result_supply_test {

using namespace divisi;
using namespace divisi::mesh;
using namespace std::chrono_literals;

namespace {

const frame::ContentKey content{std::byte{9}};
const TimePoint now(1h);

RelayConfig config_of(DeviceRole role, std::uint64_t cache = 1u << 20) {
    RelayConfig config;
    config.role = role;
    config.cache = cache;
    config.content_hash = [](std::span<const std::byte> bytes) {
        return frame::ContentKey{static_cast<std::byte>(frame::crc32c(bytes))};
    };
    return config;
}

/// Returns the only chunk of a tensor whose content can be cached.
frame::Chunk result_chunk() {
    frame::Chunk chunk = sample_chunk(4000, 1);
    chunk.header.payload_crc = frame::crc32c(chunk.payload);
    frame::set_content(chunk.header.routing, content);
    return chunk;
}

frame::FrameHeader offer_of(std::int64_t step) {
    frame::FrameHeader offer = sample_chunk(0, step).header;
    offer.about = offer.key.kind;
    offer.key.kind = frame::FrameKind::offer;
    frame::set_content(offer.routing, content);
    return offer;
}

}  // namespace

/// Tests what the router in front of the consumer keeps and supplies.
class ResultSupplyTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void passed_tensor_is_supplied_with_the_offers_key();
    void unknown_tensor_is_not_supplied();
    void router_further_from_the_consumer_caches_nothing();
    void gateway_and_router_without_memory_have_no_cache();
    void tensor_of_a_removed_gateway_is_forgotten();
};

void ResultSupplyTest::passed_tensor_is_supplied_with_the_offers_key() {
    ResultSupply results(config_of(DeviceRole::router));
    RelayFlow flow = sample_flow(RoutingId(3));
    const frame::Chunk chunk = result_chunk();
    results.keep(flow, chunk);
    const auto answer = results.supply(flow, offer_of(7), now);
    QVERIFY(answer);
    QVERIFY(answer->key.kind == frame::FrameKind::supplied);
    QCOMPARE(answer->key.step, std::int64_t{7});
    QVERIFY(answer->source == chunk.header.destination && answer->destination == chunk.header.source);
    QCOMPARE(flow.queue.size(), std::size_t{1});
    QCOMPARE(flow.queued, std::uint64_t{4000});
    const RelayFlow::Held& held = flow.queue.front();
    QVERIFY(held.chunk.header.key.kind == chunk.header.key.kind);
    QCOMPARE(held.chunk.header.key.step, std::int64_t{7});
    QCOMPARE(held.chunk.header.payload_crc, chunk.header.payload_crc);
    QCOMPARE(held.buffered_bytes(), std::uint64_t{0});
    QCOMPARE(held.bytes(), std::uint64_t{4000});
}

void ResultSupplyTest::unknown_tensor_is_not_supplied() {
    ResultSupply results(config_of(DeviceRole::router));
    RelayFlow flow = sample_flow(RoutingId(3));
    QVERIFY(!results.supply(flow, offer_of(7), now));
    QVERIFY(flow.queue.empty());
    results.keep(flow, result_chunk());
    flow.name.source = RoutingId(4);  // a flow from another gateway
    QVERIFY(!results.supply(flow, offer_of(7), now));
}

void ResultSupplyTest::router_further_from_the_consumer_caches_nothing() {
    ResultSupply results(config_of(DeviceRole::router));
    RelayFlow flow = sample_flow(RoutingId(3));
    flow.path = {RoutingId(4), RoutingId(3), RoutingId(2)};
    results.keep(flow, result_chunk());
    QCOMPARE(results.cache()->results(), std::size_t{0});
    flow.path = {RoutingId(3), RoutingId(2)};
    QVERIFY(!results.supply(flow, offer_of(7), now));
}

void ResultSupplyTest::gateway_and_router_without_memory_have_no_cache() {
    for (const RelayConfig& config : {config_of(DeviceRole::gateway), config_of(DeviceRole::router, 0)}) {
        ResultSupply results(config);
        RelayFlow flow = sample_flow(RoutingId(3));
        results.keep(flow, result_chunk());
        results.keep_gateways([](RoutingId) { return true; });
        QVERIFY(!results.supply(flow, offer_of(7), now));
        QVERIFY(!results.cache());
    }
}

void ResultSupplyTest::tensor_of_a_removed_gateway_is_forgotten() {
    ResultSupply results(config_of(DeviceRole::router));
    RelayFlow flow = sample_flow(RoutingId(3));
    results.keep(flow, result_chunk());
    results.keep_gateways([](RoutingId id) { return id == RoutingId(1); });
    QCOMPARE(results.cache()->results(), std::size_t{1});
    results.keep_gateways([](RoutingId id) { return id == RoutingId(2); });
    QCOMPARE(results.cache()->results(), std::size_t{0});
}

DIVISI_TEST(ResultSupplyTest)

}  // namespace result_supply_test

#include "result_supply_test.moc"
