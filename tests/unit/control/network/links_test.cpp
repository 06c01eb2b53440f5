// SPDX-License-Identifier: Apache-2.0

#include "backend/control/protocol/connection_messages.h"
#include "backend/control/protocol/node_messages.h"
#include "backend/control/protocol/probe_messages.h"
#include "tests/unit/control/plan_at_once.h"

#include "tests/support/test_program.h"

namespace links_test {

using namespace divisi;
using namespace divisi::control;
using std::chrono::hours, std::chrono::minutes, std::chrono::milliseconds, std::chrono::seconds;

namespace {

Result<PlanSummary> one_stage(const SubmitTask&) {
    PlanSummary plan;
    plan.name = "t";
    plan.stages = 1;
    plan.steps = 1;
    plan.plan_hash = "hash";
    return plan;
}

/// A fixture with an orchestrator whose nodes send no answers by themselves.
struct Cluster {
    OrchestratorLimits limits;
    Orchestrator core;
    TimePoint now{seconds(1000)};
    std::uint64_t last_peer = 0;

    Cluster() { (void)core.start("test", "1", now); }
    Output step(const Input& input, Duration after = milliseconds(1)) {
        now += after;
        return test::plan_at_once(core, core.step(input, now), now, one_stage);
    }
    /// Lets time pass while all peers send heartbeats, and returns the orchestrator's output.
    Output tick(Duration after) {
        now += after;
        Output all;
        const auto add = [&](const Output& output) {
            all.sends.insert(all.sends.end(), output.sends.begin(), output.sends.end());
            all.events.insert(all.events.end(), output.events.begin(), output.events.end());
        };
        for (std::uint64_t peer = 1; peer <= last_peer; ++peer)
            add(core.step(Received{PeerId(peer), 0, Heartbeat{}}, now));
        add(core.step(Tick{}, now));
        return all;
    }
    Output say(PeerId peer, Message message) { return step(Received{peer, 1, std::move(message)}); }
    PeerId connect(Role role) {
        const PeerId peer(++last_peer);
        (void)step(PeerConnected{peer, {true, role, "someone", ""}});
        (void)say(peer, Hello{"test", "1", role});
        return peer;
    }
    PeerId node(const std::string& name, const std::string& host, const std::string& endpoint = "tcp://x",
                const std::string& key = {}) {
        const PeerId peer = connect(Role::agent);
        (void)say(peer, RegisterNode{{NodeId(name), MicId("m"), host, "f", {}, endpoint, key, 1}});
        return peer;
    }
};

template <typename M>
const M* sent_to(const Output& output, PeerId peer) {
    for (const Send& sent : output.sends)
        if (const auto* message = get_if<M>(&sent.message); message && sent.peer == peer) return message;
    return nullptr;
}

template <typename M>
bool any(const Output& output) {
    return std::any_of(output.sends.begin(), output.sends.end(),
                       [](const Send& sent) { return holds_alternative<M>(sent.message); });
}

const LinkFigures good{1e-4, 1e-5, 2e-5, 1e9, 1e8};

}  // namespace

/// Tests when links are measured, and how probes end.
class LinksTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void pair_of_hosts_is_measured_once_in_each_direction();
    void nodes_of_one_host_are_measured_once();
    void probe_yields_to_a_task();
    void failure_is_logged_once_and_retried_later();
    void probe_answers_of_other_nodes_are_ignored();
    void operator_may_request_a_new_measurement();
    void ipc_and_tcp_nodes_have_no_link();
};

