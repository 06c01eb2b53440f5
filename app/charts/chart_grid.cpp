// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/chart_grid.h"

#include <QEvent>
#include <QScrollBar>
#include <algorithm>

#include "app/model/wording/text_scale.h"

namespace divisi::charts {

namespace {

constexpr int least_width = 260, usual_height = 190;  ///< minimum width and usual height of a chart in pixels
constexpr int least_plot = 96, texts_height = 64;     ///< height of a plot with its axes; height of the heading and a
                                                      ///< legend of one row
constexpr int least_columns = 2, most_columns = 4;

}  // namespace

ChartGrid::ChartGrid(QWidget* parent)
    : QScrollArea(parent),
      page_(new QWidget(this)),
      grid_(new QGridLayout(page_)),
      place_mark_(new QRubberBand(QRubberBand::Rectangle, page_)) {
    page_->setObjectName(QStringLiteral("telemetryCharts"));
    place_mark_->hide();
    grid_->setContentsMargins(0, 0, 0, 0);
    grid_->setSpacing(0);
    setWidget(page_);
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    for (std::size_t i = 0; i < chart_count; ++i) add_chart(static_cast<Chart>(i));
    set_order({});
    connect(verticalScrollBar(), &QScrollBar::valueChanged, this, &ChartGrid::sightChanged);
    placed_anew_.setSingleShot(true);
    connect(&placed_anew_, &QTimer::timeout, this, &ChartGrid::sightChanged);
    retranslate();
}

void ChartGrid::add_chart(Chart which) {
    auto* chart = new LineChart(page_);
    chart->hide();
    if (!is_by_step(which)) chart->set_window(window_s);
    if (which == Chart::busy || which == Chart::wait || which == Chart::node_cpu) chart->set_fixed_y(0, 100, 25);
    connect_places(*chart);
    charts_.push_back(chart);
}

void ChartGrid::connect_places(LineChart& chart) {
    connect(&chart, &LineChart::headDragged, this, [this, &chart](const QPoint& at) {
        const LineChart* under = placed_under(at);
        mark_place(under == &chart ? nullptr : under);
    });
    connect(&chart, &LineChart::headDropped, this, [this, &chart](const QPoint& at) {
        mark_place(nullptr);
        move_to_place_of(chart, placed_under(at));
    });
    connect(&chart, &LineChart::placeRequested, this, [this, &chart](int by) {
        const auto here = std::ranges::find(placed_, &chart) - placed_.begin() + by;
        if (here >= 0 && here < static_cast<std::ptrdiff_t>(placed_.size()))
            move_to_place_of(chart, placed_[static_cast<std::size_t>(here)]);
    });
}

/// Returns the chart at this screen position; null if there is no chart.
const LineChart* ChartGrid::placed_under(const QPoint& global) const {
    const auto holds = [&](const LineChart* chart) { return chart->rect().contains(chart->mapFromGlobal(global)); };
    const auto found = std::ranges::find_if(placed_, holds);
    return found == placed_.end() ? nullptr : *found;
}

void ChartGrid::mark_place(const LineChart* target) {
    if (target) place_mark_->setGeometry(target->geometry());
    place_mark_->setVisible(target != nullptr);
    if (target) place_mark_->raise();
}

void ChartGrid::move_to_place_of(const LineChart& moved, const LineChart* target) {
    if (!target || target == &moved) return;
    const auto place_of = [this](const LineChart& one) {
        return std::ranges::find_if(order_, [&](Chart which) { return &chart(which) == &one; });
    };
    const auto from = place_of(moved), to = place_of(*target);
    if (from < to) std::rotate(from, from + 1, to + 1);
    else std::rotate(to, from, from + 1);
    show_placed(placed_);
    Q_EMIT orderChanged();
}

QStringList ChartGrid::order() const {
    QStringList ids;
    for (const Chart chart : order_) ids << TelemetryLines::id(chart);
    return ids;
}

void ChartGrid::set_order(const QStringList& ids) {
    order_.clear();
    for (std::size_t i = 0; i < chart_count; ++i) order_.push_back(static_cast<Chart>(i));
    const auto rank = [&](Chart chart) {
        const qsizetype named = ids.indexOf(TelemetryLines::id(chart));
        return named < 0 ? ids.size() : named;
    };
    std::ranges::stable_sort(order_, {}, rank);
    show_placed(placed_);
}

bool ChartGrid::is_placed(Chart which) const { return std::ranges::find(placed_, &chart(which)) != placed_.end(); }

void ChartGrid::place(const std::vector<Chart>& shown) {
    std::vector<LineChart*> placed;
    for (const Chart which : shown) placed.push_back(&chart(which));
    show_placed(placed);
}

/// Shows these charts in the order set by the user.
void ChartGrid::show_placed(const std::vector<LineChart*>& placed) {
    std::vector<LineChart*> ordered;
    for (const Chart which : order_)
        if (std::ranges::find(placed, &chart(which)) != placed.end()) ordered.push_back(&chart(which));
    if (ordered != placed_) {
        placed_ = std::move(ordered);
        placed_columns_ = 0;
    }
    arrange();
}

void ChartGrid::clear() {
    for (LineChart* chart : charts_) chart->show_lines({}, {});
}

/// Sets the height of a row of charts. If the view is low, the height is reduced so that one whole row with its legends
/// is visible.
void ChartGrid::fit_rows() {
    const int least = least_plot + model::scaled_px(texts_height);
    const int height = std::max(least, std::min(viewport()->height(), usual_height));
    for (LineChart* chart : charts_) chart->setMinimumHeight(height);
}

/// Arranges the charts in as many columns as fit the width.
void ChartGrid::arrange() {
    fit_rows();
    const int room = std::clamp(viewport()->width() / least_width, least_columns, most_columns);
    const int columns = std::max(1, std::min(room, static_cast<int>(placed_.size())));
    if (columns == placed_columns_) return;
    placed_columns_ = columns;
    for (LineChart* chart : charts_) {
        grid_->removeWidget(chart);
        chart->setVisible(std::find(placed_.begin(), placed_.end(), chart) != placed_.end());
    }
    for (int column = 0; column < most_columns; ++column) grid_->setColumnStretch(column, column < columns ? 1 : 0);
    for (int i = 0; i < static_cast<int>(placed_.size()); ++i)
        grid_->addWidget(placed_[static_cast<std::size_t>(i)], i / columns, i % columns);
    placed_anew_.start(0);
}

bool ChartGrid::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::Resize && !charts_.empty()) {
        arrange();
        placed_anew_.start(0);
    }
    return QScrollArea::viewportEvent(event);
}

void ChartGrid::retranslate() {
    for (std::size_t i = 0; i < chart_count; ++i) {
        const auto which = static_cast<Chart>(i);
        chart(which).set_title(TelemetryLines::title(which));
        chart(which).set_title_tip(tr("Drag onto another chart to move it there"));
        chart(which).set_unit(TelemetryLines::unit(which));
        chart(which).set_x_title(TelemetryLines::x_title(which));
    }
}

}  // namespace divisi::charts

#include "moc_chart_grid.cpp"
