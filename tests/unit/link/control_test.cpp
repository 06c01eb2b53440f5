// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "backend/control/protocol/state_messages.h"
#include "backend/link/control_client.h"
#include "backend/link/control_server.h"
#include "backend/link/memory_transport.h"
#include "tests/support/test_program.h"

namespace control_test {

using namespace divisi;
using namespace divisi::link;
using namespace divisi::control;
using std::chrono::milliseconds, std::chrono::seconds;

namespace {

const std::string endpoint = "mem://orchestrator";
/// Time limit for noticing a lost connection, far below the timeout of silence.
constexpr Duration at_once = milliseconds(10);

/// An orchestrator's sockets, which answer like an orchestrator.
struct Orchestra {
    Orchestra(Loop& loop, Transport& transport) : server(loop, [this](const Input& input) { take(input); }) {
        const auto heard = server.listen(transport, endpoint);
        if (!heard.ok()) qFatal("%s", heard.error().message().c_str());
    }
    void take(const Input& input) {
        if (const auto* connected = get_if<PeerConnected>(&input)) peers.push_back(connected->peer);
        if (const auto* left = get_if<PeerGone>(&input)) {
            ++gone;
            closed = left->closed;
        }
        const auto* received = get_if<Received>(&input);
        if (!received) return;
        if (holds_alternative<Hello>(received->message)) {
            ++hellos;
            server.send({received->peer, received->correlation, Welcome{"test", "1", Role::operate, 0, protocol}});
        } else if (const auto* submit = get_if<SubmitTask>(&received->message)) {
            server.send({received->peer, received->correlation, SkeletonData{submit->skeleton}});
        } else if (!holds_alternative<Heartbeat>(received->message)) {
            others.push_back(received->message);
        }
    }
    std::vector<PeerId> peers;
    std::vector<Message> others;
    int hellos = 0, gone = 0;
    bool closed = false;  ///< the last peer that left closed its connection
    std::uint32_t protocol = protocol_version;
    ControlServer server;
};

struct Client {
    Client(Loop& loop, Transport& transport) : control(loop, transport, {endpoint, ""}, {"test", "1", Role::operate}) {
        control.start([this](const ControlClient::State& state) { states.push_back(state); },
                      [this](std::uint64_t, const Message& message) { messages.push_back(message); });
    }
    bool connected() const { return control.state().kind == ControlClient::State::Kind::connected; }
    std::vector<ControlClient::State> states;
    std::vector<Message> messages;
    ControlClient control;
};

/// A peer that sends frames built by the test.
struct RawPeer {
    RawPeer(SimLoop& loop, Transport& transport) {
        Channel::Events events;
        events.message = [this](const Parts& parts) {
            const auto header = frame::decode_control_header(parts[0].bytes).value();
            received.push_back(wire::decode(header.type, parts[1].bytes).value());
        };
        channel = transport.connect({endpoint, ""}, Purpose::control, "", std::move(events)).value();
        loop.run_for(at_once);
    }
    void frame(const frame::ControlHeader& header, const std::string& bytes) {
        QCOMPARE(channel->send({Part::of(frame::encode_control_header(header)), Part::of(bytes)}), Sent::yes);
    }
    void say(const Message& message, std::uint64_t correlation = 1) {
        const std::string bytes = wire::encode(message).value();
        frame({correlation, wire::type_of(message), static_cast<std::uint32_t>(bytes.size()), 0}, bytes);
    }
    std::optional<Error> refused() const {
        for (const Message& message : received)
            if (const auto* one = get_if<Refused>(&message)) return one->error;
        return std::nullopt;
    }
    std::unique_ptr<Channel> channel;
    std::vector<Message> received;
};

struct Net {
    SimLoop loop;
    MemoryTransport transport{loop};
};

}  // namespace

/// Tests connections of the control plane: how they begin, how their end is noticed, and which messages they refuse.
class ControlTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void ended_client_is_reported_as_gone_at_once();
    void client_notices_a_lost_orchestrator_and_reconnects();
    void pending_requests_end_with_their_connection();
    void silence_ends_a_connection_on_both_sides();
    void blocked_event_loop_declares_no_peer_silent();
    void goodbye_is_passed_on_and_ends_the_connection();
    void long_messages_are_sent_in_frames();
    void oversized_message_is_refused_by_its_sender();
    void first_message_must_be_hello();
    void frames_out_of_order_end_their_connection();
    void incomplete_messages_are_bounded_in_total();
    void messages_of_a_closed_peer_are_ignored();
    void orchestrator_of_another_version_is_named();
};

