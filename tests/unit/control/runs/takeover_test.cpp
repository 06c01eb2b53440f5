// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <random>
#include <sstream>

#include "backend/base/hash.h"
#include "backend/control/dispatch/orchestrator.h"
#include "backend/control/protocol/connection_messages.h"
#include "backend/control/protocol/instance_messages.h"
#include "backend/control/protocol/node_messages.h"
#include "backend/control/types/receipt.h"
#include "tests/support/test_program.h"
#include "tests/unit/control/plan_at_once.h"

namespace takeover_test {

using namespace divisi;
using namespace divisi::control;
using std::chrono::milliseconds, std::chrono::seconds;

namespace {

constexpr int node_count = 6;

/// A task text here is "stages seconds threads".
struct Wanted {
    int stages = 1, seconds = 1, threads = 1;
    static Wanted of(const std::string& text) {
        Wanted wanted;
        std::istringstream(text) >> wanted.stages >> wanted.seconds >> wanted.threads;
        return wanted;
    }
};

Result<PlanSummary> plan_of(const SubmitTask& submission) {
    const Wanted wanted = Wanted::of(submission.text);
    PlanSummary plan;
    plan.name = "t";
    plan.stages = wanted.stages;
    plan.steps = 10;
    plan.plan_hash = "hash";
    plan.threads = wanted.threads;
    plan.device = "cpu";
    return plan;
}

ReceiptSeal seal() {
    const auto sum = [](std::string_view text) { return std::to_string(fnv1a(text)); };
    return {"key", [=](std::string_view text) { return "signed " + sum(text); }, sum};
}

/// A place of a process in the reference model, which has no leases: the consumer, the node and the number of threads.
using Place = std::tuple<std::string, std::string, int>;

/// A reference model without leases. It records each process that ended while its consumer had another task waiting,
/// and the new processes on the same node. It counts the new processes that can take the place of an old process.
struct Witness {
    std::multiset<Place> left;  ///< places of ended processes whose task is over
    /// places of ended processes whose task is not over yet, by task
    std::map<std::string, std::multiset<Place>> leaving;
    std::size_t expected = 0;

    /// Counts the processes that began at one moment. Then discards the places that these processes did not take.
    void began(const std::vector<Place>& places) {
        for (const Place& place : places)
            if (const auto old = left.find(place); old != left.end()) {
                left.erase(old);
                ++expected;
            }
        left.clear();
    }
};

struct Process {
    NodeId node;
    std::optional<PeerId> peer;
    bool prepared = false, finished = false;
    std::int64_t cpu_ms = 0;
};

/// A fixture with an orchestrator in simulated time, nodes that follow their orders, and processes that behave
/// correctly.
struct World {
    Orchestrator core;
    std::vector<Event> log;
    TimePoint now{seconds(1000)};
    std::uint64_t last_peer = 0;
    std::map<NodeId, PeerId> nodes;
    std::map<std::string, PeerId> consumers;
    std::map<InstanceId, Process> processes;
    std::map<TaskId, std::string> owner, text;
    std::map<TaskId, TimePoint> end;
    std::map<TaskId, std::int64_t> consumed;     ///< milliseconds, as measured by the processes
    std::map<std::string, double> node_seconds;  ///< by consumer
    std::vector<TaskId> order;                   ///< tasks in the order of their start
    Witness witness;
    std::mt19937 random{4711};

    explicit World(QueueRules rules) {
        core.seal_receipts(seal());
        core.state_queue({}, std::move(rules));
        take(core.start("lab", "1", now));
        for (int i = 0; i < node_count; ++i) {
            const NodeId id("m/" + std::to_string(i));
            nodes[id] = connect(Role::agent, "me", "agent " + id.value());
            RegisterNode message;
            message.node.id = id;
            message.node.host = id.value();
            say(nodes[id], message);
        }
    }
    PeerId connect(Role role, const std::string& name, const std::string& process) {
        const PeerId peer(++last_peer);
        step(PeerConnected{peer, {true, role, name, ""}});
        say(peer, Hello{"test", "1", role, "", process});
        return peer;
    }
    void step(Input input) { take(core.step(std::move(input), now += milliseconds(1))); }
    void say(PeerId peer, Message message) { step(Received{peer, 1, std::move(message)}); }

