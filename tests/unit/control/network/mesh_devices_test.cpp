// SPDX-License-Identifier: Apache-2.0
#include "backend/control/network/mesh_devices.h"
#include "backend/control/protocol/fault_messages.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "backend/control/protocol/signal_texts.h"
#include "backend/control/state/incarnation.h"
#include "backend/mesh/forwarding/relay.h"
#include "backend/mesh/route/hops.h"
#include "tests/support/test_program.h"
#include "tests/unit/control/fixture.h"

namespace mesh_devices_test {

using namespace divisi;
using namespace divisi::control;

namespace {

DeviceInfo gateway(const std::string& name, const std::string& mic, const std::vector<std::string>& neighbours) {
    DeviceInfo info;
    info.name = name;
    info.role = mesh::DeviceRole::gateway;
    info.mic = MicId(mic);
    info.endpoint = "tcp://" + name;
    info.key = "key of " + name;
    info.neighbours = neighbours;
    return info;
}
DeviceInfo router(const std::string& name, const std::vector<std::string>& neighbours = {}) {
    DeviceInfo info = gateway(name, "", neighbours);
    info.role = mesh::DeviceRole::router;
    return info;
}

struct Mesh : test::Fixture {
    MeshDevices devices{context};

    Mesh() {
        context.follow([this](const Event& event) { devices.follow(event); });
        for (const char* name : {"mic-1/a", "mic-1/b", "mic-2/c"}) {
            NodeInfo info;
            info.id = NodeId(name);
            info.mic = MicId(std::string(name).substr(0, 5));
            context.append(NodeJoined{info});
        }
    }
    /// Registers a device and returns its routing identifier; 0: refused.
    std::uint32_t join(std::uint64_t peer, const DeviceInfo& info, std::uint32_t held = 0) {
        clear();
        say(devices, connect(peer), RegisterDevice{info, held});
        const auto answers = sent<DeviceRegistered>();
        return answers.empty() ? 0 : answers[0].second.id;
    }
    void join_all() {
        join(1, gateway("mg-1", "mic-1", {"sr-1"}));
        join(2, gateway("mg-2", "mic-2", {"sr-1"}));
        join(3, router("sr-1"));
    }
    /// Returns the table that devices are sent now; revision 0 if none is sent.
    MeshTable table() {
        clear();
        pass(std::chrono::seconds(1));
        devices.advertise();
        MeshTable latest;
        for (const Send& one : context.output().sends) {
            if (const auto* whole = get_if<MeshTable>(&one.message)) held[one.peer] = *whole;
            else if (const auto* change = get_if<MeshChange>(&one.message); !change) continue;
            else if (!apply(held[one.peer], *change)) qFatal("a change does not apply to the device's table");
            latest = held[one.peer];
        }
        return latest;
    }
    /// Places and joins an instance in mic-2.
    void play(const std::string& task, const std::string& instance) {
        const Sid sid = sid_of(InstanceId(instance));
        context.append(TaskSubmitted{TaskId(task), "t", "", "/", "", {}, "me", 0});
        context.append(PhaseChanged{TaskId(task), TaskPhase::registration, ""});
        context.append(InstancePlaced{TaskId(task), InstanceId(instance), sid, NodeId("mic-2/c"), 0, 1});
        context.append(InstanceJoined{InstanceId(instance), "process", "tcp://instance", "its key"});
    }
    void register_as(const std::string& sid, Incarnation incarnation, mesh::Health health) {
        mesh::Service service;
        service.said.sid = Sid(sid);
        service.said.incarnation = incarnation;
        service.said.health = health;
        service.revision = ++revision_of_registry;
        context.append(ServiceJoined{1, service});
    }
    std::map<PeerId, MeshTable> held;
    mesh::Revision revision_of_registry = 0;
};

std::vector<SignalRecord> of_kind(std::vector<SignalRecord> records, SignalKind kind) {
    std::erase_if(records, [&](const SignalRecord& one) { return one.kind != kind; });
    return records;
}

}  // namespace

/// Tests how gateways and routers register, get a number and the table, and leave.
class MeshDevicesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void devices_get_identifiers_and_the_table();
    void identifier_is_kept_or_a_free_one_is_assigned();
    void unsuitable_device_is_refused();
    void key_on_tcp_registers_only_its_own_device();
    void new_gateway_replaces_a_disconnected_one();
    void table_waits_for_all_devices_after_a_restart();
    void instances_reach_other_mics_through_their_gateway();
    void joined_instances_are_in_the_table();
    void health_changes_are_sent_but_renewals_are_not();
    void whole_table_is_sent_every_half_minute();
    void advertised_changes_are_recorded_as_signals();
    void reports_of_devices_and_instances_are_recorded_as_signals();
    void follower_gets_changes_and_others_the_whole_table();
    void simultaneous_changes_are_sent_together();
    void leaving_device_is_removed_but_a_disconnected_one_stays();
    void flapping_device_is_logged_at_a_limited_rate();
    void reports_are_shown_to_clients();
    void implausible_flow_reports_are_omitted_data();
    void implausible_flow_reports_are_omitted();
    void paths_exist_only_between_gateways();
    void paths_follow_registrations_and_departures();
    void signals_are_sent_in_pages();
    void fault_is_sent_to_both_ends_and_shown_until_healed();
    void impossible_faults_are_refused();
    void restarted_device_has_no_fault();
    void router_can_be_killed_but_the_only_gateway_cannot();
};

