// SPDX-License-Identifier: Apache-2.0
#include "backend/ctl/terminal/times.h"

#include "tests/support/test_program.h"

namespace times_test {

using namespace divisi;
using namespace divisi::ctl;
using std::chrono::hours, std::chrono::seconds;

class TimesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void durations_have_a_unit();
    void times_are_local_or_relative();
};

void TimesTest::durations_have_a_unit() {
    QCOMPARE(*parse_seconds("90s"), std::int64_t{90});
    QCOMPARE(*parse_seconds("30m"), std::int64_t{1800});
    QCOMPARE(*parse_seconds("2h"), std::int64_t{7200});
    QCOMPARE(*parse_seconds("7d"), std::int64_t{604800});
    for (const char* bad : {"", "2", "h", "0h", "-1h", "2 h", "2hours", "1.5h", "99999999999999999999d", "9999999999d"})
        QVERIFY2(!parse_seconds(bad), bad);
    QVERIFY(parse_seconds("x").error().message().find("write 90s") != std::string::npos);
}

void TimesTest::times_are_local_or_relative() {
    qputenv("TZ", "UTC-2");  // two hours east of UTC
    ::tzset();
    const TimePoint now{seconds(1000)};
    QVERIFY(*parse_time("+2h", now) == now + hours(2));
    QVERIFY(*parse_time("2026-11-22 21:30", now) == TimePoint(seconds(1795375800)));
    for (const char* bad : {"", "+", "+0s", "21:30", "2026-11-22", "2026-13-22 21:30", "2026-11-22 21:30:99x", "now"})
        QVERIFY2(!parse_time(bad, now), bad);
}

DIVISI_TEST(TimesTest)

}  // namespace times_test

#include "times_test.moc"
