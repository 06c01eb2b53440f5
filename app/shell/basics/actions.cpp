// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/basics/actions.h"

#include <QCoreApplication>
#include <QKeySequence>
#include <algorithm>
#include <cassert>
#include <iterator>

#include "app/shell/basics/command_palette.h"
#include "app/shell/basics/theme.h"

namespace divisi::shell {

namespace {

constexpr const char* translation_context = "Actions";

/// Returns the actions of the menus File, Edit and Cuts.
std::vector<ActionSpec> document_actions() {
    return {
        {"open", QT_TRANSLATE_NOOP("Actions", "&File"), QT_TRANSLATE_NOOP("Actions", "&Open model or task..."),
         "Ctrl+O", "open", QT_TRANSLATE_NOOP("Actions", "Open")},
        {"zoo", "&File", QT_TRANSLATE_NOOP("Actions", "Open model from the &zoo..."), "Ctrl+Shift+O", "zoo"},
        {"save", "&File", QT_TRANSLATE_NOOP("Actions", "&Save task"), "Ctrl+S", "save",
         QT_TRANSLATE_NOOP("Actions", "Save")},
        {"save_as", "&File", QT_TRANSLATE_NOOP("Actions", "Save task &as..."), "Ctrl+Shift+S"},
        {"export_graph", "&File", QT_TRANSLATE_NOOP("Actions", "&Export graph..."), "Ctrl+Shift+G"},
        {"connect", "&File", QT_TRANSLATE_NOOP("Actions", "Co&nnect to cluster..."), ""},
        {"start_cluster", "&File", QT_TRANSLATE_NOOP("Actions", "Start a cl&uster on this machine"), ""},
        {"open_recording", "&File", QT_TRANSLATE_NOOP("Actions", "Open recor&ding..."), ""},
        {"record", "&File", QT_TRANSLATE_NOOP("Actions", "&Record"), "Ctrl+Shift+R"},
        {"close", "&File", QT_TRANSLATE_NOOP("Actions", "&Close model"), "Ctrl+W"},
        {"quit", "&File", QT_TRANSLATE_NOOP("Actions", "&Quit"), "Ctrl+Q"},
        {"undo", QT_TRANSLATE_NOOP("Actions", "&Edit"), QT_TRANSLATE_NOOP("Actions", "&Undo"), "Ctrl+Z", "undo"},
        {"redo", "&Edit", QT_TRANSLATE_NOOP("Actions", "&Redo"), "Ctrl+Shift+Z; Ctrl+Y", "redo"},
        {"find", "&Edit", QT_TRANSLATE_NOOP("Actions", "&Find operator"), "Ctrl+F", "search"},
        {"find_next", "&Edit", QT_TRANSLATE_NOOP("Actions", "Find &next"), "F3"},
        {"find_previous", "&Edit", QT_TRANSLATE_NOOP("Actions", "Find &previous"), "Shift+F3"},
        {"add_cut", QT_TRANSLATE_NOOP("Actions", "&Cuts"), QT_TRANSLATE_NOOP("Actions", "&Add cut"), "Insert; Ctrl+D",
         "cut_add"},
        {"remove_cut", "&Cuts", QT_TRANSLATE_NOOP("Actions", "&Remove focused cut"), "Delete", "cut_remove"},
        {"equal", "&Cuts", QT_TRANSLATE_NOOP("Actions", "&Equal FLOPs"), "Ctrl+E", "equal",
         QT_TRANSLATE_NOOP("Actions", "Equal")},
        {"optimize", "&Cuts", QT_TRANSLATE_NOOP("Actions", "&Optimize"), "Ctrl+Alt+O", "optimize",
         QT_TRANSLATE_NOOP("Actions", "Optimize")},
        {"clear_cuts", "&Cuts", QT_TRANSLATE_NOOP("Actions", "Remove a&ll cuts"), "Ctrl+Shift+Delete"},
        {"next_cut", "&Cuts", QT_TRANSLATE_NOOP("Actions", "&Next cut"), "]"},
        {"previous_cut", "&Cuts", QT_TRANSLATE_NOOP("Actions", "&Previous cut"), "["},
        {"paint", "&Cuts", QT_TRANSLATE_NOOP("Actions", "Pa&int segments"), "P", "paint",
         QT_TRANSLATE_NOOP("Actions", "Paint")},
        {"new_segment", "&Cuts", QT_TRANSLATE_NOOP("Actions", "Ne&w segment"), "N"},
        {"mend", "&Cuts", QT_TRANSLATE_NOOP("Actions", "&Mend segments"), "M"},
        {"to_cuts", "&Cuts", QT_TRANSLATE_NOOP("Actions", "&Back to cuts"), ""},
    };
}

/// Returns the actions of the View menu.
std::vector<ActionSpec> view_actions() {
    return {
        {"workspace_split", QT_TRANSLATE_NOOP("Actions", "&View"), QT_TRANSLATE_NOOP("Actions", "Split wor&kspace"),
         "Ctrl+1", "graph", QT_TRANSLATE_NOOP("Actions", "Split")},
        {"workspace_train", "&View", QT_TRANSLATE_NOOP("Actions", "&Train workspace"), "Ctrl+2", "units",
         QT_TRANSLATE_NOOP("Actions", "Train")},
        {"workspace_mesh", "&View", QT_TRANSLATE_NOOP("Actions", "&Mesh workspace"), "Ctrl+3", "topology",
         QT_TRANSLATE_NOOP("Actions", "Mesh")},
        {"workspace_faults", "&View", QT_TRANSLATE_NOOP("Actions", "Fa&ults workspace"), "Ctrl+4", "faults",
         QT_TRANSLATE_NOOP("Actions", "Faults")},
        {"workspace_models", "&View", QT_TRANSLATE_NOOP("Actions", "Mo&dels workspace"), "Ctrl+5", "models",
         QT_TRANSLATE_NOOP("Actions", "Models")},
        {"reset_layout", "&View", QT_TRANSLATE_NOOP("Actions", "&Reset layout"), ""},
        {"presenter", "&View", QT_TRANSLATE_NOOP("Actions", "Presenter mode"), "F11"},
        {"next_step", "&View", QT_TRANSLATE_NOOP("Actions", "Next step of the scenario"), "PgDown"},
        {"previous_step", "&View", QT_TRANSLATE_NOOP("Actions", "Previous step of the scenario"), "PgUp"},
        {"speaker_notes", "&View", QT_TRANSLATE_NOOP("Actions", "Speaker notes"), "Ctrl+Shift+N"},
        {"model_graph", "&View", QT_TRANSLATE_NOOP("Actions", "Model &graph"), ""},
        {"score", "&View", QT_TRANSLATE_NOOP("Actions", "&Score"), "S", "score", QT_TRANSLATE_NOOP("Actions", "Score")},
        {"task_graph", "&View", QT_TRANSLATE_NOOP("Actions", "Task grap&h"), ""},
        {"topology", "&View", QT_TRANSLATE_NOOP("Actions", "To&pology"), ""},
        {"play_recording", "&View", QT_TRANSLATE_NOOP("Actions", "P&lay or pause the time shown"), "Ctrl+Space"},
        {"go_live", "&View", QT_TRANSLATE_NOOP("Actions", "&Back to now"), "Ctrl+L"},
        {"zoom_in", "&View", QT_TRANSLATE_NOOP("Actions", "Zoom &in"), "+; =; Ctrl++", "zoom_in"},
        {"zoom_out", "&View", QT_TRANSLATE_NOOP("Actions", "Zoom &out"), "-; Ctrl+-", "zoom_out"},
        {"zoom_reset", "&View", QT_TRANSLATE_NOOP("Actions", "&Actual size"), "Ctrl+0"},
        {"fit", "&View", QT_TRANSLATE_NOOP("Actions", "&Fit graph"), "0", "fit"},
        {"centre", "&View", QT_TRANSLATE_NOOP("Actions", "C&entre the selection, then fit"), "F"},
        {"fit_width", "&View", QT_TRANSLATE_NOOP("Actions", "Fit &width"), "W"},
        {"open_all", "&View", QT_TRANSLATE_NOOP("Actions", "Ope&n all scopes"), "Ctrl+Shift+E"},
        {"close_all", "&View", QT_TRANSLATE_NOOP("Actions", "&Close all scopes"), "Ctrl+Shift+C"},
        {"colour_next", "&View", QT_TRANSLATE_NOOP("Actions", "Ne&xt colouring"), "C"},
        {"colour_nothing", "&View", QT_TRANSLATE_NOOP("Actions", "Blocks without colours"), ""},
        {"colour_segment", "&View", QT_TRANSLATE_NOOP("Actions", "Colour blocks by segment"), ""},
        {"colour_time", "&View", QT_TRANSLATE_NOOP("Actions", "Colour blocks by time"), ""},
        {"colour_memory", "&View", QT_TRANSLATE_NOOP("Actions", "Colour blocks by memory"), ""},
        {"colour_bytes", "&View", QT_TRANSLATE_NOOP("Actions", "Colour blocks by bytes"), ""},
    };
}

/// Returns the actions of all other menus.
std::vector<ActionSpec> window_actions() {
    return {
        {"run", QT_TRANSLATE_NOOP("Actions", "&Task"), QT_TRANSLATE_NOOP("Actions", "&Run task"), "F5", "run",
         QT_TRANSLATE_NOOP("Actions", "Run")},
        {"stop", "&Task", QT_TRANSLATE_NOOP("Actions", "S&top task"), "Shift+F5", "stop",
         QT_TRANSLATE_NOOP("Actions", "Stop")},
        {"advice", "&Task", QT_TRANSLATE_NOOP("Actions", "Ad&vise other cuts"), ""},
        {"measure", "&Task", QT_TRANSLATE_NOOP("Actions", "&Measure operators"), ""},
        {"new_task", "&Task", QT_TRANSLATE_NOOP("Actions", "&New task"), "Ctrl+N", "new_task",
         QT_TRANSLATE_NOOP("Actions", "New task")},
        {"cut_link", QT_TRANSLATE_NOOP("Actions", "&Demonstrate"), QT_TRANSLATE_NOOP("Actions", "&Cut link"), ""},
        {"slow_link", "&Demonstrate", QT_TRANSLATE_NOOP("Actions", "&Slow link..."), ""},
        {"kill_router", "&Demonstrate", QT_TRANSLATE_NOOP("Actions", "&Kill router"), ""},
        {"kill_instance", "&Demonstrate", QT_TRANSLATE_NOOP("Actions", "Kill &instance"), ""},
        {"kill_node", "&Demonstrate", QT_TRANSLATE_NOOP("Actions", "Kill &node"), ""},
        {"pause_instance", "&Demonstrate", QT_TRANSLATE_NOOP("Actions", "&Pause instance..."), ""},
        {"heal_link", "&Demonstrate", QT_TRANSLATE_NOOP("Actions", "&Heal link"), ""},
        {"heal_all", "&Demonstrate", QT_TRANSLATE_NOOP("Actions", "Heal &all links"), ""},
        {"dark", QT_TRANSLATE_NOOP("Actions", "&Settings"), QT_TRANSLATE_NOOP("Actions", "&Dark theme"),
         "Ctrl+Shift+D"},
        {"system_theme", "&Settings", QT_TRANSLATE_NOOP("Actions", "S&ystem theme"), ""},
        {"toolbar_text", "&Settings", QT_TRANSLATE_NOOP("Actions", "&Text in the toolbar"), ""},
        {"go_to_train", "&Settings", QT_TRANSLATE_NOOP("Actions", "&Go to Train when a task starts"), ""},
        {"english", "&Settings", "&English", ""},
        {"chinese", "&Settings", "\u7b80\u4f53\u4e2d\u6587(&C)", ""},
        {"settings", "&Settings", QT_TRANSLATE_NOOP("Actions", "&All settings..."), "Ctrl+,"},
        {"help", QT_TRANSLATE_NOOP("Actions", "&Help"), QT_TRANSLATE_NOOP("Actions", "&Manual"), "F1"},
        {"guide_cut", "&Help", QT_TRANSLATE_NOOP("Actions", "Guide: c&ut and train"), ""},
        {"guide_link", "&Help", QT_TRANSLATE_NOOP("Actions", "Guide: &break a link"), ""},
        {"guide_recut", "&Help", QT_TRANSLATE_NOOP("Actions", "Guide: mo&ve a cut while training"), ""},
        {"palette", "&Help", QT_TRANSLATE_NOOP("Actions", "&Command palette"), "Ctrl+Shift+P"},
        {"keys", "&Help", QT_TRANSLATE_NOOP("Actions", "&Keys"), "?"},
        {"about", "&Help", QT_TRANSLATE_NOOP("Actions", "&About Divisi..."), ""},
    };
}

const std::vector<ActionSpec>& table() {
    static const std::vector<ActionSpec> specs = [] {
        std::vector<ActionSpec> all = document_actions();
        for (const auto& more : {view_actions(), window_actions()}) all.insert(all.end(), more.begin(), more.end());
        return all;
    }();
    return specs;
}

}  // namespace

Actions::Actions(QObject* parent) : QObject(parent) {
    for (const ActionSpec& spec : table()) {
        auto* action = new QAction(this);
        action->setObjectName(QString::fromLatin1(spec.id));
        if (*spec.shortcut) action->setShortcuts(QKeySequence::listFromString(QString::fromLatin1(spec.shortcut)));
        actions_.emplace_back(spec, action);
        by_id_[spec.id] = action;
    }
    retranslate();
}

QAction* Actions::get(std::string_view id) const {
    QAction* action = find(id);
    assert(action);
    return action;
}

QAction* Actions::find(std::string_view id) const {
    const auto found = by_id_.find(id);
    return found == by_id_.end() ? nullptr : found->second;
}

QStringList Actions::ids() const {
    QStringList ids;
    for (const auto& [spec, action] : actions_) ids << QString::fromLatin1(spec.id);
    return ids;
}

QString Actions::menu_title(const char* menu) { return QCoreApplication::translate(translation_context, menu); }

void Actions::retranslate() {
    for (const auto& [spec, action] : actions_) {
        action->setText(QCoreApplication::translate(translation_context, spec.text));
        const QString plain = plain_text(*action);
        // A toolbar with text beside icons shows no text for actions of low priority.
        const bool has_short = *spec.short_text != '\0';
        action->setIconText(has_short ? QCoreApplication::translate(translation_context, spec.short_text) : plain);
        action->setPriority(has_short ? QAction::NormalPriority : QAction::LowPriority);
        const QString why = why_not(spec.id);
        action->setToolTip(why.isEmpty() ? usual_tip(*action) : why);
    }
}

QString Actions::usual_tip(const QAction& action) {
    const QString plain = plain_text(action), key = action.shortcut().toString(QKeySequence::NativeText);
    return key.isEmpty() ? plain : QStringLiteral("%1 (%2)").arg(plain, key);
}

void Actions::allow(std::string_view id, const QString& why_not) {
    QAction* action = get(id);
    if (action->isEnabled() == why_not.isEmpty() && why_not == this->why_not(id)) return;
    if (why_not.isEmpty()) why_not_.erase(id);
    else why_not_[id_of(id)] = why_not;
    action->setEnabled(why_not.isEmpty());
    action->setToolTip(why_not.isEmpty() ? usual_tip(*action) : why_not);
}

QString Actions::why_not(std::string_view id) const {
    const auto found = why_not_.find(id);
    return found == why_not_.end() ? QString() : found->second;
}

/// Returns the stored id, which outlives the caller's string.
std::string_view Actions::id_of(std::string_view id) const { return by_id_.find(id)->first; }

bool Actions::of_graph(std::string_view id) {
    static constexpr std::string_view ids[] = {
        "add_cut",     "remove_cut", "equal",   "optimize", "clear_cuts", "next_cut", "previous_cut", "paint",
        "new_segment", "mend",       "to_cuts", "score",    "fit_width",  "open_all", "close_all",    "colour_next"};
    return std::ranges::find(ids, id) != std::end(ids);
}

void Actions::update_icons(const QPalette& palette) {
    for (const auto& [spec, action] : actions_) action->setIcon(themed_icon(QString::fromLatin1(spec.icon), palette));
}

const std::vector<ViewKey>& Actions::view_keys() {
    static const std::vector<ViewKey> keys{
        {"Tab, Shift+Tab", QT_TRANSLATE_NOOP("Actions", "Go to the next cut; after the last cut, leave the graph")},
        {"\u2191 \u2193",
         QT_TRANSLATE_NOOP("Actions", "Move the focused cut by one legal position; without one, move the selection")},
        {"Shift+\u2191 \u2193", QT_TRANSLATE_NOOP("Actions", "Move the focused cut by ten legal positions")},
        {"Esc",
         QT_TRANSLATE_NOOP("Actions", "Cancel a drag; end a layout; deselect a cut; leave painting; close the search")},
        {"1 \u2026 9",
         QT_TRANSLATE_NOOP("Actions", "Paint the selection with this segment; while painting, choose this segment")},
        {QT_TRANSLATE_NOOP("Actions", "Shift+\u2191 \u2193, Shift+Click, Ctrl+Click"),
         QT_TRANSLATE_NOOP("Actions", "Select several blocks")},
        {QT_TRANSLATE_NOOP("Actions", "Drag"),
         QT_TRANSLATE_NOOP("Actions",
                           "While painting: paint the blocks under the pointer; from empty space, draw a "
                           "frame around blocks")},
        {QT_TRANSLATE_NOOP("Actions", "Shift+Drag"),
         QT_TRANSLATE_NOOP("Actions", "While painting: paint the blocks inside a lasso")},
        {QT_TRANSLATE_NOOP("Actions", "Alt"),
         QT_TRANSLATE_NOOP("Actions", "While a cut is dragged: show where it would land, without snapping")},
        {QT_TRANSLATE_NOOP("Actions", "Ctrl+Click"),
         QT_TRANSLATE_NOOP("Actions", "While painting: choose the segment of a block")},
        {QT_TRANSLATE_NOOP("Actions", "Middle button"), QT_TRANSLATE_NOOP("Actions", "Move the graph")},
        {"\u2190 \u2192, Shift+\u2190 \u2192",
         QT_TRANSLATE_NOOP("Actions",
                           "In the score: move the focused cut by one or ten legal positions; without one, move the "
                           "selection")},
        {"\u2190 \u2192, Shift+\u2190 \u2192",
         QT_TRANSLATE_NOOP("Actions", "In the cost landscape: move its cut by one or ten legal positions")},
        {QT_TRANSLATE_NOOP("Actions", "Enter"), QT_TRANSLATE_NOOP("Actions", "Open or close the selected scope")},
        {QT_TRANSLATE_NOOP("Actions", "Backspace"),
         QT_TRANSLATE_NOOP("Actions", "Close the scope around the selection")},
        {"Home, End", QT_TRANSLATE_NOOP("Actions", "Go to the first or last operator")},
        {"Page Up, Page Down", QT_TRANSLATE_NOOP("Actions", "Scroll by a page; in presenter mode: go one step")},
        {"Esc", QT_TRANSLATE_NOOP("Actions", "In presenter mode, with nothing to cancel or deselect: leave the mode")},
        {QT_TRANSLATE_NOOP("Actions", "Alt"), QT_TRANSLATE_NOOP("Actions", "In presenter mode: show the menu")},
        {"\u2190 \u2191 \u2192 \u2193, Home",
         QT_TRANSLATE_NOOP("Actions", "In the topology: go to the next element, or to the first")},
        {QT_TRANSLATE_NOOP("Actions", "Shift+\u2190 \u2191 \u2192 \u2193, Drag"),
         QT_TRANSLATE_NOOP("Actions", "In the topology: move a MIC or a router")},
        {QT_TRANSLATE_NOOP("Actions", "Enter, double click"),
         QT_TRANSLATE_NOOP("Actions", "In the topology: show the element's details")},
        {"\u2190 \u2191 \u2192 \u2193, Esc",
         QT_TRANSLATE_NOOP("Actions", "In the task graph: go to the next unit; after the last unit, leave the graph")},
        {"\u2190 \u2192, Shift+\u2190 \u2192",
         QT_TRANSLATE_NOOP("Actions", "In the telemetry: move the cursor of the curves by a pixel, or by ten")},
        {"+ \u2212, 0, Home",
         QT_TRANSLATE_NOOP("Actions", "In the telemetry: zoom in or out at the cursor; go back, then show all steps")},
        {QT_TRANSLATE_NOOP("Actions", "Enter"),
         QT_TRANSLATE_NOOP("Actions", "In the telemetry: select the step or the moment at the cursor")},
        {"Ctrl+\u2190 \u2192", QT_TRANSLATE_NOOP("Actions", "In the telemetry: move the chart forward or back")},
        {"\u2190 \u2192", QT_TRANSLATE_NOOP("Actions", "In the timeline: move forward or back by a tenth of the view")},
        {"Shift+\u2190 \u2192",
         QT_TRANSLATE_NOOP("Actions",
                           "In the timeline: select a range to sum; grow or shrink it by a twentieth of the "
                           "view")},
        {"+ \u2212, 0, Home", QT_TRANSLATE_NOOP("Actions", "In the timeline: zoom in or out, or show the whole step")},
        {"Esc", QT_TRANSLATE_NOOP("Actions", "In the timeline: clear the selected range")},
        {QT_TRANSLATE_NOOP("Actions", "Menu, Shift+F10"),
         QT_TRANSLATE_NOOP("Actions", "In a table: open the menu of the selected row; sort by a column")},
        {"Ctrl+C", QT_TRANSLATE_NOOP("Actions", "In a table: copy the selected rows, or all if none is selected")},
        {QT_TRANSLATE_NOOP("Actions", "Delete"),
         QT_TRANSLATE_NOOP("Actions", "In a table of exceptions or versions: drop the selected one")},
        {QT_TRANSLATE_NOOP("Actions", "Wheel"),
         QT_TRANSLATE_NOOP("Actions", "Zoom at the pointer; with Shift: scroll")},
    };
    return keys;
}

}  // namespace divisi::shell

#include "moc_actions.cpp"
