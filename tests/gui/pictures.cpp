// SPDX-License-Identifier: GPL-3.0-or-later
// Takes pictures of the real window: every workspace and view in both themes and both languages, and the pictures of
// the manual. The content comes from the sample recording of a cluster that really trained, so the pictures are the
// same everywhere.
//   gui_pictures FOLDER              takes the pictures of all views, at QT_SCALE_FACTOR; see tests/gui/pictures
//   gui_pictures --manual FOLDER     takes only the pictures of the manual, as in resources/docs/user/pictures
#include <QApplication>
#include <QDialog>
#include <QDir>
#include <QSlider>
#include <cstdio>

#include "app/client/replay_client.h"
#include "app/shell/docks/workbench.h"
#include "tests/gui/console.h"

using namespace divisi;
using client::RecordingMark;
using client::ReplayClient;

namespace {

const char* task_file = DIVISI_SOURCE_DIR "/resources/tasks/gpt-text.toml";
const char* recording_file = DIVISI_SOURCE_DIR "/resources/samples/faults-and-recut.divisirec";
constexpr const char* workspaces[] = {"split", "train", "mesh", "faults", "models"};
constexpr QSize laptop(1366, 768), wall(3840, 2160);

/// A console that shows the recording, with the model of its task open.
struct Studio {
    std::unique_ptr<ReplayClient> cluster;
    testing::Console console;
    QDir folder;
    bool failed = false;

