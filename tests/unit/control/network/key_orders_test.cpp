// SPDX-License-Identifier: Apache-2.0
#include "backend/control/network/access_rules.h"
#include "backend/control/policy/policies.h"
#include "backend/control/state/incarnation.h"
#include "backend/control/types/policy_settings.h"
#include "backend/mesh/admission/authorization.h"
#include "tests/support/test_program.h"
#include "tests/unit/control/fixture.h"

namespace key_orders_test {

using namespace divisi;
using namespace divisi::control;

namespace {

const std::string a = "t-1/stage-0/0", b = "t-1/stage-1/0", c = "t-1/stage-2/0", target = "t-1/stage-9/0";
const std::string let_in = "allowed";

std::string denied_by(const std::string& order) { return "policy '" + order + "' denies it"; }

/// A fixture with mic-1: a node on tcp for each of `a` and `b`, and one on ipc for `c`. Their keys are named after the
/// nodes.
struct Cluster : test::Fixture {
    MeshDevices devices{context};
    Models models{context};
    Policies policies{context, devices, models};
    AccessRules rules{context};
    PeerId admin = connect(1);

    Cluster() {
        context.follow([this](const Event& event) {
            devices.follow(event);
            rules.follow(event);
        });
        context.append(TaskSubmitted{TaskId("t-1"), "t", "", "", "", {}, "", 0});
        context.append(PhaseChanged{TaskId("t-1"), TaskPhase::registration, ""});
        allow("key of a", "mic-1/a");
        allow("key of b", "mic-1/b");
        join("mic-1/a", "key of a");
        join("mic-1/b", "key of b");
        join("mic-1/c", "");
        start(a, "mic-1/a", "key of a");
        start(b, "mic-1/b", "key of b");
        start(c, "mic-1/c", "");
        (void)rules.take_change();
    }
    void allow(const std::string& key, const std::string& name, Role role = Role::agent) {
        context.append(KeyChanged{key, name, role, false});
    }
    void join(const std::string& node, const std::string& key) {
        NodeInfo info;
        info.id = NodeId(node);
        info.mic = MicId("mic-1");
        info.blob_key = key;
        context.append(NodeJoined{info});
    }
    void start(const std::string& sid, const std::string& node, const std::string& key, Incarnation process = 1) {
        const InstanceId id = instance_of(Sid(sid), process);
        context.append(InstancePlaced{TaskId("t-1"), id, Sid(sid), NodeId(node), 0, 1});
        context.append(InstanceJoined{id, "", "tcp://x", key});
    }
    /// Sets a policy and returns why it is refused; empty if it is accepted.
    std::string set(const std::string& setting) {
        clear();
        say(policies, admin, SetPolicies{{setting}});
        return refusal();
    }
    /// Returns the policy as the gateway of mic-1 receives it.
    mesh::PolicySnapshot snapshot() {
        const AdmissionPolicy policy = rules.policy_for(MicId("mic-1"));
        mesh::PolicySnapshot all{policy.version, now, {}, {policy.revoked_keys.begin(), policy.revoked_keys.end()}};
        for (const AdmissionRule& rule : policy.rules) {
            mesh::SubjectPattern subject = mesh::Owner{};
            if (!rule.key.empty()) subject = mesh::PublicKey{rule.key};
            all.rules.push_back({subject, {mesh::Action::send}, rule.sid_prefix, true, {rule.as, rule.incarnation}});
        }
        for (const AdmissionOrder& order : policy.orders)
            all.orders.push_back({{order.as, order.incarnation}, order.sid_prefix, order.allow, order.text});
        return all;
    }
    /// Returns the gateway's decision on a sender with `key` that serves `sid`: `let_in`, or the reason of the denial.
    std::string decide(const std::string& sid, const std::string& key, Incarnation process = 1) {
        mesh::Authorizer aam;
        if (const auto taken = aam.set_policy(snapshot(), now); !taken) return taken.error().message();
        identity::Credentials subject;
        subject.owner = key.empty();
        if (!key.empty()) subject.role = Role::agent;
        subject.key = key;
        const auto decision = aam.decide(subject, mesh::Action::send, Sid(target), now, {Sid(sid), process});
        return decision.allowed ? let_in : decision.reason;
    }
};

}  // namespace

/// Tests policy entries that allow or deny sending by CURVE key.
class KeyOrdersTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void orders_are_parsed_and_printed_alike();
    void invalid_orders_are_refused_with_a_hint_data();
    void invalid_orders_are_refused_with_a_hint();
    void most_specific_matching_order_applies();
    void order_covers_a_new_key_of_the_same_name();
    void keys_of_the_cluster_file_have_names_too();
    void unknown_key_names_are_refused();
    void unnamed_key_is_subject_to_every_denial();
    void blob_ends_are_senders_too();
};

