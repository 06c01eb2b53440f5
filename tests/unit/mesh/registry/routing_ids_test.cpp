// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/registry/routing_ids.h"

#include <set>

#include "backend/base/hash.h"
#include "tests/support/test_program.h"
#include "tests/unit/mesh/registrations.h"

namespace routing_ids_test {

using namespace divisi;
using namespace divisi::mesh;
using divisi::tests::epoch, divisi::tests::router, divisi::tests::start;
using std::chrono::milliseconds, std::chrono::seconds;

class RoutingIdsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void lowest_identifier_past_its_quarantine_is_assigned();
    void requested_identifier_is_assigned_if_free();
    void no_identifier_leaks();
    void device_keeps_its_identifier_during_its_lease();
    void leaving_device_frees_its_identifier();
    void refused_device_takes_no_identifier();
    void row_is_found_only_by_its_latest_identifier();
};

void RoutingIdsTest::lowest_identifier_past_its_quarantine_is_assigned() {
    RoutingIds ids;
    for (std::uint16_t i = 1; i <= 4; ++i) QCOMPARE(ids.allocate(start)->value(), i);
    ids.free(RoutingId(3), start);
    ids.free(RoutingId(2), start + seconds(1));
    QCOMPARE(ids.in_use(), std::size_t{2});
    QCOMPARE(ids.allocate(start + seconds(2))->value(), std::uint16_t{5});
    const TimePoint rested = start + routing_id_quarantine;
    QCOMPARE(ids.allocate(rested - milliseconds(1))->value(), std::uint16_t{6});
    QCOMPARE(ids.allocate(rested + seconds(1))->value(), std::uint16_t{2});
    QCOMPARE(ids.allocate(rested + seconds(1))->value(), std::uint16_t{3});
    QCOMPARE(ids.allocate(rested + seconds(1))->value(), std::uint16_t{7});
}

void RoutingIdsTest::requested_identifier_is_assigned_if_free() {
    RoutingIds ids;
    QVERIFY(ids.take(RoutingId(5)));
    QVERIFY(!ids.take(RoutingId(5)));
    QVERIFY(!ids.take(RoutingId(0)));
    // the identifiers below 5 are still free
    for (std::uint16_t i = 1; i <= 4; ++i) QCOMPARE(ids.allocate(start)->value(), i);
    QCOMPARE(ids.allocate(start)->value(), std::uint16_t{6});
    QVERIFY(!ids.take(RoutingId(3)));
    ids.free(RoutingId(3), start);
    QVERIFY(ids.take(RoutingId(3)));  // its owner returns before the quarantine is over
    QCOMPARE(ids.in_use(), std::size_t{6});
    QVERIFY(ids.take(RoutingId(65535)));
    QCOMPARE(ids.in_use(), std::size_t{7});

    Registry registry(epoch);
    QCOMPARE(registry.add(router("sr-1"), start, RoutingId(9))->id, RoutingId(9));
    QCOMPARE(registry.add(router("sr-2"), start)->id, RoutingId(1));
    QVERIFY(!registry.add(router("sr-2"), start, RoutingId(9)).ok());
    QCOMPARE(registry.add(router("sr-2"), start, RoutingId(4))->id, RoutingId(4));  // the device's identifier changed
    QCOMPARE(registry.table().find_device(RoutingId(4))->said.name, std::string("sr-2"));
    QVERIFY(!registry.table().find_device(RoutingId(1)));
}