void MeshDevicesTest::devices_get_identifiers_and_the_table() {
    Mesh mesh;
    mesh.join_all();
    mesh.clear();
    QVERIFY(mesh.devices.advertise());  // instances may have to use other paths now
    const auto tables = mesh.sent<MeshTable>();
    QCOMPARE(tables.size(), std::size_t{3});  // one for each device
    QCOMPARE(tables[0].second.devices.size(), std::size_t{3});
    QCOMPARE(tables[0].second.links.size(), std::size_t{2});
    mesh.clear();
    QVERIFY(!mesh.devices.advertise());
    QCOMPARE(mesh.sent<MeshTable>().size(), std::size_t{0});  // nothing has changed
}

void MeshDevicesTest::identifier_is_kept_or_a_free_one_is_assigned() {
    Mesh mesh;
    QCOMPARE(mesh.join(1, router("sr-1"), 7), std::uint32_t{7});  // the number it had before the orchestrator's restart
    QCOMPARE(mesh.join(2, router("sr-2"), 7), std::uint32_t{1});
    QCOMPARE(mesh.join(3, router("sr-3")), std::uint32_t{2});
    mesh.devices.device_gone(PeerId(3), "cut", false);
    QCOMPARE(mesh.join(4, router("sr-3")), std::uint32_t{2});
}

void MeshDevicesTest::unsuitable_device_is_refused() {
    Mesh mesh;
    mesh.join_all();
    QCOMPARE(mesh.join(4, router("sr-1")), std::uint32_t{0});
    QVERIFY(mesh.refusal().find("has this name") != std::string::npos);
    QCOMPARE(mesh.join(5, gateway("mg-3", "mic-1", {})), std::uint32_t{0});
    QVERIFY(mesh.refusal().find("has a gateway already") != std::string::npos);
    QCOMPARE(mesh.join(6, gateway("mg-4", "", {})), std::uint32_t{0});
    QCOMPARE(mesh.join(7, router("sr-9", {"sr-9"})), std::uint32_t{0});
    QCOMPARE(mesh.join(8, router("")), std::uint32_t{0});
    DeviceInfo long_key = router("sr-7");
    long_key.key.assign(2000, 'k');
    QCOMPARE(mesh.join(9, long_key), std::uint32_t{0});
    DeviceInfo no_rate = gateway("mg-9", "mic-9", {});
    no_rate.task_bytes_per_s = std::numeric_limits<double>::quiet_NaN();
    QCOMPARE(mesh.join(11, no_rate), std::uint32_t{0});
    QVERIFY(mesh.refusal().find("bytes per second") != std::string::npos);
    mesh.join(10, router("sr-8"));
    mesh.clear();
    mesh.say(mesh.devices, PeerId(10), RegisterDevice{router("sr-9"), 0});  // a process registers as one device only
    QVERIFY(mesh.refusal().find("already registered as sr-8") != std::string::npos);
}

void MeshDevicesTest::key_on_tcp_registers_only_its_own_device() {
    Mesh mesh;
    const PeerId peer = mesh.connect(1, "", false);  // named "me", with the key "key"
    DeviceInfo info = router("sr-1");
    mesh.say(mesh.devices, peer, RegisterDevice{info, 0});
    QVERIFY(mesh.refusal().find("is not allowed to register as sr-1") != std::string::npos);
    info.name = "me";
    mesh.clear();
    mesh.say(mesh.devices, peer, RegisterDevice{info, 0});
    QVERIFY(mesh.refusal().find("not the key of the connection") != std::string::npos);
    info.key = "key";
    mesh.clear();
    mesh.say(mesh.devices, peer, RegisterDevice{info, 0});
    QCOMPARE(mesh.sent<DeviceRegistered>().size(), std::size_t{1});
}

