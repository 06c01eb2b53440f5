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

/// Refused so many times, each time as soon as it was tried; returns when it may be tried next.
Duration refuse(AvoidedLinks& links, int times, Duration now = 0s) {
    Duration length = first_avoidance;
    for (int i = 0; i < times; ++i, length = std::min<Duration>(2 * length, longest_avoidance)) {
        links.refused(refusing, at(now));
        now += length;
        links.tick(at(now));
    }
    return now;
}

/// How long it is avoided when it refuses now, to 10 ms.
Duration next_length(AvoidedLinks& links, Duration now) {
    links.refused(refusing, at(now));
    Duration length = 0s;
    while (avoided(links) && length < 1min) links.tick(at(now + (length += 10ms)));
    return length;
}

}  // namespace

/// For how long links that refused flows are left alone.
class AvoidedLinksTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void each_refusal_doubles_the_time_up_to_a_bound();
    void a_thousand_refusals_at_once_are_one();
    void what_passed_makes_the_next_time_short();
    void what_passes_while_it_is_avoided_says_nothing();
    void a_link_that_nobody_asked_for_long_is_forgotten();
    void links_that_left_the_table_are_forgotten();
    void a_path_is_doubted_until_something_has_passed_or_a_trial_is_over();
};

void AvoidedLinksTest::each_refusal_doubles_the_time_up_to_a_bound() {
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
        QVERIFY(!links.tick(at(now)));  // told once
    }
}

void AvoidedLinksTest::a_thousand_refusals_at_once_are_one() {
    AvoidedLinks links;
    for (int i = 0; i < 1'000; ++i) links.refused(refusing, at(i * 200us));
    QVERIFY(links.tick(at(first_avoidance)));
    QVERIFY(!avoided(links));
    QCOMPARE(next_length(links, first_avoidance), Duration(2 * first_avoidance));
}

void AvoidedLinksTest::what_passed_makes_the_next_time_short() {
    AvoidedLinks links;
    const Duration now = refuse(links, 4);
    links.passed({first, middle});  // not by the link
    QCOMPARE(next_length(links, now), Duration(4s));
    links.passed(way);
    QCOMPARE(next_length(links, now + 4s), Duration(first_avoidance));
}

void AvoidedLinksTest::what_passes_while_it_is_avoided_says_nothing() {
    AvoidedLinks links;
    const Duration now = refuse(links, 2);
    links.refused(refusing, at(now));
    links.passed(way);  // it went before the refusal
    QVERIFY(avoided(links));
    QVERIFY(links.tick(at(now + 1s)));
    QCOMPARE(next_length(links, now + 1s), Duration(2s));
}

void AvoidedLinksTest::a_link_that_nobody_asked_for_long_is_forgotten() {
    AvoidedLinks links;
    const Duration now = refuse(links, 8);
    links.tick(at(now + longest_avoidance - 1ms));
    AvoidedLinks earlier = links;
    QCOMPARE(next_length(earlier, now + longest_avoidance - 1ms), Duration(longest_avoidance));
    links.tick(at(now + longest_avoidance));
    QCOMPARE(next_length(links, now + longest_avoidance), Duration(first_avoidance));
}

void AvoidedLinksTest::links_that_left_the_table_are_forgotten() {
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

void AvoidedLinksTest::a_path_is_doubted_until_something_has_passed_or_a_trial_is_over() {
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
