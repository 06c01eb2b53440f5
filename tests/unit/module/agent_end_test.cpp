// SPDX-License-Identifier: Apache-2.0
#include "agents/launch/agent.h"
#include "backend/process/lifeline.h"
#include "tests/support/test_program.h"

namespace agent_end_test {

using namespace divisi;

namespace {

/// An agent that ends as its test says.
class EndingAgent final : public launch::Agent {
public:
    using Agent::Agent;
    using Agent::end;
    using Agent::set_failure;
    Result<void> start() override { return {}; }
    void terminate(const std::string& /*reason*/) override { end(); }
    metrics::Figures figures() override { return {}; }
};

}  // namespace

/// Tests with which exit status an agent ends.
class AgentEndTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void terminate_stops_the_event_loop();
    void signal_after_a_goodbye_keeps_the_exit_status();
    void failure_is_reported_separately();
};

void AgentEndTest::terminate_stops_the_event_loop() {
    link::EventLoop loop;
    EndingAgent agent(loop);
    loop.post([&] { agent.terminate("signal 15"); });
    loop.run();  // must return
    QCOMPARE(agent.exit_status(), 0);
    QVERIFY(!agent.failure());
}

void AgentEndTest::signal_after_a_goodbye_keeps_the_exit_status() {
    link::EventLoop loop;
    EndingAgent agent(loop);
    agent.end(process::exit_dismissed);
    agent.terminate("signal 15");
    QCOMPARE(agent.exit_status(), process::exit_dismissed);
}

void AgentEndTest::failure_is_reported_separately() {
    link::EventLoop loop;
    EndingAgent agent(loop);
    agent.set_failure({ErrorCode::denied, "not now", "sr-1", "allow its key"});
    agent.end();
    QVERIFY(agent.failure());
    QCOMPARE(agent.failure()->code, ErrorCode::denied);
    QCOMPARE(agent.exit_status(), 0);
}

DIVISI_TEST(AgentEndTest)

}  // namespace agent_end_test

#include "agent_end_test.moc"
