// SPDX-License-Identifier: Apache-2.0
#include "backend/control/change/recut_adviser.h"

#include "tests/support/task_file.h"
#include "tests/support/test_program.h"
#include "tests/unit/control/runs_fixture.h"

namespace recut_adviser_test {

using namespace divisi;
using namespace divisi::control;
using namespace divisi::control::test;

namespace {

std::string text_with(const std::string& recut) {
    return testing::TaskFile().drop_section("train").section("split", {{"cuts", {"/a"}}, {"recut", recut}}).text();
}

struct Maker final : CheckpointMaker {
    Result<std::int64_t> order_last(const TaskId&) override { return 5; }
    std::optional<std::int64_t> last_step(const TaskId&) const override { return 5; }
    std::vector<SegmentSnapshot> taken(const TaskId&) const override { return {}; }
    void hold(const TaskId&) override {}
    void let_go(const TaskId&) override {}
};

/// A fixture with a long-running task of two stages. The first stage is three times as busy as the second.
struct Fixture : RunsFixture {
    Deliveries deliveries{context};
    TaskQueue queue{context, deliveries, models, kept};
    BlobTransfers transfers{context, devices};
    Maker maker;
    Recuts recuts{context, models, queue, transfers, maker, runs.recovery(), runs.fitness()};
    RecutAdviser adviser{context, models, recuts};
    PeerId client{};

