// SPDX-License-Identifier: Apache-2.0
#include "backend/control/network/link_survey.h"

#include "tests/support/test_program.h"
#include "tests/unit/control/floor.h"

namespace link_survey_test {

using namespace divisi;
using namespace divisi::control;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

namespace {

const LinkFigures figures{1e-4, 1e-5, 2e-6, 1e9, 1e7};

/// Two machines with a node each, whose agents answer as they are told.
struct Country : test::Floor {
    MeshDevices devices{desk};
    LinkSurvey survey{desk, devices};

    Country() {
        desk.follow([this](const Event& event) { survey.follow(event); });
        node(1, "a", "alpha", "tcp://10.0.0.1:1");
        node(2, "b", "beta", "tcp://10.0.0.2:1");
        settle();
    }
    void look() { survey.look(); }
    void settle() {
        clear();
        pass(desk.limits().link_settle);
    }
    /// The probe that its server is told of; 0: none.
    std::uint64_t served() {
        const auto asked = sent<ServeProbe>();
        return asked.empty() ? 0 : asked.back().second.probe;
    }
    /// A whole probe as both ends do it; whether one was asked for.
    bool measure(const LinkFigures& result = figures) {
        clear();
        look();
        return answer(result);
    }
    /// What both ends of the probe that was begun last do.
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

/// Which link is measured when, by whom, and what ends a probe.
class LinkSurveyTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void each_way_between_hosts_is_measured_once();
    void figures_age_and_may_be_asked_for_anew();
    void a_task_ends_a_probe_and_it_comes_again();
    void a_task_that_is_held_ends_no_probe();
    void nothing_is_believed_of_others_or_of_no_link();
    void a_probe_that_fails_is_left_alone_for_a_while();
    void hosts_that_cannot_reach_each_other_are_left_out();
    void links_of_the_mesh_are_measured_by_the_devices();
    void a_fault_has_its_link_measured_anew();
    void a_device_that_comes_back_is_measured_at_once();
    void links_of_a_device_that_comes_back_are_measured_anew();
};

void LinkSurveyTest::each_way_between_hosts_is_measured_once() {
    Country country;
    QVERIFY(country.measure());
    QVERIFY(country.measure());
    QVERIFY(!country.measure());
    const auto& links = country.desk.state().links;
    QCOMPARE(links.size(), std::size_t{2});
    QCOMPARE(links.at({"alpha", "beta", LinkTransport::tcp}).link.figures.bytes_per_s, 1e9);
    QVERIFY(links.contains({"beta", "alpha", LinkTransport::tcp}));
}

void LinkSurveyTest::figures_age_and_may_be_asked_for_anew() {
    Country country;
    while (country.measure()) {}
    country.pass(seconds(5));
    country.say(country.survey, country.connect(9), MeasureLinks{});
    int again = 0;
    while (country.measure()) ++again;
    QCOMPARE(again, 2);
    country.now += country.desk.limits().link_age;
    country.pass(minutes(2));
    QVERIFY(country.measure());
}

void LinkSurveyTest::a_task_ends_a_probe_and_it_comes_again() {
    Country country;
    country.look();
    QVERIFY(country.served() != 0);
    const TaskId task("t-1");
    country.desk.append(TaskSubmitted{task, "t", "", "/", "", {}, "me", 0});
    country.clear();
    country.look();
    QCOMPARE(country.sent<EndProbe>().size(), std::size_t{2});
    country.settle();
    country.look();
    QCOMPARE(country.served(), std::uint64_t{0});  // nobody measures beside a task
    country.desk.append(TaskEnded{task, Outcome::succeeded, {}});
    country.look();
    QCOMPARE(country.served(), std::uint64_t{0});  // nor at once after it
    country.settle();
    country.look();
    QVERIFY(country.served() != 0);
}

void LinkSurveyTest::a_task_that_is_held_ends_no_probe() {
    Country country;
    const TaskId task("t-1");
    country.desk.append(TaskSubmitted{task, "t", "", "/", "", {}, "me", 0});
    country.settle();
    country.look();
    QCOMPARE(country.served(), std::uint64_t{0});  // it may start at any time
    country.say(country.survey, country.connect(9), MeasureLinks{});
    country.look();
    QCOMPARE(country.served(), std::uint64_t{0});
    country.desk.append(TaskHeld{task, true});
    country.settle();
    country.look();
    QVERIFY(country.served() != 0);
}

void LinkSurveyTest::nothing_is_believed_of_others_or_of_no_link() {
    Country country;
    country.look();
    const std::uint64_t probe = country.served();
    const PeerId from = country.sent<ServeProbe>()[0].second.from == NodeId("a") ? PeerId(1) : PeerId(2);
    const PeerId to = from == PeerId(1) ? PeerId(2) : PeerId(1);
    country.say(country.survey, from, ProbeServed{probe, "tcp://there:2", {}});
    QVERIFY(country.sent<RunProbe>().empty());  // it was the other one's to serve
    country.say(country.survey, to, ProbeServed{probe, "tcp://there:2", {}});
    country.say(country.survey, to, ProbeEnded{probe, figures, {}});
    country.say(country.survey, from, ProbeEnded{probe + 1, figures, {}});
    QVERIFY(country.desk.state().links.empty());
    LinkFigures wrong = figures;
    wrong.bytes_per_s = 0;
    country.say(country.survey, from, ProbeEnded{probe, wrong, {}});
    QVERIFY(country.desk.state().links.empty());
    QCOMPARE(country.logged<Noted>().size(), std::size_t{1});
}

void LinkSurveyTest::a_probe_that_fails_is_left_alone_for_a_while() {
    Country country;
    country.look();
    country.pass(country.desk.limits().link_probe);
    country.look();  // it took too long
    QCOMPARE(country.logged<Noted>().size(), std::size_t{1});
    QCOMPARE(country.sent<EndProbe>().size(), std::size_t{2});
    QVERIFY(country.answer());  // the way back, which was begun at once
    QVERIFY(!country.measure());
    country.pass(country.desk.limits().link_retry);
    QVERIFY(country.measure());
    country.say(country.survey, country.connect(9), MeasureLinks{});
    country.clear();
    country.look();
    QVERIFY(country.served() != 0);
    country.survey.node_gone(NodeId("a"));
    QCOMPARE(country.sent<EndProbe>().size(), std::size_t{2});
    QVERIFY(!country.survey.next_deadline());
}

void LinkSurveyTest::hosts_that_cannot_reach_each_other_are_left_out() {
    test::Floor floor;
    const MeshDevices devices(floor.desk);
    LinkSurvey survey(floor.desk, devices);
    floor.node(1, "a", "alpha", "ipc:///a");
    floor.node(2, "b", "beta", "ipc:///b");
    floor.node(3, "c", "gamma", "");
    floor.pass(hours(1));
    survey.look();
    QVERIFY(floor.sent<ServeProbe>().empty());
    floor.node(4, "d", "alpha", "ipc:///d");  // two of one host
    floor.pass(minutes(2));
    survey.look();
    QCOMPARE(floor.sent<ServeProbe>().size(), std::size_t{1});
}

namespace {

/// A gateway and a router that are linked, and nothing else.
struct MeshLink : test::Floor {
    MeshDevices devices{desk};
    LinkSurvey survey{desk, devices};

