// SPDX-License-Identifier: Apache-2.0
#include "backend/control/network/device_leases.h"

#include <algorithm>

#include "backend/control/agent/service_watch.h"
#include "tests/support/test_program.h"
#include "tests/unit/control/fixture.h"

namespace device_leases_test {

using namespace divisi;
using namespace divisi::control;
using namespace std::chrono_literals;

namespace {

constexpr std::uint64_t client = 900;

/// A fixture with two gateways, two routers between them, the registry, and a client that watches the registry.
struct Leased : test::Fixture {
    MeshDevices devices{context};
    Services services{context};
    DeviceLeases leases{context, devices, services};
    ServiceWatch watch;
    std::map<std::string, std::uint64_t> peers;

    Leased() {
        context.follow([this](const Event& event) {
            devices.follow(event);
            services.follow(event);
        });
        connect(client);
        join("mg-1", "mic-1", {"sr-1", "sr-2"});
        join("mg-2", "mic-2", {"sr-1", "sr-2"});
        join("sr-1");
        join("sr-2");
    }
    void join(const std::string& name, const std::string& mic = "", const std::vector<std::string>& neighbours = {}) {
        DeviceInfo info;
        info.name = name;
        info.role = mic.empty() ? mesh::DeviceRole::router : mesh::DeviceRole::gateway;
        info.mic = MicId(mic);
        info.endpoint = "tcp://" + name;
        info.neighbours = neighbours;
        peers[name] = peers.size() + 1;
        say(devices, connect(peers[name]), RegisterDevice{info, 0});
        settle();
    }
    void cut_off(const std::string& name) {
        devices.device_gone(PeerId(peers[name]), "its connection broke", false);
        settle();
    }
    /// `reached` lists the neighbours that the device reports as working.
    void report(const std::string& name, const std::vector<std::string>& reached = {}) {
        DeviceReport said;
        for (const std::string& one : reached) {
            NeighbourReport neighbour;
            neighbour.id = devices.view(one)->id;
            neighbour.usable = true;
            said.neighbours.push_back(neighbour);
        }
        say(devices, PeerId(peers[name]), said);
        settle();
    }
    void settle() {
        leases.poll();
        services.tell();
    }
    /// Lets time pass while the devices in `reporting` report. mg-1 reports that it reaches `reached`.
    void live(Duration time, const std::vector<std::string>& reporting, const std::vector<std::string>& reached = {}) {
        for (const TimePoint end = now + time; now < end;) {
            pass(500ms);
            for (const std::string& name : reporting)
                report(name, name == "mg-1" ? reached : std::vector<std::string>());
            services.check_deadlines();
            settle();
        }
    }
    MeshState shown() {
        clear();
        say(devices, PeerId(client), QueryMesh{});
        return sent<MeshState>().back().second;
    }
    DeviceView shown(const std::string& name) {
        const MeshState all = shown();
        return *std::ranges::find(all.devices, name, [](const DeviceView& one) { return one.info.name; });
    }
    /// Returns the changes sent to the client until there are no more.
    std::vector<ServiceDevice> heard() {
        std::vector<ServiceDevice> all;
        for (;;) {
            clear();
            say(services, PeerId(client), watch.next());
            const auto answers = sent<ServiceChanges>();
            if (answers.empty()) return all;
            watch.take(answers.back().second, now);
            for (const ServiceDevice& one : watch.devices()) all.push_back(one);
        }
    }
};

using Names = std::vector<std::string>;
const Names everybody{"mg-1", "mg-2", "sr-1", "sr-2"};

}  // namespace

/// Tests the leases of gateways and routers. As for instances, registration grants a lease, reports renew the lease,
/// and silence lets it lapse.
class DeviceLeasesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void reports_renew_leases_and_silence_lets_them_lapse();
    void watchers_get_lease_ages_in_batches();
    void router_with_a_lapsed_lease_is_not_used();
    void gateway_with_a_lapsed_lease_still_serves_its_mic();
    void reachable_neighbour_keeps_its_lease();
    void leases_are_preserved_if_many_lapse_at_once();
    void preserved_lease_is_held_again_after_a_report();
    void leaving_device_returns_its_lease();
    void watchers_are_sent_every_change();
    void log_has_the_revision_of_the_registry();
};

