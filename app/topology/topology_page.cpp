// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/topology/topology_page.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QScopedValueRollback>
#include <QShortcut>
#include <QSplitter>
#include <QVBoxLayout>
#include <tuple>
#include <utility>

#include "app/model/wording/states.h"
#include "app/topology/element_details.h"
#include "app/topology/slow_link_dialog.h"
#include "backend/control/protocol/fault_messages.h"

namespace divisi::topology {

namespace {

/// Interval of requests in ms, equal to the interval of reports from gateways and routers.
constexpr int poll_ms = 500;

}  // namespace

TopologyPage::TopologyPage(QSettings& settings, client::Client* client, QWidget* parent)
    : QWidget(parent),
      settings_(settings),
      client_(client),
      stack_(new QStackedWidget(this)),
      empty_(new QLabel(this)),
      map_(new MeshMap(this)),
      details_(new QWidget(this)),
      details_title_(new QLabel(details_)),
      details_rows_(new QTableWidget(0, 2, details_)),
      legend_(new QLabel(this)),
      idle_(new QToolButton(this)),
      anew_(new QPushButton(this)),
      forget_(new QPushButton(this)),
      heal_all_(new QPushButton(this)) {
    setObjectName(QStringLiteral("topologyPage"));
    build();
    tick_.setInterval(poll_ms);
    connect(&tick_, &QTimer::timeout, this, [this] {
        if (client_) client_->poll(control::QueryMesh{});
        refresh();  // update ages even without new data
    });
    connect(map_, &MeshMap::selectionChanged, this, [this] {
        if (!choosing_link_) kept_.reset();
        refresh_details();
    });
    connect(details_rows_, &QTableWidget::cellClicked, this, [this](int row, int) { select_link(row); });
    connect(details_rows_, &QTableWidget::cellActivated, this, [this](int row, int) { select_link(row); });
    connect(map_, &MeshMap::detailsRequested, this, [this] { show_details(true); });
    connect(map_, &MeshMap::menuRequested, this, &TopologyPage::show_menu);
    connect(map_, &MeshMap::draggedChanged, this, &TopologyPage::save_dragged);
    connect(idle_, &QToolButton::toggled, map_, &MeshMap::set_shows_idle);
    connect(anew_, &QPushButton::clicked, this, &TopologyPage::arrange_anew);
    connect(forget_, &QPushButton::clicked, this, &TopologyPage::forget_left);
    connect(heal_all_, &QPushButton::clicked, this, &TopologyPage::heal_all);
    if (client_) {
        connect(client_, &client::Client::dataChanged, this, &TopologyPage::refresh);
        client_->on_answer<control::QueryMesh>(this, &TopologyPage::take);
        connect(client_, &client::Client::statusChanged, this, &TopologyPage::status_changed);
    }
    retranslate();
}

void TopologyPage::build() {
    empty_->setObjectName(QStringLiteral("topologyEmpty"));
    empty_->setAlignment(Qt::AlignCenter);
    empty_->setWordWrap(true);
    empty_->setProperty("role", QStringLiteral("faint"));
    details_->setObjectName(QStringLiteral("elementDetails"));
    details_title_->setProperty("role", QStringLiteral("heading"));
    details_title_->setWordWrap(true);
    details_rows_->setObjectName(QStringLiteral("elementRows"));
    details_rows_->verticalHeader()->hide();
    details_rows_->horizontalHeader()->hide();
    details_rows_->horizontalHeader()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    details_rows_->horizontalHeader()->setSectionResizeMode(1, QHeaderView::Stretch);
    details_rows_->verticalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    details_rows_->setShowGrid(false);
    details_rows_->setSelectionBehavior(QAbstractItemView::SelectRows);
    details_rows_->setSelectionMode(QAbstractItemView::SingleSelection);
    details_rows_->setWordWrap(true);
    details_rows_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    details_rows_->setTabKeyNavigation(false);
    auto* inside = new QVBoxLayout(details_);
    inside->setContentsMargins(12, 12, 12, 8);
    inside->addWidget(details_title_);
    inside->addWidget(details_rows_, 1);
    details_->hide();
    auto* split = new QSplitter(this);
    split->addWidget(map_);
    split->addWidget(details_);
    split->setStretchFactor(0, 1);
    split->setSizes({900, 340});
    split->setChildrenCollapsible(false);
    stack_->addWidget(empty_);
    stack_->addWidget(split);
    idle_->setObjectName(QStringLiteral("showIdle"));
    idle_->setCheckable(true);
    idle_->setChecked(true);
    anew_->setObjectName(QStringLiteral("arrangeAnew"));
    forget_->setObjectName(QStringLiteral("forgetLeft"));
    heal_all_->setObjectName(QStringLiteral("healAll"));
    legend_->setObjectName(QStringLiteral("topologyLegend"));
    legend_->setProperty("role", QStringLiteral("faint"));
    // The legend wraps to two lines if necessary and never widens the window.
    legend_->setWordWrap(true);
    QSizePolicy policy(QSizePolicy::Ignored, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    legend_->setSizePolicy(policy);
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(16, 6, 16, 6);
    bar->setSpacing(8);
    bar->addWidget(legend_, 1);
    bar->addWidget(idle_);
    for (QPushButton* button : {heal_all_, forget_, anew_}) bar->addWidget(button);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(stack_, 1);
    column->addLayout(bar);
    setFocusProxy(map_);
    auto* close = new QShortcut(Qt::Key_Escape, details_);
    close->setContext(Qt::WidgetWithChildrenShortcut);
    connect(close, &QShortcut::activated, this, [this] { show_details(false); });
}

void TopologyPage::show_task(const TaskId& task) {
    task_ = task;
    refresh();
}

/// Keeps ages constant while a recording is paused, and adjusts them when its displayed time changes.
void TopologyPage::hold_ages() {
    if (!client_ || !client_->status().replayed) return;
    const std::pair now(MeshWatch::Time::clock::now(), client_->shown());
    if (held_) {
        const auto moved = std::chrono::duration_cast<MeshWatch::Time::duration>(now.second - held_->second);
        watch_.shift(now.first - held_->first - moved, now.first);
    }
    held_ = now;
}

/// Switches between the present and the past, whose traffic and elements are stored separately.
void TopologyPage::change_time() {
    const bool past = client_->status().past;
    if (past == aside_.has_value()) return;
    held_.reset();
    if (past) aside_.emplace(std::exchange(watch_, {}), std::exchange(parts_, {}));
    else std::tie(watch_, parts_) = *std::exchange(aside_, std::nullopt);
}

void TopologyPage::take(const control::MeshState& mesh) {
    hold_ages();
    const auto age = std::chrono::duration_cast<MeshWatch::Time::duration>(client_->mesh_age());
    watch_.take(mesh, MeshWatch::Time::clock::now() - age);
    tell_faults();
    refresh();
}

/// Requests the mesh when connected, because the answer says whether faults are allowed, which must be known before the
/// picture is shown.
void TopologyPage::status_changed() {
    change_time();
    const bool connected = client_->status().connection == client::Connection::connected;
    if (!std::exchange(connected_, connected) && connected) client_->poll(control::QueryMesh{});
    tell_faults();
}

bool TopologyPage::allows_faults() const { return why_no_faults().isEmpty(); }

void TopologyPage::tell_faults() {
    if (std::exchange(allowed_, allows_faults()) != allowed_) Q_EMIT faultsAllowedChanged();
}

void TopologyPage::refresh() {
    hold_ages();
    if (!isVisible()) return;
    static const client::ClusterData none;
    const client::ClusterData& data = client_ ? client_->data() : none;
    const QString cluster = QString::fromStdString(data.state.name);
    if (aside_) {
        parts_ = {};                   // do not show later elements as gone
    } else if (cluster != cluster_) {  // a different cluster has other elements
        cluster_ = cluster;
        parts_ = {};
        watch_ = {};
        load_dragged();
    }
    parts_.add(data.state, watch_.mesh());
    show_picture(data);
    empty_->setText(why_empty());
    stack_->setCurrentIndex(parts_.empty() ? 0 : 1);
    refresh_details();
    refresh_legend();
}

/// Shows the picture. A selected element that does not exist at a past time stays selected, and is marked again when it
/// exists.
void TopologyPage::show_picture(const client::ClusterData& data) {
    const auto task = data.state.tasks.find(task_);
    const bool lit = task != data.state.tasks.end() && task->second.runs();
    {
        const QScopedValueRollback<bool> marking(marking_, marking_ || aside_.has_value());
        map_->show_picture(parts_, picture_of(parts_, data, watch_, lit ? task_ : TaskId()), lit);
    }
    if (unmarked_ && map_->selected().kind == Element::Kind::none) mark_selected();
    unmarked_ = aside_.has_value();
}

void TopologyPage::refresh_legend() {
    QStringList parts{tr("\u2b21 router (SR)"), tr("\u25ad gateway (MG)"), tr("width of a link: traffic"),
                      tr("gauges at its ends: credit left")};
    if (aside_ && !client_->status().problem.isEmpty()) parts.prepend(client_->status().problem);
    if (aside_) parts.prepend(tr("as it was at %1").arg(model::clock_text(client_->shown())));
    if (!watch_.mesh().faults.empty()) parts << tr("orange: an injected fault");
    if (map_->lights_task()) parts << tr("blue: paths of %1").arg(QString::fromStdString(task_.value()));
    legend_->setText(parts.join(QStringLiteral("   \u00b7   ")));
    legend_->setVisible(!parts_.empty());
    idle_->setVisible(!parts_.empty());
    const Dragged& dragged = map_->dragged();
    anew_->setVisible(!dragged.mics.empty() || !dragged.routers.empty());
    MeshParts now;
    if (client_) now.add(client_->data().state, watch_.mesh());
    forget_->setVisible(parts_ != now);
    heal_all_->setVisible(allows_faults() && !watch_.mesh().faults.empty());
}

void TopologyPage::show_details(bool show) {
    kept_.reset();
    details_->setVisible(show && map_->selected().kind != Element::Kind::none);
    refresh_details();
    if (!show) map_->setFocus();
}

void TopologyPage::refresh_details() {
    if (map_->selected().kind == Element::Kind::none) details_->hide();
    if (!details_->isVisible() || !client_) return;
    const Element& element = detailed();
    details_title_->setText(title_of(element, map_->picture()));
    shown_details_ = details_of(element, map_->picture(), client_->data(), watch_, MeshWatch::Time::clock::now());
    details_rows_->setRowCount(static_cast<int>(shown_details_.size()));
    for (int row = 0; row < details_rows_->rowCount(); ++row) {
        const Detail& detail = shown_details_[static_cast<std::size_t>(row)];
        const bool marked = is_marked(detail);
        for (const auto& [column, text] : {std::pair{0, detail.name}, std::pair{1, detail.value}}) {
            QTableWidgetItem* item = details_rows_->item(row, column);
            if (!item) details_rows_->setItem(row, column, item = new QTableWidgetItem);
            QFont font = item->font();
            font.setBold(marked);
            if (font != item->font()) item->setFont(font);
            const QString tip = detail.links.empty() ? text : text + u'\n' + link_tip();
            if (item->text() == text && item->toolTip() == tip) continue;
            item->setText(text);
            item->setToolTip(tip);
        }
    }
}

void TopologyPage::show_menu(const Element& element, const QPoint& global) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName(QStringLiteral("topologyMenu"));
    menu->setToolTipsVisible(true);
    if (element.kind != Element::Kind::none) {
        menu->addSection(title_of(element, map_->picture()));
        connect(menu->addAction(tr("Details")), &QAction::triggered, this, [this] { show_details(true); });
        menu->addSeparator();
    }
    if (client_) add_drain(*menu, element);
    if (client_) add_process_faults(*menu, element);
    if (allows_faults()) add_faults(*menu, element);
    connect(menu->addAction(tr("Fit")), &QAction::triggered, map_, &MeshMap::fit);
    QAction* anew = menu->addAction(tr("Arrange anew"));
    anew->setEnabled(anew_->isVisible());
    connect(anew, &QAction::triggered, this, &TopologyPage::arrange_anew);
    QAction* forget = menu->addAction(tr("Forget departed elements"));
    forget->setEnabled(forget_->isVisible());
    connect(forget, &QAction::triggered, this, &TopologyPage::forget_left);
    menu->popup(global);
}

/// Adds the actions that inject faults into an element for a demonstration, and the actions that undo the faults.
void TopologyPage::add_faults(QMenu& menu, const Element& element) {
    const auto add = [&](const QString& text, void (TopologyPage::*what)(), bool enabled = true) {
        QAction* action = menu.addAction(text);
        action->setEnabled(enabled);
        connect(action, &QAction::triggered, this, what);
    };
    if (element.kind == Element::Kind::link) {
        const std::optional<control::LinkFault>& fault = map_->picture().links.at(element.link()).fault;
        add(tr("Cut link"), &TopologyPage::cut_link, !fault || !fault->cut);
        add(tr("Slow link\u2026"), &TopologyPage::slow_link);
        add(tr("Heal link"), &TopologyPage::heal_link, fault.has_value());
    } else if (element.kind == Element::Kind::device) {
        const DeviceLook& device = map_->picture().devices.at(element.name);
        if (device.role == mesh::DeviceRole::router)
            add(tr("Kill router"), &TopologyPage::kill_router, device.presence == Presence::here);
    }
    add(tr("Heal all links"), &TopologyPage::heal_all, !watch_.mesh().faults.empty());
    menu.addSeparator();
}

const LinkLook* TopologyPage::selected_link(LinkName& name) {
    const Element& element = map_->selected();
    if (element.kind == Element::Kind::link) {
        name = element.link();
        return &map_->picture().links.at(name);
    }
    Q_EMIT hint(tr("Select a link first: click it, or go there with the arrow keys"));
    return nullptr;
}

void TopologyPage::cut_link() {
    LinkName link;
    if (!selected_link(link)) return;
    client_->order(control::FaultLink{{link.first, link.second, true, 0, 0}});
    client_->poll(control::QueryMesh{});
}

void TopologyPage::slow_link() {
    LinkName link;
    const LinkLook* look = selected_link(link);
    if (!look) return;
    auto* dialog = new SlowLinkDialog(look->fault.value_or(control::LinkFault{link.first, link.second}), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        client_->order(control::FaultLink{dialog->fault()});
        client_->poll(control::QueryMesh{});
    });
    dialog->open();
}

