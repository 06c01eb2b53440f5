// SPDX-License-Identifier: Apache-2.0
#include "backend/control/policy/policies.h"

#include "backend/control/policy/abnormal.h"
#include "backend/control/types/policy_settings.h"
#include "tests/support/test_program.h"
#include "tests/unit/control/fixture.h"

namespace policies_test {

using namespace divisi;
using namespace divisi::control;
using namespace std::chrono_literals;

namespace {

/// A fixture with two gateways and two paths between them, through sr-1 and sr-2.
struct Mesh : test::Fixture {
    MeshDevices devices{context};
    Models models{context};
    Policies policies{context, devices, models};
    PeerId alice = connect(9);
    std::uint64_t period = 0;

    explicit Mesh(const ClusterState& before = {}) {
        context.restore(before);
        context.follow([this](const Event& event) { devices.follow(event); });
        std::uint64_t peer = 1;
        for (const char* name : {"mg-1", "mg-2", "sr-1", "sr-2"}) join(peer++, name);
        policies.poll();
        clear();
    }
    void join(std::uint64_t peer, const std::string& name, Bytes buffer = 256 << 20) {
        DeviceInfo info;
        info.name = name;
        info.role = name.starts_with("mg") ? mesh::DeviceRole::gateway : mesh::DeviceRole::router;
        if (name.starts_with("mg")) info.mic = MicId("mic-" + name.substr(3));
        else info.neighbours = {"mg-1", "mg-2"};
        info.buffer = buffer;
        say(devices, connect(peer), RegisterDevice{info});
    }
    void set(const std::vector<std::string>& settings) {
        clear();
        say(policies, alice, SetPolicies{settings});
    }
    void roll_back(std::uint64_t version = 0) {
        clear();
        say(policies, alice, RollBackPolicies{version});
    }
    PoliciesState state() {
        clear();
        say(policies, alice, QueryPolicies{});
        return sent<PoliciesState>().at(0).second;
    }
    std::vector<PolicyEntry> entries() { return context.state().policies.rbegin()->second.entries; }
    /// Lets mg-1 acknowledge the version in force, if any.
    void applied() {
        const auto& versions = context.state().policies;
        if (!versions.empty()) say(policies, PeerId(1), PolicyAnswer{versions.rbegin()->first, std::nullopt});
    }
    /// Reports one second at mg-1, in which each path delivered this many bytes and was busy for this share.
    void report(double first, double second, double busy_first, double busy_second) {
        applied();
        send_report(first, second, busy_first, busy_second);
    }
    /// Sends the report without acknowledging the version first.
    void send_report(double first, double second, double busy_first, double busy_second) {
        pass(1s);
        DeviceReport message;
        message.period = ++period;
        const auto ways = devices.ways(1, 2);
        for (const std::uint32_t path_index : {0U, 1U}) {
            FlowReport flow;
            flow.task = TaskId("t");
            flow.source = Sid("t/stage-0/0");
            flow.destination = Sid("t/stage-1/0");
            flow.path = path_index == 0 ? ways->first : ways->second;
            flow.path_index = path_index;
            flow.quality.bytes_per_s = path_index == 0 ? first : second;
            flow.quality.busy = path_index == 0 ? busy_first : busy_second;
            message.flows.push_back(flow);
        }
        say(devices, PeerId(1), message);
        policies.poll();
    }
};

}  // namespace

/// Tests policies as versioned data that is set, sent to devices, acknowledged, rolled back, and moved by device
/// reports.
class PoliciesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void settings_are_parsed_and_checked_against_bounds_data();
    void settings_are_parsed_and_checked_against_bounds();
    void module_switches_are_parsed();
    void balancing_rules_are_parsed();
    void gateway_limits_are_parsed_data();
    void gateway_limits_are_parsed();
    void change_is_a_version_with_an_author_for_all_devices();
    void registering_device_gets_the_version_in_force();
    void answers_of_devices_are_shown();
    void window_leaves_room_in_every_buffer();
    void unknown_ends_are_refused();
    void rollback_is_a_new_version();
    void alarms_are_set_only_at_known_devices();
    void trial_is_checked_like_a_change_and_applies_nothing();
    void versions_beyond_the_bound_are_forgotten();
    void trial_versions_do_not_evict_operators_versions_data();
    void trial_versions_do_not_evict_operators_versions();
    void repeated_answers_do_not_fill_the_log();
    void smo_moves_traffic_off_a_slow_path();
    void moved_share_is_restored_after_a_restart();
    void flows_of_other_gateways_are_not_balanced();
    void departed_gateway_is_forgotten();
    void gateway_is_not_balanced_before_it_acknowledges();
    void shares_stay_if_adapt_is_off();
    void advised_share_is_left_to_its_module();
    void moved_share_is_restored_after_adapt_was_off();
    void abnormal_state_is_logged_with_its_effects();
    void flapping_link_is_counted();
    void dependent_units_are_found_in_any_order();
};

