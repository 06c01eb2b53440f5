// SPDX-License-Identifier: Apache-2.0
#include "backend/control/network/access_rules.h"
#include "backend/control/policy/policies.h"
#include "backend/control/state/incarnation.h"
#include "backend/control/types/policy_settings.h"
#include "tests/support/test_program.h"
#include "tests/unit/control/fixture.h"

namespace send_orders_test {

using namespace divisi;
using namespace divisi::control;

namespace {

/// A fixture with two nodes of mic-1 with an instance each, an admin and an operator.
struct Cluster : test::Fixture {
    MeshDevices devices{context};
    Models models{context};
    Policies policies{context, devices, models};
    AccessRules rules{context};
    PeerId admin = connect(1), bob = connect_as(2, Role::operate);

    Cluster() {
        context.follow([this](const Event& event) {
            devices.follow(event);
            rules.follow(event);
        });
        for (const char* name : {"mic-1/a", "mic-1/b"}) {
            NodeInfo info;
            info.id = NodeId(name);
            info.mic = MicId("mic-1");
            context.append(NodeJoined{info});
        }
        const TaskId task("t-1");
        context.append(TaskSubmitted{task, "t", "", "", "", {}, "", 0});
        context.append(PhaseChanged{task, TaskPhase::registration, ""});
        start("t-1/stage-0/0", "mic-1/a");
        start("t-1/stage-1/0", "mic-1/b");
        (void)rules.take_change();
    }
    void start(const std::string& sid, const std::string& node) {
        const InstanceId id = instance_of(Sid(sid), 3);
        context.append(InstancePlaced{TaskId("t-1"), id, Sid(sid), NodeId(node), 0, 1});
        context.append(InstanceJoined{id, "", "tcp://x", "key of " + node});
    }
    PeerId connect_as(std::uint64_t peer, Role role) {
        context.sessions().open(PeerId(peer), {false, role, "bob", "key"});
        return PeerId(peer);
    }
    /// Sets policies and returns why they are refused; empty if they are accepted.
    std::string set(PeerId peer, const std::vector<std::string>& settings) {
        clear();
        say(policies, peer, SetPolicies{settings});
        return refusal();
    }
    std::vector<std::string> orders() {
        std::vector<std::string> texts;
        for (const AdmissionOrder& one : rules.policy_for(MicId("mic-1")).orders)
            texts.push_back(one.as.value() + "#" + std::to_string(one.incarnation) + " " + one.sid_prefix +
                            (one.allow ? " allow" : " deny"));
        return texts;
    }
};

}  // namespace

/// Tests policy entries about allowed senders and destinations. Only admins may change these entries, and gateways get
/// them with their admission policy.
class SendOrdersTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void orders_are_parsed_and_printed_alike();
    void gateways_get_the_most_specific_orders_first();
    void only_admins_may_change_send_orders();
    void changed_orders_are_sent_to_gateways();
    void devices_do_not_get_send_orders_as_policy();
    void orders_outlive_a_task();
    void orders_beyond_the_gateway_limit_deny_everything();
};

void SendOrdersTest::orders_are_parsed_and_printed_alike() {
    for (const char* text : {"send:anyone:t-1=deny", "send:mic-1/a:t-1/stage-0=allow", "send:mic-1/*:*=deny"}) {
        const auto setting = parse_setting(text);
        QVERIFY2(setting.ok(), setting.ok() ? "" : setting.error().message().c_str());
        QCOMPARE(to_text(setting->entry), std::string(text));
    }
    QVERIFY(parse_setting("send:anyone:t-1=default")->removed);
    for (const char* text :
         {"send=deny", "send:anyone=deny", "send:anyone:=deny", "send:mic-1:t-1=deny", "send:mic-1/a/b:t-1=deny",
          "send:/*:t-1=deny", "send:anyone:t 1=deny", "send:anyone:t-1=no", "send::t-1=deny", "send:*:t-1=deny"}) {
        const auto setting = parse_setting(text);
        QVERIFY2(!setting.ok(), text);
        QVERIFY(!setting.error().next.empty());
    }
}

