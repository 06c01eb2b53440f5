// SPDX-License-Identifier: GPL-3.0-or-later
// Tests that nothing is lost without asking: changes of the task, and tasks that would end with the window.
#include <QFile>
#include <QFileDialog>
#include <QMessageBox>
#include <QPushButton>

#include "backend/control/protocol/task_messages.h"
#include "tests/gui/console.h"
#include "tests/gui/scripted_client.h"
#include "tests/support/test_program.h"

namespace unsaved_test {

using namespace divisi;
using model::Cuts;
using testing::ScriptedClient;

namespace {

testing::TaskFile mine() {
    return testing::TaskFile("mine")
        .gpt(2, 32, 2, 16)
        .set("train.microbatches", 4)
        .set("split.cuts", {"/layers/0/Add"});
}

/// A fixture with a window that has a task file open.
struct TaskConsole : testing::Console {
    explicit TaskConsole(client::Client* client = nullptr) : Console(client) {
        write("mine.toml", mine());
        if (!loads([this] { window->open_path(path()); })) qFatal("no model");
        view().setFocus();
    }
    QString path() const { return folder.filePath(QStringLiteral("mine.toml")); }
    void move_the_cut() {
        QTest::keyClick(&view(), Qt::Key_Tab);
        QTest::keyClick(&view(), Qt::Key_Down);
    }
    /// Returns the question on screen; null if there is none.
    QMessageBox* question(const char* name) {
        const auto boxes = window->findChildren<QMessageBox*>(QString::fromLatin1(name));
        for (QMessageBox* box : boxes)
            if (box->isVisible()) return box;
        return nullptr;
    }
    void answer(QMessageBox::StandardButton button) {
        QMessageBox* box = question("unsavedDialog");
        if (!box) qFatal("no question is shown");
        QTest::mouseClick(box->button(button), Qt::LeftButton);
        QCoreApplication::processEvents();
    }
    bool on_screen() const { return window->isVisible(); }
    QByteArray file_text() {
        QFile file(path());
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
};

}  // namespace

class UnsavedTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void title_marks_unsaved_changes();
    void closing_asks_and_can_be_cancelled();
    void closing_can_save_first();
    void closing_can_discard();
    void saving_keeps_comments_and_order();
    void form_edit_also_causes_the_question();
    void opening_another_model_asks();
    void closing_the_model_asks();
    void unchanged_task_closes_without_asking();
    void invalid_task_cannot_be_saved_and_says_why();
    void edit_during_the_reading_of_a_model_is_not_lost();
    void tasks_of_the_own_cluster_keep_the_window_open();
    void tasks_of_another_cluster_do_not_keep_the_window_open();
    void window_closes_when_its_tasks_have_ended();
    void tasks_can_be_stopped_with_the_window();
    void transfer_keeps_the_window_open();
};

void UnsavedTest::title_marks_unsaved_changes() {
    TaskConsole console;
    QVERIFY(!console.window->isWindowModified());
    QVERIFY2(console.window->windowTitle().startsWith(QStringLiteral("mine.toml[*]")),
             qPrintable(console.window->windowTitle()));
    console.move_the_cut();
    QVERIFY(console.window->isWindowModified());
    QTest::keyClick(console.window.get(), Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(!console.window->isWindowModified());
    QTest::keyClick(console.window.get(), Qt::Key_Y, Qt::ControlModifier);
    QTest::keyClick(console.window.get(), Qt::Key_S, Qt::ControlModifier);
    QVERIFY(!console.window->isWindowModified());
}

void UnsavedTest::closing_asks_and_can_be_cancelled() {
    TaskConsole console;
    console.move_the_cut();
    const Cuts cuts = console.cuts();
    console.window->close();
    QVERIFY(console.question("unsavedDialog"));
    console.shot("unsaved-dark", console.question("unsavedDialog"));
    console.window->set_theme(shell::Theme::light);
    console.shot("unsaved-light", console.question("unsavedDialog"));
    console.answer(QMessageBox::Cancel);
    QVERIFY(console.on_screen());
    QCOMPARE(console.cuts(), cuts);
}

void UnsavedTest::closing_can_save_first() {
    TaskConsole console;
    console.move_the_cut();
    const std::string name = console.document().cut_names()[0];
    QTest::keyClick(console.window.get(), Qt::Key_Q, Qt::ControlModifier);
    console.answer(QMessageBox::Save);
    QVERIFY(!console.on_screen());
    QVERIFY(console.file_text().contains(QByteArray::fromStdString(name)));
}

void UnsavedTest::closing_can_discard() {
    TaskConsole console;
    const QByteArray before = console.file_text();
    console.move_the_cut();
    console.window->close();
    console.answer(QMessageBox::Discard);
    QVERIFY(!console.on_screen());
    QCOMPARE(console.file_text(), before);
}

void UnsavedTest::saving_keeps_comments_and_order() {
    testing::Console console;
    QByteArray text =
        "# What we try next.\n\n[train]\nbatch = 8  # small\nmicrobatches = 4\n[task]\nname = \"mine\"\n"
        "[data]\nkind = \"synthetic\"\nsamples = 64\n[split]  # where\ncuts = [\"/layers/0/Add\"]  # by hand\n"
        "[model]\nzoo = \"gpt\"\nlayers = 2\nwidth = 32\nheads = 2\ncontext = 16\n# the end\n";
    const QString path = console.write("kept.toml", text.constData());
    QVERIFY(console.loads([&] { console.window->open_path(path); }));
    console.view().setFocus();
    QTest::keyClick(&console.view(), Qt::Key_Tab);
    QTest::keyClick(&console.view(), Qt::Key_Down);
    const std::string name = console.document().cut_names()[0];
    QVERIFY(name != "/layers/0/Add");
    QTest::keyClick(console.window.get(), Qt::Key_S, Qt::ControlModifier);
    QVERIFY(!console.window->isWindowModified());
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), text.replace("/layers/0/Add", QByteArray::fromStdString(name)));
}