void DeviceLeasesTest::watchers_get_lease_ages_in_batches() {
    Leased mesh;
    (void)mesh.heard();
    const auto ages = [&](const Sid& after) {
        WatchServices question = mesh.watch.next();
        question.leases = true;
        question.leases_after = after;
        mesh.clear();
        mesh.say(mesh.services, PeerId(client), question);
        mesh.live(lease_patience, {"mg-1", "sr-2"});
        return mesh.sent<ServiceChanges>().back().second.leases;  // the first reply answers the previous question
    };
    using Ages = std::vector<LeaseAge>;
    QVERIFY(ages(Sid()) == (Ages{{Sid("mg-1"), 0}, {Sid("mg-2"), 1000}, {Sid("sr-1"), 1000}, {Sid("sr-2"), 0}}));
    QVERIFY(ages(Sid("mg-2")) == (Ages{{Sid("sr-1"), 2000}, {Sid("sr-2"), 0}}));
    QVERIFY(ages(Sid("sr-2")).empty());
}

void DeviceLeasesTest::reports_renew_leases_and_silence_lets_them_lapse() {
    Leased cluster;
    cluster.live(20s, everybody);
    for (const std::string& name : everybody) {
        QCOMPARE(cluster.shown(name).lease, mesh::LeaseStanding::held);
        QCOMPARE(cluster.shown(name).renewed_ms, std::int64_t{0});
    }
    cluster.cut_off("sr-2");
    cluster.live(mesh::lease_length - 2s, {"mg-1", "mg-2", "sr-1"});
    QCOMPARE(cluster.shown("sr-2").lease, mesh::LeaseStanding::held);
    QCOMPARE(cluster.shown("sr-2").renewed_ms, std::int64_t{8000});
    cluster.live(4s, {"mg-1", "mg-2", "sr-1"});
    QCOMPARE(cluster.shown("sr-2").lease, mesh::LeaseStanding::lapsed);
    QVERIFY(!cluster.services.registry().table().find_device("sr-2"));
    QCOMPARE(cluster.shown("sr-1").lease, mesh::LeaseStanding::held);
}

void DeviceLeasesTest::router_with_a_lapsed_lease_is_not_used() {
    Leased cluster;
    const std::uint32_t from = cluster.devices.view("mg-1")->id, to = cluster.devices.view("mg-2")->id;
    QVERIFY(!cluster.devices.ways(from, to)->second.empty());
    cluster.cut_off("sr-2");
    cluster.live(mesh::lease_length + 2s, {"mg-1", "mg-2", "sr-1"});
    QVERIFY(cluster.devices.ways(from, to)->second.empty());
    QCOMPARE(cluster.devices.ways(from, to)->first_names, std::string("sr-1"));
    QCOMPARE(cluster.shown().links.size(), std::size_t{2});
    QVERIFY(!cluster.context.state().devices.contains("sr-2"));  // plans do not use a path through it
    // The router reconnects with its old number, and paths use it again.
    const std::uint32_t id = cluster.devices.view("sr-2")->id;
    cluster.join("sr-2");
    QCOMPARE(cluster.devices.view("sr-2")->id, id);
    QCOMPARE(cluster.shown("sr-2").lease, mesh::LeaseStanding::held);
    QVERIFY(!cluster.devices.ways(from, to)->second.empty());
    QVERIFY(cluster.context.state().devices.contains("sr-2"));
    QCOMPARE(cluster.services.registry().table().find_device("sr-2")->id.value(), static_cast<std::uint16_t>(id));
}

void DeviceLeasesTest::gateway_with_a_lapsed_lease_still_serves_its_mic() {
    Leased cluster;
    const std::uint32_t from = cluster.devices.view("mg-1")->id, to = cluster.devices.view("mg-2")->id;
    cluster.cut_off("mg-2");
    cluster.live(mesh::lease_length + 2s, {"mg-1", "sr-1", "sr-2"});
    QCOMPARE(cluster.shown("mg-2").lease, mesh::LeaseStanding::lapsed);
    QVERIFY(!cluster.devices.ways(from, to)->first.empty());
    QVERIFY(cluster.context.state().devices.contains("mg-2"));
}

