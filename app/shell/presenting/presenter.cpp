// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/presenting/presenter.h"

#include <QApplication>
#include <QKeySequence>
#include <QLayout>
#include <QMenu>
#include <QMenuBar>
#include <QMouseEvent>
#include <QScopedValueRollback>
#include <QStatusBar>
#include <QWindow>
#include <utility>

namespace divisi::shell {

namespace {

constexpr double presented_scale = 1.5;
/// Time in ms within which window systems restore the size of the window after full-screen mode.
constexpr int return_ms = 1000;
constexpr int settle_tries = 5, settle_ms = 40;

bool is_modifier(int key) {
    return key == Qt::Key_Control || key == Qt::Key_Shift || key == Qt::Key_Alt || key == Qt::Key_Meta ||
           key == Qt::Key_AltGr || key == Qt::Key_unknown || key == 0;
}

/// Returns whether a presenter's remote sends this key.
bool is_step_key(const QKeyEvent& event) {
    const bool page = event.key() == Qt::Key_PageDown || event.key() == Qt::Key_PageUp;
    return page && (event.modifiers() & ~Qt::KeyboardModifiers(Qt::KeypadModifier)) == Qt::NoModifier;
}

}  // namespace

QString shown_keys(const QKeyEvent& event) {
    const int key = event.key();
    const bool named = key >= Qt::Key_Escape;  // Qt's numbers of keys without a letter start here
    const bool with_modifier = event.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier);
    if (is_modifier(key) || (!named && !with_modifier)) return {};
    const Qt::KeyboardModifiers told = event.modifiers() & ~Qt::KeyboardModifiers(Qt::KeypadModifier);
    return QKeySequence(static_cast<int>(told.toInt()) | key).toString(QKeySequence::NativeText);
}

Presenter::Presenter(AppContext& context, Workbench& bench, Guide& guide, GuideDock& dock, GuideStrip& strip,
                     QToolBar& toolbar, QMainWindow& window, std::function<void()> restyle)
    : QObject(&window),
      context_(context),
      bench_(bench),
      guide_(guide),
      dock_(dock),
      strip_(strip),
      toolbar_(toolbar),
      window_(window),
      restyle_(std::move(restyle)) {
    const Actions& actions = context_.actions;
    for (const char* id : {"presenter", "speaker_notes"}) actions.get(id)->setCheckable(true);
    connect(actions.get("presenter"), &QAction::triggered, this, [this] { on() ? end() : begin(); });
    connect(actions.get("next_step"), &QAction::triggered, &guide_, &Guide::next);
    connect(actions.get("previous_step"), &QAction::triggered, &guide_, &Guide::back);
    connect(actions.get("speaker_notes"), &QAction::triggered, this, &Presenter::show_notes);
    connect(&guide_, &Guide::changed, this, &Presenter::update_actions);
    connect(&guide_, &Guide::begun, this, &Presenter::offer_notes);
    return_end_.setSingleShot(true);
    return_end_.setInterval(return_ms);
    connect(&return_end_, &QTimer::timeout, this, [this] { returning_.reset(); });
    connect(&bench_, &Workbench::workspaceChanged, this, &Presenter::follow_workspace);
    window_.installEventFilter(this);
    update_actions();
}

void Presenter::begin() {
    if (on()) return;
    // If the window does not have its previous size yet, do not save the layout on screen, because the user did not
    // choose it.
    std::optional<Before> before = std::exchange(returning_, std::nullopt);
    if (!before) {
        before = Before{window_.windowState(), window_.geometry(), !toolbar_.isHidden(),
                        !window_.statusBar()->isHidden(), bench_.arrangement()};
        Q_EMIT beginning();
    }
    before_ = std::move(before);
    hide_chrome();
    larger_ = std::make_unique<LargerText>(window_, presented_scale, restyle_);
    if (!notes_) {
        notes_ = new SpeakerNotes(guide_, window_);
        connect(notes_, &SpeakerNotes::visibleChanged, this, &Presenter::update_actions);
    }
    overlay_ = new PointerOverlay(window_);
    overlay_->show();
    overlay_->raise();
    const auto key = context_.actions.get("presenter")->shortcut().toString(QKeySequence::NativeText);
    overlay_->show_notice(tr("Presenter mode: %1 or Esc leaves it, Alt shows the menu").arg(key));
    qApp->installEventFilter(this);
    // Remove the size constraint. Larger text may need more space than the screen has, and the constraint would then
    // make the window grow beyond the screen.
    window_.layout()->setSizeConstraint(QLayout::SetNoConstraint);
    window_.setMinimumSize(0, 0);
    window_.setWindowState(window_.windowState() | Qt::WindowFullScreen);
    offer_notes();
    update_actions();
}

