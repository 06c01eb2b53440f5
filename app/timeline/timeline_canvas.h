// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QScrollBar>
#include <QString>
#include <QWidget>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "app/model/tracking/spans.h"
#include "app/model/wording/accessible_parts.h"
#include "app/model/wording/colours.h"

namespace divisi::timeline {

/// A timeline, and the time on it that corresponds to zero on the canvas.
struct Track {
    QString name;  ///< name of the track, for example "predicted"
    std::shared_ptr<const model::Timeline> timeline;
    std::int64_t origin_ns = 0;
    bool operator==(const Track&) const = default;
};

/// A range of the x axis, in nanoseconds from the tracks' origins.
using Range = std::pair<double, double>;

QString kind_text(model::SpanKind kind);
/// Returns the name of an instance, such as "Stage 1".
QString instance_text(std::int32_t instance);

/// Shows lanes of spans on one time axis. Every instance has one lane per track, and the lanes are below each other.
///
/// Wheel: zoom at the pointer. Drag: select a range. Shift and drag, or the middle button: move. Double click, 0 or
/// Home: the initial range. + and -: zoom. Arrows: move. Shift and arrows: grow the selection from an edge. Escape:
/// clear the selection.
class TimelineCanvas : public QWidget, public model::AccessiblePicture {
    Q_OBJECT
public:
    explicit TimelineCanvas(QWidget* parent = nullptr);

    /// `whole` is the range that is shown initially and by show_whole().
    void show_tracks(std::vector<Track> tracks, Range whole);
    void show_whole();
    Range shown() const { return shown_; }
    const std::optional<Range>& selected() const { return selected_; }
    void select(std::optional<Range> range);
    /// Shows a vertical line at this time across the lanes of one track. If `ns` is empty, hides the line.
    void set_moment(std::optional<std::int64_t> ns, std::size_t track);
    /// Marks the instance selected elsewhere; empty: none.
    void mark(std::optional<std::int32_t> instance);
    const std::optional<std::int32_t>& marked() const { return marked_; }
    /// Draws a frame around the wire spans of these stages, because their tensors use the selected link.
    void mark_wires(std::set<std::int32_t> stages);
    const std::set<std::int32_t>& marked_wires() const { return marked_wires_; }
    /// Returns the x position of a time on the canvas.
    double pixel_of(double ns) const;
    /// Returns the y position of the middle of an instance's lane of a track; empty if there is no such lane.
    std::optional<int> lane_at(std::int32_t instance, std::size_t track) const;

    /// The accessible parts are the lanes from top to bottom.
    int part_count() const override;
    model::AccessiblePart part(int number) const override;

    QSize minimumSizeHint() const override;
    QSize sizeHint() const override;

Q_SIGNALS:
    void rangeSelected();
    /// The user pressed the lane of this instance.
    void instancePressed(int instance);
    /// The user has requested a menu at this screen position. `instance` is the instance whose lane is at this
    /// position; empty if there is no lane.
    void menuRequested(const QPoint& global, std::optional<std::int32_t> instance);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    struct Lane {
        std::int32_t instance = 0;
        std::size_t track = 0;
        int top = 0;
        const model::Span *begin = nullptr, *end = nullptr;  ///< range of the lane's spans, ordered by time
    };
    void lay_out();
    void set_range(Range range);
    void zoom(double factor, double at);
    void grow_range(double by);
    double ns_at(double pixel) const;
    static void tell_screen_readers();
    QString sums_text(const Lane& lane) const;
    QRect lane_place(const Lane& lane) const;
    const Lane* lane_under(int y) const;
    const model::Span* span_under(const QPoint& at) const;
    QString tip(const model::Span& span, const model::Timeline& timeline) const;
    void paint_ruler(QPainter& painter, const model::Colours& colours);
    void paint_lane(QPainter& painter, const Lane& lane, const model::Colours& colours);
    void paint_span(QPainter& painter, const model::Span& span, const QRectF& box, const model::Colours& colours);
    void paint_names(QPainter& painter, const model::Colours& colours);
    int lanes_height() const;

    std::vector<Track> tracks_;
    std::vector<Lane> lanes_;
    Range whole_{0, 1}, shown_{0, 1};
    std::optional<Range> selected_;
    std::optional<double> anchor_;  ///< fixed end of the selection when keys move the other end
    std::optional<std::int64_t> moment_;
    std::size_t moment_track_ = 0;
    std::optional<std::int32_t> marked_;
    std::set<std::int32_t> marked_wires_;
    QScrollBar* scroll_;  ///< scrolls the lanes
    std::optional<double> pressed_;
    bool moving_ = false;
    double moved_from_ = 0;
};

}  // namespace divisi::timeline
