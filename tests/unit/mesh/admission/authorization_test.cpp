// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <deque>
#include <random>

#include "backend/mesh/admission/authorization.h"
#include "backend/mesh/base/service_path.h"
#include "tests/support/test_program.h"

namespace authorization_test {

using namespace divisi;
using namespace divisi::mesh;
using identity::Credentials;
using identity::Role;

namespace {

TimePoint at(int seconds) { return TimePoint(std::chrono::seconds(seconds)); }

Credentials key(const std::string& name, Role role = Role::agent) {
    Credentials subject;
    subject.role = role;
    subject.name = name;
    subject.key = "key of " + name;
    return subject;
}

Credentials user(int uid) {
    Credentials subject;
    subject.name = "uid:" + std::to_string(uid);
    return subject;
}

Rule rule(SubjectPattern subject, std::set<Action> actions, const std::string& prefix, bool allow) {
    return {std::move(subject), std::move(actions), prefix, allow};
}

PolicySnapshot policy(std::uint64_t version, std::vector<Rule> rules, int issued_s = 0) {
    return {version, at(issued_s), std::move(rules), {}};
}

const std::set<Action> all{Action::send, Action::receive, Action::register_, Action::advertise};
const Sid stage("gpt-1/stage-2/0");

PolicySnapshot everything(std::uint64_t version, int issued_s = 0) {
    return policy(version, {rule(Anyone{}, all, "", true)}, issued_s);
}

}  // namespace

class AuthorizationTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everything_is_denied_without_a_policy();
    void stale_policy_denies_everything();
    void policy_lifetime_is_bounded_if_the_issuers_clock_is_fast();
    void first_matching_rule_applies();
    void prefix_ends_at_a_slash();
    void subjects_are_distinguished();
    void decision_is_cached_until_it_expires();
    void new_policy_applies_at_once();
    void revoked_key_is_denied_by_the_next_policy();
    void older_policy_is_refused();
    void impossible_policies_are_refused();
    void cache_is_bounded_and_evicts_the_least_recently_used();
    void audit_names_each_decision_once();
    void audit_is_bounded();
    void malformed_sid_is_denied();
};

void AuthorizationTest::everything_is_denied_without_a_policy() {
    Authorizer authorizer;
    Credentials owner = user(1000);
    owner.owner = true;
    for (const Action action : all) {
        const Decision decision = authorizer.decide(owner, action, stage, at(1));
        QVERIFY(!decision.allowed);
        QCOMPARE(decision.reason, std::string("no policy has arrived yet"));
        QVERIFY(!decision.rule);
    }
    QVERIFY(authorizer.set_policy(everything(1), at(1)));
    QVERIFY(authorizer.decide(owner, Action::send, stage, at(1)).allowed);
}

void AuthorizationTest::stale_policy_denies_everything() {
    Authorizer authorizer;
    QVERIFY(authorizer.set_policy(everything(1), at(0)));
    const Decision last = authorizer.decide(key("a"), Action::send, stage, at(590));
    QVERIFY(last.allowed);
    QCOMPARE(last.valid_until, at(600));
    QVERIFY(authorizer.decide(key("a"), Action::send, stage, at(599)).allowed);
    const Decision closed = authorizer.decide(key("a"), Action::send, stage, at(600));
    QVERIFY(!closed.allowed);
    QCOMPARE(closed.reason, std::string("the policy is too old: no orchestrator has confirmed it for 600 s"));
    QVERIFY(authorizer.set_policy(everything(1, 601), at(601)));  // the orchestrator returns with the same rules
    QVERIFY(authorizer.decide(key("a"), Action::send, stage, at(601)).allowed);
    QVERIFY(authorizer.decide(key("a"), Action::send, stage, at(1200)).allowed);
    QVERIFY(!authorizer.decide(key("a"), Action::send, stage, at(1201)).allowed);
    QVERIFY(authorizer.set_policy(everything(2, 0), at(1300)));  // confirmed too late
    QVERIFY(!authorizer.decide(key("a"), Action::send, stage, at(1300)).allowed);
}

