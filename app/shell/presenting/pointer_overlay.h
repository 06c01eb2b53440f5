// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>
#include <optional>

namespace divisi::shell {

/// Draws over a whole window, for an audience at a distance: a halo around the pointer, a growing ring at a click, the
/// pressed keys, and a notice. Mouse events go to the widgets below.
class PointerOverlay : public QWidget {
    Q_OBJECT
public:
    /// Covers `window`. The creator must report changes of the window's size.
    explicit PointerOverlay(QWidget& window);

    /// All positions are in the overlay's pixels.
    void follow(QPoint pointer);
    /// The pointer has left the window.
    void lose_pointer();
    void click(QPoint at);
    /// Shows pressed keys, such as "Ctrl+Shift+P", in the lower left corner for a short time.
    void show_keys(const QString& keys);
    /// Shows a sentence at the top for some seconds.
    void show_notice(const QString& text);

    const std::optional<QPoint>& pointer() const { return pointer_; }
    /// Returns the progress of the ring: 0 when the button goes down, 1 when the ring disappears; empty if no ring is
    /// drawn.
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
    QElapsedTimer since_click_;  ///< time since the last click; invalid: no ring is shown
    QTimer frames_;              ///< animates the ring
    QString keys_, notice_;
    QTimer keys_end_, notice_end_;
};

}  // namespace divisi::shell
