// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/forwarding/neighbour_links.h"

#include "tests/support/test_program.h"

namespace neighbour_links_test {

using namespace divisi;
using namespace divisi::mesh;
using namespace std::chrono_literals;

namespace {

const RoutingId first(3), second(4);
TimePoint at(Duration time) { return TimePoint(1h + time); }

}  // namespace

/// Tests connections, failures and measurements of neighbours.
class NeighbourLinksTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void failed_neighbour_is_unusable_until_a_sign_of_life();
    void new_connection_ends_a_failure();
    void unconnected_neighbour_cannot_fail();
    void beats_go_to_connected_neighbours_once_per_interval();
    void loss_is_the_share_of_chunks_taken_back();
};

void NeighbourLinksTest::failed_neighbour_is_unusable_until_a_sign_of_life() {
    NeighbourLinks links;
    QVERIFY(!links.record_life(first, at(0s)));  // the neighbour is unknown
    QVERIFY(!links.connect(first, at(0s)));
    QVERIFY(links.is_usable(first));
    QVERIFY(links.try_fail(first));
    QVERIFY(!links.try_fail(first));
    QVERIFY(!links.is_usable(first));
    QVERIFY(links.record_life(first, at(2s)));
    QVERIFY(!links.record_life(first, at(3s)));
    QVERIFY(links.is_usable(first));
    QCOMPARE(links.find(first)->heard, at(3s));
}

void NeighbourLinksTest::new_connection_ends_a_failure() {
    NeighbourLinks links;
    QVERIFY(!links.connect(first, at(0s)));
    QVERIFY(links.try_fail(first));
    links.disconnect(first);
    QVERIFY(links.connect(first, at(1s)));
    QVERIFY(links.is_usable(first));
}

void NeighbourLinksTest::unconnected_neighbour_cannot_fail() {
    NeighbourLinks links;
    QVERIFY(!links.try_fail(first));
    links.disconnect(first);
    QVERIFY(links.find(first));
    QVERIFY(!links.try_fail(first));
    links.erase(first);
    QVERIFY(!links.find(first));
}

void NeighbourLinksTest::beats_go_to_connected_neighbours_once_per_interval() {
    NeighbourLinks links;
    (void)links.connect(second, at(0s));
    (void)links.connect(first, at(0s));
    QVERIFY(links.take_beats(at(0s), 100ms) == (std::vector{first, second}));
    QVERIFY(links.take_beats(at(99ms), 100ms).empty());
    links.disconnect(first);
    QVERIFY(links.take_beats(at(100ms), 100ms) == std::vector{second});
}

void NeighbourLinksTest::loss_is_the_share_of_chunks_taken_back() {
    NeighbourLinks links;
    (void)links.connect(first, at(0s));
    links.measure(at(0s));
    for (int i = 0; i < 4; ++i) links.count_sent(first, 1000);
    links.count_again(first, 1);
    links.count_delivered(first, 3000, 5ms);
    links.count_again(second, 1);  // an unknown neighbour is ignored
    links.measure(at(1s));
    QCOMPARE(links.find(first)->sent, std::uint64_t{4000});
    QCOMPARE(links.find(first)->loss, 0.25);
    QCOMPARE(links.find(first)->quality.bytes_per_s, 3000.0);
    links.measure(at(2s));
    QCOMPARE(links.find(first)->loss, 0.0);
    links.count_again(first, 2);  // these were sent in an earlier period
    links.measure(at(3s));
    QCOMPARE(links.find(first)->loss, 1.0);
}

DIVISI_TEST(NeighbourLinksTest)

}  // namespace neighbour_links_test

#include "neighbour_links_test.moc"
