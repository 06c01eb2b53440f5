// SPDX-License-Identifier: Apache-2.0
// Checks which peers sockets on tcp reject: those that never finish a handshake, and those with keys that are unknown,
// revoked or rotated.
#include <arpa/inet.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <QElapsedTimer>
#include <QRegularExpression>

#include "backend/link/connection_file.h"
#include "backend/link/handshakes.h"
#include "tests/support/test_program.h"
#include "tests/system/endless_run.h"
#include "tests/system/free_port.h"
#include "tests/system/tcp_cluster.h"

namespace handshakes_test {

using namespace divisi;
using divisi::tests::Finished;
using divisi::tests::Programs;
using divisi::tests::TcpCluster;

namespace {

constexpr int half_open = 1'000;  // connections at each port

/// Connections that begin a ZeroMQ handshake and then stay silent.
class HalfOpen {
public:
    ~HalfOpen() {
        for (const int one : sockets_) ::close(one);
    }
    void open(int port) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<std::uint16_t>(port));
        ::inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
        for (int i = 0; i < half_open; ++i) {
            const int one = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
            QVERIFY(one >= 0 && ::connect(one, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
            sockets_.push_back(one);
            // Sends the beginning of a ZMTP 3.1 greeting: signature, version, and half of the mechanism's name.
            static constexpr char greeting[] = "\xff\0\0\0\0\0\0\0\1\x7f\3\1CU";
            QCOMPARE(::send(one, greeting, sizeof greeting - 1, MSG_NOSIGNAL), ssize_t{sizeof greeting - 1});
        }
    }
    /// Returns the number of connections that the other side has not closed.
    qsizetype held() {
        qsizetype open = 0;
        char bytes[256];
        for (const int one : sockets_) {
            ssize_t read = 0;
            while ((read = ::recv(one, bytes, sizeof bytes, MSG_DONTWAIT)) > 0) continue;
            if (read < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) ++open;
        }
        return open;
    }

private:
    std::vector<int> sockets_;
};

qsizetype descriptors(qint64 pid) {
    return QDir(QString("/proc/%1/fd").arg(pid))
        .entryList(QDir::AllEntries | QDir::System | QDir::NoDotAndDotDot)
        .size();
}

double resident_mib(qint64 pid) {
    QFile status(QString("/proc/%1/status").arg(pid));
    if (!status.open(QIODevice::ReadOnly)) return 0;
    static const QRegularExpression resident("VmRSS:\\s+(\\d+) kB");
    return resident.match(status.readAll()).captured(1).toDouble() / 1024;
}

/// Two MICs with a gateway each and a router between them, and a task that trains across both.
struct Mesh {
    TcpCluster cluster;
    int gateway_port = tests::free_port_pair(), router_port = tests::free_port_pair();
    TcpCluster::Process mg1{nullptr, [](QProcess*) {}}, mg2{nullptr, [](QProcess*) {}}, sr1{nullptr, [](QProcess*) {}};
    QProcess run;
    QString file;