void KeyOrdersTest::orders_are_parsed_and_printed_alike() {
    for (const char* text : {"send:key@lab-3:*=deny", "send:key@mic-1/a:t-1/stage-0=allow", "send:key@a:b:t-1=deny",
                             "send:key@mic-1/*:*=deny", "send:role@agent:t-7=deny", "send:role@operator:*=allow"}) {
        const auto setting = parse_setting(text);
        QVERIFY2(setting.ok(), setting.ok() ? "" : setting.error().message().c_str());
        QCOMPARE(to_text(setting->entry), std::string(text));
    }
    const auto colon = parse_setting("send:key@a:b:t-1=deny");
    QCOMPARE(colon->entry.from, std::string("key@a:b"));
    QCOMPARE(colon->entry.to, std::string("t-1"));
}

void KeyOrdersTest::invalid_orders_are_refused_with_a_hint_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("next");
    QTest::newRow("a key without a name") << "send:key@:*=deny"
                                          << "'key@' must be followed by the name of a key"
                                          << "the name under which the key was allowed";
    QTest::newRow("no role") << "send:role@boss:*=deny"
                             << "'boss' is not a role of a key"
                             << "viewer, operator, agent, admin or module";
    QTest::newRow("an empty role") << "send:role@:*=deny"
                                   << "'' is not a role of a key"
                                   << "as in send:role@agent:*=deny";
    QTest::newRow("a role in capitals") << "send:role@Agent:*=deny"
                                        << "'Agent' is not a role of a key"
                                        << "write role@";
    QTest::newRow("no prefix") << "send:key@lab-3=deny"
                               << "the key must name the senders and the SIDs"
                               << "key@NAME or role@ROLE";
    QTest::newRow("an empty prefix") << "send:key@lab-3:=deny"
                                     << "the key does not name valid SIDs"
                                     << "key@NAME or role@ROLE";
    QTest::newRow("a name that is too long") << "send:key@" + QString(300, 'x') + ":*=deny"
                                             << "is not a sender"
                                             << "key@NAME or role@ROLE";
}

void KeyOrdersTest::invalid_orders_are_refused_with_a_hint() {
    QFETCH(QString, text);
    QFETCH(QString, what);
    QFETCH(QString, next);
    const auto setting = parse_setting(text.toStdString());
    QVERIFY(!setting.ok());
    const Error error = setting.error();
    QCOMPARE(error.code, ErrorCode::invalid_input);
    QVERIFY2(QString::fromStdString(error.what).contains(what), error.what.c_str());
    QVERIFY2(QString::fromStdString(error.where).contains(text.left(20)), error.where.c_str());
    QVERIFY2(QString::fromStdString(error.next).contains(next), error.next.c_str());
}

void KeyOrdersTest::most_specific_matching_order_applies() {
    Cluster cluster;
    QCOMPARE(cluster.decide(a, "key of a"), let_in);
    QCOMPARE(cluster.set("send:role@agent:*=deny"), std::string());
    QVERIFY(cluster.rules.take_change());
    QCOMPARE(cluster.decide(a, "key of a"), denied_by("send:role@agent:*=deny"));
    QCOMPARE(cluster.decide(b, "key of b"), denied_by("send:role@agent:*=deny"));
    QCOMPARE(cluster.decide(c, ""), let_in);  // no key, so no role
    QCOMPARE(cluster.set("send:key@mic-1/a:*=allow"), std::string());
    QCOMPARE(cluster.decide(a, "key of a"), let_in);
    // a sender that no rule allows is not admitted by an order alone
    QCOMPARE(cluster.decide(a, "key of b"), std::string("no rule allows it"));
    QCOMPARE(cluster.decide(b, "key of b"), denied_by("send:role@agent:*=deny"));
    QCOMPARE(cluster.set("send:mic-1/*:*=deny"), std::string());  // more specific than a role, less specific than a key
    QCOMPARE(cluster.decide(a, "key of a"), let_in);
    QCOMPARE(cluster.decide(b, "key of b"), denied_by("send:mic-1/*:*=deny"));
    QCOMPARE(cluster.decide(c, ""), denied_by("send:mic-1/*:*=deny"));
    QCOMPARE(cluster.set("send:role@agent:t-1/stage-9=allow"), std::string());  // a longer prefix takes precedence
    QCOMPARE(cluster.decide(b, "key of b"), let_in);
    QCOMPARE(cluster.decide(c, ""), denied_by("send:mic-1/*:*=deny"));
    QCOMPARE(cluster.set("send:key@mic-1/b:t-1/stage-9=deny"), std::string());
    QCOMPARE(cluster.decide(b, "key of b"), denied_by("send:key@mic-1/b:t-1/stage-9=deny"));
    // equally specific: the denial takes precedence
    QCOMPARE(cluster.set("send:mic-1/b:t-1/stage-9=allow"), std::string());
    QCOMPARE(cluster.decide(b, "key of b"), denied_by("send:key@mic-1/b:t-1/stage-9=deny"));
}

