// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QLabel>
#include <QPushButton>
#include <QTimer>
#include <QToolButton>

namespace divisi::graphview {

/// A line over the graph about a layout that takes its time: that it is under way, with a way to end it, and what to do
/// once it was ended. Lies on its parent and moves nothing there.
class LayoutNotice : public QFrame {
    Q_OBJECT
public:
    explicit LayoutNotice(QWidget* parent);

    /// Comes after 150 ms: what is there by then needs no word.
    void begin(std::int32_t operators);
    /// The layout is there, or nobody wants it any more.
    void finish();
    /// Somebody ended it. `blank`: there is no older picture.
    void show_cancelled(bool blank);
    /// Whether it says that a layout is under way.
    bool shows_progress() const { return isVisible() && state_ == State::under_way; }
    /// To the top of the parent's middle, or to the middle of an empty one.
    void place();

Q_SIGNALS:
    void cancelRequested();
    void againRequested();
    void scoreRequested();

protected:
    void changeEvent(QEvent* event) override;

private:
    enum class State { nothing, under_way, cancelled };
    void refresh();

    State state_ = State::nothing;
    bool blank_ = false;
    std::int32_t operators_ = 0;
    QTimer wait_;
    QLabel* text_;
    QPushButton* cancel_;
    QPushButton* again_;
    QPushButton* score_;
    QToolButton* close_;
};

}  // namespace divisi::graphview