void Presenter::hide_chrome() {
    dock_.stand_aside(true);
    strip_.set_wanted(true);
    bench_.set_bare(true);
    toolbar_.hide();
    window_.statusBar()->hide();
    reveal_menu(false);
}

void Presenter::end() {
    if (!on()) return;
    returning_ = std::exchange(before_, std::nullopt);
    qApp->removeEventFilter(this);
    delete overlay_;
    notes_->hide();
    larger_.reset();
    show_chrome(*returning_);
    give_back();
    // Wait, because the minimum sizes of the views and the size of the window are restored a little later.
    return_end_.start();
    QTimer::singleShot(0, this, [this] { settle(settle_tries); });
    update_actions();
}

void Presenter::show_chrome(const Before& before) {
    strip_.set_wanted(false);
    bench_.set_bare(false);
    toolbar_.setVisible(before.toolbar);
    window_.statusBar()->setVisible(before.status);
    window_.menuBar()->setMaximumHeight(QWIDGETSIZE_MAX);
    menu_revealed_ = false;
    window_.setWindowState(before.states);
    dock_.stand_aside(false);
}

/// Restores the layout repeatedly, because docks update their minimum sizes one by one and meanwhile make other docks
/// smaller.
void Presenter::settle(int tries) {
    if (!returning_) return;
    give_back();
    window_.layout()->setSizeConstraint(QLayout::SetDefaultConstraint);
    if (tries > 0 && bench_.arrangement().shown != returning_->arrangement.shown)
        QTimer::singleShot(settle_ms, this, [this, tries] { settle(tries - 1); });
}

void Presenter::give_back() {
    if (!returning_) return;
    const bool sized = !(returning_->states & (Qt::WindowMaximized | Qt::WindowFullScreen));
    if (sized && window_.geometry() != returning_->geometry) window_.setGeometry(returning_->geometry);
    if (window_.isVisible()) {  // first give the workbench its final size
        window_.layout()->activate();
        window_.centralWidget()->layout()->activate();
    }
    const QScopedValueRollback<bool> giving(giving_back_, true);
    bench_.bring_back(returning_->arrangement);
}

/// Keeps a workspace that the user chooses while the window is being restored to its previous size.
void Presenter::follow_workspace() {
    if (returning_ && !giving_back_) returning_->arrangement = bench_.arrangement();
}

/// Clears the selection unless a task is selected, so that the followed task does not change. Returns whether there was
/// a selection to clear. Escape clears the selection at the first press, and leaves the mode at the next press.
bool Presenter::drop_selection() {
    const model::Selected& now = context_.selection.current();
    if (!now || now.kind == model::Selected::Kind::task) return false;
    context_.selection.clear();
    return true;
}

void Presenter::update_actions() {
    Actions& actions = context_.actions;
    const StepControl& steps = guide_.steps();
    const QString no_steps = on() && guide_.active() ? QString() : tr("No scenario is under way in presenter mode.");
    const auto unless = [&](bool over, const QString& why) { return !over || !no_steps.isEmpty() ? no_steps : why; };
    actions.get("presenter")->setChecked(on());
    actions.allow("next_step", unless(steps.last(), tr("This is the last step.")));
    actions.allow("previous_step", unless(steps.first(), tr("This is the first step.")));
    actions.allow("speaker_notes", on() ? QString() : tr("Notes need presenter mode."));
    actions.get("speaker_notes")->setChecked(notes_ && notes_->isVisible());
}

void Presenter::show_notes() {
    if (!on()) return;
    if (notes_->isVisible()) notes_->hide();
    else notes_->open();
    update_actions();
}