void PoliciesTest::trial_is_checked_like_a_change_and_applies_nothing() {
    Mesh mesh;
    mesh.set({"share=60"});
    mesh.context.append(TaskSubmitted{TaskId("t"), "t", "text", "", "", {}, "", 0});
    mesh.context.append(InstancePlaced{TaskId("t"), InstanceId("t/stage-1/0#1"), Sid("t/stage-1/0"), NodeId("b"), 1});
    mesh.context.append(InstancePlaced{TaskId("t"), InstanceId("t/stage-0/0#1"), Sid("t/stage-0/0"), NodeId("a"), 0});
    mesh.context.append(PhaseChanged{TaskId("t"), TaskPhase::exchange, ""});
    mesh.clear();
    mesh.say(mesh.policies, mesh.alice, TryPolicies{{"share:mg-1:mg-9=4"}});
    QVERIFY(mesh.refusal().find("not a gateway of this mesh") != std::string::npos);
    mesh.clear();
    mesh.say(mesh.policies, mesh.alice, TryPolicies{{"share:mg-1:mg-2=0"}});
    QVERIFY(mesh.logged<PolicyChanged>().empty() && mesh.sent<DevicePolicy>().empty());
    const auto& jobs = mesh.context.output().jobs;
    QCOMPARE(jobs.size(), 1U);
    const auto& job = get<PolicyTrialJob>(jobs[0].what);
    QCOMPARE(job.entries.size(), 2U);  // the entry in force and the change
    QCOMPARE(job.tasks.at(0).stage_nodes, (std::vector<std::string>{"a", "b"}));
    mesh.say(mesh.policies, mesh.alice, TryPolicies{{"share=1"}});  // refused: the first trial is still running
    QCOMPARE(mesh.context.output().jobs.size(), 1U);
}

void PoliciesTest::settings_are_parsed_and_checked_against_bounds_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("read");  // empty: refused
    QTest::addColumn<QString>("why");
    QTest::newRow("share") << "share=40"
                           << "share=40"
                           << "";
    QTest::newRow("percent") << "share:mg-1:mg-2=40%"
                             << "share:mg-1:mg-2=40"
                             << "";
    QTest::newRow("sids") << "share:t/stage-0/0:t/stage-1/0=0"
                          << "share:t/stage-0/0:t/stage-1/0=0"
                          << "";
    QTest::newRow("window") << "window=16MiB"
                            << "window=16MiB"
                            << "";
    QTest::newRow("bytes") << "window=2000000B"
                           << "window=2000000B"
                           << "";
    QTest::newRow("adapt") << "adapt=off"
                           << "adapt=off"
                           << "";
    QTest::newRow("unknown key") << "color=red"
                                 << ""
                                 << "there is no policy 'color'";
    QTest::newRow("no value") << "share"
                              << ""
                              << "the setting has no value";
    QTest::newRow("empty") << ""
                           << ""
                           << "the setting has no value";
    QTest::newRow("above") << "share=101"
                           << ""
                           << "from 0 to 100";
    QTest::newRow("below") << "share=-1"
                           << ""
                           << "from 0 to 100";
    QTest::newRow("fraction") << "share=0.5"
                              << ""
                              << "from 0 to 100";
    QTest::newRow("long") << "share=99999999999999999999"
                          << ""
                          << "from 0 to 100";
    QTest::newRow("small window") << "window=1kB"
                                  << ""
                                  << "1 MiB";
    QTest::newRow("large window") << "window=2GiB"
                                  << ""
                                  << "1 GiB";
    QTest::newRow("no unit") << "window=8"
                             << ""
                             << "1 MiB";
    QTest::newRow("nan window") << "window=nanMiB"
                                << ""
                                << "1 MiB";
    QTest::newRow("neither") << "adapt=maybe"
                             << ""
                             << "on or off";
    QTest::newRow("adapt of a pair") << "adapt:mg-1:mg-2=on"
                                     << ""
                                     << "whole mesh";
    QTest::newRow("one end") << "share:mg-1=4"
                             << ""
                             << "two ends";
    QTest::newRow("no end") << "share::=4"
                            << ""
                            << "two ends";
}

