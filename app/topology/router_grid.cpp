// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/topology/router_grid.h"

#include <QLineF>
#include <QPoint>
#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <optional>
#include <set>
#include <vector>

namespace divisi::topology {

namespace {

/// Size of a grid cell, half the distance between routers. Each router occupies two by two cells.
constexpr double cell_width = 148, cell_height = 68;
/// Grid cells per router. Links need space between routers, and a router blocks its neighbouring cells.
constexpr double room_factor = 2.8;
/// Number of iterations, enough for positions to converge to within a cell, even in chains of dozens of routers.
constexpr int relaxations = 200;
/// Weight with which a router is pulled to the height of its part of the mesh, if there are several parts. Each
/// neighbour has weight 1.
constexpr double band_pull = 8;
/// Maximum number of routers for which routers are moved away from links of other devices. With more routers, this
/// takes longer than a frame of the display, and the user must zoom in anyway.
constexpr std::size_t most_cleared = 400;
/// Maximum distance in cells by which a router is moved away from a link.
constexpr int clearance_radius = 5;

/// The mesh as a graph with numbered vertices: routers first, ordered by name, then gateways.
struct Graph {
    std::vector<std::string> names;
    std::size_t routers = 0;
    std::vector<std::vector<std::size_t>> neighbours;
    std::vector<std::size_t> part;  ///< part of each router; routers in one part are connected without gateways
    std::size_t parts = 0;
};

Graph graph_of(const MeshParts& parts) {
    Graph graph;
    graph.names.assign(parts.routers.begin(), parts.routers.end());
    graph.routers = graph.names.size();
    for (const auto& [name, mic] : parts.mics)
        if (!mic.gateway.empty()) graph.names.push_back(mic.gateway);
    std::map<std::string, std::size_t> index;
    for (std::size_t i = 0; i < graph.names.size(); ++i) index[graph.names[i]] = i;
    graph.neighbours.resize(graph.names.size());
    for (const auto& [a, b] : parts.links) {
        const auto from = index.find(a), to = index.find(b);
        if (from == index.end() || to == index.end()) continue;
        graph.neighbours[from->second].push_back(to->second);
        graph.neighbours[to->second].push_back(from->second);
    }
    graph.part.assign(graph.routers, graph.routers);
    for (std::size_t first = 0; first < graph.routers; ++first) {
        if (graph.part[first] < graph.routers) continue;
        std::deque<std::size_t> open{first};
        graph.part[first] = graph.parts;
        while (!open.empty()) {
            const std::size_t at = open.front();
            open.pop_front();
            for (const std::size_t next : graph.neighbours[at])
                if (next < graph.routers && graph.part[next] == graph.routers)
                    graph.part[next] = graph.parts, open.push_back(next);
        }
        ++graph.parts;
    }
    return graph;
}

/// Returns the number of routers on the longest one of the shortest paths from a gateway to a router.
std::size_t longest_way(const Graph& graph) {
    std::size_t longest = 1;
    for (std::size_t gateway = graph.routers; gateway < graph.names.size(); ++gateway) {
        std::vector<std::size_t> hops(graph.names.size(), graph.names.size());
        hops[gateway] = 0;
        std::deque<std::size_t> open{gateway};
        while (!open.empty()) {
            const std::size_t at = open.front();
            open.pop_front();
            for (const std::size_t next : graph.neighbours[at]) {
                if (hops[next] < graph.names.size()) continue;
                hops[next] = hops[at] + 1;
                if (next >= graph.routers) continue;
                longest = std::max(longest, hops[next]);
                open.push_back(next);
            }
        }
    }
    return longest;
}

/// Returns positions with each router in the middle of its neighbours (Tutte 1963 with springs). If the mesh has
/// several parts, each router is also pulled to the height of its part.
std::vector<QPointF> relaxed(const Graph& graph, const std::map<std::string, QRectF>& gateways, const QRectF& room) {
    std::vector<QPointF> at(graph.names.size(), room.center());
    for (std::size_t i = graph.routers; i < at.size(); ++i) {
        const QPointF gateway = gateways.at(graph.names[i]).center();
        at[i] = {std::clamp(gateway.x(), room.left(), room.right()),
                 std::clamp(gateway.y(), room.top(), room.bottom())};
    }
    const double pull = graph.parts > 1 ? band_pull : 0;
    for (int round = 0; round < relaxations; ++round)
        for (std::size_t i = 0; i < graph.routers; ++i) {
            const double share = (static_cast<double>(graph.part[i]) + 0.5) / static_cast<double>(graph.parts);
            const auto count = static_cast<double>(graph.neighbours[i].size());
            QPointF sum(0, pull * (room.top() + share * room.height()));
            for (const std::size_t other : graph.neighbours[i]) sum += at[other];
            if (count > 0) at[i].setX(sum.x() / count);
            if (count + pull > 0) at[i].setY(sum.y() / (count + pull));
        }
    return at;
}

class Grid {
public:
    Grid(const Graph& graph, const std::map<std::string, QRectF>& gateways, const QRectF& room, QSizeF size)
        : graph_(graph), room_(room), size_(size), cells_(graph.routers) {
        for (std::size_t i = graph.routers; i < graph.names.size(); ++i)
            gateways_.push_back(gateways.at(graph.names[i]).center());
    }

    /// Puts each router on the free cell nearest to its wanted position.
    void settle(const std::vector<QPointF>& wanted) {
        for (std::size_t i = 0; i < graph_.routers; ++i) put(i, nearest_free(wanted[i]));
    }