void AuthorizationTest::policy_lifetime_is_bounded_if_the_issuers_clock_is_fast() {
    Authorizer authorizer;
    QVERIFY(authorizer.set_policy(everything(1, 100'000), at(0)));
    QVERIFY(authorizer.decide(key("a"), Action::send, stage, at(599)).allowed);
    QVERIFY(!authorizer.decide(key("a"), Action::send, stage, at(600)).allowed);
    QVERIFY(authorizer.set_policy(everything(1, 700), at(700)));
    QVERIFY(authorizer.decide(key("a"), Action::send, stage, at(700)).allowed);
}

void AuthorizationTest::first_matching_rule_applies() {
    Authorizer authorizer;
    QVERIFY(authorizer.set_policy(policy(3, {rule(KeyName{"a"}, {Action::send}, "gpt-1/stage-2", false),
                                             rule(Role::agent, {Action::send, Action::receive}, "gpt-1", true),
                                             rule(Anyone{}, all, "gpt-1", false)}),
                                  at(0)));
    const Decision denied = authorizer.decide(key("a"), Action::send, stage, at(0));
    QVERIFY(!denied.allowed);
    QVERIFY(denied.rule == std::size_t{0});
    QCOMPARE(denied.reason, std::string("rule 0 denies it"));
    QCOMPARE(denied.version, std::uint64_t{3});
    const Decision allowed = authorizer.decide(key("b"), Action::send, stage, at(0));
    QVERIFY(allowed.allowed);
    QVERIFY(allowed.rule == std::size_t{1});
    QCOMPARE(allowed.reason, std::string("rule 1 allows it"));
    QVERIFY(authorizer.decide(key("a"), Action::receive, stage, at(0)).allowed);
    QVERIFY(authorizer.decide(key("a"), Action::register_, stage, at(0)).rule == std::size_t{2});
    const Decision nobody = authorizer.decide(key("a"), Action::send, Sid("vit-1/stage-0/0"), at(0));
    QVERIFY(!nobody.allowed && !nobody.rule);
    QCOMPARE(nobody.reason, std::string("no rule allows it"));
}

void AuthorizationTest::prefix_ends_at_a_slash() {
    Authorizer authorizer;
    QVERIFY(authorizer.set_policy(policy(1, {rule(Anyone{}, all, "gpt-1/stage-2", true)}), at(0)));
    QVERIFY(authorizer.decide(key("a"), Action::send, Sid("gpt-1/stage-2"), at(0)).allowed);
    QVERIFY(authorizer.decide(key("a"), Action::send, Sid("gpt-1/stage-2/0/forward"), at(0)).allowed);
    QVERIFY(!authorizer.decide(key("a"), Action::send, Sid("gpt-1/stage-20/0"), at(0)).allowed);
    QVERIFY(!authorizer.decide(key("a"), Action::send, Sid("gpt-1"), at(0)).allowed);
}

void AuthorizationTest::subjects_are_distinguished() {
    Credentials owner = user(7), masked = key("uid:1000"), named = user(1);
    owner.owner = true;
    named.name = "a";
    const auto may = [](SubjectPattern pattern, const Credentials& subject) {
        Authorizer authorizer;
        if (!authorizer.set_policy(policy(1, {rule(std::move(pattern), all, "", true)}), at(0))) qFatal("policy");
        return authorizer.decide(subject, Action::send, stage, at(0)).allowed;
    };
    QVERIFY(may(Uid{1000}, user(1000)));
    QVERIFY(!may(Uid{1000}, user(1001)));
    QVERIFY(!may(Uid{1000}, masked));
    QVERIFY(may(KeyName{"uid:1000"}, masked));
    QVERIFY(!may(KeyName{"uid:1000"}, user(1000)));
    QVERIFY(!may(KeyName{"a"}, named));
    QVERIFY(may(Role::agent, key("a")));
    QVERIFY(!may(Role::agent, key("a", Role::viewer)));
    QVERIFY(!may(Role::agent, owner));
    QVERIFY(may(Owner{}, owner));
    QVERIFY(!may(Owner{}, user(7)));

    Authorizer authorizer;  // a decision remembered for one subject must not apply to another
    QVERIFY(authorizer.set_policy(policy(1, {rule(Role::admin, all, "", true), rule(Owner{}, all, "", true)}), at(0)));
    QVERIFY(authorizer.decide(key("a", Role::admin), Action::send, stage, at(0)).allowed);
    QVERIFY(!authorizer.decide(key("a", Role::agent), Action::send, stage, at(0)).allowed);
    QVERIFY(authorizer.decide(owner, Action::send, stage, at(0)).allowed);
    QVERIFY(!authorizer.decide(user(7), Action::send, stage, at(0)).allowed);
}

void AuthorizationTest::decision_is_cached_until_it_expires() {
    Authorizer authorizer;
    QVERIFY(authorizer.set_policy(everything(1), at(0)));
    QCOMPARE(authorizer.decide(key("a"), Action::send, stage, at(10)).valid_until, at(40));
    QCOMPARE(authorizer.decide(key("a"), Action::send, stage, at(39)).valid_until, at(40));
    QCOMPARE(authorizer.decide(key("a"), Action::send, stage, at(40)).valid_until, at(70));
    QCOMPARE(authorizer.cached(), std::size_t{1});
}

void AuthorizationTest::new_policy_applies_at_once() {
    Authorizer authorizer;
    QVERIFY(authorizer.set_policy(everything(1), at(0)));
    QVERIFY(authorizer.decide(key("a"), Action::send, stage, at(1)).allowed);
    QVERIFY(authorizer.set_policy(policy(2, {}), at(1)));
    QCOMPARE(authorizer.cached(), std::size_t{0});
    QVERIFY(!authorizer.decide(key("a"), Action::send, stage, at(1)).allowed);
}

void AuthorizationTest::revoked_key_is_denied_by_the_next_policy() {
    Authorizer authorizer;
    QVERIFY(authorizer.set_policy(everything(1), at(0)));
    QVERIFY(authorizer.decide(key("a"), Action::send, stage, at(1)).allowed);
    PolicySnapshot next = everything(2);
    next.revoked_keys = {key("a").key};
    QVERIFY(authorizer.set_policy(next, at(1)));
    const Decision decision = authorizer.decide(key("a"), Action::send, stage, at(1));
    QVERIFY(!decision.allowed && !decision.rule);
    QCOMPARE(decision.reason, std::string("the key was revoked"));
    QVERIFY(authorizer.decide(key("b"), Action::send, stage, at(1)).allowed);
    QVERIFY(authorizer.decide(user(1), Action::send, stage, at(1)).allowed);
}

void AuthorizationTest::older_policy_is_refused() {
    Authorizer authorizer;
    QVERIFY(authorizer.set_policy(policy(5, {}, 10), at(10)));
    QCOMPARE(authorizer.set_policy(everything(4, 20), at(20)).error().code, ErrorCode::conflict);
    QCOMPARE(authorizer.set_policy(everything(5, 9), at(20)).error().code, ErrorCode::conflict);
    QVERIFY(!authorizer.decide(key("a"), Action::send, stage, at(20)).allowed);
}

void AuthorizationTest::impossible_policies_are_refused() {
    Authorizer authorizer;
    QVERIFY(authorizer.set_policy(everything(1), at(0)));
    PolicySnapshot no_key = everything(2);
    no_key.revoked_keys = {""};  // would lock out every sender without a key
    for (const auto& bad :
         {policy(2, {rule(Anyone{}, {}, "", true)}), policy(2, {rule(Anyone{}, {Action(9)}, "", true)}),
          policy(2, {rule(Anyone{}, all, "gpt-1/", true)}), policy(2, {rule(KeyName{""}, all, "", true)}), no_key})
        QCOMPARE(authorizer.set_policy(bad, at(0)).error().code, ErrorCode::invalid_input);
    const std::vector<Rule> many(most_rules + 1, rule(Anyone{}, all, "", true));
    QCOMPARE(authorizer.set_policy(policy(2, many), at(0)).error().code, ErrorCode::exhausted);
    QVERIFY(authorizer.decide(key("a"), Action::send, stage, at(0)).allowed);
}

void AuthorizationTest::cache_is_bounded_and_evicts_the_least_recently_used() {
    std::mt19937_64 rng(5);
    Authorizer authorizer(4);
    QVERIFY(authorizer.set_policy(everything(1), at(0)));
    std::deque<std::uint64_t> by_use;  // the reference model, with the most recently used at the front
    for (int i = 0; i < 2000; ++i) {
        const std::uint64_t number = rng() % 8;
        const auto known = std::find(by_use.begin(), by_use.end(), number);
        const bool remembered = known != by_use.end();
        if (remembered) by_use.erase(known);
        by_use.push_front(number);
        if (by_use.size() > 4) by_use.pop_back();
        (void)authorizer.decide(key("a"), Action::send, Sid("task-" + std::to_string(number)), at(1));
        QCOMPARE(authorizer.take_audit().empty(), remembered);
        QCOMPARE(authorizer.cached(), by_use.size());
    }
    Authorizer usual;
    for (std::size_t i = 0; i < most_decisions + 100; ++i)
        (void)usual.decide(key("a"), Action::send, Sid("task-" + std::to_string(i)), at(1));
    QCOMPARE(usual.cached(), most_decisions);
}

void AuthorizationTest::audit_names_each_decision_once() {
    Authorizer authorizer;
    QVERIFY(authorizer.set_policy(everything(1), at(0)));
    for (int second = 1; second < 31; ++second) {
        (void)authorizer.decide(key("a"), Action::send, stage, at(second));
        (void)authorizer.decide(user(1000), Action::receive, stage, at(second));
    }
    auto audit = authorizer.take_audit();
    QCOMPARE(audit.size(), std::size_t{2});
    QCOMPARE(audit[0].subject.name, std::string("a"));
    QCOMPARE(audit[0].action, Action::send);
    QCOMPARE(audit[0].sid, stage);
    QCOMPARE(audit[0].at, at(1));
    QVERIFY(audit[0].decision.allowed);
    QCOMPARE(audit[1].subject.name, std::string("uid:1000"));
    QVERIFY(authorizer.take_audit().empty());
    (void)authorizer.decide(key("a"), Action::send, stage, at(31));
    QCOMPARE(authorizer.take_audit().size(), std::size_t{1});
}

void AuthorizationTest::audit_is_bounded() {
    Authorizer authorizer;
    for (std::size_t i = 0; i < most_audit_entries + 5; ++i)
        (void)authorizer.decide(key("a"), Action::send, Sid("task-" + std::to_string(i)), at(1));
    QCOMPARE(authorizer.take_audit().size(), most_audit_entries);
    QCOMPARE(authorizer.audit_lost(), std::uint64_t{5});
}

void AuthorizationTest::malformed_sid_is_denied() {
    Authorizer authorizer;
    QVERIFY(authorizer.set_policy(everything(1), at(0)));
    for (const std::string& text : {std::string(), std::string("/a"), std::string("a//b"),
                                    std::string(longest_service_path + 1, 'a'), std::string(1 << 20, 'a')}) {
        const Decision decision = authorizer.decide(key("a"), Action::send, Sid(text), at(0));
        QVERIFY(!decision.allowed);
        QCOMPARE(decision.reason, std::string("not a service identifier"));
    }
    QCOMPARE(authorizer.cached(), std::size_t{1});
    QVERIFY(authorizer.take_audit().at(0).sid == Sid());
}

DIVISI_TEST(AuthorizationTest)

}  // namespace authorization_test

#include "authorization_test.moc"
