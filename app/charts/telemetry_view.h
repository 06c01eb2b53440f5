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
#include "app/model/selection.h"
#include "app/model/telemetry.h"
#include "app/model/time_cursor.h"

namespace divisi::charts {

/// Curves of one task, live: its loss (of a multi-task training also of every head), speed and step time by step; what
/// its instances, the links of the mesh and the nodes do, by time. Charts of which nothing was told are not shown.
/// Charts of the same axis are zoomed as one, and one cursor stands in all of them. Those by time end at the moment
/// that is shown, which is now, whether anything came of late or not. A chart that is dragged by its title takes the
/// place of the one that it is dropped on. Refreshes only while it can be seen, at most twelve times a second.
class TelemetryView : public QWidget {
    Q_OBJECT
public:
    explicit TelemetryView(client::Client* client, QWidget* parent = nullptr);

    void show_task(const TaskId& task);
    /// From now on a click on a curve over steps selects the step, the charts mark a step that is selected, and the
    /// lines of the selected instance are drawn thicker, or of the one that runs the selected unit or block, or of
    /// the selected link or node.
    void use_selection(model::Selection& selection);
    /// From now on a click sets the moment that all views show, and the charts show it. The cursor must outlive the
    /// view.
    void use_cursor(model::TimeCursor& cursor);
    /// The range of steps that somebody has zoomed to; empty while all are shown.
    std::optional<std::pair<double, double>> shown_steps() const;
    /// Zooms to it as soon as that task is shown.
    void show_steps(const TaskId& task, std::pair<double, double> range);
    /// The charts by their ids, in the order in which they stand. Of what is set, ids that are none count for nothing,
    /// and charts that are not named follow in their usual order.
    QStringList order() const;
    void set_order(const QStringList& ids);
    const LineChart& loss() const { return *chart(Chart::loss); }
    const LineChart& busy() const { return *chart(Chart::busy); }
    const LineChart* chart(Chart chart) const { return charts_[static_cast<std::size_t>(chart)]; }
    const model::Telemetry& telemetry() const { return telemetry_; }
    /// Whether the charts by time show all of it and not its end alone, where nobody zooms.
    bool whole() const { return whole_; }

    /// What is shown, in files. Values are written beside the window, one file at a time, and a sentence in the view
    /// says when they are or why not; an image fails with one.
    void save_csv(const QString& file);
    Result<void> save_image(const QString& file);
    const CurveExport& csv_export() const { return export_; }

Q_SIGNALS:
    /// Somebody has put a chart in another place.
    void orderChanged();
    /// Somebody has zoomed or moved the charts over steps.
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
    /// Of the charts those that can be seen, or all.
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
    std::optional<std::pair<TaskId, std::pair<double, double>>> wanted_steps_;  ///< of a task that is not shown yet
    std::vector<TaskId> others_;                                                ///< to compare with
    model::Selected selected_;
    bool whole_ = false;
    double edge_ = 0;  ///< of the window of the charts by time, in seconds since the epoch
    QStackedLayout* stack_;
    QLabel* empty_;
    QWidget* filled_;
    QLabel *problem_, *saved_, *left_out_, *with_;
    QToolButton* compare_;
    QPushButton *all_, *csv_, *image_;
    QScrollArea* scroll_;
    QWidget* page_;
    QGridLayout* grid_;
    std::vector<LineChart*> charts_;  ///< by Chart
    std::vector<Chart> order_;        ///< all of them
    QRubberBand* place_mark_;         ///< around the chart whose place a dragged one would take
    std::vector<LineChart*> placed_;  ///< in the grid, in this order
    int placed_columns_ = 0;
    CurveExport export_;
    QTimer passing_;      ///< time passes, whether anything comes or not
    QTimer placed_anew_;  ///< charts may have come into sight
};

}  // namespace divisi::charts
