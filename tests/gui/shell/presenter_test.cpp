// SPDX-License-Identifier: GPL-3.0-or-later
// Tests presenter mode: what it changes, how it steps through a scenario, and that leaving it restores everything.
#include <QApplication>
#include <QDialog>
#include <QDockWidget>
#include <QHeaderView>
#include <QLabel>
#include <QMenuBar>
#include <QProcess>
#include <QPushButton>
#include <QSpinBox>
#include <QStatusBar>
#include <QTabBar>
#include <QTableWidget>
#include <QToolBar>
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "app/client/replay_client.h"
#include "app/model/wording/text_scale.h"
#include "app/shell/docks/workbench.h"
#include "app/shell/presenting/guide_dock.h"
#include "app/shell/presenting/guide_strip.h"
#include "app/shell/presenting/pointer_overlay.h"
#include "app/shell/presenting/speaker_notes.h"
#include "app/shell/replay/recordings.h"
#include "tests/gui/console.h"
#include "tests/gui/scripted_client.h"
#include "tests/support/test_program.h"

namespace presenter_test {

using namespace divisi;

namespace {

std::map<QString, QRect> docks_of(testing::Console& console) {
    std::map<QString, QRect> docks;
    for (const QDockWidget* dock : console.window->workbench().findChildren<QDockWidget*>())
        if (!dock->visibleRegion().isEmpty()) docks[dock->objectName()] = dock->geometry();
    return docks;
}

QString docks_text(testing::Console& console, const std::map<QString, QRect>& before) {
    QString text;
    QDebug out(&text);
    out << docks_of(console) << "was" << before;
    return text;
}

/// The visible state of the window that could differ before and after presenter mode.
struct Look {
    std::map<QString, QRect> layout;  ///< positions of the visible docks
    QRect geometry;
    Qt::WindowStates states;
    shell::Workspace workspace;
    QFont font;
    int tab_height, menu_height, row_height;
    bool toolbar, status, guide;

    explicit Look(testing::Console& console)
        : layout(docks_of(console)),
          geometry(console.window->geometry()),
          states(console.window->windowState()),
          workspace(console.window->workbench().workspace()),
          font(QApplication::font()),
          tab_height(console.find<QTabBar>("workspaces")->sizeHint().height()),
          menu_height(console.window->menuBar()->height()),
          row_height(console.find<QTableWidget>("taskTable")->verticalHeader()->defaultSectionSize()),
          toolbar(console.find<QToolBar>("toolbar")->isVisible()),
          status(console.window->statusBar()->isVisible()),
          guide(console.find<shell::GuideDock>("Guide")->isVisible()) {}
    bool operator==(const Look&) const = default;
};

QByteArray bytes_of(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// Presses a key on the focused widget, like a user.
void press(testing::Console& console, Qt::Key key) {
    QWidget* focus = console.window->focusWidget();
    QTest::keyClick(focus ? focus : console.window.get(), key);
    QCoreApplication::processEvents();
}

/// Returns whether the visible docks do not overlap.
bool apart(testing::Console& console) {
    shell::Workbench& bench = console.window->workbench();
    std::vector<QRect> places;
    for (const auto& [name, place] : docks_of(console)) places.push_back(place);
    if (bench.centralWidget()->isVisible()) places.push_back(bench.centralWidget()->geometry());
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (!bench.rect().contains(places[i])) return false;
        for (std::size_t k = i + 1; k < places.size(); ++k)
            if (places[i].intersects(places[k])) return false;
    }
    return true;
}

/// Returns whether all text in the strip is readable: no line is truncated or beyond its edge.
bool whole(const shell::GuideStrip& strip) {
    for (const QLabel* label : strip.findChildren<QLabel*>()) {
        if (label->isHidden()) continue;
        const int needs = label->wordWrap() ? label->heightForWidth(label->width()) : label->sizeHint().height();
        if (label->height() < needs || !strip.rect().contains(label->geometry())) return false;
        if (!label->wordWrap() && label->width() < label->sizeHint().width()) return false;
    }
    for (const QPushButton* button : strip.findChildren<QPushButton*>())
        if (button->isVisible() && button->width() < button->minimumSizeHint().width()) return false;
    return strip.parentWidget()->rect().contains(strip.geometry());
}

shell::PointerOverlay* overlay_of(testing::Console& console) {
    return console.window->findChild<shell::PointerOverlay*>(QStringLiteral("pointerOverlay"));
}

}  // namespace

class PresenterTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void one_key_enters_and_leaves_presenter_mode_without_trace() {
        testing::Console console;
        console.show_chain();
        QCoreApplication::processEvents();
        const Look before(console);
        press(console, Qt::Key_F11);
        QVERIFY(testing::WindowParts::presenter(*console.window).on());
        QVERIFY(console.action("presenter")->isChecked());
        QVERIFY(console.window->isFullScreen());
        QVERIFY(overlay_of(console)->notice().contains(QStringLiteral("F11")));
        console.shot("presenter");
        press(console, Qt::Key_F11);
        QVERIFY(!testing::WindowParts::presenter(*console.window).on());
        QVERIFY(!console.action("presenter")->isChecked());
        QVERIFY(!overlay_of(console));
        QTRY_VERIFY2(Look(console).layout == before.layout, qPrintable(docks_text(console, before.layout)));
        QTRY_VERIFY(Look(console) == before);
    }

