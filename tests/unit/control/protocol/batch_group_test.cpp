// SPDX-License-Identifier: Apache-2.0
#include "backend/control/protocol/batch_group.h"
#include "backend/control/protocol/connection_messages.h"
#include "backend/control/protocol/instance_messages.h"
#include "backend/control/types/receipt.h"

#include <algorithm>
#include <memory>
#include <sstream>

#include "backend/base/hash.h"
#include "backend/control/agent/node_agent.h"
#include "backend/control/dispatch/orchestrator.h"
#include "tests/support/test_program.h"
#include "tests/unit/control/plan_at_once.h"

namespace batch_group_test {

using namespace divisi;
using namespace divisi::control;
using std::chrono::milliseconds, std::chrono::seconds;

namespace {

/// A task text here is "stages seconds group"; "-" means no group.
struct Wanted {
    int stages = 1, seconds = 1;
    std::string group;
    static Wanted of(const std::string& text) {
        Wanted wanted;
        std::istringstream(text) >> wanted.stages >> wanted.seconds >> wanted.group;
        if (wanted.group == "-") wanted.group.clear();
        return wanted;
    }
};

Result<PlanSummary> plan_of(const SubmitTask& submission) {
    const Wanted wanted = Wanted::of(submission.text);
    PlanSummary plan;
    plan.name = "t";
    plan.stages = wanted.stages;
    plan.plan_hash = "hash";
    plan.group = batch_group(wanted.group, submission);
    return plan;
}

ReceiptSeal seal() {
    const auto sum = [](std::string_view text) { return std::to_string(fnv1a(text)); };
    return {"key", [=](std::string_view text) { return "signed " + sum(text); }, sum};
}

/// A process as its node sees it.
struct Process {
    InstanceId instance;
    NodeId node;
    std::optional<PeerId> peer;
    bool prepared = false, finished = false, kept = false, told_to_end = false;
    /// CPU time of the process, and the part of it that its earlier instances used
    std::int64_t cpu_ms = 0, before_ms = 0;
};

/// An orchestrator and node agents in simulated time, with processes that behave correctly.
struct World {
    Orchestrator core;
    std::vector<Event> log;
    TimePoint now{seconds(1000)};
    std::uint64_t last_peer = 0;
    std::map<NodeId, PeerId> nodes;
    std::map<NodeId, NodeAgent> agents;
    std::map<std::string, PeerId> consumers;
    std::vector<std::unique_ptr<Process>> processes;
    std::map<TaskId, TimePoint> end;
    std::map<TaskId, std::int64_t> consumed;  ///< milliseconds, as measured by the processes
    std::size_t begun = 0;                    ///< number of processes started so far

