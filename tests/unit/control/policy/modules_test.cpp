// SPDX-License-Identifier: Apache-2.0
#include "backend/control/policy/modules.h"
#include "backend/control/types/store_types.h"

#include <limits>

#include "backend/control/runs/runs.h"
#include "backend/control/types/module_types.h"
#include "tests/support/test_program.h"
#include "tests/unit/control/fixture.h"

namespace modules_test {

using namespace divisi;
using namespace divisi::control;
using namespace std::chrono_literals;

namespace {

/// A fixture with two gateways and two paths between them, four nodes, an operator, and modules that register and
/// advise.
struct House : test::Fixture {
    Deliveries deliveries{context};
    Models models{context};
    KeptProcesses kept{context};
    TaskQueue queue{context, deliveries, models, kept};
    MeshDevices devices{context};
    Policies policies{context, devices, models};
    Services services{context};
    Leases leases{context};
    Runs runs{context, models, devices, leases, kept};
    Modules modules{context, devices, policies, queue, services, runs.reports()};
    PeerId alice = connect(9);
    std::vector<Modules::CutOff> cut;

    House() {
        context.follow([this](const Event& event) {
            devices.follow(event);
            modules.follow(event);
        });
        std::uint64_t peer = 1;
        for (const char* name : {"mg-1", "mg-2", "sr-1", "sr-2"}) join(peer++, name);
        for (const char* name : {"mic-1/a", "mic-1/b", "mic-2/a", "mic-2/b"}) node(++peer + 100, name, "host", "");
        policies.poll();
        clear();
    }
    void join(std::uint64_t peer, const std::string& name) {
        DeviceInfo info;
        info.name = name;
        info.role = name.starts_with("mg") ? mesh::DeviceRole::gateway : mesh::DeviceRole::router;
        if (name.starts_with("mg")) info.mic = MicId("mic-" + name.substr(3));
        else info.neighbours = {"mg-1", "mg-2"};
        info.buffer = 256 << 20;
        say(devices, connect(peer), RegisterDevice{info});
    }
    static ModuleInfo info(const std::string& name, const std::string& version) {
        return {name,
                version,
                {ModuleInput::routes, ModuleInput::load, ModuleInput::topology, ModuleInput::tasks},
                {AdviceKind::path_priority, AdviceKind::traffic, AdviceKind::node_avoidance, AdviceKind::drain},
                false,
                1000,
                0};
    }
    PeerId describe(std::uint64_t peer, ModuleInfo what) {
        const PeerId module = connect(peer);
        clear();
        say(modules, module, DescribeModule{std::move(what)});
        poll();
        return module;
    }
    PeerId describe(std::uint64_t peer, const std::string& name, const std::string& version = "1") {
        return describe(peer, info(name, version));
    }
    void poll() {
        modules.poll();
        for (Modules::CutOff& one : modules.take_cut_off()) cut.push_back(one);
    }
    /// Lets time pass while the orchestrator polls ten times a second. The modules in `answers` answer their
    /// observations.
    void live(Duration time, const std::vector<PeerId>& answers = {}) {
        for (const TimePoint end = now + time; now < end;) {
            now += 100ms;
            context.set_time(now);
            modules.check_deadlines();
            poll();
            for (const auto& [peer, observe] : sent<Observe>())
                if (std::ranges::find(answers, peer) != answers.end()) say(modules, peer, Advise{observe.number, {}});
        }
    }
    static Advice share(std::int64_t value, std::int64_t valid_ms = 10'000) {
        return {AdviceKind::path_priority, "mg-1", "mg-2", value, 0.9, valid_ms, "the link degrades"};
    }
    static Advice about(AdviceKind kind, const std::string& node) { return {kind, node, "", 0, 0.9, 10'000, "busy"}; }
    /// Gives advice and returns its outcome.
    AdviceEcho advise(PeerId module, const Advice& advice) {
        clear();
        say(modules, module, Advise{0, {advice}});
        poll();
        const auto echoes = sent<Echo>();
        return echoes.empty() ? AdviceEcho{} : echoes.front().second.echoes.front();
    }
    std::vector<PolicyEntry> entries() const {
        const auto& versions = context.state().policies;
        return versions.empty() ? std::vector<PolicyEntry>{} : versions.rbegin()->second.entries;
    }
    ModuleView view(std::size_t index = 0) {
        clear();
        say(modules, alice, QueryModules{});
        return sent<ModulesState>().at(0).second.modules.at(index);
    }
    bool noted(const std::string& text) {
        for (const Noted& one : logged<Noted>())
            if (one.text.find(text) != std::string::npos) return true;
        return false;
    }
    void run_task(const std::string& id) {
        TaskSubmitted submitted;
        submitted.task = TaskId(id);
        context.append(submitted);
        context.append(PhaseChanged{TaskId(id), TaskPhase::exchange, ""});
    }
    void train(const std::string& id, task::CheckpointRule rule) {
        TaskPlanned planned;
        planned.task = TaskId(id);
        planned.checkpoint = rule;
        context.append(TaskSubmitted{TaskId(id), id, "", "/", "", {}, "me", 0});
        context.append(planned);
        context.append(PhaseChanged{TaskId(id), TaskPhase::exchange, ""});
    }
    /// Returns why a module may not order a checkpoint; empty if it may. If the order is allowed, passes on `answer`,
    /// as Checkpoints does.
    std::string why_no_order(PeerId module, const std::string& task, const Result<std::int64_t>& answer = 12) {
        const auto let = modules.let_ask({module, 1, OrderCheckpoint{TaskId(task)}});
        if (let) modules.order_answered(module, TaskId(task), answer);
        return let ? "" : let.error().what;
    }
    void step(const std::string& task, std::int64_t number, double ms) {
        StepRecord record;
        record.step = number;
        record.step_ms = ms;
        context.append(StepDone{TaskId(task), record});
    }
};

}  // namespace

/// Tests functional modules: which modules may advise, which advice takes effect and for how long, and how harmful
/// modules are cut off.
class ModulesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void wrong_description_is_refused_data();
    void wrong_description_is_refused();
    void key_may_register_only_under_its_own_name();
    void next_observation_waits_for_the_modules_answer();
    void taken_advice_becomes_a_policy_of_the_module();
    void advice_out_of_bounds_is_refused_with_the_reason_data();
    void advice_out_of_bounds_is_refused_with_the_reason();
    void operators_setting_overrides_advice();
    void target_is_changed_once_in_three_seconds();
    void expired_advice_is_withdrawn();
    void renewed_advice_keeps_the_policy_version();
    void accepted_advice_is_returned_once();
    void clients_see_the_newest_advice_and_refusals();
    void shown_advice_is_bounded();
    void module_gets_the_step_times_around_its_advice();
    void advised_window_stays_within_the_buffers();
    void avoided_and_drained_nodes_reach_the_queue();
    void at_most_half_of_the_nodes_are_drained();
    void policy_switches_a_module_off_and_on();
    void module_can_be_switched_off_for_one_task();
    void checkpoint_is_ordered_if_the_task_allows_them();
    void refused_checkpoint_order_is_logged();
    void endless_requests_are_cut_off_data();
    void endless_requests_are_cut_off();
    void operator_switches_to_another_version_of_a_module();
    void standby_version_replaces_one_that_disconnects();
    void flood_of_advice_is_counted_and_cut_off();
    void endless_descriptions_are_cut_off_data();
    void endless_descriptions_are_cut_off();
    void module_with_invalid_advice_is_cut_off();
    void hanging_module_is_cut_off();
    void placement_waits_ten_milliseconds_for_an_answer();
    void module_that_misses_three_placements_is_skipped();
    void stop_is_sent_to_every_process();
    void single_version_can_be_stopped();
};

void ModulesTest::wrong_description_is_refused_data() {
    QTest::addColumn<QString>("field");
    QTest::addColumn<QString>("why");
    QTest::newRow("name") << "name"
                          << "1 to 64 letters";
    QTest::newRow("version") << "version"
                             << "1 to 64 letters";
    QTest::newRow("inputs") << "inputs"
                            << "the description of the module names no inputs";
    QTest::newRow("advice") << "advice"
                            << "names no kinds of advice";
    QTest::newRow("period") << "period"
                            << "the period of 1 ms is out of range";
}

void ModulesTest::wrong_description_is_refused() {
    QFETCH(QString, field);
    QFETCH(QString, why);
    House house;
    ModuleInfo info = House::info("link-trend", "1");
    if (field == "name") info.name = "a name";
    if (field == "version") info.version = std::string(65, 'v');
    if (field == "inputs") info.inputs.clear();
    if (field == "advice") info.advice.clear();
    if (field == "period") info.period_ms = 1;
    house.describe(20, info);
    QVERIFY2(QString::fromStdString(house.refusal()).contains(why), house.refusal().c_str());
    QVERIFY(house.sent<ControlModule>().empty());
}

void ModulesTest::key_may_register_only_under_its_own_name() {
    House house;
    const PeerId peer = house.connect(20, "", false);
    house.say(house.modules, peer, DescribeModule{House::info("link-trend", "1")});
    QVERIFY(house.refusal().find("is not allowed to register as this module") != std::string::npos);
    house.clear();
    house.say(house.modules, peer, DescribeModule{House::info("me", "1")});
    QCOMPARE(house.sent<Done>().size(), std::size_t{1});
}

void ModulesTest::next_observation_waits_for_the_modules_answer() {
    House house;
    house.run_task("gpt-1");
    house.step("gpt-1", 1, 40);
    const PeerId module = house.describe(20, "link-trend");
    QVERIFY(house.sent<ControlModule>().at(0).second.advises);
    house.clear();
    house.live(3s);  // the module does not answer
    QCOMPARE(house.sent<Observe>().size(), std::size_t{1});
    const Observation seen = house.sent<Observe>()[0].second.seen;
    QCOMPARE(seen.nodes.size(), std::size_t{4});
    QCOMPARE(seen.devices.size(), std::size_t{4});
    QCOMPARE(seen.routes.size(), std::size_t{2});
    QCOMPARE(seen.routes[0].first, (std::vector<std::string>{"mg-1", "sr-1", "mg-2"}));
    QCOMPARE(seen.tasks.at(0).step_ms, 40.0);
    QVERIFY(seen.links.empty() && seen.services.empty());  // the module has not requested these inputs
    house.clear();
    house.say(house.modules, module, Advise{1, {}});
    house.live(1s);
    QCOMPARE(house.sent<Observe>().size(), std::size_t{1});
}

void ModulesTest::taken_advice_becomes_a_policy_of_the_module() {
    House house;
    const PeerId module = house.describe(20, "link-trend");
    const AdviceEcho echo = house.advise(module, House::share(40));
    QCOMPARE(echo.outcome, AdviceOutcome::taken);
    QCOMPARE(echo.change, std::string("policy 1: share:mg-1:mg-2=40"));
    QVERIFY((house.entries() == std::vector<PolicyEntry>{{PolicyKey::share, "mg-1", "mg-2", 40}}));
    const PolicyVersion version = house.context.state().policies.at(1);
    QCOMPARE(version.author, std::string("module link-trend"));
    QCOMPARE(version.reason, std::string("the link degrades"));
    QVERIFY(house.noted("is taken: policy 1: share:mg-1:mg-2=40; because the link degrades"));
    QCOMPARE(house.sent<DevicePolicy>().size(), std::size_t{4});
    const ModuleView view = house.view();
    QVERIFY(view.given == 1 && view.taken == 1 && view.refused == 0 && view.newest.at(0).echo.advice.value == 40);
}

void ModulesTest::advice_out_of_bounds_is_refused_with_the_reason_data() {
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("why");
    const std::pair<const char*, const char*> rows[] = {
        {"value", "is not from 0 to 100"},
        {"gateway", "not a gateway of this mesh"},
        {"confidence", "the confidence of the advice is too low"},
        {"nan", "not a number from 0 to 1"},
        {"validity", "the validity of"},
        {"reason", "no reason"},
        {"all flows", "names no flow"},
        {"node", "is not a ready node"},
        {"long", "more than 255 bytes"},
        {"same ends", "names the same end twice"},
        {"window", "larger than a quarter of"},
        {"tiny window", "is not from 1048576"},
    };
    for (const auto& [what, why] : rows) QTest::newRow(what) << what << why;
}

void ModulesTest::advice_out_of_bounds_is_refused_with_the_reason() {
    QFETCH(QString, what);
    QFETCH(QString, why);
    House house;
    const PeerId module = house.describe(20, "link-trend");
    Advice advice = House::share(40);
    if (what == "value") advice.value = 101;
    if (what == "gateway") advice.to = "mg-9";
    if (what == "confidence") advice.confidence = 0.4;
    if (what == "nan") advice.confidence = std::numeric_limits<double>::quiet_NaN();
    if (what == "validity") advice.valid_ms = 3'600'000;
    if (what == "reason") advice.reason.clear();
    if (what == "all flows") advice.from = advice.to = "";
    if (what == "node") advice = House::about(AdviceKind::node_avoidance, "mic-9/z");
    if (what == "long") advice.from = std::string(300, 'x');
    if (what == "same ends") advice.to = "mg-1";
    if (what.endsWith("window")) advice.kind = AdviceKind::traffic;
    if (what == "window") advice.value = 200 << 20;
    const AdviceEcho echo = house.advise(module, advice);
    QCOMPARE(echo.outcome, AdviceOutcome::refused);
    QVERIFY2(QString::fromStdString(echo.why).contains(why), echo.why.c_str());
    QVERIFY(house.entries().empty());
    QVERIFY(house.noted("is refused: "));
    QCOMPARE(house.view().refused, std::uint64_t{1});
}

void ModulesTest::operators_setting_overrides_advice() {
    House house;
    const PeerId module = house.describe(20, "link-trend");
    house.say(house.policies, house.alice, SetPolicies{{"share:mg-1:mg-2=70"}});
    const AdviceEcho echo = house.advise(module, House::share(40));
    QCOMPARE(echo.outcome, AdviceOutcome::refused);
    QVERIFY2(echo.why.find("me has made this setting") != std::string::npos, echo.why.c_str());
    QCOMPARE(house.entries().at(0).value, std::int64_t{70});
}

void ModulesTest::target_is_changed_once_in_three_seconds() {
    House house;
    const PeerId module = house.describe(20, "link-trend");
    QCOMPARE(house.advise(module, House::share(40)).outcome, AdviceOutcome::taken);
    QCOMPARE(house.advise(module, House::share(60)).outcome, AdviceOutcome::refused);
    house.live(3s, {module});
    QCOMPARE(house.advise(module, House::share(60)).outcome, AdviceOutcome::taken);
    QCOMPARE(house.entries().at(0).value, std::int64_t{60});
}

void ModulesTest::expired_advice_is_withdrawn() {
    House house;
    const PeerId module = house.describe(20, "link-trend");
    (void)house.advise(module, House::share(40, 5000));
    house.live(4s, {module});
    QCOMPARE(house.entries().size(), std::size_t{1});
    house.clear();
    house.live(2s, {module});
    QVERIFY(house.entries().empty());
    QCOMPARE(house.sent<Echo>().at(0).second.echoes.at(0).outcome, AdviceOutcome::expired);
    QCOMPARE(house.context.state().policies.rbegin()->second.author, std::string("module link-trend"));
    // A policy that an operator has set meanwhile is left alone.
    (void)house.advise(module, House::share(40, 5000));
    house.say(house.policies, house.alice, SetPolicies{{"share:mg-1:mg-2=70"}});
    house.live(6s, {module});
    QCOMPARE(house.entries().at(0).value, std::int64_t{70});
}

void ModulesTest::renewed_advice_keeps_the_policy_version() {
    House house;
    const PeerId module = house.describe(20, "link-trend");
    for (int i = 0; i < 4; ++i) {
        QCOMPARE(house.advise(module, House::share(40, 5000)).outcome, AdviceOutcome::taken);
        house.live(4s, {module});
    }
    QCOMPARE(house.entries().size(), std::size_t{1});
    QCOMPARE(house.context.state().policies.size(), std::size_t{1});
    const ModuleView held = house.view();
    QCOMPARE(held.newest.size(), std::size_t{1});  // the module gave the same advice four times
    QVERIFY(held.newest[0].again == 3 && held.taken == 4 && held.expired == 0);
    QVERIFY(held.newest[0].until - held.newest[0].given == 5s);
    house.live(2s, {module});
    QVERIFY(house.entries().empty());
    const ModuleView after = house.view();
    QVERIFY(after.newest.at(0).echo.outcome == AdviceOutcome::expired && after.expired == 1);
}

void ModulesTest::accepted_advice_is_returned_once() {
    House house;
    const PeerId module = house.describe(20, "link-trend");
    (void)house.advise(module, House::share(40));
    const auto taken = house.modules.take_taken();
    QCOMPARE(taken.size(), std::size_t{1});
    QVERIFY(taken[0].module == "link-trend" && taken[0].advice.value == 40 && taken[0].without.empty());
    (void)house.advise(module, House::share(40));   // unchanged
    (void)house.advise(module, House::share(101));  // out of bounds
    QVERIFY(house.modules.take_taken().empty());
    (void)house.advise(module, House::about(AdviceKind::node_avoidance, "mic-1/a"));
    QCOMPARE(house.modules.take_taken().size(), std::size_t{1});
}

void ModulesTest::clients_see_the_newest_advice_and_refusals() {
    House house;
    const PeerId module = house.describe(20, "link-trend");
    (void)house.advise(module, House::share(40, 60'000));
    house.live(4s, {module});
    (void)house.advise(module, House::share(60, 60'000));  // replaces the first advice
    Advice unsure = House::share(70);
    unsure.confidence = 0.4;
    for (int i = 0; i < 3; ++i) (void)house.advise(module, unsure);
    Advice early = House::share(80);
    (void)house.advise(module, early);
    ModuleView view = house.view();
    QCOMPARE(view.newest.size(), std::size_t{4});
    QCOMPARE(view.newest[0].echo.advice.value, std::int64_t{80});
    QVERIFY(view.newest[1].again == 2 && view.newest[1].until == TimePoint{});
    QCOMPARE(view.newest[2].echo.outcome, AdviceOutcome::taken);
    QVERIFY(view.newest[3].echo.outcome == AdviceOutcome::expired &&
            view.newest[3].echo.why.find("newer advice") != std::string::npos);
    QCOMPARE(view.refusals.size(), std::size_t{2});
    QVERIFY(view.refusals[0].count == 1 && view.refusals[0].why.find("less than 3 s") != std::string::npos);
    QVERIFY(view.refusals[1].count == 3);
    QVERIFY(view.refusals[1].why.find("the confidence of the advice is too low") != std::string::npos);
    // When the module is switched off, all of its advice ends, and the view gives the reason.
    house.say(house.policies, house.alice, SetPolicies{{"module:link-trend=off"}});
    house.poll();
    view = house.view();
    QVERIFY(view.newest[2].echo.outcome == AdviceOutcome::expired && view.newest[2].echo.why == "the module is off");
    QVERIFY(view.expired == 2 && view.state == ModuleState::off);
    QVERIFY(view.answer_ms >= 0);
}

void ModulesTest::shown_advice_is_bounded() {
    House house;
    const PeerId module = house.describe(20, "link-trend");
    for (int i = 0; i < 40; ++i) {
        Advice wrong = House::share(100 + i + 1);
        (void)house.advise(module, wrong);
        house.live(1s, {module});
    }
    const ModuleView view = house.view();
    QCOMPARE(view.newest.size(), most_shown_advice);
    QCOMPARE(view.refusals.size(), most_refusal_reasons);
    QCOMPARE(view.refused, std::uint64_t{40});
}

void ModulesTest::module_gets_the_step_times_around_its_advice() {
    House house;
    house.run_task("gpt-1");
    std::int64_t number = 0;
    for (int i = 0; i < 9; ++i) house.step("gpt-1", ++number, 100);
    const PeerId module = house.describe(20, "link-trend");
    (void)house.advise(module, House::share(40, 60'000));
    // During this second, the policy reaches the devices.
    for (int i = 0; i < 20; ++i) house.step("gpt-1", ++number, 5000);
    house.live(1s, {module});
    house.clear();
    for (const double ms : {60, 61, 59, 60, 60, 900, 60, 60}) house.step("gpt-1", ++number, ms);
    house.poll();
    const AdviceEcho echo = house.sent<Echo>().at(0).second.echoes.at(0);
    QCOMPARE(echo.outcome, AdviceOutcome::held);
    QCOMPARE(echo.effects.at(0).before_ms, 100.0);
    QCOMPARE(echo.effects.at(0).after_ms, 60.0);
    QVERIFY(house.noted("a step of gpt-1 took 100 ms before and 60 ms after"));
    QVERIFY(house.view().newest.at(0).echo.outcome == AdviceOutcome::held);
}

void ModulesTest::advised_window_stays_within_the_buffers() {
    House house;
    const PeerId module = house.describe(20, "link-trend");
    const Advice advice{AdviceKind::traffic, "", "", 16 << 20, 1, 10'000, "credit runs out"};
    QCOMPARE(house.advise(module, advice).change, std::string("policy 1: window=16MiB"));
}

void ModulesTest::avoided_and_drained_nodes_reach_the_queue() {
    House house;
    const PeerId module = house.describe(20, "routing");
    QCOMPARE(house.advise(module, House::about(AdviceKind::node_avoidance, "mic-1/a")).change,
             std::string("placement avoids mic-1/a"));
    QCOMPARE(house.advise(module, House::about(AdviceKind::drain, "mic-1/b")).outcome, AdviceOutcome::taken);
    PlanSummary plan;
    plan.stages = 3;
    const auto placed = [&] { return *Vacancies(house.context.state(), house.queue.use()).place(plan, {}); };
    QCOMPARE(placed(), (std::vector<NodeId>{NodeId("mic-2/a"), NodeId("mic-2/b"), NodeId("mic-1/a")}));
    Vacancies free(house.context.state(), house.queue.use());
    QVERIFY(free.obstacle({NodeId("mic-1/b")}, plan, {})->find("drained") != std::string::npos);
    house.live(11s, {module});
    QCOMPARE(placed().front(), NodeId("mic-1/a"));
    QVERIFY(!Vacancies(house.context.state(), house.queue.use()).obstacle({NodeId("mic-1/b")}, plan, {}));
    QVERIFY(house.queue.changed());  // waiting tasks may start now
}

void ModulesTest::at_most_half_of_the_nodes_are_drained() {
    House house;
    const PeerId module = house.describe(20, "routing");
    QCOMPARE(house.advise(module, House::about(AdviceKind::drain, "mic-1/a")).outcome, AdviceOutcome::taken);
    QCOMPARE(house.advise(module, House::about(AdviceKind::drain, "mic-1/b")).outcome, AdviceOutcome::taken);
    const AdviceEcho echo = house.advise(module, House::about(AdviceKind::drain, "mic-2/a"));
    QVERIFY2(echo.why.find("fewer than half") != std::string::npos, echo.why.c_str());
}

void ModulesTest::policy_switches_a_module_off_and_on() {
    House house;
    const PeerId module = house.describe(20, "link-trend");
    (void)house.advise(module, House::share(40));
    house.clear();
    house.say(house.policies, house.alice, SetPolicies{{"module:link-trend=off"}});
    house.poll();
    QVERIFY(!house.sent<ControlModule>().at(0).second.advises);
    // its advice is withdrawn
    QVERIFY((house.entries() == std::vector<PolicyEntry>{{PolicyKey::module, "link-trend", "", 0}}));
    for (const auto& [peer, policy] : house.sent<DevicePolicy>())
        for (const PolicyEntry& entry : policy.entries) QVERIFY(entry.key != PolicyKey::module);
    QCOMPARE(house.view().state, ModuleState::off);
    QVERIFY(house.advise(module, House::share(30)).why.find("off") != std::string::npos);
    house.say(house.policies, house.alice, SetPolicies{{"module:link-trend=default"}});
    house.poll();
    house.live(3s, {module});
    QCOMPARE(house.advise(module, House::share(30)).outcome, AdviceOutcome::taken);
}

void ModulesTest::module_can_be_switched_off_for_one_task() {
    House house;
    house.run_task("gpt-1");
    const PeerId module = house.describe(20, "link-trend");
    house.clear();
    house.say(house.policies, house.alice, SetPolicies{{"module:link-trend:gpt-1=off"}});
    house.poll();
    QCOMPARE(house.sent<ControlModule>().at(0).second.without, std::vector<TaskId>{TaskId("gpt-1")});
    QVERIFY(house.advise(module, House::share(40)).why.find("off for gpt-1") != std::string::npos);
    house.clear();
    house.say(house.policies, house.alice, SetPolicies{{"module:link-trend:nobody-7=off"}});
    QVERIFY(house.refusal().find("no such task") != std::string::npos);
}

void ModulesTest::checkpoint_is_ordered_if_the_task_allows_them() {
    using Every = task::CheckpointRule::Every;
    House house;
    const PeerId module = house.describe(20, "link-trend"), next = house.describe(21, "link-trend", "2");
    house.train("gpt-1", {Every::steps, 50, 2});
    house.train("rare-1", {Every::never, 0, 2});
    house.clear();
    QCOMPARE(house.why_no_order(house.alice, "gpt-1"), std::string("only a registered module may send this request"));
    QCOMPARE(house.why_no_order(next, "gpt-1"), std::string("the module is on standby"));
    QCOMPARE(house.why_no_order(module, "gpt-9"), std::string("no such task"));
    QCOMPARE(house.why_no_order(module, "rare-1"),
             std::string("the task file says that the task makes no checkpoints"));
    QVERIFY(!house.noted("orders a checkpoint after"));
    house.clear();
    QCOMPARE(house.why_no_order(module, "gpt-1"), std::string());
    const auto noted = house.logged<Noted>();
    QVERIFY(noted.size() == 1 && noted[0].component == "module link-trend" && noted[0].task == "gpt-1");
    QCOMPARE(noted[0].text, std::string("orders a checkpoint after step 12"));
    // A module may order checkpoints only as often as the orchestrator itself.
    QCOMPARE(house.why_no_order(module, "gpt-1"), std::string("a module has ordered a checkpoint less than 5 s ago"));
    house.pass(5s);
    QCOMPARE(house.why_no_order(module, "gpt-1"), std::string());
    house.pass(5s);
    house.say(house.policies, house.alice, SetPolicies{{"module:link-trend:gpt-1=off"}});
    QCOMPARE(house.why_no_order(module, "gpt-1"), std::string("the module is switched off for gpt-1"));
    // A task that does not train is not refused here: Checkpoints refuses it.
    house.context.append(PhaseChanged{TaskId("rare-1"), TaskPhase::exception, "a node is away"});
    QCOMPARE(house.why_no_order(module, "rare-1"), std::string());
    QVERIFY(house.modules.let_ask({module, 1, ReadStore{}}));
}

/// Tests that each refusal is logged as one line.
void ModulesTest::refused_checkpoint_order_is_logged() {
    using Every = task::CheckpointRule::Every;
    House house;
    const PeerId module = house.describe(20, "link-trend");
    house.train("gpt-1", {Every::steps, 50, 2});
    house.train("rare-1", {Every::never, 0, 2});
    const auto only_line = [&] {
        const auto noted = house.logged<Noted>();
        return noted.size() == 1 && noted[0].component == "module link-trend" ? noted[0].task + ": " + noted[0].text
                                                                              : "";
    };
    house.clear();
    (void)house.why_no_order(module, "rare-1");
    QCOMPARE(only_line(), std::string("rare-1: orders a checkpoint, and is refused: rare-1: the task file says that "
                                      "the task makes no checkpoints; an operator may order a checkpoint: "
                                      "'divisictl checkpoint'"));
    house.clear();
    const Error away{ErrorCode::unavailable, "a stage is away", "gpt-1/stage-0/0#1", "try again when it is back"};
    (void)house.why_no_order(module, "gpt-1", away);
    QCOMPARE(only_line(), std::string("gpt-1: orders a checkpoint, and is refused: gpt-1/stage-0/0#1: a stage is away; "
                                      "try again when it is back"));
    // No checkpoint was ordered, so the module need not wait 5 s before the next order.
    house.clear();
    QCOMPARE(house.why_no_order(module, "gpt-1"), std::string());
    QCOMPARE(only_line(), std::string("gpt-1: orders a checkpoint after step 12"));
    // Repeated attempts do not fill the log. Orders of other peers are not attributed to a module.
    house.pass(10s);
    house.modules.check_deadlines();
    house.clear();
    for (int i = 0; i < 15; ++i) (void)house.why_no_order(module, "gpt-1", away);
    QCOMPARE(house.logged<Noted>().size(), std::size_t(note_burst));
    house.clear();
    house.modules.order_answered(house.alice, TaskId("gpt-1"), 12);
    QVERIFY(house.logged<Noted>().empty());
}

void ModulesTest::endless_requests_are_cut_off_data() {
    QTest::addColumn<bool>("advises");
    QTest::newRow("the one that advises") << true;
    QTest::newRow("one that stands by, and is refused each time") << false;
}

void ModulesTest::endless_requests_are_cut_off() {
    QFETCH(bool, advises);
    House house;
    const PeerId first = house.describe(20, "link-trend"), next = house.describe(21, "link-trend", "2");
    const PeerId module = advises ? first : next;
    int asked = 0;
    for (; asked < 1000 && house.cut.empty(); ++asked) {
        (void)house.modules.let_ask({module, 1, ReadStore{}});
        house.poll();
    }
    QCOMPARE(house.cut.size(), std::size_t{1});
    QVERIFY(asked > 100 && house.noted("is cut off: the module kept sending more than 20 messages"));
}

void ModulesTest::operator_switches_to_another_version_of_a_module() {
    House house;
    const PeerId old = house.describe(20, "link-trend", "1");
    const PeerId next = house.describe(21, "link-trend", "2");
    QVERIFY(!house.sent<ControlModule>().at(0).second.advises);  // the new version stands by
    QVERIFY(house.advise(next, House::share(40)).why.find("stands by") != std::string::npos);
    house.clear();
    house.say(house.modules, house.alice, ChangeModule{"link-trend", false, "2"});
    QCOMPARE(house.sent<Done>().size(), std::size_t{1});
    QCOMPARE(house.advise(old, House::share(40)).outcome, AdviceOutcome::refused);
    QCOMPARE(house.advise(next, House::share(40)).outcome, AdviceOutcome::taken);
    house.clear();
    house.say(house.modules, house.alice, ChangeModule{"link-trend", false, "3"});
    QCOMPARE(house.refusal(), std::string("the cluster has no such version of the module"));
}

void ModulesTest::standby_version_replaces_one_that_disconnects() {
    House house;
    const PeerId old = house.describe(20, "link-trend", "1");
    const PeerId next = house.describe(21, "link-trend", "2");
    house.clear();
    house.modules.peer_gone(old, "its process ended", false);
    QVERIFY(house.noted("is gone: its process ended"));
    QVERIFY(house.sent<ControlModule>().at(0).second.advises);
    QCOMPARE(house.advise(next, House::share(40)).outcome, AdviceOutcome::taken);
    QCOMPARE(house.view(0).state, ModuleState::gone);
}

void ModulesTest::flood_of_advice_is_counted_and_cut_off() {
    House house;
    const PeerId module = house.describe(20, "link-trend");
    house.clear();
    for (int i = 0; i < 1000 && house.cut.empty(); ++i) {
        house.say(house.modules, module, Advise{0, {House::share(40)}});
        house.poll();
    }
    QCOMPARE(house.cut.size(), std::size_t{1});
    QVERIFY(house.noted("is cut off: the module kept sending more than 20 messages"));
    QVERIFY(house.logged<Noted>().size() < 20);
    const ModuleView view = house.view();
    QCOMPARE(view.state, ModuleState::cut_off);
    QVERIFY(view.refused > 200 && view.given == view.taken + view.refused);
    QVERIFY(house.entries().empty());  // its advice is withdrawn
    house.describe(21, "link-trend");
    QVERIFY(house.refusal().find("the module was cut off") != std::string::npos);
    house.live(61s);
    house.describe(22, "link-trend");
    QVERIFY(house.sent<ControlModule>().at(0).second.advises);
}

void ModulesTest::endless_descriptions_are_cut_off_data() {
    QTest::addColumn<QString>("version");
    QTest::newRow("as it is") << "1";
    QTest::newRow("as another") << "2";  // every description is refused
}

void ModulesTest::endless_descriptions_are_cut_off() {
    QFETCH(QString, version);
    House house;
    const PeerId module = house.describe(20, "link-trend");
    house.clear();
    std::size_t times = 0;
    for (; times < 1000 && house.cut.empty(); ++times) {
        house.say(house.modules, module, DescribeModule{House::info("link-trend", version.toStdString())});
        house.poll();
    }
    QCOMPARE(house.cut.size(), std::size_t{1});
    QVERIFY(times > 100);
    QVERIFY(house.noted("is cut off: the module kept sending more than 20 messages"));
    QVERIFY(house.logged<Noted>().size() < 20);
    QCOMPARE(house.view().state, ModuleState::cut_off);
}

void ModulesTest::module_with_invalid_advice_is_cut_off() {
    House house;
    const PeerId module = house.describe(20, "link-trend");
    Advice lie = House::share(40);
    lie.from = "mg-77";
    for (int i = 0; i < 200 && house.cut.empty(); ++i) {
        (void)house.advise(module, lie);
        house.live(100ms, {module});
    }
    QCOMPARE(house.cut.size(), std::size_t{1});
    QVERIFY(house.cut[0].why.what.find("not a gateway of this mesh") != std::string::npos);
}

void ModulesTest::hanging_module_is_cut_off() {
    House house;
    const PeerId slow = house.describe(20, "slow");
    const PeerId good = house.describe(21, "good");
    house.clear();
    house.live(9s, {good});
    QVERIFY(house.cut.empty());
    house.live(2s, {good});
    QCOMPARE(house.cut.size(), std::size_t{1});
    QCOMPARE(house.cut[0].peer, slow);
    QVERIFY(house.noted("the module did not answer an observation"));
}

void ModulesTest::placement_waits_ten_milliseconds_for_an_answer() {
    House house;
    QVERIFY(house.modules.consult_before_placement());  // there is no module to ask
    house.modules.placed();
    ModuleInfo info = House::info("routing", "1");
    info.sync = true;
    const PeerId module = house.describe(20, info);
    TaskSubmitted waiting;
    waiting.task = TaskId("gpt-1");
    house.context.append(waiting);
    house.clear();
    QVERIFY(!house.modules.consult_before_placement());
    const auto asked = house.sent<Observe>();
    QVERIFY(asked.size() == 1 && asked[0].second.placing);
    QCOMPARE(*house.modules.question_due(), house.context.lived() + 10ms);
    house.say(house.modules, module,
              Advise{asked[0].second.number, {House::about(AdviceKind::node_avoidance, "mic-1/a")}});
    house.poll();
    QVERIFY(house.modules.consult_before_placement());
    QVERIFY(house.queue.use().advised.contains(NodeId("mic-1/a")));  // the answer arrived in time
    house.modules.placed();
    QVERIFY(!house.modules.consult_before_placement());
    house.pass(9ms);
    QVERIFY(!house.modules.consult_before_placement());
    house.pass(1ms);
    QVERIFY(house.modules.consult_before_placement());
    QCOMPARE(house.view().missed, std::uint64_t{1});
}

void ModulesTest::module_that_misses_three_placements_is_skipped() {
    House house;
    ModuleInfo info = House::info("routing", "1");
    info.sync = true;
    const PeerId module = house.describe(20, info);
    TaskSubmitted waiting;
    waiting.task = TaskId("gpt-1");
    house.context.append(waiting);
    for (int i = 0; i < 3; ++i) {
        QVERIFY(!house.modules.consult_before_placement());
        house.pass(10ms);
        QVERIFY(house.modules.consult_before_placement());
        house.modules.placed();
    }
    QVERIFY(house.modules.consult_before_placement());  // without waiting
    house.modules.placed();
    house.say(house.modules, module, Advise{3, {}});
    QVERIFY(!house.modules.consult_before_placement());
}

void ModulesTest::stop_is_sent_to_every_process() {
    House house;
    house.describe(20, "link-trend", "1");
    house.describe(21, "link-trend", "2");
    house.clear();
    house.say(house.modules, house.alice, ChangeModule{"link-trend", true, ""});
    QCOMPARE(house.sent<ControlModule>().size(), std::size_t{2});
    for (const auto& [peer, control] : house.sent<ControlModule>()) QVERIFY(control.stop);
    house.clear();
    house.say(house.modules, house.alice, ChangeModule{"nobody", true, ""});
    QCOMPARE(house.refusal(), std::string("the cluster has no such module"));
}

void ModulesTest::single_version_can_be_stopped() {
    House house;
    house.describe(20, "link-trend", "1");
    const PeerId second = house.describe(21, "link-trend", "2");
    house.clear();
    house.say(house.modules, house.alice, ChangeModule{"link-trend", true, "2"});
    QCOMPARE(house.sent<ControlModule>().size(), std::size_t{1});
    QCOMPARE(house.sent<ControlModule>()[0].first, second);
    house.clear();
    house.say(house.modules, house.alice, ChangeModule{"link-trend", true, "3"});
    QCOMPARE(house.refusal(), std::string("the cluster has no such version of the module"));
}

DIVISI_TEST(ModulesTest)

}  // namespace modules_test

#include "modules_test.moc"
