// SPDX-License-Identifier: Apache-2.0
#include "agents/router/usable_policy.h"

#include "tests/support/test_program.h"

namespace usable_policy_test {

using namespace divisi;
using namespace divisi::router;
using control::PolicyEntry;
using control::PolicyKey;

class UsablePolicyTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void bad_policy_entry_does_not_affect_the_others();
    void window_is_at_most_a_quarter_of_the_buffer();
    void limits_of_gateways_have_bounds();
};

void UsablePolicyTest::bad_policy_entry_does_not_affect_the_others() {
    const PolicyEntry share{PolicyKey::share, "mg-1", "mg-2", 40}, window{PolicyKey::window, "", "", 64 << 20};
    const UsablePolicy taken = usable({7, {window, share}}, Bytes{128} << 20);
    QCOMPARE(taken.policy.version, std::uint64_t{7});
    QCOMPARE(taken.policy.entries, std::vector{share});
    QVERIFY(taken.refused && taken.refused->message().find("window=64MiB") != std::string::npos);
    const UsablePolicy all = usable({8, {window, share}}, Bytes{256} << 20);
    QCOMPARE(all.policy.entries, (std::vector{window, share}));
    QVERIFY(!all.refused);
    QVERIFY(usable({9, {{PolicyKey::blob_share, "", "", 101}}}, Bytes{256} << 20).refused);
    QVERIFY(usable({9, {{PolicyKey::share, "", "", 101}}}, Bytes{256} << 20).policy.entries.empty());
}

void UsablePolicyTest::window_is_at_most_a_quarter_of_the_buffer() {
    const auto takes = [](std::int64_t window) {
        return !usable({1, {{PolicyKey::window, "", "", window}}}, Bytes{32} << 20).refused;
    };
    QVERIFY(takes(8 << 20));
    QVERIFY(!takes((8 << 20) + 1));
    QVERIFY(!takes(0));
}

void UsablePolicyTest::limits_of_gateways_have_bounds() {
    const auto takes = [](PolicyKey key, std::int64_t value) {
        return !usable({1, {{key, "mg-1", "", value}}}, 1).refused;
    };
    for (const PolicyKey rate : {PolicyKey::mic_rate, PolicyKey::task_rate})
        QVERIFY(takes(rate, 0) && takes(rate, 1'000'000) && !takes(rate, 999'999) && !takes(rate, -1));
    QVERIFY(takes(PolicyKey::retries, 0) && !takes(PolicyKey::retries, -1));
    QVERIFY(takes(PolicyKey::breaker, 1) && !takes(PolicyKey::breaker, 0));
    for (const PolicyKey time : {PolicyKey::breaker_window, PolicyKey::breaker_open})
        QVERIFY(takes(time, 500) && takes(time, 3'600'000) && !takes(time, 499) && !takes(time, 3'600'001));
    for (const PolicyKey count : {PolicyKey::alarm_retries, PolicyKey::alarm_refusals})
        QVERIFY(takes(count, 1) && takes(count, 1'000'000) && !takes(count, 0) && !takes(count, 1'000'001));
    QVERIFY(takes(PolicyKey::alarm_latency, 1) && !takes(PolicyKey::alarm_latency, 0));
    QVERIFY(takes(PolicyKey::alarm_full, 100) && !takes(PolicyKey::alarm_full, 99));
    QVERIFY(!takes(PolicyKey::alarm_latency, 60'001) && !takes(PolicyKey::alarm_full, 60'001));
}

DIVISI_TEST(UsablePolicyTest)

}  // namespace usable_policy_test

#include "usable_policy_test.moc"
