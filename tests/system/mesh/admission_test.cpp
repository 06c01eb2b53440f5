// SPDX-License-Identifier: Apache-2.0
// Checks who may send through a gateway, with real processes over CURVE.
#include <QElapsedTimer>

#include "backend/link/data_endpoint.h"
#include "backend/link/data_port.h"
#include "backend/link/zmq_transport.h"
#include "tests/support/test_program.h"
#include "tests/system/endless_run.h"
#include "tests/system/free_port.h"
#include "tests/system/tcp_cluster.h"

namespace admission_test {

using namespace divisi;
using divisi::tests::Finished;
using divisi::tests::Programs;
using divisi::tests::TcpCluster;

namespace {

const std::string first = "across-1/stage-0/0", last = "across-1/stage-1/0";

/// A process that has the key of a node and talks to its gateway, but may claim any identity.
class Rogue {
public:
    Rogue(const TcpCluster& cluster, int gateway_port)
        : keys_(*link::load_or_make_keys(QDir(cluster.programs.folder()).filePath("mic-1-node-1.key").toStdString())),
          transport_(context_, loop_, keys_),
          gateway_key_(cluster.make_key("mg-1.key").toStdString()),
          gateway_(link::DataEndpoint::at("tcp://127.0.0.1:" + std::to_string(gateway_port))) {}

    /// Greets `to` as the SID `from` and returns the gateway's answer; empty if none arrives in time.
    QString answer(const std::string& from, std::uint64_t incarnation, const std::string& to, const std::string& task,
                   int within_ms) {
        QString said;
        link::DataPort::Events events;
        events.trouble = [&](const Error& error) { said += QString::fromStdString(error.message()) + "\n"; };
        link::DataPort port(loop_, transport_, Sid(from), incarnation, events);
        port.enter(frame::flow_id(TaskId(task)), 1);
        port.connect(Sid(to), 0, gateway_.text(), gateway_key_);
        if (!port.listen("tcp://127.0.0.1:0")) qFatal("cannot listen");
        run_until([&] { return port.refusals() > 0; }, within_ms);
        return port.refusals() > 0 ? said : QString();
    }
    /// Greets as `from` over its own connection, so that the answer goes to the real holder of `from`.
    void greet_as(const std::string& from, std::uint64_t incarnation, const std::string& to, int for_ms) {
        frame::FrameHeader header;
        header.key.task = frame::flow_id(TaskId("across-1"));
        header.key.generation = 1;
        header.key.kind = frame::FrameKind::hello;
        header.source = {frame::flow_id(Sid(from)), incarnation};
        header.destination = {frame::flow_id(Sid(to)), 0};
        bool up = false;
        link::Channel::Events events;
        events.up = [&] { up = true; };
        const auto lane = transport_.connect({gateway_.lane, gateway_key_}, link::Purpose::lane, "rogue", events);
        QVERIFY(lane.ok());
        run_until([&] { return up; }, 5'000);
        for (int i = 0; i * 500 < for_ms; ++i) {
            (*lane)->send({link::Part::of(frame::encode_header(header).value())});
            run_until([] { return false; }, 500);
        }
    }

private:
    void run_until(const std::function<bool()>& condition, int within_ms) {
        QElapsedTimer timer;
        timer.start();
        while (!condition() && timer.elapsed() < within_ms) {
            loop_.after(std::chrono::milliseconds(5), [this] { loop_.stop(); });
            loop_.run();
        }
    }
    link::Context context_;
    link::EventLoop loop_;
    link::KeyPair keys_;
    link::ZmqTransport transport_;
    std::string gateway_key_;
    link::DataEndpoint gateway_;
};

/// Two MICs on tcp, each with a node and a gateway, and a router between them. Can start a task across both MICs.
struct Across {
    TcpCluster cluster;
    int port = divisi::tests::free_port_pair();
    TcpCluster::Process mg1{nullptr, [](QProcess*) {}}, mg2{nullptr, [](QProcess*) {}}, sr1{nullptr, [](QProcess*) {}};
    QProcess run;
    QString file;

