// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QStackedLayout>
#include <QTimer>
#include <QWidget>
#include <vector>

#include "app/charts/chart_cursor.h"
#include "app/charts/chart_grid.h"
#include "app/charts/chart_menu.h"
#include "app/charts/compare_menu.h"
#include "app/charts/export_bar.h"
#include "app/charts/selection_mark.h"
#include "app/charts/telemetry_headings.h"
#include "app/charts/telemetry_lines.h"
#include "app/charts/telemetry_notices.h"
#include "app/charts/time_edge.h"
#include "app/charts/zoom_ranges.h"
#include "app/client/client.h"
#include "app/model/tracking/telemetry.h"

namespace divisi::charts {

/// Shows the curves of one task, live. Charts by step show its loss (for multi-task training also per head), its speed
/// and its step time. Charts by time show its instances, the links of the mesh and the nodes. Charts without data are
/// hidden. The lines of the selected instance, link or node are drawn thicker. If a unit or block is selected, its
/// instance counts as selected.
///
/// The view passes data and signals to its parts, each of which has its own state. Charts by time end at the displayed
/// time, which is normally now, even if no report has arrived lately. Refreshes only while visible, at most twelve
/// times a second.
class TelemetryView : public QWidget {
    Q_OBJECT
public:
    explicit TelemetryView(client::Client* client, QWidget* parent = nullptr);

    void show_task(const TaskId& task);
    const model::Telemetry& telemetry() const { return telemetry_; }

    ChartGrid& grid() { return *grid_; }
    const ChartGrid& grid() const { return *grid_; }
    ZoomRanges& zoom() { return zoom_; }
    const ZoomRanges& zoom() const { return zoom_; }
    ChartCursor& chart_cursor() { return cursor_; }
    SelectionMark& mark() { return mark_; }
    ExportBar& exports() { return *exports_; }

protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void build();
    void connect_parts();
    /// The charts to refresh: only the visible ones, or all.
    enum class Which { seen, all };
    void refresh();
    void show_state(Which which);
    void show_charts(const control::TaskView& task, Which which);
    void show_chart(Chart chart, const control::TaskView& task, std::vector<LineChart::Line> lines, double from,
                    Which which);
    std::vector<LineChart::Start> starts_of(const control::TaskView& task) const;
    void offer_others();
    void show_empty(const QString& text);
    void show_selection();
    void pass();
    void retranslate();

    client::Client* client_;
    model::Telemetry telemetry_;
    TelemetryLines source_;
    TelemetryHeadings headings_;
    TaskAxes axes_;
    TimeEdge edge_{ChartGrid::window_s};
    QStackedLayout* stack_;
    QLabel* empty_;
    QWidget* filled_;
    QLabel* with_;
    CompareMenu* compare_;
    QPushButton* all_;
    TelemetryNotices* notices_;
    ChartGrid* grid_;
    ExportBar* exports_;
    ZoomRanges zoom_;
    ChartCursor cursor_;
    SelectionMark mark_;  ///< declared after the cursor, so that a click first sets the time, then selects the step
    ChartMenu menu_;
    QTimer passing_;  ///< refreshes the charts even if no report arrives
};

}  // namespace divisi::charts
