// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <QMenu>
#include <QPoint>

#include "app/charts/chart_cursor.h"
#include "app/charts/export_bar.h"
#include "app/charts/selection_mark.h"
#include "app/charts/zoom_ranges.h"

namespace divisi::charts {

/// Opens the context menu of a telemetry chart, for the right button or the menu key.
class ChartMenu {
    Q_DECLARE_TR_FUNCTIONS(divisi::charts::ChartMenu)
public:
    /// The objects that the entries of the menu query and change. All of these objects must outlive the open menus.
    struct Parts {
        ChartGrid& grid;
        ZoomRanges& zoom;
        const ChartCursor& cursor;
        const SelectionMark& mark;
        ExportBar& exports;
    };
    explicit ChartMenu(const Parts& parts) : parts_(parts) {}

    /// Opens the menu of a chart at a position of the screen. `x` is the position on the chart's x axis. `view` owns
    /// the menu.
    void open(QWidget& view, Chart which, const QPoint& global, double x) const;

private:
    void add_here(QMenu& menu, Chart which, double x) const;
    void add_zoom(QMenu& menu, Chart which, double x) const;

    Parts parts_;
};

}  // namespace divisi::charts
