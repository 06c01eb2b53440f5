// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/unit_graph.h"

#include <algorithm>
#include <array>

namespace divisi::model {

namespace {

std::int32_t row_of(const QString& kind) {
    static const std::array rows{"load", "preprocess", "forward", "loss", "backward", "optimizer"};
    const auto found =
        std::find_if(rows.begin(), rows.end(), [&](const char* row) { return kind == QLatin1String(row); });
    return static_cast<std::int32_t>(found - rows.begin());
}

/// "gpt-1/stage-2/forward/0" -> 3; what is no stage's is data's.
std::int32_t column_of(const QString& sid) {
    for (const QString& part : sid.split(u'/'))
        if (part.startsWith(QStringLiteral("stage-"))) return part.mid(6).toInt() + 1;
    return 0;
}

bool same_units(const std::vector<UnitNode>& a, const std::vector<UnitNode>& b) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](const UnitNode& x, const UnitNode& y) {
               return x.sid == y.sid && x.depends_on == y.depends_on && x.instance == y.instance;
           });
}

}  // namespace

void UnitGraph::show_plan(const plan::TaskGraph& graph) {
    std::vector<UnitNode> units;
    for (const plan::Unit& unit : graph.units) {
        UnitNode node;
        node.sid = QString::fromStdString(unit.sid.value());
        node.kind = QString::fromLatin1(plan::to_string(unit.kind));
        node.column = unit.stage + 1;
        node.row = row_of(node.kind);
        units.push_back(std::move(node));
    }
    for (const plan::UnitEdge& edge : graph.edges) {
        std::vector<std::size_t>& depends_on = units[static_cast<std::size_t>(edge.to)].depends_on;
        const auto from = static_cast<std::size_t>(edge.from);
        if (std::find(depends_on.begin(), depends_on.end(), from) == depends_on.end()) depends_on.push_back(from);
    }
    set_units(std::move(units));
}

void UnitGraph::show_live(const std::vector<control::UnitView>& views) {
    std::map<std::string, std::size_t> positions;
    for (std::size_t i = 0; i < views.size(); ++i) positions[views[i].sid.value()] = i;
    std::vector<UnitNode> units;
    for (const control::UnitView& view : views) {
        UnitNode node;
        node.sid = QString::fromStdString(view.sid.value());
        node.kind = QString::fromStdString(view.kind);
        node.instance = QString::fromStdString(view.instance.value());
        node.column = column_of(node.sid);
        node.row = row_of(node.kind);
        node.state = view.state;
        for (const Sid& sid : view.depends_on)
            if (const auto found = positions.find(sid.value()); found != positions.end())
                node.depends_on.push_back(found->second);
        units.push_back(std::move(node));
    }
    if (!why_none_.isEmpty() || !same_units(units_, units)) return set_units(std::move(units));
    bool changed = false;
    for (std::size_t i = 0; i < units.size(); ++i) changed |= units_[i].state != units[i].state;
    units_ = std::move(units);
    if (changed) Q_EMIT statesChanged();
}

void UnitGraph::set_state(const QString& sid, control::UnitState state) {
    for (UnitNode& unit : units_) {
        if (unit.sid != sid || unit.state == state) continue;
        unit.state = state;
        Q_EMIT statesChanged();
    }
}

void UnitGraph::clear(const QString& why) { set_units({}, why); }

void UnitGraph::set_units(std::vector<UnitNode> units, const QString& why_none) {
    why_none_ = why_none;
    units_ = std::move(units);
    Q_EMIT unitsChanged();
}

}  // namespace divisi::model
