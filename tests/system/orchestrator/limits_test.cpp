// SPDX-License-Identifier: Apache-2.0

#include <functional>

#include "backend/control/protocol/task_messages.h"
#include "backend/link/connection_file.h"
#include "backend/link/control_client.h"
#include "backend/link/sockets.h"
#include "backend/link/zmq_transport.h"
#include "tests/support/task_file.h"
#include "tests/support/test_program.h"
#include "tests/system/programs.h"

namespace limits_test {

using namespace divisi;
using divisi::testing::TaskFile;
using divisi::tests::Finished;
using divisi::tests::Programs;

namespace {

/// A client that sends messages divisictl never would.
class RawClient {
public:
    explicit RawClient(const Programs& programs) {
        const auto target = link::read_connection(programs.data().toStdString() + "/connection.toml");
        if (!target) qFatal("%s", target.error().message().c_str());
        transport_ = std::make_unique<link::ZmqTransport>(context_, loop_, std::nullopt);
        client_ = std::make_unique<link::ControlClient>(loop_, *transport_, *target,
                                                        control::Hello{"test", "1", control::Role::operate, ""});
        client_->start(
            [this](const link::ControlClient::State& state) {
                if (state.kind == link::ControlClient::State::Kind::connected) loop_.stop();
            },
            [](std::uint64_t, const control::Message&) {});
        loop_.run();
    }
    Result<control::Message> request(const control::Message& message) {
        std::optional<Result<control::Message>> answer;
        client_->request(message, std::chrono::seconds(60), [&](Result<control::Message> reply) {
            answer = std::move(reply);
            loop_.stop();
        });
        while (!answer) loop_.run();
        return *std::move(answer);
    }

private:
    link::EventLoop loop_;
    link::Context context_;
    std::unique_ptr<link::ZmqTransport> transport_;
    std::unique_ptr<link::ControlClient> client_;
};

TaskFile heads_task(int heads, int steps, int eval_every) {
    TaskFile task("heads");
    task.section("model", {{"zoo", "multitask"}, {"inputs", 4}, {"width", 4}, {"layers", 1}, {"heads", heads}})
        .section("data", {{"samples", 16}, {"validation_share", 0.25}})
        .section("train", {{"batch", 4}, {"microbatches", 1}, {"optimizer", "sgd"}, {"lr", 0.01}, {"seed", 3}})
        .section("train", {{"steps", steps}, {"eval_every", eval_every}})
        .set("split.stages", 1);
    for (int i = 0; i < heads; ++i) task.set("train.losses.logits_" + std::to_string(i), "cross_entropy");
    return task;
}

/// Returns a task that waits for its client's file, so that no process is started for it.
control::SubmitTask waiting_task(int layers, int stages) {
    control::SubmitTask task;
    task.folder = "/";
    task.submitted_by = "test";
    task.files = {{"data", "/data", std::string(64, 'a'), 5, false}};
    task.text = TaskFile("waiting")
                    .set("model.layers", layers)
                    .set("data.samples", 16)
                    .replace("train", {{"batch", 4}, {"steps", 10}})
                    .set("split.stages", stages)
                    .text();
    return task;
}

}  // namespace

/// Puts the load of ordinary use, or of a careless client, on a cluster. Afterwards the cluster answers as before.
class Limits : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void cluster_answers_after_a_long_training_with_many_heads();
    void cluster_answers_while_six_hundred_tasks_wait();
    void oversized_submission_is_refused();
    void log_with_an_unreadable_event_opens_again();

private:
    static void answers(const Programs& programs, int tasks);
};

/// Checks the commands that need the whole state.
void Limits::answers(const Programs& programs, int tasks) {
    const Finished listed = programs.run({"tasks", "--json"});
    QVERIFY2(listed.status == 0, qPrintable(listed.errors));
    QCOMPARE(listed.objects().size(), tasks);
    const Finished status = programs.run({"cluster", "status"});
    QVERIFY2(status.status == 0, qPrintable(status.errors));
}

