// SPDX-License-Identifier: Apache-2.0
#include "backend/control/network/link_survey.h"
#include "backend/control/protocol/fault_messages.h"
#include "backend/control/protocol/probe_messages.h"

#include "tests/support/test_program.h"
#include "tests/unit/control/fixture.h"

namespace link_survey_test {

using namespace divisi;
using namespace divisi::control;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

namespace {

const LinkFigures figures{1e-4, 1e-5, 2e-6, 1e9, 1e7};

/// A fixture with two machines with a node each. The tests decide how the node agents answer.
struct Country : test::Fixture {
    MeshDevices devices{context};
    LinkSurvey survey{context, devices};

    Country() {
        context.follow([this](const Event& event) { survey.follow(event); });
        node(1, "a", "alpha", "tcp://10.0.0.1:1");
        node(2, "b", "beta", "tcp://10.0.0.2:1");
        settle();
    }
    void poll() { survey.poll(); }
    void settle() {
        clear();
        pass(context.limits().link_settle);
    }
    /// Returns the probe announced to its server; 0: none.
    std::uint64_t served() {
        const auto asked = sent<ServeProbe>();
        return asked.empty() ? 0 : asked.back().second.probe;
    }
    /// Runs a whole probe for both ends; returns whether one was ordered.
    bool measure(const LinkFigures& result = figures) {
        clear();
        poll();
        return answer(result);
    }
    /// Answers the newest probe for both ends.
    bool answer(const LinkFigures& result = figures) {
        const auto asked = sent<ServeProbe>();
        if (asked.empty()) return false;
        say(survey, asked.back().first, ProbeServed{asked.back().second.probe, "tcp://there:2", {}});
        const auto run = sent<RunProbe>();
        if (run.size() != 1) return false;
        say(survey, run[0].first, ProbeEnded{run[0].second.probe, result, {}});
        return true;
    }
};

}  // namespace

/// Tests which links are measured, when, and by which device, and what ends a probe.
class LinkSurveyTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void each_direction_between_hosts_is_measured_once();
    void links_are_measured_again_by_age_and_on_request();
    void starting_task_ends_a_probe_which_is_repeated();
    void held_task_does_not_prevent_a_probe();
    void figures_from_other_nodes_or_without_a_link_are_ignored();
    void failed_probe_is_retried_after_a_while();
    void unreachable_hosts_are_skipped();
    void mesh_links_are_measured_by_the_devices();
    void link_is_measured_again_after_a_fault();
    void reconnected_device_is_measured_at_once();
    void links_of_a_reconnected_device_are_measured_again();
};

void LinkSurveyTest::each_direction_between_hosts_is_measured_once() {
    Country country;
    QVERIFY(country.measure());
    QVERIFY(country.measure());
    QVERIFY(!country.measure());
    const auto& links = country.context.state().links;
    QCOMPARE(links.size(), std::size_t{2});
    QCOMPARE(links.at({"alpha", "beta", LinkTransport::tcp}).link.figures.bytes_per_s, 1e9);
    QVERIFY(links.contains({"beta", "alpha", LinkTransport::tcp}));
}

void LinkSurveyTest::links_are_measured_again_by_age_and_on_request() {
    Country country;
    while (country.measure()) {}
    country.pass(seconds(5));
    country.say(country.survey, country.connect(9), MeasureLinks{});
    int again = 0;
    while (country.measure()) ++again;
    QCOMPARE(again, 2);
    country.now += country.context.limits().link_age;
    country.pass(minutes(2));
    QVERIFY(country.measure());
}

void LinkSurveyTest::starting_task_ends_a_probe_which_is_repeated() {
    Country country;
    country.poll();
    QVERIFY(country.served() != 0);
    const TaskId task("t-1");
    country.context.append(TaskSubmitted{task, "t", "", "/", "", {}, "me", 0});
    country.clear();
    country.poll();
    QCOMPARE(country.sent<EndProbe>().size(), std::size_t{2});
    country.settle();
    country.poll();
    QCOMPARE(country.served(), std::uint64_t{0});  // no link is measured while a task runs
    country.context.append(TaskEnded{task, Outcome::succeeded, {}});
    country.poll();
    QCOMPARE(country.served(), std::uint64_t{0});  // nor immediately after the task
    country.settle();
    country.poll();
    QVERIFY(country.served() != 0);
}

void LinkSurveyTest::held_task_does_not_prevent_a_probe() {
    Country country;
    const TaskId task("t-1");
    country.context.append(TaskSubmitted{task, "t", "", "/", "", {}, "me", 0});
    country.settle();
    country.poll();
    QCOMPARE(country.served(), std::uint64_t{0});  // the queued task may start at any time
    country.say(country.survey, country.connect(9), MeasureLinks{});
    country.poll();
    QCOMPARE(country.served(), std::uint64_t{0});
    country.context.append(TaskHeld{task, true});
    country.settle();
    country.poll();
    QVERIFY(country.served() != 0);
}

