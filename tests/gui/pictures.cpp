// SPDX-License-Identifier: GPL-3.0-or-later
// Takes pictures of the real window: of every view in both themes and both languages, and those of the manual. Behind
// it stands a cluster that is told what to say, so that the pictures are the same everywhere.
//   gui_pictures FOLDER              all of them; QT_SCALE_FACTOR sets the scale, tests/gui/pictures goes through three
//   gui_pictures --manual FOLDER     only those of the manual, as resources/docs/user/pictures has them
#include <QApplication>
#include <QDir>
#include <QScrollArea>
#include <cstdio>

#include "tests/gui/console.h"
#include "tests/gui/scripted_client.h"

using namespace divisi;
using testing::ScriptedClient;

namespace {

const char* sample = DIVISI_SOURCE_DIR "/resources/tasks/gpt-text.toml";

/// The embedded cluster's mesh: two gateways, three routers, two disjoint paths.
control::MeshState embedded_mesh() {
    control::MeshState mesh;
    const auto add = [&mesh](const char* name, const char* mic) {
        control::DeviceView device;
        device.id = static_cast<std::uint32_t>(mesh.devices.size() + 1);
        device.info.name = name;
        device.info.mic = MicId(mic);
        device.info.role = *mic ? mesh::DeviceRole::gateway : mesh::DeviceRole::router;
        device.info.pid = 1;
        device.info.buffer = Bytes{256} << 20;
        device.up = true;
        device.heard = TimePoint(std::chrono::seconds(1));
        mesh.devices.push_back(device);
    };
    add("mg-1", "mic-1");
    add("mg-2", "mic-2");
    for (const char* router : {"sr-1", "sr-2", "sr-3"}) add(router, "");
    for (const auto& [a, b] : {std::pair{1U, 3U}, {2U, 3U}, {1U, 4U}, {4U, 5U}, {2U, 5U}}) {
        mesh.links.push_back({a, b, 0, 0});
        mesh.devices[a - 1].neighbours.push_back({b, true, 0, 0, 8 << 20});
        mesh.devices[b - 1].neighbours.push_back({a, true, 0, 0, 8 << 20});
    }
    control::FlowReport flow;
    flow.task = TaskId("gpt-text-1");
    flow.source = Sid("gpt-text-1/stage-0/0");
    flow.destination = Sid("gpt-text-1/stage-1/0");
    flow.path = {1, 3, 2};
    mesh.devices[0].flows = {flow};
    return mesh;
}

/// A console on a cluster that trains, with a model open.
struct Studio {
    ScriptedClient cluster;
    testing::Console console{&cluster};
    QDir folder;
    bool failed = false;

    explicit Studio(const QString& into) : folder(into) {
        cluster.connect_to(QStringLiteral("this machine"));
        cluster.play();
        Q_EMIT cluster.meshCame(embedded_mesh());
        failed = !console.loads([this] { console.window->open_path(QString::fromUtf8(sample)); });
        settle();
    }
    /// Charts and the picture of the mesh are drawn a moment after they are told something.
    static void settle() { QTest::qWait(400); }

    void take(const QString& name) {
        settle();
        const QString path = folder.filePath(name + QStringLiteral(".png"));
        if (console.window->grab().save(path)) return;
        std::fprintf(stderr, "pictures: %s cannot be written\n", qPrintable(path));
        failed = true;
    }
    std::vector<QDockWidget*> docks() {
        std::vector<QDockWidget*> found;
        for (QDockWidget* dock : console.window->findChildren<QDockWidget*>())
            if (!dock->objectName().isEmpty()) found.push_back(dock);
        return found;
    }
    void show_dock(const char* name) {
        for (QDockWidget* dock : docks()) {
            if (dock->objectName() != QLatin1String(name)) continue;
            dock->show();
            dock->raise();
        }
    }
    void chosen_cut() {
        console.action("model_graph")->trigger();
        if (!console.cuts().empty()) console.view().focus_cut(0);
    }
};

/// Every view once, in the theme and language that are set.
void take_views(Studio& studio, const QString& suffix) {
    for (const char* view : {"model_graph", "task_graph", "topology"}) {
        studio.console.action(view)->trigger();
        studio.take(QStringLiteral("%1-%2").arg(QLatin1String(view), suffix));
    }
    studio.console.action("model_graph")->trigger();
    for (QDockWidget* dock : studio.docks()) {
        dock->show();
        dock->raise();
        studio.take(QStringLiteral("%1-%2").arg(dock->objectName().toLower().replace(u' ', u'_'), suffix));
    }
}

void take_all(Studio& studio) {
    for (const auto theme : {shell::Theme::dark, shell::Theme::light})
        for (const QString& language : shell::Language::known()) {
            studio.console.window->set_theme(theme);
            studio.console.window->set_language(language);
            take_views(studio, shell::name(theme) + u'-' + language);
        }
}

/// By the names that the pages give them.
void take_manual(Studio& studio) {
    studio.console.window->set_theme(shell::Theme::light);
    studio.console.window->resize(1366, 768);
    studio.console.action("model_graph")->trigger();
    studio.show_dock("Tasks");
    studio.take(QStringLiteral("start"));
    studio.chosen_cut();
    studio.take(QStringLiteral("split"));
    studio.show_dock("Plans");
    studio.take(QStringLiteral("prices"));
    const std::pair<const char*, const char*> docks[] = {
        {"Telemetry", "run"}, {"Recoveries", "faults"}, {"Nodes", "machines"}, {"Leases", "models"}};
    for (const auto& [dock, name] : docks) {
        studio.show_dock(dock);
        studio.take(QLatin1String(name));
    }
    studio.chosen_cut();
    QTest::keyClick(&studio.console.view(), Qt::Key_Down, Qt::ShiftModifier);
    studio.take(QStringLiteral("recut"));
    studio.console.action("topology")->trigger();
    studio.take(QStringLiteral("mesh"));
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
    Studio studio(arguments[0]);
    if (studio.failed) {
        std::fprintf(stderr, "pictures: %s cannot be opened\n", sample);
        return 1;
    }
    if (manual) take_manual(studio);
    else take_all(studio);
    return studio.failed ? 1 : 0;
}
