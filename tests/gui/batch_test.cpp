// SPDX-License-Identifier: GPL-3.0-or-later
// Tests a batch in the console: its form, a run on a real cluster, and its results as a file.
#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QLineEdit>
#include <QPushButton>
#include <QTableWidget>

#include "backend/task/parse.h"
#include "tests/gui/console.h"
#include "tests/gui/embedded_options.h"
#include "tests/gui/onnx_files.h"
#include "tests/gui/scripted_client.h"
#include "tests/support/test_program.h"
#include "tests/system/programs.h"

namespace batch_test {

using namespace divisi;
using divisi::tests::Programs;

namespace {

const char* training_text = R"(
[task]
name = "digits"
[model]
zoo = "lenet"
[data]
kind = "synthetic"
samples = 64
[train]
steps = 30
batch = 8
microbatches = 2
optimizer = "adamw"
eval_every = 5
[split]
stages = 2
schedule = "gpipe"
)";

/// Chooses an entry with the keyboard while the list has the focus.
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
    testing::ScriptedClient client;
    testing::Console console(&client);
    client.connect_to(QStringLiteral("lab"));
    const QString task = console.write("task.toml", training_text);
    QVERIFY(console.loads([&] { console.window->open_path(task); }));
    QVERIFY(console.find<QLineEdit>("train.steps")->isVisible());
    QVERIFY(!console.find<QLineEdit>("batch.output")->isVisible());
    const task::TaskSpec before = console.window->context().draft.spec();

