// SPDX-License-Identifier: Apache-2.0
#include "backend/control/network/access_rules.h"
#include "backend/control/protocol/policy_messages.h"

#include "backend/control/network/request_book.h"
#include "backend/control/state/incarnation.h"
#include "backend/mesh/admission/authorization.h"
#include "backend/mesh/route/hops.h"
#include "tests/support/test_program.h"
#include "tests/unit/control/fixture.h"

namespace access_rules_test {

using namespace divisi;
using namespace divisi::control;

namespace {

struct Cluster : test::Fixture {
    AccessRules rules{context};
    RequestBook book{context};

    Cluster() {
        context.follow([this](const Event& event) { rules.follow(event); });
        for (const char* name : {"mic-1/a", "mic-2/b"}) {
            NodeInfo info;
            info.id = NodeId(name);
            info.mic = MicId(std::string(name).substr(0, 5));
            context.append(NodeJoined{info});
        }
        const TaskId task("task-1");
        context.append(TaskSubmitted{task, "task", "", "", "", {}, "", 0});
        context.append(PhaseChanged{task, TaskPhase::registration, ""});
        start("task-1/stage-0/0", "mic-1/a", 2, "key of a");
        start("task-1/stage-1/0", "mic-2/b", 1, "");
    }
    void start(const std::string& sid, const std::string& node, Incarnation incarnation, const std::string& key) {
        const InstanceId id = instance_of(Sid(sid), incarnation);
        context.append(InstancePlaced{TaskId("task-1"), id, Sid(sid), NodeId(node), 0, 1});
        context.append(InstanceJoined{id, "", "tcp://x", key});
    }
    static RequestRecord record(mesh::Outcome outcome, const std::string& to = "task-1/stage-1/0") {
        RequestRecord one;
        one.subject = "node-1";
        one.task = TaskId("task-1");
        one.source = "task-1/stage-0/0";
        one.destination = to;
        one.incarnation = 2;
        one.outcome = outcome;
        one.reason = "no rule allows it";
        return one;
    }
};

}  // namespace

/// Tests the rules by which gateways admit flows, and the book of the requests that gateways report.
class AccessRulesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void each_gateway_gets_the_rules_of_its_mic();
    void ended_instance_may_no_longer_send();
    void revoked_key_is_listed_until_it_is_allowed_again();
    void rules_beyond_the_policy_limit_are_logged();
    void version_rises_only_with_changes();
    void requests_are_kept_and_can_be_queried();
    void refused_requests_are_logged_up_to_a_limit();
    void request_book_is_bounded();
};

void AccessRulesTest::each_gateway_gets_the_rules_of_its_mic() {
    Cluster cluster;
    const AdmissionRule first{"key of a", Sid("task-1/stage-0/0"), 2, "task-1"};
    const AdmissionRule second{"", Sid("task-1/stage-1/0"), 1, "task-1"};
    QVERIFY(cluster.rules.policy_for(MicId("mic-1")).rules == std::vector{first});
    QVERIFY(cluster.rules.policy_for(MicId("mic-2")).rules == std::vector{second});
    QVERIFY(cluster.rules.policy_for(MicId("mic-3")).rules.empty());
}

void AccessRulesTest::ended_instance_may_no_longer_send() {
    Cluster cluster;
    QVERIFY(cluster.rules.take_change());
    cluster.context.append(InstanceEnded{instance_of(Sid("task-1/stage-0/0"), 2), "killed"});
    QVERIFY(cluster.rules.take_change());
    QVERIFY(cluster.rules.policy_for(MicId("mic-1")).rules.empty());
    cluster.start("task-1/stage-0/0", "mic-1/a", 3, "key of a");
    QCOMPARE(cluster.rules.policy_for(MicId("mic-1")).rules.at(0).incarnation, Incarnation{3});
    cluster.context.append(TaskEnded{TaskId("task-1"), Outcome::succeeded, {}});
    QVERIFY(cluster.rules.policy_for(MicId("mic-1")).rules.empty());
}

