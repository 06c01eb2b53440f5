// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/topology/mesh_watch.h"

#include "tests/support/test_program.h"

namespace mesh_watch_test {

using namespace divisi;
using namespace std::chrono_literals;
using topology::MeshWatch;

namespace {

constexpr MeshWatch::Time start{1h};

/// Returns a mesh in which mg-1 (1) reported this number of bytes sent to sr-1 (2), at a time of the orchestrator's
/// clock.
control::MeshState state(Duration reported, std::uint64_t sent, std::int64_t pid = 10, std::uint64_t credit = 0) {
    control::MeshState mesh;
    mesh.devices.resize(2);
    for (std::size_t i = 0; i < 2; ++i) {
        mesh.devices[i].id = static_cast<std::uint32_t>(i + 1);
        mesh.devices[i].info.name = i == 0 ? "mg-1" : "sr-1";
        mesh.devices[i].heard = TimePoint(10s);
        mesh.devices[i].up = true;
    }
    mesh.devices[0].info.pid = pid;
    mesh.devices[0].heard = TimePoint(reported);
    mesh.devices[0].neighbours = {{2, true, sent, 0, credit}};
    return mesh;
}

}  // namespace

class MeshWatchTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void traffic_is_the_difference_between_two_reports() {
        MeshWatch watch;
        QVERIFY(!watch.lane("mg-1", "sr-1"));
        watch.take(state(10s, 1000), start);
        QVERIFY(!watch.lane("mg-1", "sr-1")->bytes_per_s);  // one report gives no rate
        watch.take(state(10'500ms, 4000), start + 700ms);   // the delay of the answer is not part of the interval
        QCOMPARE(*watch.lane("mg-1", "sr-1")->bytes_per_s, 6000.0);
        watch.take(state(13s, 4000), start + 3s);
        watch.take(state(15s, 4000), start + 5s);
        QCOMPARE(*watch.lane("mg-1", "sr-1")->bytes_per_s, 0.0);
        QVERIFY(!watch.lane("sr-1", "mg-1"));  // sr-1 has not reported
    }

    void traffic_rate_is_averaged_over_bursts() {
        MeshWatch watch;
        std::uint64_t sent = 0;
        for (int i = 0; i < 20; ++i)
            watch.take(state(10s + i * 500ms, sent += i % 2 == 0 ? 4000 : 0), start + i * 500ms);
        const double rate = *watch.lane("mg-1", "sr-1")->bytes_per_s;
        watch.take(state(20s, sent + 4000), start + 10s);
        QCOMPARE(rate, 4000.0);
        QCOMPARE(*watch.lane("mg-1", "sr-1")->bytes_per_s, rate);
    }

    void repeated_report_does_not_set_the_rate_to_zero() {
        MeshWatch watch;
        watch.take(state(10s, 0), start);
        watch.take(state(11s, 5000), start + 1s);
        watch.take(state(11s, 5000), start + 1500ms);
        QCOMPARE(*watch.lane("mg-1", "sr-1")->bytes_per_s, 5000.0);
    }

    void a_restarted_device_counts_from_zero() {
        MeshWatch watch;
        watch.take(state(10s, 9000), start);
        watch.take(state(11s, 500, 11), start + 1s);
        QVERIFY(!watch.lane("mg-1", "sr-1")->bytes_per_s);
        watch.take(state(12s, 20'000, 12), start + 2s);  // a restarted process has no rate, even if it has sent more
        QVERIFY(!watch.lane("mg-1", "sr-1")->bytes_per_s);
        watch.take(state(13s, 21'000, 12), start + 3s);
        QCOMPARE(*watch.lane("mg-1", "sr-1")->bytes_per_s, 1000.0);
    }

    void largest_credit_so_far_is_remembered() {
        MeshWatch watch;
        watch.take(state(10s, 0, 10, 800), start);
        watch.take(state(11s, 0, 10, 200), start + 1s);
        QCOMPARE(watch.lane("mg-1", "sr-1")->credit, 200U);
        QCOMPARE(watch.lane("mg-1", "sr-1")->most_credit, 800U);
    }

    void report_age_is_measured_by_the_local_clock() {
        MeshWatch watch;
        watch.take(state(4s, 0), start);
        QCOMPARE(*watch.heard("sr-1"), start);       // the most recent report
        QCOMPARE(*watch.heard("mg-1"), start - 6s);  // the report is 6 s older
        watch.take(state(4s, 0), start + 30s);
        QCOMPARE(*watch.heard("mg-1"), start - 6s);
        QVERIFY(!watch.heard("sr-2"));
    }

    /// Simulates a recording that is paused or moved forward.
    void shifting_the_clock_keeps_the_ages_of_reports() {
        MeshWatch watch;
        watch.take(state(4s, 0), start);
        watch.shift(5s, start + 5s);
        QCOMPARE(*watch.heard("sr-1"), start + 5s);
        QCOMPARE(*watch.heard("mg-1"), start - 1s);
        watch.take(state(4s, 0), start + 6s);  // unchanged reports
        QCOMPARE(*watch.heard("mg-1"), start - 1s);
    }

    /// After a jump back, no report may be in the future, even before the mesh of that time has arrived.
    void no_age_is_negative_after_a_jump_back() {
        MeshWatch watch;
        watch.take(state(4s, 0), start);
        watch.shift(8s, start + 1s);  // moves 7 s back, and the move took 1 s
        QVERIFY(!watch.heard("sr-1"));
        QVERIFY(!watch.heard("mg-1") || *watch.heard("mg-1") <= start + 1s);
        control::MeshState mesh = state(3s, 0);
        mesh.devices[1].heard = TimePoint(3s);
        watch.take(mesh, start + 2s);
        QVERIFY(watch.heard("sr-1") && *watch.heard("sr-1") <= start + 2s);
    }

    void age_of_an_absent_device_stays_unknown() {
        MeshWatch watch;
        control::MeshState mesh = state(4s, 0);
        for (control::DeviceView& device : mesh.devices) device.up = false;
        watch.take(mesh, start);
        QVERIFY(!watch.heard("sr-1") && !watch.heard("mg-1"));  // the age is unknown
        mesh.devices[0].up = true;
        mesh.devices[0].heard = TimePoint(70s);
        watch.take(mesh, start + 1s);
        QCOMPARE(*watch.heard("mg-1"), start + 1s);
        QCOMPARE(*watch.heard("sr-1"), start + 1s - 60s);
        mesh.devices[0].up = false;
        mesh.devices[1].heard = TimePoint(75s);  // the last report before it went away
        watch.take(mesh, start + 30s);
        QCOMPARE(*watch.heard("sr-1"), start + 6s);
    }

    void link_fault_is_found_for_either_order_of_its_ends() {
        MeshWatch watch;
        control::MeshState mesh = state(10s, 0);
        mesh.faults = {{"sr-1", "mg-1", true, 0, 0}};
        watch.take(mesh, start);
        QVERIFY(watch.fault("mg-1", "sr-1") && watch.fault("sr-1", "mg-1")->cut);
        QVERIFY(!watch.fault("mg-1", "sr-2"));
    }

    void departed_device_is_forgotten() {
        MeshWatch watch;
        watch.take(state(10s, 0), start);
        watch.take({}, start + 1s);
        QVERIFY(!watch.device("mg-1") && !watch.lane("mg-1", "sr-1") && !watch.heard("mg-1"));
    }
};

DIVISI_TEST(MeshWatchTest)

}  // namespace mesh_watch_test

#include "mesh_watch_test.moc"