    explicit Fixture(const std::string& recut = "advise") {
        context.follow([this](const Event& event) {
            leases.follow(event);
            runs.follow(event);
            adviser.follow(event);
        });
        train(0, task::FaultAnswer::recover, text_with(recut));
        TaskPlanned planned;
        planned.task = the_task;
        planned.cuts = {"/a"};
        planned.steps = 1'000'000;
        planned.plan_hash = "hash";
        context.append(planned);
        client = connect("client");
        context.sessions().at(client).role = Role::operate;
        (void)take();
    }
    /// Reports enough steps for advice, and the loads of both stages.
    void go_on(std::int64_t from, double first_share = 0.9) {
        for (std::int64_t number = from; number < from + advised_steps; ++number) {
            StepRecord record;
            record.step = number;
            record.step_ms = 100;
            context.append(StepDone{the_task, record});
        }
        for (int i = 0; i < 2 * advised_reports; ++i) adviser.take({load(first, first_share), load(second, 0.3)});
        (void)take();
    }
    static InstanceLoad load(const InstanceId& instance, double share) {
        InstanceLoad load;
        load.instance = instance;
        load.step = 1;
        load.busy_share = share;
        return load;
    }
    Output poll() {
        adviser.poll();
        return take();
    }
    Output ask() {
        const AskRecutAdvice message{the_task};
        adviser.handle(Received{client, 7, message}, message);
        return take();
    }
    /// Completes the started job with the result of a trial.
    Output tried(const Output& begun, const Result<RecutTrial>& trial) {
        if (begun.jobs.size() != 1) qFatal("%zu jobs", begun.jobs.size());
        adviser.tried(*context.jobs().close(begun.jobs[0].id), trial);
        return take();
    }
    Output after(Duration time) {
        (void)pass(time);
        return poll();
    }
};

template <typename E>
std::vector<E> logged(const Output& output) {
    std::vector<E> found;
    for (const Event& event : output.events)
        if (const auto* body = get_if<E>(&event.body)) found.push_back(*body);
    return found;
}

const RecutTrial better{50, 35, {"/b"}};

/// A fixture with even stages in two MICs, so that the adviser runs a trial only if a cause is reported.
struct Even : Fixture {
    explicit Even(const std::string& recut = "advise") : Fixture(recut) {
        for (const char* node : {"a", "b"}) {
            NodeInfo info = context.state().nodes.at(NodeId(node)).info;
            const std::string number = info.id == NodeId("a") ? "1" : "2";
            info.mic = MicId("mic-" + number);
            context.append(NodeJoined{info});
            MeshMember gateway;
            gateway.name = "mg-" + number;
            gateway.role = mesh::DeviceRole::gateway;
            gateway.mic = info.mic;
            context.append(DeviceJoined{gateway});
        }
        go_on(1, 0.3);
        if (!after(advice_interval).jobs.empty()) qFatal("a trial was started for even stages");
    }
    void change_policy(const std::string& author, const std::vector<PolicyEntry>& entries) {
        const auto& versions = context.state().policies;
        const std::uint64_t last = versions.empty() ? 0 : versions.rbegin()->first;
        context.append(PolicyChanged{{last + 1, now, author, "so", "it is better", entries}});
        (void)take();
    }
    void degrade(const std::string& neighbour = "sr-1") {
        adviser.path_degraded(the_task, "mg-1 " + neighbour, "mg-1 hears nothing from " + neighbour);
    }
    /// Returns the cause named in the advice; empty if no trial was started.
    std::string cause(const RecutTrial& trial = better) {
        const Output begun = poll();
        if (begun.jobs.empty()) return "";
        const auto advised = logged<RecutAdvised>(tried(begun, trial));
        if (advised.size() != 1) qFatal("%zu advices", advised.size());
        return cause_of(advised[0].advice);
    }
};

Advice share(const std::string& from, const std::string& to) {
    return {AdviceKind::path_priority, from, to, 40, 0.9, 10'000, "the link degrades"};
}
Advice avoid(const std::string& node) {
    return {AdviceKind::node_avoidance, node, "", 0, 0.9, 10'000, "its host is busy"};
}
const PolicyEntry between{PolicyKey::share, "mg-1", "mg-2", 40};

}  // namespace

/// Tests that tasks with uneven stages get advice for other cuts.
class RecutAdviserTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void uneven_stages_start_a_trial();
    void client_gets_the_advice_it_asks_for();
    void clients_question_changes_nothing();
    void advice_for_the_previous_plan_is_discarded();
    void advice_is_followed_if_the_task_says_so();
    void impossible_questions_are_refused();
    void advice_of_a_module_starts_a_trial();
    void advice_about_others_starts_no_trial();
    void new_policy_starts_a_trial();
    void path_share_moved_by_the_smo_starts_a_trial();
    void unrelated_policies_start_no_trial();
    void stalled_chain_starts_a_trial_and_is_not_measured();
    void degraded_path_starts_a_trial();
    void repeated_cause_starts_one_trial();
    void simultaneous_causes_share_a_trial();
    void recovery_clears_earlier_causes();
    void unchanged_advice_without_a_cause_is_not_repeated();
    void two_close_trials_do_not_confirm_an_advised_recut();
};

void RecutAdviserTest::uneven_stages_start_a_trial() {
    Fixture fixture;
    QVERIFY(fixture.poll().jobs.empty());  // nothing has been measured yet
    fixture.go_on(1);
    const Output begun = fixture.after(advice_interval);
    QCOMPARE(begun.jobs.size(), std::size_t(1));
    const auto& job = get<RecutTrialJob>(begun.jobs[0].what);
    QCOMPARE(job.stage_nodes, (std::vector<std::string>{"a", "b"}));
    QVERIFY(std::abs(job.busy_ms.at(0) - 90) < 1e-6 && std::abs(job.busy_ms.at(1) - 30) < 1e-6);
    const auto advised = logged<RecutAdvised>(fixture.tried(begun, better));
    QCOMPARE(advised.size(), std::size_t(1));
    QVERIFY(advised[0].advice.worth && !advised[0].followed && advised[0].held_back.empty());
    QCOMPARE(advised[0].advice.cuts, std::vector<std::string>{"/b"});
    QCOMPARE(fixture.task().advice.value().plan, std::string("hash"));
    QVERIFY(fixture.poll().jobs.empty());  // no trial before the interval has passed
    // Even stages cause no trial.
    Fixture even;
    even.go_on(1, 0.3);
    QVERIFY(even.after(advice_interval).jobs.empty());
}

void RecutAdviserTest::client_gets_the_advice_it_asks_for() {
    Fixture fixture;
    fixture.go_on(1, 0.3);
    const auto told = sent<RecutAdvised>(fixture.tried(fixture.ask(), RecutTrial{50, 50, {}}), fixture.client);
    QCOMPARE(told.size(), std::size_t(1));
    QVERIFY(!told[0].advice.worth);
    QCOMPARE(told[0].advice.steps_left, std::int64_t(1'000'000 - advised_steps));
    const Error why{ErrorCode::unavailable, "no time", "x", "y"};
    const auto refused = sent<Refused>(fixture.tried(fixture.ask(), why), fixture.client);
    QCOMPARE(refused.at(0).error.message(), why.message());
}

/// Advice that answers a client's request changes nothing, even if the advice is new and the task follows advice.
void RecutAdviserTest::clients_question_changes_nothing() {
    Fixture fixture("auto");
    fixture.go_on(1);
    (void)fixture.pass(recut_pause);
    (void)fixture.take();
    for (int i = 0; i < 3; ++i) {
        const Output asked = fixture.ask();
        QVERIFY(asked.events.empty());
        const Output told = fixture.tried(asked, better);
        QCOMPARE(sent<RecutAdvised>(told, fixture.client).size(), std::size_t(1));
        QVERIFY(sent<RecutAdvised>(told, fixture.client)[0].advice.worth);
        QVERIFY(told.events.empty() && told.lines.empty() && told.jobs.empty());
        QVERIFY(!fixture.task().advice);
        QVERIFY(!fixture.recuts.changes(the_task));
    }
}

void RecutAdviserTest::advice_for_the_previous_plan_is_discarded() {
    Fixture fixture;
    fixture.go_on(1);
    const Output asked = fixture.ask();
    const Output unasked = fixture.after(advice_interval);
    TaskPlanned planned;
    planned.task = the_task;
    planned.cuts = {"/c"};
    planned.steps = 1'000'000;
    planned.plan_hash = "other";
    planned.generation = 2;
    fixture.context.append(planned);
    // as if the task had trained with the new plan for long enough
    QCOMPARE(fixture.ask().jobs.size(), std::size_t(1));
    const Output told = fixture.tried(asked, better);
    QCOMPARE(sent<Refused>(told, fixture.client).at(0).error.code, ErrorCode::conflict);
    const Output unheard = fixture.tried(unasked, better);
    QVERIFY(unheard.events.empty() && unheard.sends.empty());
    QVERIFY(!fixture.task().advice);
}

void RecutAdviserTest::advice_is_followed_if_the_task_says_so() {
    Fixture fixture("auto");
    fixture.go_on(1);
    const auto early = logged<RecutAdvised>(fixture.tried(fixture.after(advice_interval), better));
    QVERIFY(!early.at(0).followed && early[0].held_back.find("younger") != std::string::npos);
    (void)fixture.pass(recut_pause);
    const Output followed = fixture.tried(fixture.poll(), better);
    QVERIFY(logged<RecutAdvised>(followed).at(0).followed);
    QVERIFY(holds_alternative<Planning>(followed.jobs.at(0).what));
    QVERIFY(fixture.recuts.changes(the_task));
    QVERIFY(fixture.after(2 * advice_interval).jobs.empty());  // no trial while the re-cut is in progress
}

void RecutAdviserTest::impossible_questions_are_refused() {
    Fixture fixture;
    const auto code = [&] { return sent<Refused>(fixture.ask(), fixture.client).at(0).error.code; };
    QCOMPARE(code(), ErrorCode::unavailable);  // nothing has been measured yet
    TaskPlanned blocks;
    blocks.task = the_task;
    fixture.context.append(blocks);
    (void)fixture.take();
    QCOMPARE(code(), ErrorCode::unsupported);
    fixture.context.append(PhaseChanged{the_task, TaskPhase::exception, "waits"});
    (void)fixture.take();
    QCOMPARE(code(), ErrorCode::conflict);
}

void RecutAdviserTest::advice_of_a_module_starts_a_trial() {
    Even fixture;
    fixture.adviser.module_advised("link-trend", share("mg-1", "mg-2"), {});
    QCOMPARE(fixture.cause(), std::string("module link-trend advises share:mg-1:mg-2=40: the link degrades"));
    Even avoided;
    avoided.adviser.module_advised("compute-routing", avoid("a"), {});
    QCOMPARE(avoided.cause(), std::string("module compute-routing advises avoid:a: its host is busy"));
}

void RecutAdviserTest::advice_about_others_starts_no_trial() {
    Even fixture;
    fixture.adviser.module_advised("link-trend", share("mg-1", "mg-2"), {the_task});  // the module is off for the task
    fixture.adviser.module_advised("link-trend", share("mg-1", "mg-3"), {});
    fixture.adviser.module_advised("link-trend", share("u-1/stage-0/0", "u-1/stage-1/0"), {});
    fixture.adviser.module_advised("compute-routing", avoid("c"), {});
    QVERIFY(fixture.poll().jobs.empty());
}

void RecutAdviserTest::new_policy_starts_a_trial() {
    Even fixture;
    fixture.change_policy("alice", {between});
    QCOMPARE(fixture.cause(), std::string("policy 1 by alice: so, because it is better"));
    (void)fixture.pass(cause_pause);
    fixture.change_policy("alice", {});        // the entry is withdrawn
    QCOMPARE(fixture.cause(), std::string());  // no trial starts: the same entry changed again within its quiet time
    (void)fixture.pass(cause_quiet);
    fixture.change_policy("alice", {between});
    QVERIFY(fixture.cause().starts_with("policy 3"));
}

void RecutAdviserTest::path_share_moved_by_the_smo_starts_a_trial() {
    Even fixture;
    fixture.change_policy(smo_author, {{PolicyKey::share, "mg-1", "mg-2", 0}});
    QCOMPARE(fixture.cause(),
             std::string("tensors from mg-1 to mg-2 were moved: policy 1 by smo: so, because it is better"));
    (void)fixture.pass(cause_pause);
    // a move of the same share back and forth
    fixture.change_policy(smo_author, {{PolicyKey::share, "mg-1", "mg-2", 10}});
    QVERIFY(fixture.poll().jobs.empty());
}

void RecutAdviserTest::unrelated_policies_start_no_trial() {
    Even fixture;
    fixture.change_policy("module link-trend", {between});  // the module reports its own advice
    fixture.change_policy("alice", {between, {PolicyKey::alarm_full, "mg-1", "", 500}});
    fixture.change_policy("alice", {between, {PolicyKey::share, "mg-1", "mg-3", 40}});
    QVERIFY(fixture.poll().jobs.empty());
    // Within one MIC tensors pass through no gateway.
    NodeInfo info = fixture.context.state().nodes.at(NodeId("b")).info;
    info.mic = MicId("mic-1");
    fixture.context.append(NodeJoined{info});
    fixture.change_policy("alice", {});
    QVERIFY(fixture.poll().jobs.empty());
}

void RecutAdviserTest::stalled_chain_starts_a_trial_and_is_not_measured() {
    Even fixture;
    const auto idle = [&] {
        for (int i = 0; i < 20; ++i) fixture.adviser.take({Fixture::load(first, 0), Fixture::load(second, 0)});
    };
    idle();  // as long as the MIC needs to be sure of the stall
    fixture.adviser.chain_stalled(the_task, "mg-2", "MIC mic-2 finds that nothing arrives");
    idle();
    const Output begun = fixture.poll();
    QCOMPARE(begun.jobs.size(), std::size_t(1));
    const auto& job = get<RecutTrialJob>(begun.jobs[0].what);
    QVERIFY(std::abs(job.busy_ms.at(0) - 30) < 1e-6 && std::abs(job.busy_ms.at(1) - 30) < 1e-6);
    const auto advised = logged<RecutAdvised>(fixture.tried(begun, better));
    QCOMPARE(cause_of(advised.at(0).advice), std::string("MIC mic-2 finds that nothing arrives"));
    fixture.go_on(1 + advised_steps, 0.9);  // steps continue and are measured as usual
    QCOMPARE(fixture.after(advice_interval).jobs.size(), std::size_t(1));
}

void RecutAdviserTest::degraded_path_starts_a_trial() {
    Even fixture;
    fixture.adviser.path_degraded(TaskId("u-1"), "mg-1 sr-1", "nobody measures that task");
    QVERIFY(fixture.poll().jobs.empty());
    fixture.degrade();
    const Output told = fixture.tried(fixture.poll(), better);
    const auto advised = logged<RecutAdvised>(told);
    QCOMPARE(advised.size(), std::size_t(1));
    QVERIFY(advised[0].advice.worth && !advised[0].followed);
    QCOMPARE(verdict_of(advised[0].advice), std::string("it pays"));
    const std::string line = describe(told.events.at(0).body);
    QVERIFY2(line.ends_with("it pays; looked at because mg-1 hears nothing from sr-1"), line.c_str());
    QCOMPARE(fixture.task().advice.value().why, advised[0].advice.why);
}

void RecutAdviserTest::repeated_cause_starts_one_trial() {
    Even fixture;
    std::size_t looks = 0;
    for (int i = 0; i < 25; ++i) {
        fixture.degrade();
        looks += fixture.cause().empty() ? 0 : 1;
        (void)fixture.pass(cause_pause);
    }
    QCOMPARE(looks, std::size_t(1));
    (void)fixture.pass(cause_quiet);
    fixture.degrade();
    QCOMPARE(fixture.cause(), std::string("mg-1 hears nothing from sr-1"));
}

void RecutAdviserTest::simultaneous_causes_share_a_trial() {
    Even fixture;
    fixture.degrade();
    const Output begun = fixture.poll();
    for (const char* neighbour : {"sr-2", "sr-3", "sr-4", "sr-5"}) fixture.degrade(neighbour);
    QVERIFY(fixture.after(cause_pause).jobs.empty());  // no trial while another is running
    QCOMPARE(cause_of(logged<RecutAdvised>(fixture.tried(begun, better)).at(0).advice),
             std::string("mg-1 hears nothing from sr-1"));
    QCOMPARE(fixture.cause(), std::string("mg-1 hears nothing from sr-2; mg-1 hears nothing from sr-3; mg-1 hears "
                                          "nothing from sr-4; and 1 more"));
    fixture.degrade("sr-6");
    QVERIFY(fixture.poll().jobs.empty());  // too soon after the last trial
    QCOMPARE(fixture.after(cause_pause).jobs.size(), std::size_t(1));
}

void RecutAdviserTest::recovery_clears_earlier_causes() {
    Even fixture;
    fixture.degrade();
    TaskRecovers recovers;
    recovers.task = the_task;
    fixture.adviser.follow(Event{0, fixture.now, recovers});
    for (int i = 0; i < advised_reports; ++i)
        fixture.adviser.take({Fixture::load(first, 0.3), Fixture::load(second, 0.3)});
    QVERIFY(fixture.poll().jobs.empty());
}

void RecutAdviserTest::unchanged_advice_without_a_cause_is_not_repeated() {
    Fixture fixture;
    fixture.go_on(1);
    fixture.adviser.path_degraded(the_task, "mg-1 sr-1", "mg-1 hears nothing from sr-1");
    QCOMPARE(logged<RecutAdvised>(fixture.tried(fixture.poll(), better)).size(), std::size_t(1));
    QVERIFY(logged<RecutAdvised>(fixture.tried(fixture.after(advice_interval), better)).empty());
}

/// Two trials that closely follow each other do not confirm each other. The next regular trial does, even if the stages
/// are even.
void RecutAdviserTest::two_close_trials_do_not_confirm_an_advised_recut() {
    Even fixture("auto");
    (void)fixture.pass(recut_pause);
    const auto advised = [&](const Output& begun) { return logged<RecutAdvised>(fixture.tried(begun, better)).at(0); };
    fixture.degrade();
    const RecutAdvised once = advised(fixture.poll());
    QVERIFY2(!once.followed && once.held_back.find("twice") != std::string::npos, once.held_back.c_str());
    fixture.degrade("sr-2");
    const RecutAdvised soon = advised(fixture.after(cause_pause));
    QVERIFY2(!soon.followed && soon.held_back.find("twice") != std::string::npos, soon.held_back.c_str());
    QVERIFY(advised(fixture.after(advice_interval)).followed);
    QVERIFY(fixture.recuts.changes(the_task));
}

DIVISI_TEST(RecutAdviserTest)

}  // namespace recut_adviser_test

#include "recut_adviser_test.moc"
