// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QTimer>
#include <QWidget>

#include "app/shell/presenting/guide.h"

namespace divisi::shell {

/// A small window for the speaker only, to be put on a screen that the audience does not see. It shows the step's
/// notes, the next step, and the time since the scenario began. The keys of its parent window work in it too.
class SpeakerNotes : public QWidget {
    Q_OBJECT
public:
    /// Both must outlive this object. Hidden at first.
    SpeakerNotes(Guide& guide, QWidget& window);

    /// Opens the window, the first time on another screen than the main window. If there is only one screen, opens it
    /// over the main window's corner.
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
    bool placed_ = false;  ///< keeps the position chosen by the user
    QTimer tick_;
    QLabel *count_, *time_, *title_, *notes_, *next_;
};

/// Formats seconds as in "4:07".
QString minutes_text(qint64 seconds);

}  // namespace divisi::shell