    explicit World(int node_count = 2) {
        core.seal_receipts(seal());
        core.state_queue({}, {Discipline::fcfs, {}});
        take(core.start("lab", "1", now));
        for (int i = 0; i < node_count; ++i) {
            NodeInfo info;
            info.id = NodeId("m/" + std::to_string(i));
            info.host = info.id.value();
            nodes[info.id] = connect(Role::agent, "agent " + info.id.value());
            agents.emplace(info.id, NodeAgent(info));
            feed(info.id, node::Connected{});
        }
    }
    PeerId connect(Role role, const std::string& process, const std::string& name = "me") {
        const PeerId peer(++last_peer);
        step(PeerConnected{peer, {true, role, name, ""}});
        say(peer, Hello{"test", "1", role, "", process});
        return peer;
    }
    void step(Input input) { take(core.step(std::move(input), now += milliseconds(1))); }
    void say(PeerId peer, Message message, std::uint64_t correlation = 1) {
        step(Received{peer, correlation, std::move(message)});
    }
    void take(Output output) {
        output = test::plan_at_once(core, std::move(output), now, plan_of);
        log.insert(log.end(), output.events.begin(), output.events.end());
        for (const Send& send : output.sends) {
            for (const auto& [id, peer] : std::map(nodes))
                if (peer == send.peer) feed(id, node::FromOrchestrator{send.correlation, send.message});
            for (const auto& process : processes)
                if (process->peer == send.peer && holds_alternative<EndInstance>(send.message))
                    process->told_to_end = true;
        }
    }
    void feed(const NodeId& id, const node::Input& input) {
        const node::Output output = agents.at(id).step(input, now);
        for (const node::Spawn& one : output.spawns) {
            processes.push_back(std::make_unique<Process>(Process{one.what.instance, id, {}}));
            ++begun;
        }
        for (const node::Signal& one : output.signals)
            if (Process* process = find(one.instance)) process->told_to_end = true;
        for (const node::PassOn& one : output.passes) {
            Process* process = find(one.from);
            if (!process) qFatal("a process that has ended was passed on");
            *process = {one.what.instance, id, {}, false, false, false, false, process->cpu_ms, process->before_ms};
        }
        for (const node::SendUp& up : output.sends) say(nodes.at(id), up.message, up.correlation);
        for (const InstanceId& instance : output.keeps) keep(id, instance);
    }
    void keep(const NodeId& id, const InstanceId& instance) {
        Process* process = find(instance);
        if (!process) return feed(id, node::KeepFailed{instance});
        process->kept = true;
        leave(*process);
        node::Kept kept{instance, {}};
        kept.usage.cpu_ms = process->cpu_ms - process->before_ms;
        consumed[task_of(sid_of(instance))] += *kept.usage.cpu_ms;
        process->before_ms = process->cpu_ms;
        feed(id, kept);
    }
    void leave(Process& process) {
        if (const auto peer = std::exchange(process.peer, std::nullopt)) step(PeerGone{*peer});
    }
    Process* find(const InstanceId& instance) {
        for (const auto& process : processes)
            if (process->instance == instance) return process.get();
        return nullptr;
    }
    TaskId submit(const Wanted& wanted, const std::string& consumer = "alice") {
        if (!consumers.contains(consumer)) consumers[consumer] = connect(Role::operate, "", consumer);
        const TaskId id = next_task_id(core.state(), "t");
        const std::string text = std::to_string(wanted.stages) + " " + std::to_string(wanted.seconds) + " " +
                                 (wanted.group.empty() ? "-" : wanted.group);
        say(consumers.at(consumer), SubmitTask{text, "/", "", {}, "somebody"});
        if (!core.state().tasks.contains(id)) qFatal("a task was refused");
        return id;
    }
    void stop(const TaskId& task) { say(consumers.at("alice"), StopTask{task, ""}); }
    void die(Process& process, int signal) {
        const Process gone = process;
        leave(process);
        std::erase_if(processes, [&](const auto& one) { return one.get() == &process; });
        node::ChildExited exited{gone.instance, 0, signal, ""};
        exited.usage.cpu_ms = gone.cpu_ms - gone.before_ms;
        if (!gone.kept) consumed[task_of(sid_of(gone.instance))] += *exited.usage.cpu_ms;
        feed(gone.node, exited);
    }
    void go_on(Process& process) {
        process.cpu_ms += 100;
        const InstanceId id = process.instance;
        if (process.told_to_end) return die(process, 0);
        if (process.kept) return;
        const InstanceView& view = core.state().instances.at(id);
        if (!process.peer) {
            process.peer = connect(Role::agent, "process of " + id.value());
            RegisterInstance message;
            message.instance = id;
            message.sid = sid_of(id);
            message.data_endpoint = "d";
            return say(*process.peer, message);
        }
        if (view.state == InstanceState::registered && !std::exchange(process.prepared, true))
            return say(*process.peer, InstancePrepared{id, "hash"});
        if (view.state != InstanceState::running || process.finished) return;
        const TaskId task = view.task;
        end.try_emplace(task, now + seconds(Wanted::of(core.state().tasks.at(task).text).seconds));
        if (now < end.at(task)) return;
        process.finished = true;
        say(*process.peer, InstanceFinished{{task, id, 1, "", "", 0}});
    }
    void pass() {
        now += milliseconds(900);
        step(Tick{});
        for (const auto& [id, peer] : std::map(nodes)) feed(id, node::Load{});
        std::vector<InstanceId> all;
        for (const auto& process : processes) all.push_back(process->instance);
        for (const InstanceId& id : all)
            if (Process* process = find(id)) go_on(*process);
    }
    bool runs(const TaskId& task) const { return core.state().tasks.at(task).phase == TaskPhase::exchange; }
    void pass_until_runs(const TaskId& task) {
        for (int i = 0; i < 100 && !runs(task); ++i) pass();
        if (!runs(task)) qFatal("a task does not start");
    }
    /// Runs until no task is running or waiting, and then for the longest time that an idle process is kept.
    void drain() {
        const auto any = [&] {
            return std::ranges::any_of(core.state().tasks, [](const auto& entry) { return !entry.second.over(); });
        };
        for (int i = 0; i < 1000 && any(); ++i) pass();
        if (any()) qFatal("a task does not end");
        for (int i = 0; i < 3; ++i) pass();
    }
    Outcome outcome(const TaskId& task) const { return core.state().tasks.at(task).outcome; }
    std::vector<Receipt> receipts() const {
        std::vector<Receipt> found;
        for (const Event& event : log)
            if (const auto* one = get_if<LeaseReclaimed>(&event.body)) found.push_back(one->receipt);
        return found;
    }
    /// Checks the receipts and returns the first problem; empty if there is none. Receipts have no gaps, follow the
    /// rules, and charge each task for the consumption of its processes. No lease is held any more.
    std::string wrong() const {
        ReceiptCheck check(
            [](std::string_view text, const std::string& signature) { return seal().sign(text) == signature; },
            seal().hash, false);
        std::map<TaskId, std::int64_t> said;
        std::uint64_t number = 0;
        for (const Receipt& one : receipts()) {
            if (one.number != ++number) return "the numbers of the receipts have a gap";
            if (one.presumed) return "a reclaim is presumed that a node has said";
            if (auto taken = check.take(receipt_fields(one), "receipts"); !taken) return taken.error().message();
            said[one.lease.task] += one.usage.cpu_ms.value_or(0);
        }
        if (said != consumed) return "receipts do not say what tasks have consumed";
        for (const auto& [lease, view] : core.state().leases)
            if (view.open()) return "lease " + std::to_string(lease) + " is held by nobody";
        if (!processes.empty()) return processes.front()->instance.value() + " is left behind";
        return {};
    }
    std::string why_waits(const TaskId& task) {
        const PeerId peer = consumers.at("alice");
        Output output = core.step(Received{peer, 9, QueryNodes{}}, now += milliseconds(1));
        for (const Send& send : output.sends)
            if (const auto* nodes_state = get_if<NodesState>(&send.message))
                for (const WaitingTask& one : nodes_state->waiting)
                    if (one.task == task) return one.why;
        return {};
    }
};

}  // namespace

/// Tests batches of one group, which run one after another in the same processes. Each batch is a separate task.
class BatchGroupTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void group_needs_equal_model_and_submitter();
    void processes_start_once_for_a_group();
    void tasks_outside_the_group_get_own_processes_data();
    void tasks_outside_the_group_get_own_processes();
    void group_does_not_overtake_the_queue();
    void waiting_task_of_a_group_can_be_cancelled();
    void running_task_of_a_group_can_be_cancelled();
    void failure_affects_one_task_of_the_group();
    void group_is_shown_to_users();
};