void AccessRulesTest::revoked_key_is_listed_until_it_is_allowed_again() {
    Cluster cluster;
    QVERIFY(cluster.rules.policy_for(MicId("mic-1")).revoked_keys.empty());
    cluster.context.append(KeyChanged{"key of a", "a", Role::agent, true});
    QCOMPARE(cluster.rules.policy_for(MicId("mic-1")).revoked_keys, std::vector<std::string>{"key of a"});
    cluster.context.append(KeyChanged{"key of a", "a", Role::agent, false});
    QVERIFY(cluster.rules.policy_for(MicId("mic-1")).revoked_keys.empty());
}

void AccessRulesTest::rules_beyond_the_policy_limit_are_logged() {
    Cluster cluster;
    const auto lines = [&] {
        cluster.clear();
        (void)cluster.rules.policy_for(MicId("mic-1"));
        std::string all;
        for (const Noted& one : cluster.logged<Noted>()) all += one.text + "\n";
        return all;
    };
    QCOMPARE(lines(), std::string());
    for (std::size_t i = 0; i < mesh::most_rules; ++i)
        cluster.start("task-1/stage-2/" + std::to_string(i), "mic-1/a", 1, "key of a");
    QVERIFY(lines().starts_with("1 instances of mic-1 may not send"));
    QVERIFY(cluster.rules.policy_for(MicId("mic-2")).rules.size() == 1);
    cluster.context.append(TaskEnded{TaskId("task-1"), Outcome::succeeded, {}});
    QCOMPARE(lines(), std::string());
    for (std::size_t i = 0; i <= mesh::most_revoked_keys; ++i)
        cluster.context.append(KeyChanged{"key " + std::to_string(i), "a", Role::agent, true});
    QVERIFY(lines().find("revoked keys at most") != std::string::npos);
    QCOMPARE(lines(), std::string());  // each message is logged once
}

void AccessRulesTest::version_rises_only_with_changes() {
    Cluster cluster;
    const std::uint64_t before = cluster.rules.policy_for(MicId("mic-1")).version;
    QVERIFY(before > 0);
    (void)cluster.rules.take_change();
    cluster.context.append(Noted{Severity::info, "x", "", "y"});
    QVERIFY(!cluster.rules.take_change());
    QCOMPARE(cluster.rules.policy_for(MicId("mic-1")).version, before);
    cluster.context.append(KeyChanged{"k", "a", Role::agent, true});
    QVERIFY(cluster.rules.take_change());
    QCOMPARE(cluster.rules.policy_for(MicId("mic-1")).version, cluster.context.state().sequence);
}

void AccessRulesTest::requests_are_kept_and_can_be_queried() {
    Cluster cluster;
    cluster.book.take("mg-1", {Cluster::record(mesh::Outcome::admitted), Cluster::record(mesh::Outcome::denied)});
    cluster.book.take("mg-2", {Cluster::record(mesh::Outcome::unserved)});
    const auto numbers = [&](const QueryRequests& query) {
        std::vector<std::uint64_t> found;
        for (const RequestRecord& one : cluster.book.answer(query).records) found.push_back(one.number);
        return found;
    };
    using Numbers = std::vector<std::uint64_t>;
    QCOMPARE(numbers({}), (Numbers{1, 2, 3}));
    QCOMPARE(numbers({1, "", {}, false}), (Numbers{2, 3}));
    QCOMPARE(numbers({0, "mg-1", {}, false}), (Numbers{1, 2}));
    QCOMPARE(numbers({0, "", {}, true}), (Numbers{2, 3}));
    QCOMPARE(numbers({0, "", TaskId("task-2"), false}), Numbers{});
    QCOMPARE(cluster.book.answer({}).records.at(2).gateway, std::string("mg-2"));
    // The subject of a request is the name of the key's owner.
    NodeInfo info;
    info.id = NodeId("mic-1/c");
    cluster.context.append(NodeJoined{info, "its key"});
    cluster.context.append(KeyChanged{"another key", "somebody", Role::agent, false});
    for (const auto& [key, name] :
         {std::pair("its key", "mic-1/c"), {"another key", "somebody"}, {"no key", "no key"}}) {
        RequestRecord record = Cluster::record(mesh::Outcome::admitted);
        record.subject = key;
        cluster.book.take("mg-1", {record});
        QCOMPARE(cluster.book.answer({}).records.back().subject, std::string(name));
    }
    // Several subjects in one report are also replaced by the names of the keys' owners.
    std::vector<RequestRecord> report;
    for (const char* key : {"its key", "", "no key", "its key"}) {
        report.push_back(Cluster::record(mesh::Outcome::admitted));
        report.back().subject = key;
    }
    cluster.book.take("mg-1", report);
    std::vector<std::string> subjects;
    for (const RequestRecord& one : cluster.book.answer({6, "", {}, false}).records) subjects.push_back(one.subject);
    QCOMPARE(subjects, (std::vector<std::string>{"mic-1/c", "", "no key", "mic-1/c"}));
}