void TopologyPage::kill_router() {
    const Element& element = map_->selected();
    const auto device = map_->picture().devices.find(element.name);
    if (element.kind != Element::Kind::device || device->second.role != mesh::DeviceRole::router)
        return Q_EMIT hint(tr("Select a router first: click it, or go there with the arrow keys"));
    const QString name = QString::fromStdString(element.name);
    if (device->second.presence != Presence::here) return Q_EMIT hint(tr("%1 is away: nothing to kill").arg(name));
    client_->order(control::KillRouter{element.name});
    Q_EMIT hint(tr("Asked to kill %1; an embedded cluster starts it again").arg(name));
}

void TopologyPage::heal_link() {
    LinkName link;
    const LinkLook* look = selected_link(link);
    if (!look) return;
    if (!look->fault) return Q_EMIT hint(tr("This link has no injected fault"));
    client_->order(control::HealFaults{link.first, link.second});
    client_->poll(control::QueryMesh{});
}

void TopologyPage::heal_all() {
    client_->order(control::HealFaults{});
    client_->poll(control::QueryMesh{});
}

void TopologyPage::arrange_anew() {
    map_->set_dragged({});
    save_dragged();
    refresh();
    map_->fit();
}

void TopologyPage::forget_left() {
    parts_ = {};
    refresh();
}