void MeshDevicesTest::new_gateway_replaces_a_disconnected_one() {
    Mesh mesh;
    mesh.join_all();
    mesh.devices.allow_faults();
    mesh.connect(9);
    mesh.say(mesh.devices, PeerId(9), FaultLink{{"mg-1", "sr-1", true, 0, 0}});
    mesh.devices.device_gone(PeerId(1), "its machine has vanished", false);
    QVERIFY(mesh.join(4, gateway("mg-new", "mic-1", {"sr-1"})) > 0);
    const auto healed = mesh.sent<DeviceFaults>();  // the new device may have the routing identifier of the old one
    QVERIFY(std::ranges::any_of(healed,
                                [](const auto& one) { return one.first == PeerId(3) && one.second.links.empty(); }));
    const MeshTable table = mesh.table();
    QCOMPARE(std::ranges::count(table.devices, MicId("mic-1"), &TableDevice::mic), std::ptrdiff_t{1});
    QCOMPARE(mesh.devices.entry(NodeId("mic-1/a"), NodeId("mic-2/c"))->endpoint, std::string("tcp://mg-new"));
}

void MeshDevicesTest::table_waits_for_all_devices_after_a_restart() {
    Mesh mesh;
    mesh.context.append(TaskSubmitted{TaskId("t-1"), "t", "", "/", "", {}, "me", 0});
    mesh.context.append(PhaseChanged{TaskId("t-1"), TaskPhase::exchange, ""});
    mesh.join(1, gateway("mg-1", "mic-1", {"sr-1"}));
    QCOMPARE(mesh.table().revision, std::uint64_t{0});  // no table yet
    QVERIFY(mesh.devices.next_deadline());
    mesh.join(2, gateway("mg-2", "mic-2", {"sr-1"}));
    mesh.join(3, router("sr-1"));
    mesh.pass(std::chrono::seconds(4));
    QCOMPARE(mesh.table().devices.size(), std::size_t{3});
    // the whole table is sent again every 30 s
    QVERIFY(*mesh.devices.next_deadline() >= mesh.context.lived() + std::chrono::seconds(29));
}

void MeshDevicesTest::instances_reach_other_mics_through_their_gateway() {
    Mesh mesh;
    const NodeId a("mic-1/a"), b("mic-1/b"), c("mic-2/c");
    QVERIFY(!mesh.devices.entry(a, c));  // there is no mesh yet
    mesh.join(1, gateway("mg-1", "mic-1", {"sr-1"}));
    mesh.join(2, gateway("mg-2", "mic-2", {}));
    QVERIFY(!mesh.devices.entry(a, c));  // no router connects the gateways yet
    mesh.join(3, router("sr-1", {"mg-2"}));
    const auto entry = mesh.devices.entry(a, c);
    QVERIFY(entry);
    QCOMPARE(entry->endpoint, std::string("tcp://mg-1"));
    QCOMPARE(entry->key, std::string("key of mg-1"));
    QCOMPARE(mesh.devices.entry(c, a)->endpoint, std::string("tcp://mg-2"));
    QVERIFY(!mesh.devices.entry(a, b));  // both nodes are in the same MIC
}

void MeshDevicesTest::joined_instances_are_in_the_table() {
    Mesh mesh;
    mesh.join_all();
    const TaskId task("t-1");
    const InstanceId instance("t-1/stage-0/0#1");
    mesh.context.append(TaskSubmitted{task, "t", "", "/", "", {}, "me", 0});
    mesh.context.append(PhaseChanged{task, TaskPhase::registration, ""});
    mesh.context.append(InstancePlaced{task, instance, Sid("t-1/stage-0/0"), NodeId("mic-2/c"), 0, 1});
    QVERIFY(mesh.table().places.empty());
    mesh.context.append(InstanceJoined{instance, "process", "tcp://instance", "its key"});
    const MeshTable table = mesh.table();
    QCOMPARE(table.places.size(), std::size_t{1});
    QCOMPARE(table.places[0].sid.value(), std::string("t-1/stage-0/0"));
    QCOMPARE(table.places[0].endpoint, std::string("tcp://instance"));
    const auto gateway = std::ranges::find(table.devices, table.places[0].gateway, &TableDevice::id);
    QCOMPARE(gateway->name, std::string("mg-2"));
    mesh.context.append(InstanceEnded{instance, "over"});
    QVERIFY(mesh.table().places.empty());
}

