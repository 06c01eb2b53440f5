// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QLabel>
#include <QPushButton>
#include <QTimer>
#include <QToolButton>

namespace divisi::graphview {

/// A message over the graph about a slow layout. It says that the layout is running, with a button to cancel it. After
/// cancellation, it says what to do. The message covers a part of its parent and moves nothing.
class LayoutNotice : public QFrame {
    Q_OBJECT
public:
    explicit LayoutNotice(QWidget* parent);

    /// Begins to wait for a layout. The message appears only after 150 ms, so that a faster layout causes no message.
    void begin(std::int32_t operators);
    /// Hides the message: the layout has arrived, or is no longer wanted.
    void finish();
    /// Reports that the user has cancelled the layout. `blank`: there is no older picture to keep.
    void show_cancelled(bool blank);
    /// Returns whether the message says that a layout is running.
    bool shows_progress() const { return isVisible() && state_ == State::under_way; }
    /// Moves the message to the top centre of the parent, or to the centre of an empty one.
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
