// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/forwarding/breaker_set.h"

#include "tests/support/test_program.h"

namespace breaker_set_test {

using namespace divisi;
using namespace divisi::mesh;
using namespace std::chrono_literals;

namespace {

const RoutingId failing(3), sound(4);
const FlowKey flow{1, 2, 3}, other{1, 2, 4};
const TimePoint start(1h);

bool yes(RoutingId) { return true; }
bool no(RoutingId) { return false; }
bool exists(const FlowKey&) { return true; }

/// Returns breakers; the one of the failing neighbour is open.
BreakerSet opened() {
    BreakerSet breakers;
    while (!breakers.record_failure(failing, start)) {}
    return breakers;
}

}  // namespace

/// Tests the breakers of several neighbours together.
class BreakerSetTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void third_failure_ejects_the_neighbour();
    void configuration_applies_to_all_breakers();
    void one_flow_tries_the_link_and_closes_the_breaker();
    void flow_on_another_path_lets_others_try_the_link();
    void ended_flow_lets_others_try_the_link();
    void device_that_left_is_forgotten();
};

void BreakerSetTest::third_failure_ejects_the_neighbour() {
    BreakerSet breakers;
    QVERIFY(!breakers.record_failure(failing, start));
    QVERIFY(!breakers.record_failure(sound, start));
    QVERIFY(!breakers.record_failure(failing, start));
    QVERIFY(breakers.record_failure(failing, start) == BreakerConfig().shortest);
    QVERIFY(breakers.refuse(flow, yes) == std::vector{failing});
    QVERIFY(breakers.refuse(flow, no).empty());  // unusable neighbours are avoided anyway
    QCOMPARE(breakers.views().size(), std::size_t{1});
    QVERIFY(breakers.views()[0].id == failing);
    QVERIFY(!breakers.views()[0].half_open);
}

void BreakerSetTest::configuration_applies_to_all_breakers() {
    BreakerSet breakers;
    QVERIFY(!breakers.record_failure(failing, start));
    BreakerConfig config;
    config.failures = 2;
    breakers.set(config);
    QVERIFY(breakers.record_failure(failing, start));
    QVERIFY(!breakers.record_failure(sound, start));
    QVERIFY(breakers.record_failure(sound, start));
}

void BreakerSetTest::one_flow_tries_the_link_and_closes_the_breaker() {
    BreakerSet breakers = opened();
    QVERIFY(!breakers.record_success(failing, flow, start));
    QVERIFY(!breakers.tick(start + 4s, yes, exists));
    QVERIFY(breakers.tick(start + 5s, yes, exists));
    QVERIFY(breakers.views().at(0).half_open);
    QVERIFY(breakers.refuse(flow, yes).empty());
    QVERIFY(breakers.refuse(other, yes) == std::vector{failing});
    for (int i = 0; i < 2; ++i) QVERIFY(!breakers.record_success(failing, flow, start + 5s));
    QVERIFY(breakers.record_success(failing, flow, start + 5s));
    QVERIFY(breakers.views().empty());
    QVERIFY(breakers.refuse(other, yes).empty());
}

void BreakerSetTest::flow_on_another_path_lets_others_try_the_link() {
    BreakerSet breakers = opened();
    QVERIFY(breakers.tick(start + 5s, yes, exists));
    QVERIFY(breakers.refuse(flow, yes).empty());
    breakers.let_go(flow, failing);
    QVERIFY(!breakers.refuse(other, yes).empty());
    breakers.let_go(flow, sound);
    QVERIFY(breakers.refuse(other, yes).empty());
    breakers.let_go(other, std::nullopt);  // the flow has no path at all
    QVERIFY(breakers.refuse(flow, yes).empty());
}

void BreakerSetTest::ended_flow_lets_others_try_the_link() {
    BreakerSet breakers = opened();
    QVERIFY(breakers.tick(start + 5s, yes, exists));
    QVERIFY(breakers.refuse(flow, yes).empty());
    QVERIFY(!breakers.tick(start + 6s, yes, exists));
    QVERIFY(breakers.tick(start + 7s, yes, [](const FlowKey& key) { return key != flow; }));
    QVERIFY(breakers.refuse(other, yes).empty());
}

void BreakerSetTest::device_that_left_is_forgotten() {
    BreakerSet breakers = opened();
    QVERIFY(!breakers.tick(start, no, exists));
    QVERIFY(breakers.views().empty());
}

DIVISI_TEST(BreakerSetTest)

}  // namespace breaker_set_test

#include "breaker_set_test.moc"