void MeshDevicesTest::health_changes_are_sent_but_renewals_are_not() {
    Mesh mesh;
    mesh.join_all();
    mesh.play("t-1", "t-1/stage-0/0#1");
    QCOMPARE(mesh.table().places[0].health, mesh::Health::pending);  // the instance has not registered its service yet
    mesh.register_as("t-1/stage-0/0", 1, mesh::Health::active);
    QCOMPARE(mesh.table().places[0].health, mesh::Health::active);
    QCOMPARE(mesh.sent<MeshChange>().size(), std::size_t{3});
    QCOMPARE(mesh.sent<MeshChange>()[0].second.places.size(), std::size_t{1});
    mesh.register_as("t-1/stage-0/0", 1, mesh::Health::active);  // the same values, only a new row
    QCOMPARE(mesh.table().revision, std::uint64_t{0});
    mesh.register_as("t-1/stage-0/0", 1, mesh::Health::draining);
    QCOMPARE(mesh.table().places[0].health, mesh::Health::draining);
    mesh.register_as("t-1/stage-0/0", 2, mesh::Health::faulted);  // another process than the one in the table
    QCOMPARE(mesh.table().places[0].health, mesh::Health::pending);
}

void MeshDevicesTest::whole_table_is_sent_every_half_minute() {
    Mesh mesh;
    mesh.join_all();
    const std::uint64_t revision = mesh.table().revision;
    std::map<PeerId, int> times;
    for (int second = 0; second < 120; ++second) {
        mesh.table();
        for (const auto& [peer, table] : mesh.sent<MeshTable>()) {
            QCOMPARE(table.revision, revision);
            ++times[peer];
        }
        QVERIFY(mesh.sent<MeshChange>().empty());
    }
    QCOMPARE(times.size(), std::size_t{3});
    for (const auto& [peer, count] : times) QVERIFY2(count == 3 || count == 4, qPrintable(QString::number(count)));
    mesh.devices.device_gone(PeerId(3), "cut off", false);
    for (int second = 0; second < 40; ++second) {
        mesh.table();
        for (const auto& [peer, table] : mesh.sent<MeshTable>()) QVERIFY(peer != PeerId(3));
    }
}

void MeshDevicesTest::advertised_changes_are_recorded_as_signals() {
    Mesh mesh;
    mesh.join_all();
    mesh.play("t-1", "t-1/stage-0/0#1");
    (void)mesh.table();
    mesh.register_as("t-1/stage-0/0", 1, mesh::Health::active);
    (void)mesh.table();
    DeviceReport report;
    report.signals = {{mesh.now, 9, 1, "load", 0, SignalKind::load}, {mesh.now, 9, 1, "lie", 0, SignalKind::routes}};
    mesh.say(mesh.devices, PeerId(3), report);
    mesh.clear();
    mesh.say(mesh.devices, mesh.connect(9), QuerySignals{0});
    const std::vector<SignalRecord> records = mesh.sent<Signals>()[0].second.records;
    for (std::size_t i = 0; i < records.size(); ++i) QCOMPARE(records[i].number, i + 1);
    const auto routes = of_kind(records, SignalKind::routes), loads = of_kind(records, SignalKind::load);
    QCOMPARE(routes.size(), std::size_t{2});
    QCOMPARE(routes[0].from, std::uint32_t{0});
    QVERIFY(routes[0].bytes.find("whole table: 3 devices") != std::string::npos);
    QVERIFY2(routes[1].bytes.find("\nt-1/stage-0/0 active, mic-2 at mg-2") != std::string::npos,
             routes[1].bytes.c_str());
    QCOMPARE(loads.size(), std::size_t{1});
    QCOMPARE(loads[0].from, std::uint32_t{3});
}

