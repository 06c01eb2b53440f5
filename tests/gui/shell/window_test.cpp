// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the window around the graph: files, form, languages, keys and themes.
#include <QCheckBox>
#include <QComboBox>
#include <QDialog>
#include <QDialogButtonBox>
#include <QFile>
#include <QFileDialog>
#include <QFrame>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenuBar>
#include <QProcess>
#include <QProgressBar>
#include <QPushButton>
#include <QRegularExpression>
#include <QScreen>
#include <QScrollBar>
#include <QSpinBox>
#include <QTableWidget>
#include <QThreadPool>
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "app/panels/faults/log_table.h"
#include "app/panels/tables/row_table.h"
#include "app/shell/docks/workbench.h"
#include "tests/gui/connected_console.h"
#include "tests/gui/console.h"
#include "tests/gui/scripted_client.h"
#include "tests/support/cpu_time.h"
#include "tests/support/test_program.h"

namespace window_test {

using namespace divisi;

namespace {

/// A fixture with a console whose graph has the keyboard focus.
struct GraphConsole : testing::Console {
    explicit GraphConsole(model::Cuts cuts) { show_chain(std::move(cuts)); }
    /// Shows four open scopes of five operators each.
    GraphConsole() {
        document().set_model(
            std::make_shared<const model::LoadedModel>(testing::scoped_chain(4, 5), model::ModelSource{}));
        view().scopes().open_all();
        wait_for_layout();
        view().setFocus();
    }

    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) { QTest::keyClick(&view(), key, modifiers); }
    /// Returns whether the first operator has a block of its own.
    bool shows_first() {
        const std::int32_t first = document().model()->tree.operator_block.front();
        const auto& blocks = view().layout().blocks();
        return std::ranges::any_of(blocks, [first](const auto& placed) { return placed.block == first; });
    }
    bool soon_shows_first(bool shown) {
        return QTest::qWaitFor([&] { return shows_first() == shown; }, 5000);
    }
};

/// A check for each entry of the key list: it returns whether the key has the listed effect in the graph.
using KeyChecks = std::map<QString, std::function<bool()>>;

KeyChecks cut_keys() {
    return {
        {QStringLiteral("Go to the next cut; after the last cut, leave the graph"),
         [] {
             GraphConsole console({4, 9});
             console.press(Qt::Key_Tab);
             const bool first = console.view().cut_focus().cut() == 0;
             console.press(Qt::Key_Tab);
             return first && console.view().cut_focus().cut() == 1;
         }},
        {QStringLiteral("Move the focused cut by one legal position; without one, move the selection"),
         [] {
             GraphConsole console({4});
             console.view().cut_focus().focus(0);
             console.press(Qt::Key_Down);
             console.view().cut_focus().focus(-1);
             console.press(Qt::Key_Down);
             return console.cuts() == model::Cuts{5} && console.view().selection().block() >= 0;
         }},
        {QStringLiteral("Move the focused cut by ten legal positions"),
         [] {
             GraphConsole console({4});
             console.view().cut_focus().focus(0);
             console.press(Qt::Key_Down, Qt::ShiftModifier);
             return console.cuts() == model::Cuts{14};
         }},
        {QStringLiteral("Cancel a drag; end a layout; deselect a cut; leave painting; close the search"),
         [] {
             GraphConsole console({4});
             console.view().cut_focus().focus(0);
             console.press(Qt::Key_Escape);
             return console.view().cut_focus().cut() == -1;
         }},
        {QStringLiteral("Paint the selection with this segment; while painting, choose this segment"),
         [] {
             GraphConsole console({4});
             console.press(Qt::Key_Down);
             console.press(Qt::Key_2);
             return console.document().painting() != nullptr;
         }},
    };
}

KeyChecks block_keys() {
    return {
        {QStringLiteral("Open or close the selected scope"),
         [] {
             GraphConsole console;
             console.view().scopes().close_all();
             const bool closed = console.soon_shows_first(false);
             const auto blocks = console.view().layout().blocks().size();
             console.press(Qt::Key_Down);
             console.press(Qt::Key_Return);
             return closed && QTest::qWaitFor([&] { return console.view().layout().blocks().size() != blocks; }, 5000);
         }},
        {QStringLiteral("Close the scope around the selection"),
         [] {
             GraphConsole console;
             console.press(Qt::Key_Down);
             console.press(Qt::Key_Backspace);
             return console.soon_shows_first(false);
         }},
        {QStringLiteral("Go to the first or last operator"),
         [] {
             GraphConsole console(model::Cuts{});
             const auto at = [&] { return console.view().verticalScrollBar()->value(); };
             for (int i = 0; i < 4; ++i) console.view().camera().zoom_in();
             console.press(Qt::Key_End);
             const int last = at();
             console.press(Qt::Key_Home);
             return at() < last;
         }},
        {QStringLiteral("Scroll by a page; in presenter mode: go one step"),
         [] {
             GraphConsole console(model::Cuts{});
             for (int i = 0; i < 4; ++i) console.view().camera().zoom_in();
             console.press(Qt::Key_Home);
             const int at = console.view().verticalScrollBar()->value();
             console.press(Qt::Key_PageDown);
             return console.view().verticalScrollBar()->value() > at;
         }},
    };
}

/// Returns whether a key is tested elsewhere: mouse gestures, and keys of other views, are tested with their views.
bool is_elsewhere(const shell::ViewKey& key) {
    const QString keys = QString::fromUtf8(key.keys), text = QString::fromUtf8(key.text);
    for (const char* hand : {"Drag", "Click", "Wheel", "Alt", "Middle"})
        if (keys.contains(QString::fromLatin1(hand))) return true;
    return text.startsWith(QStringLiteral("In "));
}

/// Returns whether two adjacent English words are outside quotation marks, which indicates an untranslated sentence.
bool is_english(QString text) {
    static const QRegularExpression quotations(QStringLiteral("\u201c[^\u201d]*\u201d|'[^']*'|\"[^\"]*\"")),
        words(QStringLiteral("[A-Za-z]{3,} [A-Za-z]{3,}"));
    return text.remove(quotations).contains(words);
}

QStringList english_of(const QWidget& root) {
    QStringList found;
    for (const QLabel* label : root.findChildren<QLabel*>())
        if (label->isVisibleTo(&root) && is_english(label->text())) found << label->text();
    return found;
}

}  // namespace

class WindowTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void a_fresh_window_is_no_larger_than_the_screen() {
        QTemporaryDir folder;
        QSettings settings(folder.filePath(QStringLiteral("settings.ini")), QSettings::IniFormat);
        const shell::MainWindow window(settings, nullptr);
        const QSize most = window.screen()->availableSize().expandedTo(window.minimumSizeHint());
        QVERIFY2(window.width() <= most.width() && window.height() <= most.height(),
                 qPrintable(QStringLiteral("%1 x %2").arg(window.width()).arg(window.height())));
    }

    void unreadable_model_shows_the_reason_and_keeps_the_open_one() {
        testing::Console console;
        console.show_chain();
        const QString path = console.folder.filePath(QStringLiteral("broken.onnx"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("this is no model");
        file.close();
        QSignalSpy failed(&console.window->context().opener.loader(), &model::ModelLoader::failed);
        console.window->open_path(path);
        QVERIFY(failed.wait(5000));
        auto* text = console.find<QLabel>("messageText");
        QVERIFY(text->isVisible());
        QVERIFY(text->text().contains(QStringLiteral("broken.onnx")));
        QCOMPARE(console.cuts(), model::Cuts{4});
        QCOMPARE(console.document().model()->node_count(), 20);
    }

    void a_zoo_model_opens_and_can_be_cut() {
        testing::Console console;
        QSignalSpy loaded(&console.window->context().opener.loader(), &model::ModelLoader::loaded);
        model::ModelSource source;
        source.zoo = "gpt";
        console.window->open_model(source);
        QVERIFY(loaded.wait(10000));
        QVERIFY(console.document().legal_count() > 5);
        QVERIFY(console.document().split_equally(3).ok());
        QCOMPARE(console.document().segments().size(), 3u);
    }

    void a_cancelled_load_changes_nothing() {
        testing::Console console;
        console.show_chain();
        model::ModelSource source;
        source.zoo = "gpt";
        console.window->open_model(source);
        console.window->context().opener.loader().cancel();
        QThreadPool::globalInstance()->waitForDone();
        QCoreApplication::processEvents();
        QCOMPARE(console.document().model()->node_count(), 20);
        QVERIFY(!console.find<QFrame>("messageBar")->isVisible());
    }

    void invalid_value_is_reported_beside_its_field() {
        testing::Console console;
        panels::TaskForm& form = testing::WindowParts::task_form(*console.window);
        QVERIFY2(form.valid(), qPrintable(console.find<QLabel>("formSummary")->text()));
        auto* batch = console.find<QLineEdit>("train.batch");
        batch->clear();
        QTest::keyClicks(batch, QStringLiteral("abc"));
        QVERIFY(!form.valid());
        QVERIFY(!form.message("train.batch").isEmpty());
        QVERIFY(!console.find<QPushButton>("runTask")->isEnabled());
        batch->clear();
        QTest::keyClicks(batch, QStringLiteral("17"));  // not divisible by the number of micro-batches
        QVERIFY(!form.valid());
        batch->clear();
        QTest::keyClicks(batch, QStringLiteral("16"));
        QVERIFY(form.valid());
        QCOMPARE(form.message("train.batch"), QString());
    }

    void a_task_is_saved_with_its_cuts_and_opens_again() {
        testing::Console console;
        const QString path = console.write(
            "mine.toml",
            testing::TaskFile("mine").set("model.zoo", "gpt").set("train.microbatches", 4).set("split.stages", 1));
        QSignalSpy loaded(&console.window->context().opener.loader(), &model::ModelLoader::loaded);
        console.window->open_path(path);
        QVERIFY(loaded.wait(10000));
        console.find<QSpinBox>("stages")->setValue(3);
        QTest::keyClick(console.window.get(), Qt::Key_E, Qt::ControlModifier);
        const model::Cuts cuts = console.cuts();
        QCOMPARE(cuts.size(), 2u);
        QTest::keyClick(console.window.get(), Qt::Key_S, Qt::ControlModifier);
        QVERIFY(!console.window->isWindowModified());
        testing::Console other;
        QSignalSpy loaded_again(&other.window->context().opener.loader(), &model::ModelLoader::loaded);
        other.window->open_path(path);
        QVERIFY(loaded_again.wait(10000));
        QCOMPARE(other.cuts(), cuts);
        QCOMPARE(other.window->context().draft.text(), console.window->context().draft.text());
    }

    void help_and_version_need_no_display() {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
            environment.remove(QString::fromLatin1(name));
        const auto run = [&](QProcess& process, const QStringList& arguments) {
            process.setProcessEnvironment(environment);
            process.start(QStringLiteral(DIVISI_BIN_DIR "/divisi"), arguments);
            return process.waitForFinished(60'000) && process.exitStatus() == QProcess::NormalExit;
        };
        QProcess help, version, window;
        QVERIFY(run(help, {QStringLiteral("--help")}));
        QCOMPARE(help.exitCode(), 0);
        QVERIFY(help.readAllStandardOutput().contains("--connect"));
        QVERIFY(run(version, {QStringLiteral("--version")}));
        QCOMPARE(version.exitCode(), 0);
        QVERIFY(version.readAllStandardOutput().startsWith("divisi "));
        QVERIFY(run(window, {}));
        QCOMPARE(window.exitCode(), 2);
        QVERIFY(window.readAllStandardError().contains("no display"));
    }

    void the_startup_time_is_printed_once_the_window_is_painted() {
        const QTemporaryDir folder;
        QProcess program;
        program.start(QStringLiteral(DIVISI_BIN_DIR "/divisi"),
                      {QStringLiteral("--no-cluster"), QStringLiteral("--startup-time"), QStringLiteral("--settings"),
                       folder.filePath(QStringLiteral("settings.ini"))});
        QVERIFY(program.waitForFinished(30'000));
        QCOMPARE(program.exitCode(), 0);
        const QString said = QString::fromUtf8(program.readAllStandardOutput());
        const auto match = QRegularExpression(QStringLiteral("^first window after (\\d+) ms\n$")).match(said);
        QVERIFY2(match.hasMatch(), qPrintable(said));
        QVERIFY2(match.captured(1).toInt() > 0, qPrintable(said));
    }

    void connect_dialog_takes_a_connection_file() {
        testing::Console console;
        const QString path = console.write("connection.toml", "");
        QSignalSpy wanted(console.window.get(), &shell::MainWindow::connectRequested);
        console.action("connect")->trigger();
        auto* dialog = console.find<QFileDialog>("connectDialog");
        QVERIFY(dialog->isVisible());
        dialog->selectFile(path);
        static_cast<QDialog*>(dialog)->accept();
        QTRY_COMPARE(wanted.size(), 1);
        QCOMPARE(wanted[0][0].toString(), path);
    }

    void recent_files_are_offered_after_a_restart() {
        testing::Console console;
        auto* menu = console.find<QMenu>("recentMenu");
        QVERIFY(!menu->isEnabled());
        const QString path = console.write("mine & yours.toml", testing::TaskFile().drop("train.microbatches"));
        QVERIFY(console.loads([&] { console.window->open_path(path); }));
        QTRY_COMPARE(console.window->context().draft.path(), path);
        QCOMPARE(menu->actions().size(), 1);
        console.window.reset();
        console.open();
        menu = console.find<QMenu>("recentMenu");
        QVERIFY(menu->isEnabled());
        QVERIFY(menu->actions()[0]->text().endsWith(QStringLiteral("mine && yours.toml")));
        console.shot("welcome-recent");
        QVERIFY(console.loads([&] { QTest::mouseClick(console.find<QPushButton>("recent0"), Qt::LeftButton); }));
        QTRY_COMPARE(console.window->context().draft.path(), path);
        console.action("close")->trigger();
        QTRY_VERIFY(console.window->context().draft.path().isEmpty());
        QVERIFY(console.loads([&] { console.find<QMenu>("recentMenu")->actions()[0]->trigger(); }));
        QTRY_COMPARE(console.window->context().draft.path(), path);
    }

    void search_reveals_its_match() {
        testing::Console console;
        console.show_chain();
        console.view().scopes().close_all();
        console.action("find")->trigger();
        auto* input = console.find<QLineEdit>("searchInput");
        QVERIFY(input->isVisible());
        QTest::keyClicks(input, QStringLiteral("stack/7"));
        QTest::keyClick(input, Qt::Key_Return);
        const std::int32_t block = console.view().selection().block();
        QVERIFY(block >= 0);
        QCOMPARE(console.document().model()->tree.blocks[block].path, std::string("/stack/7/Gemm"));
        QTest::keyClick(input, Qt::Key_Escape);
        QVERIFY(!input->isVisible());
    }

    void languages_switch_at_once_and_are_kept() {
        testing::Console console;
        const QString english = console.action("add_cut")->text();
        console.action("chinese")->trigger();
        QCoreApplication::processEvents();
        QVERIFY(console.action("add_cut")->text() != english);
        QCOMPARE(console.settings.value(QStringLiteral("language")).toString(), QStringLiteral("zh_CN"));
        console.window.reset();
        console.open();
        QVERIFY(console.action("add_cut")->text() != english);
        console.action("english")->trigger();
        QCoreApplication::processEvents();
        QCOMPARE(console.action("add_cut")->text(), english);
    }

    void every_shortcut_is_in_the_list_of_keys() {
        testing::Console console;
        console.action("keys")->trigger();
        auto* table = console.find<QTableWidget>("keyTable");
        QStringList keys;
        for (int row = 0; row < table->rowCount(); ++row) keys << table->item(row, 0)->text();
        for (const auto& [spec, action] : console.window->context().actions.all())
            for (const QKeySequence& key : action->shortcuts())
                QVERIFY2(keys.join(u'\n').contains(key.toString(QKeySequence::NativeText)), spec.id);
    }

    void keys_of_telemetry_and_timeline_are_in_the_list() {
        testing::Console console;
        console.action("keys")->trigger();
        const auto* table = console.find<QTableWidget>("keyTable");
        for (const char* view : {"In the telemetry", "In the timeline", "In the topology", "In the task graph"}) {
            bool found = false;
            for (int row = 0; row < table->rowCount(); ++row)
                found |= table->item(row, 1)->text().startsWith(QString::fromLatin1(view));
            QVERIFY2(found, view);
        }
    }

    /// Chinese names end with their mnemonic: "运行任务(&R)". Only menus show it.
    void tooltips_have_no_mnemonics() {
        testing::Console console;
        console.action("chinese")->trigger();
        QCoreApplication::processEvents();
        static const QRegularExpression left_over(QStringLiteral("[^ ]\\([A-Z]\\)|&"));
        for (const auto& [spec, action] : console.window->context().actions.all()) {
            QVERIFY2(!action->toolTip().contains(left_over), qPrintable(action->toolTip()));
            QVERIFY2(!action->iconText().contains(left_over), qPrintable(action->iconText()));
        }
        console.action("english")->trigger();
    }

    void no_english_sentence_remains_in_chinese() {
        testing::ConnectedConsole shown;
        shown.cluster.play();
        shown.console.action("chinese")->trigger();
        QCoreApplication::processEvents();
        const auto* bar = shown.console.find<QFrame>("messageBar");
        const auto* said = shown.console.find<QLabel>("messageText");
        const auto no_english = [](const QWidget& root) {
            const QStringList found = english_of(root);
            if (!found.isEmpty()) qWarning("%s", qPrintable(found.join(u'\n')));
            return found.isEmpty();
        };

        QSignalSpy failed(&shown.console.window->context().opener.loader(), &model::ModelLoader::failed);
        shown.console.window->open_path(shown.console.write("broken.onnx", "this is no model"));
        QVERIFY(failed.wait(5000));
        QVERIFY(said->isVisible());
        QVERIFY(no_english(*bar));

        Q_EMIT shown.cluster.submitted(QStringLiteral("gpt-text-1"));
        const Error why{ErrorCode::unavailable, "the cluster was shut down", "gpt-text-1", "submit the task again"};
        shown.cluster.tell(control::TaskEnded{TaskId("gpt-text-1"), control::Outcome::failed, why});
        Q_EMIT shown.cluster.dataChanged();
        QVERIFY2(said->text().contains(QStringLiteral("\u96c6\u7fa4\u5df2\u5173\u95ed")), qPrintable(said->text()));
        QVERIFY(no_english(*bar));

        panels::TaskForm& form = testing::WindowParts::task_form(*shown.console.window);
        auto* batch = shown.console.find<QLineEdit>("train.batch");
        batch->clear();
        QTest::keyClicks(batch, QStringLiteral("0"));
        QVERIFY(!form.message("train.batch").isEmpty());
        QVERIFY(no_english(form));
        shown.console.shot("form-wrong-chinese");

        shown.console.action("zoo")->trigger();
        auto* dialog = shown.console.find<QDialog>("zooDialog");
        auto* models = dialog->findChild<QComboBox*>();
        for (int i = 0; i < models->count(); ++i) {
            models->setCurrentIndex(i);
            QCoreApplication::processEvents();  // lets added rows appear
            QVERIFY(no_english(*dialog));
        }
        QVERIFY(!shown.console.find<QLabel>("zooMeaning")->text().isEmpty());
        shown.console.shot("zoo-chinese", dialog);
        dialog->close();
        shown.console.action("english")->trigger();
    }

    void log_is_translated_to_chinese() {
        testing::ScriptedClient cluster;
        testing::Console console(&cluster);
        console.show_dock("Logs");
        cluster.play();
        const auto* log = console.find<panels::RowTable>("logTable");
        QVERIFY(log->shown() > 5);
        const QString english = log->text(0, panels::LogTable::what);
        QCOMPARE(english, QStringLiteral("cluster lab started"));
        console.action("chinese")->trigger();
        QCoreApplication::processEvents();
        for (int row = 0; row < log->shown(); ++row) {
            const QString line = log->text(row, panels::LogTable::what);
            QVERIFY2(!is_english(line), qPrintable(line));
        }
        console.action("english")->trigger();
        QCOMPARE(log->text(0, panels::LogTable::what), english);
    }

    /// An error is shown in the current language, not in the language in which it was found.
    void field_error_follows_a_change_of_language() {
        testing::Console console;
        panels::TaskForm& form = testing::WindowParts::task_form(*console.window);
        auto* batch = console.find<QLineEdit>("train.batch");
        batch->clear();
        QTest::keyClicks(batch, QStringLiteral("0"));
        const QString english = form.message("train.batch");
        QVERIFY2(english.contains(QStringLiteral("out of range")), qPrintable(english));
        console.action("chinese")->trigger();
        QCoreApplication::processEvents();
        QVERIFY2(!form.message("train.batch").contains(QStringLiteral("range")),
                 qPrintable(form.message("train.batch")));
        console.action("english")->trigger();
        QCoreApplication::processEvents();
        QCOMPARE(form.message("train.batch"), english);
    }

    void key_list_is_translated() {
        testing::Console console;
        console.action("chinese")->trigger();
        console.action("keys")->trigger();
        const auto* table = console.find<QTableWidget>("keyTable");
        for (const char* english : {"Drag", "Click", "Middle button", "Wheel", "Enter", "Backspace"})
            for (int row = 0; row < table->rowCount(); ++row)
                for (int column = 0; column < 2; ++column)
                    QVERIFY2(!table->item(row, column)->text().contains(QString::fromLatin1(english)), english);
        const auto* buttons = console.find<QDialog>("keyList")->findChild<QDialogButtonBox*>();
        QVERIFY(buttons->button(QDialogButtonBox::Close)->text().contains(QStringLiteral("\u5173\u95ed")));
        console.shot("keys-chinese", console.find<QDialog>("keyList"));
    }

    void counts_have_singular_and_plural() {
        testing::Console console;
        const auto* hint = console.find<QLabel>("hint");
        const auto count = [&](model::Cuts cuts) {
            console.show_chain(std::move(cuts));
            console.view().brush().set_painting(true);
            QTest::keyClick(&console.view(), Qt::Key_9);  // there is no such segment
            const QString text = hint->text();
            console.view().brush().set_painting(false);
            return text;
        };
        QCOMPARE(count({}), QStringLiteral("There is 1 segment; the next new one is 2"));
        QCOMPARE(count({4}), QStringLiteral("There are 2 segments; the next new one is 3"));
        console.action("chinese")->trigger();
        QCOMPARE(count({}),
                 QStringLiteral("\u73b0\u6709 1 \u4e2a\u5206\u6bb5\uff1b\u4e0b\u4e00\u4e2a\u65b0\u5206\u6bb5\u662f 2"));
        console.action("english")->trigger();
        QCOMPARE(count({}), QStringLiteral("There is 1 segment; the next new one is 2"));
    }

    void no_key_has_two_actions() {
        testing::Console console;
        QStringList keys;
        for (const auto& [spec, action] : console.window->context().actions.all()) {
            for (const QKeySequence& key : action->shortcuts()) {
                QVERIFY2(!keys.contains(key.toString()), spec.id);
                keys << key.toString();
            }
        }
    }

    /// Each key triggers the action named in the key list, once, and no other action.
    void every_key_triggers_the_action_in_the_key_list() {
        testing::Console console;
        console.show_chain({4});
        const shell::Actions& actions = console.window->context().actions;
        QStringList taken;
        for (const auto& [spec, action] : actions.all()) {
            QObject::disconnect(action, &QAction::triggered, nullptr, nullptr);  // the actions then have no effect
            connect(action, &QAction::triggered, this, [&taken, id = action->objectName()] { taken << id; });
            action->setEnabled(true);
        }
        for (const auto& [spec, action] : actions.all())
            for (const QKeySequence& key : action->shortcuts()) {
                taken.clear();
                QTest::keySequence(console.window.get(), key);
                QVERIFY2(taken == QStringList{action->objectName()},
                         qPrintable(key.toString() + QStringLiteral(": ") + taken.join(u' ')));
            }
        console.window.reset();  // destroyed before the connected receiver
    }

    void every_graph_key_acts_as_the_key_list_says() {
        KeyChecks checks = cut_keys();
        checks.merge(block_keys());
        for (const shell::ViewKey& key : shell::Actions::view_keys()) {
            if (is_elsewhere(key)) continue;
            const auto check = checks.find(QString::fromUtf8(key.text));
            QVERIFY2(check != checks.end(), key.text);
            QVERIFY2(check->second(), key.text);
        }
    }

    /// While the graph is not on screen, the key does not change its cuts. In a table next to the graph, the key acts
    /// on the table.
    void delete_key_in_a_table_does_not_remove_cuts() {
        testing::Console console;
        console.show_chain({4});
        shell::Workbench& bench = console.window->workbench();
        console.view().cut_focus().focus(0);
        QVERIFY(console.action("remove_cut")->isEnabled());
        auto* segments = console.find<QTableWidget>("segmentTable");
        segments->setFocus();
        QTest::keyClick(segments, Qt::Key_N);
        QVERIFY(!console.view().brush().painting());
        QTest::keyClick(segments, Qt::Key_Delete);  // removes the cut of the selected row
        QCOMPARE(console.cuts(), model::Cuts{});
        console.action("undo")->trigger();
        console.view().cut_focus().focus(0);
        console.show_dock("Logs");
        auto* logs = console.find<QTableView>("logTable");
        logs->setFocus();
        for (const Qt::Key key : {Qt::Key_Delete, Qt::Key_S, Qt::Key_P, Qt::Key_N, Qt::Key_M})
            QTest::keyClick(logs, key);
        QTest::keyClick(logs, Qt::Key_E, Qt::ControlModifier);
        QTest::keyClick(logs, Qt::Key_Delete, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(console.cuts(), model::Cuts{4});
        QCOMPARE(bench.workspace(), shell::Workspace::faults);
        QVERIFY(!console.view().brush().painting());
        const QString hint = console.find<QLabel>("hint")->text();
        QVERIFY2(hint.contains(QStringLiteral("not on screen")), qPrintable(hint));
        // If the action is triggered by name, its result is shown.
        console.action("clear_cuts")->trigger();
        QCOMPARE(bench.workspace(), shell::Workspace::split);
        QCOMPARE(console.cuts(), model::Cuts{});
        console.action("undo")->trigger();
        console.view().cut_focus().focus(0);
        QTest::keyClick(&console.view(), Qt::Key_Delete);
        QCOMPARE(console.cuts(), model::Cuts{});
    }

    void disabled_actions_say_why() {
        testing::ScriptedClient cluster;
        for (client::Client* client : {static_cast<client::Client*>(nullptr), static_cast<client::Client*>(&cluster)}) {
            testing::Console console(client);
            const shell::Actions& actions = console.window->context().actions;
            const auto unexplained = [&] {
                QStringList ids;
                for (const auto& [spec, action] : actions.all()) {
                    if (!action->isVisible()) continue;
                    const QString why = actions.why_not(spec.id);
                    const bool said = why.isEmpty() || action->toolTip() == why;
                    if (action->isEnabled() != why.isEmpty() || !said) ids << QString::fromLatin1(spec.id);
                }
                return ids.join(u' ');
            };
            QVERIFY(!console.action("undo")->isEnabled() && !console.action("equal")->isEnabled());
            QCOMPARE(unexplained(), QString());
            if (client) cluster.connect_to(QStringLiteral("lab"));
            if (client) cluster.play();
            console.show_chain({});
            for (const shell::Workspace workspace : shell::all_workspaces) {
                console.window->workbench().set_workspace(workspace);
                QCOMPARE(unexplained(), QString());
            }
            console.window->set_language(QStringLiteral("zh_CN"));
            QCOMPARE(unexplained(), QString());
            console.window->set_language(QStringLiteral("en"));
            for (const QAction* title : console.window->menuBar()->actions())
                QVERIFY2(title->menu()->toolTipsVisible(), qPrintable(title->text()));
        }
    }

    void palette_says_why_an_action_is_disabled() {
        testing::Console console;
        console.action("palette")->trigger();
        auto* dialog = console.find<QDialog>("commandPalette");
        QTest::keyClicks(dialog->findChild<QLineEdit*>(), QStringLiteral("equal"));
        const QListWidgetItem* item = dialog->findChild<QListWidget*>()->item(0);
        QVERIFY(item && !(item->flags() & Qt::ItemIsEnabled));
        QVERIFY2(item->text().contains(QStringLiteral("Open a model first")), qPrintable(item->text()));
        QVERIFY(item->toolTip().contains(QStringLiteral("Open a model first")));
    }

    void the_palette_finds_and_runs_any_action() {
        testing::Console console;
        console.show_chain();
        console.action("palette")->trigger();
        auto* dialog = console.find<QDialog>("commandPalette");
        auto* input = dialog->findChild<QLineEdit*>();
        QTest::keyClicks(input, QStringLiteral("all cuts"));
        QCOMPARE(dialog->findChild<QListWidget*>()->count(), 1);
        QTest::keyClick(input, Qt::Key_Return);
        QTRY_COMPARE(console.cuts(), model::Cuts{});
    }

    void widgets_have_contrast_in_both_themes() {
        testing::Console console;
        const auto luminance = [](const QColor& colour) {
            const auto linear = [](double part) {
                return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
            };
            return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF());
        };
        const auto contrast = [&](const QColor& one, const QColor& other) {  // as defined by WCAG 2.1
            const double a = luminance(one) + 0.05, b = luminance(other) + 0.05;
            return std::max(a, b) / std::min(a, b);
        };
        for (const shell::Theme theme : {shell::Theme::dark, shell::Theme::light}) {
            console.window->set_theme(theme);
            QProgressBar bar;
            bar.setValue(100);
            bar.resize(240, 24);
            const QColor done = bar.grab().toImage().pixelColor(24, 12);
            QVERIFY2(contrast(done, bar.palette().color(QPalette::WindowText)) >= 4.5, qPrintable(done.name()));
            QCheckBox box(QStringLiteral("Idle"));
            box.resize(box.sizeHint());
            const QImage image = box.grab().toImage();
            const QColor ground = box.palette().color(QPalette::Window);
            double most = 0;
            for (int y = 0; y < image.height(); ++y)
                for (int x = 0; x < 8; ++x) most = std::max(most, contrast(image.pixelColor(x, y), ground));
            QVERIFY2(most >= 3, qPrintable(QString::number(most)));
        }
    }

    void themes_switch_and_are_kept() {
        testing::Console console;
        console.action("dark")->trigger();
        QCOMPARE(console.settings.value(QStringLiteral("theme")).toString(), QStringLiteral("light"));
        QVERIFY(console.window->palette().color(QPalette::Window).lightnessF() > 0.5);
        console.action("dark")->trigger();
        QVERIFY(console.window->palette().color(QPalette::Window).lightnessF() < 0.5);
    }

    /// On the offscreen platform, the system's theme is light.
    void theme_follows_the_system_until_one_is_chosen() {
        testing::Console console;
        const auto is_light = [&] { return console.window->palette().color(QPalette::Window).lightnessF() > 0.5; };
        QVERIFY(!is_light() && !console.action("system_theme")->isChecked());
        console.window.reset();
        console.settings.remove(QStringLiteral("theme"));
        console.open();
        QVERIFY(is_light() && console.action("system_theme")->isChecked());
        QVERIFY(!console.settings.contains(QStringLiteral("theme")));
        // While the console follows the system, it adopts a change of the desktop's theme.
        const auto tell_change = [&] {
            shell::apply_theme(*qApp, shell::Theme::dark);  // simulates a previously dark system theme
            QEvent change(QEvent::ThemeChange);
            QCoreApplication::sendEvent(console.window.get(), &change);
        };
        tell_change();
        QVERIFY(is_light());
        console.action("dark")->trigger();
        QVERIFY(!is_light() && !console.action("system_theme")->isChecked());
        QCOMPARE(console.settings.value(QStringLiteral("theme")).toString(), QStringLiteral("dark"));
        tell_change();
        QVERIFY(!is_light());
        console.action("system_theme")->trigger();
        QVERIFY(is_light());
        QVERIFY(!console.settings.contains(QStringLiteral("theme")));
        console.action("system_theme")->trigger();  // now keeps the theme that is shown
        QCOMPARE(console.settings.value(QStringLiteral("theme")).toString(), QStringLiteral("light"));
    }

    void ten_thousand_operators_appear_within_a_second() {
        testing::Console console;
        const auto model = std::make_shared<const model::LoadedModel>(testing::residual(3334), model::ModelSource{});
        const double before = testing::process_cpu_ms();
        console.document().set_model(model);
        console.view().scopes().open_all();
        console.wait_for_layout();
        console.view().camera().fit_all();
        console.view().viewport()->repaint();
        const double shown_ms = testing::process_cpu_ms() - before;
        qInfo("10,002 operators shown in %.0f ms", shown_ms);
        QVERIFY2(shown_ms < 1000, qPrintable(QString::number(shown_ms)));
    }
};

DIVISI_WINDOW_TEST(WindowTest)

}  // namespace window_test

#include "window_test.moc"