void LinksTest::pair_of_hosts_is_measured_once_in_each_direction() {
    Cluster cluster;
    const PeerId a = cluster.node("m/a", "alpha", "tcp://a", "key a"),
                 b = cluster.node("m/b", "beta", "tcp://b", "key b");
    // other nodes may still be joining
    QVERIFY(!any<ServeProbe>(cluster.tick(cluster.limits.link_settle - milliseconds(10))));
    const Output began = cluster.tick(milliseconds(20));
    const ServeProbe* serve = sent_to<ServeProbe>(began, b);
    QVERIFY(serve && serve->from == NodeId("m/a") && serve->from_key == "key a");
    const Output served = cluster.say(b, ProbeServed{serve->probe, "tcp://b:1 tcp://b:2", {}});
    const RunProbe* run = sent_to<RunProbe>(served, a);
    QVERIFY(run && run->probe == serve->probe && run->endpoint == "tcp://b:1 tcp://b:2" && run->key == "key b");
    const Output ended = cluster.say(a, ProbeEnded{serve->probe, good, {}});
    QVERIFY(sent_to<EndProbe>(ended, b) && sent_to<ServeProbe>(ended, a));  // followed by the opposite direction
    QCOMPARE(cluster.core.state().links.at({"alpha", "beta", LinkTransport::tcp}).link.figures.bytes_per_s, 1e9);
    const std::uint64_t back = sent_to<ServeProbe>(ended, a)->probe;
    (void)cluster.say(a, ProbeServed{back, "tcp://a:1 tcp://a:2", {}});
    (void)cluster.say(b, ProbeEnded{back, good, {}});
    QCOMPARE(cluster.core.state().links.size(), std::size_t{2});
    QVERIFY(!any<ServeProbe>(cluster.tick(minutes(2))));
    QVERIFY(any<ServeProbe>(cluster.tick(cluster.limits.link_age)));  // networks change, so links are measured again
}

void LinksTest::nodes_of_one_host_are_measured_once() {
    Cluster cluster;
    (void)cluster.node("m/a", "alpha", "ipc:///a");
    QVERIFY(!any<ServeProbe>(cluster.tick(seconds(5))));  // no second node to measure with
    const PeerId b = cluster.node("m/b", "alpha", "ipc:///b"), c = cluster.node("m/c", "alpha", "ipc:///c");
    const Output began = cluster.tick(seconds(5));
    QVERIFY(!sent_to<ServeProbe>(began, b));
    const ServeProbe* serve = sent_to<ServeProbe>(began, c);
    QVERIFY(serve);
    (void)cluster.say(c, ProbeServed{serve->probe, "e", {}});
    (void)cluster.say(PeerId(1), ProbeEnded{serve->probe, good, {}});
    QVERIFY(cluster.core.state().links.contains({"alpha", "alpha", LinkTransport::ipc}));
    QVERIFY(!any<ServeProbe>(cluster.tick(minutes(2))));
}

void LinksTest::probe_yields_to_a_task() {
    Cluster cluster;
    const PeerId a = cluster.node("m/a", "alpha"), b = cluster.node("m/b", "alpha");
    const PeerId client = cluster.connect(Role::operate);
    const Output began = cluster.tick(seconds(5));
    const std::uint64_t probe = sent_to<ServeProbe>(began, b)->probe;
    const Output submitted = cluster.say(client, SubmitTask{"t", "/", "", {}, "me"});
    QVERIFY(sent_to<EndProbe>(submitted, a) && sent_to<EndProbe>(submitted, b));
    (void)cluster.say(a, ProbeEnded{probe, good, {}});
    QVERIFY(cluster.core.state().links.empty());  // the probe may have been disturbed
    QVERIFY(!any<ServeProbe>(cluster.tick(minutes(1))));
    (void)cluster.say(client, StopTask{TaskId("t-1"), "enough"});
    (void)cluster.say(a, InstanceExited{InstanceId("t-1/stage-0/0#1"), 0, 0, ""});
    QVERIFY(cluster.core.state().tasks.at(TaskId("t-1")).over());
    QVERIFY(!any<ServeProbe>(cluster.tick(milliseconds(1))));
    QVERIFY(any<ServeProbe>(cluster.tick(cluster.limits.link_settle)));
}

