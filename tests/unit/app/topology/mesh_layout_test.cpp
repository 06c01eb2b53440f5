// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/topology/mesh_layout.h"
#include "backend/control/protocol/mesh_messages.h"

#include <QLineF>
#include <vector>

#include "tests/support/cpu_time.h"
#include "tests/support/test_program.h"
#include "tests/unit/app/mesh_parts.h"

namespace mesh_layout_test {

using namespace divisi;
using topology::MeshLayout;
using topology::MeshParts;

namespace {

/// Returns the names of two overlapping parts; empty if no parts overlap.
QString overlap(const std::map<std::string, QRectF>& places) {
    std::vector<std::pair<std::string, QRectF>> all(places.begin(), places.end());
    for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t j = i + 1; j < all.size(); ++j)
            if (all[i].second.intersects(all[j].second))
                return QString::fromStdString(all[i].first + " " + all[j].first);
    return {};
}

std::map<std::string, QRectF> outermost(const MeshParts& parts, const MeshLayout& layout) {
    std::map<std::string, QRectF> all;
    for (const auto& [name, place] : layout.mics) all["MIC " + name] = place;
    for (const std::string& router : parts.routers) all[router] = layout.devices.at(router);
    return all;
}

bool crosses(const QLineF& line, const QRectF& box) {
    for (const QLineF& edge : {QLineF(box.topLeft(), box.bottomRight()), QLineF(box.bottomLeft(), box.topRight())})
        if (edge.intersects(line, nullptr) == QLineF::BoundedIntersection) return true;
    return false;
}

/// Returns the number of links that cross a router other than their two ends.
int hidden_links(const MeshParts& parts, const MeshLayout& layout) {
    int count = 0;
    for (const auto& [a, b] : parts.links) {
        const QLineF line(layout.devices.at(a).center(), layout.devices.at(b).center());
        for (const std::string& router : parts.routers)
            count += router != a && router != b && crosses(line, layout.devices.at(router)) ? 1 : 0;
    }
    return count;
}

}  // namespace

class MeshLayoutTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void all_parts_are_placed_without_overlaps() {
        for (const auto& [mics, nodes, routers] : {std::tuple{0, 0, 0},
                                                   {0, 0, 1},
                                                   {1, 0, 0},
                                                   {1, 3, 0},
                                                   {2, 2, 3},
                                                   {3, 7, 5},
                                                   {8, 1, 12},
                                                   {9, 2, 1},
                                                   {20, 4, 40},
                                                   {50, 3, 200}}) {
            const MeshParts parts = testing::random_mesh(mics, nodes, routers, 7);
            const MeshLayout layout = topology::arrange(parts);
            QCOMPARE(layout.mics.size(), parts.mics.size());
            QCOMPARE(layout.nodes.size(), static_cast<std::size_t>(mics * nodes));
            QCOMPARE(layout.devices.size(), static_cast<std::size_t>(mics + routers));
            QCOMPARE(overlap(outermost(parts, layout)), QString());
            for (const auto& [name, mic] : parts.mics) {
                std::map<std::string, QRectF> inside;
                for (const std::string& node : mic.nodes) inside[node] = layout.nodes.at(node);
                if (!mic.gateway.empty()) inside[mic.gateway] = layout.devices.at(mic.gateway);
                QCOMPARE(overlap(inside), QString());
                for (const auto& [part, place] : inside) QVERIFY(layout.mics.at(name).contains(place));
            }
        }
    }

    void any_number_of_routers_is_placed_without_overlaps() {
        for (int routers = 1; routers <= 60; ++routers) {
            const MeshParts connected = testing::random_mesh(2, 1, routers, static_cast<unsigned>(routers));
            QCOMPARE(overlap(outermost(connected, topology::arrange(connected))), QString());
            MeshParts apart = connected;
            apart.links.clear();
            QCOMPARE(overlap(outermost(apart, topology::arrange(apart))), QString());
        }
    }

    void two_paths_between_two_mics_are_drawn_apart() {
        const MeshParts parts = testing::embedded_mesh();
        const MeshLayout layout = topology::arrange(parts);
        const auto place = [&](const char* name) { return layout.devices.at(name); };
        QVERIFY(layout.mics.at("mic-1").right() < place("sr-2").left());
        QVERIFY(place("mg-1").right() < place("sr-1").left() && place("sr-1").right() < place("mg-2").left());
        QVERIFY(place("sr-1").bottom() < place("sr-2").top());
        QVERIFY(place("sr-2").right() < place("sr-3").left());
        QCOMPARE(place("sr-2").center().y(), place("sr-3").center().y());
        QCOMPARE(hidden_links(parts, layout), 0);
    }

    void a_ring_does_not_hide_its_links() {
        MeshParts parts = testing::embedded_mesh();
        parts.routers = {"a", "b", "c", "d"};
        parts.links = {{"a", "mg-1"}, {"b", "mg-2"}, {"a", "b"}, {"a", "c"}, {"c", "d"}, {"b", "d"}};
        QCOMPARE(hidden_links(parts, topology::arrange(parts)), 0);
    }

    /// One of some 300 links is hidden. If each router stayed at the middle of its neighbours, 64 would be hidden.
    void routers_move_away_from_links() {
        int hidden = 0;
        for (unsigned seed = 1; seed <= 20; ++seed) {
            const MeshParts parts = testing::random_mesh(2, 1, 8, seed);
            hidden += hidden_links(parts, topology::arrange(parts));
        }
        QVERIFY2(hidden <= 5, qPrintable(QString::number(hidden)));
    }

    void layout_does_not_depend_on_the_order_of_parts() {
        const MeshParts whole = testing::random_mesh(5, 2, 9, 3);
        MeshParts grown;  // the same parts, registered in another order
        for (auto at = whole.links.rbegin(); at != whole.links.rend(); ++at) grown.links.insert(*at);
        for (auto at = whole.routers.rbegin(); at != whole.routers.rend(); ++at) grown.routers.insert(*at);
        for (auto at = whole.mics.rbegin(); at != whole.mics.rend(); ++at) grown.mics.insert(*at);
        const MeshLayout first = topology::arrange(whole), second = topology::arrange(grown);
        QVERIFY(first.mics == second.mics && first.nodes == second.nodes && first.devices == second.devices);
    }

    void removed_part_keeps_its_place() {
        control::ClusterState cluster;
        control::NodeView node;
        node.info.id = NodeId("mic-1/node-1");
        node.info.mic = MicId("mic-1");
        cluster.nodes[node.info.id] = node;
        control::MeshState mesh;
        for (const char* name : {"sr-1", "sr-2"}) {
            control::DeviceView device;
            device.id = static_cast<std::uint32_t>(mesh.devices.size() + 1);
            device.info.name = name;
            mesh.devices.push_back(device);
        }
        mesh.links = {{1, 2, 0, 0}};
        MeshParts parts;
        parts.add(cluster, mesh);
        const MeshLayout before = topology::arrange(parts);
        QCOMPARE(before.devices.size(), 2U);
        parts.add({}, {});
        parts.add(cluster, {});
        QVERIFY(topology::arrange(parts).devices == before.devices);
        QVERIFY(topology::arrange(parts).nodes == before.nodes);
    }

    void dragged_part_keeps_its_place_and_moves_its_nodes() {
        const MeshParts parts = testing::embedded_mesh();
        const MeshLayout before = topology::arrange(parts);
        topology::Dragged dragged;
        dragged.mics["mic-1"] = before.mics.at("mic-1").center() + QPointF(40, -300);
        dragged.routers["sr-1"] = {5, 6};
        dragged.routers["sr-9"] = {1, 1};  // not in the mesh yet
        const MeshLayout after = topology::moved(before, parts, dragged);
        for (const char* node : {"mic-1/node-1", "mic-1/node-2"})
            QCOMPARE(after.nodes.at(node), before.nodes.at(node).translated(40, -300));
        QCOMPARE(after.devices.at("mg-1"), before.devices.at("mg-1").translated(40, -300));
        QCOMPARE(after.devices.at("sr-1").center(), QPointF(5, 6));
        QCOMPARE(after.devices.at("sr-2"), before.devices.at("sr-2"));
        QVERIFY(after.bounds.contains(after.mics.at("mic-1")));
    }

    void nodes_without_gateways_are_in_rows() {
        MeshParts parts;
        for (int i = 1; i <= 12; ++i) parts.mics[testing::numbered("mic-", i)].nodes = {testing::numbered("node-", i)};
        const MeshLayout layout = topology::arrange(parts);
        QCOMPARE(overlap(layout.mics), QString());
        QVERIFY(layout.bounds.width() < 3 * layout.bounds.height() * 3);
        // sorted by number, not after mic-10
        QVERIFY(layout.mics.at("mic-2").left() > layout.mics.at("mic-1").right());
        QVERIFY(layout.mics.at("mic-10").top() > layout.mics.at("mic-2").bottom());
    }

    void a_large_mesh_is_placed_at_once() {
        const MeshParts parts = testing::random_mesh(50, 20, 200, 1);
        const double before = testing::thread_cpu_ms();
        const MeshLayout layout = topology::arrange(parts);
        const double placed_ms = testing::thread_cpu_ms() - before;
        QVERIFY2(placed_ms < 2000, qPrintable(QString::number(placed_ms)));
        QVERIFY(layout.bounds.width() < 4 * layout.bounds.height());
        QVERIFY(layout.bounds.height() < 4 * layout.bounds.width());
    }
};

DIVISI_TEST(MeshLayoutTest)

}  // namespace mesh_layout_test

#include "mesh_layout_test.moc"