/// Opens the notes automatically if there is a second screen, on which the audience does not see them.
void Presenter::offer_notes() {
    if (on() && guide_.active() && !notes_->isVisible() && QGuiApplication::screens().size() > 1) notes_->open();
}

/// Shows or hides the menu bar. Hides it by a height of zero, because the shortcuts of an invisible menu bar would not
/// work.
void Presenter::reveal_menu(bool revealed) {
    menu_revealed_ = revealed;
    window_.menuBar()->setMaximumHeight(revealed ? QWIDGETSIZE_MAX : 0);
}

bool Presenter::ours(const QObject* watched) const {
    if (watched->isWidgetType()) return static_cast<const QWidget*>(watched)->window() == &window_;
    return watched == window_.windowHandle();
}

void Presenter::follow_pointer(const QEvent& event) {
    const auto& mouse = static_cast<const QMouseEvent&>(event);
    const QPoint at = overlay_->mapFromGlobal(mouse.globalPosition().toPoint());
    if (event.type() == QEvent::MouseMove) return overlay_->follow(at);
    alt_alone_ = false;
    if (menu_revealed_ && !window_.menuBar()->geometry().contains(at)) reveal_menu(false);
    overlay_->click(at);
}

bool Presenter::leaves_by(const QKeyEvent& event) const {
    if (event.key() != Qt::Key_Escape || event.modifiers() != Qt::NoModifier) return false;
    if (QApplication::mouseButtons() != Qt::NoButton || QApplication::activePopupWidget()) return false;
    return !escape_taken_ || !escape_taken_();
}

bool Presenter::hear_key(QKeyEvent& event) {
    if (event.type() == QEvent::KeyRelease) {
        if (event.key() == Qt::Key_Alt && std::exchange(alt_alone_, false)) reveal_menu(!menu_revealed_);
        return false;
    }
    // While a mouse button is pressed, Alt is part of a gesture. Releasing Alt during a drag must not open the menu,
    // which would move the view.
    alt_alone_ = event.key() == Qt::Key_Alt && QApplication::mouseButtons() == Qt::NoButton;
    // consume the key even at the first or last step, so that it does not scroll a view
    if (is_step_key(event) && guide_.active()) return true;
    if (!leaves_by(event)) return false;
    if (menu_revealed_) {
        reveal_menu(false);
        // If the menu bar has the focus, let the menu bar handle Escape, which gives the focus back to the view.
        // Otherwise, this class handles Escape.
        return !window_.menuBar()->hasFocus();
    }
    if (!drop_selection()) end();
    return true;
}

/// Handles keys before Qt matches shortcuts, because a text field would otherwise handle the keys of a presenter's
/// remote.
bool Presenter::hear_override(QKeyEvent& event) {
    if (const QString keys = shown_keys(event); !keys.isEmpty()) overlay_->show_keys(keys);
    if (event.key() != Qt::Key_Alt) alt_alone_ = false;
    if (!is_step_key(event) || !guide_.active()) return false;
    event.ignore();
    return true;
}

bool Presenter::eventFilter(QObject* watched, QEvent* event) {
    const QEvent::Type type = event->type();
    if (watched == &window_ && type == QEvent::Resize) {
        if (overlay_) overlay_->setGeometry(window_.rect());
        if (returning_ && window_.size() == returning_->geometry.size())
            QTimer::singleShot(0, this, &Presenter::give_back);
        return false;
    }
    if (!on()) return false;
    if (type == QEvent::Hide && menu_revealed_ && qobject_cast<QMenu*>(watched))
        QTimer::singleShot(0, this, [this] {
            if (on() && !QApplication::activePopupWidget()) reveal_menu(false);
        });
    if (!ours(watched)) return false;
    switch (type) {
        case QEvent::MouseMove:
        case QEvent::MouseButtonPress:
        case QEvent::MouseButtonDblClick: follow_pointer(*event); return false;
        case QEvent::Leave:
            if (watched == &window_) overlay_->lose_pointer();
            return false;
        case QEvent::ShortcutOverride: return hear_override(static_cast<QKeyEvent&>(*event));
        case QEvent::KeyPress:
        case QEvent::KeyRelease: return hear_key(static_cast<QKeyEvent&>(*event));
        default: return false;
    }
}

}  // namespace divisi::shell

#include "moc_presenter.cpp"
