// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <functional>

#include "backend/link/control_client.h"
#include "backend/link/control_server.h"
#include "backend/link/sockets.h"
#include "backend/link/zmq_transport.h"
#include "tests/support/test_program.h"

namespace link_control_test {

using namespace divisi;
using namespace divisi::link;
using namespace divisi::control;
using std::chrono::milliseconds, std::chrono::seconds;

namespace {

/// Silence is noticed after five seconds; the end of a process must be noticed sooner.
constexpr int at_once_ms = 1000;

/// The objects of one process.
struct Process {
    Context context;
    EventLoop loop;
    KeyPair keys = generate_keys();
    ZmqTransport transport{context, loop, keys};

    void turn() {
        loop.after(milliseconds(2), [this] { loop.stop(); });
        loop.run();
    }
    bool run_until(const std::function<bool()>& condition, int limit_ms = 15'000) {
        QElapsedTimer timer;
        timer.start();
        while (!condition() && timer.elapsed() < limit_ms) turn();
        return condition();
    }
};

/// An orchestrator's sockets, which answer like an orchestrator.
struct Orchestra {
    Orchestra(Process& process, const std::string& where)
        : server(process.loop, [this](const Input& input) { take(input); }) {
        const auto heard = server.listen(process.transport, where);
        if (!heard.ok()) qFatal("%s", heard.error().message().c_str());
        connection = {*heard, is_ipc(where) ? "" : process.keys.public_key};
    }
    void take(const Input& input) {
        if (const auto* connected = get_if<PeerConnected>(&input)) {
            peers.push_back(connected->peer);
            credentials.push_back(connected->credentials);
        }
        if (holds_alternative<PeerGone>(input)) ++gone;
        const auto* received = get_if<Received>(&input);
        if (!received) return;
        ++messages;
        if (holds_alternative<Hello>(received->message)) {
            ++hellos;
            server.send({received->peer, received->correlation, Welcome{"test", "1", Role::operate, 0}});
        } else if (const auto* submit = get_if<SubmitTask>(&received->message)) {
            server.send({received->peer, received->correlation, SkeletonData{submit->skeleton}});
        }
    }
    Connection connection;
    std::vector<PeerId> peers;
    std::vector<Credentials> credentials;
    int hellos = 0, gone = 0, messages = 0;
    ControlServer server;
};

struct Client {
    Client(Process& process, const Connection& target)
        : control(process.loop, process.transport, target, {"test", "1", Role::operate}) {
        control.start([](const auto&) {}, [](std::uint64_t, const Message&) {});
    }
    bool connected() const { return control.state().kind == ControlClient::State::Kind::connected; }
    ControlClient control;
};

}  // namespace

/// Tests the control plane over real sockets.
class LinkControlTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { directory_ = std::make_unique<QTemporaryDir>(QDir::tempPath() + "/dv-XXXXXX"); }
    void killed_process_is_noticed_at_once();
    void ended_client_is_noticed_at_once_data() { transports(); }
    void ended_client_is_noticed_at_once();
    void client_greets_a_restarted_orchestrator_again_data() { transports(); }
    void client_greets_a_restarted_orchestrator_again();
    void long_messages_are_delivered_data() { transports(); }
    void long_messages_are_delivered();
    void messages_and_reconnects_with_a_revoked_key_are_refused();
    void address_in_use_is_named();

private:
    std::string ipc() const { return "ipc://" + directory_->filePath("c.sock").toStdString(); }
    static void transports() {
        QTest::addColumn<bool>("tcp");
        QTest::newRow("ipc") << false;
        QTest::newRow("tcp") << true;
    }
    std::string endpoint(bool tcp) const { return tcp ? "tcp://127.0.0.1:*" : ipc(); }
    std::unique_ptr<QTemporaryDir> directory_;
};

void LinkControlTest::killed_process_is_noticed_at_once() {
    const pid_t child = ::fork();
    if (child == 0) {
        Process process;
        Client client(process, {ipc(), ""});
        process.loop.run();
        ::_exit(1);
    }
    Process process;
    Orchestra orchestra(process, ipc());
    const bool came = process.run_until([&] { return orchestra.messages > 2; });
    QElapsedTimer timer;
    timer.start();
    ::kill(child, SIGKILL);
    const bool noticed = process.run_until([&] { return orchestra.gone == 1; }, at_once_ms);
    const auto took = timer.elapsed();
    int status = 0;
    ::waitpid(child, &status, 0);
    QVERIFY(came);
    QVERIFY(noticed);
    qInfo("noticed after %lld ms", static_cast<long long>(took));
}

