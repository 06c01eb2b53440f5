// SPDX-License-Identifier: Apache-2.0
#include "backend/ctl/training/path_lines.h"

#include "tests/support/test_program.h"

namespace path_lines_test {

using namespace divisi;
using namespace divisi::ctl;
using Lines = std::vector<std::string>;

class PathLinesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void path_is_shown_by_its_devices();
    void run_without_a_path_prints_the_reason();
    void irrelevant_paths_are_not_shown();
    void planned_places_are_the_mics_of_the_stages();

private:
    static price::PathUse use(std::int32_t from, std::int32_t to, Lines devices) {
        price::PathUse use;
        use.from = from;
        use.to = to;
        use.path.devices = std::move(devices);
        return use;
    }
    static price::PlannedDevice on(const char* node) {
        price::PlannedDevice device;
        device.node = node;
        return device;
    }
};

void PathLinesTest::path_is_shown_by_its_devices() {
    const PlannedPlaces places{2, {"mic-1", "mic-2"}, true};
    QCOMPARE(path_lines({use(0, 1, {"mg-1", "sr-1", "mg-2"}), use(plan::data_unit, 1, {"mg-1", "mg-2"})}, places),
             (Lines{"from stage 0 to stage 1 by mg-1, sr-1, mg-2", "from data to stage 1 by mg-1, mg-2"}));
}

void PathLinesTest::run_without_a_path_prints_the_reason() {
    QCOMPARE(path_lines({}, {2, {"mic-1"}, true}),
             Lines{"both stages are in mic-1, so no path through the mesh is used"});
    QCOMPARE(path_lines({}, {3, {"mic-2"}, true}),
             Lines{"all 3 stages are in mic-2, so no path through the mesh is used"});
    const Lines unknown{"its instances are in mic-1, mic-2, and no path between them through the mesh is known"};
    QCOMPARE(path_lines({}, {2, {"mic-1", "mic-2"}, true}), unknown);
    QCOMPARE(path_lines({}, {2, {"mic-1", "mic-2"}, false}), unknown);
}

void PathLinesTest::irrelevant_paths_are_not_shown() {
    QCOMPARE(path_lines({}, {1, {"mic-1"}, true}), Lines{});   // a single stage sends to nobody
    QCOMPARE(path_lines({}, {2, {"mic-1"}, false}), Lines{});  // there is no mesh
    QCOMPARE(path_lines({}, {2, {}, true}), Lines{});          // the nodes' MICs are unknown
}

void PathLinesTest::planned_places_are_the_mics_of_the_stages() {
    control::ClusterState state;
    for (const auto& [node, mic] : {std::pair("a", "mic-2"), std::pair("b", "mic-1"), std::pair("c", "mic-3")})
        state.nodes[NodeId(node)].info.mic = MicId(mic);
    price::Placement placement;
    placement.stages = {on("a"), on("b"), on("a"), on("unknown")};
    QCOMPARE(planned_places(placement, state).mics, (Lines{"mic-1", "mic-2"}));
    QCOMPARE(planned_places(placement, state).stages, 4U);
    QVERIFY(!planned_places(placement, state).has_mesh);
    placement.data = on("c");
    state.devices["mg-1"].name = "mg-1";
    QCOMPARE(planned_places(placement, state).mics, (Lines{"mic-1", "mic-2", "mic-3"}));
    QVERIFY(planned_places(placement, state).has_mesh);
}

DIVISI_TEST(PathLinesTest)

}  // namespace path_lines_test

#include "path_lines_test.moc"
