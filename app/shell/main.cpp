// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QCommandLineParser>
#include <QPixmap>
#include <QProcess>
#include <QSettings>
#include <QTimer>
#include <algorithm>
#include <cstdio>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>

#include "app/client/cluster_client.h"
#include "app/client/embedded_host.h"
#include "app/shell/main_window.h"
#include "backend/base/version.h"

namespace {

/// Says of the first of `ids` that is no action what there is.
bool all_known(const divisi::shell::Actions& actions, const QStringList& ids) {
    for (const QString& id : ids)
        if (!actions.find(id.toStdString())) {
            std::fprintf(stderr, "divisi: --actions: there is no action '%s'; the actions are %s\n", qPrintable(id),
                         qPrintable(actions.ids().join(QStringLiteral(", "))));
            return false;
        }
    return true;
}

/// Goes to the workspace of this name; without one stays where the last window was. Says of a wrong one what there is.
bool go_to(divisi::shell::MainWindow& window, const QString& name) {
    if (name.isEmpty()) return true;
    if (const auto workspace = divisi::shell::parse_workspace(name)) {
        window.set_workspace(*workspace);
        return true;
    }
    QStringList all;
    for (const auto workspace : divisi::shell::all_workspaces) all << divisi::shell::name(workspace);
    std::fprintf(stderr, "divisi: --workspace: there is no workspace '%s'; the workspaces are %s\n", qPrintable(name),
                 qPrintable(all.join(QStringLiteral(", "))));
    return false;
}

/// Developer options: open something, wait until it stands, write a picture of the window, end.
void take_screenshot(divisi::shell::MainWindow& window, const QString& file, int after_ms) {
    QTimer::singleShot(after_ms, &window, [&window, file] {
        const bool saved = window.grab().save(file);
        QCoreApplication::exit(saved ? 0 : 1);
    });
}

/// The cluster that --connect names, this user's running one, or an embedded one that ends with the console.
std::unique_ptr<divisi::client::Client> make_client(const QCommandLineParser& parser) {
    if (parser.isSet(QStringLiteral("no-cluster"))) return nullptr;
    const std::filesystem::path data = divisi::client::default_data_folder();
    divisi::client::ClusterOptions options;
    options.connection = parser.value(QStringLiteral("connect")).toStdString();
    options.keys = data / "client.key";
    options.uploads = data / "uploads";
    options.version = divisi::version;
    options.start = [data] { return divisi::client::host_embedded(data); };
    return std::make_unique<divisi::client::ClusterClient>(std::move(options));
}

bool has_word(int argc, char** argv, std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(std::span(argv, static_cast<std::size_t>(argc)),
                               [&](std::string_view word) { return std::ranges::find(words, word) != words.end(); });
}

/// Qt aborts where there is no display; the terminal has the same functions.
bool can_show(int argc, char** argv) {
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
        if (!qEnvironmentVariableIsEmpty(name)) return true;
    return has_word(argc, argv, {"-platform", "--platform"});
}

void name_program() {
    QCoreApplication::setApplicationName(QStringLiteral("divisi"));
    QCoreApplication::setApplicationVersion(QString::fromLatin1(divisi::version));
    QCoreApplication::setOrganizationName(QStringLiteral("divisi"));
}

/// Languages and themes by the names that they have in the options; another name is a slip of the pen.
bool names_are_known(const QCommandLineParser& parser) {
    const std::pair<const char*, QStringList> known[] = {
        {"lang", divisi::shell::Language::known()},
        {"theme", {QStringLiteral("dark"), QStringLiteral("light")}},
    };
    for (const auto& [option, names] : known) {
        const QString name = QString::fromLatin1(option);
        if (!parser.isSet(name) || names.contains(parser.value(name))) continue;
        std::fprintf(stderr, "divisi: --%s: '%s' is none; use %s\n", option, qPrintable(parser.value(name)),
                     qPrintable(names.join(QStringLiteral(" or "))));
        return false;
    }
    return true;
}

/// With settings of its own a console keeps its session beside them, and stays apart from the user's.
QString session_folder(const QCommandLineParser& parser) {
    const QString settings = parser.value(QStringLiteral("settings"));
    return settings.isEmpty() ? divisi::shell::session_folder() : settings + QStringLiteral(".session");
}

/// Another cluster gets a console of its own, with the same settings: nothing of this one is lost by it.
void offer_connections(divisi::shell::MainWindow& window, const QStringList& settings) {
    QObject::connect(&window, &divisi::shell::MainWindow::connectRequested, &window, [settings](const QString& file) {
        const QStringList arguments = QStringList{QStringLiteral("--connect"), file} + settings;
        if (!QProcess::startDetached(QCoreApplication::applicationFilePath(), arguments))
            qWarning("no second console could be started");
    });
}

void describe(QCommandLineParser& parser) {
    parser.setApplicationDescription(
        QStringLiteral("Split the training of a model, run it on many machines, watch it live."));
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addPositionalArgument(QStringLiteral("file"),
                                 QStringLiteral("An .onnx model, a .toml task file, or zoo:NAME. Without one, what a "
                                                "console that was killed had open is opened again."),
                                 QStringLiteral("[file]"));
    parser.addOptions({
        {QStringLiteral("connect"), QStringLiteral("Connect to the cluster that FILE names."), QStringLiteral("FILE")},
        {QStringLiteral("no-cluster"), QStringLiteral("Start no cluster and connect to none.")},
        {QStringLiteral("settings"), QStringLiteral("Keep settings in FILE."), QStringLiteral("FILE")},
        {QStringLiteral("theme"), QStringLiteral("dark or light."), QStringLiteral("THEME")},
        {{QStringLiteral("lang"), QStringLiteral("language")},
         QStringLiteral("en or zh_CN."),
         QStringLiteral("LANGUAGE")},
        {QStringLiteral("workspace"), QStringLiteral("Begin in NAME: split, train, mesh, faults or models."),
         QStringLiteral("NAME")},
        {QStringLiteral("stages"), QStringLiteral("Cut into N segments of equal FLOPs."), QStringLiteral("N")},
        {QStringLiteral("screenshot"), QStringLiteral("Write a picture of the window to FILE and end."),
         QStringLiteral("FILE")},
        {QStringLiteral("after"), QStringLiteral("Take the screenshot after MS milliseconds."), QStringLiteral("MS"),
         QStringLiteral("1500")},
        {QStringLiteral("actions"), QStringLiteral("Trigger these actions, divided by commas, before the screenshot."),
         QStringLiteral("IDS")},
    });
}

}  // namespace

