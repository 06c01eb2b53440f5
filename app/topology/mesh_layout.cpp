// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/topology/mesh_layout.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "app/topology/router_grid.h"

namespace divisi::topology {

namespace {

constexpr double node_width = 196, node_height = 78, device_width = 148, device_height = 78;
constexpr double gap = 12, mic_gap = 32, margin = 64;
/// Maximum number of MICs that are placed only to the left and right of the routers. More MICs are placed on all sides
/// of the routers.
constexpr std::size_t most_aside = 8;

enum class Side { left, right, top, bottom };

struct MicBox {
    std::string name;
    Side side = Side::left;
    QSizeF size;
};

/// Returns the number of nodes per row in a MIC. Small MICs are higher than wide; large MICs are nearly square.
std::size_t columns_of(std::size_t nodes) {
    return nodes <= 4 ? 1 : static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(nodes) / 2)));
}

bool aside(Side side) { return side == Side::left || side == Side::right; }

QSizeF nodes_size(std::size_t nodes) {
    if (nodes == 0) return {node_width / 2, 0};
    const std::size_t columns = columns_of(nodes), rows = (nodes + columns - 1) / columns;
    return {static_cast<double>(columns) * (node_width + gap) - gap,
            static_cast<double>(rows) * (node_height + gap) - gap};
}

QSizeF size_of(const MeshParts::Mic& mic, Side side) {
    const QSizeF inner = nodes_size(mic.nodes.size());
    double width = inner.width(), height = inner.height();
    if (!mic.gateway.empty() && aside(side)) {
        width += device_width;
        height = std::max(height, device_height);
    } else if (!mic.gateway.empty()) {
        width = std::max(width, device_width);
        height += device_height;
    }
    return {width + 2 * gap, height + title_height + gap};
}

/// Assigns the MICs in order to the sides: the first half to the left, the others to the right. More than most_aside
/// MICs are assigned clockwise to all four sides, from the lower left on.
std::vector<MicBox> sides(const MeshParts& parts) {
    std::vector<MicBox> boxes;
    const std::size_t count = parts.mics.size();
    const std::size_t each = count <= most_aside ? (count + 1) / 2 : std::max<std::size_t>(2, count / 5);
    const std::size_t above = count <= most_aside ? 0 : (count - 2 * each + 1) / 2;
    for (const auto& [name, mic] : parts.mics) {
        const std::size_t i = boxes.size();
        const Side side = i < each               ? Side::left
                          : i < each + above     ? Side::top
                          : i < 2 * each + above ? Side::right
                                                 : Side::bottom;
        boxes.push_back({name, side, size_of(mic, side)});
    }
    return boxes;
}

/// Returns the length of a row or column of boxes.
double length_of(const std::vector<const MicBox*>& boxes, bool down) {
    double length = boxes.empty() ? 0 : -mic_gap;
    for (const MicBox* box : boxes) length += mic_gap + (down ? box->size.height() : box->size.width());
    return length;
}

/// Places the nodes and the gateway inside a MIC. The gateway touches the border of its MIC, so that links start
/// outside.
void fill(MeshLayout& layout, const MeshParts::Mic& mic, const QRectF& rect, Side side) {
    QRectF inner = rect.adjusted(gap, title_height, -gap, -gap);
    if (!mic.gateway.empty()) {
        QRectF place(0, 0, device_width, device_height);
        place.moveCenter(inner.center());
        if (side == Side::left) place.moveRight(rect.right());
        if (side == Side::right) place.moveLeft(rect.left());
        if (side == Side::top) place.moveBottom(rect.bottom());
        if (side == Side::bottom) place.moveTop(inner.top());
        layout.devices[mic.gateway] = place;
        if (side == Side::right) inner.setLeft(place.right() + gap);
        if (side == Side::bottom) inner.setTop(place.bottom() + gap);
    }
    const std::size_t columns = columns_of(mic.nodes.size());
    std::size_t i = 0;
    for (const std::string& node : mic.nodes) {
        const std::size_t line = i / columns;
        const auto column = static_cast<double>(i % columns), row = static_cast<double>(line);
        layout.nodes[node] = QRectF(inner.left() + column * (node_width + gap), inner.top() + row * (node_height + gap),
                                    node_width, node_height);
        ++i;
    }
}