void AccessRulesTest::refused_requests_are_logged_up_to_a_limit() {
    Cluster cluster;
    cluster.clear();
    std::vector<RequestRecord> many(100, Cluster::record(mesh::Outcome::denied));
    many.push_back(Cluster::record(mesh::Outcome::admitted));
    cluster.book.take("mg-1", many);
    const auto lines = cluster.logged<Noted>();
    QCOMPARE(lines.size(), std::size_t(note_burst));
    QCOMPARE(lines[0].component, std::string("gateway mg-1"));
    QCOMPARE(lines[0].task, std::string("task-1"));
    QCOMPARE(lines[0].text, std::string("denied: node-1 as task-1/stage-0/0#2 to task-1/stage-1/0: no rule allows it"));
    cluster.clear();
    cluster.pass(note_interval);
    cluster.book.take("mg-1", {});
    QCOMPARE(cluster.logged<Noted>().size(), std::size_t{1});
    QVERIFY(cluster.logged<Noted>()[0].text.find("95 such lines") != std::string::npos);
}

void AccessRulesTest::request_book_is_bounded() {
    Cluster cluster;
    const std::vector<RequestRecord> full(most_reported_requests + 50, Cluster::record(mesh::Outcome::admitted));
    std::uint64_t told = 0;
    for (; told < most_kept_requests + 1'000; told += most_reported_requests) cluster.book.take("mg-1", full);
    std::size_t kept = 0;
    QueryRequests query;
    for (bool more = true; more;) {
        const Requests page = cluster.book.answer(query);
        QVERIFY(page.records.size() <= most_answered_requests);
        kept += page.records.size();
        query.after = page.records.back().number;
        more = page.more;
    }
    QCOMPARE(kept, most_kept_requests);
    QCOMPARE(query.after, told);
    cluster.book.take("mg-1", {Cluster::record(mesh::Outcome::denied, std::string(5'000, 'x'))});
    RequestRecord far = Cluster::record(mesh::Outcome::denied);
    far.path.assign(mesh::most_hops + 1, 1);
    cluster.book.take("mg-1", {far});
    QVERIFY(cluster.book.answer({query.after, "", {}, false}).records.empty());
    far.path.pop_back();
    cluster.book.take("mg-1", {far});
    QCOMPARE(cluster.book.answer({query.after, "", {}, false}).records.size(), std::size_t{1});
    far.reason.assign(longest_request_text, 'x');
    far.path.clear();
    for (int i = 0; i < 8; ++i) cluster.book.take("mg-2", std::vector(most_reported_requests, far));
    const Requests page = cluster.book.answer({0, "mg-2", {}, false});
    QVERIFY(page.more && page.records.size() < 8 * most_reported_requests);
    const Requests rest = cluster.book.answer({page.records.back().number, "mg-2", {}, false});
    QCOMPARE(page.records.size() + rest.records.size(), 8 * most_reported_requests);
}

DIVISI_TEST(AccessRulesTest)

}  // namespace access_rules_test

#include "access_rules_test.moc"