int main(int argc, char** argv) {
    QCommandLineParser parser;
    describe(parser);
    name_program();
    if (has_word(argc, argv, {"-h", "--help", "--help-all", "-v", "--version"})) {
        const QCoreApplication no_window(argc, argv);
        parser.process(no_window);  // ends here
    }
    if (!can_show(argc, argv)) {
        std::fputs(
            "error: there is no display for the console (DISPLAY and WAYLAND_DISPLAY are empty); on a machine "
            "without one use divisictl, or run the console where you sit with --connect\n",
            stderr);
        return 2;
    }
    QApplication application(argc, argv);
    QApplication::setApplicationDisplayName(QStringLiteral("Divisi"));
    parser.process(application);
    if (!names_are_known(parser)) return 2;
    QApplication::setWindowIcon(QIcon(QStringLiteral(":/icons/app.svg")));
    QGuiApplication::setDesktopFileName(QStringLiteral("divisi"));

    std::unique_ptr<QSettings> settings;
    if (parser.isSet(QStringLiteral("settings")))
        settings = std::make_unique<QSettings>(parser.value(QStringLiteral("settings")), QSettings::IniFormat);
    else settings = std::make_unique<QSettings>();

    const std::unique_ptr<divisi::client::Client> client = make_client(parser);
    divisi::shell::MainWindow window(*settings, client.get());
    if (parser.isSet(QStringLiteral("theme")))
        window.set_theme(divisi::shell::parse_theme(parser.value(QStringLiteral("theme"))));
    if (parser.isSet(QStringLiteral("lang"))) window.set_language(parser.value(QStringLiteral("lang")));
    if (!go_to(window, parser.value(QStringLiteral("workspace")))) return 2;
    if (parser.isSet(QStringLiteral("stages"))) {
        const int stages = parser.value(QStringLiteral("stages")).toInt();
        QObject::connect(&window.loader(), &divisi::model::ModelLoader::loaded, &window, [&window, stages] {
            if (!window.document().split_equally(stages).ok()) qWarning("the model has too few legal cuts");
        });
    }
    QStringList same_settings;
    if (parser.isSet(QStringLiteral("settings")))
        same_settings = {QStringLiteral("--settings"), parser.value(QStringLiteral("settings"))};
    offer_connections(window, same_settings);
    window.show();
    const QStringList arguments = parser.positionalArguments();
    // A picture is of what is asked for.
    if (!parser.isSet(QStringLiteral("screenshot"))) window.keep_session(session_folder(parser), arguments.isEmpty());
    if (!arguments.isEmpty()) {
        if (arguments.front().startsWith(QStringLiteral("zoo:"))) {
            divisi::model::ModelSource source;
            source.zoo = arguments.front().mid(4).toStdString();
            window.open_model(std::move(source));
        } else {
            window.open_path(arguments.front());
        }
    }
    const int after = parser.value(QStringLiteral("after")).toInt();
    const QStringList wanted = parser.value(QStringLiteral("actions")).split(u',', Qt::SkipEmptyParts);
    if (!all_known(window.actions(), wanted)) return 2;
    QTimer::singleShot(after / 2, &window, [&window, wanted] {
        for (const QString& id : wanted) window.actions().get(id.toStdString())->trigger();
    });
    if (parser.isSet(QStringLiteral("screenshot")))
        take_screenshot(window, parser.value(QStringLiteral("screenshot")), after);
    return QApplication::exec();
}