/// Places MICs row by row. Used if there are no routers and gateways.
void place_rows(MeshLayout& layout, const MeshParts& parts) {
    const auto columns = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(parts.mics.size()) * 1.5)));
    double x = 0, y = 0, deepest = 0;
    std::size_t i = 0;
    for (const auto& [name, mic] : parts.mics) {
        if (i > 0 && i % columns == 0) x = 0, y += deepest + mic_gap, deepest = 0;
        const QRectF rect(QPointF(x, y), size_of(mic, Side::left));
        layout.mics[name] = rect;
        fill(layout, mic, rect, Side::left);
        x = rect.right() + mic_gap;
        deepest = std::max(deepest, rect.height());
        ++i;
    }
}

/// Spreads boxes along one side of `inside`.
void place_side(MeshLayout& layout, const MeshParts& parts, const std::vector<const MicBox*>& boxes, Side side,
                const QRectF& inside) {
    const bool down = aside(side);
    if (boxes.empty()) return;
    const double room = down ? inside.height() : inside.width();
    const double spare = std::max(0.0, room - length_of(boxes, down)) / static_cast<double>(boxes.size());
    double at = (down ? inside.top() : inside.left()) + std::min(0.0, room - length_of(boxes, down)) / 2 + spare / 2;
    for (const MicBox* box : boxes) {
        QRectF rect(QPointF(), box->size);
        if (down) rect.moveTop(at);
        else rect.moveLeft(at);
        if (side == Side::left) rect.moveRight(inside.left() - margin);
        if (side == Side::right) rect.moveLeft(inside.right() + margin);
        if (side == Side::top) rect.moveBottom(inside.top() - margin);
        if (side == Side::bottom) rect.moveTop(inside.bottom() + margin);
        layout.mics[box->name] = rect;
        fill(layout, parts.mics.at(box->name), rect, side);
        at += mic_gap + spare + (down ? rect.height() : rect.width());
    }
}

void place_around(MeshLayout& layout, const MeshParts& parts) {
    const std::vector<MicBox> boxes = sides(parts);
    std::map<Side, std::vector<const MicBox*>> by_side;
    for (const MicBox& box : boxes) by_side[box.side].push_back(&box);
    std::ranges::reverse(by_side[Side::left]);    // clockwise means upward on the left side
    std::ranges::reverse(by_side[Side::bottom]);  // clockwise means leftward at the bottom
    if (by_side[Side::top].empty()) std::ranges::reverse(by_side[Side::left]);
    const QSizeF least(std::max(length_of(by_side[Side::top], false), length_of(by_side[Side::bottom], false)),
                       std::max(length_of(by_side[Side::left], true), length_of(by_side[Side::right], true)));
    const QSizeF room = router_room(parts).expandedTo(least);
    const QRectF inside(QPointF(0, 0), room);
    for (const auto& [side, those] : by_side) place_side(layout, parts, those, side, inside);
    for (const auto& [router, place] : place_routers(parts, layout.devices, inside, {device_width, device_height}))
        layout.devices[router] = place;
}

void move_mic(MeshLayout& layout, const MeshParts::Mic& mic, QRectF& rect, QPointF centre) {
    const QPointF by = centre - rect.center();
    rect.translate(by);
    for (const std::string& node : mic.nodes) layout.nodes.at(node).translate(by);
    if (!mic.gateway.empty()) layout.devices.at(mic.gateway).translate(by);
}

void set_bounds(MeshLayout& layout) {
    layout.bounds = {};
    for (const auto& [name, rect] : layout.mics) layout.bounds |= rect;
    for (const auto& [name, rect] : layout.devices) layout.bounds |= rect;
}

}  // namespace

MeshLayout arrange(const MeshParts& parts) {
    MeshLayout layout;
    const bool mesh = !parts.routers.empty() ||
                      std::ranges::any_of(parts.mics, [](const auto& entry) { return !entry.second.gateway.empty(); });
    if (mesh) place_around(layout, parts);
    else place_rows(layout, parts);
    set_bounds(layout);
    return layout;
}

MeshLayout moved(MeshLayout layout, const MeshParts& parts, const Dragged& dragged) {
    for (const auto& [name, centre] : dragged.mics)
        if (const auto mic = layout.mics.find(name); mic != layout.mics.end())
            move_mic(layout, parts.mics.at(name), mic->second, centre);
    for (const auto& [name, centre] : dragged.routers)
        if (parts.routers.contains(name)) layout.devices.at(name).moveCenter(centre);
    set_bounds(layout);
    return layout;
}

}  // namespace divisi::topology
