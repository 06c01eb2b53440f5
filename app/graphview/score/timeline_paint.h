// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <QPainter>
#include <vector>

#include "app/graphview/score/timeline_layout.h"
#include "app/graphview/score/timeline_measure.h"
#include "app/model/documents/graph_document.h"
#include "app/model/wording/colours.h"

namespace divisi::graphview {

/// Position of a score's axis in a widget, in pixels from the left edge.
struct TimelineAxis {
    /// space at both ends of the axis, so that a cut at an end can be dragged; as in LandscapeStrip
    static constexpr double margin = 16;
    double first = 0;  ///< axis position at the left margin
    double scale = 1;  ///< pixels per unit of the axis

    double x_of(double at) const { return margin + (at - first) * scale; }
    double at(double x) const { return first + (x - margin) / scale; }
    double pixel() const { return 1 / scale; }
};

/// All inputs for drawing a score. Contains no state of gestures.
struct TimelineSheet {
    const model::GraphDocument& document;
    const TimelineLayout& layout;
    const TimelineAxis& axis;
    TimelineMeasure measure;
    const std::vector<bool>& measured;  ///< for each operator, whether its time was measured; empty: estimates are not
                                        ///< marked
    const std::vector<graph::NodeIndex>& matches;  ///< search matches, ascending
    const model::Colours& colours;
    QRectF area;  ///< area of the widget
};

/// Paints a score and finds the element at a point. From top to bottom: labels of segments and grips of cuts, scopes as
/// brackets, lanes with the operators, and the ruler. The cost depends on the visible pixels.
class TimelinePainter {
    Q_DECLARE_TR_FUNCTIONS(divisi::graphview::TimelinePainter)
public:
    explicit TimelinePainter(const TimelineSheet& sheet);

    /// Returns the cut whose grip or line is at a point; -1 if none.
    int cut_at(QPointF point) const;
    /// Returns the centre of a cut's grip.
    QPointF handle(std::size_t which) const;
    /// Returns the x position of a cut's line.
    double line(std::size_t which) const;
    /// Returns the operator at a point of its lane; -1 if none.
    graph::NodeIndex operator_at(QPointF point) const;
    QPointF operator_middle(graph::NodeIndex node) const;
    QRectF operator_rect(graph::NodeIndex node) const;
    /// Returns the segment of an operator, from 0. A painted segment is given by its number in the painting.
    int segment_of(graph::NodeIndex node) const;
    /// Returns the text of a segment, such as "Segment 1: 12 ms a micro-batch, 48 %": the cost of its operators and
    /// their share of the total. A sign before the figure marks an estimate, if not all operators were measured.
    QString segment_text(std::size_t segment) const;

    void paint_ground(QPainter& painter) const;
    /// Paints the operators. `first` to `last` are marked as selected; -1 for none.
    void paint_operators(QPainter& painter, graph::NodeIndex first, graph::NodeIndex last) const;
    /// Paints ticks above the operators that a search has found.
    void paint_matches(QPainter& painter) const;
    void paint_scopes(QPainter& painter) const;
    void paint_segments(QPainter& painter) const;
    void paint_ruler(QPainter& painter) const;
    /// `refused` is the cut that cannot be dropped at its position; -1 for none.
    void paint_cuts(QPainter& painter, int focused, int hovered, int refused) const;
    /// Paints the crossing bytes at each cut where they fit, and the price of the plan at the cut `priced` (-1: at no
    /// cut).
    void paint_crossing(QPainter& painter, int priced, const QString& price) const;

private:
    double from() const { return sheet_.axis.at(sheet_.area.left()); }
    double to() const { return sheet_.axis.at(sheet_.area.right()); }
    std::size_t segments() const { return ends_.size(); }
    double segment_start(std::size_t segment) const;
    double segment_end(std::size_t segment) const { return sheet_.layout.end(ends_[segment]); }
    QColor hue(graph::NodeIndex node) const;
    std::int32_t depths() const;
    double lanes_top() const;
    double lanes_bottom() const;
    QRectF lane_rect(std::int32_t lane) const;
    QRectF segment_area(std::size_t segment) const;
    QString estimate_sign(std::size_t segment) const;
    bool some_unmeasured(std::int32_t lane, const ScoreRun& run) const;
    void paint_unit(QPainter& painter, double top) const;
    void paint_chains(QPainter& painter, std::int32_t lane) const;
    void paint_operator(QPainter& painter, const ScoreRun& run, bool guessed, const QRectF& rect) const;
    void paint_name(QPainter& painter, graph::NodeIndex node, const QRectF& rect) const;

    TimelineSheet sheet_;
    std::vector<graph::NodeIndex> ends_;  ///< last operator of each segment; a single entry if segments are painted
};

}  // namespace divisi::graphview