    void escape_leaves_presenter_mode_from_any_workspace() {
        testing::Console console;
        console.show_chain();
        console.action("workspace_train")->trigger();
        QCoreApplication::processEvents();
        const Look before(console);
        press(console, Qt::Key_F11);
        console.action("workspace_mesh")->trigger();
        QCoreApplication::processEvents();
        press(console, Qt::Key_Escape);
        QVERIFY(!testing::WindowParts::presenter(*console.window).on());
        QTRY_VERIFY2(Look(console).layout == before.layout, qPrintable(docks_text(console, before.layout)));
        QTRY_VERIFY(Look(console) == before);
    }

    void escape_cancels_a_drag_before_it_leaves_presenter_mode() {
        testing::Console console;
        console.show_chain();
        press(console, Qt::Key_F11);
        console.view().setFocus();
        console.drag(0, 9, false);
        press(console, Qt::Key_Escape);
        QVERIFY(testing::WindowParts::presenter(*console.window).on());
        QTest::mouseRelease(console.view().viewport(), Qt::LeftButton);
        QCOMPARE(console.cuts(), model::Cuts{4});
        for (int i = 0; i < 2 && testing::WindowParts::presenter(*console.window).on(); ++i)
            press(console, Qt::Key_Escape);
        QVERIFY(!testing::WindowParts::presenter(*console.window).on());
    }

    void escape_clears_the_selection_before_it_leaves_presenter_mode() {
        testing::Console console;
        console.show_chain({});
        model::Selection& selection = console.window->context().selection;
        press(console, Qt::Key_F11);
        console.view().setFocus();
        console.view().selection().select(3, true);
        QCOMPARE(selection.current().kind, model::Selected::Kind::model_block);
        press(console, Qt::Key_Escape);
        QVERIFY(testing::WindowParts::presenter(*console.window).on());
        QVERIFY(!selection.current());
        QCOMPARE(console.view().selection().block(), -1);
        // Escape also clears a selection made in a view without the focus.
        selection.select(model::Selected::of_link("sr-1", "sr-2"));
        press(console, Qt::Key_Escape);
        QVERIFY(testing::WindowParts::presenter(*console.window).on());
        QVERIFY(!selection.current());
        // A followed task does not count as a selection.
        selection.select(model::Selected::of_task(TaskId("gpt-1")));
        press(console, Qt::Key_Escape);
        QVERIFY(!testing::WindowParts::presenter(*console.window).on());
        QCOMPARE(selection.current(), model::Selected::of_task(TaskId("gpt-1")));
    }

