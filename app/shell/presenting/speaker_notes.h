// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QTimer>
#include <QWidget>

#include "app/shell/presenting/guide.h"

namespace divisi::shell {

/// A small window for the speaker only, to be placed on a screen that the audience does not see. It shows the step's
/// notes, the next step, and the time since the scenario began. The keys of its parent window also work in this window.
class SpeakerNotes : public QWidget {
    Q_OBJECT
public:
    /// `guide` and `window` must outlive this object. The notes are hidden at first.
    SpeakerNotes(Guide& guide, QWidget& window);

    /// Opens the window; the first time, on a screen that does not show the main window. If there is only one screen,
    /// opens the window over the corner of the main window.
    void open();

Q_SIGNALS:
    /// The window was shown or hidden.
    void visibleChanged();

protected:
    void changeEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void refresh();
    void show_time();

    Guide& guide_;
    QWidget& window_;
    bool placed_ = false;  ///< whether open() has placed the window; its position is then kept
    QTimer tick_;
    QLabel *count_, *time_, *title_, *notes_, *next_;
};

/// Formats seconds as in "4:07".
QString minutes_text(qint64 seconds);

}  // namespace divisi::shell
