// SPDX-License-Identifier: GPL-3.0-or-later
// Tests that the window stays responsive during planning. Measures the stalls of its event loop with a model of 10,002
// operators.
#include <QDialog>
#include <QElapsedTimer>
#include <QFileDialog>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTableWidget>

#include "tests/gui/connected_console.h"
#include "tests/gui/console.h"
#include "tests/gui/onnx_files.h"
#include "tests/gui/scripted_client.h"
#include "tests/support/cpu_time.h"
#include "tests/support/test_program.h"

namespace stall_test {

using namespace divisi;

namespace {

/// Longest allowed stall: users notice a longer one as an interruption.
constexpr double longest_ms = 100;

/// Measures the longest stall between two iterations of the event loop, by clock and by CPU time.
class StallMeter : public QObject {
public:
    StallMeter() {
        tick_.setInterval(0);
        connect(&tick_, &QTimer::timeout, this, &StallMeter::turn);
    }
    /// Performs a gesture in the window, and measures until the window has been idle for a while.
    void measure(const char* name, const std::function<void()>& gesture, const std::function<bool()>& until = {}) {
        worst_ms_ = worst_clock_ms_ = 0;
        restart();
        tick_.start();
        gesture();
        QCoreApplication::processEvents();
        if (until && !QTest::qWaitFor(until, 60'000)) QTest::qFail(name, __FILE__, __LINE__);
        QTest::qWait(300);
        tick_.stop();
        qInfo("%-44s %6.1f ms, by the clock %6.1f ms", name, worst_ms_, worst_clock_ms_);
        if (worst_ms_ >= longest_ms) too_long_ << QString::fromLatin1(name);
    }
    const QStringList& too_long() const { return too_long_; }

private:
    void restart() {
        clock_.start();
        computed_ms_ = testing::thread_cpu_ms();
    }
    void turn() {
        worst_ms_ = std::max(worst_ms_, testing::thread_cpu_ms() - computed_ms_);
        worst_clock_ms_ = std::max(worst_clock_ms_, static_cast<double>(clock_.nsecsElapsed()) / 1e6);
        restart();
    }

    QTimer tick_;
    QElapsedTimer clock_;
    double computed_ms_ = 0, worst_ms_ = 0, worst_clock_ms_ = 0;
    QStringList too_long_;
};

}  // namespace

class StallTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void model_of_ten_thousand_operators_never_stalls_the_window();
    void followed_run_uses_little_cpu_time();
};

void StallTest::model_of_ten_thousand_operators_never_stalls_the_window() {
    testing::ConnectedConsole shown;
    const QString path = shown.console.folder.filePath(QStringLiteral("large.onnx"));
    testing::write_onnx(testing::residual(3334), path);
    StallMeter meter;
    auto& window = *shown.console.window;
    const auto planned = [&] {
        return !window.context().prices.busy() && window.context().prices.prices() && !window.context().pool.busy() &&
               !testing::WindowParts::graph_view(window).scopes().layouts().service().busy();
    };
    meter.measure(
        "opening it", [&] { window.open_path(path); },
        [&] { return shown.console.document().model() != nullptr && planned(); });
    QCOMPARE(shown.console.document().model()->node_count(), 10'002);
    auto& steps = *shown.console.find<QLineEdit>("train.steps");
    steps.setFocus();
    for (const char* digit : {"1", "2", "3"})
        meter.measure(
            "a digit in the form", [&] { QTest::keyClicks(&steps, QString::fromLatin1(digit)); }, planned);
    shown.console.view().setFocus();
    meter.measure(
        "adding a cut", [&] { QTest::keyClick(&shown.console.view(), Qt::Key_D, Qt::ControlModifier); }, planned);
    meter.measure(
        "moving it by a key", [&] { QTest::keyClick(&shown.console.view(), Qt::Key_Down); }, planned);
    meter.measure(
        "undoing that", [&] { QTest::keyClick(&shown.console.view(), Qt::Key_Z, Qt::ControlModifier); }, planned);
    shown.console.find<QSpinBox>("stages")->setValue(4);
    meter.measure(
        "equal FLOPs", [&] { QTest::keyClick(&shown.console.view(), Qt::Key_E, Qt::ControlModifier); }, planned);
    const QString picture = shown.console.folder.filePath(QStringLiteral("large.svg"));
    shown.console.action("export_graph")->trigger();
    auto* dialog = shown.console.find<QFileDialog>("exportGraphDialog");
    dialog->selectFile(picture);
    meter.measure(
        "exporting the graph", [&] { static_cast<QDialog*>(dialog)->accept(); },
        [&] { return QFile::exists(picture); });
    window.activateWindow();  // the dialog was active
    QVERIFY(QTest::qWaitForWindowActive(&window));
    meter.measure(
        "the task graph", [&] { QTest::keyClick(&shown.console.view(), Qt::Key_2, Qt::ControlModifier); },
        [&] { return !window.context().units.units().empty(); });
    meter.measure("the model graph", [&] { QTest::keyClick(&window, Qt::Key_1, Qt::ControlModifier); });
    meter.measure("painting", [&] { QTest::keyClick(&shown.console.view(), Qt::Key_P); });
    meter.measure(
        "a new segment",
        [&] {
            QTest::keyClick(&shown.console.view(), Qt::Key_3);
            QTest::mouseClick(shown.console.view().viewport(), Qt::LeftButton, {},
                              shown.console.view().viewport()->rect().center());
        },
        planned);
    meter.measure(
        "undoing it", [&] { QTest::keyClick(&shown.console.view(), Qt::Key_Z, Qt::ControlModifier); }, planned);
    meter.measure("running it", [&] { QTest::keyClick(&window, Qt::Key_F5); });
    QVERIFY(!shown.cluster.all<client::SubmitText>().empty());
    QVERIFY2(meter.too_long().isEmpty(), qPrintable(meter.too_long().join(QStringLiteral("; "))));
}

void StallTest::followed_run_uses_little_cpu_time() {
    testing::ScriptedClient cluster;
    testing::Console console(&cluster);
    cluster.play();
    auto& state = cluster.cluster.state;
    // Use a large task file and a full undo history.
    std::vector<std::string> nodes;
    for (int i = 0; i < 20'000; ++i) nodes.push_back("/layers/" + std::to_string(i) + "/*");
    nodes.push_back("*");
    state.tasks.begin()->second.text = testing::TaskFile("gpt-text")
                                           .set("model.zoo", "gpt")
                                           .set("train.microbatches", 4)
                                           .set("split.strategy", "block")
                                           .append("split.segment", {{"nodes", nodes}})
                                           .text();
    console.find<QTableWidget>("taskTable")->setCurrentCell(0, 0);
    console.show_dock("Plans");
    QTest::qWait(500);
    double most_ms = 0;
    for (int tick = 0; tick < 12; ++tick) {
        const double before = testing::thread_cpu_ms();
        Q_EMIT cluster.dataChanged();
        most_ms = std::max(most_ms, testing::thread_cpu_ms() - before);
    }
    qInfo("a tick of a followed run: at most %.2f ms", most_ms);
    QVERIFY2(most_ms < 10, qPrintable(QString::number(most_ms)));
}

DIVISI_WINDOW_TEST(StallTest)

}  // namespace stall_test

#include "stall_test.moc"
