// SPDX-License-Identifier: Apache-2.0
#include "backend/ctl/terminal/outage.h"

#include "tests/support/test_program.h"

namespace outage_test {

using namespace divisi;
using namespace divisi::ctl;
using std::chrono::hours, std::chrono::milliseconds, std::chrono::seconds;

class OutageTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void short_outage_is_not_reported();
    void long_outage_is_reported_once_with_its_end();
    void waiting_ends_after_the_given_time();
};

void OutageTest::short_outage_is_not_reported() {
    TimePoint now{seconds(100)};
    Outage outage(std::nullopt);
    QVERIFY(!outage.away());
    outage.lost(now, "it ended");
    QVERIFY(outage.away());
    QVERIFY(outage.waits(now += short_outage - milliseconds(1)).empty());
    QVERIFY(outage.back(now).empty());
    QVERIFY(!outage.away());
}

void OutageTest::long_outage_is_reported_once_with_its_end() {
    TimePoint now{seconds(100)};
    Outage outage(std::nullopt);
    outage.lost(now, "it ended");
    outage.lost(now + seconds(1), "nobody listens");  // further attempts fail during the same outage
    const std::string told = outage.waits(now + seconds(4));
    QVERIFY2(told.find("nobody listens") != std::string::npos, told.c_str());
    QVERIFY(outage.waits(now + seconds(5)).empty());
    QVERIFY(!outage.over(now + hours(100)));
    const std::string back = outage.back(now + seconds(61));
    QVERIFY2(back.find("61 s") != std::string::npos, back.c_str());
    outage.lost(now + seconds(70), "again");
    QVERIFY(!outage.waits(now + seconds(80)).empty());
}

void OutageTest::waiting_ends_after_the_given_time() {
    const TimePoint now{seconds(100)};
    Outage outage(seconds(10));
    QVERIFY(!outage.over(now));
    outage.lost(now, "");
    QVERIFY(!outage.over(now + milliseconds(9999)));
    QVERIFY(outage.over(now + seconds(10)));
    const std::string told = outage.waits(now + seconds(4));
    QVERIFY2(told.find("10 s") != std::string::npos, told.c_str());
}

DIVISI_TEST(OutageTest)

}  // namespace outage_test

#include "outage_test.moc"
