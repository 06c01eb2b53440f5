// SPDX-License-Identifier: GPL-3.0-or-later
#include <unistd.h>
#include <QCoreApplication>

#include <QApplication>
#include <QCommandLineParser>
#include <QFile>
#include <QPixmap>
#include <QProcess>
#include <QSettings>
#include <QSocketNotifier>
#include <QTemporaryFile>
#include <QTimer>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>

#include "app/client/cluster_client.h"
#include "app/client/embedded_host.h"
#include "app/client/refusal_text.h"
#include "app/client/replay_client.h"
#include "app/shell/desktop/session_keeper.h"
#include "app/shell/presenting/step_control.h"
#include "app/shell/replay/recordings.h"
#include "app/shell/window/first_paint.h"
#include "app/shell/window/main_window.h"
#include "app/shell/window/new_windows.h"
#include "backend/base/version.h"

namespace {

/// Checks the ids. Reports the first unknown one, with the list of known actions.
bool all_known(const divisi::shell::Actions& actions, const QStringList& ids) {
    for (const QString& id : ids)
        if (!actions.find(id.toStdString())) {
            std::fprintf(stderr, "divisi: --actions: there is no action '%s'; the actions are %s\n", qPrintable(id),
                         qPrintable(actions.ids().join(QStringLiteral(", "))));
            return false;
        }
    return true;
}

/// Goes to the named workspace. Without a name, keeps the workspace of the last window. Reports an unknown name with
/// the list of workspaces.
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

/// Saves a picture of the window after `after_ms`, and quits. This is an option for developers.
void take_screenshot(divisi::shell::MainWindow& window, const QString& file, int after_ms) {
    QTimer::singleShot(after_ms, &window, [&window, file] {
        const bool saved = window.grab().save(file);
        QCoreApplication::exit(saved ? 0 : 1);
    });
}

/// Prints the time from the start to the first complete painting, and quits.
void print_startup_time(divisi::shell::MainWindow& window) {
    new divisi::shell::FirstPaint(window, [] {
        std::printf("first window after %.0f ms\n", divisi::shell::process_age_ms());
        std::fflush(stdout);
        QCoreApplication::quit();
    });
}

/// Returns the recording to show: the argument of --replay, or a file argument that is a recording; empty if there is
/// none.
QString recording_of(const QCommandLineParser& parser) {
    const QString file = parser.positionalArguments().value(0);
    if (parser.isSet(QStringLiteral("replay"))) return parser.value(QStringLiteral("replay"));
    return divisi::shell::Recordings::is_recording(file) ? file : QString();
}

/// Returns a client of the cluster named by --connect, of this user's running cluster, or of an embedded cluster that
/// ends with the console. Returns null for --no-cluster and for a recording.
std::unique_ptr<divisi::client::Client> make_client(const QCommandLineParser& parser) {
    if (parser.isSet(QStringLiteral("no-cluster")) || !recording_of(parser).isEmpty()) return nullptr;
    const std::filesystem::path data = divisi::client::default_data_folder();
    divisi::client::ClusterOptions options;
    options.connection = parser.value(QStringLiteral("connect")).toStdString();
    options.keys = data / "client.key";
    options.uploads = data / "uploads";
    options.version = divisi::version;
    options.start = [data] { return divisi::client::host_embedded(data); };
    return std::make_unique<divisi::client::ClusterClient>(std::move(options));
}

/// Opens the recording to show. Returns null if none is requested or if opening fails; `problem` is then the reason.
std::unique_ptr<divisi::client::ReplayClient> open_replay(const QCommandLineParser& parser, QString& problem) {
    QString path = recording_of(parser);
    if (path.isEmpty()) return nullptr;
    if (path.startsWith(u':')) {  // only Qt can read a resource of the program, so copy it to a file
        QFile shipped(path);
        QTemporaryFile* copy = QTemporaryFile::createNativeFile(shipped);
        if (copy) copy->setParent(QCoreApplication::instance());  // deleted together with the application
        if (copy) path = copy->fileName();
    }
    using divisi::client::RecordedCluster, divisi::client::ReplayClient;
    // The recording is scanned later, after the window was painted.
    auto opened = ReplayClient::open(path.toStdString(), RecordedCluster::Scan::later);
    if (opened.ok()) return *std::move(opened);
    problem = divisi::client::quoted(opened.error());
    std::fprintf(stderr, "divisi: --replay: %s\n", opened.error().message().c_str());
    return nullptr;
}

int end_pipe[2] = {-1, -1};
constexpr std::chrono::milliseconds end_patience{500};

/// Makes signals end the console as if its window were closed: a recording is closed, and hosted processes end cleanly.
/// The user is not asked, because a user who logs out cannot answer. Unsaved changes are offered again at the next
/// start.
void end_on_signals(QApplication& application) {
    if (::pipe(end_pipe) != 0) return;
    auto* heard = new QSocketNotifier(end_pipe[0], QSocketNotifier::Read, &application);
    QObject::connect(heard, &QSocketNotifier::activated, &application, [heard] {
        heard->setEnabled(false);
        QCoreApplication::quit();
        QTimer::singleShot(end_patience, [] { QCoreApplication::exit(); });
    });
    struct sigaction action {};
    action.sa_handler = [](int) {
        const char byte = 0;
        if (::write(end_pipe[1], &byte, 1) < 0) return;
    };
    action.sa_flags = static_cast<int>(SA_RESETHAND);  // a second signal kills the program immediately
    for (const int number : {SIGTERM, SIGINT}) ::sigaction(number, &action, nullptr);
}

bool has_word(int argc, char** argv, std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(std::span(argv, static_cast<std::size_t>(argc)),
                               [&](std::string_view word) { return std::ranges::find(words, word) != words.end(); });
}

/// Returns whether there is a display. Without a display, Qt would abort; an error then refers the user to
/// divisictl.
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

/// Checks that the values of the options for language and theme are known names.
bool names_are_known(const QCommandLineParser& parser) {
    const std::pair<const char*, QStringList> known[] = {
        {"lang", divisi::shell::Language::known()},
        {"theme", {QStringLiteral("dark"), QStringLiteral("light")}},
    };
    for (const auto& [option, names] : known) {
        const QString name = QString::fromLatin1(option);
        if (!parser.isSet(name) || names.contains(parser.value(name))) continue;
        std::fprintf(stderr, "divisi: --%s: '%s' is unknown; use %s\n", option, qPrintable(parser.value(name)),
                     qPrintable(names.join(QStringLiteral(" or "))));
        return false;
    }
    return true;
}

/// Checks the arguments: at most one file, and a valid number of segments.
bool arguments_are_sound(const QCommandLineParser& parser) {
    if (const QStringList files = parser.positionalArguments(); files.size() > 1) {
        std::fprintf(stderr, "divisi: '%s': a window opens one file; start divisi once for each\n",
                     qPrintable(files.at(1)));
        return false;
    }
    const QString stages = parser.value(QStringLiteral("stages"));
    if (!parser.isSet(QStringLiteral("stages")) || stages.toInt() >= 1) return true;
    std::fprintf(stderr, "divisi: --stages: '%s' is not a number of segments; use 1 or more\n", qPrintable(stages));
    return false;
}

/// Checks the scenario name. Reports an unknown one with the list of scenarios. Presenter mode also works without a
/// scenario.
bool scenario_is_known(const QCommandLineParser& parser) {
    const QString name = parser.value(QStringLiteral("present"));
    if (name.isEmpty() || divisi::shell::find_scenario(name)) return true;
    std::fprintf(stderr, "divisi: --present: there is no scenario '%s'; the scenarios are %s\n", qPrintable(name),
                 qPrintable(divisi::shell::scenario_names().join(QStringLiteral(", "))));
    return false;
}

/// Returns the session folder. With --settings, the session is kept beside that file, separate from the user's own
/// session.
QString session_folder(const QCommandLineParser& parser) {
    const QString settings = parser.value(QStringLiteral("settings"));
    return settings.isEmpty() ? divisi::shell::session_folder() : settings + QStringLiteral(".session");
}

/// Starts recording. Prints an error to standard error, because the program then ends, and no window remains to show
/// the error.
bool record_to(divisi::shell::MainWindow& window, const QString& file) {
    const QString problem = window.recordings().record(file);
    if (!problem.isEmpty()) std::fprintf(stderr, "divisi: --record: %s\n", qPrintable(problem));
    return problem.isEmpty();
}

void describe(QCommandLineParser& parser) {
    parser.setApplicationDescription(
        QStringLiteral("Split the training of a model, run it on many machines, watch it live."));
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addPositionalArgument(
        QStringLiteral("file"),
        QStringLiteral("An .onnx model, a .toml task file, a recording (.divisirec), or zoo:NAME. Without one, the "
                       "console reopens the task that a killed console had open."),
        QStringLiteral("[file]"));
    parser.addOptions({
        {QStringLiteral("connect"), QStringLiteral("Connect to the cluster that FILE names."), QStringLiteral("FILE")},
        {QStringLiteral("replay"), QStringLiteral("Show the recording FILE, without a cluster."),
         QStringLiteral("FILE")},
        {QStringLiteral("record"), QStringLiteral("Record all data from the cluster to FILE until the console ends."),
         QStringLiteral("FILE")},
        {QStringLiteral("no-cluster"), QStringLiteral("Start no cluster and connect to none.")},
        {QStringLiteral("settings"), QStringLiteral("Keep settings in FILE."), QStringLiteral("FILE")},
        {QStringLiteral("theme"), QStringLiteral("dark or light."), QStringLiteral("THEME")},
        {{QStringLiteral("lang"), QStringLiteral("language")},
         QStringLiteral("en or zh_CN."),
         QStringLiteral("LANGUAGE")},
        {QStringLiteral("workspace"), QStringLiteral("Begin in NAME: split, train, mesh, faults or models."),
         QStringLiteral("NAME")},
        {QStringLiteral("present"),
         QStringLiteral("Begin in presenter mode, with the guided SCENARIO if one is named: %1.")
             .arg(divisi::shell::scenario_names().join(QStringLiteral(", "))),
         QStringLiteral("SCENARIO")},
        {QStringLiteral("stages"), QStringLiteral("Cut into N segments of equal FLOPs."), QStringLiteral("N")},
        {QStringLiteral("screenshot"), QStringLiteral("Write a picture of the window to FILE and end."),
         QStringLiteral("FILE")},
        {QStringLiteral("after"), QStringLiteral("Take the screenshot after MS milliseconds."), QStringLiteral("MS"),
         QStringLiteral("1500")},
        {QStringLiteral("actions"), QStringLiteral("Trigger these comma-separated actions before the screenshot."),
         QStringLiteral("IDS")},
        {QStringLiteral("startup-time"), QStringLiteral("Print the time until the window was painted, and end.")},
    });
}

/// Opens the file named on the command line, unless it is a recording, which the window already shows.
void open_file(divisi::shell::MainWindow& window, const QString& name) {
    if (name.isEmpty() || divisi::shell::Recordings::is_recording(name)) return;
    if (!name.startsWith(QStringLiteral("zoo:"))) return window.open_path(name);
    divisi::model::ModelSource source;
    source.zoo = name.mid(4).toStdString();
    window.open_model(std::move(source));
}

/// Splits the first model once it is open. Models opened later are not split.
void split_into(divisi::shell::MainWindow& window, int stages) {
    QObject::connect(
        &window.context().opener.loader(), &divisi::model::ModelLoader::loaded, &window,
        [&window, stages] {
            if (const auto cut = window.context().document.split_equally(stages); !cut.ok())
                window.recordings().tell(divisi::client::quoted(cut.error()));
        },
        Qt::SingleShotConnection);
}

}  // namespace