void PoliciesTest::settings_are_parsed_and_checked_against_bounds() {
    QFETCH(QString, text);
    QFETCH(QString, read);
    QFETCH(QString, why);
    const auto setting = parse_setting(text.toStdString());
    QCOMPARE(setting.ok(), !read.isEmpty());
    if (setting) QCOMPARE(QString::fromStdString(to_text(setting->entry)), read);
    else QVERIFY2(QString::fromStdString(setting.error().message()).contains(why), setting.error().message().c_str());
}

void PoliciesTest::module_switches_are_parsed() {
    for (const char* text : {"module:link-trend=off", "module:link-trend:gpt-1=on"})
        QCOMPARE(to_text(parse_setting(text)->entry), std::string(text));
    QVERIFY(parse_setting("module:link-trend=default")->removed);
    for (const char* text : {"module=off", "module:=off", "module:a:=off", "module:a:b:c=off", "module:a=maybe"})
        QVERIFY2(!parse_setting(text), text);
}

void PoliciesTest::balancing_rules_are_parsed() {
    for (const char* text :
         {"balancing=round-robin", "balancing=least-outstanding", "balancing=weighted", "balancing=two-choices"})
        QCOMPARE(to_text(parse_setting(text).value().entry), std::string(text));
    QVERIFY(parse_setting("balancing=fair").error().message().find("two-choices") != std::string::npos);
    QVERIFY(parse_setting("balancing:mg-1:mg-2=weighted").error().message().find("whole mesh") != std::string::npos);
}

void PoliciesTest::gateway_limits_are_parsed_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("read");  // empty: refused
    QTest::addColumn<QString>("why");
    const auto row = [](const char* text, const char* read, const char* why = "") {
        QTest::newRow(text) << text << read << why;
    };
    row("mic-rate=200MB/s", "mic-rate=200MB/s");
    row("mic-rate:mg-1=1Gbit/s", "mic-rate:mg-1=125MB/s");
    row("task-rate:mg-2=none", "task-rate:mg-2=none");
    row("task-rate=1234567B/s", "task-rate=1234567B/s");
    row("retries=none", "retries=none");
    row("retries=1", "retries=1");
    row("retries:mg-1=1000000", "retries:mg-1=1000000");
    row("breaker=1", "breaker=1");
    row("breaker:mg-1=100", "breaker:mg-1=100");
    row("mic-rate=1kB/s", "", "from 1 MB/s to 1 TB/s");
    row("mic-rate=2000TB/s", "", "from 1 MB/s to 1 TB/s");
    row("mic-rate=nanMB/s", "", "from 1 MB/s to 1 TB/s");
    row("task-rate=5", "", "from 1 MB/s to 1 TB/s");
    row("retries=0", "", "a whole number");
    row("retries=1000001", "", "a whole number");
    row("retries=1.5", "", "a whole number");
    row("breaker=0", "", "from 1 to 100");
    row("breaker=101", "", "from 1 to 100");
    row("breaker:mg-1:mg-2=3", "", "exactly one gateway");
    row("mic-rate:=3MB/s", "", "exactly one gateway");
    row("alarm-retries=32", "alarm-retries=32");
    row("alarm-refusals:sr-1=1", "alarm-refusals:sr-1=1");
    row("alarm-latency:mg-1=0.25s", "alarm-latency:mg-1=250ms");
    row("alarm-full=1s", "alarm-full=1s");
    row("alarm-retries=0", "", "from 1 to 1000000");
    row("alarm-refusals=1000001", "", "write e.g. alarm-refusals=16");
    row("alarm-retries=few", "", "a whole number");
    row("alarm-latency=5", "", "with ms or s");
    row("alarm-latency=61s", "", "from 1 ms to 60 s");
    row("alarm-latency=nan s", "", "from 1 ms to 60 s");
    row("alarm-full=99ms", "", "from 100 ms to 60 s");
    row("alarm-full:sr-1:sr-2=1s", "", "exactly one gateway or router, or none");
}

void PoliciesTest::gateway_limits_are_parsed() { settings_are_parsed_and_checked_against_bounds(); }

