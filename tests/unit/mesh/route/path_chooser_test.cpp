// SPDX-License-Identifier: Apache-2.0

#include "backend/mesh/route/path_chooser.h"

#include "tests/support/test_program.h"

namespace path_chooser_test {

using namespace divisi;
using namespace divisi::mesh;

namespace {

RoutingId id(int number) { return RoutingId(static_cast<std::uint16_t>(number)); }
TimePoint at(int seconds) { return TimePoint(std::chrono::seconds(seconds)); }

constexpr double one_chunk_per_ms = 1000.0 * (1 << 20);

Path by(int router) { return {id(1), id(router), id(2)}; }

/// A fixture with gateways 1 and 2 and the routers 3, 4 and 5 between them, at 10, 20 and 40 ms.
struct Mesh {
    Topology topology;
    PathChooser chooser{id(1), id(2)};
    int now_s = 0;

    Mesh() {
        std::vector<Device> devices(5);
        for (int i = 0; i < 5; ++i) devices[static_cast<std::size_t>(i)].id = id(i + 1);
        for (const int i : {0, 1}) {
            devices[static_cast<std::size_t>(i)].role = DeviceRole::gateway;
            devices[static_cast<std::size_t>(i)].mic = MicId(std::to_string(i));
        }
        std::vector<Link> links;
        for (int router = 3; router <= 5; ++router) {
            links.push_back({id(1), id(router), 0, one_chunk_per_ms});
            links.push_back({id(2), id(router), 0, one_chunk_per_ms});
        }
        if (!topology.set(devices, links)) qFatal("set");
        takes(3, 10);
        takes(4, 20);
        takes(5, 40);
    }

    /// Sets how long the path through this router takes.
    void takes(int router, int ms) {
        if (!topology.set_figures({id(1), id(router)}, {(ms - 2) * 1e-3, one_chunk_per_ms, 0})) qFatal("figures");
    }
    bool report() { return chooser.report(topology, at(++now_s)); }
    Path primary() const { return chooser.paths() ? chooser.paths()->primary : Path(); }
    Path backup() const { return chooser.paths() ? chooser.paths()->backup : Path(); }
};

}  // namespace

class PathChooserTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void first_report_chooses_the_paths();
    void slightly_shorter_path_is_not_chosen();
    void shorter_path_is_chosen_after_two_reports();
    void lost_path_is_left_at_once();
    void backup_path_stays_while_it_is_usable();
    void advice_expires();
    void flow_keeps_a_path_if_advice_avoids_all_devices();
    void advice_is_bounded();
};

void PathChooserTest::first_report_chooses_the_paths() {
    Mesh mesh;
    QVERIFY(!mesh.chooser.paths());
    QVERIFY(mesh.report());
    QVERIFY(mesh.primary() == by(3));
    QVERIFY(mesh.backup() == by(4));
    QVERIFY(!mesh.report());
}

void PathChooserTest::slightly_shorter_path_is_not_chosen() {
    Mesh mesh;
    QVERIFY(mesh.report());
    mesh.takes(3, 100);
    mesh.takes(4, 81);
    mesh.takes(5, 90);
    for (int i = 0; i < 10; ++i) QVERIFY(!mesh.report());
    mesh.takes(4, 80);
    QVERIFY(!mesh.report());
    QVERIFY(mesh.report());
    QVERIFY(mesh.primary() == by(4));
    QVERIFY(mesh.backup() == by(5));
}

void PathChooserTest::shorter_path_is_chosen_after_two_reports() {
    Mesh mesh;
    QVERIFY(mesh.report());
    for (int i = 0; i < 5; ++i) {
        mesh.takes(3, 100);
        QVERIFY(!mesh.report());
        mesh.takes(3, 10);
        QVERIFY(!mesh.report());
    }
    mesh.takes(3, 100);
    QVERIFY(!mesh.report());
    QVERIFY(mesh.report());
    QVERIFY(mesh.primary() == by(4));
    mesh.takes(3, 10);  // the shorter time must also last for two reports
    QVERIFY(!mesh.report());
    QVERIFY(mesh.report());
    QVERIFY(mesh.primary() == by(3));
}

void PathChooserTest::lost_path_is_left_at_once() {
    Mesh mesh;
    QVERIFY(mesh.report());
    QVERIFY(mesh.topology.set_up(id(3), false));
    QVERIFY(mesh.report());
    QVERIFY(mesh.primary() == by(4));
    QVERIFY(mesh.topology.set_up({id(2), id(4)}, false));
    QVERIFY(mesh.report());
    QVERIFY(mesh.primary() == by(5));
    QVERIFY(mesh.backup().empty());
    QVERIFY(mesh.topology.set_up(id(2), false));
    QVERIFY(mesh.report());
    QVERIFY(!mesh.chooser.paths());
    QVERIFY(!mesh.report());
    QVERIFY(mesh.topology.set_up(id(2), true));
    QVERIFY(mesh.report());
    QVERIFY(mesh.primary() == by(5));
}

void PathChooserTest::backup_path_stays_while_it_is_usable() {
    Mesh mesh;
    QVERIFY(mesh.report());
    mesh.takes(4, 50);
    for (int i = 0; i < 3; ++i) QVERIFY(!mesh.report());
    QVERIFY(mesh.topology.set_up(id(4), false));
    QVERIFY(mesh.report());
    QVERIFY(mesh.primary() == by(3));
    QVERIFY(mesh.backup() == by(5));
}

void PathChooserTest::advice_expires() {
    Mesh mesh;
    QVERIFY(mesh.report());
    QVERIFY(mesh.chooser.avoid(id(3), at(mesh.now_s + 3)));
    QVERIFY(mesh.chooser.avoid(LinkKey{id(4), id(2)}, at(mesh.now_s + 2)));
    QVERIFY(mesh.report());
    QVERIFY(mesh.primary() == by(5));
    QVERIFY(mesh.backup().empty());
    // after the avoidance of the link ends, a backup is chosen at once, and a better path only at the second report
    QVERIFY(mesh.report());
    QVERIFY(mesh.primary() == by(5));
    QVERIFY(mesh.backup() == by(4));
    QVERIFY(mesh.report());
    QVERIFY(mesh.primary() == by(3));
}

void PathChooserTest::flow_keeps_a_path_if_advice_avoids_all_devices() {
    Mesh mesh;
    QVERIFY(mesh.report());
    for (int device = 1; device <= 5; ++device) QVERIFY(mesh.chooser.avoid(id(device), at(100)));
    QVERIFY(!mesh.report());
    QVERIFY(mesh.primary() == by(3));
    PathChooser late(id(1), id(2));
    for (int device = 1; device <= 5; ++device) QVERIFY(late.avoid(id(device), at(100)));
    QVERIFY(late.report(mesh.topology, at(1)));
    QVERIFY(late.paths()->primary == by(3));
}

void PathChooserTest::advice_is_bounded() {
    PathChooser chooser(id(1), id(2));
    for (std::size_t i = 0; i < most_avoided; ++i) QVERIFY(chooser.avoid(id(static_cast<int>(i) + 1), at(10)));
    QCOMPARE(chooser.avoid(id(5000), at(10)).error().code, ErrorCode::exhausted);
    QVERIFY(chooser.avoid(id(7), at(20)));
    QVERIFY(!chooser.report(Topology(), at(10)));
    QVERIFY(chooser.avoid(id(5000), at(20)));
}

DIVISI_TEST(PathChooserTest)

}  // namespace path_chooser_test

#include "path_chooser_test.moc"
