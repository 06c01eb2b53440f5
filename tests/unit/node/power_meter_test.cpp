// SPDX-License-Identifier: Apache-2.0
#include "agents/node/power_meter.h"

#include <QTemporaryDir>

#include <fstream>

#include "tests/support/test_program.h"

namespace power_meter_test {

using namespace divisi;
using node::PowerMeter;
using std::chrono::milliseconds;

namespace {

using Domains = std::vector<process::PowerDomain>;
const PowerMeter::Time start{std::chrono::seconds(100)};

Domains package(std::int64_t energy_uj, std::int64_t highest_uj = 262'143'328'850) {
    return {{"intel-rapl:0", energy_uj, highest_uj}};
}

}  // namespace

/// Tests the CPU's power, which is computed from two readings of the kernel's counters.
class PowerMeterTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void power_is_energy_divided_by_time() {
        PowerMeter meter;
        QVERIFY(!meter.take(package(1'000'000), start));  // no earlier reading
        QCOMPARE(meter.take(package(51'000'000), start + milliseconds(500)), std::optional(100.0));
        QCOMPARE(meter.take(package(51'000'000), start + milliseconds(1500)), std::optional(0.0));
        QVERIFY(!meter.take(package(60'000'000), start + milliseconds(1500)));  // no time has passed
    }

    void powers_of_all_packages_are_added() {
        const auto both = [](std::int64_t first, std::int64_t second) {
            return Domains{{"intel-rapl:0", first, 1LL << 40}, {"intel-rapl:1", second, 1LL << 40}};
        };
        PowerMeter meter;
        (void)meter.take(both(0, 0), start);
        QCOMPARE(meter.take(both(30'000'000, 12'500'000), start + milliseconds(1000)), std::optional(42.5));
    }

    void overflow_of_a_counter_loses_nothing() {
        PowerMeter meter;
        (void)meter.take(package(262'140'000'000, 262'143'000'000), start);
        QCOMPARE(meter.take(package(7'000'000, 262'143'000'000), start + milliseconds(1000)), std::optional(10.0));
    }

    void power_is_missing_once_after_a_counter_restart() {
        PowerMeter meter;
        (void)meter.take(package(200'000'000'000), start);
        QVERIFY(!meter.take(package(1'000), start + milliseconds(1000)));  // would mean 62 kW
        QCOMPARE(meter.take(package(5'001'000), start + milliseconds(2000)), std::optional(5.0));
        PowerMeter other;  // a counter without a known maximum
        (void)other.take(package(5'000'000, 0), start);
        QVERIFY(!other.take(package(1'000'000, 0), start + milliseconds(1000)));
    }

    void power_is_missing_once_after_packages_change() {
        PowerMeter meter;
        QVERIFY(!meter.take({}, start));
        QVERIFY(!meter.take(package(1'000'000), start + milliseconds(1000)));
        QCOMPARE(meter.take(package(9'000'000), start + milliseconds(2000)), std::optional(8.0));
        QVERIFY(!meter.take({}, start + milliseconds(3000)));
        QVERIFY(!meter.take(package(10'000'000), start + milliseconds(4000)));
    }

    /// Files as read by process::read_power_domains(), whose own cases are in energy_meter_test.cpp.
    void files_without_counters_give_no_power() {
        const QTemporaryDir folder;
        const std::filesystem::path zone = std::filesystem::path(folder.path().toStdString()) / "intel-rapl:0";
        std::filesystem::create_directories(zone);
        const auto write = [&](const char* file, const char* text) { std::ofstream(zone / file) << text << '\n'; };
        write("name", "package-0");
        write("energy_uj", "1000000");
        write("max_energy_range_uj", "many");
        PowerMeter meter;
        const auto read = [&](int second) {
            return meter.take(process::read_power_domains(folder.path().toStdString()),
                              start + std::chrono::seconds(second));
        };
        QVERIFY(!read(0) && !read(1));
        write("max_energy_range_uj", "262143328850");
        QVERIFY(!read(2));
        write("energy_uj", "3000000");
        QCOMPARE(read(3), std::optional(2.0));
        write("energy_uj", "much");
        QVERIFY(!read(4));
    }
};

DIVISI_TEST(PowerMeterTest)

}  // namespace power_meter_test

#include "power_meter_test.moc"