void LinkControlTest::ended_client_is_noticed_at_once() {
    QFETCH(bool, tcp);
    Process process, other;
    process.context.access_list().allow(other.keys.public_key, {"other", Role::operate});
    Orchestra orchestra(process, endpoint(tcp));
    Client stays(process, orchestra.connection);
    process.context.access_list().allow(process.keys.public_key, {"stays", Role::operate});
    auto ends = std::make_unique<Client>(other, orchestra.connection);
    QVERIFY(process.run_until([&] {
        other.turn();
        return stays.connected() && ends->connected();
    }));
    ends.reset();
    QVERIFY(process.run_until([&] { return orchestra.gone > 0; }, at_once_ms));
    QVERIFY(!process.run_until([&] { return orchestra.gone > 1; }, 200));
    QVERIFY(stays.connected());
}

void LinkControlTest::client_greets_a_restarted_orchestrator_again() {
    QFETCH(bool, tcp);
    Process process, other;
    other.context.access_list().allow(process.keys.public_key, {"client", Role::operate});
    auto orchestra = std::make_unique<Orchestra>(other, endpoint(tcp));
    const Connection where = orchestra->connection;
    Client client(process, where);
    QVERIFY(process.run_until([&] {
        other.turn();
        return client.connected();
    }));
    orchestra.reset();
    QVERIFY(process.run_until(
        [&] {
            other.turn();
            return !client.connected();
        },
        at_once_ms));
    (void)process.run_until([] { return false; }, 100);  // the client keeps retrying while nobody listens
    orchestra = std::make_unique<Orchestra>(other, where.endpoint);
    QVERIFY(process.run_until([&] {
        other.turn();
        return client.connected();
    }));
    QCOMPARE(orchestra->hellos, 1);
}

void LinkControlTest::long_messages_are_delivered() {
    QFETCH(bool, tcp);
    Process process;
    process.context.access_list().allow(process.keys.public_key, {"client", Role::operate});
    Orchestra orchestra(process, endpoint(tcp));
    Client client(process, orchestra.connection);
    QVERIFY(process.run_until([&] { return client.connected(); }));
    std::string skeleton(skeleton_limit, ' ');
    for (std::size_t i = 0; i < skeleton.size(); ++i) skeleton[i] = static_cast<char>(i * 2654435761u >> 9);
    std::optional<Result<Message>> reply;
    client.control.request(SubmitTask{"text", "/", skeleton, {}, "me"}, seconds(20),
                           [&](Result<Message> answer) { reply = std::move(answer); });
    QVERIFY(process.run_until([&] { return reply.has_value(); }));
    QVERIFY2(reply->ok(), reply->ok() ? "" : reply->error().message().c_str());
    QVERIFY(get<SkeletonData>(reply->value()).bytes == skeleton);
    QCOMPARE(orchestra.gone, 0);
}

void LinkControlTest::messages_and_reconnects_with_a_revoked_key_are_refused() {
    Process process;
    const std::string key = process.keys.public_key;
    process.context.access_list().allow(key, {"client", Role::operate});
    Orchestra orchestra(process, endpoint(true));
    Client client(process, orchestra.connection);
    QVERIFY(process.run_until([&] { return client.connected(); }));
    QCOMPARE(orchestra.credentials.at(0).key, key);
    QCOMPARE(orchestra.credentials.at(0).name, std::string("client"));

    process.context.access_list().revoke(key);
    const int heard = orchestra.messages;
    client.control.send(StopTask{TaskId("t"), ""});
    QVERIFY(!process.run_until([&] { return orchestra.messages > heard; }, 200));
    orchestra.server.send({orchestra.peers.at(0), 0, Refused{{ErrorCode::denied, "its key was revoked", "", ""}}});
    orchestra.server.close(orchestra.peers.at(0));
    const auto refused = [&] { return client.control.state().detail.find("refuses this key") != std::string::npos; };
    QVERIFY(process.run_until(refused, 5000));
    QCOMPARE(orchestra.messages, heard);
}

void LinkControlTest::address_in_use_is_named() {
    Process process, other;
    Orchestra orchestra(process, endpoint(true));
    ControlServer second(other.loop, [](const Input&) {});
    const auto taken = second.listen(other.transport, orchestra.connection.endpoint);
    QCOMPARE(taken.error().code, ErrorCode::conflict);
    QCOMPARE(taken.error().where, orchestra.connection.endpoint);
    QVERIFY(taken.error().next.find("another port") != std::string::npos);
    const auto absent = second.listen(other.transport, "tcp://192.0.2.77:5555");
    QCOMPARE(absent.error().where, std::string("tcp://192.0.2.77:5555"));
    QVERIFY(absent.error().what.find("does not have that address") != std::string::npos);
}

DIVISI_TEST(LinkControlTest)

}  // namespace link_control_test

#include "link_control_test.moc"