    void take(Output output) {
        output = test::plan_at_once(core, std::move(output), now, plan_of);
        std::vector<Place> began;
        for (const Event& event : output.events) {
            if (const auto* ended = get_if<TaskEnded>(&event.body))
                witness.left.merge(witness.leaving[ended->task.value()]);
            if (const auto* placed = get_if<InstancePlaced>(&event.body)) {
                const int threads = Wanted::of(text.at(placed->task)).threads;
                began.emplace_back(owner.at(placed->task), placed->node.value(), threads);
                if (order.empty() || order.back() != placed->task) order.push_back(placed->task);
            }
        }
        witness.began(began);
        log.insert(log.end(), output.events.begin(), output.events.end());
        for (const Send& send : output.sends)
            if (const auto* order_to = get_if<StartInstance>(&send.message))
                for (const auto& [id, peer] : nodes)
                    if (peer == send.peer) processes[order_to->instance] = {id, {}, false, false, 0};
    }
    void submit(const std::string& consumer, const Wanted& wanted) {
        if (!consumers.contains(consumer)) consumers[consumer] = connect(Role::operate, consumer, "");
        const std::string words =
            std::to_string(wanted.stages) + " " + std::to_string(wanted.seconds) + " " + std::to_string(wanted.threads);
        const TaskId id = next_task_id(core.state(), "t");
        owner[id] = consumer;
        text[id] = words;
        say(consumers[consumer], SubmitTask{words, "/", "", {}, "somebody"});
        if (!core.state().tasks.contains(id)) qFatal("a task was refused");
    }
    std::size_t waiting(const std::string& consumer) const {
        return static_cast<std::size_t>(std::ranges::count_if(core.state().tasks, [&](const auto& entry) {
            return entry.second.phase == TaskPhase::queued && owner.at(entry.first) == consumer;
        }));
    }

    /// Advances each process by one step.
    void go_on() {
        std::vector<InstanceId> ids;
        for (const auto& [id, process] : processes) ids.push_back(id);
        std::shuffle(ids.begin(), ids.end(), random);
        for (const InstanceId& id : ids) go_on(id);
    }
    void go_on(const InstanceId& id) {
        Process& process = processes.at(id);
        const InstanceView& view = core.state().instances.at(id);
        const TaskId task = view.task;
        if (core.state().tasks.at(task).ending) return exit(id);
        if (!process.peer) {
            process.peer = connect(Role::agent, "me", "process of " + id.value());
            RegisterInstance message;
            message.instance = id;
            message.sid = sid_of(id);
            message.data_endpoint = "d";
            return say(*process.peer, message);
        }
        if (view.state == InstanceState::registered && !std::exchange(process.prepared, true))
            return say(*process.peer, InstancePrepared{id, "hash"});
        if (view.state != InstanceState::running || process.finished) return;
        end.try_emplace(task, now + seconds(Wanted::of(text.at(task)).seconds));
        if (now < end.at(task)) return;
        process.finished = true;
        say(*process.peer, InstanceFinished{{task, id, 10, "", "", 0}});
    }
    /// Ends a process, either as ordered or, in one of ten cases, by a signal. The process has consumed CPU time.
    void exit(const InstanceId& id) {
        const Process process = processes.extract(id).mapped();
        const TaskId task = core.state().instances.at(id).task;
        const std::int64_t cpu_ms = 1 + static_cast<std::int64_t>(random() % 1'000'000);
        consumed[task] += cpu_ms;
        if (process.peer) step(PeerGone{*process.peer});
        const std::string& consumer = owner.at(task);
        if (waiting(consumer) > 0)
            witness.leaving[task.value()].emplace(consumer, process.node.value(), Wanted::of(text.at(task)).threads);
        InstanceExited exited{id, 0, random() % 10 == 0 ? 9 : 0, ""};
        exited.usage.cpu_ms = cpu_ms;
        say(nodes.at(process.node), exited);
    }
    void pass() {
        for (const auto& [id, instance] : core.state().instances)
            if (!core.state().tasks.at(instance.task).over()) node_seconds[owner.at(instance.task)] += 1;
        for (const auto& [id, peer] : nodes) {
            NodeReport report{id};
            for (const auto& [instance, process] : processes)
                if (process.node == id) report.instances.push_back(instance);
            say(peer, report);
        }
        now += milliseconds(900);
        step(Tick{});
        go_on();
    }
    template <typename Kind>
    std::vector<Kind> logged() const {
        std::vector<Kind> found;
        for (const Event& event : log)
            if (const auto* body = get_if<Kind>(&event.body)) found.push_back(*body);
        return found;
    }
    std::vector<Receipt> receipts() const {
        std::vector<Receipt> found;
        for (const LeaseReclaimed& one : logged<LeaseReclaimed>()) found.push_back(one.receipt);
        return found;
    }
    /// Runs until no task is running or waiting.
    void drain() {
        while (std::ranges::any_of(core.state().tasks, [](const auto& entry) { return !entry.second.over(); })) pass();
    }
};

std::string wrong_with(const std::vector<Receipt>& receipts) {
    ReceiptCheck check(
        [](std::string_view text, const std::string& signature) { return seal().sign(text) == signature; }, seal().hash,
        false);
    for (const Receipt& one : receipts)
        if (auto taken = check.take(receipt_fields(one), "receipts"); !taken) return taken.error().message();
    return {};
}

/// Checks the log and returns the first problem; empty if there is none. Every share of a lease is granted or taken
/// over once, activated at most once, and reclaimed once. Numbers have no gaps. Each task's receipts match the
/// consumption of its processes.
std::string wrong_with(const World& world) {
    std::map<std::uint64_t, std::uint32_t> shares;                      // lease -> the last share that began
    std::map<std::pair<std::uint64_t, std::string>, int> active, over;  // by lease and instance
    std::map<TaskId, std::int64_t> said;
    std::uint64_t receipts = 0;
    for (const Event& event : world.log) {
        if (const auto* granted = get_if<LeaseGranted>(&event.body)) {
            if (granted->lease.number != shares.size() + 1) return "the numbers of the leases have a gap";
            shares[granted->lease.number] = 1;
        } else if (const auto* taken = get_if<LeaseTakenOver>(&event.body)) {
            if (!over.contains({taken->lease.number, taken->from.value()})) return "a lease has two holders";
            if (taken->lease.share != ++shares.at(taken->lease.number)) return "the shares of a lease have a gap";
        } else if (const auto* activated = get_if<LeaseActivated>(&event.body)) {
            if (++active[{activated->lease, activated->instance.value()}] > 1) return "a share is activated twice";
        } else if (const auto* reclaimed = get_if<LeaseReclaimed>(&event.body)) {
            const Receipt& receipt = reclaimed->receipt;
            if (receipt.number != ++receipts) return "the numbers of the receipts have a gap";
            if (++over[{receipt.lease.number, receipt.lease.instance.value()}] > 1) return "a share is reclaimed twice";
            if (receipt.presumed) return "a reclaim is presumed that a node has said";
            said[receipt.lease.task] += receipt.usage.cpu_ms.value_or(0);
        }
    }
    for (const auto& [share, count] : active)
        if (!over.contains(share)) return "an activation ends in no reclaim";
    if (said != world.consumed) return "receipts do not say what tasks have consumed";
    for (const auto& [number, view] : world.core.state().leases)
        if (view.open()) return "lease " + std::to_string(number) + " is held by nobody";
    return wrong_with(world.receipts());
}

}  // namespace

/// Tests that a waiting task takes over its consumer's leases (draft-li, step 3), and that this does not give the task
/// more nodes.
class TakeoverTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void next_task_of_the_consumer_takes_over_the_lease();
    void first_task_of_another_consumer_gets_a_new_lease();
    void different_terms_need_a_new_lease();
    void stopped_task_takes_over_nothing();
    void forged_take_over_is_detected();
    void old_receipts_keep_their_format();
    void thousand_tasks_match_the_reference_model_data();
    void thousand_tasks_match_the_reference_model();
};