void LinkSurveyTest::figures_from_other_nodes_or_without_a_link_are_ignored() {
    Country country;
    country.poll();
    const std::uint64_t probe = country.served();
    const PeerId from = country.sent<ServeProbe>()[0].second.from == NodeId("a") ? PeerId(1) : PeerId(2);
    const PeerId to = from == PeerId(1) ? PeerId(2) : PeerId(1);
    country.say(country.survey, from, ProbeServed{probe, "tcp://there:2", {}});
    QVERIFY(country.sent<RunProbe>().empty());  // only the other end could answer this
    country.say(country.survey, to, ProbeServed{probe, "tcp://there:2", {}});
    country.say(country.survey, to, ProbeEnded{probe, figures, {}});
    country.say(country.survey, from, ProbeEnded{probe + 1, figures, {}});
    QVERIFY(country.context.state().links.empty());
    LinkFigures wrong = figures;
    wrong.bytes_per_s = 0;
    country.say(country.survey, from, ProbeEnded{probe, wrong, {}});
    QVERIFY(country.context.state().links.empty());
    QCOMPARE(country.logged<Noted>().size(), std::size_t{1});
}

void LinkSurveyTest::failed_probe_is_retried_after_a_while() {
    Country country;
    country.poll();
    country.pass(country.context.limits().link_probe);
    country.poll();  // the probe has timed out
    QCOMPARE(country.logged<Noted>().size(), std::size_t{1});
    QCOMPARE(country.sent<EndProbe>().size(), std::size_t{2});
    QVERIFY(country.answer());  // the opposite direction is measured immediately
    QVERIFY(!country.measure());
    country.pass(country.context.limits().link_retry);
    QVERIFY(country.measure());
    country.say(country.survey, country.connect(9), MeasureLinks{});
    country.clear();
    country.poll();
    QVERIFY(country.served() != 0);
    country.survey.node_gone(NodeId("a"));
    QCOMPARE(country.sent<EndProbe>().size(), std::size_t{2});
    QVERIFY(!country.survey.next_deadline());
}

void LinkSurveyTest::unreachable_hosts_are_skipped() {
    test::Fixture fixture;
    const MeshDevices devices(fixture.context);
    LinkSurvey survey(fixture.context, devices);
    fixture.node(1, "a", "alpha", "ipc:///a");
    fixture.node(2, "b", "beta", "ipc:///b");
    fixture.node(3, "c", "gamma", "");
    fixture.pass(hours(1));
    survey.poll();
    QVERIFY(fixture.sent<ServeProbe>().empty());
    fixture.node(4, "d", "alpha", "ipc:///d");  // two nodes on one host
    fixture.pass(minutes(2));
    survey.poll();
    QCOMPARE(fixture.sent<ServeProbe>().size(), std::size_t{1});
}

namespace {

/// A fixture with a linked gateway and router, and nothing else.
struct MeshLink : test::Fixture {
    MeshDevices devices{context};
    LinkSurvey survey{context, devices};

    MeshLink() {
        context.follow([this](const Event& event) { survey.follow(event); });
        devices.allow_faults();
        gateway_comes(1);
        DeviceInfo router;
        router.name = "sr-1";
        say(devices, connect(2), RegisterDevice{router, 0});
        report(true);
        pass(context.limits().link_settle);
    }
    void gateway_comes(std::uint64_t peer) {
        DeviceInfo gateway;
        gateway.name = "mg-1";
        gateway.role = mesh::DeviceRole::gateway;
        gateway.mic = MicId("mic-1");
        gateway.neighbours = {"sr-1"};
        say(devices, connect(peer), RegisterDevice{gateway, 0});
    }
    /// Ends a device's connection, as the orchestrator does.
    void goes(std::uint64_t peer) {
        (void)context.sessions().close(PeerId(peer));
        survey.peer_gone(PeerId(peer));
        devices.device_gone(PeerId(peer), "it ended", false);
    }
    void report(bool usable) {
        for (const std::uint64_t peer : {1, 2}) {
            DeviceReport message;
            message.neighbours = {{peer == 1 ? 2u : 1u, usable, 0, 0, 0}};
            say(devices, PeerId(peer), message);
        }
    }
    /// Returns the device that is asked to measure; 0: none. Sends `result` as the device's answer.
    std::uint64_t measure(const LinkFigures& result = figures) {
        clear();
        survey.poll();
        const auto asked = sent<ProbeNeighbour>();
        if (asked.empty()) return 0;
        say(survey, asked[0].first, ProbeEnded{asked[0].second.probe, result, {}});
        return asked[0].first.value();
    }
};

}  // namespace