QString TopologyPage::settings_key() const { return QStringLiteral("topology/") + cluster_; }

void TopologyPage::load_dragged() {
    Dragged dragged;
    settings_.beginGroup(settings_key());
    for (const auto& [group, places] : {std::pair{"mics", &dragged.mics}, std::pair{"routers", &dragged.routers}}) {
        const QVariantMap kept = settings_.value(QString::fromLatin1(group)).toMap();
        for (auto at = kept.begin(); at != kept.end(); ++at) (*places)[at.key().toStdString()] = at.value().toPointF();
    }
    settings_.endGroup();
    map_->set_dragged(dragged);
}

void TopologyPage::save_dragged() {
    const Dragged& dragged = map_->dragged();
    settings_.beginGroup(settings_key());
    for (const auto& [group, places] : {std::pair{"mics", &dragged.mics}, std::pair{"routers", &dragged.routers}}) {
        QVariantMap kept;
        for (const auto& [name, place] : *places) kept[QString::fromStdString(name)] = place;
        if (kept.isEmpty()) settings_.remove(QString::fromLatin1(group));
        else settings_.setValue(QString::fromLatin1(group), kept);
    }
    settings_.endGroup();
    refresh_legend();
}

void TopologyPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (client_) client_->poll(control::QueryMesh{});
    tick_.start();
    refresh();
    mark_selected();  // the picture may contain the selected element now
}