void TakeoverTest::next_task_of_the_consumer_takes_over_the_lease() {
    World world({});
    for (int i = 0; i < 3; ++i) world.submit("alice", {node_count, 5, 2});
    world.drain();
    QCOMPARE(world.logged<LeaseGranted>().size(), std::size_t(node_count));
    QCOMPARE(world.logged<LeaseTakenOver>().size(), std::size_t(2 * node_count));
    QCOMPARE(wrong_with(world), std::string());
    const auto receipts = world.receipts();
    QCOMPARE(receipts.size(), std::size_t(3 * node_count));
    QVERIFY(receipts.front().reason.starts_with("taken over by t-2/stage-"));
    QVERIFY(receipts.front().reason.ends_with("; all steps done"));
    QCOMPARE(receipts.back().reason, std::string("all steps done"));
    QCOMPARE(receipts.back().lease.share, std::uint32_t(3));
    for (const Receipt& one : receipts) QVERIFY(one.granted < one.activated && one.activated < one.finished);
}

void TakeoverTest::first_task_of_another_consumer_gets_a_new_lease() {
    World world({Discipline::fcfs, {}});
    world.submit("alice", {node_count, 5, 2});
    world.submit("bob", {1, 5, 2});
    world.submit("alice", {node_count, 5, 2});
    world.drain();
    QCOMPARE(world.order, (std::vector<TaskId>{TaskId("t-1"), TaskId("t-2"), TaskId("t-3")}));
    QVERIFY(world.logged<LeaseTakenOver>().empty());  // alice's leases were already over when bob's task ended
    QCOMPARE(wrong_with(world), std::string());
}

void TakeoverTest::different_terms_need_a_new_lease() {
    World world({});
    world.submit("alice", {node_count, 5, 2});
    world.submit("alice", {node_count, 5, 3});
    world.drain();
    QVERIFY(world.logged<LeaseTakenOver>().empty());
    QCOMPARE(world.logged<LeaseGranted>().size(), std::size_t(2 * node_count));
    QCOMPARE(wrong_with(world), std::string());
}

