// SPDX-License-Identifier: Apache-2.0
#include "backend/control/state/shares.h"

#include <cmath>
#include <sstream>

#include "backend/control/queue/task_queue.h"
#include "tests/support/test_program.h"

namespace shares_test {

using namespace divisi;
using namespace divisi::control;
using std::chrono::seconds;

namespace {

/// A record of a task's nodes and times, as an external observer of the machines would make it.
struct Use {
    std::string submitter;
    std::size_t nodes = 0;
    double begin = 0, end = 0;
};

/// The reference model: every second, a fluid capacity is divided by weight among the submitters with waiting tasks.
/// The model knows nothing of virtual time.
class Fluid {
public:
    explicit Fluid(std::map<std::string, double> weights) : weights_(std::move(weights)) {}
    void pour(const std::set<std::string>& waiting, double nodes) {
        double all = 0;
        for (const std::string& name : waiting) all += weights_.at(name);
        for (const std::string& name : waiting) got_[name] += nodes * weights_.at(name) / all;
    }
    double got(const std::string& name) const {
        const auto found = got_.find(name);
        return found == got_.end() ? 0 : found->second;
    }

private:
    std::map<std::string, double> weights_, got_;
};

/// A cluster in simulated time, in steps of a second, with nodes that compute nothing. A task text is "stages seconds".
struct Lab {
    static constexpr int nodes = 6;
    OrchestratorContext context{OrchestratorLimits{}};
    Models models{context};
    Deliveries deliveries{context};
    KeptProcesses kept{context};
    TaskQueue queue{context, deliveries, models, kept};
    std::map<std::string, PeerId> peers;
    std::map<TaskId, std::size_t> running;  ///< index into `uses`
    std::vector<Use> uses;
    double now = 0;

    explicit Lab(QueueRules rules) {
        context.follow([this](const Event& event) {
            deliveries.follow(event);
            queue.follow(event);
        });
        pass();
        context.append(ClusterStarted{"lab", "1", {}, {}, std::move(rules)});
        for (int i = 0; i < nodes; ++i) {
            NodeInfo info;
            info.id = NodeId("m/" + std::to_string(i));
            info.host = "h" + std::to_string(i);
            context.append(NodeJoined{info});
        }
    }
    static std::pair<int, int> numbers_in(const std::string& text) {
        std::istringstream words(text);
        int stages = 0, length = 0;
        words >> stages >> length;
        return {stages, length};
    }
    void submit(const std::string& submitter, int stages, int length) {
        const auto [peer, fresh] = peers.try_emplace(submitter, peers.size() + 1);
        if (fresh) context.sessions().open(peer->second, {true, Role::operate, submitter, ""});
        const SubmitTask message{std::to_string(stages) + " " + std::to_string(length), "/", "", {}, "somebody"};
        queue.handle(Received{peer->second, 1, message}, message);
        for (const Job& job : std::exchange(context.output().jobs, {})) {
            PlanSummary plan;
            plan.name = submitter;
            plan.stages = numbers_in(get<Planning>(job.what).submission->text).first;
            queue.planned(*context.jobs().close(job.id), plan);
        }
        for (const Send& sent : context.output().sends)
            if (const auto* refused = get_if<Refused>(&sent.message)) qFatal("%s", refused->error.what.c_str());
        context.output() = {};
    }
    std::size_t waiting(const std::string& submitter) const {
        return std::count_if(context.state().tasks.begin(), context.state().tasks.end(), [&](const auto& entry) {
            return entry.second.submitter == submitter && entry.second.phase == TaskPhase::queued;
        });
    }
    int busy() const {
        int count = 0;
        for (const auto& [task, use] : running) count += static_cast<int>(uses[use].nodes);
        return count;
    }
    void pass() {
        now += 1;
        context.set_time(TimePoint(seconds(1'000'000 + std::int64_t(now))));
    }
    void begin_and_end() {
        for (const auto& [task, use] : std::map(running))
            if (uses[use].end <= now) {
                context.append(TaskEnded{task, Outcome::succeeded, {}});
                running.erase(task);
            }
        for (const TaskQueue::Start& one : queue.admit()) {
            const TaskView& task = context.state().tasks.at(one.task);
            const int length = numbers_in(task.text).second;
            running[one.task] = uses.size();
            uses.push_back({task.submitter, std::set(one.nodes.begin(), one.nodes.end()).size(), now, now + length});
            context.append(PhaseChanged{one.task, TaskPhase::registration, ""});
            for (std::size_t i = 0; i < one.nodes.size(); ++i) {
                const Sid sid(one.task.value() + "/stage-" + std::to_string(i) + "/0");
                context.append(InstancePlaced{one.task, instance_of(sid, 1), sid, one.nodes[i], std::int32_t(i)});
            }
        }
        context.output() = {};
    }
    /// Returns the node-seconds of a submitter between two times, according to the recorded uses.
    double used(const std::string& submitter, double from, double until) const {
        double sum = 0;
        for (const Use& use : uses)
            if (use.submitter == submitter)
                sum += static_cast<double>(use.nodes) *
                       std::max(0.0, std::min(use.end, until) - std::max(use.begin, from));
        return sum;
    }
};

/// Pseudo-random numbers that are equal on every platform.
struct Dice {
    std::uint64_t state = 12345;
    int roll(int least, int most) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        return least + static_cast<int>((state >> 33) % static_cast<std::uint64_t>(most - least + 1));
    }
};

/// Submits a task that is typical of its submitter. Alice's tasks are long and run on one node, bob's are short, and
/// carol's are short and run on several nodes.
void submit_one(Lab& lab, Dice& dice, const std::string& who) {
    if (who == "alice") lab.submit(who, 1, dice.roll(30, 90));
    else if (who == "bob") lab.submit(who, 1, dice.roll(5, 15));
    else lab.submit(who, dice.roll(1, 3), dice.roll(10, 30));
}

}  // namespace

