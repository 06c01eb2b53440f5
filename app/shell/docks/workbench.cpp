// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/docks/workbench.h"

#include <QAbstractItemView>
#include <QChildEvent>
#include <QLayout>
#include <QScopeGuard>
#include <QScreen>
#include <QTabBar>
#include <algorithm>
#include <utility>

#include "app/shell/basics/theme.h"

namespace divisi::shell {

namespace {

/// Version of saved layouts; layouts of other versions are ignored. Increase it whenever an old layout would place
/// docks badly.
constexpr int layout_version = 7;

/// Share of the height that docks initially leave to the centre.
constexpr double centre_share = 0.4;
/// Approximate height of the parts of the window around the workbench, used until the workbench is shown.
constexpr int frame_px = 140;

QString layout_key(Workspace workspace) { return QStringLiteral("workspaces/") + name(workspace); }

Qt::DockWidgetArea area_of(Area area) {
    switch (area) {
        case Area::left: return Qt::LeftDockWidgetArea;
        case Area::right: return Qt::RightDockWidgetArea;
        case Area::top: return Qt::TopDockWidgetArea;
        case Area::bottom:
        case Area::centre: break;
    }
    return Qt::BottomDockWidgetArea;
}

/// A stack of the centre views. Only the shown page determines its minimum size.
class CentreStack : public QStackedWidget {
public:
    explicit CentreStack(QWidget* parent) : QStackedWidget(parent) {
        connect(this, &QStackedWidget::currentChanged, this, [this] { updateGeometry(); });
    }
    QSize minimumSizeHint() const override {
        const QWidget* page = currentWidget();
        return page ? page->minimumSizeHint().expandedTo(page->minimumSize()) : QSize(0, 0);
    }
};

bool takes_keys(const QWidget& widget, const QWidget& view) {
    const bool takes = (widget.focusPolicy() & Qt::TabFocus) && widget.isEnabled();
    return takes && widget.isVisibleTo(&view);
}

/// Sets the focus to the view itself or to its main widget. Tables and trees are preferred to the fields and buttons
/// around them.
void give_keys(QWidget& view) {
    if (takes_keys(view, view)) return view.setFocus();
    QWidget* first = nullptr;
    for (QWidget* widget = view.nextInFocusChain(); widget != &view; widget = widget->nextInFocusChain()) {
        if (!view.isAncestorOf(widget) || !takes_keys(*widget, view)) continue;
        if (!first || (qobject_cast<QAbstractItemView*>(widget) && !qobject_cast<QAbstractItemView*>(first)))
            first = widget;
    }
    if (first) first->setFocus();
}

bool has_tabs(Area area) { return area == Area::top || area == Area::bottom; }

}  // namespace

const Place* place_in(const ViewSpec& spec, Workspace workspace) {
    for (const Place& place : spec.places)
        if (place.workspace == workspace) return &place;
    return nullptr;
}

Workbench::Workbench(AppContext& context, QWidget* parent)
    : QMainWindow(parent), context_(context), stack_(new CentreStack(this)) {
    setWindowFlags(Qt::Widget);
    setObjectName(QStringLiteral("workbench"));
    setDockNestingEnabled(true);
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    setCentralWidget(stack_);
    title_timer_.setSingleShot(true);
    title_timer_.setInterval(0);
    connect(&title_timer_, &QTimer::timeout, this, &Workbench::show_titles);
    fit_timer_.setSingleShot(true);
    fit_timer_.setInterval(0);
    connect(&fit_timer_, &QTimer::timeout, this, &Workbench::fit_docks);
    // Connect this slot before the views connect theirs, because the graph must be fitted after the docks are shown
    // or hidden.
    connect(&context_.document, &model::GraphDocument::modelChanged, this, [this] {
        show_centre();
        collapse();
        if (isVisible()) layout()->activate();
    });
    make_views();
    for (const Workspace workspace : all_workspaces)
        kept_[workspace] = context_.settings.value(layout_key(workspace)).toByteArray();
    connect(&context_, &AppContext::taskFollowed, this, &Workbench::collapse);
    const auto last = parse_workspace(context_.settings.value(QStringLiteral("workspace")).toString());
    workspace_ = last.value_or(Workspace::split);
    if (!restoreState(kept_[workspace_], layout_version)) arrange();
    show_centre();
    collapse();
    retranslate();
    title_timer_.start();
}

Workbench::~Workbench() {
    for (const Entry& entry : entries_)
        if (entry.dock) entry.dock->disconnect(this);  // docks send signals until they are destroyed
}

void Workbench::make_views() {
    for (const ViewSpec& spec : views()) {
        Entry entry{&spec};
        if (spec.places.front().area == Area::centre) {
            entry.view = spec.make(context_, stack_);
            stack_->addWidget(entry.view);
        } else {
            add_dock(entry);
        }
        entries_.push_back(entry);
    }
}

void Workbench::add_dock(Entry& entry) {
    entry.dock = new QDockWidget(this);
    entry.dock->setObjectName(QString::fromLatin1(entry.spec->name));
    entry.view = entry.spec->make(context_, entry.dock);
    entry.dock->setWidget(entry.view);
    entry.title = new DockTitle(*entry.dock);
    entry.dock->setTitleBarWidget(entry.title);
    addDockWidget(Qt::BottomDockWidgetArea, entry.dock);
    const auto look = [this] { title_timer_.start(); };
    connect(entry.dock, &QDockWidget::dockLocationChanged, this, look);
    connect(entry.dock, &QDockWidget::topLevelChanged, this, look);
    connect(entry.dock, &QDockWidget::visibilityChanged, this, look);
    // A dock that the user opens is shown even if it is empty.
    connect(entry.dock->toggleViewAction(), &QAction::triggered, this, [this, dock = entry.dock] { ask_for(dock); });
    entry.go = new QAction(this);
    connect(entry.go, &QAction::triggered, this, [this, view = entry.view] {
        show_view(*view);
        give_keys(*view);
    });
}

const Workbench::Entry* Workbench::entry_of(const QWidget& view) const {
    const auto found = std::ranges::find_if(entries_, [&](const Entry& entry) { return entry.view == &view; });
    return found == entries_.end() ? nullptr : &*found;
}

const Workbench::Entry* Workbench::centre_of(Workspace workspace) const {
    const auto found = std::ranges::find_if(entries_, [&](const Entry& entry) {
        const Place* place = place_in(*entry.spec, workspace);
        return place && place->area == Area::centre;
    });
    return found == entries_.end() ? nullptr : &*found;
}

QWidget* Workbench::centre() const {
    const Entry* entry = centre_of(workspace_);
    return entry ? entry->view : nullptr;
}

void Workbench::set_start_page(QWidget* page) {
    start_page_ = page;
    stack_->addWidget(page);
    show_centre();
}

void Workbench::show_centre() {
    QWidget* shown = centre();
    if (workspace_ == Workspace::split && start_page_ && !context_.document.model()) shown = start_page_;
    if (shown) stack_->setCurrentWidget(shown);
    stack_->setVisible(shown != nullptr);
}

void Workbench::set_workspace(Workspace workspace) {
    if (workspace == workspace_) return;
    setUpdatesEnabled(false);  // avoid flicker, because docks are shown and hidden one by one
    const auto update = qScopeGuard([this] { setUpdatesEnabled(true); });
    keep();
    workspace_ = workspace;
    hide_others();
    show_centre();
    if (!restoreState(kept_[workspace_], layout_version)) arrange();
    collapse();
    fit_docks();
    Q_EMIT workspaceChanged();
}

void Workbench::reset_layout() {
    collapsed_.clear();
    arrange();
    collapse();
}

/// Hides the docks of other workspaces. Call this before showing the new docks: if the window briefly contained both,
/// it would grow and stay large.
void Workbench::hide_others() {
    for (const Entry& entry : entries_)
        if (entry.dock && !place_in(*entry.spec, workspace_)) entry.dock->hide();
}

void Workbench::arrange() {
    hide_others();
    for (const Entry& entry : entries_)
        if (entry.dock) entry.dock->setFloating(false);
    for (const bool belongs : {true, false})
        for (const Entry& entry : entries_) {
            const Place* where = place_in(*entry.spec, workspace_);
            if (entry.dock && (where != nullptr) == belongs) place(entry, where ? where->area : Area::bottom);
        }
    raise_first();
    give_room();
}

void Workbench::place(const Entry& entry, Area area) {
    addDockWidget(area_of(area), entry.dock);
    if (has_tabs(area))
        for (const Entry& other : entries_)
            if (other.dock && other.dock != entry.dock && !other.dock->isHidden() &&
                dockWidgetArea(other.dock) == area_of(area) && place_in(*other.spec, workspace_)) {
                tabifyDockWidget(other.dock, entry.dock);
                break;
            }
    entry.dock->setVisible(place_in(*entry.spec, workspace_) != nullptr);
}

/// Raises the first tab of each row of tabs.
void Workbench::raise_first() {
    std::set<Area> seen;
    for (const Entry& entry : entries_) {
        const Place* where = place_in(*entry.spec, workspace_);
        if (entry.dock && where && has_tabs(where->area) && seen.insert(where->area).second) entry.dock->raise();
    }
}

/// Returns the factor, at most 1, for the heights of the docks above and below the centre. With this factor, the centre
/// keeps its share even on a small screen.
double Workbench::granted_share() const {
    if (!centre()) return 1;
    std::set<Area> asked;
    int wanted = 0;
    for (const Entry& entry : entries_) {
        const Place* where = place_in(*entry.spec, workspace_);
        if (entry.dock && where && has_tabs(where->area) && asked.insert(where->area).second)
            wanted += where->extent_px;
    }
    const int most = std::min(window()->height(), screen()->availableGeometry().height());
    const int room = isVisible() ? height() : most - frame_px;
    return std::min(1.0, (1 - centre_share) * room / std::max(1, wanted));
}

void Workbench::give_room() {
    const double share = granted_share();
    std::set<Area> given;
    for (const Entry& entry : entries_) {
        const Place* where = place_in(*entry.spec, workspace_);
        if (!entry.dock || !where || !given.insert(where->area).second || where->extent_px == 0) continue;
        const bool across = has_tabs(where->area);
        const int extent_px = across ? static_cast<int>(share * where->extent_px) : where->extent_px;
        resizeDocks({entry.dock}, {extent_px}, across ? Qt::Vertical : Qt::Horizontal);
    }
}

void Workbench::show_view(QWidget& view) {
    const Entry* entry = entry_of(view);
    if (!entry) return;
    if (!place_in(*entry->spec, workspace_)) set_workspace(entry->spec->places.front().workspace);
    raise_view(view);
    if (!entry->dock) view.setFocus();
}

void Workbench::show_view(const ViewSpec& spec) {
    const auto found = std::ranges::find(entries_, &spec, &Entry::spec);
    if (found != entries_.end()) show_view(*found->view);
}

void Workbench::raise_view(QWidget& view) {
    const Entry* entry = entry_of(view);
    if (!entry || !entry->dock || !place_in(*entry->spec, workspace_)) return;
    ask_for(entry->dock);
    entry->dock->show();
    entry->dock->raise();
}

void Workbench::ask_for(QDockWidget* dock) {
    collapsed_.erase(dock);
    crowded_.erase(dock);
    asked_ = dock;
}

/// Stores the layout of the current workspace. Docks that are hidden only because they are empty or do not fit are
/// stored as visible.
void Workbench::keep() {
    expand();
    kept_[workspace_] = saveState(layout_version);
}

void Workbench::save() {
    keep();
    collapse();
    for (const auto& [workspace, state] : kept_)
        if (!state.isEmpty()) context_.settings.setValue(layout_key(workspace), state);
    context_.settings.setValue(QStringLiteral("workspace"), name(workspace_));
}

Workbench::Arrangement Workbench::arrangement() const {
    return {workspace_, saveState(layout_version), kept_, collapsed_};
}

void Workbench::bring_back(const Arrangement& arrangement) {
    setUpdatesEnabled(false);
    const auto update = qScopeGuard([this] { setUpdatesEnabled(true); });
    workspace_ = arrangement.workspace;
    kept_ = arrangement.kept;
    collapsed_ = arrangement.collapsed;
    crowded_.clear();
    show_centre();
    if (isVisible()) layout()->activate();  // the saved sizes apply to the current size of the window
    restoreState(arrangement.shown, layout_version);
    collapse();
    Q_EMIT workspaceChanged();
}

void Workbench::set_bare(bool bare) {
    bare_ = bare;
    show_titles();
    asked_ = nullptr;
    grown_ = true;
    if (bare) return fit_timer_.start();
    show_crowded();
    collapse();
}

/// Returns whether no dock overlaps another or the centre.
bool Workbench::fits() const {
    const QSize least = layout()->minimumSize();
    return least.width() <= width() && least.height() <= height();
}

void Workbench::hide_crowded() {
    for (auto entry = entries_.rbegin(); entry != entries_.rend() && !fits(); ++entry) {
        QDockWidget* dock = entry->dock;
        if (!dock || dock == asked_ || dock->isHidden() || dock->isFloating()) continue;
        crowded_.insert(dock);
        dock->hide();
    }
}

void Workbench::show_crowded() {
    for (QDockWidget* dock : std::exchange(crowded_, {})) dock->show();
}

/// Hides docks that do not fit. After the window has grown, shows hidden docks that fit again.
void Workbench::fit_docks() {
    if (!bare_ || !isVisible()) return;
    setUpdatesEnabled(false);
    const auto update = qScopeGuard([this] { setUpdatesEnabled(true); });
    std::vector<QDockWidget*> front;  // the docks on top of their tabs
    for (const Entry& entry : entries_)
        if (entry.dock && !entry.dock->visibleRegion().isEmpty()) front.push_back(entry.dock);
    if (std::exchange(grown_, false)) show_crowded();
    hide_crowded();
    if (fits()) show_what_fits();
    for (QDockWidget* dock : front)
        if (!dock->isHidden()) dock->raise();
}

/// Shows again those hidden docks that fit after all, such as docks at the bottom if only the width was too small.
void Workbench::show_what_fits() {
    for (const Entry& entry : entries_) {
        if (!crowded_.contains(entry.dock)) continue;
        entry.dock->show();
        if (fits()) crowded_.erase(entry.dock);
        else entry.dock->hide();
    }
}

void Workbench::collapse() {
    for (const Entry& entry : entries_) {
        if (!entry.dock || !entry.spec->empty) continue;
        const bool empty = entry.spec->empty(context_);
        if (empty && !entry.dock->isHidden() && !entry.dock->isFloating()) {
            collapsed_.insert(entry.dock);
            entry.dock->hide();
        } else if (!empty && collapsed_.erase(entry.dock) > 0) {
            entry.dock->show();
        }
    }
}

void Workbench::expand() {
    for (QDockWidget* dock : std::exchange(collapsed_, {})) dock->show();
    show_crowded();
}

/// Shows dock titles, except where a tab names the dock.
void Workbench::show_titles() {
    for (const Entry& entry : entries_) {
        if (!entry.dock) continue;
        bool tab = false;
        if (!entry.dock->isFloating())
            for (const QDockWidget* other : tabifiedDockWidgets(entry.dock)) tab = tab || !other->isHidden();
        entry.title->set_shown(!tab && (!bare_ || entry.dock->isFloating()));
    }
    show_tab_icons();
}

/// Sets icons on tabs. QMainWindow creates the tab bars with titles only.
void Workbench::show_tab_icons() {
    std::map<QString, QIcon> icons;
    for (const Entry& entry : entries_)
        if (entry.dock) icons[entry.dock->windowTitle()] = entry.go->icon();
    for (QTabBar* tabs : findChildren<QTabBar*>(Qt::FindDirectChildrenOnly))
        for (int tab = 0; tab < tabs->count(); ++tab) {
            const auto icon = icons.find(tabs->tabText(tab));
            if (icon != icons.end() && icon->second.cacheKey() != tabs->tabIcon(tab).cacheKey())
                tabs->setTabIcon(tab, icon->second);
        }
}

void Workbench::update_icons(const QPalette& palette) {
    for (const Entry& entry : entries_)
        if (entry.go) entry.go->setIcon(themed_icon(QString::fromLatin1(entry.spec->icon), palette));
    show_tab_icons();
}

std::vector<std::pair<const ViewSpec*, QWidget*>> Workbench::all_views() const {
    std::vector<std::pair<const ViewSpec*, QWidget*>> all;
    for (const Entry& entry : entries_) all.emplace_back(entry.spec, entry.view);
    return all;
}

std::vector<QAction*> Workbench::view_actions() const {
    std::vector<QAction*> actions;
    for (const Entry& entry : entries_)
        if (entry.go) actions.push_back(entry.go);
    return actions;
}

std::vector<QAction*> Workbench::dock_actions() const {
    std::vector<QAction*> actions;
    for (const Entry& entry : entries_)
        if (entry.dock) actions.push_back(entry.dock->toggleViewAction());
    return actions;
}

void Workbench::retranslate() {
    for (const Entry& entry : entries_) {
        if (!entry.dock) continue;
        entry.dock->setWindowTitle(view_title(*entry.spec));
        entry.go->setText(entry.dock->windowTitle());
    }
    stack_->setAccessibleName(tr("Graph"));
}

bool Workbench::event(QEvent* event) {
    // Check the type first: the first child event arrives before the members are initialised.
    if (event->type() == QEvent::Resize && bare_) grown_ = true;
    const bool resized = event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest;
    const bool done = QMainWindow::event(event);
    // a layout request may mean that there are new tabs
    if (event->type() == QEvent::LayoutRequest && !title_timer_.isActive()) title_timer_.start();
    if (resized && bare_ && (grown_ || !fits())) fit_timer_.start();
    return done;
}

/// Makes new tab bars scroll if their tabs do not fit, because tabs shortened to "Ta..." and "Te..." would be useless.
void Workbench::childEvent(QChildEvent* event) {
    QMainWindow::childEvent(event);
    auto* tabs = event->type() == QEvent::ChildPolished ? qobject_cast<QTabBar*>(event->child()) : nullptr;
    if (tabs == nullptr) return;
    tabs->setElideMode(Qt::ElideNone);
    tabs->setUsesScrollButtons(true);
}

}  // namespace divisi::shell

#include "moc_workbench.cpp"
