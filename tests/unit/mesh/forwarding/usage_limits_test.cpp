// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/forwarding/usage_limits.h"

#include "tests/support/test_program.h"

namespace usage_limits_test {

using namespace divisi;
using namespace divisi::mesh;
using namespace std::chrono_literals;

namespace {

const RoutingId first(3), second(4);
constexpr std::uint64_t buffer = 800;
const TimePoint now(1h);

/// Returns the limits of a device with two neighbours.
UsageLimits two_neighbours() {
    UsageLimits limits(buffer);
    limits.add_neighbour(first);
    limits.add_neighbour(second);
    return limits;
}

/// Counts how many calls in a row succeed, up to a bound.
template <typename Try>
int successes(Try attempt) {
    int count = 0;
    while (count < 1'000'000 && attempt()) ++count;
    return count;
}

}  // namespace

/// Tests how a device divides its buffer, flows and lane between neighbours and instances.
class UsageLimitsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void neighbour_leaves_others_a_quarter_of_their_share();
    void buffered_chunks_count_even_without_a_promise();
    void unnamed_flows_share_a_quarter_of_the_buffer();
    void neighbour_that_left_reserves_nothing();
    void lane_of_a_neighbour_is_limited();
    void unknown_instances_share_a_lane();
    void new_flows_are_limited_by_rate_and_by_number();
};

void UsageLimitsTest::neighbour_leaves_others_a_quarter_of_their_share() {
    UsageLimits limits = two_neighbours();
    QCOMPARE(limits.buffer_left_for(first, true), buffer - buffer / 8);
    limits.count_promise(first, true, 1, 300);
    QCOMPARE(limits.promised(), std::uint64_t{300});
    QCOMPARE(limits.buffer_left_for(first, true), std::uint64_t{400});
    QCOMPARE(limits.buffer_left_for(second, true), std::uint64_t{500});  // the other neighbour's part is reserved
    limits.count_promise(first, true, -1, -300);
    QCOMPARE(limits.promised(), std::uint64_t{0});
    QCOMPARE(limits.buffer_left_for(first, true), buffer - buffer / 8);
}

void UsageLimitsTest::buffered_chunks_count_even_without_a_promise() {
    UsageLimits limits = two_neighbours();
    limits.count_in(500);
    QCOMPARE(limits.held(), std::uint64_t{500});
    QCOMPARE(limits.buffer_left_for(first, true), std::uint64_t{200});
    limits.count_out(500);
    QCOMPARE(limits.held(), std::uint64_t{0});
}

void UsageLimitsTest::unnamed_flows_share_a_quarter_of_the_buffer() {
    UsageLimits limits = two_neighbours();
    QCOMPARE(limits.buffer_left_for(first, false), buffer / 4);
    limits.count_promise(first, false, 1, 150);
    QCOMPARE(limits.buffer_left_for(second, false), std::uint64_t{50});
    limits.set_unnamed(0, 0);  // the new table names these flows
    QCOMPARE(limits.buffer_left_for(second, false), buffer / 4);
}

void UsageLimitsTest::neighbour_that_left_reserves_nothing() {
    UsageLimits limits = two_neighbours();
    limits.erase_neighbour(second);
    QCOMPARE(limits.buffer_left_for(first, true), buffer);
    limits.count_promise(second, true, 1, 100);  // counts for the device, but for no neighbour
    QCOMPARE(limits.buffer_left_for(first, true), buffer - 100);
}

void UsageLimitsTest::lane_of_a_neighbour_is_limited() {
    UsageLimits limits = two_neighbours();
    QVERIFY(!limits.try_lane(RoutingId(9), now));
    QCOMPARE(successes([&] { return limits.try_lane(first, now); }), static_cast<int>(neighbour_lane_at_once));
    QVERIFY(limits.try_lane(second, now));
    QVERIFY(limits.try_lane(first, now + 1ms));
}

void UsageLimitsTest::unknown_instances_share_a_lane() {
    UsageLimits limits = two_neighbours();
    const int most = static_cast<int>(instance_lane_at_once);
    QCOMPARE(successes([&] { return limits.try_instance_lane(0, now); }), most);
    QCOMPARE(successes([&] { return limits.try_instance_lane(7, now); }), most);
    limits.keep_instances([](std::uint64_t sid) { return sid == 7; });
    QVERIFY(!limits.try_instance_lane(7, now));
    QVERIFY(limits.try_instance_lane(0, now));
}

void UsageLimitsTest::new_flows_are_limited_by_rate_and_by_number() {
    UsageLimits limits = two_neighbours();
    QVERIFY(!limits.try_new_flow(first, true, most_flows, now));
    for (std::size_t i = 0; i < most_flows / unnamed_part; ++i) limits.count_unnamed_flow(1);
    QVERIFY(!limits.try_new_flow(first, false, 0, now));
    limits.count_unnamed_flow(-1);
    QVERIFY(limits.try_new_flow(first, false, 0, now));
    const int most = static_cast<int>(new_flows_at_once) - 1;
    QCOMPARE(successes([&] { return limits.try_new_flow(first, true, 0, now); }), most);
    QVERIFY(limits.try_new_flow(second, true, 0, now));
}

DIVISI_TEST(UsageLimitsTest)

}  // namespace usage_limits_test

#include "usage_limits_test.moc"
