// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/route/avoided_links.h"

#include "tests/support/test_program.h"

namespace avoided_links_test {

using namespace divisi;
using namespace divisi::mesh;
using namespace std::chrono_literals;

namespace {

TimePoint at(Duration time) { return TimePoint(1h + time); }

const RoutingId first(1), middle(3), last(2);
const LinkKey refusing = link_key(middle, last), sound = link_key(first, middle);
const Path way{first, middle, last};

bool avoided(const AvoidedLinks& links, const LinkKey& which = refusing) {
    Avoid avoid;
    links.add_to(avoid);
    return avoid.links.contains(which);
}

/// Lets the link refuse `times` times, each time as soon as it may be tried again. Returns the end of the last pause.
Duration refuse(AvoidedLinks& links, int times, Duration now = 0s) {
    Duration length = first_avoidance;
    for (int i = 0; i < times; ++i, length = std::min<Duration>(2 * length, longest_avoidance)) {
        links.refused(refusing, at(now));
        now += length;
        links.tick(at(now));
    }
    return now;
}

/// Returns how long the link is avoided if it refuses now, rounded to 10 ms.
Duration next_length(AvoidedLinks& links, Duration now) {
    links.refused(refusing, at(now));
    Duration length = 0s;
    while (avoided(links) && length < 1min) links.tick(at(now + (length += 10ms)));
    return length;
}

}  // namespace

/// Tests how long links that refused flows are avoided.
class AvoidedLinksTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void each_refusal_doubles_the_pause_up_to_a_bound();
    void thousand_simultaneous_refusals_count_once();
    void delivery_shortens_the_next_pause();
    void delivery_during_the_pause_changes_nothing();
    void long_unused_link_is_forgotten();
    void links_removed_from_the_table_are_forgotten();
    void path_is_doubted_until_a_delivery_or_the_end_of_a_trial();
};

void AvoidedLinksTest::each_refusal_doubles_the_pause_up_to_a_bound() {
    AvoidedLinks links;
    Duration now = 0s;
    for (const Duration length : {250ms, 500ms, 1'000ms, 2'000ms, 4'000ms, 5'000ms, 5'000ms}) {
        links.refused(refusing, at(now));
        now += length;
        QVERIFY(!links.tick(at(now - 1ms)));
        QVERIFY(avoided(links));
        QVERIFY(!avoided(links, sound));
        QVERIFY(links.tick(at(now)));
        QVERIFY(!avoided(links));
        QVERIFY(!links.tick(at(now)));  // reported only once
    }
}

void AvoidedLinksTest::thousand_simultaneous_refusals_count_once() {
    AvoidedLinks links;
    for (int i = 0; i < 1'000; ++i) links.refused(refusing, at(i * 200us));
    QVERIFY(links.tick(at(first_avoidance)));
    QVERIFY(!avoided(links));
    QCOMPARE(next_length(links, first_avoidance), Duration(2 * first_avoidance));
}

void AvoidedLinksTest::delivery_shortens_the_next_pause() {
    AvoidedLinks links;
    const Duration now = refuse(links, 4);
    links.passed({first, middle});  // the delivery did not use the link
    QCOMPARE(next_length(links, now), Duration(4s));
    links.passed(way);
    QCOMPARE(next_length(links, now + 4s), Duration(first_avoidance));
}

void AvoidedLinksTest::delivery_during_the_pause_changes_nothing() {
    AvoidedLinks links;
    const Duration now = refuse(links, 2);
    links.refused(refusing, at(now));
    links.passed(way);  // the delivered chunk was sent before the refusal
    QVERIFY(avoided(links));
    QVERIFY(links.tick(at(now + 1s)));
    QCOMPARE(next_length(links, now + 1s), Duration(2s));
}

void AvoidedLinksTest::long_unused_link_is_forgotten() {
    AvoidedLinks links;
    const Duration now = refuse(links, 8);
    links.tick(at(now + longest_avoidance - 1ms));
    AvoidedLinks earlier = links;
    QCOMPARE(next_length(earlier, now + longest_avoidance - 1ms), Duration(longest_avoidance));
    links.tick(at(now + longest_avoidance));
    QCOMPARE(next_length(links, now + longest_avoidance), Duration(first_avoidance));
}

void AvoidedLinksTest::links_removed_from_the_table_are_forgotten() {
    AvoidedLinks links;
    links.refused(refusing, at(0s));
    Topology topology;
    const auto router = [](RoutingId id) {
        Device device;
        device.id = id;
        device.name = "sr-" + std::to_string(id.value());
        return device;
    };
    const std::vector<Device> devices{router(first), router(last), router(middle)};
    QVERIFY(topology.set(devices, {{first, middle, 1e-4, 1e9}, {last, middle, 1e-4, 1e9}}).ok());
    links.keep_only(topology);
    QVERIFY(avoided(links));
    QVERIFY(topology.set(devices, {{first, middle, 1e-4, 1e9}}).ok());
    links.keep_only(topology);
    QVERIFY(!avoided(links));
}

void AvoidedLinksTest::path_is_doubted_until_a_delivery_or_the_end_of_a_trial() {
    AvoidedLinks links;
    QVERIFY(!links.doubts(way, at(0s)));
    links.refused(refusing, at(0s));
    QVERIFY(links.doubts(way, at(1ms)));
    QVERIFY(links.tick(at(first_avoidance)));
    const TimePoint tried = at(first_avoidance);
    QVERIFY(links.doubts(way, tried + 1ms));
    QVERIFY(links.doubts({last, middle, first}, tried + 1ms));
    QVERIFY(!links.doubts({first, middle}, tried + 1ms));
    QVERIFY(!links.doubts({}, tried + 1ms));
    AvoidedLinks idle = links;
    QVERIFY(idle.doubts(way, tried + longest_trial - 1ms));
    QVERIFY(!idle.doubts(way, tried + longest_trial));
    links.passed(way);
    QVERIFY(!links.doubts(way, tried + 1ms));
}

DIVISI_TEST(AvoidedLinksTest)

}  // namespace avoided_links_test

#include "avoided_links_test.moc"