void PoliciesTest::change_is_a_version_with_an_author_for_all_devices() {
    Mesh mesh;
    mesh.set({"share:mg-1:mg-2=40", "window=16MiB"});
    QCOMPARE(mesh.sent<PolicyNumber>().at(0).second.version, std::uint64_t{1});
    QCOMPARE(mesh.sent<DevicePolicy>().size(), std::size_t{4});
    QCOMPARE(mesh.sent<DevicePolicy>()[0].second.entries.size(), std::size_t{2});
    const auto events = mesh.logged<PolicyChanged>();
    QCOMPARE(events.size(), std::size_t{1});
    QCOMPARE(events[0].policy.author, std::string("me"));
    QCOMPARE(events[0].policy.change, std::string("share:mg-1:mg-2=40, window=16MiB"));
    mesh.set({"share:mg-1:mg-2=60", "window=default"});
    QCOMPARE(mesh.entries(), (std::vector<PolicyEntry>{{PolicyKey::share, "mg-1", "mg-2", 60}}));
    QCOMPARE(mesh.logged<PolicyChanged>().at(0).policy.change,
             std::string("share:mg-1:mg-2=60 (was 40), window=default (was 16MiB)"));
    mesh.set({"share=30", "share=101"});  // one bad setting refuses them all
    QVERIFY(mesh.refusal().find("0 to 100") != std::string::npos);
    QCOMPARE(mesh.context.state().policies.size(), std::size_t{2});
}

void PoliciesTest::alarms_are_set_only_at_known_devices() {
    Mesh mesh;
    mesh.set({"alarm-latency:sr-7=100ms"});
    QVERIFY2(mesh.refusal().find("'sr-7' is not a gateway or router of this mesh") != std::string::npos,
             mesh.refusal().c_str());
    mesh.set({"breaker:sr-1=2"});  // a setting for gateways only
    QVERIFY(mesh.refusal().find("not a gateway of this mesh") != std::string::npos);
    mesh.set({"alarm-latency:sr-1=100ms", "alarm-full:mg-1=2s", "alarm-retries=4"});
    QCOMPARE(mesh.refusal(), std::string());
    QCOMPARE(mesh.sent<DevicePolicy>().size(), std::size_t{4});
    const auto set = mesh.sent<DevicePolicy>()[0].second.entries;
    QCOMPARE(value_of(set, PolicyKey::alarm_latency, "sr-1"), std::optional<std::int64_t>(100));
    QVERIFY(!value_of(set, PolicyKey::alarm_latency, "sr-2"));
    QCOMPARE(value_of(set, PolicyKey::alarm_retries, "sr-2"), std::optional<std::int64_t>(4));
    mesh.set({"alarm-latency:sr-1=default"});
    mesh.roll_back(1);
    QCOMPARE(mesh.sent<DevicePolicy>().at(0).second.entries, set);
}

void PoliciesTest::registering_device_gets_the_version_in_force() {
    Mesh mesh;
    mesh.set({"share=40"});
    mesh.clear();
    mesh.join(7, "sr-3");
    mesh.policies.poll();
    const auto told = mesh.sent<DevicePolicy>();
    QCOMPARE(told.size(), std::size_t{1});
    QCOMPARE(told[0].first, PeerId(7));
    QCOMPARE(told[0].second.version, std::uint64_t{1});
}

void PoliciesTest::answers_of_devices_are_shown() {
    Mesh mesh;
    mesh.set({"window=64MiB"});
    mesh.say(mesh.policies, PeerId(1), PolicyAnswer{1, std::nullopt});
    mesh.say(mesh.policies, PeerId(3), PolicyAnswer{1, Error{ErrorCode::invalid_input, "too small a buffer", "", ""}});
    QVERIFY(mesh.logged<Noted>().at(0).text.find("sr-1 refuses version 1") != std::string::npos);
    const PoliciesState state = mesh.state();
    QCOMPARE(state.current, std::uint64_t{1});
    QCOMPARE(state.devices.size(), std::size_t{4});
    QCOMPARE(state.devices[0].applied, std::uint64_t{1});  // mg-1
    QCOMPARE(state.devices[2].applied, std::uint64_t{0});  // sr-1
    QCOMPARE(state.devices[2].refused, std::uint64_t{1});
    QVERIFY(state.devices[2].reason.find("too small a buffer") != std::string::npos);
    mesh.clear();
    mesh.say(mesh.policies, mesh.alice, PolicyAnswer{1, std::nullopt});  // only a device may answer
    QVERIFY(!mesh.refusal().empty());
}