void Limits::cluster_answers_after_a_long_training_with_many_heads() {
    Programs programs;
    QVERIFY(programs.cluster_up());
    constexpr int steps = 5000;
    const Finished trained = programs.run({"run", programs.write("heads.toml", heads_task(20, steps, 1)), "--json"});
    QVERIFY2(trained.status == 0, qPrintable(trained.errors));
    QCOMPARE(trained.objects("step").size(), steps);
    answers(programs, 1);
    const Finished exported = programs.run({"model", "export", "heads-1", programs.folder() + "/heads.onnx"});
    QVERIFY2(exported.status == 0, qPrintable(exported.errors));
    // The log has more lines than fit a page; every line appears once.
    const Finished logs = programs.run({"logs", "--json", "--task", "heads-1", "--limit", "20000", "--events"});
    QVERIFY2(logs.status == 0, qPrintable(logs.errors));
    QVERIFY(logs.objects().size() > 2 * steps);
    QSet<qint64> sequences;
    for (const QJsonObject& line : logs.objects()) sequences.insert(line["sequence"].toInteger());
    QCOMPARE(sequences.size(), logs.objects().size());
    QCOMPARE(programs.run({"cluster", "down"}).status, 0);
    const Finished up = programs.run({"cluster", "up"});
    QVERIFY2(up.status == 0, qPrintable(up.errors));
    answers(programs, 1);
    const Finished again = programs.run({"run", programs.write("again.toml", heads_task(2, 3, 1))});
    QVERIFY2(again.status == 0, qPrintable(again.errors));
}

void Limits::cluster_answers_while_six_hundred_tasks_wait() {
    Programs programs;
    QVERIFY(programs.cluster_up());
    RawClient client(programs);
    constexpr int waiting = 600;
    for (int i = 0; i < waiting; ++i) {
        const auto reply = client.request(waiting_task(40, 16));
        QVERIFY2(reply.ok(), reply.ok() ? "" : reply.error().message().c_str());
    }
    answers(programs, waiting);
    QCOMPARE(programs.run({"tasks", "stop", "waiting-600"}).status, 0);
}

void Limits::oversized_submission_is_refused() {
    Programs programs;
    QVERIFY(programs.cluster_up());
    RawClient client(programs);
    control::SubmitTask files = waiting_task(4, 2), folder = waiting_task(4, 2);
    files.files.resize(199'000);
    folder.folder = std::string(5 << 20, 'x');
    for (const control::SubmitTask& hostile : {files, folder}) {
        const auto reply = client.request(hostile);
        QVERIFY(!reply.ok());
        const Error& error = reply.error();
        QVERIFY2(error.where.starts_with("submit_task."), error.message().c_str());
        QVERIFY(!error.what.empty() && !error.next.empty());
    }
    // A long text that is a valid path is kept, however often it is sent.
    folder.folder.resize(4000);
    for (int i = 0; i < 20; ++i) {
        const auto reply = client.request(folder);
        QVERIFY2(reply.ok(), reply.ok() ? "" : reply.error().message().c_str());
    }
    answers(programs, 20);
    QCOMPARE(programs.run({"cluster", "down"}).status, 0);
    QCOMPARE(programs.run({"cluster", "up"}).status, 0);
    answers(programs, 20);
}

/// Uses the sqlite3 shell to write a submission that no decoder accepts, as an older orchestrator might have written
/// it.
void Limits::log_with_an_unreadable_event_opens_again() {
    Programs programs;
    QVERIFY(programs.cluster_up());
    const Finished first = programs.run({"run", programs.write("first.toml", heads_task(2, 3, 1))});
    QVERIFY2(first.status == 0, qPrintable(first.errors));
    QCOMPARE(programs.run({"cluster", "down"}).status, 0);
    QProcess shell;
    shell.start("sqlite3", {programs.data() + "/events.sqlite",
                            "INSERT INTO event SELECT max(sequence) + 1, max(time_ns), 'task_submitted', 'poison-1',"
                            " 'task poison-1 submitted by somebody', x'0aff' FROM event"});
    QVERIFY(shell.waitForFinished() && shell.exitCode() == 0);
    const Finished up = programs.run({"cluster", "up"});
    QVERIFY2(up.status == 0, qPrintable(up.errors));
    answers(programs, 2);
    for (const QJsonObject& task : programs.run({"tasks", "--json"}).objects()) {
        const bool poisoned = task["task"].toString() == "poison-1";
        QCOMPARE(task["outcome"].toString(), poisoned ? QString("failed") : QString("succeeded"));
        if (poisoned) QVERIFY(task["error"].toString().contains("cannot be read"));
    }
    QVERIFY(programs.run({"logs", "--contains", "cannot be read"}).output.contains("poison-1"));
    // The bad event is reported only once.
    QCOMPARE(programs.run({"cluster", "down"}).status, 0);
    QCOMPARE(programs.run({"cluster", "up"}).status, 0);
    QCOMPARE(programs.run({"logs", "--json", "--contains", "event log: event"}).objects().size(), 1);
}

DIVISI_TEST(Limits)

}  // namespace limits_test

#include "limits_test.moc"