    void docks_never_overlap() {
        testing::Console console;
        console.show_chain();
        for (const char* id : {"workspace_split", "workspace_train", "workspace_mesh", "workspace_faults"}) {
            console.action(id)->trigger();
            QCoreApplication::processEvents();
            if (!testing::WindowParts::presenter(*console.window).on()) press(console, Qt::Key_F11);
            console.window->setWindowState(Qt::WindowNoState);
            console.window->resize(800, 800);
            QTRY_VERIFY2(apart(console), qPrintable(QString::fromLatin1(id) + docks_text(console, {})));
            console.shot("presenter-800");
        }
        // A dock that the user requests is shown. Once there is room again, all docks are shown.
        console.action("workspace_split")->trigger();
        console.show_dock("New task");
        QTRY_VERIFY(apart(console));
        QVERIFY(console.find<QDockWidget>("New task")->isVisible());
        console.window->resize(2400, 1600);
        for (const char* name : {"New task", "Split", "Inspector", "Plans"})
            QTRY_VERIFY2(!console.find<QDockWidget>(name)->isHidden(), name);
        press(console, Qt::Key_F11);
        console.action("workspace_split")->trigger();
        for (const char* name : {"New task", "Split", "Inspector", "Plans"})
            QTRY_VERIFY2(!console.find<QDockWidget>(name)->isHidden(), name);
    }

    void guide_strip_is_high_enough_for_its_text() {
        testing::Console console;
        console.show_chain();
        press(console, Qt::Key_F11);
        console.action("guide_cut")->trigger();
        console.window->setWindowState(Qt::WindowNoState);
        auto* strip = console.find<shell::GuideStrip>("guideStrip");
        auto* note = console.find<QLabel>("stripNote");
        for (const QSize size : {QSize(1366, 768), QSize(800, 800), QSize(640, 700)}) {
            console.window->resize(size);
            for (int step = 0; step < 6; ++step) {
                QTRY_VERIFY2(whole(*strip), qPrintable(note->text()));
                press(console, Qt::Key_PageDown);
            }
            for (int step = 0; step < 6; ++step) press(console, Qt::Key_PageUp);
            // Use texts of a language that needs 40 % more room.
            for (QLabel* label : strip->findChildren<QLabel*>())
                label->setText(label->text() + u' ' + label->text().left(label->text().size() * 2 / 5));
            QTRY_VERIFY2(whole(*strip), qPrintable(note->text()));
        }
    }

    void workspace_chosen_right_after_presenter_mode_stays() {
        testing::Console console;
        console.show_chain();
        press(console, Qt::Key_F11);
        press(console, Qt::Key_F11);
        console.action("workspace_mesh")->trigger();  // while the window is still being resized
        QTest::qWait(400);
        QCOMPARE(console.window->workbench().workspace(), shell::Workspace::mesh);
        press(console, Qt::Key_F11);
        press(console, Qt::Key_F11);
        QTest::qWait(1200);
        QCOMPARE(console.window->workbench().workspace(), shell::Workspace::mesh);
    }

    void fonts_are_larger_by_half() {
        testing::Console console;
        auto* tabs = console.find<QTabBar>("workspaces");
        auto* rows = console.find<QTableWidget>("taskTable")->verticalHeader();
        const double size = tabs->fontInfo().pointSizeF();
        const int height = tabs->fontMetrics().height(), row = rows->defaultSectionSize();
        press(console, Qt::Key_F11);
        QVERIFY(std::abs(tabs->fontInfo().pointSizeF() / size - 1.5) < 0.1);
        QVERIFY(tabs->fontMetrics().height() > height);
        QCOMPARE(model::text_scale(), 1.5);
        QCOMPARE(rows->defaultSectionSize(), qRound(row * 1.5));
        QVERIFY(qApp->styleSheet().contains(QStringLiteral("font-size: 33px")));
        press(console, Qt::Key_Escape);
        QCOMPARE(tabs->fontMetrics().height(), height);
        QCOMPARE(model::text_scale(), 1.0);
        QCOMPARE(rows->defaultSectionSize(), row);
        QVERIFY(qApp->styleSheet().contains(QStringLiteral("font-size: 22px")));
    }