void PoliciesTest::window_leaves_room_in_every_buffer() {
    Mesh mesh;
    mesh.set({"window=65MiB"});  // a quarter of 256 MiB is 64 MiB
    QVERIFY(mesh.refusal().find("a quarter of the buffer of mg-1") != std::string::npos);
    mesh.set({"window=64MiB"});
    QVERIFY(mesh.refusal().empty());
    mesh.join(7, "sr-3", 16 << 20);
    mesh.set({"window=8MiB"});
    QVERIFY(mesh.refusal().find("a quarter of the buffer of sr-3") != std::string::npos);
    mesh.set({"window=4MiB"});
    QVERIFY(mesh.refusal().empty());
    mesh.set({"window=default"});
    QVERIFY(mesh.refusal().empty());
}

void PoliciesTest::unknown_ends_are_refused() {
    Mesh mesh;
    for (const char* text : {"share:mg-1:mg-9=40", "share:sr-1:mg-1=40", "share:t/a/0:t/b/0=40", "share:mg-1:mg-1=4",
                             "breaker:mg-9=3", "retries:sr-1=3", "mic-rate:t/a/0=3MB/s"}) {
        mesh.set({text});
        QVERIFY2(!mesh.refusal().empty(), text);
    }
    QVERIFY(mesh.context.state().policies.empty());
    mesh.set({"breaker:mg-1=3"});
    QVERIFY(mesh.refusal().empty());
    mesh.set({});
    QVERIFY(!mesh.refusal().empty());
}

void PoliciesTest::rollback_is_a_new_version() {
    Mesh mesh;
    mesh.roll_back();
    QVERIFY(!mesh.refusal().empty());  // no version precedes version 0
    mesh.set({"share=40"});
    mesh.set({"share=20"});
    mesh.roll_back();
    QCOMPARE(mesh.sent<PolicyNumber>().at(0).second.version, std::uint64_t{3});
    QCOMPARE(mesh.entries().at(0).value, std::int64_t{40});
    QVERIFY(mesh.logged<PolicyChanged>().at(0).policy.change.find("as version 1 again") != std::string::npos);
    mesh.roll_back(99);
    QVERIFY(mesh.refusal().find("no such version") != std::string::npos);
    mesh.roll_back(3);
    QVERIFY(mesh.refusal().find("in force") != std::string::npos);
    mesh.set({"share=default"});
    mesh.roll_back(2);
    QCOMPARE(mesh.entries().at(0).value, std::int64_t{20});
}

void PoliciesTest::versions_beyond_the_bound_are_forgotten() {
    Mesh mesh;
    for (int i = 0; i < 150; ++i) mesh.set({"share=" + std::to_string(i % 101)});
    QCOMPARE(mesh.context.state().policies.size(), most_policy_versions);
    mesh.roll_back(1);
    QVERIFY(!mesh.refusal().empty());
}

void PoliciesTest::trial_versions_do_not_evict_operators_versions_data() {
    QTest::addColumn<bool>("before");
    QTest::addColumn<bool>("between");
    QTest::newRow("the SMO alone") << false << false;
    QTest::newRow("an operator before") << true << false;
    QTest::newRow("an operator before and between") << true << true;
}

void PoliciesTest::trial_versions_do_not_evict_operators_versions() {
    QFETCH(bool, before);
    QFETCH(bool, between);
    Mesh mesh;
    const PolicyEntry share{PolicyKey::share, "mg-1", "mg-2", 80}, window{PolicyKey::window, "", "", 16 << 20};
    std::uint64_t number = 0;
    const auto version = [&](const std::string& author, std::vector<PolicyEntry> entries) {
        mesh.context.append(PolicyChanged{{++number, mesh.now, author, "", "", std::move(entries)}});
    };
    if (before) version("me", {share});
    PolicyEntry moved = share;
    for (int i = 0; i < 121; ++i) {  // the first path is left, and then retried 60 times
        if (between && i == 60) version("me", {moved, window});
        moved.value = i % 2 == 0 ? 0 : trial_percent;
        version(smo_author, between && i >= 60 ? std::vector{moved, window} : std::vector{moved});
    }
    QCOMPARE(mesh.context.state().policies.size(), most_policy_versions);
    QCOMPARE(mesh.context.state().policies.rbegin()->first, number);
    QCOMPARE(mesh.context.state().policies.contains(1), before);
    Mesh again(mesh.context.state());
    for (int i = 0; i < 31; ++i) again.report(0, 30e6, 0, 0.8);
    for (int i = 0; i < 5; ++i) again.report(3e6, 27e6, 0.08, 0.72);
    QCOMPARE(again.state().paths.at(0).share, before ? 80U : 100U);
}

