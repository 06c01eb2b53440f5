// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/tracking/unit_graph.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <algorithm>
#include <array>
#include <set>

namespace divisi::model {

namespace {

struct Works {
    Q_DECLARE_TR_FUNCTIONS(divisi::model::Works)
};

std::int32_t row_of(const QString& kind) {
    static const std::array rows{"load", "preprocess", "forward", "loss", "backward", "optimizer"};
    const auto found =
        std::find_if(rows.begin(), rows.end(), [&](const char* row) { return kind == QLatin1String(row); });
    return static_cast<std::int32_t>(found - rows.begin());
}

/// Returns the column of a unit: "gpt-1/stage-2/forward/0" -> 3. A unit that belongs to no stage is in the data column.
std::int32_t column_of(const QString& sid) {
    for (const QString& part : sid.split(u'/'))
        if (part.startsWith(QStringLiteral("stage-"))) return part.mid(6).toInt() + 1;
    return 0;
}

/// Returns the kind of unit to which an operation is assigned: its first word or, if no kind of unit has this name, a
/// kind of unit on the same instance.
QString kind_of_operation(const std::string& operation) {
    const QString word = QString::fromStdString(operation).section(u' ', 0, 0);
    if (word == QStringLiteral("evaluate")) return QStringLiteral("forward");
    if (word == QStringLiteral("share") || word == QStringLiteral("finish")) return QStringLiteral("optimizer");
    if (word == QStringLiteral("data")) return QStringLiteral("preprocess");
    return word;
}

/// Returns the report of the unit's instance; null if there is none. A stopped or failed unit has no current report.
const control::InstanceLoad* load_of(const UnitNode& unit, const UnitGraph::Loads& loads) {
    if (unit.state != control::UnitState::running || unit.instance.isEmpty()) return nullptr;
    const auto load = loads.find(InstanceId(unit.instance.toStdString()));
    if (load == loads.end()) return nullptr;
    const bool says = !load->second.operation.empty() || !load->second.waits_for.empty();
    return says ? &load->second : nullptr;
}

using Edges = std::vector<std::pair<std::size_t, std::size_t>>;

/// Returns the edges from units of one instance to units of another, the sender first.
Edges edges_between(const std::vector<UnitNode>& units, const InstanceId& from, const InstanceId& to) {
    Edges edges;
    const QString sender = QString::fromStdString(from.value()), taker = QString::fromStdString(to.value());
    for (std::size_t unit = 0; unit < units.size(); ++unit)
        for (const std::size_t before : units[unit].depends_on)
            if (units[unit].instance == taker && units[before].instance == sender) edges.emplace_back(before, unit);
    return edges;
}

/// If some edges start at a unit of a stage, keeps only these edges. An instance may also read the data, but other
/// instances then wait for its tensors, not for its data.
Edges of_stages(const std::vector<UnitNode>& units, Edges edges) {
    const auto reads = [&](const auto& edge) { return units[edge.first].column == 0; };
    if (!std::ranges::all_of(edges, reads)) std::erase_if(edges, reads);
    return edges;
}

/// Marks the units that wait, and returns the edges for which they wait. A unit waits if it reads a tensor of the
/// awaited instance. If no unit of the waiting instance reads one, its units that send to the awaited instance wait,
/// because the awaited instance has no free slot.
Edges put_waits(std::vector<UnitNode>& units, const UnitGraph::Loads& loads) {
    Edges all;
    const auto wait = [&](std::size_t at, const InstanceId& other) {
        const control::InstanceLoad* load = load_of(units[at], loads);
        if (!load) return false;
        UnitWork& work = units[at].work;
        work.kind = UnitWork::Kind::waits;
        work.ms = load->waits_ms;
        if (std::ranges::find(work.waits_for, other) == work.waits_for.end()) work.waits_for.push_back(other);
        return true;
    };
    for (const auto& [instance, load] : loads) {
        if (!load.operation.empty()) continue;
        for (const InstanceId& other : load.waits_for) {
            const Edges inputs = of_stages(units, edges_between(units, other, instance));
            for (const auto& [from, to] : inputs.empty() ? edges_between(units, instance, other) : inputs)
                if (wait(inputs.empty() ? from : to, other)) all.emplace_back(from, to);
        }
    }
    return all;
}

/// Assigns the reported work to units. An instance reports one operation, or the instances for which it waits; its
/// other units are then idle. If the report matches none of the instance's units, it applies to all of them.
void put_work(std::vector<UnitNode>& units, const UnitGraph::Loads& loads) {
    std::set<QString> placed;  // instances whose work is assigned to a unit
    for (UnitNode& unit : units) {
        const control::InstanceLoad* load = load_of(unit, loads);
        if (load && kind_of_operation(load->operation) == unit.kind)
            unit.work = {UnitWork::Kind::works, load->operation, {}, load->operation_ms};
        if (unit.work.kind != UnitWork::Kind::untold) placed.insert(unit.instance);
    }
    for (UnitNode& unit : units) {
        const control::InstanceLoad* load = load_of(unit, loads);
        if (!load || unit.work.kind != UnitWork::Kind::untold) continue;
        const bool works = !load->operation.empty();
        if (placed.contains(unit.instance)) unit.work.kind = UnitWork::Kind::idle;
        else if (works) unit.work = {UnitWork::Kind::works, load->operation, {}, load->operation_ms};
        else unit.work = {UnitWork::Kind::waits, {}, load->waits_for, load->waits_ms};
    }
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

QString operation_text(const std::string& operation) {
    static const QRegularExpression form(QStringLiteral("^([a-z ]+?)(?: of micro-batch (\\d+))?, step (\\d+)$"));
    const QString told = QString::fromStdString(operation);
    const QRegularExpressionMatch match = form.match(told);
    const QString what = match.captured(1), batch = match.captured(2), step = match.captured(3);
    if (what == QStringLiteral("load")) return Works::tr("load micro-batch %1 of step %2").arg(batch, step);
    if (what == QStringLiteral("preprocess")) return Works::tr("preprocess micro-batch %1 of step %2").arg(batch, step);
    if (what == QStringLiteral("data")) return Works::tr("data %1 of step %2").arg(batch, step);
    if (what == QStringLiteral("forward")) return Works::tr("forward %1 of step %2").arg(batch, step);
    if (what == QStringLiteral("backward")) return Works::tr("backward %1 of step %2").arg(batch, step);
    if (what == QStringLiteral("evaluate")) return Works::tr("evaluate micro-batch %1 of step %2").arg(batch, step);
    if (what == QStringLiteral("share gradients")) return Works::tr("share gradients of step %1").arg(step);
    if (what == QStringLiteral("finish gradients")) return Works::tr("finish gradients of step %1").arg(step);
    if (what == QStringLiteral("optimizer")) return Works::tr("optimizer of step %1").arg(step);
    return told;
}

QString UnitGraph::name_of(const InstanceId& instance) const {
    const QString id = QString::fromStdString(instance.value());
    // An instance of the first stage may also read the data. It is named after the stage, not after the data.
    const auto is_stage = [&](const UnitNode& unit) { return unit.instance == id && unit.column > 0; };
    auto own = std::ranges::find_if(units_, is_stage);
    if (own == units_.end()) own = std::ranges::find(units_, id, &UnitNode::instance);
    if (own == units_.end()) return id;
    const bool alone = std::ranges::all_of(
        units_, [&](const UnitNode& unit) { return unit.column != own->column || unit.instance == id; });
    const QString place = own->column == 0 ? Works::tr("Data") : Works::tr("Stage %1").arg(own->column);
    return alone ? place : place + QStringLiteral(" (") + id.section(u'/', -1) + u')';
}

void UnitGraph::show_live(const std::vector<control::UnitView>& views, const Loads& loads, bool broken_off) {
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
        node.stopped = broken_off && view.state == control::UnitState::done;
        for (const Sid& sid : view.depends_on)
            if (const auto found = positions.find(sid.value()); found != positions.end())
                node.depends_on.push_back(found->second);
        units.push_back(std::move(node));
    }
    Edges awaited = put_waits(units, loads);
    put_work(units, loads);
    if (!why_none_.isEmpty() || !same_units(units_, units)) return set_units(std::move(units), {}, std::move(awaited));
    bool changed = false;
    for (std::size_t i = 0; i < units.size(); ++i)
        changed |= units_[i].state != units[i].state || units_[i].stopped != units[i].stopped ||
                   units_[i].work != units[i].work;
    units_ = std::move(units);
    awaited_ = std::move(awaited);
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

void UnitGraph::set_units(std::vector<UnitNode> units, const QString& why_none, Edges awaited) {
    why_none_ = why_none;
    awaited_ = std::move(awaited);
    units_ = std::move(units);
    Q_EMIT unitsChanged();
}

}  // namespace divisi::model

#include "moc_unit_graph.cpp"
