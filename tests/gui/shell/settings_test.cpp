// SPDX-License-Identifier: GPL-3.0-or-later
// Tests that settings apply at once, and that the open task survives a killed console.
#include <QChartView>
#include <QCheckBox>
#include <QComboBox>
#include <QDialog>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QMessageBox>
#include <QProcess>
#include <QPushButton>
#include <QTableWidget>
#include <QTranslator>

#include "app/model/documents/edit_history.h"
#include "app/shell/basics/choices.h"
#include "app/shell/desktop/session_keeper.h"
#include "backend/control/protocol/task_messages.h"
#include "tests/gui/console.h"
#include "tests/gui/scripted_client.h"
#include "tests/support/test_program.h"

namespace settings_test {

using namespace divisi;
using testing::ScriptedClient;

namespace {

testing::TaskFile mine() {
    return testing::TaskFile("mine")
        .gpt(2, 32, 2, 16)
        .set("train.microbatches", 4)
        .set("split.cuts", {"/layers/0/Add"});
}

struct SettingsConsole : testing::Console {
    explicit SettingsConsole(client::Client* client = nullptr) : Console(client) {}

    QDialog* dialog() {
        action("settings")->trigger();
        QCoreApplication::processEvents();
        return find<QDialog>("settingsDialog");
    }
    void close_dialog() {
        dialog_now()->close();
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    }
    QDialog* dialog_now() { return window->findChild<QDialog*>(QStringLiteral("settingsDialog")); }
    /// Chooses an entry with the keys, like a user: a change by code would emit no `activated` signal.
    void choose(const char* name, int row) {
        auto* box = find<QComboBox>(name);
        box->setFocus();
        QTest::keyClick(box, Qt::Key_Home);
        for (int i = 0; i < row; ++i) QTest::keyClick(box, Qt::Key_Down);
        QCOMPARE(box->currentIndex(), row);
    }
    void open_mine() {
        const QString path = write("mine.toml", mine());
        QVERIFY(loads([&] { window->open_path(path); }));
        view().setFocus();
    }
    void move_the_cut() {
        QTest::keyClick(&view(), Qt::Key_Tab);
        QTest::keyClick(&view(), Qt::Key_Down);
    }
    bool asks(const char* name) {
        const auto boxes = window->findChildren<QMessageBox*>(QString::fromLatin1(name));
        return std::any_of(boxes.begin(), boxes.end(), [](const QMessageBox* box) { return box->isVisible(); });
    }
    QString state_folder() const { return folder.filePath(QStringLiteral("state")); }
    QJsonObject kept() const {
        QFile file(state_folder() + QStringLiteral("/console-0.json"));
        return file.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(file.readAll()).object() : QJsonObject();
    }
    QString message() { return find<QLabel>("messageText")->text(); }
};

/// Opens a second window with the same settings.
std::unique_ptr<shell::MainWindow> second_window(SettingsConsole& console) {
    auto window = std::make_unique<shell::MainWindow>(console.settings, nullptr);
    window->resize(1200, 800);
    window->show();
    return window;
}

}  // namespace

class SettingsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theme_changes_at_once_and_is_kept();
    void language_changes_at_once();
    void settings_dialog_shows_a_change_in_the_menu();
    void unsaved_changes_can_be_saved_without_asking();
    void task_without_a_file_is_always_asked_about();
    void unsaved_changes_can_be_discarded_without_asking();
    void closing_can_wait_for_running_tasks_without_asking();
    void closing_can_stop_running_tasks_without_asking();
    void recent_files_can_be_cleared();
    void unknown_settings_values_mean_ask();
    void open_task_is_saved_with_its_undo_steps();
    void session_file_is_removed_at_a_normal_end();
    void second_console_has_its_own_session();
    void session_is_restored_with_its_undo_steps();
    void session_is_offered_instead_of_restored_if_a_file_is_opened();
    void unreadable_session_is_reported_and_left_alone();
    void task_of_a_killed_program_is_restored();
    void selection_and_zoom_are_restored();
    void selected_block_is_restored_with_its_model();
};