/// Tests signaling types 1, 3 and 5.
void MeshDevicesTest::reports_of_devices_and_instances_are_recorded_as_signals() {
    Mesh mesh;
    mesh.join_all();
    mesh.play("t-1", "t-1/stage-0/0#1");
    mesh.register_as("t-1/stage-0/0", 1, mesh::Health::active);
    DeviceReport report;
    RequestRecord request;
    request.source = "t-1/stage-0/0";
    request.destination = "t-1/stage-1/0";
    request.outcome = mesh::Outcome::denied;
    request.reason = "no rule\nallows it";
    report.requests = {request};
    report.neighbours = {{3, true, 0, 0, 0, {2e6, 0, 0, 0.001, 0.004, 5, 6}, {}}};
    mesh.say(mesh.devices, PeerId(1), report);
    report.requests.assign(1000, request);
    mesh.say(mesh.devices, PeerId(3), report);  // a router decides no requests
    mesh.context.append(PolicyChanged{{1, {}, "me", "share 100 to 40", "", {}}});
    mesh.clear();
    mesh.say(mesh.devices, mesh.connect(9), QuerySignals{0});
    const std::vector<SignalRecord> records = mesh.sent<Signals>()[0].second.records;
    const auto registered = of_kind(records, registration_signal), requests = of_kind(records, request_signal),
               reports = of_kind(records, report_signal);
    QCOMPARE(registered.size(), std::size_t{4});
    QVERIFY2(registered[0].bytes.starts_with("mg-1 registers as gateway"), registered[0].bytes.c_str());
    QVERIFY(registered[0].bytes.find("rate") == std::string::npos);
    DeviceInfo limited = gateway("mg-1", "mic-1", {});
    limited.task_bytes_per_s = 2e8;
    QVERIFY2(describe(limited).find("\ntask-rate 200 MB/s") != std::string::npos, describe(limited).c_str());
    QVERIFY(describe(limited).find("mic-rate") == std::string::npos);
    limited.mic_bytes_per_s = 1e300;  // more than Bytes can hold
    QVERIFY2(describe(limited).find("\nmic-rate 1e+294 MB/s") != std::string::npos, describe(limited).c_str());
    QCOMPARE(registered[2].from, std::uint32_t{3});
    QCOMPARE(registered[3].from, std::uint32_t{0});
    QVERIFY2(registered[3].bytes.starts_with("t-1/stage-0/0 is active, incarnation 1"), registered[3].bytes.c_str());
    QCOMPARE(requests.size(), std::size_t{1});
    QCOMPARE(requests[0].from, std::uint32_t{1});
    QVERIFY2(requests[0].bytes.find("\nreason no rule allows it\n") != std::string::npos, requests[0].bytes.c_str());
    QCOMPARE(reports.size(), std::size_t{3});
    QCOMPARE(reports[0].from, std::uint32_t{1});
    QVERIFY2(reports[0].bytes.find("\nsr-1 2 MB/s, p50 1 ms, p99 4 ms, retries 5, refusals 6") != std::string::npos,
             reports[0].bytes.c_str());
    QCOMPARE(reports[2].from, std::uint32_t{0});
    QCOMPARE(reports[2].bytes, std::string("policy 1 by me: share 100 to 40"));
    QCOMPARE(mesh.devices.signals().counts(),
             (std::map<SignalKind, std::uint64_t>{{registration_signal, 4}, {request_signal, 1}, {report_signal, 3}}));
}

void MeshDevicesTest::follower_gets_changes_and_others_the_whole_table() {
    Mesh mesh;
    mesh.join_all();
    QCOMPARE(mesh.table().revision, std::uint64_t{1});
    mesh.join(4, router("sr-2", {"mg-1"}));
    QCOMPARE(mesh.table().devices.size(), std::size_t{4});
    QCOMPARE(mesh.sent<MeshTable>().size(), std::size_t{1});  // for the new device
    QCOMPARE(mesh.sent<MeshTable>()[0].first, PeerId(4));
    QCOMPARE(mesh.sent<MeshChange>().size(), std::size_t{3});
    DeviceReport report;
    const auto hear = [&](std::uint64_t revision) {
        mesh.clear();
        report.table = revision;
        mesh.say(mesh.devices, PeerId(1), report);
        return mesh.sent<MeshTable>().size();
    };
    QCOMPARE(hear(2), std::size_t{0});
    mesh.pass(std::chrono::minutes(1));
    mesh.join(4, router("sr-2", {"mg-1", "mg-2"}));
    (void)mesh.table();
    QCOMPARE(hear(2), std::size_t{0});  // the change may still be in transit
    mesh.pass(std::chrono::seconds(6));
    QCOMPARE(hear(2), std::size_t{1});
    QCOMPARE(hear(2), std::size_t{0});  // the table is not repeated every time
    QCOMPARE(hear(3), std::size_t{0});
}