    /// Moves routers away from links of other devices, if there are free cells nearby.
    void clear_links() {
        if (graph_.routers > most_cleared) return;
        for (std::size_t i = 0; i < graph_.routers; ++i) {
            if (crossings(i) == 0) continue;
            const QPoint before = cells_[i];
            taken_.erase({before.x(), before.y()});
            QPoint best = before;
            int least = crossings(i);
            double nearest = 0;
            for (int dy = -clearance_radius; dy <= clearance_radius; ++dy)
                for (int dx = -clearance_radius; dx <= clearance_radius; ++dx) {
                    const QPoint cell = before + QPoint(dx, dy);
                    if (!free(cell)) continue;
                    cells_[i] = cell;
                    const int crossed = crossings(i);
                    const double far = std::hypot(dx * cell_width, dy * cell_height);
                    if (crossed > least || (crossed == least && (best == before || far >= nearest))) continue;
                    best = cell, least = crossed, nearest = far;
                }
            put(i, best);
        }
    }

    QRectF rect(std::size_t router) const {
        QRectF place(QPointF(), size_);
        place.moveCenter(centre(cells_[router]));
        return place;
    }

private:
    QPointF centre(QPoint cell) const {
        return room_.center() + QPointF(cell.x() * cell_width, cell.y() * cell_height);
    }
    QPointF place_of(std::size_t device) const {
        return device < graph_.routers ? centre(cells_[device]) : gateways_[device - graph_.routers];
    }
    bool free(QPoint cell) const {
        const QPointF off = centre(cell) - room_.center();
        if (2 * std::abs(off.x()) > room_.width() - size_.width()) return false;
        if (2 * std::abs(off.y()) > room_.height() - size_.height()) return false;
        for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx)
                if (taken_.contains({cell.x() + dx, cell.y() + dy})) return false;
        return true;
    }
    void put(std::size_t router, QPoint cell) {
        cells_[router] = cell;
        taken_.insert({cell.x(), cell.y()});
    }
    QPoint nearest_free(QPointF wanted) const {
        const QPointF off = wanted - room_.center();
        const QPoint middle(static_cast<int>(std::lround(off.x() / cell_width)),
                            static_cast<int>(std::lround(off.y() / cell_height)));
        std::optional<QPoint> best;
        double nearest = 0;
        const int most = static_cast<int>(room_.width() / cell_width + room_.height() / cell_height) + 1;
        for (int radius = 0; radius <= most; ++radius) {
            if (best && (radius - 1) * cell_height > nearest) break;  // all further cells are farther away
            for (int dy = -radius; dy <= radius; ++dy)
                for (int dx = -radius; dx <= radius; dx += std::abs(dy) == radius ? 1 : std::max(1, 2 * radius)) {
                    const QPoint cell = middle + QPoint(dx, dy);
                    if (!free(cell)) continue;
                    const QPointF far = centre(cell) - wanted;
                    const double distance = std::hypot(far.x(), far.y());
                    if (best && distance >= nearest) continue;
                    best = cell, nearest = distance;
                }
        }
        return best.value_or(middle);
    }
    bool crosses(const QLineF& link, std::size_t router) const {
        const QRectF box = rect(router).adjusted(-6, -6, 6, 6);
        const std::array edges{QLineF(box.topLeft(), box.bottomRight()), QLineF(box.bottomLeft(), box.topRight())};
        return std::ranges::any_of(
            edges, [&](const QLineF& edge) { return edge.intersects(link, nullptr) == QLineF::BoundedIntersection; });
    }
    /// Returns how many links of other devices cross this router, plus how many routers are on this router's links.
    int crossings(std::size_t router) const {
        int count = 0;
        for (std::size_t from = 0; from < graph_.neighbours.size(); ++from)
            for (const std::size_t to : graph_.neighbours[from]) {
                if (to < from) continue;
                const QLineF link(place_of(from), place_of(to));
                if (from == router || to == router) {
                    for (std::size_t other = 0; other < graph_.routers; ++other)
                        count += other != from && other != to && crosses(link, other) ? 1 : 0;
                } else {
                    count += crosses(link, router) ? 1 : 0;
                }
            }
        return count;
    }

    const Graph& graph_;
    QRectF room_;
    QSizeF size_;
    std::vector<QPoint> cells_;
    std::vector<QPointF> gateways_;
    std::set<std::pair<int, int>> taken_;
};

}  // namespace

QSizeF router_room(const MeshParts& parts) {
    const Graph graph = graph_of(parts);
    if (graph.routers == 0) return {2 * cell_width, 0};
    const auto longest = static_cast<double>(longest_way(graph));
    const double places = static_cast<double>(graph.routers) * room_factor;
    const double columns = std::max(std::min(longest + 0.5, std::sqrt(places) * 2), std::sqrt(places));
    const double rows =
        std::max(static_cast<double>(std::min<std::size_t>(graph.parts, 8)) * 2, std::ceil(places / columns));
    return {columns * 2 * cell_width, rows * 2 * cell_height};
}

std::map<std::string, QRectF> place_routers(const MeshParts& parts, const std::map<std::string, QRectF>& gateways,
                                            const QRectF& room, QSizeF size) {
    const Graph graph = graph_of(parts);
    Grid grid(graph, gateways, room, size);
    grid.settle(relaxed(graph, gateways, room));
    grid.clear_links();
    std::map<std::string, QRectF> places;
    for (std::size_t i = 0; i < graph.routers; ++i) places[graph.names[i]] = grid.rect(i);
    return places;
}

}  // namespace divisi::topology
