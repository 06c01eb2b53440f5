// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/export_bar.h"

#include <QFile>
#include <QImage>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTranslator>

#include "app/charts/telemetry_notices.h"
#include "tests/support/test_program.h"

namespace export_bar_test {

using namespace divisi;
using namespace divisi::charts;

namespace {

/// A test language that puts texts of the cluster in angle brackets and translates nothing else.
class Frame : public QTranslator {
public:
    bool isEmpty() const override { return false; }
    QString translate(const char* context, const char* source, const char* comment, int) const override {
        const bool asked = QByteArray(context) == "divisi::client::Refusals" && QByteArray(source) == "%1" && comment;
        return asked ? QStringLiteral("<< %1 >>") : QString();
    }
};

/// A grid that shows the loss of three steps. The charts are brought up to date only for an export.
struct Exported {
    QTemporaryDir folder;
    model::SeriesStore store;
    ChartGrid grid;
    int updates = 0;
    ExportBar bar{grid, [this] {
                      ++updates;
                      LineChart::Line line;
                      line.name = QStringLiteral("Training");
                      line.series = store.find("loss");
                      grid.chart(Chart::loss).show_lines({line}, {});
                      grid.chart(Chart::speed).show_lines({line}, {});  // this chart is not placed
                  }};

    Exported() {
        for (int step = 1; step <= 3; ++step) store.series("loss").append(step, 0.5);
        grid.place({Chart::loss});
    }
    QString path(const char* name) const { return folder.filePath(QString::fromLatin1(name)); }
};

}  // namespace

class ExportBarTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void values_of_the_placed_charts_are_written() {
        Exported exported;
        QSignalSpy started(&exported.bar, &ExportBar::started), saved(&exported.bar, &ExportBar::saved);
        exported.bar.save_csv(exported.path("values.csv"));
        QVERIFY(exported.bar.active());
        QCOMPARE(exported.bar.csv().text(), QStringLiteral("Cancel the export"));
        exported.bar.save_csv(exported.path("other.csv"));  // ignored, since one export is running
        QTRY_COMPARE(saved.size(), 1);
        QCOMPARE(started.size(), 1);
        QCOMPARE(exported.updates, 1);
        QCOMPARE(exported.bar.csv().text(), QStringLiteral("Export values..."));
        QVERIFY(saved[0][0].toString().contains(QStringLiteral("values.csv")));
        QFile file(exported.path("values.csv"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QList<QByteArray> rows = file.readAll().split('\n');
        QCOMPARE(rows.size(), 1 + 3 + 1);
        QCOMPARE(rows[3], QByteArray("Loss,Training,3,step,0.5,"));
    }

    void an_error_is_quoted_in_another_language() {
        Exported exported;
        Frame frame;
        QCoreApplication::installTranslator(&frame);
        QSignalSpy failed(&exported.bar, &ExportBar::failed);
        exported.bar.save_csv(QStringLiteral("/nonexistent/values.csv"));
        QTRY_COMPARE(failed.size(), 1);
        QCoreApplication::removeTranslator(&frame);
        const QString said = failed[0][0].toString();
        QVERIFY2(said.startsWith(QStringLiteral("<< /nonexistent/values.csv: cannot write")), qPrintable(said));
        QVERIFY2(said.endsWith(QStringLiteral(" >>")), qPrintable(said));
    }

    void a_picture_is_written_at_once() {
        Exported exported;
        QVERIFY(exported.bar.save_image(exported.path("charts.png")).ok());
        QCOMPARE(exported.updates, 1);
        QVERIFY(!QImage(exported.path("charts.png")).isNull());
        QVERIFY(!exported.bar.save_image(QStringLiteral("/nonexistent/charts.png")).ok());
    }

    void a_notice_shows_either_a_problem_or_a_saved_file() {
        TelemetryNotices notices;
        const auto shows = [&](const char* name) {
            return !notices.findChild<QLabel*>(QString::fromLatin1(name))->isHidden();
        };
        notices.show_problem(QStringLiteral("the disk is full"));
        QVERIFY(shows("telemetryProblem") && !shows("telemetrySaved"));
        notices.show_saved(QStringLiteral("The charts are there."));
        QVERIFY(!shows("telemetryProblem") && shows("telemetrySaved"));
        notices.show_left_out(12, false);
        notices.clear();
        QVERIFY(!shows("telemetryProblem") && !shows("telemetrySaved") && shows("telemetryLeftOut"));
        notices.show_left_out(0, false);
        QVERIFY(!shows("telemetryLeftOut"));
    }
};

DIVISI_WINDOW_TEST(ExportBarTest)

}  // namespace export_bar_test

#include "export_bar_test.moc"
