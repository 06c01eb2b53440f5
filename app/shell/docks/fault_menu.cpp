// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/docks/fault_menu.h"

#include <QAction>
#include <utility>

namespace divisi::shell {

namespace {

using topology::TopologyPage;

constexpr std::pair<const char*, void (TopologyPage::*)()> fault_actions[] = {
    {"cut_link", &TopologyPage::cut_link},       {"slow_link", &TopologyPage::slow_link},
    {"kill_router", &TopologyPage::kill_router}, {"kill_instance", &TopologyPage::kill_instance},
    {"kill_node", &TopologyPage::kill_node},     {"pause_instance", &TopologyPage::pause_instance},
    {"heal_link", &TopologyPage::heal_link},     {"heal_all", &TopologyPage::heal_all}};

}  // namespace

FaultMenu::FaultMenu(AppContext& context, Workbench& bench, QMenu& menu)
    : QObject(&menu), context_(context), bench_(bench), page_(bench.view<TopologyPage>()), menu_(menu) {
    connect_actions();
    connect(&page_, &TopologyPage::faultsAllowedChanged, this, &FaultMenu::show);
    show();
    explain();
}

void FaultMenu::connect_actions() {
    for (const auto& [id, what] : fault_actions)
        connect(context_.actions.get(id), &QAction::triggered, this, [this, what = what] {
            bench_.show_view(page_);
            (page_.*what)();
        });
}

void FaultMenu::show() {
    const bool allowed = page_.allows_faults();
    for (const auto& [id, what] : fault_actions) context_.actions.get(id)->setVisible(allowed);
    menu_.menuAction()->setVisible(allowed);
}

/// While the menu is open, disables the process faults that do not apply to the selection, and gives the reason. For
/// faults chosen in the command palette, the hint gives the reason.
void FaultMenu::explain() {
    using Kind = topology::Element::Kind;
    const auto each = [this](auto&& visit) {
        for (const auto& [id, kind] : {std::pair{"kill_instance", Kind::instance},
                                       {"kill_node", Kind::node},
                                       {"pause_instance", Kind::instance}})
            visit(id, page_.why_not_struck(kind));
    };
    menu_.setToolTipsVisible(true);
    connect(&menu_, &QMenu::aboutToShow, this,
            [this, each] { each([this](const char* id, const QString& why) { context_.actions.allow(id, why); }); });
    connect(&menu_, &QMenu::aboutToHide, this,
            [this, each] { each([this](const char* id, const QString&) { context_.actions.allow(id, {}); }); });
}

}  // namespace divisi::shell

#include "moc_fault_menu.cpp"