void SettingsTest::theme_changes_at_once_and_is_kept() {
    SettingsConsole console;
    console.dialog();
    auto* dark = console.find<QCheckBox>("settings.dark");
    QVERIFY(dark->isChecked());
    console.shot("settings-dark", console.dialog_now());
    const QColor before = console.window->palette().color(QPalette::Window);
    QTest::keyClick(dark, Qt::Key_Space);
    QVERIFY(!console.action("dark")->isChecked());
    QVERIFY(console.window->palette().color(QPalette::Window) != before);
    QCOMPARE(console.settings.value(QStringLiteral("theme")).toString(), QStringLiteral("light"));
    console.shot("settings-light", console.dialog_now());
}

void SettingsTest::language_changes_at_once() {
    SettingsConsole console;
    console.dialog();
    auto* hint = console.find<QLabel>("hint");
    hint->setText(QStringLiteral("Task gpt was submitted"));
    console.choose("settingsLanguage", 1);
    QTRY_VERIFY(hint->text().isEmpty());  // the hint was in the other language
    QVERIFY(console.action("chinese")->isChecked());
    QCOMPARE(console.settings.value(QStringLiteral("language")).toString(), QStringLiteral("zh_CN"));
    console.shot("settings-chinese", console.dialog_now());
    console.choose("settingsLanguage", 0);
    QVERIFY(console.action("english")->isChecked());
    QTRY_COMPARE(console.dialog_now()->windowTitle(), QStringLiteral("Settings"));
}

void SettingsTest::settings_dialog_shows_a_change_in_the_menu() {
    SettingsConsole console;
    console.dialog();
    console.action("dark")->trigger();
    QVERIFY(!console.find<QCheckBox>("settings.dark")->isChecked());
    console.action("dark")->trigger();
    QVERIFY(console.find<QCheckBox>("settings.dark")->isChecked());
}

void SettingsTest::unsaved_changes_can_be_saved_without_asking() {
    SettingsConsole console;
    console.open_mine();
    console.dialog();
    console.choose("settingsUnsaved", 1);
    console.close_dialog();
    console.move_the_cut();
    const std::string cut = console.document().cut_names()[0];
    QVERIFY(cut != "/layers/0/Add");
    console.window->close();
    QVERIFY(!console.window->isVisible());
    QFile file(console.folder.filePath(QStringLiteral("mine.toml")));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY(file.readAll().contains(QByteArray::fromStdString(cut)));
}

void SettingsTest::task_without_a_file_is_always_asked_about() {
    SettingsConsole console;
    shell::Choices(console.settings).set(shell::UnsavedChoice::save);
    console.open();
    console.show_chain();
    console.view().setFocus();
    console.move_the_cut();
    QVERIFY(console.window->context().draft.modified());
    console.window->close();
    QVERIFY(console.asks("unsavedDialog"));
    QVERIFY(console.window->isVisible());
}

void SettingsTest::unsaved_changes_can_be_discarded_without_asking() {
    SettingsConsole console;
    console.open_mine();
    console.dialog();
    console.choose("settingsUnsaved", 2);
    console.close_dialog();
    console.move_the_cut();
    console.window->close();
    QVERIFY(!console.window->isVisible());
    QFile file(console.folder.filePath(QStringLiteral("mine.toml")));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), QByteArray::fromStdString(mine().text()));
}

void SettingsTest::closing_can_wait_for_running_tasks_without_asking() {
    ScriptedClient cluster;
    cluster.state.hosted = true;
    SettingsConsole console(&cluster);
    cluster.play();
    console.dialog();
    console.choose("settingsTasks", 1);
    console.close_dialog();
    console.window->close();
    QVERIFY(!console.asks("tasksDialog"));
    QVERIFY(console.window->isVisible());
    // The second attempt to close the window asks the user.
    console.window->close();
    QVERIFY(console.asks("tasksDialog"));
    QTest::mouseClick(console.find<QPushButton>("closeLater"), Qt::LeftButton);
    cluster.tell(control::TaskEnded{TaskId("gpt-text-1"), control::Outcome::succeeded, {}});
    Q_EMIT cluster.dataChanged();
    QVERIFY(!console.window->isVisible());
}

