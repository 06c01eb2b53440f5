// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/support/test_program.h"

#include "tests/system/programs.h"

namespace start_test {

using divisi::tests::Finished;
using divisi::tests::Programs;

/// Starts a cluster twice at the same time, interrupts its start, or makes the start impossible. Each start succeeds,
/// or its message says what to do.
class Start : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void two_simultaneous_starts_make_one_cluster();
    void interrupted_start_leaves_nothing_data();
    void interrupted_start_leaves_nothing();
    void port_in_use_is_named();
    void folder_given_as_a_file_is_refused_data();
    void folder_given_as_a_file_is_refused();
    void shutdown_ends_clients_that_wait_for_a_task();
    void run_plans_after_its_mesh_is_registered_data();
    void run_plans_after_its_mesh_is_registered();
};

namespace {

QString task(const Programs& programs, int steps) { return programs.small_task("start", steps); }

bool all_gone(const Programs& programs) {
    return QTest::qWaitFor(
        [&] {
            return programs.left_behind().isEmpty() && programs.leftover_files().isEmpty() &&
                   QDir(programs.folder()).entryList({"divisi-*"}).isEmpty();
        },
        15'000);
}

std::unique_ptr<QProcess> begin(const Programs& programs, const QStringList& arguments) {
    auto process = std::make_unique<QProcess>();
    process->setProcessEnvironment(programs.environment());
    process->start(Programs::program("divisictl"), arguments);
    return process;
}

/// Occupies a port of this machine while the object lives.
struct TakenPort {
    TakenPort() {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* generic = reinterpret_cast<sockaddr*>(&address);
        if (::bind(fd, generic, size) != 0 || ::listen(fd, 1) != 0 || ::getsockname(fd, generic, &size) != 0)
            qFatal("no port to test with");
        number = ntohs(address.sin_port);
    }
    ~TakenPort() { ::close(fd); }
    int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    int number = 0;
};

/// Copies the programs into their own folder, where a shell runs `script` in place of each of `devices`. %1 in the
/// script stands for the real program's path. Returns the path of divisictl in the folder.
QString with_other_devices(const QString& folder, const QStringList& devices, const QString& script) {
    const std::filesystem::path bin = folder.toStdString() + "/bin";
    std::filesystem::create_directories(bin);
    for (const char* name :
         {"divisictl", "divisid", "divisi-node", "divisi-instance", "divisi-gateway", "divisi-router"}) {
        const QString real = Programs::program(name);
        if (!devices.contains(name)) {
            std::filesystem::copy_file(real.toStdString(), bin / name);
            continue;
        }
        std::ofstream(bin / name) << "#!/bin/sh\n" << QString(script).replace("%1", real).toStdString() << "\n";
        std::filesystem::permissions(bin / name, std::filesystem::perms::owner_all);
    }
    return QString::fromStdString((bin / "divisictl").string());
}

}  // namespace

void Start::two_simultaneous_starts_make_one_cluster() {
    const Programs programs;
    const QString file = task(programs, 3);
    const auto first = begin(programs, {"run", file, "--json"});
    const auto second = begin(programs, {"run", file, "--json"});
    qsizetype orchestrators = 0;
    const auto over = [&] {
        orchestrators = std::max(orchestrators, programs.left_behind().filter("/divisid ").size());
        return first->state() == QProcess::NotRunning && second->state() == QProcess::NotRunning;
    };
    QVERIFY(QTest::qWaitFor(over, 60'000));
    QCOMPARE(orchestrators, 1);
    // The run that hosts the cluster may end before the task of the other run; then the other run reports the end.
    QVERIFY(first->exitCode() == 0 || second->exitCode() == 0);
    for (QProcess* run : {first.get(), second.get()}) {
        const QString said = run->readAllStandardOutput() + run->readAllStandardError();
        const bool told = said.contains("shut down") || said.contains("its node is ending");
        QVERIFY2(run->exitCode() == 0 || told, qPrintable(said));
    }
    QVERIFY2(all_gone(programs), qPrintable((programs.left_behind() + programs.leftover_files()).join('\n')));

    Programs kept;
    const auto up = begin(kept, {"cluster", "up"}), up_too = begin(kept, {"cluster", "up"});
    QVERIFY(up->waitForFinished(60'000));
    QVERIFY(up_too->waitForFinished(60'000));
    QCOMPARE(up->exitCode(), 0);
    QCOMPARE(up_too->exitCode(), 0);
    QCOMPARE(kept.left_behind().filter("/divisid ").size(), 1);
    QCOMPARE(kept.run({"cluster", "down"}).status, 0);
    QVERIFY(all_gone(kept));
}

void Start::interrupted_start_leaves_nothing_data() {
    QTest::addColumn<int>("after_ms");
    for (const int after : {30, 60, 100, 200, 400}) QTest::addRow("%d ms", after) << after;
}

void Start::interrupted_start_leaves_nothing() {
    QFETCH(int, after_ms);
    const Programs programs;
    const auto run = begin(programs, {"run", task(programs, 1'000'000), "--json"});
    QVERIFY(run->waitForStarted());
    QTest::qWait(after_ms);
    ::kill(static_cast<pid_t>(run->processId()), SIGINT);
    QVERIFY(run->waitForFinished(20'000));
    QVERIFY2(all_gone(programs), qPrintable(QDir(programs.folder()).entryList({"divisi-*"}).join('\n')));
}

void Start::port_in_use_is_named() {
    const Programs programs;
    const TakenPort port;
    const QString endpoint = "tcp://127.0.0.1:" + QString::number(port.number);
    QProcess orchestrator;
    orchestrator.start(Programs::program("divisid"), {"--data", programs.data(), "--listen", endpoint});
    QVERIFY(orchestrator.waitForFinished(20'000));
    QCOMPARE(orchestrator.exitCode(), 2);
    const QString errors = orchestrator.readAllStandardError();
    QVERIFY2(errors.contains(endpoint) && errors.contains("choose another port"), qPrintable(errors));
    QVERIFY(!QFile::exists(programs.data() + "/connection.toml"));
}

void Start::folder_given_as_a_file_is_refused_data() {
    QTest::addColumn<QString>("program");
    QTest::addColumn<QStringList>("arguments");
    QTest::newRow("run") << "divisictl" << QStringList{"run"};
    QTest::newRow("reference") << "divisictl" << QStringList{"reference"};
    QTest::newRow("plan") << "divisictl" << QStringList{"plan"};
    QTest::newRow("connection") << "divisictl" << QStringList{"tasks", "--connect"};
    QTest::newRow("cluster file") << "divisid" << QStringList{"--data", "unused", "--cluster"};
}

void Start::folder_given_as_a_file_is_refused() {
    QFETCH(QString, program);
    QFETCH(QStringList, arguments);
    const Programs programs;
    QProcess process;
    process.setProcessEnvironment(programs.environment());
    process.start(Programs::program(program), arguments << programs.folder());
    QVERIFY(process.waitForFinished(20'000));
    QVERIFY(process.exitCode() != 0);
    const QString errors = process.readAllStandardError();
    QVERIFY2(errors.contains(programs.folder() + ": is a folder"), qPrintable(errors));
}

void Start::shutdown_ends_clients_that_wait_for_a_task() {
    Programs programs;
    QVERIFY(programs.cluster_up());
    const auto run = begin(programs, {"run", task(programs, 1'000'000), "--json"});
    QVERIFY(run->waitForReadyRead(60'000));  // a step was printed
    QCOMPARE(programs.run({"cluster", "down"}).status, 0);
    QVERIFY(run->waitForFinished(5'000));
    QVERIFY(run->exitCode() != 0);
    const QString errors = run->readAllStandardError();
    QVERIFY2(errors.contains("shut down"), qPrintable(errors));
    QVERIFY(all_gone(programs));
}

void Start::run_plans_after_its_mesh_is_registered_data() {
    QTest::addColumn<QStringList>("devices");
    QTest::addColumn<QString>("script");
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("told");
    const QStringList routers{"divisi-router"}, all{"divisi-gateway", "divisi-router"};
    const QString none = "its instances are in mic-1, mic-2, and no path between them through the mesh is known";
    QTest::newRow("late routers") << routers << "sleep 0.7\nexec %1 \"$@\""
                                  << "from stage 0 to stage 1 by mg-1, sr-1, mg-2"
                                  << "";
    QTest::newRow("devices that never connect")
        << all << "exec cat <&3 >/dev/null" << none  // ends when its parent closes descriptor 3
        << "mg-1, mg-2, sr-1, sr-2, sr-3 have not registered within 2 s: plans use no path through them";
    QTest::newRow("devices that stop for good") << all << "exit 11" << none << "";
}

void Start::run_plans_after_its_mesh_is_registered() {
    QFETCH(QStringList, devices);
    QFETCH(QString, script);
    QFETCH(QString, path);
    QFETCH(QString, told);
    const Programs programs;
    QProcess run;
    run.setProcessEnvironment(programs.environment());
    run.start(with_other_devices(programs.folder(), devices, script), {"run", programs.task_across_mics("mesh", 2)});
    QVERIFY(run.waitForFinished(60'000));
    const QString output = run.readAllStandardOutput(), errors = run.readAllStandardError();
    QVERIFY2(output.contains(path), qPrintable(output + errors));
    QVERIFY2(told.isEmpty() ? !errors.contains("registered") : errors.contains(told), qPrintable(errors));
    QVERIFY2(run.exitCode() == 0, qPrintable(output + errors));
}

DIVISI_TEST(Start)

}  // namespace start_test

#include "start_test.moc"