    bool start() {
        if (!cluster.start()) return false;
        mg1 = cluster.start_device("divisi-gateway", "mg-1", {"--mic", "mic-1"}, gateway_port);
        mg2 = cluster.start_device("divisi-gateway", "mg-2", {"--mic", "mic-2"}, tests::free_port_pair());
        sr1 = cluster.start_device("divisi-router", "sr-1", {"--neighbours", "mg-1,mg-2"}, router_port);
        if (!QTest::qWaitFor([&] { return up() == 3; }, 20'000)) return false;
        file = cluster.programs.task_across_mics("across", 100'000);
        run.setProcessEnvironment(cluster.programs.environment());
        run.start(Programs::program("divisictl"), {"run", file, "--json"});
        return QTest::qWaitFor([&] { return device("sr-1")["bytes"].toDouble() > 100'000; }, 30'000);
    }
    QList<QJsonObject> routes() const { return cluster.programs.run({"routes", "--json"}).objects(); }
    int up() const {
        int count = 0;
        for (const QJsonObject& one : routes()) count += one["up"].toBool() ? 1 : 0;
        return count;
    }
    QJsonObject device(const QString& name) const {
        for (const QJsonObject& one : routes())
            if (one["device"].toString() == name) return one;
        return {};
    }
    int orchestrator_port() const {
        const auto connection = link::read_connection(cluster.connection().toStdString());
        return connection ? QString::fromStdString(connection->endpoint).section(':', -1).toInt() : 0;
    }
    void finish() { divisi::tests::stop_and_compare(cluster.programs, run, file); }
    bool logged(const QString& text) const {
        return cluster.programs.run({"logs", "--contains", text}).output.contains(text);
    }
};

}  // namespace

class Handshakes : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        rlimit limit{};
        ::getrlimit(RLIMIT_NOFILE, &limit);
        limit.rlim_cur = limit.rlim_max;
        ::setrlimit(RLIMIT_NOFILE, &limit);
        if (limit.rlim_cur < 4 * half_open) QSKIP("this process may not open so many sockets");
    }
    void thousand_unfinished_handshakes_do_not_disturb_others();
    void rotated_key_works_and_the_old_one_is_refused_and_counted();
};

void Handshakes::thousand_unfinished_handshakes_do_not_disturb_others() {
    Mesh mesh;
    QVERIFY(mesh.start());
    QVERIFY(mesh.cluster.allow(mesh.cluster.make_key("alice"), "alice", "operator"));
    const qint64 divisid = mesh.cluster.programs.pids("divisid").value(0);
    const std::vector<qint64> all{divisid, mesh.mg1->processId(), mesh.sr1->processId()};
    std::vector<qsizetype> files;
    for (const qint64 pid : all) files.push_back(descriptors(pid));
    std::vector<double> memory;
    for (int round = 0; round < 2; ++round) {
        const double bytes = mesh.device("sr-1")["bytes"].toDouble();
        QElapsedTimer timer;
        timer.start();
        HalfOpen flood;
        for (const int port : {mesh.orchestrator_port(), mesh.gateway_port, mesh.router_port + 1}) flood.open(port);
        QVERIFY2(flood.held() > 2 * half_open, qPrintable(QString::number(flood.held())));
        // Other peers can connect, and the task continues.
        QElapsedTimer asked;
        asked.start();
        const Finished tasks = mesh.cluster.run_as("alice", {"tasks", "--json"});
        QVERIFY2(tasks.status == 0, qPrintable(tasks.errors));
        QVERIFY2(asked.elapsed() < 4'000, qPrintable(QString::number(asked.elapsed())));
        QVERIFY(QTest::qWaitFor([&] { return mesh.device("sr-1")["bytes"].toDouble() > bytes; }, 4'000));
        for (std::size_t i = 0; i < all.size(); ++i) QVERIFY(descriptors(all[i]) <= files[i] + half_open + 50);
        QVERIFY(QTest::qWaitFor([&] { return flood.held() == 0; }, 15'000));
        const auto limit = link::handshake_limit / std::chrono::milliseconds(1);
        QVERIFY2(timer.elapsed() >= limit - 1'000, qPrintable(QString::number(timer.elapsed())));
        for (std::size_t i = 0; i < all.size(); ++i) {
            const auto freed = [&] { return descriptors(all[i]) <= files[i] + 50; };
            QVERIFY2(QTest::qWaitFor(freed, 5'000), qPrintable(QString::number(descriptors(all[i]))));
            const double now = resident_mib(all[i]);
            if (round == 0) memory.push_back(now);
            else QVERIFY2(now < memory[i] + 24, qPrintable(QString("%1 to %2 MiB").arg(memory[i]).arg(now)));
        }
    }
    // The handshakes are counted, and logged in a few lines.
    const auto counted = [&](const char* name) {
        return mesh.device(name)["unfinished_handshakes"].toInt() >= 2 * half_open;
    };
    QVERIFY(QTest::qWaitFor([&] { return counted("mg-1") && counted("sr-1"); }, 5'000));
    QVERIFY(mesh.mg1->readAllStandardError().contains("no complete handshake within 5 s"));
    QVERIFY(QTest::qWaitFor([&] { return mesh.logged("no complete handshake within 5 s"); }, 5'000));
    const Finished logs = mesh.cluster.programs.run({"logs", "--contains", "no complete handshake", "--json"});
    QVERIFY2(logs.objects().size() <= 20, qPrintable(QString::number(logs.objects().size())));
    mesh.finish();
}

/// A router's key is rotated in two steps: both keys are allowed, then the old one is revoked.
void Handshakes::rotated_key_works_and_the_old_one_is_refused_and_counted() {
    Mesh mesh;
    QVERIFY(mesh.start());
    const QString old_key = mesh.cluster.make_key("sr-1.key");
    QVERIFY(mesh.cluster.allow(mesh.cluster.make_key("sr-1-new.key"), "sr-1", "agent"));
    mesh.sr1.reset();
    const auto start = [&](const char* key_file, int port) {
        TcpCluster::Process process(new QProcess, [](QProcess* one) {
            one->terminate();
            one->waitForFinished(15'000);
            delete one;
        });
        process->start(
            Programs::program("divisi-router"),
            {"--connect", mesh.cluster.connection(), "--name", "sr-1", "--listen", QString("127.0.0.1:%1").arg(port),
             "--neighbours", "mg-1,mg-2", "--keys", mesh.cluster.programs.folder() + "/" + key_file});
        return process;
    };
    mesh.sr1 = start("sr-1-new.key", mesh.router_port);
    QVERIFY(QTest::qWaitFor([&] { return mesh.up() == 3; }, 20'000));
    QCOMPARE(mesh.cluster.programs.run({"keys", "revoke", old_key}).status, 0);
    const auto before = mesh.device("sr-1")["bytes"].toDouble();
    QVERIFY(QTest::qWaitFor([&] { return mesh.device("sr-1")["bytes"].toDouble() > before + 100'000; }, 20'000));

    // A peer with the old key is rejected, counted and named in the log.
    const TcpCluster::Process impostor = start("sr-1.key", tests::free_port_pair());
    QString said;
    QVERIFY2(QTest::qWaitFor([&] { return (said += impostor->readAllStandardError()).contains("refuses this key"); },
                             10'000),
             qPrintable(said));
    QVERIFY(QTest::qWaitFor([&] { return mesh.logged("refused: the key is not allowed here"); }, 5'000));
    QVERIFY(QTest::qWaitFor([&] { return mesh.logged(old_key); }, 15'000));
    // An unknown key is rejected too.
    const QString unknown = mesh.cluster.make_key("unknown.key");
    QCOMPARE(mesh.cluster.run_as("unknown.key", {"tasks"}).status, 1);
    QVERIFY(QTest::qWaitFor([&] { return mesh.logged(unknown); }, 15'000));
    mesh.finish();
}

DIVISI_TEST(Handshakes)

}  // namespace handshakes_test

#include "handshakes_test.moc"