    MeshLink() {
        desk.follow([this](const Event& event) { survey.follow(event); });
        devices.allow_faults();
        gateway_comes(1);
        DeviceInfo router;
        router.name = "sr-1";
        say(devices, connect(2), RegisterDevice{router, 0});
        report(true);
        pass(desk.limits().link_settle);
    }
    void gateway_comes(std::uint64_t peer) {
        DeviceInfo gateway;
        gateway.name = "mg-1";
        gateway.role = mesh::DeviceRole::gateway;
        gateway.mic = MicId("mic-1");
        gateway.neighbours = {"sr-1"};
        say(devices, connect(peer), RegisterDevice{gateway, 0});
    }
    /// As the orchestrator does it.
    void goes(std::uint64_t peer) {
        (void)desk.sessions().close(PeerId(peer));
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
    /// The device that is asked to measure; answers with these figures. 0: none is.
    std::uint64_t measure(const LinkFigures& result = figures) {
        clear();
        survey.look();
        const auto asked = sent<ProbeNeighbour>();
        if (asked.empty()) return 0;
        say(survey, asked[0].first, ProbeEnded{asked[0].second.probe, result, {}});
        return asked[0].first.value();
    }
};

}  // namespace

void LinkSurveyTest::links_of_the_mesh_are_measured_by_the_devices() {
    MeshLink link;
    QCOMPARE(link.desk.state().devices.size(), std::size_t{2});
    link.report(false);
    QCOMPARE(link.measure(), std::uint64_t{0});  // it does not work now
    link.report(true);
    link.pass(minutes(2));
    QCOMPARE(link.measure(), std::uint64_t{1});
    QCOMPARE(link.sent<EndProbe>().size(), std::size_t{1});
    QCOMPARE(link.measure(), std::uint64_t{2});
    QCOMPARE(link.measure(), std::uint64_t{0});
    const auto& links = link.desk.state().links;
    QVERIFY(links.contains({"mg-1", "sr-1", LinkTransport::mesh}));
    QVERIFY(links.contains({"sr-1", "mg-1", LinkTransport::mesh}));
    // Of another device nothing is believed.
    link.pass(seconds(1));
    link.say(link.survey, link.connect(9), MeasureLinks{});
    link.clear();
    link.survey.look();
    const auto asked = link.sent<ProbeNeighbour>();
    QCOMPARE(asked.size(), std::size_t{1});
    link.say(link.survey, PeerId(2), ProbeEnded{asked[0].second.probe, {1, 0, 0, 1, 0}, {}});
    QCOMPARE(links.at({"mg-1", "sr-1", LinkTransport::mesh}).link.figures.bytes_per_s, 1e9);
    // One that goes away while it measures is waited for no longer than any.
    (void)link.desk.sessions().close(PeerId(1));
    link.pass(link.desk.limits().link_probe);
    link.clear();
    link.survey.look();
    QVERIFY(link.sent<EndProbe>().empty());
}

void LinkSurveyTest::a_fault_has_its_link_measured_anew() {
    MeshLink link;
    while (link.measure() != 0) {}
    const auto fault = [&](const LinkFault& made) { link.say(link.devices, PeerId(1), FaultLink{made}); };
    fault({"mg-1", "sr-1", false, 2e7, 0});
    const LinkFigures slow{1e-4, 0, 1e-6, 2e7, 0};
    QCOMPARE(link.measure(slow), std::uint64_t{1});
    QCOMPARE(link.measure(slow), std::uint64_t{2});
    QCOMPARE(link.measure(), std::uint64_t{0});
    fault({"mg-1", "sr-1", true, 0, 0});
    QCOMPARE(link.measure(), std::uint64_t{0});  // there is nothing to measure
    link.say(link.devices, PeerId(1), HealFaults{});
    QCOMPARE(link.measure(), std::uint64_t{1});
    QCOMPARE(link.measure(), std::uint64_t{2});
    QCOMPARE(link.desk.state().links.at({"sr-1", "mg-1", LinkTransport::mesh}).link.figures.bytes_per_s, 1e9);
}

void LinkSurveyTest::a_device_that_comes_back_is_measured_at_once() {
    for (const bool in_vain : {false, true}) {  // while it measures, or once it has failed to
        MeshLink link;
        link.clear();
        link.survey.look();
        const auto asked = link.sent<ProbeNeighbour>();
        QCOMPARE(asked.size(), std::size_t{1});
        if (in_vain)
            link.say(link.survey, PeerId(1),
                     ProbeEnded{asked[0].second.probe, {}, Error{ErrorCode::failed, "no answer", "", ""}});
        QCOMPARE(link.logged<Noted>().size(), std::size_t{in_vain ? 1u : 0u});
        link.goes(1);
        QVERIFY(!link.survey.next_deadline());       // it is not waited for
        QCOMPARE(link.measure(), std::uint64_t{0});  // and the other has nobody to measure with
        link.gateway_comes(3);
        DeviceReport works;
        works.neighbours = {{2, true, 0, 0, 0}};
        link.say(link.devices, PeerId(3), works);
        link.pass(minutes(2));
        QCOMPARE(link.measure(), std::uint64_t{3});
        QCOMPARE(link.measure(), std::uint64_t{2});
    }
    // The one that is measured with.
    MeshLink link;
    link.survey.look();
    link.goes(2);
    QVERIFY(!link.survey.next_deadline());
    QCOMPARE(link.sent<EndProbe>().size(), std::size_t{1});
}

/// Devices promise windows by what they have measured themselves.
void LinkSurveyTest::links_of_a_device_that_comes_back_are_measured_anew() {
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
