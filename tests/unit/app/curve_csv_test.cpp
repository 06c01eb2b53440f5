// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/curve_csv.h"

#include <QLocale>
#include <QTest>
#include <cmath>

using namespace divisi::charts;

class CurveCsvTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void numbers_are_neutral_in_every_language() {
        QLocale::setDefault(QLocale(QLocale::German));
        const QByteArray text = curve_csv({{QStringLiteral("Loss"),
                                            QStringLiteral("Training"),
                                            QStringLiteral("step"),
                                            {},
                                            {{1, 0.1}, {1234567, 2.5e-7}}}});
        QLocale::setDefault(QLocale::c());
        const QList<QByteArray> rows = text.split('\n');
        QCOMPARE(rows[0], QByteArray("chart,curve,x,x_unit,value,unit"));
        QCOMPARE(rows[1], QByteArray("Loss,Training,1,step,0.1,"));
        QCOMPARE(rows[2].split(',')[2].toDouble(), 1234567.0);
        QCOMPARE(rows[2].split(',')[4].toDouble(), 2.5e-7);
        QCOMPARE(rows[2].split(',').size(), 6);
    }

    void what_is_no_number_and_names_with_commas_stay_readable() {
        const QByteArray text = curve_csv({{QStringLiteral("A, \"b\""),
                                            QStringLiteral("c"),
                                            QStringLiteral("s"),
                                            QStringLiteral("ms"),
                                            {{0.5, std::nan("")}, {1, HUGE_VAL}}}});
        QVERIFY2(text.contains("\"A, \"\"b\"\"\",c,0.5,s,nan,ms\n"), text.constData());
        QVERIFY(text.contains(",inf,ms\n"));
        QCOMPARE(curve_csv({}), QByteArray("chart,curve,x,x_unit,value,unit\n"));
    }
};

QTEST_MAIN(CurveCsvTest)
#include "curve_csv_test.moc"
