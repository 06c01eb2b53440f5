// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>
#include <vector>

#include "app/panels/faults/incident_table.h"

namespace divisi::panels {

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