void LinksTest::failure_is_logged_once_and_retried_later() {
    Cluster cluster;
    const PeerId a = cluster.node("m/a", "alpha"), b = cluster.node("m/b", "alpha");
    const std::uint64_t probe = sent_to<ServeProbe>(cluster.tick(seconds(5)), b)->probe;
    const auto failed = [](const Output& output) {
        return output.events.size() == 1 && holds_alternative<Noted>(output.events[0].body);
    };
    QVERIFY(failed(cluster.say(b, ProbeServed{probe, "", Error{ErrorCode::failed, "no socket", "", ""}})));
    QVERIFY(!any<ServeProbe>(cluster.tick(minutes(1))));
    const Output again = cluster.tick(cluster.limits.link_retry);
    QVERIFY(any<ServeProbe>(again));
    QCOMPARE(cluster.core.next_deadline().has_value(), true);
    // Nobody answers. A pause of the orchestrator itself is not counted as a failure.
    Output late = cluster.tick(cluster.limits.link_probe);
    QVERIFY(late.events.empty());
    for (Duration lived{}; lived < cluster.limits.link_probe && late.events.empty(); lived += heartbeat_interval)
        late = cluster.tick(heartbeat_interval);
    QVERIFY(failed(late));
    const std::uint64_t third = sent_to<ServeProbe>(cluster.tick(cluster.limits.link_retry), b)->probe;
    (void)cluster.say(b, ProbeServed{third, "e", {}});
    LinkFigures wrong = good;
    wrong.bytes_per_s = 0;
    QVERIFY(failed(cluster.say(a, ProbeEnded{third, wrong, {}})));
    QVERIFY(cluster.core.state().links.empty());
    // The probe of a lost node ends without a log line about links.
    QVERIFY(any<ServeProbe>(cluster.tick(cluster.limits.link_retry)));
    const Output lost = cluster.step(PeerGone{b});
    QVERIFY(sent_to<EndProbe>(lost, a));
    QCOMPARE(lost.events.size(), std::size_t{1});
}

void LinksTest::probe_answers_of_other_nodes_are_ignored() {
    Cluster cluster;
    const PeerId a = cluster.node("m/a", "alpha"), b = cluster.node("m/b", "alpha"), c = cluster.node("m/c", "beta");
    const std::uint64_t probe = sent_to<ServeProbe>(cluster.tick(seconds(5)), b)->probe;
    QVERIFY(cluster.say(c, ProbeServed{probe, "elsewhere", {}}).sends.empty());
    QVERIFY(cluster.say(b, ProbeServed{probe + 1, "old", {}}).sends.empty());
    (void)cluster.say(c, ProbeEnded{probe, good, {}});
    (void)cluster.say(b, ProbeEnded{probe, good, {}});
    QVERIFY(cluster.core.state().links.empty());
    const PeerId viewer = cluster.connect(Role::viewer);
    QVERIFY(sent_to<Refused>(cluster.say(viewer, MeasureLinks{}), viewer));
    QVERIFY(sent_to<RunProbe>(cluster.say(b, ProbeServed{probe, "here", {}}), a));
}

void LinksTest::operator_may_request_a_new_measurement() {
    Cluster cluster;
    const PeerId a = cluster.node("m/a", "alpha"), b = cluster.node("m/b", "alpha");
    const auto measure = [&](const Output& began, double bytes_per_s) {
        const std::uint64_t probe = sent_to<ServeProbe>(began, b)->probe;
        (void)cluster.say(b, ProbeServed{probe, "e", {}});
        LinkFigures figures = good;
        figures.bytes_per_s = bytes_per_s;
        (void)cluster.say(a, ProbeEnded{probe, figures, {}});
    };
    measure(cluster.tick(seconds(5)), 1e9);
    const PeerId client = cluster.connect(Role::operate);
    const Output asked = cluster.say(client, MeasureLinks{});
    QVERIFY(sent_to<Done>(asked, client));
    measure(asked, 2e9);
    QCOMPARE(cluster.core.state().links.size(), std::size_t{1});
    QCOMPARE(cluster.core.state().links.begin()->second.link.figures.bytes_per_s, 2e9);
    QVERIFY(!any<ServeProbe>(cluster.tick(minutes(2))));
}

void LinksTest::ipc_and_tcp_nodes_have_no_link() {
    Cluster cluster;
    (void)cluster.node("m/a", "alpha", "ipc:///a");
    (void)cluster.node("m/b", "beta", "tcp://b");
    (void)cluster.node("m/c", "gamma", "ipc:///c");
    (void)cluster.node("m/d", "delta", "");
    QVERIFY(!any<ServeProbe>(cluster.tick(minutes(2))));
}

DIVISI_TEST(LinksTest)

}  // namespace links_test

#include "links_test.moc"