void DeviceLeasesTest::reachable_neighbour_keeps_its_lease() {
    Leased cluster;
    cluster.cut_off("sr-2");
    const Names others{"mg-1", "mg-2", "sr-1"};
    cluster.live(3 * mesh::lease_length, others, {"sr-1", "sr-2"});
    QCOMPARE(cluster.shown("sr-2").lease, mesh::LeaseStanding::held);
    QVERIFY(!cluster.shown("sr-2").up);
    cluster.live(mesh::lease_length + 2s, others, {"sr-1"});
    QCOMPARE(cluster.shown("sr-2").lease, mesh::LeaseStanding::lapsed);
    // A router that its neighbours reach again holds its lease, even while it has no connection to the orchestrator.
    cluster.live(1s, others, {"sr-1", "sr-2"});
    QCOMPARE(cluster.shown("sr-2").lease, mesh::LeaseStanding::held);
}

void DeviceLeasesTest::leases_are_preserved_if_many_lapse_at_once() {
    Leased cluster;
    for (const char* name : {"mg-2", "sr-1", "sr-2"}) cluster.cut_off(name);
    cluster.live(mesh::lease_length + 2s, {"mg-1"});
    for (const char* name : {"mg-2", "sr-1", "sr-2"}) QCOMPARE(cluster.shown(name).lease, mesh::LeaseStanding::stale);
    QVERIFY(cluster.services.registry().preserving_since());
    QCOMPARE(cluster.shown().links.size(), std::size_t{4});
    cluster.live(mesh::longest_preservation + 2s, {"mg-1"});
    QCOMPARE(cluster.shown("sr-1").lease, mesh::LeaseStanding::lapsed);
}

void DeviceLeasesTest::preserved_lease_is_held_again_after_a_report() {
    Leased cluster;
    for (const char* name : {"mg-2", "sr-1", "sr-2"}) cluster.cut_off(name);
    cluster.live(mesh::lease_length + 2s, {"mg-1"});
    QCOMPARE(cluster.shown("sr-1").lease, mesh::LeaseStanding::stale);
    const mesh::DeviceRow before = *cluster.services.registry().table().find_device("sr-1");
    cluster.live(1s, {"mg-1"}, {"sr-1"});
    QCOMPARE(cluster.shown("sr-1").lease, mesh::LeaseStanding::held);
    const mesh::DeviceRow after = *cluster.services.registry().table().find_device("sr-1");
    QVERIFY(after.revision > before.revision);
    QVERIFY(after.said == before.said && after.id == before.id && !after.stale);
}

void DeviceLeasesTest::leaving_device_returns_its_lease() {
    Leased cluster;
    cluster.devices.device_gone(PeerId(cluster.peers["sr-2"]), "told to end", true);
    cluster.settle();
    QVERIFY(!cluster.services.registry().table().find_device("sr-2"));
    QCOMPARE(cluster.services.registry().table().devices(), std::size_t{3});
}

void DeviceLeasesTest::watchers_are_sent_every_change() {
    Leased cluster;
    QCOMPARE(cluster.heard().size(), std::size_t{4});  // the initial snapshot
    QVERIFY(cluster.watch.complete());
    cluster.cut_off("sr-2");
    cluster.live(mesh::lease_length + 2s, {"mg-1", "mg-2", "sr-1"});
    const auto lapsed = cluster.heard();
    QCOMPARE(lapsed.size(), std::size_t{1});
    QCOMPARE(lapsed[0].name, std::string("sr-2"));
    QVERIFY(lapsed[0].removed);
    QVERIFY(!cluster.watch.services().table().find_device("sr-2"));
    cluster.join("sr-2");
    const auto back = cluster.heard();
    QCOMPARE(back.size(), std::size_t{1});
    QVERIFY(!back[0].removed && back[0].id == cluster.devices.view("sr-2")->id);
    QCOMPARE(cluster.watch.services().revision(), cluster.services.registry().revision());
}

void DeviceLeasesTest::log_has_the_revision_of_the_registry() {
    Leased cluster;
    cluster.cut_off("sr-2");
    cluster.live(mesh::lease_length + 2s, {"mg-1", "mg-2", "sr-1"});
    const mesh::Registry& registry = cluster.services.registry();
    QCOMPARE(cluster.context.state().registry, (RegistryMark{registry.epoch(), registry.revision()}));
    // A restarted orchestrator knows none of the devices, so watchers are notified of their removal.
    ClusterState state = cluster.context.state();
    apply(state, {state.sequence + 1, cluster.now, ClusterStarted{}});
    QCOMPARE(state.registry.revision, registry.revision() + 1);
    QVERIFY(state.devices.empty());
}

DIVISI_TEST(DeviceLeasesTest)

}  // namespace device_leases_test

#include "device_leases_test.moc"
