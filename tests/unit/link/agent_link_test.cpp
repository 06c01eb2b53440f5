// SPDX-License-Identifier: Apache-2.0
#include "backend/link/agent_link.h"

#include <QTemporaryDir>

#include "backend/control/protocol/mesh_messages.h"
#include "backend/link/control_server.h"
#include "backend/link/memory_transport.h"
#include "tests/support/test_program.h"

namespace agent_link_test {

using namespace divisi;
using namespace divisi::link;
using namespace divisi::control;
using std::chrono::milliseconds, std::chrono::seconds;

namespace {

const std::string endpoint = "tcp://10.0.0.1:7000", other_endpoint = "tcp://10.0.0.2:7000";
constexpr Duration answer_deadline = seconds(10);
constexpr milliseconds again_after = seconds(2);

/// An orchestrator that registers devices as `answer` says.
struct Registrar {
    Registrar(SimLoop& loop, Transport& transport, const std::string& at)
        : loop(loop), server(loop, [this](const Input& input) { take(input); }) {
        const auto heard = server.listen(transport, at);
        if (!heard.ok()) qFatal("%s", heard.error().message().c_str());
    }
    void take(const Input& input) {
        const auto* received = get_if<Received>(&input);
        if (!received) return;
        if (holds_alternative<Hello>(received->message))
            server.send({received->peer, received->correlation, Welcome{"test", "1", Role::agent, 0}});
        if (!holds_alternative<RegisterDevice>(received->message)) return;
        asked.push_back(loop.now());
        if (answer) server.send({received->peer, received->correlation, *answer});
    }
    SimLoop& loop;
    std::optional<Message> answer = DeviceRegistered{7};  ///< none: the orchestrator does not answer
    std::vector<TimePoint> asked;                         ///< times of the registrations
    ControlServer server;
};

Message refusal(ErrorCode code) { return Refused{Error{code, "not now", "sr-1", "try again"}, {}}; }

/// An agent that records what its link reports.
struct Agent {
    Agent(SimLoop& loop, Transport& transport, const std::filesystem::path& connection_file = {})
        : link(loop, transport, {{endpoint, ""}, connection_file}, {"test", "1", Role::agent}, answer_deadline) {
        AgentLink::Events events;
        events.up = [this] { ++ups; };
        events.down = [this] { ++downs; };
        events.message = [](std::uint64_t, const Message&) {};
        events.waiting = [this, &loop](const std::string&) { waits.push_back(loop.now()); };
        AgentRegistration registration;
        registration.request = [] { return Message(RegisterDevice{}); };
        registration.accepted = [this](const Message& answer) { ids.push_back(get<DeviceRegistered>(answer).id); };
        registration.refused = [this](const Error& error) { refusals.push_back(error.code); };
        registration.failed = [this](const Error& error) { failure = error.code; };
        registration.transient = ErrorCode::conflict;
        registration.again_after = again_after;
        link.start(std::move(events), std::move(registration));
    }
    int ups = 0, downs = 0;
    std::vector<TimePoint> waits;  ///< times at which an attempt or a connection had ended
    std::vector<std::uint32_t> ids;
    std::vector<ErrorCode> refusals;
    std::optional<ErrorCode> failure;
    AgentLink link;
};

struct Net {
    SimLoop loop;
    MemoryTransport transport{loop};
};

/// Returns the pauses between the times; the few microseconds that a message takes are rounded off.
std::vector<milliseconds> pauses(const std::vector<TimePoint>& times) {
    std::vector<milliseconds> all;
    for (std::size_t i = 1; i < times.size(); ++i)
        all.push_back(std::chrono::floor<milliseconds>(times[i] - times[i - 1]));
    return all;
}

}  // namespace

/// Tests when an agent connects again and when it registers again, on simulated time.
class AgentLinkTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void pauses_between_attempts_double_up_to_five_seconds();
    void stable_connection_resets_the_pauses();
    void every_connection_registers_the_agent();
    void transient_refusal_is_retried_after_a_pause();
    void retry_is_cancelled_by_a_new_connection();
    void permanent_refusal_ends_the_attempts();
    void late_answer_is_left_to_the_next_connection();
    void address_is_read_again_before_each_attempt();
    void unreadable_connection_file_keeps_the_address();
};

void AgentLinkTest::pauses_between_attempts_double_up_to_five_seconds() {
    Net net;
    Agent agent(net.loop, net.transport);
    net.loop.run_for(seconds(25));
    const std::vector<milliseconds> expected{
        milliseconds(50),   milliseconds(100),  milliseconds(200),  milliseconds(400),  milliseconds(800),
        milliseconds(1600), milliseconds(3200), milliseconds(5000), milliseconds(5000), milliseconds(5000)};
    const auto found = pauses(agent.waits);
    QVERIFY(found.size() >= 10);
    QVERIFY(std::equal(expected.begin(), expected.end(), found.begin()));
    QCOMPARE(agent.ups + agent.downs, 0);
    QVERIFY(!agent.failure);  // the link itself never gives up
}

void AgentLinkTest::stable_connection_resets_the_pauses() {
    Net net;
    net.transport.cut(endpoint);
    Registrar registrar(net.loop, net.transport, endpoint);
    Agent agent(net.loop, net.transport);
    net.loop.run_for(seconds(12));  // the pauses have reached their maximum
    net.transport.heal(endpoint);
    net.loop.run_for(longest_backoff + settled_after + seconds(1));
    QVERIFY(agent.link.up());
    agent.waits.clear();
    net.transport.cut(endpoint);
    net.loop.run_for(seconds(1));
    QVERIFY(!agent.link.up());
    const auto found = pauses(agent.waits);
    QVERIFY(found.size() >= 2);
    QVERIFY(found[0] == milliseconds(50));
    QVERIFY(found[1] == milliseconds(100));
}