void BatchGroupTest::group_needs_equal_model_and_submitter() {
    SubmitTask submission;
    submission.skeleton = "model";
    submission.files = {{"weights", "/kept/1", "", 5}, {"data", "/a", "", 5}};
    const std::string group = batch_group("plan", submission);
    QCOMPARE(group.size(), std::size_t(16));
    submission.files[1].path = "/b";
    QCOMPARE(batch_group("plan", submission), group);
    QVERIFY(batch_group("other plan", submission) != group);
    QCOMPARE(batch_group("", submission), std::string());
    submission.files[0].path = "/kept/2";
    QVERIFY(batch_group("plan", submission) != group);
    submission.files[0].hash = "h";
    const std::string by_hash = batch_group("plan", submission);
    submission.files[0].path = "/elsewhere";
    QCOMPARE(batch_group("plan", submission), by_hash);
    submission.skeleton = "another model";
    QVERIFY(batch_group("plan", submission) != by_hash);

    TaskView one, other;
    one.id = TaskId("a-1");
    other.id = TaskId("a-2");
    one.submitter = other.submitter = "alice";
    QVERIFY(!are_grouped(one, other));  // trainings are never grouped
    one.group = other.group = group;
    QVERIFY(are_grouped(one, other) && !are_grouped(one, one));
    other.submitter = "bob";
    QVERIFY(!are_grouped(one, other));
}

void BatchGroupTest::processes_start_once_for_a_group() {
    World world;
    std::vector<TaskId> tasks;
    for (int i = 0; i < 3; ++i) tasks.push_back(world.submit({2, 5, "g"}));
    world.drain();
    for (const TaskId& task : tasks) QCOMPARE(world.outcome(task), Outcome::succeeded);
    QCOMPARE(world.begun, std::size_t(2));
    QCOMPARE(world.wrong(), std::string());
    const auto receipts = world.receipts();
    QCOMPARE(receipts.size(), std::size_t(6));
    // each receipt has its own share of the CPU time
    for (const Receipt& one : receipts) QVERIFY(one.usage.cpu_ms.value_or(0) > 0);
    QVERIFY(receipts.front().reason.starts_with("taken over by t-2/stage-"));
}

