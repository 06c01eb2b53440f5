// SPDX-License-Identifier: Apache-2.0
#include <QElapsedTimer>

#include "backend/control/protocol/instance_messages.h"
#include "backend/control/protocol/log_messages.h"
#include "backend/control/protocol/node_messages.h"
#include "backend/control/protocol/task_messages.h"
#include "backend/control/state/incarnation.h"
#include "backend/control/types/span_types.h"
#include "backend/link/control_client.h"
#include "backend/link/zmq_transport.h"
#include "tests/support/task_file.h"
#include "tests/support/test_program.h"
#include "tests/system/tcp_cluster.h"

namespace hostile_test {

using namespace divisi;
using divisi::testing::TaskFile;
using divisi::tests::Finished;
using divisi::tests::Programs;
using divisi::tests::TcpCluster;

/// Tests peers that follow the protocol but send messages they have no right to send. Checks the errors that such peers
/// receive.
class Hostile : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void key_cannot_claim_another_nodes_name();
    void peer_cannot_report_for_others();
    void peer_cannot_end_the_upload_of_another_peer();
    void refused_agent_prints_the_reason_data();
    void refused_agent_prints_the_reason();
    void refused_client_is_told_at_once();

private:
    TcpCluster cluster_;
    QString task_;
};

namespace {

/// A hand-made client that sends any message in the cluster's own protocol, with an allowed key.
class Liar {
public:
    Liar(const TcpCluster& cluster, const QString& key_file, control::Role role)
        : keys_(*link::load_or_make_keys(QDir(cluster.programs.folder()).filePath(key_file).toStdString())),
          transport_(context_, loop_, keys_),
          client_(loop_, transport_, *link::read_connection(cluster.connection().toStdString()),
                  {"liar", "1", role, ""}) {
        client_.start([](const auto&) {}, [](std::uint64_t, const control::Message&) {});
        run_until([&] { return client_.state().kind == link::ControlClient::State::Kind::connected; });
    }
    Result<control::Message> ask(const control::Message& message) {
        std::optional<Result<control::Message>> answer;
        client_.request(message, std::chrono::seconds(10),
                        [&](Result<control::Message> reply) { answer = std::move(reply); });
        run_until([&] { return answer.has_value(); });
        return answer ? *answer : Error{ErrorCode::deadline, "no answer", "", ""};
    }
    ErrorCode refusal(const control::Message& message) {
        const auto answer = ask(message);
        return answer ? ErrorCode::failed : answer.error().code;
    }
    const std::string& key() const { return keys_.public_key; }

private:
    void run_until(const std::function<bool()>& condition) {
        QElapsedTimer timer;
        timer.start();
        while (!condition() && timer.elapsed() < 15'000) {
            loop_.after(std::chrono::milliseconds(5), [this] { loop_.stop(); });
            loop_.run();
        }
    }
    link::Context context_;
    link::EventLoop loop_;
    link::KeyPair keys_;
    link::ZmqTransport transport_;
    link::ControlClient client_;
};

control::NodeInfo node(const char* name, const std::string& key) {
    control::NodeInfo info;
    info.id = NodeId(name);
    info.mic = MicId("mic");
    info.host = "liar";
    info.devices = {{"cpu", "x", 4, Bytes{1} << 34}};
    info.blob_endpoint = "tcp://127.0.0.1:1";
    info.blob_key = key;
    return info;
}

}  // namespace

void Hostile::initTestCase() {
    QVERIFY(cluster_.start());
    QVERIFY(cluster_.allow(cluster_.make_key("me.key"), "me", "operator"));
    QVERIFY(cluster_.allow(cluster_.make_key("other.key"), "mic-3/other", "agent"));
    QVERIFY(cluster_.allow(cluster_.make_key("else.key"), "somebody else", "operator"));
    task_ = cluster_.programs.write("task.toml", TaskFile("honest").set("train.steps", 3000).set("split.stages", 2));
}

/// A peer with the key of mic-3/other registers as an unknown node, as another node, and with a key it has not proven.
void Hostile::key_cannot_claim_another_nodes_name() {
    Liar liar(cluster_, "other.key", control::Role::agent);
    QCOMPARE(liar.refusal(control::RegisterNode{node("mic-9/absent", liar.key())}), ErrorCode::denied);
    QCOMPARE(liar.refusal(control::RegisterNode{node("mic-1/node-1", liar.key())}), ErrorCode::denied);
    QCOMPARE(liar.refusal(control::RegisterNode{node("mic-3/other", "a key that was never proven, 40 letters..")}),
             ErrorCode::denied);
    const Finished status = cluster_.programs.run({"cluster", "status", "--json"});
    QVERIFY2(!status.output.contains("absent") && !status.output.contains("liar"), qPrintable(status.output));
    const Finished logs = cluster_.programs.run({"logs", "--contains", "denied: register_node"});
    QVERIFY2(logs.output.contains("mic-3/other"), qPrintable(logs.output + logs.errors));
}

