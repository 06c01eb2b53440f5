// SPDX-License-Identifier: Apache-2.0
#include "backend/process/sensors.h"

#include <QTemporaryDir>

#include <fstream>

#include "tests/support/test_program.h"

namespace temperature_test {

using divisi::process::processor_temperature;

namespace {

/// A folder like /sys/class of a machine.
struct System {
    QTemporaryDir folder;
    std::filesystem::path path() const { return folder.path().toStdString(); }
    void write(const std::string& file, const std::string& text) const {
        std::filesystem::create_directories((path() / file).parent_path());
        std::ofstream(path() / file) << text << '\n';
    }
    void remove(const std::string& file) const { std::filesystem::remove_all(path() / file); }
    std::optional<double> read() const { return processor_temperature(path()); }
};

}  // namespace

/// Tests the processors' temperature, from the files of the kernel's drivers.
class TemperatureTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void highest_temperature_of_the_processor_is_read() {
        const System system;
        system.write("hwmon/hwmon0/name", "nvme");
        system.write("hwmon/hwmon0/temp1_input", "84850");  // sensor of a disk
        system.write("hwmon/hwmon1/name", "coretemp");
        system.write("hwmon/hwmon1/temp1_input", "51000");
        system.write("hwmon/hwmon1/temp1_crit", "100000");
        system.write("hwmon/hwmon1/temp2_input", "61500");
        system.write("hwmon/hwmon1/in1_input", "90000");
        system.write("hwmon/hwmon2/name", "coretemp");  // sensor of another package
        system.write("hwmon/hwmon2/temp1_input", "48000");
        system.write("thermal/thermal_zone0/type", "x86_pkg_temp");
        system.write("thermal/thermal_zone0/temp", "99000");  // the same sensor again
        QCOMPARE(system.read(), std::optional(61.5));
    }

    void die_temperature_takes_precedence_over_fan_control_value() {
        const System system;
        system.write("hwmon/hwmon0/name", "k10temp");
        system.write("hwmon/hwmon0/temp1_input", "77000");
        system.write("hwmon/hwmon0/temp1_label", "Tctl");
        QCOMPARE(system.read(), std::optional(77.0));
        system.write("hwmon/hwmon0/temp2_input", "50000");
        system.write("hwmon/hwmon0/temp2_label", "Tdie");
        QCOMPARE(system.read(), std::optional(50.0));
    }

    void thermal_zones_are_read_without_a_driver_for_the_processor() {
        const System system;
        system.write("thermal/thermal_zone0/type", "acpitz");
        system.write("thermal/thermal_zone0/temp", "90000");  // a sensor in the case
        QVERIFY(!system.read());
        system.write("thermal/thermal_zone1/type", "cpu-thermal");
        system.write("thermal/thermal_zone1/temp", "-5250");
        QCOMPARE(system.read(), std::optional(-5.25));
    }

    void unreadable_temperature_is_absent() {
        QVERIFY(!processor_temperature("/nowhere/at/all"));
        const System system;
        QVERIFY(!system.read());
        system.write("hwmon/hwmon0/name", "coretemp");
        QVERIFY(!system.read());  // no sensor
        for (const char* text : {"", "warm", "255000", "-128000", "nan", "inf"}) {
            system.write("hwmon/hwmon0/temp1_input", text);
            QVERIFY2(!system.read(), text);
        }
        system.remove("hwmon/hwmon0/temp1_input");
        std::filesystem::create_directories(system.path() / "hwmon/hwmon0/temp1_input");  // exists but cannot be read
        QVERIFY(!system.read());
        system.write("hwmon/hwmon0/temp2_input", "40000");
        QCOMPARE(system.read(), std::optional(40.0));  // the other sensors are still read
    }

    void removed_sensor_gives_no_temperature() {
        const System system;
        system.write("hwmon/hwmon0/name", "coretemp");
        system.write("hwmon/hwmon0/temp1_input", "40000");
        QCOMPARE(system.read(), std::optional(40.0));
        system.remove("hwmon/hwmon0");
        QVERIFY(!system.read());
    }
};

DIVISI_TEST(TemperatureTest)

}  // namespace temperature_test

#include "temperature_test.moc"
