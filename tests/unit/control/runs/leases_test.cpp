// SPDX-License-Identifier: Apache-2.0
#include "backend/control/runs/leases.h"
#include "backend/control/protocol/connection_messages.h"
#include "backend/control/protocol/instance_messages.h"
#include "backend/control/protocol/node_messages.h"

#include <algorithm>
#include <random>

#include "backend/base/hash.h"
#include "backend/control/dispatch/orchestrator.h"
#include "tests/support/test_program.h"
#include "tests/unit/control/plan_at_once.h"

namespace leases_test {

using namespace divisi;
using namespace divisi::control;
using std::chrono::milliseconds, std::chrono::seconds;

namespace {

constexpr int stages = 2;

Result<PlanSummary> two_stages(const SubmitTask& submission) {
    PlanSummary plan;
    plan.name = submission.text;
    plan.stages = stages;
    plan.steps = 10;
    plan.plan_hash = "hash";
    plan.threads = 3;
    plan.device = "cuda:1";
    return plan;
}

/// Returns a fake seal whose signature covers the text. The real signature is tested with the store.
ReceiptSeal seal() {
    const auto sum = [](std::string_view text) { return std::to_string(fnv1a(text)); };
    return {"key", [=](std::string_view text) { return "signed " + sum(text); }, sum};
}

/// A process as its node sees it.
struct Process {
    std::optional<PeerId> peer;  ///< its connection; none while disconnected
    InstanceState state = InstanceState::starting;
    std::int64_t cpu_ms = 0;
};
/// A node agent and the processes on its machine.
struct Node {
    std::optional<PeerId> peer;
    std::map<InstanceId, Process> processes;
    std::vector<InstanceExited> unsaid;  ///< exits that could not be reported, because there was no orchestrator
};

/// An orchestrator that may be killed, and nodes whose processes follow their orders unless a fault happens.
struct World {
    std::unique_ptr<Orchestrator> core;
    std::vector<Event> log;
    TimePoint now{seconds(1000)};
    std::uint64_t last_peer = 0;
    std::map<NodeId, Node> nodes{{NodeId("m/a"), {}}, {NodeId("m/b"), {}}};

    World() { start(); }
    /// Restarts the orchestrator as after kill -9: everything outside the log is lost, and so are all connections.
    void start() {
        core = std::make_unique<Orchestrator>();
        for (const Event& event : log) core->replay(event);
        core->seal_receipts(seal());
        for (auto& [id, node] : nodes) {
            node.peer.reset();
            for (auto& [instance, process] : node.processes) process.peer.reset();
        }
        take(core->start("lab", "1", now));
    }
    void take(Output output) {
        output = test::plan_at_once(*core, std::move(output), now, two_stages);
        log.insert(log.end(), output.events.begin(), output.events.end());
        for (const Send& send : output.sends)
            if (const auto* order = get_if<StartInstance>(&send.message)) {
                for (auto& [id, node] : nodes)
                    if (node.peer == send.peer) node.processes[order->instance] = {};
            } else if (const auto* stop = get_if<StopInstance>(&send.message)) {
                for (auto& [id, node] : nodes)
                    if (node.processes.contains(stop->instance)) end(id, stop->instance, 9);
            }
    }
    void step(Input input) { take(core->step(std::move(input), now += milliseconds(1))); }
    void say(PeerId peer, Message message) { step(Received{peer, 1, std::move(message)}); }
    PeerId connect(Role role, const std::string& process) {
        const PeerId peer(++last_peer);
        step(PeerConnected{peer, {true, role, "me", ""}});
        say(peer, Hello{"test", "1", role, "", process});
        return peer;
    }
    void submit() { say(connect(Role::operate, ""), SubmitTask{"t", "/", "", {}, "me"}); }