void TakeoverTest::stopped_task_takes_over_nothing() {
    World world({});
    world.submit("alice", {1, 5, 2});
    world.submit("alice", {node_count, 5, 2});
    world.say(world.consumers.at("alice"), StopTask{TaskId("t-2"), ""});
    world.drain();
    QVERIFY(world.logged<LeaseTakenOver>().empty());
    QCOMPARE(wrong_with(world), std::string());
}

void TakeoverTest::forged_take_over_is_detected() {
    World world({});
    for (int i = 0; i < 2; ++i) world.submit("alice", {1, 5, 2});
    world.submit("alice", {node_count, 5, 2});
    world.drain();
    auto receipts = world.receipts();
    QCOMPARE(wrong_with(receipts), std::string());
    // A second receipt of a lease without a take-over, validly signed and linked.
    std::size_t at = 1;
    while (receipts[at].reason.starts_with("taken over")) ++at;
    receipts.resize(at + 1);
    receipts[at].lease.number = receipts[at - 1].lease.number;
    receipts[at - 1].reason = "all steps done";
    for (std::size_t i = at - 1; i <= at; ++i) {
        receipts[i].previous = i == 0 ? "" : seal().hash(receipt_line(receipt_fields(receipts[i - 1])));
        receipts[i].signature = seal().sign(signed_text(receipt_fields(receipts[i])));
    }
    QVERIFY(wrong_with(receipts).find("took over this lease") != std::string::npos);
    receipts[at].format = 9;
    QVERIFY(wrong_with(receipts).find("this version reads divisi-receipt-1 and divisi-receipt-2") != std::string::npos);
}

/// Receipts signed in the first format stay valid, also among newer ones.
void TakeoverTest::old_receipts_keep_their_format() {
    World world({});
    for (int i = 0; i < 2; ++i) world.submit("alice", {1, 5, 2});
    world.drain();
    auto receipts = world.receipts();
    receipts[0].format = 0;  // the value in old logs
    receipts[0].signature = seal().sign(signed_text(receipt_fields(receipts[0])));
    receipts[1].previous = seal().hash(receipt_line(receipt_fields(receipts[0])));
    receipts[1].signature = seal().sign(signed_text(receipt_fields(receipts[1])));
    QCOMPARE(receipt_fields(receipts[0]).front(), std::string("divisi-receipt-1"));
    QCOMPARE(receipt_fields(receipts[1]).front(), std::string("divisi-receipt-2"));
    QCOMPARE(wrong_with(receipts), std::string());
}

void TakeoverTest::thousand_tasks_match_the_reference_model_data() {
    QTest::addColumn<int>("discipline");
    QTest::newRow("fcfs") << int(Discipline::fcfs);
    QTest::newRow("share") << int(Discipline::share);
}

void TakeoverTest::thousand_tasks_match_the_reference_model() {
    QFETCH(int, discipline);
    const std::map<std::string, double> weights{{"alice", 1}, {"bob", 2}, {"carol", 3}};
    World world({Discipline(discipline), {{"bob", 2}, {"carol", 3}}});
    constexpr int most = 1000;
    int submitted = 0;
    const auto length = [&](int least, int longest) { return least + int(world.random() % unsigned(longest - least)); };
    while (submitted < most) {
        for (const auto& [name, weight] : weights)
            for (; world.waiting(name) < 4; ++submitted) {
                const int stages = name == "carol" ? length(1, 4) : 1, threads = length(1, 3);
                world.submit(name, {stages, name == "alice" ? length(20, 60) : length(5, 20), threads});
            }
        world.pass();
    }
    double all = 0;
    for (const auto& [name, used] : world.node_seconds) all += used;
    for (const auto& [name, weight] : weights) {
        const double share = world.node_seconds.at(name) / all;
        if (Discipline(discipline) == Discipline::share)
            QVERIFY2(std::abs(share / (weight / 6) - 1) < 0.05, (name + " has " + std::to_string(share)).c_str());
    }
    world.drain();
    const std::size_t taken = world.logged<LeaseTakenOver>().size();
    qInfo("%zu leases, %zu taken over", world.logged<LeaseGranted>().size(), taken);
    QCOMPARE(taken, world.witness.expected);
    QVERIFY(taken > 100);  // take-overs do occur in the run
    QCOMPARE(wrong_with(world), std::string());
    if (Discipline(discipline) != Discipline::fcfs) return;
    // Tasks start in the order of submission, regardless of leases that could have been taken over.
    for (std::size_t i = 0; i < world.order.size(); ++i) QCOMPARE(world.order[i], TaskId("t-" + std::to_string(i + 1)));
}

DIVISI_TEST(TakeoverTest)

}  // namespace takeover_test

#include "takeover_test.moc"
