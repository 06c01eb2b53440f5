// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QStyledItemDelegate>
#include <vector>

#include "app/client/client.h"
#include "app/model/wording/incident_text.h"

namespace divisi::panels {

/// A model of the incidents of one task or of all, newest first.
class IncidentTable : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { when, task, whose, what, answer, again, phases, column_count };

    using QAbstractTableModel::QAbstractTableModel;

    /// Shows the incidents of the task `of`; empty: of all tasks.
    void show(const client::ClusterData& data, const TaskId& of);
    void set_colours(const model::Colours& colours) { colours_ = &colours; }

    const control::Incident& at(int row) const { return rows_[static_cast<std::size_t>(row)].incident; }
    const std::vector<model::IncidentPhase>& phases_at(int row) const {
        return rows_[static_cast<std::size_t>(row)].phases;
    }
    /// Returns the row of an incident number; -1 if it is not shown.
    int row_of(std::uint64_t number) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Row {
        control::Incident incident;
        std::vector<model::IncidentPhase> phases;
        bool operator==(const Row&) const = default;
    };
    QString text(const Row& row, int column) const;
    static QVariant key(const Row& row, int column);

    std::vector<Row> rows_;
    const model::Colours* colours_ = &model::dark_colours();
};

/// Returns the first pixel of each phase in a bar of `width` pixels, followed by the end. Widths are proportional to
/// time, but each phase has a minimum width.
std::vector<int> phase_edges(const std::vector<model::IncidentPhase>& phases, int width);

/// Paints an incident's phases as a bar. Each phase is shown by its hatch, its colour and, if it fits, its name.
class PhaseBar : public QStyledItemDelegate {
    Q_OBJECT
public:
    explicit PhaseBar(const IncidentTable& table, QObject* parent = nullptr)
        : QStyledItemDelegate(parent), table_(table) {}

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    const IncidentTable& table_;
};

}  // namespace divisi::panels