    void join(const NodeId& id) {
        Node& node = nodes.at(id);
        if (node.peer) return;
        node.peer = connect(Role::agent, "agent of " + id.value());
        RegisterNode message;
        message.node.id = id;
        for (const auto& [instance, process] : node.processes) message.instances.push_back(instance);
        for (const InstanceExited& exited : node.unsaid) message.instances.push_back(exited.instance);
        say(*node.peer, message);
        for (const InstanceExited& exited : std::exchange(node.unsaid, {}))
            if (node.peer) say(*node.peer, exited);
    }
    /// Breaks a node's connection; its processes continue.
    void cut(const NodeId& id) {
        if (const auto peer = std::exchange(nodes.at(id).peer, std::nullopt)) step(PeerGone{*peer});
    }
    /// Kills a node agent with kill -9; its processes end with it.
    void kill(const NodeId& id) {
        const auto peer = nodes.at(id).peer;
        for (const auto& [instance, process] : std::exchange(nodes.at(id).processes, {}))
            if (process.peer) step(PeerGone{*process.peer});
        nodes.at(id).unsaid.clear();
        cut(id);
        if (peer) step(PeerEnded{*peer});
    }
    void end(const NodeId& id, const InstanceId& instance, int signal) {
        Node& node = nodes.at(id);
        const Process process = node.processes.extract(instance).mapped();
        if (process.peer) step(PeerGone{*process.peer});
        InstanceExited exited{instance, 0, signal, ""};
        exited.usage.cpu_ms = process.cpu_ms;
        if (node.peer) say(*node.peer, exited);
        else node.unsaid.push_back(exited);
    }
    /// Advances a process by one step, if its orders allow it.
    void go_on(const NodeId& id, const InstanceId& instance) {
        Process& process = nodes.at(id).processes.at(instance);
        const auto view = core->state().instances.find(instance);
        if (view == core->state().instances.end() || core->state().tasks.at(view->second.task).ending)
            return end(id, instance, 0);
        if (!process.peer) {
            process.peer = connect(Role::agent, "process of " + instance.value());
            RegisterInstance message{instance, sid_of(instance), "d", "", "f", 1, process.state};
            if (process.state != InstanceState::starting) {
                message.task = view->second.task;
                message.generation = 1;
            }
            return say(*process.peer, message);
        }
        if (view->second.state == InstanceState::registered) {
            process.state = InstanceState::prepared;
            say(*process.peer, InstancePrepared{instance, "hash"});
        } else if (view->second.state == InstanceState::running) {
            process.state = InstanceState::finished;
            say(*process.peer, InstanceFinished{{view->second.task, instance, 10, "", "", 0}});
        }
    }
    void pass(Duration time) {
        for (const TimePoint until = now + time; now < until; now += heartbeat_interval) {
            for (auto& [id, node] : nodes) {
                if (!node.peer) continue;
                NodeReport report{id};
                for (auto& [instance, process] : node.processes) {
                    report.instances.push_back(instance);
                    report.usages.push_back({instance, {.cpu_ms = process.cpu_ms += 10}});
                }
                say(*node.peer, report);
            }
            step(Tick{});
        }
    }
    /// Advances all processes until nothing changes.
    void settle() {
        for (std::size_t before = 0; std::exchange(before, log.size()) != log.size();)
            for (const auto& [id, instance] : processes()) {
                if (nodes.at(id).processes.contains(instance)) go_on(id, instance);
            }
    }
    std::vector<std::pair<NodeId, InstanceId>> processes() const {
        std::vector<std::pair<NodeId, InstanceId>> all;
        for (const auto& [id, node] : nodes)
            for (const auto& [instance, process] : node.processes) all.emplace_back(id, instance);
        return all;
    }
    /// Starts two stages that train.
    void train() {
        for (const auto& [id, node] : nodes) join(id);
        submit();
        for (int i = 0; i < 2; ++i)
            for (const auto& [id, instance] : processes()) go_on(id, instance);
        for (const auto& [number, lease] : leases())
            if (lease.open() && lease.state != LeaseState::active) qFatal("the task does not train");
    }
    const std::map<std::uint64_t, LeaseView>& leases() const { return core->state().leases; }
    std::vector<Receipt> receipts() const {
        std::vector<Receipt> found;
        for (const Event& event : log)
            if (const auto* reclaimed = get_if<LeaseReclaimed>(&event.body)) found.push_back(reclaimed->receipt);
        return found;
    }
    template <typename Kind>
    std::vector<Kind> logged() const {
        std::vector<Kind> found;
        for (const Event& event : log)
            if (const auto* body = get_if<Kind>(&event.body)) found.push_back(*body);
        return found;
    }
};

/// Returns why an export of these receipts would fail its check; empty if it would pass.
std::string wrong_with(const std::vector<Receipt>& receipts) {
    ReceiptCheck check(
        [](std::string_view text, const std::string& signature) { return seal().sign(text) == signature; }, seal().hash,
        false);
    for (const Receipt& one : receipts)
        if (auto taken = check.take(receipt_fields(one), "receipts"); !taken) return taken.error().message();
    return {};
}

}  // namespace

/// Tests that each instance holds a lease while it is on its node, and that each lease ends in one receipt.
class LeasesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void ended_task_returns_its_leases();
    void killed_process_leaves_a_receipt();
    void lease_is_presumed_reclaimed_if_its_node_never_returns();
    void returning_node_reports_the_consumption();
    void lease_is_reclaimed_without_waiting_for_a_dead_agent();
    void consumption_survives_a_restart_and_the_loss_of_the_node();
    void old_logs_have_instances_without_a_lease();
    void leases_are_forgotten_with_their_task_once_reclaimed();
    void changed_or_missing_receipt_is_found();
    void node_reports_only_on_its_own_leases();
    void every_lease_ends_in_one_receipt();
};

