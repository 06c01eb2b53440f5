// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/client/client.h"
#include "backend/control/protocol/log_messages.h"
#include "backend/control/protocol/mesh_messages.h"
#include "backend/control/protocol/task_messages.h"
#include "backend/control/types/log_types.h"

#include "tests/gui/scripted_client.h"
#include "tests/support/test_program.h"

namespace client_test {

using namespace divisi;

namespace {

/// A view that counts answers.
class Listener : public QObject {
public:
    void take(const control::MeshState& mesh) { devices += mesh.devices.size(); }
    void take_log(const control::QueryLog& question, const control::LogPage&) { kinds.push_back(question.kind); }

    std::size_t devices = 0;
    std::vector<std::string> kinds;
};

control::MeshState two_devices() {
    control::MeshState mesh;
    mesh.devices.resize(2);
    return mesh;
}

}  // namespace

/// Tests how views send messages and receive answers.
class ClientTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void messages_are_sent_unchanged() {
        testing::ScriptedClient client;
        client.poll(control::QuerySignals{7});
        client.ask(control::QueryLines{});
        client.order(control::StopTask{TaskId("gpt-1"), {}});
        client.order(client::CancelUpload{});
        QCOMPARE(client.sent.size(), std::size_t{3});
        QCOMPARE(client.last<control::QuerySignals>().after, std::uint64_t{7});
        QCOMPARE(client.last<control::StopTask>().task, TaskId("gpt-1"));
        QCOMPARE(client.count<client::CancelUpload>(), std::size_t{1});
    }

    void answer_is_received_by_the_type_of_its_question() {
        testing::ScriptedClient client;
        Listener listener;
        client.on_answer<control::QueryMesh>(&listener, &Listener::take);
        client.on_answer<control::QueryLog>(&listener, &Listener::take_log);
        control::QueryLog question;
        question.kind = "step_done";
        client.answer(control::QueryMesh{}, two_devices());
        client.answer(question, {});
        client.answer(control::QuerySignals{}, {});
        QCOMPARE(listener.devices, std::size_t{2});
        QCOMPARE(listener.kinds, std::vector<std::string>{"step_done"});
    }

    void a_failure_is_not_an_answer() {
        testing::ScriptedClient client;
        Listener listener;
        QString why;
        client.on_answer<control::QueryMesh>(&listener, &Listener::take);
        client.on_failure<control::QueryMesh>(
            &listener, [&](const control::QueryMesh&, const client::Answered& failed) { why = failed.why; });
        client.fail(control::QueryMesh{}, QStringLiteral("no answer"));
        QCOMPARE(listener.devices, std::size_t{0});
        QCOMPARE(why, QStringLiteral("no answer"));
        client.answer(control::QueryMesh{}, two_devices());
        QCOMPARE(listener.devices, std::size_t{2});
        QCOMPARE(why, QStringLiteral("no answer"));
    }

    void a_late_answer_calls_no_destroyed_receiver() {
        testing::ScriptedClient client;
        int calls = 0;
        {
            Listener listener;
            client.on_answer<control::QueryMesh>(&listener, [&](const control::MeshState&) { ++calls; });
            client.answer(control::QueryMesh{}, {});
        }
        client.answer(control::QueryMesh{}, {});
        QCOMPARE(calls, 1);
    }
};

DIVISI_TEST(ClientTest)

}  // namespace client_test

#include "client_test.moc"
