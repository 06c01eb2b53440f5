// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>
#include <vector>

#include "app/panels/incident_table.h"

namespace divisi::panels {

/// Where the phases lie in a bar of `width` pixels: the first pixel of each, and behind them the end. By their times,
/// but none is thinner than a person sees.
std::vector<int> phase_edges(const std::vector<model::IncidentPhase>& phases, int width);

/// Paints an incident's phases as a bar: each with its own hatch, its colour, and its name where there is room.
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
