// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/docks/graph_keys.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QDockWidget>
#include <QKeySequence>

#include "app/panels/cutting/split_panel.h"

namespace divisi::shell {

namespace {

/// Returns whether the dock's focused widget uses typed letters for a search, as a table, a tree or a combo box does.
bool is_searched(const QObject& dock) {
    const auto* widget = qobject_cast<const QDockWidget*>(&dock);
    const QWidget* focus = widget ? widget->window()->focusWidget() : nullptr;
    return qobject_cast<const QAbstractItemView*>(focus) || qobject_cast<const QComboBox*>(focus);
}

}  // namespace

GraphKeys::GraphKeys(AppContext& context, Workbench& bench, GraphPage& graph, QWidget& window)
    : QObject(&window), context_(context), bench_(bench), graph_(graph) {
    // A key that a view does not handle reaches the view's dock and then the window. A floating dock is a separate
    // window.
    for (QDockWidget* dock : bench.findChildren<QDockWidget*>()) dock->installEventFilter(this);
    window.installEventFilter(this);
}

/// Filters keys before Qt matches shortcuts. A key accepted here goes to the view as an ordinary key press.
bool GraphKeys::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::ShortcutOverride) return QObject::eventFilter(watched, event);
    auto* key = static_cast<QKeyEvent*>(event);
    if (!is_graph_key(*key)) return false;
    const bool shows = bench_.centre() == &graph_;
    const bool single = !(key->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier));
    const bool of_split = key->key() == Qt::Key_Delete && has_split_table();
    const bool typed = single && is_searched(*watched) && !of_split;
    if (shows && !typed) return false;
    if (!typed) say_where();
    key->accept();
    return true;
}

/// Returns whether the split table has the focus. Choosing a row of the table selects its cut in the graph, so Delete
/// in the table applies to that cut.
bool GraphKeys::has_split_table() const {
    const auto& split = bench_.view<panels::SplitPanel>();
    const QWidget* focus = split.window()->focusWidget();
    return focus && split.isAncestorOf(focus);
}

bool GraphKeys::is_graph_key(const QKeyEvent& key) const {
    const QKeyCombination pressed(key.modifiers() & ~Qt::KeypadModifier, static_cast<Qt::Key>(key.key()));
    for (const auto& [spec, action] : context_.actions.all())
        if (Actions::of_graph(spec.id) && action->isEnabled() && action->shortcuts().contains(QKeySequence(pressed)))
            return true;
    return false;
}

void GraphKeys::say_where() const {
    const QString key = context_.actions.get("workspace_split")->shortcut().toString(QKeySequence::NativeText);
    Q_EMIT context_.hint(tr("This key works in the model graph, which is not on screen; %1 shows the model "
                            "graph")
                             .arg(key));
}

}  // namespace divisi::shell

#include "moc_graph_keys.cpp"
