// SPDX-License-Identifier: GPL-3.0-or-later
// Tests a batch in the console: its form, a run on a real cluster, and its results as a file.
#include <QCheckBox>
#include <QComboBox>
#include <QDialog>
#include <QFileDialog>
#include <QLineEdit>
#include <QPushButton>
#include <QTableWidget>

#include "app/panels/training/tasks_panel.h"
#include "backend/task/parse.h"
#include "tests/gui/connected_console.h"
#include "tests/gui/console.h"
#include "tests/gui/live_console.h"
#include "tests/gui/onnx_files.h"
#include "tests/gui/scripted_client.h"
#include "tests/support/test_program.h"
#include "tests/system/programs.h"

namespace batch_test {

using namespace divisi;

namespace {

testing::TaskFile training() {
    return testing::TaskFile("digits")
        .set("model.zoo", "lenet")
        .section("train", {{"steps", 30}, {"optimizer", "adamw"}, {"eval_every", 5}})
        .section("split", {{"stages", 2}, {"schedule", "gpipe"}});
}

/// Gives the list the focus and chooses an entry with the keyboard.
void choose(testing::Console& console, const char* key, const char* what) {
    auto* box = console.find<QComboBox>(key);
    box->setFocus();
    for (int i = 0; i < box->count() && box->currentText() != QString::fromLatin1(what); ++i)
        QTest::keyClick(box, box->currentIndex() + 1 < box->count() ? Qt::Key_Down : Qt::Key_Home);
    QCOMPARE(box->currentText(), QString::fromLatin1(what));
}

void type(testing::Console& console, const char* key, const QString& text) {
    auto* line = console.find<QLineEdit>(key);
    line->setFocus();
    line->selectAll();
    QTest::keyClicks(line, text);
}

/// Returns the content of a file; empty if it cannot be read.
QByteArray content(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace

class BatchTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void form_shows_the_fields_of_a_batch();
    void only_a_batch_with_results_can_save_them();
    void batch_runs_and_its_results_are_saved();
};

void BatchTest::form_shows_the_fields_of_a_batch() {
    testing::ConnectedConsole shown;
    const QString task = shown.console.write("task.toml", training());
    QVERIFY(shown.console.loads([&] { shown.console.window->open_path(task); }));
    QVERIFY(shown.console.find<QLineEdit>("train.steps")->isVisible());
    QVERIFY(!shown.console.find<QLineEdit>("batch.output")->isVisible());
    const task::TaskSpec before = shown.console.window->context().draft.spec();

    choose(shown.console, "task.kind", "batch");
    for (const char* key : {"train.steps", "train.microbatches", "train.lr", "train.eval_every"})
        QVERIFY2(!shown.console.find<QLineEdit>(key)->isVisible(), key);
    QVERIFY(!shown.console.find<QComboBox>("split.schedule")->isVisible());
    QVERIFY(shown.console.find<QLineEdit>("train.batch")->isVisible());
    QVERIFY(shown.console.find<QLineEdit>("batch.output")->isVisible());
    // The zoo has no trained weights, so a file is required.
    QVERIFY(!testing::WindowParts::task_form(*shown.console.window).valid());
    QVERIFY(testing::WindowParts::task_form(*shown.console.window)
                .message("model.onnx")
                .contains(QStringLiteral("onnx = \"FILE\"")));
    const QString file = shown.console.folder.filePath(QStringLiteral("digits.onnx"));
    testing::write_lenet(file);
    QVERIFY(shown.console.loads([&] { type(shown.console, "model.onnx", file); }));
    QVERIFY(QTest::qWaitFor([&] { return testing::WindowParts::task_form(*shown.console.window).valid(); }, 20'000));
    choose(shown.console, "batch.values", "outputs");
    type(shown.console, "batch.output", QStringLiteral("said.csv"));
    const auto written = task::parse_task(shown.console.window->context().draft.text().toStdString(), "written");
    QVERIFY2(written.ok(), written.ok() ? "" : written.error().message().c_str());
    QCOMPARE(written->task.kind, std::string("batch"));
    QCOMPARE(written->batch.values, std::string("outputs"));
    QCOMPARE(written->batch.output, std::string("said.csv"));
    QCOMPARE(written->train.batch, before.train.batch);
    QVERIFY(QTest::qWaitFor([&] { return shown.console.action("run")->isEnabled(); }, 20'000));
    shown.console.shot("batch-form-dark");
    shown.console.window->set_theme(shell::Theme::light);
    shown.console.shot("batch-form-light");
    shown.console.window->set_language(QStringLiteral("zh_CN"));
    shown.console.shot("batch-form-chinese");
    shown.console.window->set_language(QStringLiteral("en"));

    // Undo restores all fields that the change of kind had removed.
    while (shown.console.document().undo_stack().canUndo()) shown.console.document().undo_stack().undo();
    QVERIFY(shown.console.window->context().draft.spec() == before);
    QVERIFY(shown.console.find<QLineEdit>("train.steps")->isVisible());
}

void BatchTest::only_a_batch_with_results_can_save_them() {
    testing::ConnectedConsole shown;
    shown.cluster.play();  // simulates a cluster with a running training
    const TaskId batch("score-1");
    const std::string text = testing::TaskFile("score").batch({"onnx", "m.onnx"}).set("data.samples", 8).text();
    shown.cluster.tell(
        control::TaskSubmitted{batch, "score", text, shown.console.folder.path().toStdString(), "", {}, "operator", 0});
    Q_EMIT shown.cluster.dataChanged();
    shown.console.show_dock("Tasks");
    auto* panel = shown.console.window->findChild<panels::TasksPanel*>();
    auto* save = shown.console.find<QPushButton>("saveResults");
    panel->select(TaskId("gpt-text-1"));
    QVERIFY(!save->isVisible());
    panel->select(batch);
    QVERIFY(!save->isVisible());
    shown.cluster.tell(
        control::WeightsStored{batch, InstanceId("score-1/stage-0/0#1"), 1, "hash", "/there", 9, 1, true});
    shown.cluster.tell(control::TaskEnded{batch, control::Outcome::succeeded, {}});
    Q_EMIT shown.cluster.dataChanged();
    QVERIFY(save->isVisible());
    QTest::mouseClick(save, Qt::LeftButton);
    auto* dialog = shown.console.find<QFileDialog>("resultsDialog");
    QCOMPARE(dialog->selectedFiles().value(0), shown.console.folder.filePath(QStringLiteral("score-results.csv")));
    static_cast<QDialog*>(dialog)->accept();
    QTRY_COMPARE(shown.cluster.last<client::SaveResults>().task, batch);
    QCOMPARE(shown.cluster.last<client::SaveResults>().file,
             shown.console.folder.filePath(QStringLiteral("score-results.csv")));
}

void BatchTest::batch_runs_and_its_results_are_saved() {
    const testing::EmbeddedCluster programs;
    QCOMPARE(programs.run({"run", programs.write("digits.toml", training())}).status, 0);
    const QString file = programs.folder() + QStringLiteral("/digits.onnx");
    QCOMPARE(programs.run({"model", "export", "digits", file}).status, 0);

    testing::LiveConsole live(programs);
    const QString task = programs.write("fresh.toml", training());
    QVERIFY(live.console.loads([&] { live.console.window->open_path(task); }));
    choose(live.console, "task.kind", "batch");
    QVERIFY(live.console.loads([&] { type(live.console, "model.onnx", file); }));
    type(live.console, "data.samples", QStringLiteral("21"));
    type(live.console, "task.name", QStringLiteral("score"));
    QVERIFY(QTest::qWaitFor([&] { return live.console.action("run")->isEnabled(); }, 30'000));
    live.console.action("run")->trigger();
    const TaskId id("score-1");
    const auto ended = [&] {
        const auto found = live.cluster.data().state.tasks.find(id);
        return found != live.cluster.data().state.tasks.end() && found->second.over();
    };
    QVERIFY(QTest::qWaitFor(ended, 60'000));
    const control::TaskView& view = live.cluster.data().state.tasks.at(id);
    QVERIFY2(view.outcome == control::Outcome::succeeded, view.error ? view.error->message().c_str() : "");
    live.console.show_dock("Tasks");
    auto* save = live.console.find<QPushButton>("saveResults");
    QVERIFY(save->isVisible());  // the submitted task is selected automatically
    live.console.shot("batch-results-dark");
    QSignalSpy saved(&live.cluster, &client::Client::resultsSaved);
    const QString ours = programs.folder() + QStringLiteral("/ours.csv");
    live.cluster.order(client::SaveResults{id, ours});
    QVERIFY(saved.wait(20'000));
    const QString theirs = programs.folder() + QStringLiteral("/theirs.csv");
    QCOMPARE(programs.run({"results", "score-1", theirs}).status, 0);
    QCOMPARE(content(ours).trimmed().count('\n'), 21);  // samples, without the line of names
    QCOMPARE(content(ours), content(theirs));
    // If the file cannot be written, the client reports it.
    QSignalSpy refused(&live.cluster, &client::Client::refused);
    live.cluster.order(client::SaveResults{id, QStringLiteral("/nowhere/at/all.csv")});
    QVERIFY(refused.wait(20'000));
    QVERIFY(refused[0][0].toString().contains(QStringLiteral("/nowhere/at/all.csv")));
}

DIVISI_WINDOW_TEST(BatchTest)

}  // namespace batch_test

#include "batch_test.moc"
