// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/admission/admission.h"

#include "tests/support/test_program.h"

namespace admission_test {

using namespace divisi;
using namespace divisi::mesh;
using identity::Credentials;
using namespace std::chrono_literals;

namespace {

const RoutingId here(1), there(2);
const std::string a = "task/stage-0/0", b = "task/stage-1/0", stranger = "other/stage-0/0", nobody = "task/stage-9/0";
constexpr std::uint64_t process = 3;

Credentials node(const std::string& name) {
    Credentials sender;
    sender.role = identity::Role::agent;
    sender.name = name;
    sender.key = "key of " + name;
    return sender;
}

/// A fixture with a gateway. Its MIC has the SID `a`, which process 3 on node-1 serves. `b` and another task are
/// served elsewhere.
struct Gateway {
    Admission admission;
    TimePoint now{100s};
    std::map<std::uint64_t, Place> places;

    explicit Gateway(AdmissionConfig config = {}) : admission(with_self(config)) {
        place(a, "task", here);
        place(b, "task", there);
        place(stranger, "other", there);
        admission.set_places(places, now);
        allow(1);
    }
    static AdmissionConfig with_self(AdmissionConfig config) {
        config.self = here;
        return config;
    }
    void place(const std::string& sid, const std::string& task, RoutingId gateway) {
        places[frame::flow_id(Sid(sid))] = {TaskId(task), Sid(sid), gateway};
    }
    void allow(std::uint64_t version, std::set<std::string> revoked = {}) {
        Rule rule{PublicKey{"key of node-1"}, {Action::send}, "task", true, {Sid(a), process}};
        QVERIFY(admission.set_policy({version, now, {rule}, std::move(revoked)}, now).ok());
    }
    static frame::FrameHeader header(const std::string& from, const std::string& to, const std::string& task = "task",
                                     std::uint64_t incarnation = process) {
        frame::FrameHeader header;
        header.key.task = frame::flow_id(TaskId(task));
        header.source = {frame::flow_id(Sid(from)), incarnation};
        header.destination = {frame::flow_id(Sid(to)), 0};
        return header;
    }
    bool send(const std::string& to = b) { return admission.admits(node("node-1"), header(a, to), now); }
    /// Lets time pass at the gateway. The sender repeats its request for `repeated` every second, as instances do.
    void pass(Duration time, const std::string& repeated = {}) {
        for (const TimePoint end = now + time; now < end;) {
            now += 25ms;
            admission.tick(now);
            if (!repeated.empty() && now.time_since_epoch() % 1s == 0ms) (void)send(repeated);
        }
    }
    std::vector<Request> log() { return admission.take_requests(1'000); }
    /// Requests new flows, which no rule allows, and waits for the decisions.
    void ask_strangers(int flows) {
        for (int flow = 0; flow < flows; ++flow)
            QVERIFY(!admission.admits(node("node-1"),
                                      header(a, stranger, "task", static_cast<std::uint64_t>(100 + flow)), now));
        pass(rule_grace);
    }
    /// Returns the number of log lines that say denied, and of those that say limited.
    std::pair<int, int> outcomes() {
        std::pair<int, int> counted;
        for (const Request& one : log()) ++(one.outcome == Outcome::denied ? counted.first : counted.second);
        return counted;
    }
};

}  // namespace

/// Tests which flows a gateway admits into the mesh, in simulated time.
class AdmissionTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void flow_is_decided_once_and_logged_once();
    void foreign_senders_are_denied_with_the_reason_data();
    void foreign_senders_are_denied_with_the_reason();
    void flow_waits_for_a_rule_that_arrives_late();
    void properly_ended_sender_is_not_denied();
    void revoked_key_loses_its_flows_at_once();
    void nothing_is_admitted_without_a_policy();
    void policy_holds_while_confirmed_and_for_some_time_after();
    void unserved_destination_is_answered_at_the_deadline();
    void late_destination_is_served();
    void abandoned_request_is_not_answered();
    void unknown_sid_is_denied_at_the_deadline();
    void missing_route_is_reported_once_per_outage();
    void new_flows_are_limited_by_task_and_by_mic();
    void retries_have_a_budget();
    void retry_budget_can_change_at_run_time();
    void memory_and_log_are_bounded();
    void older_policy_version_is_accepted_after_forget_policy();
    void closed_gateway_admits_nothing();
};

void AdmissionTest::flow_is_decided_once_and_logged_once() {
    Gateway gateway;
    for (int i = 0; i < 100'000; ++i) QVERIFY(gateway.send());
    QCOMPARE(gateway.admission.counters().admitted, std::uint64_t{1});
    const auto log = gateway.log();
    QCOMPARE(log.size(), std::size_t{1});
    QCOMPARE(log[0].outcome, Outcome::admitted);
    QCOMPARE(log[0].subject, std::string("key of node-1"));
    QCOMPARE(log[0].task, std::string("task"));
    QCOMPARE(log[0].source, a);
    QCOMPARE(log[0].destination, b);
    QCOMPARE(log[0].reason, std::string("rule 0 allows it"));
    // A new decision with the same outcome is not logged again.
    gateway.admission.renew(gateway.now);
    for (int i = 0; i < 100; ++i) {
        gateway.pass(1s);
        QVERIFY(gateway.send());
    }
    QVERIFY(gateway.log().empty());
    QVERIFY(gateway.admission.take_refusals().empty());
}

void AdmissionTest::foreign_senders_are_denied_with_the_reason_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::addColumn<QString>("task");
    QTest::addColumn<int>("incarnation");
    QTest::addColumn<QString>("reason");
    const auto row = [](const char* what, const char* name, const std::string& from, const std::string& to,
                        const char* task, int incarnation, const char* reason) {
        QTest::newRow(what) << name << QString::fromStdString(from) << QString::fromStdString(to) << task << incarnation
                            << reason;
    };
    row("another key", "node-2", a, b, "task", 3, "no rule allows it");
    row("another process", "node-1", a, b, "task", 2, "no rule allows it");
    row("a SID of another task", "node-1", a, stranger, "task", 3, "no rule allows it");
    row("frames of another task", "node-1", a, b, "other", 3,
        "the frames belong to another task than the SID of their sender");
}

void AdmissionTest::foreign_senders_are_denied_with_the_reason() {
    QFETCH(QString, name);
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(QString, task);
    QFETCH(int, incarnation);
    QFETCH(QString, reason);
    Gateway gateway;
    const auto header = Gateway::header(from.toStdString(), to.toStdString(), task.toStdString(),
                                        static_cast<std::uint64_t>(incarnation));
    for (int i = 0; i < 1'000; ++i) QVERIFY(!gateway.admission.admits(node(name.toStdString()), header, gateway.now));
    const bool waits = reason == "no rule allows it";
    QCOMPARE(gateway.admission.counters().denied, std::uint64_t{waits ? 0U : 1U});
    gateway.pass(rule_grace);
    const auto log = gateway.log();
    QCOMPARE(log.size(), std::size_t{1});
    QCOMPARE(log[0].outcome, Outcome::denied);
    QCOMPARE(log[0].reason, reason.toStdString());
    QCOMPARE(gateway.admission.counters().denied, std::uint64_t{1});
    QCOMPARE(gateway.admission.counters().refused_frames, std::uint64_t{1'000});
    const auto refusals = gateway.admission.take_refusals();
    QCOMPARE(refusals.size(), std::size_t{1});
    QCOMPARE(refusals[0].sender.sid, header.source.sid);
    QCOMPARE(refusals[0].reason, reason.toStdString());
    QVERIFY(gateway.send());  // an allowed flow is not affected
    for (int i = 0; i < 100; ++i) {
        QVERIFY(!gateway.admission.admits(node(name.toStdString()), header, gateway.now));
        QVERIFY(gateway.send());
    }
    QCOMPARE(gateway.log().size(), std::size_t{1});  // the denial is logged once
}

void AdmissionTest::flow_waits_for_a_rule_that_arrives_late() {
    Gateway gateway;
    QVERIFY(gateway.admission.set_policy({2, gateway.now, {}, {}}, gateway.now).ok());
    QVERIFY(!gateway.send());
    gateway.pass(rule_grace - 50ms);
    QVERIFY(!gateway.send());
    gateway.allow(3);
    QVERIFY(gateway.send());
    gateway.pass(10s, b);
    const auto log = gateway.log();
    QCOMPARE(log.size(), std::size_t{1});
    QCOMPARE(log[0].outcome, Outcome::admitted);
    QCOMPARE(gateway.admission.counters().denied, std::uint64_t{0});
    QVERIFY(gateway.admission.take_refusals().empty());
}

/// When an instance ends, its rule is removed first and its place afterwards. Last messages that arrive between these
/// two steps are not denied. A sender whose place stays is denied.
void AdmissionTest::properly_ended_sender_is_not_denied() {
    for (const bool goes_on : {false, true}) {
        Gateway gateway;
        QVERIFY(gateway.send());
        (void)gateway.log();
        QVERIFY(gateway.admission.set_policy({2, gateway.now, {}, {}}, gateway.now).ok());
        gateway.pass(100ms);
        QVERIFY(!gateway.send());  // nothing is admitted any more
        gateway.pass(100ms);
        if (!goes_on) gateway.places.erase(frame::flow_id(Sid(a)));
        gateway.admission.set_places(gateway.places, gateway.now);
        gateway.pass(10s);
        QCOMPARE(gateway.log().size(), std::size_t{goes_on ? 1U : 0U});
        QCOMPARE(gateway.admission.counters().denied, std::uint64_t{goes_on ? 1U : 0U});
    }
    Gateway quiet;
    QVERIFY(quiet.send());
    (void)quiet.log();
    quiet.pass(100ms);
    QVERIFY(quiet.admission.set_policy({2, quiet.now, {}, {}}, quiet.now).ok());
    quiet.pass(10s);  // the place stays, but the sender sends nothing that could be denied
    QVERIFY(quiet.log().empty());
}

void AdmissionTest::revoked_key_loses_its_flows_at_once() {
    Gateway gateway;
    QVERIFY(gateway.send());
    (void)gateway.log();
    gateway.allow(2, {"key of node-1"});
    const auto log = gateway.log();  // no frame was sent meanwhile
    QCOMPARE(log.size(), std::size_t{1});
    QCOMPARE(log[0].outcome, Outcome::denied);
    QCOMPARE(log[0].reason, std::string("the key was revoked"));
    QCOMPARE(log[0].policy, std::uint64_t{2});
    QVERIFY(!gateway.send());
    gateway.allow(3);
    QVERIFY(gateway.send());
}

void AdmissionTest::nothing_is_admitted_without_a_policy() {
    Admission admission(Gateway::with_self({}));
    Gateway gateway;
    admission.set_places(gateway.places, gateway.now);
    QVERIFY(!admission.admits(node("node-1"), Gateway::header(a, b), gateway.now));
    QCOMPARE(admission.take_requests(10)[0].reason, std::string("no policy has arrived yet"));
}

void AdmissionTest::policy_holds_while_confirmed_and_for_some_time_after() {
    AdmissionConfig config;
    config.policy_validity = 60s;
    Gateway gateway(config);
    for (int i = 0; i < 200; ++i) {
        gateway.pass(1s);
        gateway.admission.renew(gateway.now);
        QVERIFY(gateway.send());
    }
    for (int i = 0; i < 59; ++i) {
        gateway.pass(1s);
        QVERIFY2(gateway.send(), std::to_string(i).c_str());
    }
    (void)gateway.log();
    gateway.pass(1s);
    QVERIFY(!gateway.send());
    QVERIFY(!gateway.send("task/stage-7/0"));
    const auto log = gateway.log();
    QVERIFY(!log.empty());
    QCOMPARE(log[0].reason, std::string("the policy is too old: no orchestrator has confirmed it for 60 s"));
    gateway.admission.renew(gateway.now);
    gateway.pass(refusal_stands);
    QVERIFY(gateway.send());
}

void AdmissionTest::unserved_destination_is_answered_at_the_deadline() {
    Gateway gateway;
    QVERIFY(!gateway.send(nobody));
    gateway.pass(1'900ms, nobody);
    QVERIFY(gateway.admission.take_refusals().empty());
    gateway.pass(200ms, nobody);
    const auto refusals = gateway.admission.take_refusals();
    QCOMPARE(refusals.size(), std::size_t{1});
    QCOMPARE(refusals[0].destination, frame::flow_id(Sid(nobody)));
    QCOMPARE(refusals[0].reason, std::string("no instance serves this SID; waited 2 s"));
    const auto log = gateway.log();
    QCOMPARE(log.size(), std::size_t{1});
    QCOMPARE(log[0].outcome, Outcome::unserved);
    QCOMPARE(log[0].took, Duration(2s));
    QVERIFY(log[0].destination.starts_with("#"));  // a name that is in no table
    QCOMPARE(gateway.admission.counters().unserved, std::uint64_t{1});
}

void AdmissionTest::late_destination_is_served() {
    Gateway gateway;
    QVERIFY(!gateway.send(nobody));
    gateway.pass(1s, nobody);
    gateway.place(nobody, "task", there);
    gateway.admission.set_places(gateway.places, gateway.now);
    QVERIFY(gateway.send(nobody));
    gateway.pass(3s, nobody);
    QVERIFY(gateway.admission.take_refusals().empty());
    // If the destination appears, a flow that was refused before is also served immediately.
    QVERIFY(!gateway.send("task/stage-8/0"));
    gateway.pass(3s, "task/stage-8/0");
    QCOMPARE(gateway.admission.take_refusals().size(), std::size_t{1});
    gateway.place("task/stage-8/0", "task", there);
    gateway.admission.set_places(gateway.places, gateway.now);
    QVERIFY(gateway.send("task/stage-8/0"));
}

/// Sends the last message of a finished task. The sender does not wait for an answer.
void AdmissionTest::abandoned_request_is_not_answered() {
    Gateway gateway;
    QVERIFY(!gateway.send(nobody));
    gateway.pass(10s);
    QVERIFY(gateway.admission.take_refusals().empty());
    QVERIFY(gateway.log().empty());
}

void AdmissionTest::unknown_sid_is_denied_at_the_deadline() {
    Gateway gateway;
    const auto header = Gateway::header(b, a);  // b is served in the other MIC
    QVERIFY(!gateway.admission.admits(node("node-1"), header, gateway.now));
    gateway.pass(1s);
    QVERIFY(!gateway.admission.admits(node("node-1"), header, gateway.now));
    gateway.pass(1'100ms);
    const auto log = gateway.log();
    QCOMPARE(log.size(), std::size_t{1});
    QCOMPARE(log[0].outcome, Outcome::denied);
    QCOMPARE(log[0].reason, std::string("no instance of this MIC has the sender's SID"));
}

void AdmissionTest::missing_route_is_reported_once_per_outage() {
    Gateway gateway;
    QVERIFY(gateway.send());
    (void)gateway.log();
    for (int round = 0; round < 2; ++round) {
        gateway.admission.set_unreachable({{there, "mg-2"}});
        QVERIFY(gateway.send());  // the tensor waits in the gateway
        gateway.pass(10s, b);
        const auto refusals = gateway.admission.take_refusals();
        QCOMPARE(refusals.size(), std::size_t{1});
        QCOMPARE(refusals[0].reason, std::string("no path leads to the gateway mg-2; waited 2 s"));
        QCOMPARE(gateway.log().size(), std::size_t{1});
        gateway.admission.set_unreachable({});
        gateway.pass(1s, b);
    }
}

void AdmissionTest::new_flows_are_limited_by_task_and_by_mic() {
    AdmissionConfig config;
    config.task_set_ups_per_s = 5;
    Gateway gateway(config);
    const auto ask = [&](int stage) {
        const std::string to = "task/stage-" + std::to_string(stage) + "/0";
        gateway.place(to, "task", there);
        return to;
    };
    std::vector<std::string> all;
    for (int i = 10; i < 60; ++i) all.push_back(ask(i));
    gateway.admission.set_places(gateway.places, gateway.now);
    int admitted = 0;
    for (const std::string& to : all) admitted += gateway.send(to) ? 1 : 0;
    QCOMPARE(admitted, 20);  // a burst of four seconds' worth
    QCOMPARE(gateway.admission.counters().limited, std::uint64_t{30});
    QVERIFY(gateway.send(all[0]));  // an existing flow is not limited
    gateway.pass(6s);
    QVERIFY(gateway.send(all[49]));

    config.task_set_ups_per_s = 0;
    config.mic_set_ups_per_s = 1;
    Gateway narrow(config);
    narrow.places = gateway.places;
    narrow.admission.set_places(narrow.places, narrow.now);
    admitted = 0;
    for (const std::string& to : all) admitted += narrow.send(to) ? 1 : 0;
    QCOMPARE(admitted, 4);
}

void AdmissionTest::retries_have_a_budget() {
    AdmissionConfig config;
    config.retries_per_s = 1;
    Gateway gateway(config);
    gateway.ask_strangers(20);
    QCOMPARE(gateway.admission.counters().retries, std::uint64_t{0});
    (void)gateway.log();
    gateway.pass(refusal_stands + 25ms);
    gateway.ask_strangers(20);
    QCOMPARE(gateway.admission.counters().retries, std::uint64_t{20});
    QCOMPARE(gateway.outcomes(), (std::pair{4, 16}));
}

void AdmissionTest::retry_budget_can_change_at_run_time() {
    Gateway gateway;
    gateway.ask_strangers(20);
    gateway.admission.set_retries(2);
    (void)gateway.log();
    gateway.pass(refusal_stands + 25ms);
    gateway.ask_strangers(20);
    QCOMPARE(gateway.outcomes(), (std::pair{8, 12}));
    gateway.pass(refusal_stands + 25ms);
    // The value is unchanged, so the used part of the budget stays used, except for what has been refilled.
    gateway.admission.set_retries(2);
    gateway.ask_strangers(20);
    gateway.admission.set_retries(2);
    gateway.ask_strangers(20);
    QCOMPARE(gateway.outcomes().first, 8);
    gateway.admission.set_retries(0);
    gateway.pass(refusal_stands + 25ms);
    gateway.ask_strangers(20);
    QCOMPARE(gateway.outcomes(), (std::pair{20, 0}));  // no limit
}

void AdmissionTest::memory_and_log_are_bounded() {
    Gateway gateway;
    QVERIFY(gateway.send());
    for (std::size_t i = 0; i < 3 * most_standings; ++i) {
        auto header = Gateway::header(a, b);
        header.source.incarnation = 1'000 + i;
        QVERIFY(!gateway.admission.admits(node("node-1"), header, gateway.now));
        if (i % 1'000 == 0) QVERIFY(gateway.send());  // an admitted flow stays admitted
    }
    QCOMPARE(gateway.admission.counters().admitted, std::uint64_t{1});
    gateway.pass(rule_grace);
    QCOMPARE(gateway.admission.counters().denied, std::uint64_t(3 * most_standings));
    const auto log = gateway.log();
    // excludes the line of the admitted flow; the budget has been refilled a little meanwhile
    const auto lines = log.size() - 1;
    QVERIFY(lines >= refusal_lines_at_once && lines <= refusal_lines_at_once + refusal_lines_per_s);
    QCOMPARE(gateway.admission.counters().unlogged, 3 * most_standings - lines);
    QVERIFY(gateway.admission.take_refusals().size() <= most_requests);
}

void AdmissionTest::older_policy_version_is_accepted_after_forget_policy() {
    Gateway gateway;
    gateway.allow(100);
    QVERIFY(!gateway.admission.set_policy({2, gateway.now, {}, {}}, gateway.now).ok());
    QVERIFY(gateway.send());
    gateway.admission.forget_policy();
    QVERIFY(gateway.admission.set_policy({2, gateway.now, {}, {}}, gateway.now).ok());
    QVERIFY(!gateway.send());
}

void AdmissionTest::closed_gateway_admits_nothing() {
    Gateway gateway;
    QVERIFY(gateway.send());
    gateway.admission.close(gateway.now);
    QVERIFY(gateway.admission.closed(gateway.now));
    QVERIFY(!gateway.send());  // immediately, although the flow was admitted
    gateway.admission.renew(gateway.now);
    QVERIFY(gateway.admission.closed(gateway.now));
    gateway.allow(1);  // only the rule matters, not the version of the policy
    QVERIFY(gateway.send());
}

DIVISI_TEST(AdmissionTest)

}  // namespace admission_test

#include "admission_test.moc"
