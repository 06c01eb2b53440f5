// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QGridLayout>
#include <QLabel>
#include <QMenu>
#include <QPointer>
#include <QPushButton>
#include <QRubberBand>
#include <QScrollArea>
#include <QStackedLayout>
#include <QStringList>
#include <QTimer>
#include <QToolButton>
#include <QWidget>
#include <functional>
#include <optional>
#include <vector>

#include "app/charts/curve_export.h"
#include "app/charts/line_chart.h"
#include "app/charts/telemetry_headings.h"
#include "app/charts/telemetry_lines.h"
#include "app/client/client.h"
#include "app/model/tracking/selection.h"
#include "app/model/tracking/telemetry.h"
#include "app/model/tracking/time_cursor.h"

namespace divisi::charts {

/// Shows the curves of one task, live. Charts by step show its loss (for multi-task training also per head), its speed
/// and its step time. Charts by time show its instances, the links of the mesh and the nodes. Charts without data are
/// hidden.
///
/// Charts with the same kind of axis zoom together, and one cursor is shown in all of them. Charts by time end at the
/// shown moment, which is normally now, even if no report has come lately. A chart dragged by its title takes the place
/// of the chart it is dropped on. Refreshes only while visible, at most twelve times a second.
class TelemetryView : public QWidget {
    Q_OBJECT
public:
    explicit TelemetryView(client::Client* client, QWidget* parent = nullptr);

    void show_task(const TaskId& task);
    /// Connects the selection. A click on a curve over steps selects the step, and the charts mark the selected step.
    /// The lines of the selected instance, link or node are drawn thicker. If a unit or block is selected, the instance
    /// that runs it counts as selected.
    void use_selection(model::Selection& selection);
    /// Connects the cursor. A click sets the moment that all views show, and the charts show that moment. The cursor
    /// must outlive the view.
    void use_cursor(model::TimeCursor& cursor);
    /// Returns the range of steps the user has zoomed to; empty while all steps are shown.
    std::optional<std::pair<double, double>> shown_steps() const;
    /// Zooms to the range as soon as this task is shown.
    void show_steps(const TaskId& task, std::pair<double, double> range);
    /// Reads and sets the order of the charts, by their ids. set_order() ignores unknown ids and appends unnamed charts
    /// in their usual order.
    QStringList order() const;
    void set_order(const QStringList& ids);
    const LineChart& loss() const { return *chart(Chart::loss); }
    const LineChart& busy() const { return *chart(Chart::busy); }
    const LineChart* chart(Chart chart) const { return charts_[static_cast<std::size_t>(chart)]; }
    const model::Telemetry& telemetry() const { return telemetry_; }
    /// Returns whether the charts by time show everything, not only the end, when not zoomed.
    bool whole() const { return whole_; }

    /// Saves what is shown to a file. Values are written in the background, one file at a time, and the view reports
    /// completion or the error. An image is written at once, and the error is returned.
    void save_csv(const QString& file);
    Result<void> save_image(const QString& file);
    const CurveExport& csv_export() const { return export_; }

Q_SIGNALS:
    /// The user has moved a chart to another place.
    void orderChanged();
    /// The user has zoomed or panned the charts over steps.
    void stepsChosen();

protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void build();
    void connect_charts();
    void connect_exports();
    void connect_places(LineChart& chart);
    const LineChart* placed_under(const QPoint& global) const;
    void mark_place(const LineChart* target);
    void move_to_place_of(const LineChart& moved, const LineChart* target);
    /// Selects the visible charts, or all.
    enum class Which { seen, all };
    void refresh();
    void show_state(Which which);
    void show_charts(const control::TaskView& task, Which which);
    void show_chart(Chart chart, const control::TaskView& task, std::vector<LineChart::Line> lines, double from,
                    Which which);
    ShownMoment shown() const;
    void move_edge();
    std::optional<double> edge_of(Chart chart, const control::TaskView& task, const std::vector<LineChart::Line>& lines,
                                  double from) const;
    std::vector<LineChart::Start> starts_of(const control::TaskView& task) const;
    void show_others();
    void choose_others(const std::vector<TaskId>& others);
    void name_others();
    void show_left_out();
    void show_empty(const QString& text);
    void fit_rows();
    void arrange();
    void zoom_all(bool by_step, std::optional<std::pair<double, double>> range);
    void choose_range(bool by_step, std::optional<std::pair<double, double>> range);
    void show_whole(bool whole);
    void show_all_state();
    void show_cursor(bool by_step, std::optional<double> x);
    void show_moment();
    void follow_moment();
    void mark(const model::Selected& what);
    void show_mark();
    void open_menu(Chart which, const QPoint& global, double x);
    void add_zoom(QMenu& menu, Chart which, double x);
    void add_here(QMenu& menu, Chart which, double x);
    void select_step(double x);
    void pick_moment(bool by_step, double x);
    double origin() const;
    void pass();
    void choose_file(const QString& title, const QString& filter, const char* suffix,
                     std::function<void(const QString&)> save);
    std::vector<CurveExport::Part> exported_parts() const;
    void show_saved(const QString& sentence);
    void show_problem(const QString& sentence);
    void name_export();
    void retranslate();

    client::Client* client_;
    model::Telemetry telemetry_;
    TelemetryLines source_;
    TelemetryHeadings headings_;
    QPointer<model::TimeCursor> moment_;
    QPointer<model::Selection> selection_;
    TaskId task_;
    /// range for a task that is not shown yet
    std::optional<std::pair<TaskId, std::pair<double, double>>> wanted_steps_;
    std::vector<TaskId> others_;  ///< tasks to compare with
    model::Selected selected_;
    bool whole_ = false;
    double edge_ = 0;  ///< right edge of the charts by time, in seconds since the epoch
    QStackedLayout* stack_;
    QLabel* empty_;
    QWidget* filled_;
    QLabel *problem_, *saved_, *left_out_, *with_;
    QToolButton* compare_;
    QPushButton *all_, *csv_, *image_;
    QScrollArea* scroll_;
    QWidget* page_;
    QGridLayout* grid_;
    std::vector<LineChart*> charts_;  ///< indexed by Chart
    std::vector<Chart> order_;        ///< contains every chart
    QRubberBand* place_mark_;         ///< around the drop target of a dragged chart
    std::vector<LineChart*> placed_;  ///< charts in the grid, in this order
    int placed_columns_ = 0;
    CurveExport export_;
    QTimer passing_;      ///< refreshes even if no report comes
    QTimer placed_anew_;  ///< charts may have become visible
};

}  // namespace divisi::charts