void RoutingIdsTest::no_identifier_leaks() {
    RoutingIds ids;
    std::set<std::uint16_t> used;
    std::uint64_t random = 1;
    TimePoint now = start;
    for (int i = 0; i < 200'000; ++i, now += milliseconds(5)) {
        const auto id = ids.allocate(now);
        QVERIFY(id.ok() && id->value() != 0);
        QVERIFY2(used.insert(id->value()).second, "an identifier in use was handed out");
        random = mix(random, 1);
        auto freed = used.lower_bound(static_cast<std::uint16_t>(random));
        if (freed == used.end()) freed = used.begin();
        if (i >= 1000) ids.free(RoutingId(*freed), now), used.erase(freed);
        QCOMPARE(ids.in_use(), used.size());
    }
    now += routing_id_quarantine;
    while (used.size() < most_routing_ids) {
        const auto id = ids.allocate(now);
        QVERIFY2(id.ok(), "an identifier has leaked");
        used.insert(id->value());
    }
    const auto refused = ids.allocate(now);
    QVERIFY(!refused && refused.error().code == ErrorCode::exhausted);
    ids.free(RoutingId(9), now);
    const auto resting = ids.allocate(now + seconds(20));
    QVERIFY(!resting && resting.error().next.find("40 s") != std::string::npos);
    QCOMPARE(ids.allocate(now + routing_id_quarantine)->value(), std::uint16_t{9});
}

void RoutingIdsTest::device_keeps_its_identifier_during_its_lease() {
    Registry registry(epoch);
    QCOMPARE(registry.add(router("router-1"), start)->id, RoutingId(1));
    QCOMPARE(registry.add(router("router-2"), start)->id, RoutingId(2));
    // a new process of the same device
    QCOMPARE(registry.add(router("router-1", 2), start + seconds(5))->id, RoutingId(1));
    QCOMPARE(registry.table().find_device(RoutingId(1))->said.incarnation, Incarnation{2});
    QVERIFY(registry.renew_device("router-2", 1, epoch, start + seconds(5)).ok());
    registry.advance(start + seconds(14));
    QCOMPARE(registry.table().devices(), std::size_t{2});
}

void RoutingIdsTest::leaving_device_frees_its_identifier() {
    Registry registry(epoch);
    for (const char* name : {"router-1", "router-2"}) QVERIFY(registry.add(router(name), start).ok());
    QVERIFY(registry.withdraw_device("router-1", 1, start).ok());
    registry.advance(start + lease_length);
    QCOMPARE(registry.table().devices(), std::size_t{0});
    QVERIFY(!registry.table().find_device(RoutingId(1)));
    QCOMPARE(registry.add(router("router-1"), start + lease_length)->id, RoutingId(3));
    QCOMPARE(registry.add(router("router-4"), start + routing_id_quarantine)->id, RoutingId(1));
    QCOMPARE(registry.add(router("router-5"), start + lease_length + routing_id_quarantine)->id, RoutingId(2));
}

void RoutingIdsTest::refused_device_takes_no_identifier() {
    Registry registry(epoch);
    QVERIFY(registry.add(router("router-1", 2), start).ok());
    for (int i = 0; i < 10; ++i) {
        QVERIFY(!registry.add(router("router-1", 1), start).ok());
        QVERIFY(!registry.add(router("not a name"), start).ok());
    }
    QCOMPARE(registry.add(router("router-2"), start)->id, RoutingId(2));
    for (std::size_t i = 2; i < most_devices; ++i)
        QVERIFY(registry.add(router("router-a" + std::to_string(i)), start).ok());
    const auto refused = registry.add(router("one-too-many"), start);
    QVERIFY(!refused && refused.error().code == ErrorCode::exhausted);
    QCOMPARE(registry.table().devices(), most_devices);
}

void RoutingIdsTest::row_is_found_only_by_its_latest_identifier() {
    RegistryTable table;
    table.put(std::make_shared<const DeviceRow>(DeviceRow{router("router-1"), RoutingId(1)}));
    table.put(std::make_shared<const DeviceRow>(DeviceRow{router("router-1"), RoutingId(2)}));
    QVERIFY(!table.find_device(RoutingId(1)));
    QVERIFY(table.find_device(RoutingId(2)));
    QVERIFY(table.erase_device("router-1"));
    QVERIFY(!table.find_device(RoutingId(2)));
}

DIVISI_TEST(RoutingIdsTest)

}  // namespace routing_ids_test

#include "routing_ids_test.moc"