void SendOrdersTest::gateways_get_the_most_specific_orders_first() {
    Cluster cluster;
    QVERIFY(cluster.orders().empty());
    QCOMPARE(cluster.set(cluster.admin, {"send:anyone:t-1=deny", "send:mic-1/a:*=deny", "send:mic-1/*:t-1=allow",
                                         "send:mic-1/b:t-1/stage-0=allow"}),
             std::string());
    QVERIFY(cluster.rules.take_change());  // so that gateways are told immediately
    QCOMPARE(cluster.orders(),
             (std::vector<std::string>{"t-1/stage-1/0#3 t-1/stage-0 allow", "t-1/stage-0/0#3 t-1 allow",
                                       "t-1/stage-1/0#3 t-1 allow", "#0 t-1 deny", "t-1/stage-0/0#3  deny"}));
    QCOMPARE(cluster.rules.policy_for(MicId("mic-1")).orders.back().text, std::string("send:mic-1/a:*=deny"));
    cluster.set(cluster.admin, {"send:anyone:t-1=default", "send:mic-1/*:t-1=default", "send:mic-1/a:*=default",
                                "send:mic-1/b:t-1/stage-0=default"});
    QVERIFY(cluster.orders().empty());
}

void SendOrdersTest::only_admins_may_change_send_orders() {
    Cluster cluster;
    QCOMPARE(cluster.set(cluster.bob, {"adapt=off"}), std::string());
    QVERIFY(cluster.set(cluster.bob, {"send:anyone:t-1=deny"}).find("only an admin") != std::string::npos);
    QVERIFY(!cluster.logged<Noted>().empty());
    QCOMPARE(cluster.set(cluster.admin, {"send:anyone:t-1=deny"}), std::string());
    QCOMPARE(cluster.set(cluster.bob, {"adapt=on"}), std::string());  // leaves the send order as it is
    QVERIFY(cluster.set(cluster.bob, {"send:anyone:t-1=default"}).find("only an admin") != std::string::npos);
    cluster.clear();
    cluster.say(cluster.policies, cluster.bob, RollBackPolicies{1});  // to the version before the send order
    QVERIFY(cluster.refusal().find("only an admin") != std::string::npos);
    QVERIFY(cluster.set(cluster.admin, {"send:mic-9/a:t-1=deny"}).find("no node is called") != std::string::npos);
}

void SendOrdersTest::changed_orders_are_sent_to_gateways() {
    Cluster cluster;
    DeviceInfo info;
    info.name = "mg-1";
    info.role = mesh::DeviceRole::gateway;
    info.mic = MicId("mic-1");
    cluster.say(cluster.devices, cluster.connect(7), RegisterDevice{info});
    (void)cluster.devices.advertise();
    for (const bool denied : {true, false}) {
        QCOMPARE(cluster.set(cluster.admin, {denied ? "send:anyone:t-1=deny" : "send:anyone:t-1=default"}),
                 std::string());
        (void)cluster.devices.advertise();
        const auto told = cluster.sent<AdmissionPolicy>();
        QCOMPARE(told.size(), std::size_t{1});
        QCOMPARE(told[0].second.orders.size(), denied ? std::size_t{1} : std::size_t{0});
    }
}

void SendOrdersTest::devices_do_not_get_send_orders_as_policy() {
    Cluster cluster;
    DeviceInfo info;
    info.name = "sr-1";
    cluster.say(cluster.devices, cluster.connect(7), RegisterDevice{info});
    cluster.policies.poll();
    cluster.set(cluster.admin, {"send:anyone:t-1=deny", "adapt=off"});
    const auto told = cluster.sent<DevicePolicy>();
    QCOMPARE(told.size(), std::size_t{1});
    QCOMPARE(told[0].second.entries.size(), std::size_t{1});
}

void SendOrdersTest::orders_outlive_a_task() {
    Cluster cluster;
    cluster.set(cluster.admin, {"send:mic-1/a:t-1=deny"});
    cluster.context.append(TaskEnded{TaskId("t-1"), Outcome::succeeded, {}});
    cluster.set(cluster.admin, {"adapt=off"});
    QCOMPARE(cluster.context.state().policies.rbegin()->second.entries.size(), std::size_t{2});
}

void SendOrdersTest::orders_beyond_the_gateway_limit_deny_everything() {
    Cluster cluster;
    for (int i = 0; i < 100; ++i) cluster.start("t-1/stage-2/" + std::to_string(i), "mic-1/a");
    std::vector<std::string> settings;
    for (int i = 0; i < 40; ++i) settings.push_back("send:mic-1/a:t-" + std::to_string(i) + "=deny");
    cluster.set(cluster.admin, settings);
    QCOMPARE(cluster.orders().size(), std::size_t{40 * 101});
    cluster.set(cluster.admin, {"send:mic-1/a:x=deny"});
    const AdmissionPolicy policy = cluster.rules.policy_for(MicId("mic-1"));
    QVERIFY(policy.orders.size() <= most_orders && policy.rules.empty());
    QVERIFY(cluster.logged<Noted>().back().text.find("nobody in mic-1 may send") != std::string::npos);
}

DIVISI_TEST(SendOrdersTest)

}  // namespace send_orders_test

#include "send_orders_test.moc"
