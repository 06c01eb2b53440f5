// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QGridLayout>
#include <QPixmap>
#include <QRubberBand>
#include <QScrollArea>
#include <QStringList>
#include <QTimer>
#include <vector>

#include "app/charts/line_chart.h"
#include "app/charts/telemetry_lines.h"

namespace divisi::charts {

/// Contains all charts of the telemetry view, and arranges the charts that have data in as many columns as fit its
/// width. If the user drags a chart by its title onto another chart, the dragged chart takes that chart's position.
class ChartGrid : public QScrollArea {
    Q_OBJECT
public:
    /// Width in seconds of the x axis of charts by time, unless the user zooms.
    static constexpr double window_s = 120;

    explicit ChartGrid(QWidget* parent = nullptr);

    LineChart& chart(Chart which) { return *charts_[static_cast<std::size_t>(which)]; }
    const LineChart& chart(Chart which) const { return *charts_[static_cast<std::size_t>(which)]; }
    const LineChart& loss() const { return chart(Chart::loss); }
    const LineChart& busy() const { return chart(Chart::busy); }
    /// Returns every chart, in the order set by the user.
    const std::vector<Chart>& charts() const { return order_; }
    /// Returns whether the chart is in the grid.
    bool is_placed(Chart which) const;
    /// Shows these charts and hides all others. The shown charts keep the order set by the user.
    void place(const std::vector<Chart>& shown);
    /// Removes the lines of all charts, including charts that are scrolled out of sight.
    void clear();

    /// Reads and sets the order of the charts, by their ids. set_order() ignores unknown ids and appends unnamed charts
    /// in their usual order.
    QStringList order() const;
    void set_order(const QStringList& ids);

    /// Returns a picture of all charts in the grid, including those scrolled out of sight.
    QPixmap image() const { return page_->grab(); }
    /// Names the charts in the current language.
    void retranslate();

Q_SIGNALS:
    /// The user has moved a chart to another place.
    void orderChanged();
    /// The set of visible charts may have changed.
    void sightChanged();

protected:
    bool viewportEvent(QEvent* event) override;

private:
    void add_chart(Chart which);
    void connect_places(LineChart& chart);
    const LineChart* placed_under(const QPoint& global) const;
    void mark_place(const LineChart* target);
    void move_to_place_of(const LineChart& moved, const LineChart* target);
    void show_placed(const std::vector<LineChart*>& placed);
    void fit_rows();
    void arrange();

    QWidget* page_;
    QGridLayout* grid_;
    std::vector<LineChart*> charts_;  ///< indexed by Chart
    std::vector<Chart> order_;        ///< all charts, in the order set by the user
    std::vector<LineChart*> placed_;  ///< shown charts, in the order of the grid
    int placed_columns_ = 0;
    QRubberBand* place_mark_;  ///< frame around the drop target of a dragged chart
    QTimer placed_anew_;       ///< emits sightChanged() after the layout was updated
};

}  // namespace divisi::charts