void KeyOrdersTest::order_covers_a_new_key_of_the_same_name() {
    Cluster cluster;
    const std::string order = "send:key@mic-1/a:*=deny";
    QCOMPARE(cluster.set(order), std::string());
    QCOMPARE(cluster.decide(a, "key of a"), denied_by(order));
    QCOMPARE(cluster.decide(b, "key of b"), let_in);
    cluster.context.append(KeyChanged{"key of a", "mic-1/a", Role::agent, true});
    QCOMPARE(cluster.decide(a, "key of a"), std::string("the key was revoked"));
    cluster.context.append(InstanceEnded{instance_of(Sid(a), 1), "its key was revoked"});
    cluster.start(a, "mic-1/a", "new key", 2);
    (void)cluster.rules.take_change();
    cluster.allow("new key", "mic-1/a");
    QVERIFY(cluster.rules.take_change());  // so that gateways are told immediately
    QCOMPARE(cluster.decide(a, "new key", 2), denied_by(order));
    cluster.allow("new key", "mic-1/z");  // the key now belongs to another name
    QCOMPARE(cluster.decide(a, "new key", 2), let_in);
    QCOMPARE(cluster.set("send:role@agent:*=deny"), std::string());
    QCOMPARE(cluster.decide(a, "new key", 2), denied_by("send:role@agent:*=deny"));
    cluster.allow("new key", "mic-1/z", Role::operate);
    QCOMPARE(cluster.decide(a, "new key", 2), let_in);
}

void KeyOrdersTest::keys_of_the_cluster_file_have_names_too() {
    Cluster cluster;
    const std::vector<KeyChanged> file{{"key of the file", "mic-1/d", Role::agent, false}};
    cluster.devices.allow_always(file);
    cluster.rules.allow_always(file);
    cluster.join("mic-1/d", "key of the file");
    cluster.start("t-1/stage-3/0", "mic-1/d", "key of the file");
    QCOMPARE(cluster.set("send:key@mic-1/d:*=deny"), std::string());
    QCOMPARE(cluster.decide("t-1/stage-3/0", "key of the file"), denied_by("send:key@mic-1/d:*=deny"));
    cluster.allow("key of the file", "mic-1/e");  // a later change by an admin takes precedence
    QCOMPARE(cluster.decide("t-1/stage-3/0", "key of the file"), let_in);
    cluster.devices.allow_always(file);  // as after a restart, which remembers the admin's change
    cluster.rules.allow_always(file);
    QCOMPARE(cluster.set("send:key@mic-1/e:*=deny"), std::string());
    QCOMPARE(cluster.decide("t-1/stage-3/0", "key of the file"), denied_by("send:key@mic-1/e:*=deny"));
}

void KeyOrdersTest::unknown_key_names_are_refused() {
    Cluster cluster;
    QCOMPARE(cluster.set("send:key@lab-9:*=deny"), std::string("'key@lab-9' names no allowed key"));
    QCOMPARE(cluster.set("send:key@mic-1/c:*=deny"), std::string("'key@mic-1/c' names no allowed key"));
    QCOMPARE(cluster.set("send:role@module:*=deny"), std::string("'role@module' names no allowed key"));
    cluster.allow("key of a module", "link-trend", Role::module);
    QCOMPARE(cluster.set("send:role@module:*=deny"), std::string());
    cluster.context.append(KeyChanged{"key of a module", "link-trend", Role::module, true});
    QCOMPARE(cluster.set("adapt=off"), std::string());  // orders already set are not checked again
    QCOMPARE(cluster.set("send:role@module:*=default"), std::string());
}

void KeyOrdersTest::unnamed_key_is_subject_to_every_denial() {
    Cluster cluster;
    cluster.start("t-1/stage-4/0", "mic-1/b", "stray key");
    QCOMPARE(cluster.decide("t-1/stage-4/0", "stray key"), let_in);  // no order is about keys yet
    QCOMPARE(cluster.set("send:key@mic-1/a:*=deny"), std::string());
    const std::string denied = denied_by("send:key@mic-1/a:*=deny (its key is not allowed under any name)");
    QCOMPARE(cluster.decide("t-1/stage-4/0", "stray key"), denied);
    QCOMPARE(cluster.decide(b, "key of b"), let_in);
    QCOMPARE(cluster.set("send:role@agent:t-1/stage-9=allow"), std::string());
    QCOMPARE(cluster.decide("t-1/stage-4/0", "stray key"), denied);
    cluster.allow("stray key", "mic-1/b");
    QCOMPARE(cluster.decide("t-1/stage-4/0", "stray key"), let_in);
}

void KeyOrdersTest::blob_ends_are_senders_too() {
    Cluster cluster;
    const BlobEnd from{NodeId("mic-1/a"), Sid("blobs/7/from"), 7, ""}, to{NodeId("mic-1/b"), Sid("blobs/7/to"), 7, ""};
    cluster.rules.set_blob_ends({from, to});
    QCOMPARE(cluster.set("send:key@mic-1/a:blobs=deny"), std::string());
    const AdmissionPolicy policy = cluster.rules.policy_for(MicId("mic-1"));
    QCOMPARE(policy.orders.size(), std::size_t{2});  // one for the blob end, one for the node's instance
    const AdmissionOrder meant{from.sid, 7, "blobs", false, "send:key@mic-1/a:blobs=deny"};
    QVERIFY(std::ranges::find(policy.orders, meant) != policy.orders.end());
}

DIVISI_TEST(KeyOrdersTest)

}  // namespace key_orders_test

#include "key_orders_test.moc"