void PoliciesTest::repeated_answers_do_not_fill_the_log() {
    Mesh mesh;
    const Error no{ErrorCode::invalid_input, "no", "", ""};
    std::size_t lines = 0;
    for (std::uint64_t version = 1; version <= 50; ++version) {
        mesh.set({"share=" + std::to_string(version)});
        for (const std::uint64_t answered : {version, version, version - 1, version + 1, std::uint64_t{999}})
            mesh.say(mesh.policies, PeerId(3), PolicyAnswer{answered, no});
        lines += mesh.logged<Noted>().size();
        QCOMPARE(mesh.state().devices.at(2).refused, version);
    }
    QCOMPARE(lines, std::size_t(note_burst));
    mesh.clear();
    mesh.pass(note_interval);
    mesh.policies.poll();
    QCOMPARE(mesh.logged<Noted>().size(), std::size_t{1});  // this line gives the number of suppressed lines
}

void PoliciesTest::smo_moves_traffic_off_a_slow_path() {
    Mesh mesh;
    for (int i = 0; i < 15; ++i) mesh.report(30e6, 0, 0.8, 0);
    QVERIFY(mesh.context.state().policies.empty());
    mesh.clear();
    for (int i = 0; i < 10; ++i) mesh.report(6e6, 0, 1, 0);
    const auto moves = mesh.logged<PolicyChanged>();
    QCOMPARE(moves.size(), std::size_t{1});
    QCOMPARE(moves[0].policy.author, std::string(smo_author));
    QCOMPARE(moves[0].policy.change, std::string("share:mg-1:mg-2=0 (was 100)"));
    QVERIFY2(moves[0].policy.reason.find("the first path (sr-1) carries") == 0, moves[0].policy.reason.c_str());
    QCOMPARE(mesh.sent<DevicePolicy>().size(), std::size_t{4});
    for (int i = 0; i < 15; ++i) mesh.report(0, 30e6, 0, 0.8);
    const PoliciesState state = mesh.state();
    QCOMPARE(state.paths.size(), std::size_t{1});
    QCOMPARE(state.paths[0].share, std::uint32_t{0});
    QVERIFY(state.paths[0].second_bytes_per_s > 30e6);
}

void PoliciesTest::moved_share_is_restored_after_a_restart() {
    Mesh mesh;
    for (int i = 0; i < 15; ++i) mesh.report(30e6, 0, 0.8, 0);
    for (int i = 0; i < 10; ++i) mesh.report(6e6, 0, 1, 0);
    QCOMPARE(mesh.entries().at(0).value, std::int64_t{0});
    Mesh again(mesh.context.state());
    for (int i = 0; i < 31; ++i) again.report(0, 30e6, 0, 0.8);
    QCOMPARE(again.entries().at(0).value, std::int64_t{trial_percent});
    for (int i = 0; i < 5; ++i) again.report(3e6, 27e6, 0.08, 0.72);
    QVERIFY(again.entries().empty());  // as before the move
}

void PoliciesTest::flows_of_other_gateways_are_not_balanced() {
    Mesh mesh;
    DeviceReport report;
    FlowReport flow;
    flow.path = mesh.devices.ways(2, 1)->first;
    report.flows = {flow};
    report.period = 1;
    mesh.say(mesh.devices, PeerId(1), report);  // mg-1 reports a flow of mg-2
    mesh.policies.poll();
    QVERIFY(mesh.state().paths.empty());
    mesh.say(mesh.devices, PeerId(2), report);
    mesh.policies.poll();
    QCOMPARE(mesh.state().paths.size(), std::size_t{1});
}

