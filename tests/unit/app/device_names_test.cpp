// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/topology/device_names.h"

#include "tests/support/test_program.h"

namespace device_names_test {

using namespace divisi;
using namespace std::chrono_literals;
using topology::DeviceNames;

namespace {

/// Returns a mesh in which one device has identifier 7 and has just reported.
control::MeshState held_by(const char* name, Duration heard) {
    control::MeshState mesh;
    mesh.devices.resize(1);
    mesh.devices[0].id = 7;
    mesh.devices[0].info.name = name;
    mesh.devices[0].heard = TimePoint(heard);
    return mesh;
}

}  // namespace

class DeviceNamesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void who_is_not_known_has_a_number() {
        DeviceNames names;
        QVERIFY(names.empty());
        QCOMPARE(names.name(7, TimePoint(1s)), QStringLiteral("device 7"));
    }

    void only_what_is_new_is_news() {
        DeviceNames names;
        QVERIFY(names.take(held_by("sr-1", 10s)));
        QVERIFY(!names.take(held_by("sr-1", 20s)));
        QVERIFY(names.take(held_by("sr-2", 200s)));
        QCOMPARE(names.all().size(), 2U);
    }

    void a_name_is_of_the_time_of_the_message() {
        DeviceNames names;
        names.take(held_by("sr-1", 10s));
        names.take(held_by("sr-1", 100s));
        names.take(held_by("sr-2", 170s));
        QCOMPARE(names.name(7, TimePoint(1s)), QStringLiteral("sr-1"));
        QCOMPARE(names.name(7, TimePoint(105s)), QStringLiteral("sr-1"));
        // before sr-2 was first seen with identifier 7
        QCOMPARE(names.name(7, TimePoint(165s)), QStringLiteral("sr-2"));
        QCOMPARE(names.name(7, TimePoint(999s)), QStringLiteral("sr-2"));
    }

    void of_a_time_when_nobody_looked_nothing_is_said() {
        DeviceNames names;
        names.take(held_by("sr-1", 100s));
        names.take(held_by("sr-2", 1000s));
        QCOMPARE(names.name(7, TimePoint(120s)), QStringLiteral("sr-1"));
        QCOMPARE(names.name(7, TimePoint(500s)), QStringLiteral("device 7"));
        QCOMPARE(names.name(7, TimePoint(980s)), QStringLiteral("sr-2"));
    }
};

DIVISI_TEST(DeviceNamesTest)

}  // namespace device_names_test

#include "device_names_test.moc"