void UnsavedTest::form_edit_also_causes_the_question() {
    TaskConsole console;
    QTest::keyClicks(console.find<QLineEdit>("train.steps"), QStringLiteral("7"));
    console.window->close();
    QVERIFY(console.question("unsavedDialog"));
    console.answer(QMessageBox::Cancel);
}

void UnsavedTest::opening_another_model_asks() {
    TaskConsole console;
    console.move_the_cut();
    const Cuts cuts = console.cuts();
    model::ModelSource lenet;
    lenet.zoo = "lenet";
    console.window->open_model(lenet);
    console.answer(QMessageBox::Cancel);
    QCOMPARE(console.cuts(), cuts);
    QCOMPARE(console.document().model()->source.zoo, std::string("gpt"));
    console.window->open_model(lenet);
    QVERIFY(console.loads([&] { console.answer(QMessageBox::Discard); }));
    QCOMPARE(console.document().model()->source.zoo, std::string("lenet"));
    QVERIFY(!console.window->isWindowModified());
}

void UnsavedTest::closing_the_model_asks() {
    TaskConsole console;
    console.move_the_cut();
    QTest::keyClick(console.window.get(), Qt::Key_W, Qt::ControlModifier);
    QVERIFY(console.document().model());
    console.answer(QMessageBox::Discard);
    QVERIFY(!console.document().model());
}

void UnsavedTest::unchanged_task_closes_without_asking() {
    TaskConsole console;
    console.window->close();
    QVERIFY(!console.on_screen());
    testing::Console fresh;
    fresh.window->close();
    QVERIFY(!fresh.window->isVisible());
}

void UnsavedTest::invalid_task_cannot_be_saved_and_says_why() {
    TaskConsole console;
    auto* batch = console.find<QLineEdit>("train.batch");
    batch->selectAll();
    QTest::keyClicks(batch, QStringLiteral("9"));  // not divisible into four micro-batches
    console.window->close();
    QMessageBox* box = console.question("unsavedDialog");
    QVERIFY(box);
    QVERIFY(!box->button(QMessageBox::Save)->isEnabled());
    QVERIFY2(box->informativeText().contains(QStringLiteral("micro-batches")), qPrintable(box->informativeText()));
    console.answer(QMessageBox::Cancel);
    QVERIFY(console.on_screen());
}

