// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMainWindow>
#include <QObject>
#include <QPointer>
#include <QTimer>
#include <QToolBar>
#include <functional>
#include <memory>
#include <optional>

#include "app/shell/desk.h"
#include "app/shell/guide_dock.h"
#include "app/shell/guide_strip.h"
#include "app/shell/larger_text.h"
#include "app/shell/pointer_overlay.h"
#include "app/shell/speaker_notes.h"
#include "app/shell/workbench.h"

namespace divisi::shell {

/// Presenter mode: the window fills the screen, its text is larger, what is around the views is hidden, the pointer has
/// a halo, and a guided scenario stands in a strip below. Nothing of it is kept: at its end all is as it was before.
class Presenter : public QObject {
    Q_OBJECT
public:
    /// All outlive end(); `window` is its parent. `restyle` sets the style sheet of the program anew.
    Presenter(Desk& desk, Workbench& bench, Guide& guide, GuideDock& dock, GuideStrip& strip, QToolBar& toolbar,
              QMainWindow& window, std::function<void()> restyle);

    bool on() const { return before_.has_value(); }
    /// The window is not, or not yet again, arranged as its user left it: its arrangement is not to be kept now.
    bool holds_layout() const { return before_ || returning_; }
    void begin();
    void end();
    /// Says whether Escape is for something else now, as a search that is open; then it does not leave the mode. What
    /// is selected is cleared by the first Escape, and the mode left by the next.
    void set_escape_taken(std::function<bool()> taken) { escape_taken_ = std::move(taken); }
    /// Null until the mode was on once.
    SpeakerNotes* notes() const { return notes_; }

Q_SIGNALS:
    /// The mode is about to begin: what should outlive the program is to be kept now.
    void beginning();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    /// What the mode changes, as it was.
    struct Before {
        Qt::WindowStates states;
        QRect geometry;
        bool toolbar, status;  ///< shown
        Workbench::Arrangement arrangement;
    };

    void hide_chrome();
    void show_chrome(const Before& before);
    void settle(int tries);
    void give_back();
    void follow_workspace();
    bool drop_selection();
    void update_actions();
    void show_notes();
    void offer_notes();
    void reveal_menu(bool revealed);
    bool ours(const QObject* watched) const;
    void follow_pointer(const QEvent& event);
    bool hear_key(QKeyEvent& event);
    bool hear_override(QKeyEvent& event);
    bool leaves_by(const QKeyEvent& event) const;

    Desk& desk_;
    Workbench& bench_;
    Guide& guide_;
    GuideDock& dock_;
    GuideStrip& strip_;
    QToolBar& toolbar_;
    QMainWindow& window_;
    std::function<void()> restyle_;
    std::function<bool()> escape_taken_;
    std::optional<Before> before_;     ///< while the mode is on
    std::optional<Before> returning_;  ///< while the window goes back to its size after it
    QTimer return_end_;
    bool giving_back_ = false;
    std::unique_ptr<LargerText> larger_;
    QPointer<PointerOverlay> overlay_;
    SpeakerNotes* notes_ = nullptr;
    bool menu_revealed_ = false;
    bool alt_alone_ = false;  ///< Alt went down, and nothing else since
};

/// How a key reads to those who look on: "Ctrl+Shift+P", "Page Down". Empty for what is typed as text, which may be a
/// secret, and for a modifier alone.
QString shown_keys(const QKeyEvent& event);

}  // namespace divisi::shell