    void toolbar_status_bar_and_menu_bar_are_hidden() {
        testing::Console console;
        console.show_chain();
        press(console, Qt::Key_F11);
        QVERIFY(!console.find<QToolBar>("toolbar")->isVisible());
        QVERIFY(!console.window->statusBar()->isVisible());
        QCOMPARE(console.window->menuBar()->height(), 0);
        QVERIFY(console.find<QTabBar>("workspaces")->isVisible());
        for (const QDockWidget* dock : console.window->workbench().findChildren<QDockWidget*>())
            QCOMPARE(dock->titleBarWidget()->sizeHint().height(), 0);
        // The shortcuts of all actions still work.
        console.view().setFocus();
        QTest::keyClick(&console.view(), Qt::Key_1, Qt::ControlModifier);
        QTest::keyClick(&console.view(), Qt::Key_2, Qt::ControlModifier);
        QCOMPARE(console.window->workbench().workspace(), shell::Workspace::train);
    }

    void alt_alone_shows_the_menu() {
        testing::Console console;
        press(console, Qt::Key_F11);
        QMenuBar* menus = console.window->menuBar();
        QTest::keyClick(console.window.get(), Qt::Key_Alt);
        QTRY_VERIFY(menus->height() > 0);
        press(console, Qt::Key_Escape);  // closes the menu first
        QTRY_COMPARE(menus->height(), 0);
        QVERIFY(testing::WindowParts::presenter(*console.window).on());
        QTest::keyClick(console.window.get(), Qt::Key_Alt);
        QTRY_VERIFY(menus->height() > 0);
        QTest::mouseClick(console.find<QTabBar>("workspaces"), Qt::LeftButton);
        QTRY_COMPARE(menus->height(), 0);
    }

    void alt_during_a_drag_does_not_open_the_menu() {
        testing::Console console;
        console.show_chain();
        press(console, Qt::Key_F11);
        console.view().setFocus();
        QCoreApplication::processEvents();
        const QPoint there = console.view().mapTo(console.window.get(), console.view().rect().center());
        QTest::mousePress(console.window->windowHandle(), Qt::LeftButton, {}, there);
        QCoreApplication::processEvents();
        QVERIFY(QApplication::mouseButtons() & Qt::LeftButton);
        QTest::keyClick(&console.view(), Qt::Key_Alt);
        QCoreApplication::processEvents();
        QCOMPARE(console.window->menuBar()->height(), 0);
        QTest::mouseRelease(console.window->windowHandle(), Qt::LeftButton, {}, there);
    }

    void pointer_halo_follows_the_window_and_passes_clicks() {
        testing::Console console;
        console.show_chain();
        press(console, Qt::Key_F11);
        shell::PointerOverlay* overlay = overlay_of(console);
        QVERIFY(overlay->isVisible());
        QTRY_COMPARE(overlay->geometry(), console.window->rect());
        QVERIFY(console.window->childAt(console.window->rect().center()) != overlay);
        // Mouse events go to the window, as from the window system. The window itself finds the widget below the
        // pointer.
        auto* tabs = console.find<QTabBar>("workspaces");
        const QPoint there = tabs->mapTo(console.window.get(), tabs->tabRect(2).center());
        QTest::mouseMove(console.window->windowHandle(), there);
        QCoreApplication::processEvents();
        QCOMPARE(overlay->pointer(), std::optional(there));
        QVERIFY(!overlay->ring());
        QTest::mouseClick(console.window->windowHandle(), Qt::LeftButton, {}, there);
        QCoreApplication::processEvents();
        QCOMPARE(console.window->workbench().workspace(), shell::Workspace::mesh);
        QVERIFY(overlay->ring());
        QTRY_VERIFY(!overlay->ring());  // the ring fades
    }

