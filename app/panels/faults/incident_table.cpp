// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/faults/incident_table.h"

#include <algorithm>

#include "app/client/refusal_text.h"
#include "app/model/tracking/selection.h"
#include "app/model/wording/sorted_rows.h"

namespace divisi::panels {

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

}  // namespace divisi::panels

#include "moc_incident_table.cpp"