    choose(console, "task.kind", "batch");
    for (const char* key : {"train.steps", "train.microbatches", "train.lr", "train.eval_every"})
        QVERIFY2(!console.find<QLineEdit>(key)->isVisible(), key);
    QVERIFY(!console.find<QComboBox>("split.schedule")->isVisible());
    QVERIFY(console.find<QLineEdit>("train.batch")->isVisible());
    QVERIFY(console.find<QLineEdit>("batch.output")->isVisible());
    // The zoo has no trained weights, so a file is required.
    QVERIFY(!testing::WindowParts::task_form(*console.window).valid());
    QVERIFY(testing::WindowParts::task_form(*console.window)
                .message("model.onnx")
                .contains(QStringLiteral("onnx = \"FILE\"")));
    const QString file = console.folder.filePath(QStringLiteral("digits.onnx"));
    testing::write_lenet(file);
    QVERIFY(console.loads([&] { type(console, "model.onnx", file); }));
    QVERIFY(QTest::qWaitFor([&] { return testing::WindowParts::task_form(*console.window).valid(); }, 20'000));
    choose(console, "batch.values", "outputs");
    type(console, "batch.output", QStringLiteral("said.csv"));
    const auto written = task::parse_task(console.window->context().draft.text().toStdString(), "written");
    QVERIFY2(written.ok(), written.ok() ? "" : written.error().message().c_str());
    QCOMPARE(written->task.kind, std::string("batch"));
    QCOMPARE(written->batch.values, std::string("outputs"));
    QCOMPARE(written->batch.output, std::string("said.csv"));
    QCOMPARE(written->train.batch, before.train.batch);
    QVERIFY(QTest::qWaitFor([&] { return console.action("run")->isEnabled(); }, 20'000));
    console.shot("batch-form-dark");
    console.window->set_theme(shell::Theme::light);
    console.shot("batch-form-light");
    console.window->set_language(QStringLiteral("zh_CN"));
    console.shot("batch-form-chinese");
    console.window->set_language(QStringLiteral("en"));

    // Undo restores all fields that the change of kind had removed.
    while (console.document().undo_stack().canUndo()) console.document().undo_stack().undo();
    QVERIFY(console.window->context().draft.spec() == before);
    QVERIFY(console.find<QLineEdit>("train.steps")->isVisible());
}

void BatchTest::only_a_batch_with_results_can_save_them() {
    testing::ScriptedClient client;
    testing::Console console(&client);
    client.connect_to(QStringLiteral("lab"));
    client.play();  // plays a training
    const TaskId batch("score-1");
    client.tell(control::TaskSubmitted{batch,
                                       "score",
                                       "[task]\nname = \"score\"\nkind = \"batch\"\n[model]\nonnx = \"m.onnx\"\n"
                                       "[data]\nkind = \"synthetic\"\nsamples = 8\n",
                                       console.folder.path().toStdString(),
                                       "",
                                       {},
                                       "operator",
                                       0});
    Q_EMIT client.dataChanged();
    console.show_dock("Tasks");
    auto* panel = console.window->findChild<panels::TasksPanel*>();
    auto* save = console.find<QPushButton>("saveResults");
    panel->select(TaskId("gpt-text-1"));
    QVERIFY(!save->isVisible());
    panel->select(batch);
    QVERIFY(!save->isVisible());
    client.tell(control::WeightsStored{batch, InstanceId("score-1/stage-0/0#1"), 1, "hash", "/there", 9, 1, true});
    client.tell(control::TaskEnded{batch, control::Outcome::succeeded, {}});
    Q_EMIT client.dataChanged();
    QVERIFY(save->isVisible());
    QTest::mouseClick(save, Qt::LeftButton);
    auto* dialog = console.find<QFileDialog>("resultsDialog");
    QCOMPARE(dialog->selectedFiles().value(0), console.folder.filePath(QStringLiteral("score-results.csv")));
    static_cast<QDialog*>(dialog)->accept();
    QTRY_COMPARE(client.results_saved.first, batch);
    QCOMPARE(client.results_saved.second, console.folder.filePath(QStringLiteral("score-results.csv")));
}

void BatchTest::batch_runs_and_its_results_are_saved() {
    Programs programs;
    qputenv("DIVISI_DATA", programs.data().toUtf8());
    qputenv("XDG_RUNTIME_DIR", programs.folder().toUtf8());
    QVERIFY(programs.cluster_up());
    QCOMPARE(programs.run({"run", programs.write("digits.toml", training_text)}).status, 0);
    const QString file = programs.folder() + QStringLiteral("/digits.onnx");
    QCOMPARE(programs.run({"model", "export", "digits", file}).status, 0);

    client::ClusterClient cluster(testing::embedded_options(programs));
    testing::Console console(&cluster);
    const QString task = programs.write("fresh.toml", training_text);
    QVERIFY(console.loads([&] { console.window->open_path(task); }));
    choose(console, "task.kind", "batch");
    QVERIFY(console.loads([&] { type(console, "model.onnx", file); }));
    type(console, "data.samples", QStringLiteral("21"));
    type(console, "task.name", QStringLiteral("score"));
    QVERIFY(QTest::qWaitFor([&] { return console.action("run")->isEnabled(); }, 30'000));
    console.action("run")->trigger();
    const TaskId id("score-1");
    const auto ended = [&] {
        const auto found = cluster.data().state.tasks.find(id);
        return found != cluster.data().state.tasks.end() && found->second.over();
    };
    QVERIFY(QTest::qWaitFor(ended, 60'000));
    const control::TaskView& view = cluster.data().state.tasks.at(id);
    QVERIFY2(view.outcome == control::Outcome::succeeded, view.error ? view.error->message().c_str() : "");
    console.show_dock("Tasks");
    auto* save = console.find<QPushButton>("saveResults");
    QVERIFY(save->isVisible());  // the submitted task is selected automatically
    console.shot("batch-results-dark");
    QSignalSpy saved(&cluster, &client::Client::resultsSaved);
    const QString ours = programs.folder() + QStringLiteral("/ours.csv");
    cluster.save_results(id, ours);
    QVERIFY(saved.wait(20'000));
    const QString theirs = programs.folder() + QStringLiteral("/theirs.csv");
    QCOMPARE(programs.run({"results", "score-1", theirs}).status, 0);
    QCOMPARE(content(ours).trimmed().count('\n'), 21);  // samples, without the line of names
    QCOMPARE(content(ours), content(theirs));
    // If the file cannot be written, the client reports it.
    QSignalSpy refused(&cluster, &client::Client::refused);
    cluster.save_results(id, QStringLiteral("/nowhere/at/all.csv"));
    QVERIFY(refused.wait(20'000));
    QVERIFY(refused[0][0].toString().contains(QStringLiteral("/nowhere/at/all.csv")));
}

DIVISI_WINDOW_TEST(BatchTest)

}  // namespace batch_test

#include "batch_test.moc"