    void pressed_keys_are_shown_on_screen() {
        testing::Console console;
        console.show_chain();
        press(console, Qt::Key_F11);
        console.view().setFocus();
        QTest::keyClick(&console.view(), Qt::Key_E, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(overlay_of(console)->keys(), QStringLiteral("Ctrl+Shift+E"));
        QTRY_VERIFY(overlay_of(console)->keys().isEmpty());
    }

    void page_down_opens_the_next_step_and_done_steps_are_ticked() {
        testing::Console console;
        press(console, Qt::Key_F11);
        auto* strip = console.find<shell::GuideStrip>("guideStrip");
        QVERIFY(!strip->isVisible());
        QVERIFY(!console.action("next_step")->isEnabled());
        console.action("guide_cut")->trigger();
        QVERIFY(strip->isVisible());
        QVERIFY(!console.find<shell::GuideDock>("Guide")->isVisible());
        QCOMPARE(console.find<QLabel>("stripCount")->text(), QStringLiteral("1 of 6"));
        auto* state = console.find<QLabel>("stripState");
        QVERIFY(state->text().contains(QStringLiteral("Not done")));
        console.document().set_model(testing::chain_model(20), {});
        QTRY_VERIFY(state->text().startsWith(u'\u2713'));
        console.shot("presenter-steps");
        press(console, Qt::Key_PageDown);
        QCOMPARE(testing::WindowParts::guide(*console.window).steps().step(), 1);
        console.find<QSpinBox>("stages")->setValue(3);
        QTest::mouseClick(console.find<QPushButton>("stripDo"), Qt::LeftButton);
        QTRY_VERIFY(state->text().startsWith(u'\u2713'));
        press(console, Qt::Key_PageUp);
        QCOMPARE(testing::WindowParts::guide(*console.window).steps().step(), 0);
        for (int i = 0; i < 9; ++i) press(console, Qt::Key_PageDown);
        QCOMPARE(console.find<QLabel>("stripCount")->text(), QStringLiteral("6 of 6"));  // stays at the last step
        QVERIFY(strip->isVisible());
    }

    void page_down_in_a_text_field_opens_the_next_step() {
        testing::Console console;
        console.show_chain();
        press(console, Qt::Key_F11);
        console.action("guide_cut")->trigger();
        auto* field = console.find<QSpinBox>("stages");
        field->setFocus();
        QTest::keyClick(field, Qt::Key_PageDown);
        QCOMPARE(testing::WindowParts::guide(*console.window).steps().step(), 1);
    }

    void page_down_outside_presenter_mode_keeps_the_guide_step() {
        testing::Console console;
        console.show_chain();
        console.action("guide_cut")->trigger();
        QTest::keyClick(&console.view(), Qt::Key_PageDown);
        QCOMPARE(testing::WindowParts::guide(*console.window).steps().step(), 0);
    }

    void guide_open_before_presenter_mode_returns_after_it() {
        testing::Console console;
        console.action("guide_link")->trigger();
        auto* dock = console.find<shell::GuideDock>("Guide");
        QVERIFY(dock->isVisible());
        press(console, Qt::Key_F11);
        QVERIFY(!dock->isVisible());
        press(console, Qt::Key_PageDown);
        press(console, Qt::Key_Escape);
        QVERIFY(dock->isVisible());
        QCOMPARE(dock->step(), 1);
        QVERIFY(!console.find<shell::GuideStrip>("guideStrip")->isVisible());
    }

    void notes_show_the_time_since_an_earlier_scenario_start() {
        testing::Console console;
        console.action("guide_cut")->trigger();
        press(console, Qt::Key_F11);
        auto* time =
            testing::WindowParts::presenter(*console.window).notes()->findChild<QLabel*>(QStringLiteral("speakerTime"));
        QVERIFY2(time->text().startsWith(QStringLiteral("0:")), qPrintable(time->text()));
    }

    void scenario_started_in_presenter_mode_ends_with_it() {
        testing::Console console;
        press(console, Qt::Key_F11);
        console.action("guide_link")->trigger();
        press(console, Qt::Key_Escape);
        QCOMPARE(testing::WindowParts::guide(*console.window).steps().step(), -1);
        QVERIFY(!console.find<shell::GuideDock>("Guide")->isVisible());
    }

    void notes_have_their_own_window() {
        testing::Console console;
        console.window->present(QStringLiteral("cut-and-train"));
        auto* notes = testing::WindowParts::presenter(*console.window).notes();
        const bool alone = QGuiApplication::screens().size() == 1;
        QCOMPARE(notes->isVisible(), !alone);
        if (alone) QTest::keyClick(console.window.get(), Qt::Key_N, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(notes->isVisible() && notes->isWindow());
        auto* text = notes->findChild<QLabel*>(QStringLiteral("speakerText"));
        QVERIFY(text->text().contains(QStringLiteral("Explain the picture")));
        QVERIFY(!console.find<QLabel>("stripNote")->text().contains(QStringLiteral("Explain the picture")));
        QVERIFY(
            notes->findChild<QLabel*>(QStringLiteral("speakerNext"))->text().contains(QStringLiteral("Cut the model")));
        console.shot("speaker-notes", notes);
        const QString first = text->text();
        press(console, Qt::Key_PageDown);
        QVERIFY(text->text() != first);
        console.action("chinese")->trigger();
        QTRY_VERIFY(text->text().contains(u'\u6bb5'));
        console.action("english")->trigger();
        press(console, Qt::Key_Escape);
        QVERIFY(!notes->isVisible());
    }

    void window_closed_in_presenter_mode_reopens_as_before() {
        testing::Console console;
        console.action("workspace_train")->trigger();
        console.window->close();
        console.open();
        QCoreApplication::processEvents();
        const QByteArray layout = console.window->workbench().saveState();
        const QFont font = QApplication::font();
        press(console, Qt::Key_F11);
        console.settings.sync();
        const QByteArray kept = bytes_of(console.settings.fileName());
        console.action("workspace_mesh")->trigger();
        console.window->close();
        console.settings.sync();
        QCOMPARE(bytes_of(console.settings.fileName()), kept);
        QCOMPARE(QApplication::font(), font);
        QCOMPARE(model::text_scale(), 1.0);
        console.open();
        QVERIFY(!console.window->isFullScreen());
        QCOMPARE(console.window->workbench().workspace(), shell::Workspace::train);
        QTRY_COMPARE(console.window->workbench().saveState(), layout);
    }

    void window_destroyed_in_presenter_mode_restores_the_fonts() {
        const QFont font = QApplication::font();
        {
            testing::Console console;
            press(console, Qt::Key_F11);
            QVERIFY(QApplication::font() != font);
        }
        QCOMPARE(QApplication::font(), font);
        QCOMPARE(model::text_scale(), 1.0);
    }

    void presenter_mode_keys_are_in_the_key_list_and_the_menu() {
        testing::Console console;
        console.action("keys")->trigger();
        auto* table = console.find<QTableWidget>("keyTable");
        const auto listed = [&](const QString& key) { return !table->findItems(key, Qt::MatchExactly).isEmpty(); };
        QVERIFY(listed(QStringLiteral("F11")));
        console.find<QDialog>("keyList")->reject();
        const auto menus = console.window->menuBar()->actions();
        QVERIFY(std::ranges::any_of(menus, [&](const QAction* menu) {
            return menu->menu() && menu->menu()->actions().contains(console.action("presenter"));
        }));
    }

    void recording_can_be_presented_without_a_cluster() {
        QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("lab.divisirec"));
        {
            testing::ScriptedClient cluster;
            cluster.connect_to(QStringLiteral("lab"));
            testing::Console console(&cluster);
            QVERIFY(console.window->recordings().record(file).isEmpty());
            cluster.play();
            QTest::qWait(120);
            console.action("record")->trigger();
        }
        auto replay = client::ReplayClient::open(file.toStdString());
        QVERIFY(replay.ok());
        testing::Console console(replay->get());
        console.window->present(QStringLiteral("break-a-link"));
        QVERIFY(console.find<shell::GuideStrip>("guideStrip")->isVisible());
        press(console, Qt::Key_PageDown);
        QCOMPARE(testing::WindowParts::guide(*console.window).steps().step(), 1);
    }

    void unknown_scenario_is_refused_with_the_known_names() {
        QProcess console;
        console.start(QStringLiteral(DIVISI_BIN_DIR "/divisi"),
                      {QStringLiteral("--no-cluster"), QStringLiteral("--present"), QStringLiteral("nonsense")});
        QVERIFY(console.waitForFinished(30'000));
        QCOMPARE(console.exitCode(), 2);
        const QString said = QString::fromUtf8(console.readAllStandardError());
        QVERIFY2(said.contains(QStringLiteral("'nonsense'")), qPrintable(said));
        for (const char* name : {"cut-and-train", "break-a-link", "move-a-cut"})
            QVERIFY2(said.contains(QString::fromLatin1(name)), qPrintable(said));
    }
};

DIVISI_WINDOW_TEST(PresenterTest)

}  // namespace presenter_test

#include "presenter_test.moc"
