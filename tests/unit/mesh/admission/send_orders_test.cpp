// SPDX-License-Identifier: Apache-2.0

#include "backend/mesh/admission/authorization.h"

#include "tests/support/test_program.h"

namespace send_orders_test {

using namespace divisi;
using namespace divisi::mesh;
using namespace std::chrono_literals;

namespace {

const TimePoint now{1h};
const Player first{Sid("t/stage-0/0"), 1}, second{Sid("t/stage-1/0"), 1};

/// Returns a policy in which both instances may send to all of their task, unless an order says otherwise.
PolicySnapshot with(std::vector<SendOrder> orders) {
    PolicySnapshot policy{1, now, {}, {}};
    for (const Player& one : {first, second}) policy.rules.push_back({Owner{}, {Action::send}, "t", true, one});
    policy.orders = std::move(orders);
    return policy;
}

Decision decide(const PolicySnapshot& policy, const Player& as, const std::string& to, Action action = Action::send) {
    Authorizer aam;
    if (!aam.set_policy(policy, now)) qFatal("the policy is refused");
    return aam.decide({true, {}, "uid:1", ""}, action, Sid(to), now, as);
}

}  // namespace

/// Tests the send orders of admins, which precede the rules derived from placement.
class SendOrdersTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void denial_precedes_the_rules_and_says_why();
    void order_applies_only_to_the_named_sender();
    void first_matching_order_applies();
    void permission_admits_no_sender_without_a_rule();
    void impossible_orders_are_refused();
};

void SendOrdersTest::denial_precedes_the_rules_and_says_why() {
    QVERIFY(decide(with({}), first, "t/stage-1/0").allowed);
    const PolicySnapshot policy = with({{{}, "t/stage-1", false, "send:anyone:t/stage-1=deny"}});
    const Decision denied = decide(policy, first, "t/stage-1/0");
    QVERIFY(!denied.allowed && !denied.rule);
    QCOMPARE(denied.reason, std::string("policy 'send:anyone:t/stage-1=deny' denies it"));
    QVERIFY(decide(policy, first, "t/stage-10/0").allowed);  // another SID
    QVERIFY(!decide(with({{{}, "", false, "all"}}), first, "t/stage-10/0").allowed);
}

void SendOrdersTest::order_applies_only_to_the_named_sender() {
    const PolicySnapshot policy = with({{first, "", false, "first"}});
    QVERIFY(!decide(policy, first, "t/stage-1/0").allowed);
    QVERIFY(decide(policy, second, "t/stage-1/0").allowed);
    // The rules do not cover another process of the SID.
    QCOMPARE(decide(policy, {first.sid, 2}, "t/stage-1/0").reason, std::string("no rule allows it"));
}

void SendOrdersTest::first_matching_order_applies() {
    const SendOrder denial{{}, "t", false, "deny"}, exception{first, "t/stage-1", true, "allow"};
    QVERIFY(decide(with({exception, denial}), first, "t/stage-1/0").allowed);
    QVERIFY(!decide(with({exception, denial}), first, "t/stage-2/0").allowed);
    QVERIFY(!decide(with({exception, denial}), second, "t/stage-1/0").allowed);
    QVERIFY(!decide(with({denial, exception}), first, "t/stage-1/0").allowed);
}

void SendOrdersTest::permission_admits_no_sender_without_a_rule() {
    const PolicySnapshot policy = with({{{}, "", true, "all"}});
    QVERIFY(!decide(policy, first, "other/stage-1/0").allowed);
    QVERIFY(!decide(policy, {Sid("t/stage-7/0"), 1}, "t/stage-1/0").allowed);
    QVERIFY(!decide(policy, first, "t/stage-1/0", Action::register_).allowed);
}

void SendOrdersTest::impossible_orders_are_refused() {
    Authorizer aam;
    for (const SendOrder& bad : {SendOrder{{}, "t//x", false, "x"}, SendOrder{{Sid("a b"), 1}, "t", false, "x"},
                                 SendOrder{{}, "t", false, std::string(5'000, 'x')}}) {
        QCOMPARE(aam.set_policy(with({bad}), now).error().code, ErrorCode::invalid_input);
        QCOMPARE(aam.version(), std::uint64_t{0});
    }
    QCOMPARE(aam.set_policy(with(std::vector<SendOrder>(most_rules + 1)), now).error().code, ErrorCode::exhausted);
}

DIVISI_TEST(SendOrdersTest)

}  // namespace send_orders_test

#include "send_orders_test.moc"