void LeasesTest::ended_task_returns_its_leases() {
    World world;
    world.train();
    const Lease first = world.leases().at(1).lease;
    QCOMPARE(first.consumer, std::string("me"));
    QCOMPARE(first.terms.device, std::string("cuda:1"));
    QCOMPARE(int(first.terms.category), int(LeaseCategory::gpu));
    QCOMPARE(first.terms.threads, 3);
    world.pass(seconds(2));
    world.settle();
    const auto receipts = world.receipts();
    QCOMPARE(receipts.size(), std::size_t(stages));
    for (const Receipt& one : receipts) {
        QVERIFY(!one.presumed);
        QCOMPARE(one.reason, std::string("all steps done"));
        QVERIFY(one.granted < one.activated && one.activated < one.finished && one.finished < one.reclaimed);
        QVERIFY(*one.usage.cpu_ms > 0);
        QVERIFY(!one.usage.gpu_ms && !one.usage.energy_mj);  // never measured
    }
    QCOMPARE(wrong_with(receipts), std::string());
    QCOMPARE(int(world.leases().at(2).state), int(LeaseState::reclaimed));
}

void LeasesTest::killed_process_leaves_a_receipt() {
    World world;
    world.train();
    const auto [node, instance] = world.processes().front();
    world.end(node, instance, 9);
    QCOMPARE(world.receipts().size(), std::size_t(1));
    QCOMPARE(world.receipts()[0].reason, std::string("killed by signal 9"));
    QVERIFY(world.receipts()[0].finished == TimePoint{});
    world.settle();
    QCOMPARE(world.receipts().size(), std::size_t(2));
    QCOMPARE(world.receipts()[1].reason, std::string("another instance failed"));
}

void LeasesTest::lease_is_presumed_reclaimed_if_its_node_never_returns() {
    World world;
    world.train();
    const auto [node, instance] = world.processes().front();
    world.pass(seconds(2));
    world.cut(node);
    world.pass(OrchestratorLimits{}.lease_expiry - seconds(5));
    QCOMPARE(world.logged<TaskEnded>().size(), std::size_t(1));  // the lease outlives the task
    QCOMPARE(world.receipts().size(), std::size_t(1));           // the receipt of the other instance
    world.pass(seconds(20));
    const auto receipts = world.receipts();
    QCOMPARE(receipts.size(), std::size_t(2));
    QVERIFY(receipts.back().presumed);
    QCOMPARE(receipts.back().lease.instance, instance);
    QVERIFY(*receipts.back().usage.cpu_ms > 0);
    QVERIFY(receipts.back().measured < receipts.back().reclaimed - seconds(500));
    world.join(node);  // the node returns after all
    world.settle();
    QCOMPARE(world.receipts().size(), std::size_t(2));
}

void LeasesTest::returning_node_reports_the_consumption() {
    World world;
    world.train();
    const auto [node, instance] = world.processes().front();
    world.cut(node);
    world.pass(seconds(60));  // the task has failed meanwhile
    world.nodes.at(node).processes.at(instance).cpu_ms = 4711;
    world.end(node, instance, 15);
    world.join(node);
    const auto receipts = world.receipts();
    QCOMPARE(receipts.size(), std::size_t(2));
    QVERIFY(!receipts.back().presumed);
    QCOMPARE(*receipts.back().usage.cpu_ms, std::int64_t(4711));
}

