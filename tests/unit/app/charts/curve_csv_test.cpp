// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/curve_export.h"

#include <QFile>
#include <QLocale>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <cmath>

#include "tests/support/test_program.h"

namespace curve_csv_test {

using namespace divisi::charts;
using divisi::model::Series;

namespace {

struct Shown {
    QTemporaryDir folder;
    divisi::model::SeriesStore store;

    Shown() {
        Series& busy = store.series("busy");
        for (int i = 0; i < 200'000; ++i) busy.append(i, i);
        for (int step = 1; step <= 3; ++step) store.series("loss").append(step, 0.5);
    }
    /// Returns the second half of one curve, with x counted from the start of the half, and the whole other curve.
    std::vector<CurveExport::Part> parts() const {
        return {{{QStringLiteral("Computing"), QStringLiteral("Stage 1"), QStringLiteral("s"), QStringLiteral("%"), {}},
                 store.find("busy"),
                 100'000,
                 199'999,
                 100'000,
                 1},
                {{QStringLiteral("Loss"), QStringLiteral("Training"), QStringLiteral("step"), {}, {}},
                 store.find("loss"),
                 0,
                 10,
                 0,
                 1}};
    }
};

}  // namespace

class CurveCsvTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void csv_numbers_have_a_decimal_point_in_every_language() {
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

    void nan_inf_and_names_with_commas_are_valid_csv() {
        const QByteArray text = curve_csv({{QStringLiteral("A, \"b\""),
                                            QStringLiteral("c"),
                                            QStringLiteral("s"),
                                            QStringLiteral("ms"),
                                            {{0.5, std::nan("")}, {1, HUGE_VAL}}}});
        QVERIFY2(text.contains("\"A, \"\"b\"\"\",c,0.5,s,nan,ms\n"), text.constData());
        QVERIFY(text.contains(",inf,ms\n"));
        QCOMPARE(curve_csv({}), QByteArray("chart,curve,x,x_unit,value,unit\n"));
    }

    /// Exports more points than one call writes, from a part of one curve and from a whole one.
    void long_export_returns_at_once_and_completes_later() {
        const Shown shown;
        const QString file = shown.folder.filePath(QStringLiteral("curves.csv"));
        CurveExport out;
        QSignalSpy ended(&out, &CurveExport::ended), failed(&out, &CurveExport::failed);
        out.start(file, shown.parts());
        QVERIFY(out.active() && !QFile::exists(file));
        QTRY_COMPARE(ended.size(), 1);
        QVERIFY(!out.active() && failed.isEmpty());
        QCOMPARE(ended[0][1].toLongLong(), 100'000 + 3);
        QFile written(file);
        QVERIFY(written.open(QIODevice::ReadOnly));
        const QList<QByteArray> rows = written.readAll().split('\n');
        QCOMPARE(rows.size(), 1 + 100'000 + 3 + 1);
        QVERIFY2(rows[1].startsWith("Computing,Stage 1,0,s,"), rows[1].constData());
        QCOMPARE(rows[1].split(',')[4].toDouble(), 100'000.0);
        QCOMPARE(rows[100'000].split(',')[2].toDouble(), 99'999.0);
        QCOMPARE(rows[100'000].split(',')[4].toDouble(), 199'999.0);
        QCOMPARE(rows[100'003], QByteArray("Loss,Training,3,step,0.5,"));
    }

    void an_export_that_is_cancelled_leaves_no_file() {
        const Shown shown;
        const QString file = shown.folder.filePath(QStringLiteral("curves.csv"));
        CurveExport out;
        QSignalSpy ended(&out, &CurveExport::ended), failed(&out, &CurveExport::failed);
        out.start(file, shown.parts());
        out.cancel();
        QTRY_COMPARE(failed.size(), 1);
        QVERIFY(ended.isEmpty() && !out.active() && !QFile::exists(file));
        out.start(QStringLiteral("/nonexistent/curves.csv"), shown.parts());
        QTRY_COMPARE(failed.size(), 2);
        QVERIFY(ended.isEmpty());
        out.start(file, shown.parts());  // destroyed during the export
    }
};

DIVISI_WINDOW_TEST(CurveCsvTest)

}  // namespace curve_csv_test

#include "curve_csv_test.moc"