    bool start(int steps, const QStringList& options = {}) {
        if (!cluster.start()) return false;
        mg1 = cluster.start_device("divisi-gateway", "mg-1", QStringList{"--mic", "mic-1"} + options, port);
        mg2 = cluster.start_device("divisi-gateway", "mg-2", QStringList{"--mic", "mic-2"} + options,
                                   divisi::tests::free_port_pair());
        sr1 = cluster.start_device("divisi-router", "sr-1", {"--neighbours", "mg-1,mg-2"});
        if (!QTest::qWaitFor(
                [&] {
                    return cluster.programs.run({"routes", "--json"}).output.count("\"up\":true") == 3;
                },
                20'000))
            return false;
        file = cluster.programs.task_across_mics("across", steps);
        run.setProcessEnvironment(cluster.programs.environment());
        run.start(Programs::program("divisictl"), {"run", file, "--json"});
        return QTest::qWaitFor([&] { return bytes("sr-1") > 100'000; }, 30'000);
    }
    QJsonObject device(const QString& name) const {
        for (const QJsonObject& one : cluster.programs.run({"routes", "--json"}).objects())
            if (one["device"].toString() == name) return one;
        return {};
    }
    double bytes(const QString& name) const { return device(name)["bytes"].toDouble(); }
    QList<QJsonObject> requests(const QStringList& options = {}) const {
        return cluster.programs.run(QStringList{"requests", "--json"} + options).objects();
    }
    /// Returns the requests that mg-1 refused with `reason` in their text.
    QList<QJsonObject> refused(const QString& reason) const {
        QList<QJsonObject> found;
        for (const QJsonObject& one : requests({"--gateway", "mg-1", "--denied"}))
            if (one["reason"].toString().contains(reason)) found.append(one);
        return found;
    }
    /// Waits until the task ends, and checks its losses against the same training in one process.
    void finish(int steps) {
        QVERIFY(run.waitForFinished(180'000));
        Finished finished;
        finished.output = run.readAllStandardOutput();
        QVERIFY2(run.exitCode() == 0, run.readAllStandardError().constData());
        QCOMPARE(finished.losses(), cluster.programs.run({"reference", file, "--json"}).losses());
        QCOMPARE(finished.losses().size(), steps);
    }
    void stop() { divisi::tests::stop_and_compare(cluster.programs, run, file); }
    double bytes() const {
        for (const QJsonObject& one : cluster.programs.run({"routes", "--json"}).objects())
            if (one["device"].toString() == "sr-1") return one["bytes"].toDouble();
        return 0;
    }
};

}  // namespace

class AdmissionSystem : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void foreign_senders_are_refused_and_do_not_change_losses();
    void a_revoked_key_is_denied_at_once();
    void policy_rules_apply_by_key_and_by_role();
    void gateway_denies_after_policy_validity_without_orchestrator();
};

void AdmissionSystem::foreign_senders_are_refused_and_do_not_change_losses() {
    Across across;
    QVERIFY(across.start(600));
    // Each admitted flow is logged once, with its path.
    QVERIFY(QTest::qWaitFor([&] { return across.requests({"--task", "across-1"}).size() >= 2; }, 5'000));
    for (const QJsonObject& one : across.requests()) QCOMPARE(one["decision"].toString(), QString("admitted"));

    Rogue rogue(across.cluster, across.port);
    const QString process = rogue.answer(first, 77, last, "across-1", 5'000);
    QVERIFY2(process.contains("no rule allows it"), qPrintable(process));
    const QString task = rogue.answer(first, 78, last, "other-1", 5'000);
    QVERIFY2(task.contains("belong to another task than the SID of their sender"), qPrintable(task));
    const QString sid = rogue.answer(last, 79, first, "across-1", 6'000);
    QVERIFY2(sid.contains("no instance of this MIC has the sender's SID"), qPrintable(sid));
    // This SID and process are valid, but they ask for a SID that nobody serves. The gateway refuses the request after
    // 2 s.
    rogue.greet_as(first, 1, "across-1/stage-9/0", 3'500);

    const auto logged = [&](const char* reason) {
        return QTest::qWaitFor([&] { return !across.refused(reason).isEmpty(); }, 3'000);
    };
    for (const char* reason :
         {"no rule allows it", "another task", "no instance of this MIC", "no instance serves this SID"})
        QVERIFY2(logged(reason), reason);
    const QJsonObject unserved = across.refused("no instance serves this SID").front();
    QCOMPARE(unserved["decision"].toString(), QString("unserved"));
    QVERIFY2(unserved["took_ms"].toDouble() >= 2'000 && unserved["took_ms"].toDouble() < 2'500,
             qPrintable(QString::number(unserved["took_ms"].toDouble())));
    const QJsonObject gateway = across.device("mg-1");
    QVERIFY(gateway["denied"].toInt() >= 3);
    QVERIFY(gateway["unserved_set_ups"].toInt() >= 1);
    QVERIFY(gateway["refused_frames_of_set_ups"].toInt() >= 4);
    const QString logs = across.cluster.programs.run({"logs", "--contains", "across-1/stage-0/0"}).output;
    QVERIFY2(logs.contains("denied: mic-1/node-1 as across-1/stage-0/0#77 to across-1/stage-1/0: no rule allows it"),
             qPrintable(logs));
    // The gateway notified the instance whose name was stolen, and that instance logs the message.
    const auto told = [&] {
        return across.cluster.programs.run({"logs", "--contains", "no instance serves this SID"})
            .output.contains("the gateway refuses frames to");
    };
    QVERIFY(QTest::qWaitFor(told, 5'000));
    across.finish(600);
}

void AdmissionSystem::a_revoked_key_is_denied_at_once() {
    Across across;
    QVERIFY(across.start(100'000));
    const QString key = across.cluster.make_key("mic-1-node-1.key");
    QElapsedTimer timer;
    timer.start();
    QCOMPARE(across.cluster.programs.run({"keys", "revoke", key}).status, 0);
    QVERIFY(QTest::qWaitFor([&] { return !across.refused("the key was revoked").isEmpty(); }, 5'000));
    QVERIFY2(timer.elapsed() < 2'000, qPrintable(QString::number(timer.elapsed())));
    const QString logs = across.cluster.programs.run({"logs", "--contains", "the key was revoked"}).output;
    QVERIFY2(logs.contains("gateway mg-1"), qPrintable(logs));
    across.run.terminate();
    QVERIFY(across.run.waitForFinished(20'000));
}

void AdmissionSystem::policy_rules_apply_by_key_and_by_role() {
    Across across;
    QVERIFY(across.start(100'000));
    const Programs& programs = across.cluster.programs;
    const auto set = [&](const QStringList& settings) {
        const Finished done = programs.run(QStringList{"policies", "set"} + settings);
        QVERIFY2(done.status == 0, qPrintable(done.errors));
    };
    const auto is_refused = [&](const QString& order) {
        const QString reason = "policy '" + order + "' denies it";
        return QTest::qWaitFor([&] { return !across.refused(reason).isEmpty(); }, 10'000);
    };
    const QString by_key = "send:key@mic-1/node-1:across-1=deny";
    set({by_key});
    QVERIFY(is_refused(by_key));
    QVERIFY(programs.run({"policies"}).output.contains("in force: " + by_key));
    const QString logs = programs.run({"logs", "--contains", "denies it"}).output;
    QVERIFY2(logs.contains("denied: mic-1/node-1 as across-1/"), qPrintable(logs));
    QVERIFY(across.device("mg-1")["denied"].toInt() >= 1);
    // the senders of mg-2 have another key, so this rule refuses none of them
    for (const QJsonObject& one : across.requests({"--gateway", "mg-2", "--denied"}))
        QVERIFY2(!one["reason"].toString().contains(by_key), qPrintable(one["reason"].toString()));

    const QString by_role = "send:role@agent:across-1/stage-1=deny";
    set({"send:key@mic-1/node-1:across-1=default", by_role});
    QVERIFY(is_refused(by_role));
    const auto stands = [&] {
        const double before = across.bytes();
        QTest::qWait(1'500);
        return across.bytes() - before < 100'000;
    };
    QVERIFY(QTest::qWaitFor(stands, 15'000));
    // A rule for a key takes precedence over a rule for its role.
    set({"send:key@mic-1/node-1:across-1/stage-1=allow"});
    const double before = across.bytes();
    QVERIFY(QTest::qWaitFor([&] { return across.bytes() > before + 200'000; }, 30'000));
    const Finished unknown = programs.run({"policies", "set", "send:key@lab-9:*=deny"});
    QVERIFY(unknown.status != 0);
    QVERIFY2(unknown.errors.contains("'key@lab-9' names no allowed key"), qPrintable(unknown.errors));
    across.stop();
}

void AdmissionSystem::gateway_denies_after_policy_validity_without_orchestrator() {
    Across across;
    QVERIFY(across.start(100'000, {"--policy-validity", "3"}));
    const auto divisid = across.cluster.programs.pids("divisid");
    QCOMPARE(divisid.size(), 1);
    ::kill(static_cast<pid_t>(divisid.first()), SIGSTOP);
    QString said;
    const auto says = [&](const char* what) {
        return QTest::qWaitFor([&] { return (said += across.mg1->readAllStandardError()).contains(what); }, 15'000);
    };
    QVERIFY2(says("no orchestrator has confirmed it for 3 s"), qPrintable(said));
    QTest::qWait(1'500);  // long enough that the training tries to send, even on a busy machine
    said.clear();
    ::kill(static_cast<pid_t>(divisid.first()), SIGCONT);
    QVERIFY2(says("admits flows by policy version"), qPrintable(said));
    const auto denied = [&] { return !across.refused("the policy is too old").isEmpty(); };
    QVERIFY(QTest::qWaitFor(denied, 15'000));
    const double before = across.bytes();
    QVERIFY(QTest::qWaitFor([&] { return across.bytes() > before + 100'000; }, 15'000));  // the training continues
    across.stop();
}

DIVISI_TEST(AdmissionSystem)

}  // namespace admission_test

#include "admission_test.moc"
