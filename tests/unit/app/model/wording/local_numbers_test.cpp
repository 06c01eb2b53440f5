// SPDX-License-Identifier: GPL-3.0-or-later
// Tests that figures on screen follow the language's number format. Files use a neutral format (curve_csv_test.cpp).
#include <QLocale>

#include "app/model/wording/range_text.h"
#include "app/model/wording/text.h"
#include "tests/support/test_program.h"

namespace local_numbers_test {

using namespace divisi;

class LocalNumbersTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void cleanup() { QLocale::setDefault(QLocale(QLocale::English)); }

    void number_format_follows_the_language() {
        QLocale::setDefault(QLocale(QLocale::German));
        QCOMPARE(model::bytes_text(1536), QStringLiteral("1,5 KiB"));
        QCOMPARE(model::flops_text(2.1e9), QStringLiteral("2,1 GFLOP"));
        QCOMPARE(model::figure_text(0.125, 3), QStringLiteral("0,125"));
        QCOMPARE(model::fixed_text(2.5, 1), QStringLiteral("2,5"));
        QCOMPARE(model::change_text(0.125, 1), QStringLiteral("+12,5 %"));
        QCOMPARE(model::change_text(-0.125, 1), QStringLiteral("-12,5 %"));
    }

    /// Figures in English match those in the terminal.
    void english_numbers_stay_unchanged() {
        QLocale::setDefault(QLocale(QLocale::English));
        for (const Bytes bytes : {Bytes{0}, Bytes{999}, Bytes{1536}, Bytes{200} << 20, Bytes{5} << 40})
            QCOMPARE(model::bytes_text(bytes), QString::fromStdString(format_bytes(bytes)));
        for (const Flops flops : {0.0, 512.0, 2.1e3, 345e9, 1.2e15})
            QCOMPARE(model::flops_text(flops), QString::fromStdString(format_flops(flops)));
    }

    void ranges_have_units() {
        QLocale::setDefault(QLocale(QLocale::English));
        QCOMPARE(model::range_text({1, 1 << 20}, "samples"), QStringLiteral("1 to 1,048,576 samples"));
        QCOMPARE(model::range_text({0, {}}, nullptr), QStringLiteral("from 0"));
        QCOMPARE(model::range_text({0, 1, true}, nullptr), QStringLiteral("0 to below 1"));
        QCOMPARE(model::help_text(QStringLiteral("Samples"), model::range_text({1, 8}, nullptr)),
                 QStringLiteral("Samples. Range: 1 to 8"));
    }
};

DIVISI_TEST(LocalNumbersTest)

}  // namespace local_numbers_test

#include "local_numbers_test.moc"