void AgentLinkTest::every_connection_registers_the_agent() {
    Net net;
    Registrar registrar(net.loop, net.transport, endpoint);
    Agent agent(net.loop, net.transport);
    net.loop.run_for(seconds(1));
    QCOMPARE(registrar.asked.size(), std::size_t(1));
    net.transport.cut(endpoint);
    net.transport.heal(endpoint);
    net.loop.run_for(seconds(1));
    QCOMPARE(agent.ups, 2);
    QCOMPARE(agent.downs, 1);
    QCOMPARE(registrar.asked.size(), std::size_t(2));
    QVERIFY((agent.ids == std::vector<std::uint32_t>{7, 7}));
}

void AgentLinkTest::transient_refusal_is_retried_after_a_pause() {
    Net net;
    Registrar registrar(net.loop, net.transport, endpoint);
    registrar.answer = refusal(ErrorCode::conflict);
    Agent agent(net.loop, net.transport);
    net.loop.run_for(seconds(5));
    QVERIFY((pauses(registrar.asked) == std::vector<milliseconds>{again_after, again_after}));
    registrar.answer = DeviceRegistered{3};
    net.loop.run_for(seconds(60));
    QCOMPARE(registrar.asked.size(), std::size_t(4));
    QVERIFY((agent.ids == std::vector<std::uint32_t>{3}));
    QCOMPARE(agent.refusals.size(), std::size_t(3));
    QVERIFY(!agent.failure);
    QCOMPARE(agent.downs, 0);
}

void AgentLinkTest::retry_is_cancelled_by_a_new_connection() {
    Net net;
    Registrar registrar(net.loop, net.transport, endpoint);
    registrar.answer = refusal(ErrorCode::conflict);
    Agent agent(net.loop, net.transport);
    net.loop.run_for(seconds(1));
    registrar.answer = DeviceRegistered{3};
    net.transport.cut(endpoint);
    net.transport.heal(endpoint);
    net.loop.run_for(2 * again_after);
    QCOMPARE(agent.ups, 2);
    QCOMPARE(registrar.asked.size(), std::size_t(2));
}

void AgentLinkTest::permanent_refusal_ends_the_attempts() {
    Net net;
    Registrar registrar(net.loop, net.transport, endpoint);
    registrar.answer = refusal(ErrorCode::denied);
    Agent agent(net.loop, net.transport);
    net.loop.run_for(seconds(60));
    QCOMPARE(registrar.asked.size(), std::size_t(1));
    QVERIFY(agent.failure == ErrorCode::denied);
    QVERIFY((agent.refusals == std::vector<ErrorCode>{ErrorCode::denied}));
}

void AgentLinkTest::late_answer_is_left_to_the_next_connection() {
    Net net;
    Registrar registrar(net.loop, net.transport, endpoint);
    registrar.answer.reset();
    Agent agent(net.loop, net.transport);
    net.loop.run_for(answer_deadline - seconds(1));
    QVERIFY(agent.refusals.empty());
    net.loop.run_for(seconds(60));
    QVERIFY((agent.refusals == std::vector<ErrorCode>{ErrorCode::deadline}));
    QCOMPARE(registrar.asked.size(), std::size_t(1));
    registrar.answer = DeviceRegistered{3};
    net.transport.cut(endpoint);
    net.transport.heal(endpoint);
    net.loop.run_for(seconds(1));
    QCOMPARE(registrar.asked.size(), std::size_t(2));
    QVERIFY((agent.ids == std::vector<std::uint32_t>{3}));
    QVERIFY(!agent.failure);
}

void AgentLinkTest::address_is_read_again_before_each_attempt() {
    Net net;
    const QTemporaryDir directory;
    const std::filesystem::path file = directory.filePath("connection.toml").toStdString();
    auto first = std::make_unique<Registrar>(net.loop, net.transport, endpoint);
    Agent agent(net.loop, net.transport, file);
    net.loop.run_for(seconds(1));
    QCOMPARE(agent.ups, 1);
    QVERIFY(write_connection(file, {other_endpoint, ""}).ok());
    first.reset();
    Registrar second(net.loop, net.transport, other_endpoint);
    net.loop.run_for(seconds(1));
    QCOMPARE(agent.ups, 2);
    QCOMPARE(second.asked.size(), std::size_t(1));
    QCOMPARE(agent.link.target().endpoint, other_endpoint);
}

void AgentLinkTest::unreadable_connection_file_keeps_the_address() {
    Net net;
    const QTemporaryDir directory;
    auto registrar = std::make_unique<Registrar>(net.loop, net.transport, endpoint);
    Agent agent(net.loop, net.transport, directory.filePath("missing.toml").toStdString());
    net.loop.run_for(seconds(1));
    registrar.reset();
    net.loop.run_for(milliseconds(10));
    registrar = std::make_unique<Registrar>(net.loop, net.transport, endpoint);
    net.loop.run_for(seconds(1));
    QCOMPARE(agent.ups, 2);
    QCOMPARE(agent.link.target().endpoint, endpoint);
}

DIVISI_TEST(AgentLinkTest)

}  // namespace agent_link_test

#include "agent_link_test.moc"
