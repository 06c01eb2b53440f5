// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/forwarding/route_table.h"

#include "tests/support/test_program.h"
#include "tests/unit/mesh/relay_parts.h"

namespace route_table_test {

using namespace divisi;
using namespace divisi::mesh;

/// Tests what a device looks up in its route table.
class RouteTableTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void empty_table_has_nothing();
    void devices_are_found_by_address_and_name();
    void flow_needs_both_places_and_their_task();
    void new_table_replaces_the_old_one();
};

void RouteTableTest::empty_table_has_nothing() {
    const RouteTable table{};
    QVERIFY(!table.device_at(device_address(RoutingId(1))));
    QVERIFY(!table.place(sample_key().source));
    QVERIFY(!table.has_flow(sample_key(), sample_sids));
}

void RouteTableTest::devices_are_found_by_address_and_name() {
    RouteTable table;
    table.set(two_ways(), sample_places());
    QVERIFY(table.device_at(device_address(RoutingId(3))) == RoutingId(3));
    QVERIFY(!table.device_at(device_address(RoutingId(9))));
    QCOMPARE(table.name_of(RoutingId(3), "a neighbour"), std::string("sr-3"));
    QCOMPARE(table.name_of(RoutingId(9), "a neighbour"), std::string("a neighbour"));
}

void RouteTableTest::flow_needs_both_places_and_their_task() {
    RouteTable table;
    table.set(two_ways(), sample_places());
    QVERIFY(table.has_flow(sample_key(), sample_sids));
    FlowSids other = sample_sids;
    other.task = "another";
    QVERIFY(!table.has_flow(sample_key(), other));
    FlowKey unknown = sample_key();
    unknown.destination = 1;
    QVERIFY(!table.has_flow(unknown, sample_sids));
}

void RouteTableTest::new_table_replaces_the_old_one() {
    RouteTable table;
    table.set(two_ways(), sample_places());
    table.set({}, {});
    QVERIFY(!table.device_at(device_address(RoutingId(3))));
    QVERIFY(!table.place(sample_key().source));
    QVERIFY(table.topology().devices().empty());
}

DIVISI_TEST(RouteTableTest)

}  // namespace route_table_test

#include "route_table_test.moc"