void PoliciesTest::departed_gateway_is_forgotten() {
    Mesh mesh;
    for (int i = 0; i < 3; ++i) mesh.report(30e6, 0, 0.8, 0);
    QCOMPARE(mesh.state().paths.size(), std::size_t{1});
    mesh.devices.device_gone(PeerId(2), "cut", false);
    mesh.policies.poll();
    QCOMPARE(mesh.state().paths.size(), std::size_t{1});
    mesh.join(8, "mg-2");
    mesh.devices.device_gone(PeerId(8), "told to end", true);
    mesh.policies.poll();
    QVERIFY(mesh.state().paths.empty());
}

void PoliciesTest::gateway_is_not_balanced_before_it_acknowledges() {
    for (const bool in_part : {false, true}) {
        Mesh mesh;
        for (int i = 0; i < 15; ++i) mesh.report(30e6, 0, 0.8, 0);
        mesh.set({"window=16MiB"});
        for (int i = 0; i < 10; ++i) mesh.send_report(6e6, 0, 1, 0);
        QCOMPARE(mesh.context.state().policies.size(), std::size_t{1});
        const Error refused{ErrorCode::invalid_input, "the window is too large", "", ""};
        mesh.say(mesh.policies, PeerId(1), PolicyAnswer{1, in_part ? std::optional(refused) : std::nullopt});
        for (int i = 0; i < 10; ++i) mesh.send_report(6e6, 0, 1, 0);
        QCOMPARE(mesh.context.state().policies.size(), std::size_t{2});  // the share was moved
    }
}

void PoliciesTest::shares_stay_if_adapt_is_off() {
    Mesh mesh;
    mesh.set({"adapt=off"});
    for (int i = 0; i < 15; ++i) mesh.report(30e6, 0, 0.8, 0);
    for (int i = 0; i < 30; ++i) mesh.report(6e6, 0, 1, 0);
    QCOMPARE(mesh.context.state().policies.size(), std::size_t{1});
}

void PoliciesTest::advised_share_is_left_to_its_module() {
    Mesh mesh;
    for (int i = 0; i < 15; ++i) mesh.report(30e6, 0, 0.8, 0);
    const PolicyEntry entry{PolicyKey::share, "mg-1", "mg-2", 90};
    QVERIFY(mesh.policies.take_advice(entry, "module compute-routing", "it says so").ok());
    mesh.applied();
    for (int i = 0; i < 30; ++i) mesh.report(6e6, 0, 1, 0);
    QCOMPARE(mesh.state().paths.at(0).share, std::uint32_t{90});
    mesh.set({"share:mg-1:mg-2=default"});  // without an entry, the share belongs to the orchestrator again
    mesh.applied();
    for (int i = 0; i < 15; ++i) mesh.report(30e6, 0, 0.8, 0);
    for (int i = 0; i < 30; ++i) mesh.report(6e6, 0, 1, 0);
    QCOMPARE(mesh.state().paths.at(0).share, std::uint32_t{0});
}

void PoliciesTest::moved_share_is_restored_after_adapt_was_off() {
    Mesh mesh;
    for (int i = 0; i < 15; ++i) mesh.report(30e6, 0, 0.8, 0);
    for (int i = 0; i < 10; ++i) mesh.report(6e6, 0, 1, 0);
    mesh.set({"adapt=off"});
    for (int i = 0; i < 100; ++i) mesh.report(0, 30e6, 0, 0.8);
    QCOMPARE(mesh.state().paths.at(0).share, 0U);
    mesh.set({"adapt=on"});
    for (int i = 0; i < 100 && mesh.state().paths.at(0).share == 0; ++i) mesh.report(0, 30e6, 0, 0.8);
    QCOMPARE(mesh.state().paths.at(0).share, std::uint32_t{trial_percent});
    for (int i = 0; i < 5; ++i) mesh.report(3e6, 27e6, 0.08, 0.72);
    QCOMPARE(mesh.state().paths.at(0).share, 100U);
}