void BatchGroupTest::tasks_outside_the_group_get_own_processes_data() {
    QTest::addColumn<QString>("group");
    QTest::addColumn<QString>("consumer");
    QTest::newRow("another model") << "h"
                                   << "alice";
    QTest::newRow("not to be grouped") << ""
                                       << "alice";
    QTest::newRow("another submitter") << "g"
                                       << "bob";
}

void BatchGroupTest::tasks_outside_the_group_get_own_processes() {
    QFETCH(QString, group);
    QFETCH(QString, consumer);
    World world;
    (void)world.submit({2, 5, "g"});
    (void)world.submit({2, 5, group.toStdString()}, consumer.toStdString());
    world.drain();
    QCOMPARE(world.begun, std::size_t(4));
    QCOMPARE(world.wrong(), std::string());
}

void BatchGroupTest::group_does_not_overtake_the_queue() {
    World world;
    const TaskId one = world.submit({2, 5, "g"}), ahead = world.submit({2, 5, ""}, "bob");
    const TaskId other = world.submit({2, 5, "g"});
    world.pass_until_runs(ahead);
    QVERIFY(world.core.state().tasks.at(one).over());
    QCOMPARE(world.core.state().tasks.at(other).phase, TaskPhase::queued);
    world.drain();
    QCOMPARE(world.begun, std::size_t(6));  // the kept processes of `one` ended because they blocked the task `ahead`
    QCOMPARE(world.wrong(), std::string());
}

void BatchGroupTest::waiting_task_of_a_group_can_be_cancelled() {
    World world;
    const TaskId one = world.submit({2, 5, "g"}), gone = world.submit({2, 5, "g"}), last = world.submit({2, 5, "g"});
    world.pass_until_runs(one);
    world.stop(gone);
    world.drain();
    QCOMPARE(world.outcome(gone), Outcome::stopped);
    QCOMPARE(world.outcome(last), Outcome::succeeded);
    QCOMPARE(world.begun, std::size_t(2));
    QCOMPARE(world.wrong(), std::string());
}

void BatchGroupTest::running_task_of_a_group_can_be_cancelled() {
    World world;
    const TaskId one = world.submit({2, 5, "g"}), gone = world.submit({2, 50, "g"}), last = world.submit({2, 5, "g"});
    world.pass_until_runs(gone);
    QCOMPARE(world.begun, std::size_t(2));
    world.stop(gone);
    world.drain();
    QCOMPARE(world.outcome(one), Outcome::succeeded);
    QCOMPARE(world.outcome(gone), Outcome::stopped);
    QCOMPARE(world.outcome(last), Outcome::succeeded);
    QCOMPARE(world.begun, std::size_t(4));  // the processes of a stopped task are never reused
    QCOMPARE(world.wrong(), std::string());
}

void BatchGroupTest::failure_affects_one_task_of_the_group() {
    World world;
    const TaskId one = world.submit({2, 5, "g"}), failed = world.submit({2, 50, "g"}), last = world.submit({2, 5, "g"});
    world.pass_until_runs(failed);
    const InstanceId first("t-2/stage-0/0#1");
    QVERIFY(world.find(first) != nullptr);
    world.die(*world.find(first), 9);
    world.drain();
    QCOMPARE(world.outcome(one), Outcome::succeeded);
    QCOMPARE(world.outcome(failed), Outcome::failed);
    QVERIFY(world.core.state().tasks.at(failed).error->message().find("killed by signal 9") != std::string::npos);
    QCOMPARE(world.outcome(last), Outcome::succeeded);
    QCOMPARE(world.begun, std::size_t(4));
    QCOMPARE(world.wrong(), std::string());
}

void BatchGroupTest::group_is_shown_to_users() {
    World world;
    const TaskId one = world.submit({2, 5, "g"}), other = world.submit({2, 5, "g"}), third = world.submit({2, 5, "g"});
    world.pass_until_runs(one);
    QVERIFY(world.why_waits(other).ends_with("; one group with t-1, t-3"));
    const ClusterState& state = world.core.state();
    QCOMPARE(group_text(state, state.tasks.at(one)), std::string("one group with t-2, t-3"));
    world.pass_until_runs(third);
    QCOMPARE(group_text(state, state.tasks.at(third)), std::string());  // the other tasks of the group are over
    const bool said = std::ranges::any_of(world.log, [](const Event& event) {
        const auto* noted = get_if<Noted>(&event.body);
        return noted && noted->task == "t-2" &&
               noted->text == "continues with the processes of t-1, which have its model";
    });
    QVERIFY(said);
    world.drain();
}

DIVISI_TEST(BatchGroupTest)

}  // namespace batch_group_test

#include "batch_group_test.moc"