void MeshDevicesTest::simultaneous_changes_are_sent_together() {
    Mesh mesh;
    for (int i = 0; i < 100; ++i)
        mesh.join(static_cast<std::uint64_t>(i) + 1, router("sr-" + std::to_string(i), {"sr-x"}));
    mesh.clear();
    QVERIFY(mesh.devices.advertise());  // the first change is sent immediately
    mesh.join(101, router("sr-x"));
    mesh.clear();
    QVERIFY(!mesh.devices.advertise());
    QVERIFY(mesh.sent<MeshChange>().empty());
    const auto due = mesh.devices.next_deadline();
    QVERIFY(due && *due > mesh.context.lived() && *due < mesh.context.lived() + std::chrono::milliseconds(100));
    mesh.pass(*due - mesh.context.lived());
    QVERIFY(mesh.devices.advertise());
    QCOMPARE(mesh.sent<MeshChange>().size(), std::size_t{100});
}

void MeshDevicesTest::leaving_device_is_removed_but_a_disconnected_one_stays() {
    Mesh mesh;
    mesh.join_all();
    (void)mesh.table();
    mesh.devices.device_gone(PeerId(3), "its connection broke", false);
    QVERIFY(mesh.devices.entry(NodeId("mic-1/a"), NodeId("mic-2/c")));
    mesh.join(4, router("sr-1"));
    mesh.devices.device_gone(PeerId(4), "told to end", true);
    QCOMPARE(mesh.table().devices.size(), std::size_t{2});
    QVERIFY(!mesh.devices.entry(NodeId("mic-1/a"), NodeId("mic-2/c")));
}

void MeshDevicesTest::flapping_device_is_logged_at_a_limited_rate() {
    Mesh mesh;
    mesh.join_all();
    std::size_t lines = 1;  // the line of its first registration
    for (std::uint64_t i = 0; i < 20; ++i) {
        mesh.clear();
        mesh.devices.device_gone(PeerId(i == 0 ? 3 : 99 + i), "timeout", false);
        lines += mesh.logged<Noted>().size();
        mesh.join(100 + i, router("sr-1"));
        lines += mesh.logged<Noted>().size();
    }
    QCOMPARE(lines, std::size_t(note_burst));
    mesh.clear();
    mesh.pass(flap_interval);
    mesh.devices.advertise();
    const auto told = mesh.logged<Noted>();
    QCOMPARE(told.size(), std::size_t{1});
    QCOMPARE(told[0].component, std::string("router sr-1"));
    QVERIFY2(told[0].text.starts_with("registered with routing identifier 3 (the last of 36 "), told[0].text.c_str());
}

void MeshDevicesTest::reports_are_shown_to_clients() {
    Mesh mesh;
    mesh.join_all();
    DeviceReport report;
    report.table = 1;
    report.counters.bytes = 77;
    report.held = 5;
    mesh.say(mesh.devices, PeerId(3), report);
    mesh.say(mesh.devices, mesh.connect(9), QueryMesh{});
    const MeshState state = mesh.sent<MeshState>()[0].second;
    const auto view = std::ranges::find(state.devices, "sr-1", [](const DeviceView& v) { return v.info.name; });
    QCOMPARE(view->counters.bytes, std::uint64_t{77});
    QCOMPARE(view->held, Bytes{5});
    mesh.clear();
    mesh.say(mesh.devices, PeerId(9), report);
    QVERIFY(mesh.refusal().find("only a registered device") != std::string::npos);
}

void MeshDevicesTest::implausible_flow_reports_are_omitted_data() {
    QTest::addColumn<int>("flows");
    QTest::addColumn<int>("hops");
    QTest::addColumn<int>("letters");
    QTest::addColumn<int>("taken");
    const int flows = mesh::most_flows, hops = mesh::most_hops, letters = mesh::most_text_bytes;
    QTest::newRow("most hops and letters") << 1 << hops << letters << 1;
    QTest::newRow("a hop more") << 1 << hops + 1 << 1 << 0;
    QTest::newRow("a letter more") << 1 << 2 << letters + 1 << 0;
    QTest::newRow("most flows") << flows << 2 << 1 << flows;
    QTest::newRow("a flow more") << flows + 1 << 2 << 1 << flows;
}

void MeshDevicesTest::implausible_flow_reports_are_omitted() {
    QFETCH(int, flows);
    QFETCH(int, hops);
    QFETCH(int, letters);
    QFETCH(int, taken);
    Mesh mesh;
    mesh.join_all();
    FlowReport flow;
    flow.path.assign(static_cast<std::size_t>(hops), 1);
    flow.source = Sid(std::string(static_cast<std::size_t>(letters), 's'));
    DeviceReport report;
    report.flows.assign(static_cast<std::size_t>(flows), flow);
    mesh.say(mesh.devices, PeerId(1), report);
    QCOMPARE(mesh.devices.view("mg-1")->flows.size(), static_cast<std::size_t>(taken));
}

