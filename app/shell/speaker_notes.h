// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QTimer>
#include <QWidget>

#include "app/shell/guide.h"

namespace divisi::shell {

/// A small window for the speaker alone, to be put on the screen that the audience does not see: the notes of the step,
/// which one comes next, and for how long the scenario is under way. The keys of its parent's window work in it too.
class SpeakerNotes : public QWidget {
    Q_OBJECT
public:
    /// Both outlive it. Hidden at first.
    SpeakerNotes(Guide& guide, QWidget& window);

    /// Opens it, at first on a screen where the window is not; where there is but one, over the window's corner.
    void open();

Q_SIGNALS:
    /// It has come or gone.
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
    bool placed_ = false;  ///< it stays where it was put
    QTimer tick_;
    QLabel *count_, *time_, *title_, *notes_, *next_;
};

/// "4:07" of that many seconds.
QString minutes_text(qint64 seconds);

}  // namespace divisi::shell
