// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/forwarding/flow_table.h"

#include <set>

#include "tests/support/test_program.h"
#include "tests/unit/mesh/relay_parts.h"

namespace flow_table_test {

using namespace divisi;
using namespace divisi::mesh;

/// Tests that flows are found by both of their names.
class FlowTableTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void flow_is_found_by_key_and_name_until_it_is_erased();
    void two_paths_of_a_flow_are_two_entries();
    void numbers_in_use_and_zero_are_skipped();
};

void FlowTableTest::flow_is_found_by_key_and_name_until_it_is_erased() {
    FlowTable flows;
    QVERIFY(!flows.find(sample_key()));
    QVERIFY(!flows.find(sample_name));
    RelayFlow& flow = flows.add(sample_key(), sample_name, sample_sids);
    QVERIFY(flow.sids == sample_sids);
    QCOMPARE(flows.find(sample_key()), &flow);
    QCOMPARE(flows.find(sample_name), &flow);
    flows.erase(flow.key);
    QVERIFY(!flows.find(sample_key()));
    QVERIFY(!flows.find(sample_name));
    QCOMPARE(flows.size(), std::size_t{0});
}

void FlowTableTest::two_paths_of_a_flow_are_two_entries() {
    FlowTable flows;
    const FlowKey first = sample_key(), second = with_other_path(first);
    QVERIFY(!flows.has_either_path(first));
    flows.add(second, sample_name, sample_sids);
    QVERIFY(flows.has_either_path(first));
    QVERIFY(!flows.contains(first));
    flows.add(first, {RoutingId(1), RoutingId(2), 8}, sample_sids);
    flows.erase(second);
    QVERIFY(flows.has_either_path(second));
    QVERIFY(!flows.contains(second));
}

void FlowTableTest::numbers_in_use_and_zero_are_skipped() {
    FlowTable flows;
    flows.add(sample_key(), {RoutingId(1), RoutingId(2), 2}, sample_sids);
    std::set<std::uint16_t> numbers;
    for (int i = 0; i < 65'534; ++i) numbers.insert(flows.unused_name(RoutingId(1), RoutingId(2)).number);
    QCOMPARE(numbers.size(), std::size_t{65'534});
    QVERIFY(!numbers.contains(0));
    QVERIFY(!numbers.contains(2));
    QCOMPARE(flows.unused_name(RoutingId(1), RoutingId(2)).number, std::uint16_t{1});
}

DIVISI_TEST(FlowTableTest)

}  // namespace flow_table_test

#include "flow_table_test.moc"
