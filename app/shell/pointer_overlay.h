// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>
#include <optional>

namespace divisi::shell {

/// Drawn over a whole window, for those who look on from afar: a halo around the pointer, a ring that spreads at a
/// click, the keys that were pressed, and a notice. It takes no events: all go to what lies below.
class PointerOverlay : public QWidget {
    Q_OBJECT
public:
    /// Covers `window`; whoever makes it tells when that changes its size.
    explicit PointerOverlay(QWidget& window);

    /// All places are the overlay's own pixels.
    void follow(QPoint pointer);
    /// The pointer has left the window.
    void lose_pointer();
    void click(QPoint at);
    /// "Ctrl+Shift+P": shows in the lower left corner for a moment.
    void show_keys(const QString& keys);
    /// A sentence at the top, for some seconds.
    void show_notice(const QString& text);

    const std::optional<QPoint>& pointer() const { return pointer_; }
    /// From 0 as the button goes down to 1 as the ring is gone; none: no ring is drawn.
    std::optional<double> ring() const;
    const QString& keys() const { return keys_; }
    const QString& notice() const { return notice_; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QRect keys_rect() const;
    QRect notice_rect() const;
    void paint_pointer(QPainter& painter) const;
    void paint_ring(QPainter& painter) const;
    void paint_plate(QPainter& painter, const QRect& rect, const QString& text) const;

    std::optional<QPoint> pointer_;
    QPoint clicked_;
    QElapsedTimer since_click_;  ///< invalid: no ring
    QTimer frames_;              ///< of the ring
    QString keys_, notice_;
    QTimer keys_end_, notice_end_;
};

}  // namespace divisi::shell