    Studio(std::unique_ptr<ReplayClient> recording, const QString& into)
        : cluster(std::move(recording)), console(cluster.get()), folder(into) {
        console.window->resize(laptop);
        testing::WindowParts::task_form(*console.window).set_all(false);  // as a new user sees it
    }
    void open_model() {
        if (!console.loads([this] { console.window->open_path(QString::fromUtf8(task_file)); })) failed = true;
    }
    /// Shows the time `behind` after the recording's n-th mark of a kind, where n counts from 0. Without such a mark,
    /// shows the time `behind` after the start.
    void go(RecordingMark::Kind kind, std::size_t n, std::chrono::milliseconds behind) {
        Duration at{};
        for (const RecordingMark& mark : cluster->marks())
            if (mark.kind == kind && n-- == 0) at = mark.at;
        const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(at) + behind;
        console.find<QToolBar>("transportBar")->findChild<QSlider*>()->setValue(static_cast<int>(ms.count()));
        settle();
    }
    /// Waits until everything is drawn. Charts and the map follow their data with a delay, prices take time to compute,
    /// and a busy machine lays out changed texts late.
    void settle() {
        QTest::qWait(400);
        if (!QTest::qWaitFor([this] { return !console.window->context().prices.busy(); }, 20'000)) failed = true;
        QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
        QCoreApplication::processEvents();
    }

    void take(const QString& name, QWidget* of = nullptr) {
        settle();
        const QString path = folder.filePath(name + QStringLiteral(".png"));
        if ((of ? of : console.window.get())->grab().save(path)) return;
        std::fprintf(stderr, "pictures: %s cannot be written\n", qPrintable(path));
        failed = true;
    }
    void enter(const char* workspace) { console.action(("workspace_" + std::string(workspace)).c_str())->trigger(); }
    /// Returns the docks of the shown workspace, including those behind tabs.
    std::vector<QDockWidget*> docks() {
        std::vector<QDockWidget*> found;
        for (QDockWidget* dock : console.window->workbench().findChildren<QDockWidget*>())
            if (!dock->isHidden()) found.push_back(dock);
        return found;
    }
    /// Brings a view to the front and gives it this width or height in pixels.
    void give(const char* view, int size, Qt::Orientation direction) {
        console.show_dock(view);
        console.window->workbench().resizeDocks({console.find<QDockWidget>(view)}, {size}, direction);
        settle();
    }
    void chosen_cut() {
        console.action("model_graph")->trigger();
        if (!console.cuts().empty()) console.view().cut_focus().focus(0);
    }
};

/// Takes pictures of each workspace, with the views behind the tabs of its docks, and then of the dialogs.
void take_views(Studio& studio, const QString& suffix) {
    for (const char* workspace : workspaces) {
        studio.enter(workspace);
        studio.take(QStringLiteral("%1-%2").arg(QLatin1String(workspace), suffix));
        for (QDockWidget* dock : studio.docks()) {
            if (!dock->visibleRegion().isEmpty()) continue;
            dock->raise();
            const QString name = dock->objectName().toLower().replace(u' ', u'_');
            studio.take(QStringLiteral("%1-%2-%3").arg(QLatin1String(workspace), name, suffix));
        }
    }
    studio.chosen_cut();
    studio.console.action("score")->trigger();
    studio.take(QStringLiteral("score-") + suffix);
    studio.console.action("score")->trigger();
    for (const auto& [action, dialog] : {std::pair("settings", "settingsDialog"), {"about", "aboutDialog"}}) {
        studio.console.action(action)->trigger();
        auto* shown = studio.console.find<QDialog>(dialog);
        studio.take(QStringLiteral("%1-%2").arg(QLatin1String(action), suffix), shown);
        shown->close();
    }
}

/// Takes pictures of the workspaces on a large screen.
void take_large(Studio& studio) {
    studio.console.window->resize(wall);
    for (const char* workspace : workspaces) {
        studio.enter(workspace);
        studio.take(QStringLiteral("%1-3840").arg(QLatin1String(workspace)));
    }
    studio.console.window->resize(laptop);
}

void in_every_look(Studio& studio, const std::function<void(const QString& suffix)>& take) {
    for (const auto theme : {shell::Theme::dark, shell::Theme::light})
        for (const QString& language : shell::Language::known()) {
            studio.console.window->set_theme(theme);
            studio.console.window->set_language(language);
            take(shell::name(theme) + u'-' + language);
        }
}

void take_all(Studio& studio) {
    studio.go(RecordingMark::Kind::incident, 0, std::chrono::seconds(6));
    studio.enter("split");
    in_every_look(studio, [&](const QString& suffix) { studio.take(QStringLiteral("start-") + suffix); });
    studio.open_model();
    in_every_look(studio, [&](const QString& suffix) { take_views(studio, suffix); });
    take_large(studio);
}

/// Takes a picture of all columns of the segment table and of the landscape of the selected cut.
void take_prices(Studio& studio) {
    studio.give("Split", 640, Qt::Horizontal);
    studio.chosen_cut();
    studio.take(QStringLiteral("prices"));
    studio.console.action("reset_layout")->trigger();
}

void take_keys(Studio& studio) {
    studio.console.action("keys")->trigger();
    auto* keys = studio.console.find<QDialog>("keyList");
    studio.take(QStringLiteral("keys"), keys);
    keys->close();
}

/// Takes the manual's pictures, under the names that its pages use.
void take_manual(Studio& studio) {
    using enum RecordingMark::Kind;
    studio.console.window->set_theme(shell::Theme::light);
    studio.console.window->resize(1600, 960);
    studio.go(step, 60, {});
    studio.enter("split");
    studio.open_model();
    studio.take(QStringLiteral("start"));
    studio.chosen_cut();
    studio.take(QStringLiteral("split"));
    studio.console.action("score")->trigger();
    studio.take(QStringLiteral("score"));
    studio.console.action("score")->trigger();
    take_prices(studio);
    studio.enter("train");
    studio.give("Telemetry", 460, Qt::Vertical);
    studio.take(QStringLiteral("run"));
    studio.console.show_dock("Timeline");
    studio.take(QStringLiteral("timeline"));
    studio.console.action("reset_layout")->trigger();
    take_keys(studio);
    studio.go(fault, 0, std::chrono::seconds(2));
    studio.enter("mesh");
    studio.take(QStringLiteral("mesh"));
    studio.console.show_dock("Nodes");
    studio.take(QStringLiteral("machines"));
    studio.go(incident, 0, std::chrono::seconds(6));
    studio.enter("faults");
    studio.take(QStringLiteral("faults"));
    studio.enter("models");
    studio.take(QStringLiteral("models"));
    studio.chosen_cut();
    QTest::keyClick(&studio.console.view(), Qt::Key_Down, Qt::ShiftModifier);
    studio.take(QStringLiteral("recut"));
}

int usage() {
    std::fputs("usage: gui_pictures [--manual] FOLDER\n", stderr);
    return 2;
}

}  // namespace

int main(int argc, char** argv) {
    QApplication application(argc, argv);
    QStringList arguments = QApplication::arguments().mid(1);
    const bool manual = arguments.removeAll(QStringLiteral("--manual")) > 0;
    if (arguments.size() != 1 || arguments[0].startsWith(u'-')) return usage();
    if (!QDir().mkpath(arguments[0])) {
        std::fprintf(stderr, "pictures: %s cannot be made\n", qPrintable(arguments[0]));
        return 1;
    }
    auto recording = ReplayClient::open(recording_file);
    if (!recording.ok()) {
        std::fprintf(stderr, "pictures: %s\n", recording.error().message().c_str());
        return 1;
    }
    Studio studio(*std::move(recording), arguments[0]);
    if (manual) take_manual(studio);
    else take_all(studio);
    return studio.failed ? 1 : 0;
}
