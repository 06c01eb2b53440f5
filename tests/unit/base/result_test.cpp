// SPDX-License-Identifier: Apache-2.0

#include "backend/base/result.h"
#include "backend/base/units.h"
#include "tests/support/test_program.h"

namespace result_test {

using namespace divisi;

namespace {
Result<int> half(int value) {
    if (value % 2 != 0) return Error{ErrorCode::invalid_input, "odd number", "half", "give an even one"};
    return value / 2;
}
Result<int> quarter(int value) {
    DIVISI_ASSIGN(const int once, half(value));
    DIVISI_ASSIGN(const int twice, half(once));
    return twice;
}
}  // namespace

class ResultTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void passes_values_and_errors_through();
    void error_message_has_what_where_and_next_step();
    void units_are_human_readable();
};

void ResultTest::passes_values_and_errors_through() {
    QCOMPARE(quarter(12).value(), 3);
    const auto failed = quarter(6);
    QVERIFY(!failed.ok());
    QCOMPARE(failed.error().code, ErrorCode::invalid_input);
}

void ResultTest::error_message_has_what_where_and_next_step() {
    QCOMPARE(half(3).error().message(), std::string("half: odd number; give an even one"));
}

void ResultTest::units_are_human_readable() {
    QCOMPARE(format_bytes(1536), std::string("1.5 KiB"));
    QCOMPARE(format_flops(2.1e9), std::string("2.1 GFLOP"));
    QCOMPARE(format_duration_ms(200000), std::string("3 min 20 s"));
    QCOMPARE(format_duration_ms(1.26), std::string("1.3 ms"));
    QCOMPARE(format_duration_ms(0.9996), std::string("1.0 ms"));
    QCOMPARE(format_duration_ms(0.04218), std::string("42 us"));
    QCOMPARE(format_duration_ms(0.0012), std::string("1.2 us"));
    QCOMPARE(format_duration_ms(0), std::string("0.0 ms"));
}

DIVISI_TEST(ResultTest)

}  // namespace result_test

#include "result_test.moc"