int main(int argc, char** argv) {
    QCommandLineParser parser;
    describe(parser);
    name_program();
    if (has_word(argc, argv, {"-h", "--help", "--help-all", "-v", "--version"})) {
        const QCoreApplication no_window(argc, argv);
        parser.process(no_window);  // exits if the arguments request help or a version
    }
    if (!can_show(argc, argv)) {
        std::fputs(
            "error: there is no display for the console (DISPLAY and WAYLAND_DISPLAY are empty); on a machine "
            "without one use divisictl, or run the console on your own machine with --connect\n",
            stderr);
        return 2;
    }
    QApplication application(argc, argv);
    QApplication::setApplicationDisplayName(QStringLiteral("Divisi"));
    parser.process(divisi::shell::with_present_value(QCoreApplication::arguments()));
    if (!names_are_known(parser) || !arguments_are_sound(parser) || !scenario_is_known(parser)) return 2;
    QApplication::setWindowIcon(QIcon(QStringLiteral(":/icons/app.svg")));
    QGuiApplication::setDesktopFileName(QStringLiteral("divisi"));

    std::unique_ptr<QSettings> settings;
    if (parser.isSet(QStringLiteral("settings")))
        settings = std::make_unique<QSettings>(parser.value(QStringLiteral("settings")), QSettings::IniFormat);
    else settings = std::make_unique<QSettings>();

    end_on_signals(application);
    QString problem;
    std::unique_ptr<divisi::client::Client> client = open_replay(parser, problem);
    if (!client) client = make_client(parser);
    divisi::shell::MainWindow window(*settings, client.get());
    if (parser.isSet(QStringLiteral("theme")))
        window.set_theme(divisi::shell::parse_theme(parser.value(QStringLiteral("theme"))));
    if (parser.isSet(QStringLiteral("lang"))) window.set_language(parser.value(QStringLiteral("lang")));
    // Go to the workspace in which recordings are played.
    if (!recording_of(parser).isEmpty()) window.set_workspace(divisi::shell::Workspace::train);
    if (!go_to(window, parser.value(QStringLiteral("workspace")))) return 2;
    if (parser.isSet(QStringLiteral("stages"))) split_into(window, parser.value(QStringLiteral("stages")).toInt());
    QStringList same_settings;
    if (parser.isSet(QStringLiteral("settings")))
        same_settings = {QStringLiteral("--settings"), parser.value(QStringLiteral("settings"))};
    divisi::shell::offer_new_windows(window, same_settings, [](const QStringList& wanted) {
        return QProcess::startDetached(QCoreApplication::applicationFilePath(), wanted);
    });
    if (parser.isSet(QStringLiteral("startup-time"))) print_startup_time(window);
    window.show();
    if (!problem.isEmpty()) window.recordings().tell(problem);
    if (window.recordings().player()) window.recordings().player()->play();
    if (parser.isSet(QStringLiteral("record")) && !record_to(window, parser.value(QStringLiteral("record")))) return 2;
    const QStringList arguments = parser.positionalArguments();
    open_file(window, arguments.value(0));
    // A console for a screenshot does not restore a session. A console with a recording does not use a session
    // either, because the session belongs to the user's other console.
    if (!parser.isSet(QStringLiteral("screenshot")) && recording_of(parser).isEmpty())
        window.keep_session(session_folder(parser), arguments.isEmpty());
    if (parser.isSet(QStringLiteral("present")))
        window.present(divisi::shell::find_scenario(parser.value(QStringLiteral("present"))).value_or(QString()));
    const int after = parser.value(QStringLiteral("after")).toInt();
    const QStringList wanted = parser.value(QStringLiteral("actions")).split(u',', Qt::SkipEmptyParts);
    if (!all_known(window.context().actions, wanted)) return 2;
    QTimer::singleShot(after / 2, &window, [&window, wanted] {
        for (const QString& id : wanted) window.context().actions.get(id.toStdString())->trigger();
    });
    if (parser.isSet(QStringLiteral("screenshot")))
        take_screenshot(window, parser.value(QStringLiteral("screenshot")), after);
    return QApplication::exec();
}