void TopologyPage::hideEvent(QHideEvent* event) {
    tick_.stop();
    QWidget::hideEvent(event);
}

void TopologyPage::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) retranslate();
    QWidget::changeEvent(event);
}

void TopologyPage::retranslate() {
    map_->setAccessibleName(tr("Picture of the mesh: MICs, nodes, gateways, routers and links"));
    details_rows_->setAccessibleName(tr("Details of the selected element"));
    idle_->setText(tr("Show idle parts"));
    idle_->setToolTip(tr("Also show elements that no task uses; elements that are away or down are always shown"));
    anew_->setText(tr("Arrange anew"));
    anew_->setToolTip(tr("Discard dragged positions of MICs and routers"));
    forget_->setText(tr("Forget departed elements"));
    forget_->setToolTip(tr("Free the positions of elements that left the cluster"));
    heal_all_->setText(tr("Heal all links"));
    heal_all_->setToolTip(tr("Undo all injected faults"));
    empty_->setText(why_empty());
    refresh();
}

QString TopologyPage::why_empty() const {
    if (!client_) return client::no_cluster_text();
    const client::Status& status = client_->status();
    if (status.past && !status.problem.isEmpty()) return status.problem;
    return tr(
        "No mesh is known yet. Nodes, gateways and routers appear here when a cluster is connected; see its state at "
        "the lower right.");
}

}  // namespace divisi::topology

#include "moc_topology_page.cpp"