/// Tests weighted shares between submitters, in simulated time.
class SharesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void thousand_tasks_are_shared_by_weight();
    void usage_debts_are_cleared_when_no_task_is_left();
    void submitter_is_not_compensated_for_its_absence();
    void nodes_are_shared_by_weight_among_simultaneous_tasks();
    void shares_survive_a_restart();
    void submitters_without_tasks_are_forgotten();
};

void SharesTest::thousand_tasks_are_shared_by_weight() {
    const std::map<std::string, double> weights{{"alice", 1}, {"bob", 2}, {"carol", 3}};
    Lab lab({Discipline::share, {{"bob", 2}, {"carol", 3}}});
    Dice dice;
    while (lab.uses.size() < 1000) {
        for (const auto& [name, weight] : weights)
            while (lab.waiting(name) < 10) submit_one(lab, dice, name);
        lab.begin_and_end();
        lab.pass();
    }
    double all = 0;
    for (const auto& [name, weight] : weights) all += lab.used(name, 0, lab.now);
    for (const auto& [name, weight] : weights) {
        const double share = lab.used(name, 0, lab.now) / all, wanted = weight / 6;
        QVERIFY2(std::abs(share / wanted - 1) < 0.05, (name + " has " + std::to_string(share)).c_str());
    }
}

void SharesTest::submitter_is_not_compensated_for_its_absence() {
    const std::map<std::string, double> weights{{"alice", 1}, {"bob", 1}, {"carol", 2}};
    Lab lab({Discipline::share, {{"carol", 2}}});
    Fluid fluid(weights);
    Dice dice;
    constexpr double phase = 2500;
    double poured = 0;
    std::size_t compared = 0;
    while (lab.now < 5 * phase) {
        const int at = static_cast<int>(lab.now / phase);
        // Bob arrives late, and carol is absent for a while.
        const std::set<std::string> there = at == 0   ? std::set<std::string>{"alice", "carol"}
                                            : at == 2 ? std::set<std::string>{"alice", "bob"}
                                                      : std::set<std::string>{"alice", "bob", "carol"};
        for (const std::string& name : there)
            while (lab.waiting(name) < 5) submit_one(lab, dice, name);
        lab.begin_and_end();
        std::set<std::string> waiting;
        for (const auto& [name, weight] : weights)
            if (lab.waiting(name) > 0) waiting.insert(name);
        fluid.pour(waiting, lab.busy());
        poured += lab.busy();
        lab.pass();
        if (std::fmod(lab.now, phase / 2) != 0 || lab.now < phase) continue;
        ++compared;
        for (const auto& [name, weight] : weights) {
            const double off = lab.used(name, 0, lab.now) - fluid.got(name);
            QVERIFY2(std::abs(off) < 0.05 * poured,
                     (name + " is off by " + std::to_string(off / poured) + " at " + std::to_string(lab.now)).c_str());
        }
    }
    QVERIFY(compared >= 8);
}