void PoliciesTest::abnormal_state_is_logged_with_its_effects() {
    Mesh mesh;
    const TaskId task("t");
    TaskSubmitted submitted;
    submitted.task = task;
    submitted.name = "t";
    mesh.context.append(submitted);
    TaskPlanned planned;
    planned.task = task;
    planned.units = {{Sid("t/stage-0/forward/0"), "forward", InstanceId("t/stage-0/0#1"), {}},
                     {Sid("t/stage-1/forward/0"), "forward", InstanceId("t/stage-1/0#1"), {Sid("t/stage-0/forward/0")}},
                     {Sid("t/stage-1/loss/0"), "loss", InstanceId("t/stage-1/0#1"), {Sid("t/stage-1/forward/0")}}};
    mesh.context.append(planned);
    mesh.clear();
    const auto ways = mesh.devices.ways(1, 2);
    AbnormalState state;
    state.kind = mesh::AbnormalKind::neighbour_silent;
    state.neighbour = 3;
    state.flows = {{task, Sid("t/stage-0/0"), Sid("t/stage-1/0"), ways->second}};
    mesh.say(mesh.policies, PeerId(1), state);
    const auto lines = mesh.logged<Noted>();
    QCOMPARE(lines.size(), std::size_t{1});
    QCOMPARE(lines[0].task, std::string("t"));
    QCOMPARE(lines[0].text,
             std::string("mg-1 hears nothing from sr-1; after local repair t/stage-0/0 > t/stage-1/0 uses sr-2; "
                         "units that depend on it: 2"));
    const auto degraded = mesh.policies.take_degraded();
    QCOMPARE(degraded.size(), std::size_t{1});
    QVERIFY(degraded[0].task == task && degraded[0].ends == "mg-1 sr-1");
    QCOMPARE(degraded[0].what, std::string("mg-1 hears nothing from sr-1"));
    state.kind = mesh::AbnormalKind::neighbour_back;
    mesh.say(mesh.policies, PeerId(1), state);
    QVERIFY(mesh.policies.take_degraded().empty());
    state.kind = mesh::AbnormalKind::neighbour_silent;
    mesh.clear();
    for (int i = 0; i < 100; ++i) mesh.say(mesh.policies, PeerId(1), state);
    QVERIFY(mesh.logged<Noted>().size() < 10);  // repeated states do not fill the log
}

/// The changes are seconds apart, but are still logged together. A neighbouring link has separate lines.
void PoliciesTest::flapping_link_is_counted() {
    Mesh mesh;
    const auto change = [&](std::uint32_t neighbour, bool back) {
        AbnormalState state;
        state.kind = back ? mesh::AbnormalKind::neighbour_back : mesh::AbnormalKind::neighbour_silent;
        state.neighbour = neighbour;
        mesh.say(mesh.policies, PeerId(1), state);
    };
    mesh.clear();
    for (int i = 0; i < 10; ++i) {
        change(3, i % 2 == 1);
        mesh.pass(2500ms);
    }
    QCOMPARE(mesh.logged<Noted>().size(), std::size_t(note_burst));
    change(4, false);
    QCOMPARE(mesh.logged<Noted>().size(), std::size_t(note_burst) + 1);
    mesh.clear();
    mesh.pass(flap_interval);
    mesh.send_report(0, 0, 0, 0);
    const auto lines = mesh.logged<Noted>();
    QCOMPARE(lines.size(), std::size_t{1});
    QCOMPARE(lines[0].text, std::string("mg-1 hears sr-1 again; no task is affected (the last of 5 such lines that "
                                        "were left out)"));
}

void PoliciesTest::dependent_units_are_found_in_any_order() {
    constexpr int count = 3'000;
    const auto sid = [](int i) { return Sid("t/stage-" + std::to_string(i) + "/forward/0"); };
    const auto player = [](int i) { return InstanceId("t/stage-" + std::to_string(i) + "/0#1"); };
    std::vector<UnitView> units;
    for (int i = count - 1; i > 0; --i) units.push_back({sid(i), "forward", player(i), {sid(i - 1)}});
    units.push_back({sid(0), "forward", player(0), {}});
    const AbnormalFlow late{TaskId("t"), Sid("t/stage-999/0"), Sid("t/stage-1000/0"), {}};
    const AbnormalFlow early{TaskId("t"), Sid("t/stage-10/0"), Sid("t/stage-11/0"), {}};
    const AbnormalFlow back{TaskId("t"), Sid("t/stage-4/0"), Sid("t/stage-3/0"), {}};  // no data goes in this direction
    QCOMPARE(waiting_for(units, {&late}).size(), std::size_t{count - 1'000});
    QCOMPARE(waiting_for(units, {&late, &early}).size(), std::size_t{count - 11});
    QCOMPARE(waiting_for(units, {&back}).size(), std::size_t{0});
    QVERIFY(!waiting_for(units, {&early}).contains(sid(10)) && waiting_for(units, {&early}).contains(sid(11)));
}

DIVISI_TEST(PoliciesTest)

}  // namespace policies_test

#include "policies_test.moc"