void Hostile::peer_cannot_report_for_others() {
    QProcess run;
    run.setProcessEnvironment(cluster_.programs.environment());
    run.start(Programs::program("divisictl"), {"run", task_, "--json", "--connect", cluster_.connection(), "--keys",
                                               cluster_.programs.folder() + "/me.key"});
    QVERIFY(QTest::qWaitFor([&] { return run.canReadLine() || run.state() == QProcess::NotRunning; }, 30'000));
    const TaskId task("honest-1");
    const InstanceId first("honest-1/stage-0/0#1"), last("honest-1/stage-1/0#1");
    Liar liar(cluster_, "other.key", control::Role::agent);
    control::StepRecord step;
    step.step = 999'999;
    const Error lie{ErrorCode::failed, "it lies", "", ""};
    const control::Message lies[] = {
        control::StepReport{task, last, step},
        control::MissedReports{task, last, {step}, {}},
        control::EvalReport{task, last, {999'999, 0.5f, {}, {}}},
        control::InstanceFailed{first, lie},
        control::InstanceExited{first, 1, 0, "it lies"},
        control::InstanceFinished{{task, last, 999'999, "hash", "/etc/passwd", 1}},
        control::InstancePrepared{first, "another plan", 0},
        control::NodeReport{NodeId("mic-1/node-1"), 0, 0, {}},
        control::LoadReport{control::InstanceLoad{last}},
        control::SpanReport{control::InstanceSpans{task, last}},
        control::Note{{Severity::error, "orchestrator", "honest-1", "it lies"}},
        control::RegisterInstance{first, control::sid_of(first), "tcp://127.0.0.1:1", liar.key(), "f", 1},
    };
    for (const control::Message& one : lies) {
        const ErrorCode refused = liar.refusal(one);
        QVERIFY2(refused == ErrorCode::denied || refused == ErrorCode::conflict, control::kind_name(one));
    }
    // Even under its own name the node has no further rights.
    QVERIFY(liar.ask(control::RegisterNode{node("mic-3/other", liar.key())}).ok());
    QCOMPARE(liar.refusal(control::RegisterNode{node("mic-3/second", liar.key())}), ErrorCode::conflict);
    for (const control::Message& one : lies) {
        const ErrorCode refused = liar.refusal(one);
        QVERIFY2(refused == ErrorCode::denied || refused == ErrorCode::conflict, control::kind_name(one));
    }
    QVERIFY(run.waitForFinished(120'000));
    Finished finished{run.exitCode(), run.readAllStandardOutput(), run.readAllStandardError()};
    QVERIFY2(finished.status == 0, qPrintable(finished.output.right(600) + finished.errors));
    QVERIFY(!finished.output.contains("999999") && !finished.output.contains("it lies"));
    const Finished logs = cluster_.programs.run({"logs", "--contains", "it lies"});
    QVERIFY2(!logs.output.contains("it lies"), qPrintable(logs.output));
}

void Hostile::peer_cannot_end_the_upload_of_another_peer() {
    const std::string hash(64, 'a');
    Liar owner(cluster_, "me.key", control::Role::operate), other(cluster_, "else.key", control::Role::operate);
    QFile file(task_);
    QVERIFY(file.open(QIODevice::ReadOnly));
    control::SubmitTask submit{file.readAll().toStdString(), "/", "", {{"data", "/d", hash, 1, false}}, "me"};
    const auto reply = owner.ask(submit);
    QVERIFY2(reply.ok(), reply ? "" : reply.error().message().c_str());
    const TaskId task = get<control::SubmitReply>(*reply).task;
    QCOMPARE(other.refusal(control::UploadsDone{task, Error{ErrorCode::failed, "it lies", "", ""}}), ErrorCode::denied);
    const Finished tasks = cluster_.programs.run({"tasks", "--json"});
    QVERIFY2(tasks.output.contains("waiting for its files"), qPrintable(tasks.output));
    QVERIFY(owner.ask(control::UploadsDone{task, Error{ErrorCode::failed, "enough", "", ""}}).ok());
}

void Hostile::refused_agent_prints_the_reason_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("key_file");
    QTest::addColumn<QStringList>("told");
    QTest::newRow("unknown key") << "mic-4/node-1"
                                 << "unknown.key" << QStringList{"refuses this key", "keys add"};
    QTest::newRow("wrong role") << "mic-4/node-2"
                                << "me.key" << QStringList{"does not permit the role agent", "operator"};
    QTest::newRow("another name") << "mic-4/node-3"
                                  << "other.key"
                                  << QStringList{"mic-3/other", "is not allowed to register as this node", "keys add"};
    QTest::newRow("name taken") << "mic-1/node-1"
                                << "mic-1-node-1.key" << QStringList{"another node agent has this name"};
}

void Hostile::refused_agent_prints_the_reason() {
    QFETCH(QString, name);
    QFETCH(QString, key_file);
    QFETCH(QStringList, told);
    (void)cluster_.make_key(key_file);
    const auto agent = cluster_.start_node(name, key_file, cluster_.connection());
    QString said;
    const auto all = [&] {
        said += agent->readAllStandardError();
        return std::all_of(told.begin(), told.end(), [&](const QString& one) { return said.contains(one); });
    };
    QVERIFY2(QTest::qWaitFor(all, 8000), qPrintable(said));
    QTest::qWait(1500);
    (void)all();
    QVERIFY2(said.count(told.front()) <= 2, qPrintable("too often: " + said));
}

void Hostile::refused_client_is_told_at_once() {
    (void)cluster_.make_key("nobody.key");
    QElapsedTimer timer;
    timer.start();
    const Finished unknown = cluster_.run_as("nobody.key", {"tasks"});
    QVERIFY2(timer.elapsed() < 5000, qPrintable(QString::number(timer.elapsed())));
    QCOMPARE(unknown.status, 1);
    QVERIFY2(unknown.errors.contains("refuses this key") && unknown.errors.contains("keys add"),
             qPrintable(unknown.errors));
    timer.start();
    const Finished role = cluster_.run_as("other.key", {"tasks"});
    QVERIFY2(timer.elapsed() < 5000, qPrintable(QString::number(timer.elapsed())));
    QCOMPARE(role.status, 1);
    QVERIFY2(role.errors.contains("the role of the key is agent"), qPrintable(role.errors));
}

DIVISI_TEST(Hostile)

}  // namespace hostile_test

#include "hostile_test.moc"
