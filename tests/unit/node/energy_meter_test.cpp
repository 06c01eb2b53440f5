// SPDX-License-Identifier: Apache-2.0
#include "agents/node/energy_meter.h"

#include <QTemporaryDir>

#include <unistd.h>

#include <fstream>

#include "tests/support/test_program.h"

namespace energy_meter_test {

using namespace divisi;
using node::EnergyMeter;

namespace {

const InstanceId first("t-1/stage-0/0#1"), second("t-1/stage-1/0#1");

/// A folder like /sys/class/powercap of a machine with two packages.
struct Powercap {
    QTemporaryDir folder;
    std::filesystem::path path() const { return folder.path().toStdString(); }
    void write(const std::string& zone, const std::string& file, const std::string& text) const {
        std::filesystem::create_directories(path() / zone);
        std::ofstream(path() / zone / file) << text << '\n';
    }
    void set(const std::string& zone, const std::string& name, std::int64_t energy_uj) const {
        write(zone, "name", name);
        write(zone, "energy_uj", std::to_string(energy_uj));
        write(zone, "max_energy_range_uj", "262143328850");
    }
    std::vector<process::PowerDomain> read() const { return process::read_power_domains(path()); }
};

}  // namespace

/// Tests the CPU energy from the kernel's counters, which is divided among the instances by CPU time.
class EnergyMeterTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void energy_counters_inside_or_around_a_package_are_ignored();
    void unreadable_counters_are_absent();
    void busy_time_is_parsed_from_the_kernels_format();
    void energy_is_shared_by_cpu_time();
    void counter_overflow_loses_nothing();
    void machine_without_counters_reports_no_energy();
    void instances_never_exceed_the_packages_energy();
};

void EnergyMeterTest::energy_counters_inside_or_around_a_package_are_ignored() {
    const Powercap powercap;
    powercap.set("intel-rapl:1", "package-1", 20);
    powercap.set("intel-rapl:0", "package-0", 10);
    powercap.set("intel-rapl:0:0", "core", 5);     // a part of package 0
    powercap.set("intel-rapl:2", "psys", 1000);    // the whole platform, including the packages
    powercap.write("intel-rapl", "enabled", "1");  // a file of the control type, not of a package
    const auto domains = powercap.read();
    QCOMPARE(domains.size(), std::size_t(2));
    QCOMPARE(domains[0].zone, std::string("intel-rapl:0"));
    QCOMPARE(domains[0].energy_uj, std::int64_t(10));
    QCOMPARE(domains[1].energy_uj, std::int64_t(20));
    QCOMPARE(domains[1].highest_uj, std::int64_t(262143328850));
}

void EnergyMeterTest::unreadable_counters_are_absent() {
    QVERIFY(process::read_power_domains("/nowhere/at/all").empty());
    const Powercap powercap;
    powercap.write("intel-rapl:0", "name", "package-0");  // without energy_uj, as if the user had no right to read it
    QVERIFY(powercap.read().empty());
    powercap.write("intel-rapl:0", "energy_uj", "none");
    powercap.write("intel-rapl:0", "max_energy_range_uj", "7");
    QVERIFY(powercap.read().empty());
}

void EnergyMeterTest::busy_time_is_parsed_from_the_kernels_format() {
    const Powercap folder;
    folder.write("proc", "stat", "cpu  10 20 30 4000 500 6 7 8 9 0\ncpu0 1 2 3 4 5 6 7 8 9 0");
    const std::int64_t tick_ms = 1000 / ::sysconf(_SC_CLK_TCK);
    QCOMPARE(process::busy_ms(folder.path() / "proc/stat").value_or(-1), (10 + 20 + 30 + 6 + 7) * tick_ms);
    QVERIFY(!process::busy_ms(folder.path() / "nothing"));
    QVERIFY(process::busy_ms().value_or(0) > 0);  // works on this machine
}

void EnergyMeterTest::energy_is_shared_by_cpu_time() {
    EnergyMeter meter;
    const auto at = [](std::int64_t energy_uj) {
        return std::vector<process::PowerDomain>{{"0", energy_uj, 1'000'000'000}, {"1", 2 * energy_uj, 1'000'000'000}};
    };
    meter.take({at(1'000'000), 5000, {{first, 700}}});
    QVERIFY(!meter.energy_mj(first));  // no earlier reading
    // The package has used 3 J more. Of 1000 ms CPU time, the first instance used 250, the second, which is new, used
    // 500, and other programs used the rest.
    meter.take({at(2'000'000), 6000, {{first, 950}, {second, 500}}});
    QCOMPARE(meter.energy_mj(first).value_or(-1), std::int64_t(750));
    QCOMPARE(meter.energy_mj(second).value_or(-1), std::int64_t(1500));
    // Neither instance computes.
    meter.take({at(3'000'000), 7000, {{first, 950}, {second, 500}}});
    QCOMPARE(meter.energy_mj(first).value_or(-1), std::int64_t(750));
    meter.forget(first);
    QVERIFY(!meter.energy_mj(first));
}

void EnergyMeterTest::counter_overflow_loses_nothing() {
    EnergyMeter meter;
    meter.take({{{"0", 9'999'000, 10'000'000}}, 0, {{first, 0}}});
    meter.take({{{"0", 4'000, 10'000'000}}, 100, {{first, 100}}});
    QCOMPARE(meter.energy_mj(first).value_or(-1), std::int64_t(5));
}

void EnergyMeterTest::machine_without_counters_reports_no_energy() {
    EnergyMeter meter;
    for (int i = 1; i < 5; ++i) meter.take({{}, 1000 * i, {{first, 500 * i}}});
    QVERIFY(!meter.energy_mj(first));
    for (int i = 5; i < 9; ++i) meter.take({{{"0", 1000 * i, 1 << 30}}, std::nullopt, {{first, 500 * i}}});
    QVERIFY(!meter.energy_mj(first));
    // When a package appears or disappears, only packages present in both readings count.
    EnergyMeter other;
    other.take({{{"0", 0, 1 << 30}}, 0, {{first, 0}}});
    other.take({{{"0", 5000, 1 << 30}, {"1", 700'000, 1 << 30}}, 10, {{first, 10}}});
    QVERIFY(!other.energy_mj(first));
    other.take({{{"0", 7000, 1 << 30}, {"1", 701'000, 1 << 30}}, 20, {{first, 20}}});
    QCOMPARE(other.energy_mj(first).value_or(-1), std::int64_t(3));
}

/// The two clocks tick at different moments, so an instance may seem to compute longer than all processors.
void EnergyMeterTest::instances_never_exceed_the_packages_energy() {
    EnergyMeter meter;
    meter.take({{{"0", 0, 1 << 30}}, 0, {{first, 0}, {second, 0}}});
    meter.take({{{"0", 8'000'000, 1 << 30}}, 10, {{first, 30}, {second, 10}}});
    QCOMPARE(meter.energy_mj(first).value_or(-1), std::int64_t(6000));
    QCOMPARE(meter.energy_mj(second).value_or(-1), std::int64_t(2000));
}

DIVISI_TEST(EnergyMeterTest)

}  // namespace energy_meter_test

#include "energy_meter_test.moc"
