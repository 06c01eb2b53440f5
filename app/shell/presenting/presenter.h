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

#include "app/shell/basics/app_context.h"
#include "app/shell/basics/larger_text.h"
#include "app/shell/docks/workbench.h"
#include "app/shell/presenting/guide_dock.h"
#include "app/shell/presenting/guide_strip.h"
#include "app/shell/presenting/pointer_overlay.h"
#include "app/shell/presenting/speaker_notes.h"

namespace divisi::shell {

/// Presenter mode: the window fills the screen, its text is larger, and everything around the views is hidden. The
/// pointer has a halo, and a guided scenario is shown in a strip below. When the mode ends, the previous state is
/// restored; changes that the mode made are not saved.
class Presenter : public QObject {
    Q_OBJECT
public:
    /// All arguments must exist until end() returns. `window` is the parent. `restyle` reapplies the style sheet.
    Presenter(AppContext& context, Workbench& bench, Guide& guide, GuideDock& dock, GuideStrip& strip,
              QToolBar& toolbar, QMainWindow& window, std::function<void()> restyle);

    bool on() const { return before_.has_value(); }
    /// Returns whether the window's layout was made by the mode and must not be saved. This is so during the mode and
    /// shortly afterwards.
    bool holds_layout() const { return before_ || returning_; }
    void begin();
    void end();
    /// Sets a function that returns whether Escape has another effect now, such as closing a search. Escape then does
    /// not leave the mode. Otherwise, the first Escape clears the selection, and the next Escape leaves the mode.
    void set_escape_taken(std::function<bool()> taken) { escape_taken_ = std::move(taken); }
    /// Returns the notes; null until the mode is started for the first time.
    SpeakerNotes* notes() const { return notes_; }

Q_SIGNALS:
    /// The mode is about to begin: the receiver saves the layout now.
    void beginning();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    /// The state before the mode, which is restored when the mode ends.
    struct Before {
        Qt::WindowStates states;
        QRect geometry;
        bool toolbar, status;  ///< whether toolbar and status bar are shown
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

    AppContext& context_;
    Workbench& bench_;
    Guide& guide_;
    GuideDock& dock_;
    GuideStrip& strip_;
    QToolBar& toolbar_;
    QMainWindow& window_;
    std::function<void()> restyle_;
    std::function<bool()> escape_taken_;
    std::optional<Before> before_;  ///< state of the window before the mode; set while the mode is on
    /// state of the window before the mode; set after the mode, while the window is being restored to its size
    std::optional<Before> returning_;
    QTimer return_end_;
    bool giving_back_ = false;
    std::unique_ptr<LargerText> larger_;
    QPointer<PointerOverlay> overlay_;
    SpeakerNotes* notes_ = nullptr;
    bool menu_revealed_ = false;
    bool alt_alone_ = false;  ///< whether Alt was pressed, and no other key since then
};

/// Returns the text of a key for the audience: "Ctrl+Shift+P", "Page Down". Empty for typed text, which may be a
/// secret, and for a modifier alone.
QString shown_keys(const QKeyEvent& event);

}  // namespace divisi::shell