void SettingsTest::closing_can_stop_running_tasks_without_asking() {
    ScriptedClient cluster;
    cluster.state.hosted = true;
    SettingsConsole console(&cluster);
    cluster.play();
    console.dialog();
    console.choose("settingsTasks", 2);
    console.close_dialog();
    console.window->close();
    QVERIFY(!console.asks("tasksDialog"));
    QCOMPARE(cluster.last<control::StopTask>().task, TaskId("gpt-text-1"));
    cluster.tell(control::TaskEnded{TaskId("gpt-text-1"), control::Outcome::stopped, {}});
    Q_EMIT cluster.dataChanged();
    QVERIFY(!console.window->isVisible());
}

void SettingsTest::recent_files_can_be_cleared() {
    SettingsConsole console;
    console.open_mine();
    QVERIFY(!console.settings.value(QStringLiteral("recent")).toStringList().isEmpty());
    console.dialog();
    auto* clear = console.find<QPushButton>("settingsClearRecent");
    QVERIFY(clear->isEnabled());
    QTest::mouseClick(clear, Qt::LeftButton);
    QVERIFY(!clear->isEnabled());
    QVERIFY(console.settings.value(QStringLiteral("recent")).toStringList().isEmpty());
    QVERIFY(console.find<QMenu>("recentMenu")->isEmpty());
}

void SettingsTest::unknown_settings_values_mean_ask() {
    SettingsConsole console;
    console.settings.setValue(QStringLiteral("choices/unsaved"), QStringLiteral("sometimes"));
    console.settings.setValue(QStringLiteral("choices/tasksAtClose"), 7);
    const shell::Choices choices(console.settings);
    QVERIFY(choices.unsaved() == shell::UnsavedChoice::ask);
    QVERIFY(choices.tasks() == shell::TasksChoice::ask);
}

void SettingsTest::open_task_is_saved_with_its_undo_steps() {
    SettingsConsole console;
    console.window->keep_session(console.state_folder(), true);
    console.open_mine();
    console.move_the_cut();
    const std::string cut = console.document().cut_names()[0];
    QTRY_VERIFY_WITH_TIMEOUT(!console.kept().isEmpty(), 2 * shell::SessionKeeper::write_every_ms);
    QTRY_COMPARE_WITH_TIMEOUT(console.kept()[QStringLiteral("index")].toInt(), 1,
                              2 * shell::SessionKeeper::write_every_ms);
    const QJsonObject kept = console.kept();
    QCOMPARE(kept[QStringLiteral("path")].toString(), console.folder.filePath(QStringLiteral("mine.toml")));
    QVERIFY(QJsonDocument(kept).toJson().contains(QByteArray::fromStdString(cut)));
    QVERIFY(console.settings.contains(QStringLiteral("workspaces/split")));
}

void SettingsTest::session_file_is_removed_at_a_normal_end() {
    SettingsConsole console;
    console.window->keep_session(console.state_folder(), true);
    console.open_mine();
    QTRY_VERIFY_WITH_TIMEOUT(!console.kept().isEmpty(), 2 * shell::SessionKeeper::write_every_ms);
    console.window->close();
    QVERIFY(!console.window->isVisible());
    QVERIFY(console.kept().isEmpty());
}