void LeasesTest::lease_is_reclaimed_without_waiting_for_a_dead_agent() {
    World world;
    world.train();
    const auto [node, instance] = world.processes().front();
    world.kill(node);
    QCOMPARE(world.receipts().size(), std::size_t(1));
    QVERIFY(world.receipts()[0].presumed);
    QVERIFY(QByteArray::fromStdString(world.receipts()[0].reason).contains("lost"));
}

void LeasesTest::consumption_survives_a_restart_and_the_loss_of_the_node() {
    World world;
    world.train();
    world.pass(OrchestratorLimits{}.lease_record + seconds(2));
    QCOMPARE(world.logged<LeaseMeasured>().size(), std::size_t(stages));
    world.start();
    world.pass(OrchestratorLimits{}.lease_expiry + seconds(2));  // no node reconnects
    const auto receipts = world.receipts();
    QCOMPARE(receipts.size(), std::size_t(stages));
    for (const Receipt& one : receipts) QVERIFY(one.presumed && *one.usage.cpu_ms > 1000);
    QCOMPARE(world.logged<ReceiptKeyChanged>().size(), std::size_t(1));  // the key is unchanged
    QCOMPARE(wrong_with(receipts), std::string());
}

void LeasesTest::old_logs_have_instances_without_a_lease() {
    World before;
    before.train();
    World after;
    after.log.clear();
    for (Event event : before.log)
        if (!holds_alternative<LeaseGranted>(event.body) && !holds_alternative<LeaseActivated>(event.body)) {
            event.sequence = after.log.size() + 1;
            after.log.push_back(event);
        }
    after.nodes = before.nodes;
    after.start();
    for (const auto& [id, node] : after.nodes) after.join(id);
    after.settle();
    QCOMPARE(after.logged<TaskEnded>().size(), std::size_t(1));
    QVERIFY(after.receipts().empty());
    after.submit();
    QCOMPARE(after.leases().begin()->first, std::uint64_t(1));
}

void LeasesTest::leases_are_forgotten_with_their_task_once_reclaimed() {
    ClusterState state;
    const auto fold = [&](Event::Body body) { apply(state, {state.sequence + 1, TimePoint{}, std::move(body)}); };
    const auto lease = [](std::uint64_t number) {
        const std::string task = "t-" + std::to_string(number);
        return Lease{number, TaskId(task), InstanceId(task + "/stage-0/0#1"), NodeId("m/a"), "me", {}};
    };
    const auto reclaim = [&](std::uint64_t number) {
        Receipt receipt;
        receipt.number = state.lease_book.receipts + 1;
        receipt.lease = lease(number);
        fold(LeaseReclaimed{receipt, "hash"});
    };
    constexpr std::uint64_t tasks = ended_task_limit + 50;
    for (std::uint64_t number = 1; number <= tasks; ++number) {
        fold(TaskSubmitted{lease(number).task, "t", "", "", "", {}, "me", 0});
        fold(LeaseGranted{lease(number)});
        if (number != 1) reclaim(number);
        fold(TaskEnded{lease(number).task, Outcome::succeeded, std::nullopt});
    }
    QCOMPARE(state.leases.size(), ended_task_limit + 1);
    QVERIFY(!state.tasks.contains(TaskId("t-1")) && state.leases.contains(1));
    reclaim(1);
    QCOMPARE(state.leases.size(), ended_task_limit);
    QCOMPARE(state.lease_book.leases, tasks);
    QCOMPARE(state.lease_book.receipts, tasks);
}

void LeasesTest::changed_or_missing_receipt_is_found() {
    World world;
    for (int i = 0; i < 2; ++i) {
        world.train();
        world.settle();
    }
    const auto receipts = world.receipts();
    QCOMPARE(receipts.size(), std::size_t(4));
    QCOMPARE(wrong_with(receipts), std::string());
    auto changed = receipts;
    changed[2].usage.cpu_ms = 1;
    QVERIFY(wrong_with(changed).find("the signature of receipt 3 is wrong") != std::string::npos);
    auto missing = receipts;
    missing.erase(missing.begin() + 1);
    QVERIFY(wrong_with(missing).find("receipt 2 is missing before receipt 3") != std::string::npos);
    QVERIFY(wrong_with({receipts[1], receipts[0]}).find("receipt 1 is missing") != std::string::npos);
    QVERIFY(wrong_with({receipts[0], receipts[0]}).find("comes after") != std::string::npos);
    auto other = receipts;  // validly signed, but replaces another receipt
    other[1].reason = "another";
    other[1].signature = seal().sign(signed_text(receipt_fields(other[1])));
    QVERIFY(wrong_with(other).find("receipt 3 does not contain the hash of receipt 2") != std::string::npos);
}

