// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <QPainter>
#include <vector>

#include "app/graphview/score_layout.h"
#include "app/graphview/score_measure.h"
#include "app/model/colours.h"
#include "app/model/graph_document.h"

namespace divisi::graphview {

/// How the axis of a score lies in a widget: pixels from its left edge.
struct ScoreAxis {
    static constexpr double margin = 16;  ///< at both ends, so that a cut there can be taken; as in LandscapeStrip
    double first = 0;                     ///< place of the axis at the left margin
    double scale = 1;                     ///< pixels of one unit

    double x_of(double at) const { return margin + (at - first) * scale; }
    double at(double x) const { return first + (x - margin) / scale; }
    double pixel() const { return 1 / scale; }
};

/// A score as it is shown. Holds no state of a gesture.
struct ScoreSheet {
    const model::GraphDocument& document;
    const ScoreLayout& layout;
    const ScoreAxis& axis;
    ScoreMeasure measure;
    const std::vector<bool>& measured;  ///< by operator, of a predicted time; empty: nothing to be told apart
    const std::vector<graph::NodeIndex>& matches;  ///< of a search, ascending
    const model::Colours& colours;
    QRectF area;  ///< of the widget
};

/// What a score looks like and what is under a point of it: labels of segments and grips of cuts at the top, scopes as
/// brackets below them, then the lanes with the operators, and the ruler. Cost is by visible pixels.
class ScorePainter {
    Q_DECLARE_TR_FUNCTIONS(divisi::graphview::ScorePainter)
public:
    explicit ScorePainter(const ScoreSheet& sheet);

    /// The cut whose grip or line is at a point, or -1.
    int cut_at(QPointF point) const;
    /// The middle of a cut's grip.
    QPointF handle(std::size_t which) const;
    /// Where the line of a cut stands.
    double line(std::size_t which) const;
    /// The operator at a point of its lane, else -1.
    graph::NodeIndex operator_at(QPointF point) const;
    QPointF operator_middle(graph::NodeIndex node) const;
    QRectF operator_rect(graph::NodeIndex node) const;
    /// From 0; painted ones by the painting's numbers.
    int segment_of(graph::NodeIndex node) const;
    /// "Segment 1: 12 ms a micro-batch, 48 %": what its operators cost, and their share of all. A sign before the
    /// figure says that it is an estimate: not all of them were measured.
    QString segment_text(std::size_t segment) const;

    void paint_ground(QPainter& painter) const;
    /// Operators `first` to `last` are marked as selected; -1 for none.
    void paint_operators(QPainter& painter, graph::NodeIndex first, graph::NodeIndex last) const;
    /// Ticks above the operators that a search has found.
    void paint_matches(QPainter& painter) const;
    void paint_scopes(QPainter& painter) const;
    void paint_segments(QPainter& painter) const;
    void paint_ruler(QPainter& painter) const;
    /// `refused`: the cut that cannot be dropped where it lies, or -1.
    void paint_cuts(QPainter& painter, int focused, int hovered, int refused) const;
    /// What crosses at each cut that has room for it, and the price of the plan at the cut `priced`, -1 for none.
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

    ScoreSheet sheet_;
    std::vector<graph::NodeIndex> ends_;  ///< last operator of each segment; one for painted segments
};

}  // namespace divisi::graphview