void SettingsTest::second_console_has_its_own_session() {
    SettingsConsole console;
    console.window->keep_session(console.state_folder(), true);
    const auto second = second_window(console);
    second->keep_session(console.state_folder(), true);
    const QString path = console.write("mine.toml", mine());
    QSignalSpy loaded(&second->context().opener.loader(), &model::ModelLoader::loaded);
    second->open_path(path);
    QVERIFY(!loaded.isEmpty() || loaded.wait(20'000));
    const QString other = console.state_folder() + QStringLiteral("/console-1.json");
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(other), 2 * shell::SessionKeeper::write_every_ms);
    QVERIFY(console.kept().isEmpty());
}

/// Opens in a new window the session that the first window would have left if it had been killed.
void SettingsTest::session_is_restored_with_its_undo_steps() {
    SettingsConsole console;
    console.open_mine();
    console.move_the_cut();
    const model::Cuts moved = console.cuts();
    QTest::keyClick(&console.view(), Qt::Key_Down);
    const model::Cuts undone = console.cuts();
    QTest::keyClick(console.window.get(), Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(console.cuts(), moved);
    model::EditHistory history(console.window->context().draft, console.document());
    // A history only records steps made after its creation, so make them again now.
    QTest::keyClick(console.window.get(), Qt::Key_Z, Qt::ControlModifier);
    const model::Cuts first = console.cuts();
    QVERIFY(!console.window->context().draft.modified());
    QTest::keyClick(console.window.get(), Qt::Key_Y, Qt::ControlModifier);
    QTest::keyClick(console.window.get(), Qt::Key_Y, Qt::ControlModifier);
    QTest::keyClick(console.window.get(), Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(QDir().mkpath(console.state_folder()));
    QFile file(console.state_folder() + QStringLiteral("/console-0.json"));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(QJsonDocument(history.json()).toJson()) > 0);
    file.close();

    const auto fresh = second_window(console);
    fresh->keep_session(console.state_folder(), true);
    QTRY_COMPARE_WITH_TIMEOUT(fresh->context().document.cuts(), moved, 20'000);
    QVERIFY(fresh->context().draft.modified());
    QCOMPARE(fresh->context().draft.path(), console.folder.filePath(QStringLiteral("mine.toml")));
    QVERIFY(fresh->windowTitle().startsWith(QStringLiteral("mine.toml[*]")));
    QVERIFY(fresh->findChild<QLabel*>(QStringLiteral("messageText"))->text().contains(QStringLiteral("Restored")));
    QUndoStack& stack = fresh->context().document.undo_stack();
    QCOMPARE(stack.count(), 2);
    stack.redo();
    QCOMPARE(fresh->context().document.cuts(), undone);
    stack.undo();
    stack.undo();
    QCOMPARE(fresh->context().document.cuts(), first);
    QVERIFY2(!fresh->context().draft.modified(), "as it is in its file");
}

void SettingsTest::session_is_offered_instead_of_restored_if_a_file_is_opened() {
    SettingsConsole console;
    console.open_mine();
    model::EditHistory history(console.window->context().draft, console.document());
    console.move_the_cut();
    const model::Cuts moved = console.cuts();
    QVERIFY(QDir().mkpath(console.state_folder()));
    QFile file(console.state_folder() + QStringLiteral("/console-0.json"));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(QJsonDocument(history.json()).toJson()) > 0);
    file.close();
    const auto fresh = second_window(console);
    fresh->keep_session(console.state_folder(), false);
    QVERIFY(!fresh->context().document.model());
    auto* offer = fresh->findChild<QPushButton*>(QStringLiteral("messageOffer"));
    QVERIFY(offer && offer->isVisible());
    QTest::mouseClick(offer, Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(fresh->context().document.cuts(), moved, 20'000);
}

void SettingsTest::unreadable_session_is_reported_and_left_alone() {
    SettingsConsole console;
    QVERIFY(QDir().mkpath(console.state_folder()));
    const QByteArray newer = R"({"version":99,"steps":[{"text":"x"}],"index":0})";
    QFile file(console.state_folder() + QStringLiteral("/console-0.json"));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(newer) == newer.size());
    file.close();
    console.window->keep_session(console.state_folder(), true);
    QVERIFY2(console.message().contains(QStringLiteral("another version")), qPrintable(console.message()));
    QVERIFY(!console.document().model());
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), newer);
}

/// Kills the real program, as by a crash. The next program opens the same task with the unsaved change.
void SettingsTest::task_of_a_killed_program_is_restored() {
    SettingsConsole console;
    const QString path = console.write("mine.toml", mine()),
                  ini = console.folder.filePath(QStringLiteral("program.ini"));
    const QString kept = ini + QStringLiteral(".session/console-0.json");
    QProcess program;
    program.start(QStringLiteral(DIVISI_BIN_DIR "/divisi"),
                  {QStringLiteral("--no-cluster"), QStringLiteral("--settings"), ini, QStringLiteral("--actions"),
                   QStringLiteral("clear_cuts"), QStringLiteral("--after"), QStringLiteral("8000"), path});
    QVERIFY(program.waitForStarted());
    const auto index = [&] {
        QFile file(kept);
        if (!file.open(QIODevice::ReadOnly)) return -1;
        return QJsonDocument::fromJson(file.readAll()).object()[QStringLiteral("index")].toInt(-1);
    };
    QTRY_COMPARE_WITH_TIMEOUT(index(), 1, 60'000);
    program.kill();
    QVERIFY(program.waitForFinished());
    QVERIFY(QFile::exists(kept));
    console.window->keep_session(ini + QStringLiteral(".session"), true);
    QTRY_VERIFY_WITH_TIMEOUT(console.document().model() && console.document().undo_stack().count() == 1, 20'000);
    QVERIFY(console.cuts().empty());
    QVERIFY(console.window->context().draft.modified());
    console.document().undo_stack().undo();
    QCOMPARE(console.cuts().size(), std::size_t{1});
}

/// A window that is destroyed without being closed leaves the same files as a killed program.
void SettingsTest::selection_and_zoom_are_restored() {
    ScriptedClient cluster;
    SettingsConsole console(&cluster);
    cluster.connect_to(QStringLiteral("lab"));
    cluster.play();
    console.window->keep_session(console.state_folder(), true);
    console.find<QTableWidget>("taskTable")->setCurrentCell(0, 0);
    console.show_dock("Telemetry");
    const charts::LineChart& loss = console.find<charts::TelemetryView>("telemetry")->grid().loss();
    QTest::keyClick(loss.findChild<QChartView*>(), Qt::Key_Plus);
    QVERIFY(loss.zoomed());
    const auto range = loss.shown_range();
    const auto unit = model::Selected::of_unit(Sid("gpt-text-1/stage-0/forward/0"));
    console.window->context().selection.select(unit);
    QTRY_VERIFY_WITH_TIMEOUT(!console.settings.value(QStringLiteral("place/steps")).toStringList().isEmpty(), 5000);
    QTRY_COMPARE_WITH_TIMEOUT(console.settings.value(QStringLiteral("place/selection")).toStringList().value(0),
                              QStringLiteral("unit"), 5000);
    console.window.reset();
    console.open();
    QVERIFY(!console.window->context().selection.current());
    console.window->keep_session(console.state_folder(), true);
    QTRY_COMPARE(console.window->context().selection.current(), unit);
    QCOMPARE(console.window->context().followed(), TaskId("gpt-text-1"));
    const auto* again = console.find<charts::TelemetryView>("telemetry");
    QVERIFY(again->grid().loss().zoomed());
    QCOMPARE(again->grid().loss().shown_range(), range);
}

void SettingsTest::selected_block_is_restored_with_its_model() {
    SettingsConsole console;
    console.window->keep_session(console.state_folder(), true);
    console.open_mine();
    QTRY_VERIFY_WITH_TIMEOUT(!console.kept().isEmpty(), 2 * shell::SessionKeeper::write_every_ms);
    console.view().scopes().open_all();
    console.wait_for_layout();
    const std::int32_t block = console.view().layout().blocks()[3].block;
    console.view().selection().select(block, true);
    const model::Selected what = console.window->context().selection.current();
    QVERIFY(what.kind == model::Selected::Kind::model_block);
    QTRY_COMPARE_WITH_TIMEOUT(console.settings.value(QStringLiteral("place/selection")).toStringList().value(1),
                              QString::fromStdString(what.id), 5000);
    console.window.reset();
    console.open();
    console.window->keep_session(console.state_folder(), true);
    QTRY_VERIFY_WITH_TIMEOUT(console.document().model(), 20'000);
    QTRY_COMPARE(console.window->context().selection.current(), what);
}

DIVISI_WINDOW_TEST(SettingsTest)

}  // namespace settings_test

#include "settings_test.moc"
