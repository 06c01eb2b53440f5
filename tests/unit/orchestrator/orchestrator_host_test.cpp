// SPDX-License-Identifier: Apache-2.0
#include "backend/orchestrator/orchestrator_host.h"
#include "backend/control/protocol/node_messages.h"

#include "backend/link/control_client.h"
#include "backend/link/memory_transport.h"
#include "tests/support/test_program.h"

namespace orchestrator_host_test {

using namespace divisi;
using namespace divisi::control;
using divisi::orchestrator::OrchestratorHost;
using std::chrono::milliseconds;

namespace {

const std::string endpoint = "mem://orchestrator";

/// A journal that stores events, or refuses them if told so.
struct FakeJournal final : Journal {
    Result<void> append(std::span<const Event> events) override {
        if (refuses) return *refuses;
        kept.insert(kept.end(), events.begin(), events.end());
        return {};
    }
    Result<Restored> restore() override {
        Restored restored;
        for (const Event& event : kept) apply(restored.state, event);
        return restored;
    }
    Result<void> save() override {
        ++saved;
        return {};
    }
    Result<void> finish_saving() override { return {}; }
    std::uint64_t unsaved() const override { return kept.size(); }

    std::vector<Event> kept;
    std::optional<Error> refuses;
    int saved = 0;
};

/// An orchestrator host, and a node agent that registers with it.
struct House {
    House() : host(loop, journal, callbacks()), agent(loop, transport, {endpoint, ""}, {"test", "1", Role::agent}) {
        QVERIFY(host.restore().ok());
        QVERIFY(host.start("test", "1", false).ok());
        QVERIFY(host.sockets().listen(transport, endpoint).ok());
        agent.start([](const auto&) {}, [](std::uint64_t, const Message&) {});
        loop.run_for(milliseconds(20));
    }
    OrchestratorHost::Callbacks callbacks() {
        return {[](const TaskId&, const std::string&) -> Result<void> { return {}; }, [](const TaskId&) {},
                [](std::span<const Event>) {}, [](const Job&) {}, [this] { ++over; }};
    }
    void register_node() {
        NodeInfo info;
        info.id = NodeId("m/n");
        agent.request(RegisterNode{info}, std::chrono::seconds(10),
                      [this](const Result<Message>& reply) { answered = reply.ok(); });
    }
    link::SimLoop loop;
    link::MemoryTransport transport{loop};
    FakeJournal journal;
    int over = 0;
    bool answered = false;
    OrchestratorHost host;
    link::ControlClient agent;
};

}  // namespace

class OrchestratorHostTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void answers_wait_for_the_journal();
    void host_ends_without_answering_if_the_journal_fails();
    void permanently_locked_journal_ends_the_host();
    void state_is_saved_at_the_end();
};

void OrchestratorHostTest::answers_wait_for_the_journal() {
    House house;
    house.journal.refuses = Error{ErrorCode::conflict, "held", "journal", "wait"};
    house.register_node();
    house.loop.run_for(milliseconds(500));
    QVERIFY(!house.answered);
    QVERIFY(house.host.waiting() > 0);
    house.journal.refuses.reset();
    house.loop.run_for(milliseconds(100));
    QVERIFY(house.answered);
    QVERIFY(holds_alternative<NodeJoined>(house.journal.kept.back().body));
    QCOMPARE(house.over, 0);
}

void OrchestratorHostTest::host_ends_without_answering_if_the_journal_fails() {
    House house;
    house.journal.refuses = Error{ErrorCode::failed, "no space left", "journal", "make room"};
    house.register_node();
    house.loop.run_for(milliseconds(500));
    QVERIFY(!house.answered);
    QCOMPARE(house.over, 1);
    QCOMPARE(house.host.failure().value_or(Error{}).what, std::string("no space left"));
}

void OrchestratorHostTest::permanently_locked_journal_ends_the_host() {
    House house;
    house.journal.refuses = Error{ErrorCode::conflict, "held", "journal", "wait"};
    house.register_node();
    house.loop.run_for(std::chrono::seconds(59));
    QCOMPARE(house.over, 0);
    house.loop.run_for(std::chrono::seconds(2));
    QCOMPARE(house.over, 1);
}

void OrchestratorHostTest::state_is_saved_at_the_end() {
    House house;
    QCOMPARE(house.journal.saved, 0);
    house.host.end("told to");
    QCOMPARE(house.journal.saved, 1);
    QCOMPARE(house.over, 1);
}

DIVISI_TEST(OrchestratorHostTest)

}  // namespace orchestrator_host_test

#include "orchestrator_host_test.moc"