void LeasesTest::node_reports_only_on_its_own_leases() {
    World world;
    world.train();
    const auto [node, instance] = world.processes().front();
    const PeerId other = *std::find_if(world.nodes.begin(), world.nodes.end(), [&, its = node](const auto& entry) {
                              return entry.first != its;
                          })->second.peer;
    world.say(other, NodeReport{NodeId(node == NodeId("m/a") ? "m/b" : "m/a"),
                                0,
                                0,
                                {world.processes().back().second, instance},
                                {{instance, {.cpu_ms = 1'000'000}}}});
    world.say(other, InstanceExited{instance, 0, 9, ""});
    QVERIFY(world.receipts().empty());
    world.say(*world.nodes.at(node).peer, NodeReport{node, 0, 0, {instance}, {{instance, {.cpu_ms = -7}}}});
    world.end(node, instance, 9);
    QCOMPARE(*world.receipts().at(0).usage.cpu_ms, std::int64_t(0));
}

void LeasesTest::every_lease_ends_in_one_receipt() {
    std::size_t presumed = 0, confirmed = 0;
    for (unsigned seed = 1; seed <= 300; ++seed) {
        std::mt19937 random(seed);
        const auto pick = [&](std::size_t count) { return random() % count; };
        World world;
        for (int i = 0; i < 40; ++i) {
            const NodeId node(pick(2) == 0 ? "m/a" : "m/b");
            const auto processes = world.processes();
            switch (pick(12)) {
                case 0: world.submit(); break;
                case 1: world.cut(node); break;
                case 2: world.kill(node); break;
                case 3: world.start(); break;
                case 4: world.pass(seconds(1 + pick(40))); break;
                case 5:
                case 6: world.join(node); break;
                case 7:
                    if (processes.empty()) break;
                    if (const auto& [on, instance] = processes[pick(processes.size())]; true)
                        world.end(on, instance, 9);
                    break;
                default:
                    if (processes.empty()) break;
                    if (const auto& [on, instance] = processes[pick(processes.size())]; true) world.go_on(on, instance);
            }
        }
        for (const char* node : {"m/a", "m/b"}) world.cut(NodeId(node));
        world.pass(OrchestratorLimits{}.lease_expiry + seconds(30));
        const auto receipts = world.receipts();
        const std::size_t shares = world.logged<LeaseGranted>().size() + world.logged<LeaseTakenOver>().size();
        QVERIFY2(receipts.size() == shares, "seed " + QByteArray::number(seed));
        // the nodes return with reports that are no longer new
        for (const char* node : {"m/a", "m/b"}) world.join(NodeId(node));
        world.settle();

        const auto granted = world.logged<LeaseGranted>();
        std::map<std::pair<std::uint64_t, std::uint32_t>, int> reclaims;  // by lease and share
        for (const Receipt& one : world.receipts()) ++reclaims[{one.lease.number, one.lease.share}];
        const QByteArray in = "seed " + QByteArray::number(seed);
        for (std::size_t i = 0; i < granted.size(); ++i) QVERIFY2(granted[i].lease.number == i + 1, in);
        // These are all shares granted before the nodes left permanently. A waiting task may have started since then.
        for (const Receipt& one : receipts) QVERIFY2(reclaims.at({one.lease.number, one.lease.share}) == 1, in);
        for (const auto& [share, count] : reclaims) QVERIFY2(count == 1, in);
        for (const auto& [number, view] : world.leases())
            QVERIFY2(view.open() != reclaims.contains({number, view.lease.share}), in);
        QCOMPARE(wrong_with(world.receipts()), std::string());
        for (const Receipt& one : world.receipts()) ++(one.presumed ? presumed : confirmed);
        ClusterState again;
        for (const Event& event : world.log) apply(again, event);
        QCOMPARE(again.lease_book.receipts, world.core->state().lease_book.receipts);
        QCOMPARE(again.leases.size(), world.leases().size());
    }
    QVERIFY(presumed > 50 && confirmed > 50);  // both outcomes occur
}

DIVISI_TEST(LeasesTest)

}  // namespace leases_test

#include "leases_test.moc"