void LinkSurveyTest::mesh_links_are_measured_by_the_devices() {
    MeshLink link;
    QCOMPARE(link.context.state().devices.size(), std::size_t{2});
    link.report(false);
    QCOMPARE(link.measure(), std::uint64_t{0});  // the link is down
    link.report(true);
    link.pass(minutes(2));
    QCOMPARE(link.measure(), std::uint64_t{1});
    QCOMPARE(link.sent<EndProbe>().size(), std::size_t{1});
    QCOMPARE(link.measure(), std::uint64_t{2});
    QCOMPARE(link.measure(), std::uint64_t{0});
    const auto& links = link.context.state().links;
    QVERIFY(links.contains({"mg-1", "sr-1", LinkTransport::mesh}));
    QVERIFY(links.contains({"sr-1", "mg-1", LinkTransport::mesh}));
    // Figures from another device are ignored.
    link.pass(seconds(1));
    link.say(link.survey, link.connect(9), MeasureLinks{});
    link.clear();
    link.survey.poll();
    const auto asked = link.sent<ProbeNeighbour>();
    QCOMPARE(asked.size(), std::size_t{1});
    link.say(link.survey, PeerId(2), ProbeEnded{asked[0].second.probe, {1, 0, 0, 1, 0}, {}});
    QCOMPARE(links.at({"mg-1", "sr-1", LinkTransport::mesh}).link.figures.bytes_per_s, 1e9);
    // A device that disconnects while it measures delays other measurements by at most the usual timeout.
    (void)link.context.sessions().close(PeerId(1));
    link.pass(link.context.limits().link_probe);
    link.clear();
    link.survey.poll();
    QVERIFY(link.sent<EndProbe>().empty());
}

void LinkSurveyTest::link_is_measured_again_after_a_fault() {
    MeshLink link;
    while (link.measure() != 0) {}
    const auto fault = [&](const LinkFault& made) { link.say(link.devices, PeerId(1), FaultLink{made}); };
    fault({"mg-1", "sr-1", false, 2e7, 0});
    const LinkFigures slow{1e-4, 0, 1e-6, 2e7, 0};
    QCOMPARE(link.measure(slow), std::uint64_t{1});
    QCOMPARE(link.measure(slow), std::uint64_t{2});
    QCOMPARE(link.measure(), std::uint64_t{0});
    fault({"mg-1", "sr-1", true, 0, 0});
    QCOMPARE(link.measure(), std::uint64_t{0});  // a cut link cannot be measured
    link.say(link.devices, PeerId(1), HealFaults{});
    QCOMPARE(link.measure(), std::uint64_t{1});
    QCOMPARE(link.measure(), std::uint64_t{2});
    QCOMPARE(link.context.state().links.at({"sr-1", "mg-1", LinkTransport::mesh}).link.figures.bytes_per_s, 1e9);
}

void LinkSurveyTest::reconnected_device_is_measured_at_once() {
    for (const bool in_vain : {false, true}) {  // the device disconnects during a probe, or after a failed one
        MeshLink link;
        link.clear();
        link.survey.poll();
        const auto asked = link.sent<ProbeNeighbour>();
        QCOMPARE(asked.size(), std::size_t{1});
        if (in_vain)
            link.say(link.survey, PeerId(1),
                     ProbeEnded{asked[0].second.probe, {}, Error{ErrorCode::failed, "no answer", "", ""}});
        QCOMPARE(link.logged<Noted>().size(), std::size_t{in_vain ? 1u : 0u});
        link.goes(1);
        QVERIFY(!link.survey.next_deadline());       // the disconnected device is not waited for
        QCOMPARE(link.measure(), std::uint64_t{0});  // the other device has no peer to measure with
        link.gateway_comes(3);
        DeviceReport works;
        works.neighbours = {{2, true, 0, 0, 0}};
        link.say(link.devices, PeerId(3), works);
        link.pass(minutes(2));
        QCOMPARE(link.measure(), std::uint64_t{3});
        QCOMPARE(link.measure(), std::uint64_t{2});
    }
    // The device at the other end of the probe disconnects.
    MeshLink link;
    link.survey.poll();
    link.goes(2);
    QVERIFY(!link.survey.next_deadline());
    QCOMPARE(link.sent<EndProbe>().size(), std::size_t{1});
}

/// Devices derive their windows from what they have measured themselves, so a restarted device must measure again.
void LinkSurveyTest::links_of_a_reconnected_device_are_measured_again() {
    MeshLink link;
    while (link.measure() != 0) {}
    link.goes(1);
    link.gateway_comes(3);
    DeviceReport works;
    works.neighbours = {{2, true, 0, 0, 0}};
    link.say(link.devices, PeerId(3), works);
    link.pass(minutes(2));
    QCOMPARE(link.measure(), std::uint64_t{3});
    QCOMPARE(link.measure(), std::uint64_t{2});
    QCOMPARE(link.measure(), std::uint64_t{0});
}

DIVISI_TEST(LinkSurveyTest)

}  // namespace link_survey_test

#include "link_survey_test.moc"