void MeshDevicesTest::paths_exist_only_between_gateways() {
    Mesh mesh;
    mesh.join_all();  // identifiers 1 and 2 are gateways
    QCOMPARE(mesh.devices.ways(1, 2)->first, (std::vector<std::uint32_t>{1, 3, 2}));
    for (const auto& [from, to] : {std::pair(1U, 3U), {1U, 77U}, {1U, 65'538U}, {0U, 2U}})
        QVERIFY(!mesh.devices.ways(from, to));
}

void MeshDevicesTest::paths_follow_registrations_and_departures() {
    Mesh mesh;
    mesh.join_all();
    const auto ways = [&] { return *mesh.devices.ways(1, 2); };
    QVERIFY(ways().second.empty());
    mesh.join(4, router("sr-2", {"mg-1", "mg-2"}));
    QCOMPARE(ways().first, (std::vector<std::uint32_t>{1, 3, 2}));
    QCOMPARE(ways().second, (std::vector<std::uint32_t>{1, 4, 2}));
    mesh.devices.device_gone(PeerId(4), "its connection ended", false);
    QCOMPARE(ways().second_names, std::string("sr-2"));  // a disconnected router still forwards
    mesh.devices.device_gone(PeerId(3), "it ends", true);
    QCOMPARE(ways().first, (std::vector<std::uint32_t>{1, 4, 2}));
    QVERIFY(ways().second.empty());
}

void MeshDevicesTest::signals_are_sent_in_pages() {
    Mesh mesh;
    mesh.join_all();
    DeviceReport report;
    for (std::size_t i = 0; i < most_reported_signals; ++i) report.signals.push_back({mesh.now, 99, 1, "rsvp", 0});
    mesh.say(mesh.devices, PeerId(3), report);
    report.signals.resize(1);
    mesh.say(mesh.devices, PeerId(3), report);
    mesh.clear();
    mesh.say(mesh.devices, mesh.connect(9), QuerySignals{0});
    const Signals first = mesh.sent<Signals>()[0].second;
    QVERIFY(first.more);
    QCOMPARE(first.records.size(), most_reported_signals);
    // the report's own sender field is ignored
    QCOMPARE(of_kind(first.records, SignalKind::rsvp)[0].from, std::uint32_t{3});
    mesh.clear();
    mesh.say(mesh.devices, PeerId(9), QuerySignals{first.records.back().number});
    const Signals second = mesh.sent<Signals>()[0].second;
    QVERIFY(!second.more);
    QCOMPARE(of_kind(first.records, SignalKind::rsvp).size() + of_kind(second.records, SignalKind::rsvp).size(),
             most_reported_signals + 1);
}

void MeshDevicesTest::fault_is_sent_to_both_ends_and_shown_until_healed() {
    Mesh mesh;
    mesh.devices.allow_faults();
    mesh.join_all();
    mesh.connect(9);
    mesh.clear();
    mesh.say(mesh.devices, PeerId(9), FaultLink{{"sr-1", "mg-1", false, 2e7, 0.01}});
    QCOMPARE(mesh.sent<Done>().size(), std::size_t{1});
    auto told = mesh.sent<DeviceFaults>();
    QCOMPARE(told.size(), std::size_t{2});
    QCOMPARE(told[0].first, PeerId(1));
    QCOMPARE(told[0].second.links, (std::vector<NeighbourFault>{{3, false, 2e7, 0.01}}));
    QCOMPARE(told[1].first, PeerId(3));
    QCOMPARE(told[1].second.links, (std::vector<NeighbourFault>{{1, false, 2e7, 0.01}}));
    mesh.say(mesh.devices, PeerId(9), FaultLink{{"mg-1", "sr-1", true, 0, 0}});  // replaces the previous fault
    mesh.say(mesh.devices, PeerId(9), FaultLink{{"mg-2", "sr-1", true, 0, 0}});
    mesh.clear();
    mesh.say(mesh.devices, PeerId(9), QueryMesh{});
    QCOMPARE(mesh.sent<MeshState>()[0].second.faults,
             (std::vector<LinkFault>{{"mg-1", "sr-1", true, 0, 0}, {"mg-2", "sr-1", true, 0, 0}}));
    mesh.clear();
    mesh.say(mesh.devices, PeerId(9), HealFaults{"sr-1", "mg-1"});
    told = mesh.sent<DeviceFaults>();
    QCOMPARE(told.size(), std::size_t{2});
    QVERIFY(told[0].second.links.empty());
    QCOMPARE(told[1].second.links, (std::vector<NeighbourFault>{{2, true, 0, 0}}));
    mesh.say(mesh.devices, PeerId(9), HealFaults{});
    mesh.say(mesh.devices, PeerId(9), QueryMesh{});
    QVERIFY(mesh.sent<MeshState>()[0].second.faults.empty());
}

void MeshDevicesTest::impossible_faults_are_refused() {
    Mesh mesh;
    mesh.join_all();
    mesh.connect(9);
    const auto refusal = [&](const LinkFault& fault) {
        mesh.clear();
        mesh.say(mesh.devices, PeerId(9), FaultLink{fault});
        const auto refused = mesh.sent<Refused>();
        return refused.empty() ? QString() : QString::fromStdString(refused[0].second.error.message());
    };
    QVERIFY(refusal({"mg-1", "sr-1", true, 0, 0}).contains("--allow-faults"));
    mesh.clear();
    mesh.say(mesh.devices, PeerId(9), KillRouter{"sr-1"});
    QVERIFY(mesh.refusal().find("does not allow faults") != std::string::npos);
    mesh.devices.allow_faults();
    QVERIFY(refusal({"mg-1", "sr-9", true, 0, 0}).contains("the gateways and routers are: mg-1, mg-2, sr-1"));
    QVERIFY(refusal({"mg-1", "mg-2", true, 0, 0}).contains("mg-1 has links to sr-1"));
    QVERIFY(refusal({"mg-1", "mg-1", true, 0, 0}).contains("no such link"));
    QVERIFY(refusal({"mg-1", "sr-1", false, 0, 0}).contains("either cut or slowed"));
    QVERIFY(refusal({"mg-1", "sr-1", true, 2e7, 0}).contains("either cut or slowed"));
    for (const double rate : {-1.0, 0.5, 1e15, std::nan(""), std::numeric_limits<double>::infinity()})
        QVERIFY(refusal({"mg-1", "sr-1", false, rate, 0}).contains("the rate is out of range"));
    for (const double delay : {-0.1, 11.0, std::nan("")})
        QVERIFY(refusal({"mg-1", "sr-1", false, 0, delay}).contains("the delay is out of range"));
    mesh.clear();
    mesh.say(mesh.devices, PeerId(9), HealFaults{"mg-1", "sr-1"});
    QVERIFY(mesh.refusal().find("the link has no fault") != std::string::npos);
    mesh.devices.device_gone(PeerId(3), "cut", false);
    QVERIFY(refusal({"mg-1", "sr-1", true, 0, 0}).contains("the device is away"));
    QVERIFY(mesh.sent<DeviceFaults>().empty());
}

void MeshDevicesTest::restarted_device_has_no_fault() {
    Mesh mesh;
    mesh.devices.allow_faults();
    mesh.join_all();
    mesh.say(mesh.devices, mesh.connect(9), FaultLink{{"mg-1", "sr-1", true, 0, 0}});
    mesh.devices.device_gone(PeerId(3), "its connection broke", false);
    mesh.join(4, router("sr-1"), 3);  // the same process reconnects
    QCOMPARE(mesh.sent<DeviceFaults>().back().second.links, (std::vector<NeighbourFault>{{1, true, 0, 0}}));
    mesh.devices.device_gone(PeerId(4), "it was killed", false);
    mesh.join(5, router("sr-1"));
    for (const auto& [peer, faults] : mesh.sent<DeviceFaults>()) QVERIFY(faults.links.empty());
    QVERIFY(mesh.sent<DeviceFaults>().size() >= 2);  // its neighbour is notified too
    mesh.say(mesh.devices, PeerId(9), QueryMesh{});
    QVERIFY(mesh.sent<MeshState>()[0].second.faults.empty());
}

void MeshDevicesTest::router_can_be_killed_but_the_only_gateway_cannot() {
    Mesh mesh;
    mesh.devices.allow_faults();
    mesh.join_all();
    mesh.connect(9);
    mesh.clear();
    mesh.say(mesh.devices, PeerId(9), KillRouter{"mg-1"});
    QVERIFY(mesh.refusal().find("only gateway") != std::string::npos);
    mesh.say(mesh.devices, PeerId(9), KillRouter{"sr-1"});
    QCOMPARE(mesh.sent<KillDevice>().size(), std::size_t{1});
    QCOMPARE(mesh.sent<KillDevice>()[0].first, PeerId(3));
}

DIVISI_TEST(MeshDevicesTest)

}  // namespace mesh_devices_test

#include "mesh_devices_test.moc"