void SharesTest::usage_debts_are_cleared_when_no_task_is_left() {
    Lab lab({Discipline::share, {}});
    Dice dice;
    const auto run_until = [&](double end, const std::vector<std::string>& there) {
        while (lab.now < end) {
            for (const std::string& name : there)
                while (lab.waiting(name) < 5) submit_one(lab, dice, name);
            lab.begin_and_end();
            lab.pass();
        }
    };
    run_until(3000, {"alice"});
    while (lab.busy() > 0 || lab.waiting("alice") > 0) {
        lab.begin_and_end();
        lab.pass();
    }
    const double begin = lab.now;
    run_until(begin + 3000, {"bob", "alice"});  // bob goes first, since he has used nothing yet
    const double alice = lab.used("alice", begin, lab.now), bob = lab.used("bob", begin, lab.now);
    QVERIFY2(std::abs(alice / bob - 1) < 0.1, (std::to_string(alice) + " against " + std::to_string(bob)).c_str());
}

void SharesTest::nodes_are_shared_by_weight_among_simultaneous_tasks() {
    Lab lab({Discipline::share, {{"alice", 2}}});
    for (int i = 0; i < 10; ++i) lab.submit("bob", 1, 1000);
    for (int i = 0; i < 10; ++i) lab.submit("alice", 1, 1000);
    lab.begin_and_end();
    std::map<std::string, int> count;
    for (const Use& use : lab.uses) ++count[use.submitter];
    QCOMPARE(count["alice"], 4);
    QCOMPARE(count["bob"], 2);
}

void SharesTest::shares_survive_a_restart() {
    Lab lab({Discipline::share, {}});
    lab.submit("alice", 3, 100);
    lab.begin_and_end();
    for (int i = 0; i < 100; ++i) lab.pass();
    const TaskView& task = lab.context.state().tasks.begin()->second;
    QCOMPARE(node_seconds(lab.context.state(), task, lab.context.now()), 300.0);
    QCOMPARE(virtual_times(lab.context.state(), lab.context.now()).at("alice"), 300.0);
    lab.begin_and_end();
    const SubmitterView& alice = lab.context.state().submitters.at("alice");
    QCOMPARE(alice.virtual_time, 300.0);
    QCOMPARE(alice.node_seconds, 300.0);
    QCOMPARE(alice.task_s, 100.0);
    // the name that clients gave for themselves is not used
    QVERIFY(!lab.context.state().submitters.contains("somebody"));
}

void SharesTest::submitters_without_tasks_are_forgotten() {
    ClusterState state;
    std::uint64_t sequence = 0;
    for (std::size_t i = 0; i < most_submitters + 10; ++i) {
        const TaskId task("t-" + std::to_string(i + 1));
        TaskSubmitted submitted{task, "t", "", "/", "", {}, "me", 0};
        submitted.submitter = "submitter " + std::to_string(i);
        apply(state, {++sequence, TimePoint(seconds(i)), submitted});
        apply(state, {++sequence, TimePoint(seconds(i)), TaskEnded{task, Outcome::stopped, {}}});
    }
    QCOMPARE(state.submitters.size(), most_submitters);
    QVERIFY(state.submitters.contains("submitter " + std::to_string(most_submitters + 9)));
}

DIVISI_TEST(SharesTest)

}  // namespace shares_test

#include "shares_test.moc"
