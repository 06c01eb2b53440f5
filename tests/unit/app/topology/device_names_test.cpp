// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/topology/device_names.h"
#include "backend/control/protocol/mesh_messages.h"

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
    void unknown_device_is_shown_by_its_number() {
        DeviceNames names;
        QVERIFY(names.empty());
        QCOMPARE(names.name(7, TimePoint(1s)), QStringLiteral("device 7"));
    }

    void only_new_names_are_reported() {
        DeviceNames names;
        QVERIFY(names.take(held_by("sr-1", 10s)));
        QVERIFY(!names.take(held_by("sr-1", 20s)));
        QVERIFY(names.take(held_by("sr-2", 200s)));
        QCOMPARE(names.all().size(), 2U);
    }

    void device_has_the_name_that_it_had_at_that_time() {
        DeviceNames names;
        names.take(held_by("sr-1", 10s));
        names.take(held_by("sr-1", 100s));
        names.take(held_by("sr-2", 170s));
        QCOMPARE(names.name(7, TimePoint(1s)), QStringLiteral("sr-1"));
        QCOMPARE(names.name(7, TimePoint(105s)), QStringLiteral("sr-1"));
        // 5 s before its first report, sr-2 already had the identifier, which is reused only after a quarantine
        QCOMPARE(names.name(7, TimePoint(165s)), QStringLiteral("sr-2"));
        QCOMPARE(names.name(7, TimePoint(999s)), QStringLiteral("sr-2"));
    }

    void names_are_unknown_for_unobserved_times() {
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
