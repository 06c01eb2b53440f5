// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/faults/incident_table.h"

#include <QAbstractProxyModel>
#include <QApplication>
#include <QPainter>
#include <algorithm>

#include "app/client/refusal_text.h"
#include "app/model/tracking/selection.h"
#include "app/model/wording/colours.h"
#include "app/model/wording/sorted_rows.h"

namespace divisi::panels {
namespace {

constexpr int thinnest = 8;           ///< minimum width of a phase in pixels
constexpr int margin = 3, inset = 4;  ///< margin around the bar; inset of a name within its phase
constexpr int shortest_name = 28;     ///< minimum width for a name; a narrower phase shows no name

void paint_phase(QPainter& painter, const QRect& box, const model::IncidentPhase& phase,
                 const model::Colours& colours) {
    const QColor colour = model::segment_colour(phase.kind, colours);
    painter.fillRect(box, model::mixed(colours.surface, colour, 0.25));
    QColor hatch = colour;
    hatch.setAlphaF(0.35F);
    painter.fillRect(box, QBrush(hatch, model::segment_pattern(phase.kind)));
    painter.setPen(colour);
    painter.drawLine(box.topLeft(), box.bottomLeft());
    const QRect inner = box.adjusted(inset, 0, -inset, 0);
    if (inner.width() < shortest_name) return;
    painter.setPen(colours.text);
    painter.drawText(inner, Qt::AlignVCenter | Qt::AlignLeft,
                     painter.fontMetrics().elidedText(model::phase_text(phase), Qt::ElideRight, inner.width()));
}

}  // namespace

void IncidentTable::show(const client::ClusterData& data, const TaskId& of) {
    std::vector<Row> rows;
    const auto& all = data.incidents.all();
    for (auto one = all.rbegin(); one != all.rend(); ++one)
        if (of.value().empty() || one->task == of) rows.push_back({*one, model::phases_of(*one, data.state.time)});
    if (rows == rows_) return;
    const auto number = [](const Row& row) { return row.incident.number; };
    const bool same = std::ranges::equal(rows, rows_, {}, number, number);
    if (!same) beginResetModel();
    rows_ = std::move(rows);
    if (!same) endResetModel();
    else Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, column_count - 1));
}

int IncidentTable::row_of(std::uint64_t number) const {
    const auto found = std::ranges::find(rows_, number, [](const Row& row) { return row.incident.number; });
    return found == rows_.end() ? -1 : static_cast<int>(found - rows_.begin());
}

int IncidentTable::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int IncidentTable::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : column_count; }

QString IncidentTable::text(const Row& row, int column) const {
    switch (column) {
        case when: return model::date_text(row.incident.fault_time);
        case task: return QString::fromStdString(row.incident.task.value());
        case whose: return model::whose_fault(row.incident);
        case what: return client::quoted(row.incident.fault).simplified();
        case answer: return model::look_of(row.incident, *colours_).text();
        case again: return model::replayed_text(row.incident);
        case phases: return model::phases_text(row.phases);
        default: return {};
    }
}

/// Returns the sort key of a cell; invalid: sort by its text.
QVariant IncidentTable::key(const Row& row, int column) {
    switch (column) {
        case when: return QVariant::fromValue<qlonglong>(row.incident.fault_time.time_since_epoch().count());
        case again: {
            const auto steps = row.incident.replayed();
            return steps ? QVariant(static_cast<double>(*steps)) : QVariant();
        }
        case phases: return row.phases.empty() ? 0.0 : row.phases.back().end_s;
        default: return {};
    }
}

QVariant IncidentTable::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Row& row = rows_[static_cast<std::size_t>(index.row())];
    const int column = index.column();
    if (role == model::SortedRows::key_role) return key(row, column);
    if (role == model::time_role) return model::time_key(row.incident.fault_time);
    if (role == model::about_role)
        return QVariant::fromValue(model::things_of(row.incident.culprit, row.incident.node, row.incident.task));
    if (role == Qt::ForegroundRole && column == answer) return model::look_of(row.incident, *colours_).colour;
    if (role == Qt::TextAlignmentRole && column == again) return int{Qt::AlignRight | Qt::AlignVCenter};
    if (role == Qt::ToolTipRole && column == answer)
        if (const QString why = model::answer_text(row.incident); !why.isEmpty()) return why;
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole && role != Qt::AccessibleTextRole) return {};
    return text(row, column);
}

QVariant IncidentTable::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole && section == again) return int{Qt::AlignRight | Qt::AlignVCenter};
    if (role == Qt::ToolTipRole && section == again) return tr("Steps that the task repeats");
    if (role == Qt::ToolTipRole && section == phases)
        return tr("Time from the fault until the task had caught up; each row has its own scale");
    if (role != Qt::DisplayRole) return {};
    switch (section) {
        case when: return tr("When");
        case task: return tr("Task");
        case whose: return tr("Failed part");
        case what: return tr("What happened");
        case answer: return tr("Answer");
        case again: return tr("Repeated steps");
        case phases: return tr("Phases");
        default: return {};
    }
}

std::vector<int> phase_edges(const std::vector<model::IncidentPhase>& phases, int width) {
    std::vector<int> edges{0};
    if (phases.empty()) return edges;
    const int count = static_cast<int>(phases.size());
    const int least = std::min(thinnest, width / count);
    const double all = phases.back().end_s, free = width - least * count;
    for (int i = 0; i < count; ++i) {
        const double share = all > 0 ? phases[static_cast<std::size_t>(i)].end_s / all : 1;
        edges.push_back(least * (i + 1) + static_cast<int>(free * share));
    }
    return edges;
}

void PhaseBar::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    QStyleOptionViewItem plain = option;
    initStyleOption(&plain, index);
    plain.text.clear();  // without the text, the base class paints only background, selection and focus
    const QStyle& style = plain.widget ? *plain.widget->style() : *QApplication::style();
    style.drawControl(QStyle::CE_ItemViewItem, &plain, painter, plain.widget);
    const model::Colours& colours = model::colours_of(option.palette);
    const QRect bar = option.rect.adjusted(margin, margin, -margin, -margin);
    const auto* sorted = qobject_cast<const QAbstractProxyModel*>(index.model());
    const auto& phases = table_.phases_at(sorted ? sorted->mapToSource(index).row() : index.row());
    const std::vector<int> edges = phase_edges(phases, bar.width());
    painter->save();
    painter->setFont(option.font);
    for (std::size_t i = 0; i < phases.size(); ++i)
        paint_phase(*painter, {bar.left() + edges[i], bar.top(), edges[i + 1] - edges[i], bar.height()}, phases[i],
                    colours);
    painter->restore();
}

}  // namespace divisi::panels

#include "moc_incident_table.cpp"