/// An orchestrator from before protocols had names sends no protocol name.
void ControlTest::orchestrator_of_another_version_is_named() {
    Net net;
    Orchestra orchestra(net.loop, net.transport);
    orchestra.protocol = 0;
    const Client client(net.loop, net.transport);
    net.loop.run_for(seconds(1));
    QVERIFY(!client.connected());
    const std::string why = client.control.state().detail;
    QVERIFY2(why.find("run the same Divisi version on all machines") != std::string::npos, why.c_str());
}

void ControlTest::ended_client_is_reported_as_gone_at_once() {
    Net net;
    Orchestra orchestra(net.loop, net.transport);
    auto client = std::make_unique<Client>(net.loop, net.transport);
    net.loop.run_for(seconds(1));
    QVERIFY(client->connected());
    client.reset();
    net.loop.run_for(at_once);
    QCOMPARE(orchestra.gone, 1);
    QVERIFY(orchestra.closed);
    net.loop.run_for(2 * peer_timeout);
    QCOMPARE(orchestra.gone, 1);  // the end is reported only once
}

void ControlTest::client_notices_a_lost_orchestrator_and_reconnects() {
    Net net;
    auto orchestra = std::make_unique<Orchestra>(net.loop, net.transport);
    Client client(net.loop, net.transport);
    net.loop.run_for(seconds(1));
    orchestra.reset();
    net.loop.run_for(at_once);
    QVERIFY(!client.connected());
    QVERIFY(!client.control.state().detail.empty());
    orchestra = std::make_unique<Orchestra>(net.loop, net.transport);
    net.loop.run_for(seconds(1));
    QVERIFY(client.connected());
    QCOMPARE(orchestra->hellos, 1);
    orchestra->server.send({orchestra->peers.at(0), 0, EventPush{}});
    net.loop.run_for(at_once);
    QCOMPARE(client.messages.size(), std::size_t(1));
}

void ControlTest::pending_requests_end_with_their_connection() {
    Net net;
    Orchestra orchestra(net.loop, net.transport);
    Client client(net.loop, net.transport);
    net.loop.run_for(seconds(1));
    std::optional<Error> error;
    client.control.request(Subscribe{}, seconds(20), [&](const Result<Message>& reply) { error = reply.error(); });
    net.transport.cut(endpoint);
    net.loop.run_for(at_once);
    QVERIFY(error);
    QCOMPARE(error->code, ErrorCode::unavailable);
    QVERIFY(!error->next.empty());
    error.reset();
    client.control.request(Subscribe{}, seconds(20), [&](const Result<Message>& reply) { error = reply.error(); });
    QCOMPARE(error->code, ErrorCode::unavailable);  // fails immediately while there is no connection
}

void ControlTest::silence_ends_a_connection_on_both_sides() {
    Net net;
    Orchestra orchestra(net.loop, net.transport);
    Client client(net.loop, net.transport);
    net.loop.run_for(seconds(1));
    net.transport.drop_if([](const std::string&, const Parts&) { return true; });
    net.loop.run_for(peer_timeout - seconds(1));
    QVERIFY(client.connected());
    QCOMPARE(orchestra.gone, 0);
    net.loop.run_for(seconds(2));
    QVERIFY(!client.connected());
    QCOMPARE(orchestra.gone, 1);
}

void ControlTest::blocked_event_loop_declares_no_peer_silent() {
    Net net;
    Orchestra orchestra(net.loop, net.transport);
    Client client(net.loop, net.transport);
    net.loop.run_for(seconds(1));
    // All timers of the missed time run first, as in a loop that was blocked. The messages follow.
    const auto states = client.states.size();
    net.loop.hold_up(2 * peer_timeout);
    net.loop.run_for(seconds(1));
    QVERIFY(client.connected());
    QCOMPARE(client.states.size(), states);
    QCOMPARE(orchestra.gone, 0);
}

void ControlTest::goodbye_is_passed_on_and_ends_the_connection() {
    Net net;
    Orchestra orchestra(net.loop, net.transport);
    Client client(net.loop, net.transport);
    net.loop.run_for(seconds(1));
    orchestra.server.send({orchestra.peers.at(0), 0, Goodbye{"for today"}});
    net.loop.run_for(at_once);
    QVERIFY(!client.connected());
    QVERIFY(holds_alternative<Goodbye>(client.messages.at(0)));
    QVERIFY(client.control.state().detail.find("for today") != std::string::npos);
}