void UnsavedTest::edit_during_the_reading_of_a_model_is_not_lost() {
    TaskConsole console;
    model::ModelSource other;
    other.zoo = "resnet18";
    console.window->open_model(other);
    console.move_the_cut();
    const Cuts cuts = console.cuts();
    QThreadPool::globalInstance()->waitForDone();
    QTest::qWait(50);
    QCOMPARE(console.cuts(), cuts);
    QCOMPARE(console.document().model()->source.zoo, std::string("gpt"));
}

void UnsavedTest::tasks_of_the_own_cluster_keep_the_window_open() {
    ScriptedClient cluster;
    cluster.state.hosted = true;
    TaskConsole console(&cluster);
    cluster.play();
    console.window->close();
    QMessageBox* box = console.question("tasksDialog");
    QVERIFY(box);
    QVERIFY(box->text().contains(QStringLiteral("gpt-text-1")));
    console.shot("tasks-dark", box);
    console.window->set_theme(shell::Theme::light);
    console.shot("tasks-light", box);
    QTest::mouseClick(box->button(QMessageBox::Cancel), Qt::LeftButton);
    QVERIFY(console.on_screen());
    QVERIFY(cluster.all<control::StopTask>().empty());
}

void UnsavedTest::tasks_of_another_cluster_do_not_keep_the_window_open() {
    ScriptedClient cluster;
    TaskConsole console(&cluster);
    cluster.play();
    console.window->close();
    QVERIFY(!console.on_screen());
}

void UnsavedTest::window_closes_when_its_tasks_have_ended() {
    ScriptedClient cluster;
    cluster.state.hosted = true;
    TaskConsole console(&cluster);
    cluster.play();
    console.window->close();
    QTest::mouseClick(console.question("tasksDialog")->findChild<QPushButton*>(QStringLiteral("closeLater")),
                      Qt::LeftButton);
    QVERIFY(console.on_screen());
    cluster.tell(control::TaskEnded{TaskId("gpt-text-1"), control::Outcome::succeeded, {}});
    Q_EMIT cluster.dataChanged();
    QVERIFY(!console.on_screen());
}

void UnsavedTest::tasks_can_be_stopped_with_the_window() {
    ScriptedClient cluster;
    cluster.state.hosted = true;
    TaskConsole console(&cluster);
    cluster.play();
    console.window->close();
    QTest::mouseClick(console.question("tasksDialog")->findChild<QPushButton*>(QStringLiteral("closeNow")),
                      Qt::LeftButton);
    QCOMPARE(cluster.last<control::StopTask>().task, TaskId("gpt-text-1"));
    QVERIFY(console.on_screen());  // until the task has stopped
    cluster.tell(control::TaskEnded{TaskId("gpt-text-1"), control::Outcome::stopped, {}});
    Q_EMIT cluster.dataChanged();
    QVERIFY(!console.on_screen());
}

void UnsavedTest::transfer_keeps_the_window_open() {
    ScriptedClient cluster;
    TaskConsole console(&cluster);
    cluster.on_its_way = client::Upload{1, 10};
    Q_EMIT cluster.uploadChanged();
    console.window->close();
    QMessageBox* box = console.question("tasksDialog");
    QVERIFY(box);
    QTest::mouseClick(box->findChild<QPushButton*>(QStringLiteral("closeNow")), Qt::LeftButton);
    QVERIFY(cluster.count<client::CancelUpload>() == 1);
    cluster.on_its_way.reset();
    Q_EMIT cluster.uploadChanged();
    QVERIFY(!console.on_screen());
}

DIVISI_WINDOW_TEST(UnsavedTest)

}  // namespace unsaved_test

#include "unsaved_test.moc"