void ControlTest::long_messages_are_sent_in_frames() {
    Net net;
    std::size_t largest = 0, frames = 0;
    net.transport.drop_if([&](const std::string&, const Parts& parts) {
        for (const Part& part : parts) largest = std::max(largest, part.bytes.size());
        ++frames;
        return false;
    });
    Orchestra orchestra(net.loop, net.transport);
    Client client(net.loop, net.transport);
    net.loop.run_for(seconds(1));
    std::string skeleton(5'000'000, ' ');
    for (std::size_t i = 0; i < skeleton.size(); ++i) skeleton[i] = static_cast<char>(i * 2654435761u >> 7);
    std::string back;
    client.control.request(SubmitTask{"text", "/", skeleton, {}, "me"}, seconds(20),
                           [&](Result<Message> reply) { back = get<SkeletonData>(reply.value()).bytes; });
    net.loop.run_for(seconds(1));
    QVERIFY(back == skeleton);
    QCOMPARE(largest, frame::control_frame_limit);
    QVERIFY(frames > 2 * skeleton.size() / frame::control_frame_limit);
}

void ControlTest::oversized_message_is_refused_by_its_sender() {
    Net net;
    Orchestra orchestra(net.loop, net.transport);
    Client client(net.loop, net.transport);
    net.loop.run_for(seconds(1));
    std::optional<Error> error;
    client.control.request(StopTask{TaskId("t"), std::string(frame::control_frame_limit, 'x')}, seconds(20),
                           [&](const Result<Message>& reply) { error = reply.error(); });
    net.loop.run_for(at_once);
    QCOMPARE(error->code, ErrorCode::exhausted);
    QVERIFY(client.connected());
    // The same applies to the orchestrator's messages: the client gets the reason instead of no answer.
    orchestra.server.send({orchestra.peers.at(0), 0, Goodbye{std::string(frame::control_frame_limit, 'x')}});
    net.loop.run_for(at_once);
    QVERIFY(client.control.state().detail.find("exceeds") != std::string::npos);
}

void ControlTest::first_message_must_be_hello() {
    Net net;
    Orchestra orchestra(net.loop, net.transport);
    RawPeer peer(net.loop, net.transport);
    peer.say(Subscribe{});
    net.loop.run_for(at_once);
    QVERIFY(orchestra.peers.empty() && orchestra.others.empty());
    QCOMPARE(peer.refused()->code, ErrorCode::denied);
}

void ControlTest::frames_out_of_order_end_their_connection() {
    Net net;
    Orchestra orchestra(net.loop, net.transport);
    RawPeer peer(net.loop, net.transport);
    peer.say(Hello{"raw", "1", Role::operate});
    const auto type = wire::type_of(SubmitTask{});
    peer.frame({2, type, 200'000, 0}, std::string(65'536, 'x'));
    peer.frame({2, type, 200'000, 131'072}, std::string(65'536, 'x'));
    net.loop.run_for(at_once);
    QCOMPARE(peer.refused()->code, ErrorCode::corrupt);
    QCOMPARE(orchestra.gone, 1);
    // A message unknown to this version is refused, but the connection stays.
    RawPeer newer(net.loop, net.transport);
    newer.say(Hello{"raw", "2", Role::operate});
    newer.frame({3, 999, 1, 0}, "x");
    net.loop.run_for(at_once);
    QCOMPARE(newer.refused()->code, ErrorCode::unsupported);
    QCOMPARE(orchestra.gone, 1);
}

void ControlTest::incomplete_messages_are_bounded_in_total() {
    Net net;
    Orchestra orchestra(net.loop, net.transport);
    std::vector<std::unique_ptr<RawPeer>> peers;
    const auto type = wire::type_of(SubmitTask{});
    const std::uint32_t size = skeleton_limit;
    const std::string piece(frame::control_frame_limit, 'x');
    const std::size_t needed = most_assembling / size + 1;
    for (std::size_t i = 0; i < needed; ++i) {
        peers.push_back(std::make_unique<RawPeer>(net.loop, net.transport));
        peers.back()->say(Hello{"raw", "1", Role::operate});
        for (std::uint32_t at = 0; at + piece.size() < size; at += static_cast<std::uint32_t>(piece.size())) {
            peers.back()->frame({2, type, size, at}, piece);
            net.loop.run_for(milliseconds(1));
        }
    }
    std::size_t refused = 0;
    for (const auto& peer : peers)
        if (peer->refused() && peer->refused()->code == ErrorCode::exhausted) ++refused;
    QVERIFY(refused > 0);
    QCOMPARE(orchestra.gone, static_cast<int>(refused));
}

void ControlTest::messages_of_a_closed_peer_are_ignored() {
    Net net;
    Orchestra orchestra(net.loop, net.transport);
    RawPeer peer(net.loop, net.transport);
    peer.say(Hello{"raw", "1", Role::operate});
    net.loop.run_for(at_once);
    orchestra.server.close(orchestra.peers.at(0));
    peer.say(StopTask{TaskId("t"), ""});
    net.loop.run_for(at_once);
    QVERIFY(orchestra.others.empty());
    QVERIFY(peer.refused());
    QCOMPARE(orchestra.gone, 0);
}

DIVISI_TEST(ControlTest)

}  // namespace control_test

#include "control_test.moc"
