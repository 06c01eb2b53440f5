// SPDX-License-Identifier: GPL-3.0-or-later
// Connects the Topology view with the console's selection.
#include <QScopedValueRollback>

#include <algorithm>

#include "app/model/tracking/selected_instance.h"
#include "app/topology/topology_page.h"

namespace divisi::topology {

namespace {

using model::Selected;

Selected selected_of(const Element& element, const control::ClusterState& cluster) {
    switch (element.kind) {
        case Element::Kind::mic: return Selected::of_mic(MicId(element.name));
        case Element::Kind::node: return Selected::of_node(NodeId(element.name));
        case Element::Kind::device: return Selected::of_device(element.name);
        case Element::Kind::link: return Selected::of_link(element.name, element.other);
        case Element::Kind::instance: {
            const InstanceId id(element.name);
            const auto found = cluster.instances.find(id);
            return Selected::of_instance(id, found == cluster.instances.end() ? TaskId() : found->second.task);
        }
        case Element::Kind::none: break;
    }
    return {};
}

/// Returns the element of the picture for a selection; for a unit, the instance that runs the unit. The kind is none if
/// the picture has no such elements. The element itself may be missing in the picture.
Element element_of(const Selected& what, const control::ClusterState& cluster) {
    using Kind = Selected::Kind;
    if (what.kind == Kind::mic) return {Element::Kind::mic, what.id, {}};
    if (what.kind == Kind::node) return {Element::Kind::node, what.id, {}};
    if (what.kind == Kind::device) return {Element::Kind::device, what.id, {}};
    if (what.kind == Kind::link) return {Element::Kind::link, what.id, what.other};
    const InstanceId instance = model::instance_of(what, cluster);
    return instance == InstanceId() ? Element() : Element{Element::Kind::instance, instance.value(), {}};
}

}  // namespace

void TopologyPage::use(model::Selection& selection) {
    selection_ = &selection;
    connect(map_, &MeshMap::selectionChanged, this, [this] {
        if (!marking_ && client_) selection_->select(selected_of(map_->selected(), client_->data().state));
    });
    connect(&selection, &model::Selection::changed, this, &TopologyPage::mark_selected);
    connect(&selection, &model::Selection::changed, this, &TopologyPage::refresh_details);
}

/// Marks the selected element. If the picture does not contain the element, the previous mark stays, so that faults can
/// still be injected.
void TopologyPage::mark_selected() {
    if (!selection_ || !client_) return;
    const Element element = element_of(selection_->current(), client_->data().state);
    const bool none = !selection_->current();
    if (!none && map_->place_of(element).isEmpty()) return;
    const QScopedValueRollback<bool> marking(marking_, true);
    map_->select(element, !none);
}

const Element& TopologyPage::detailed() const {
    return kept_ && map_->picture().devices.contains(kept_->name) ? *kept_ : map_->selected();
}

bool TopologyPage::is_marked(const Detail& detail) const {
    return selection_ && std::ranges::any_of(detail.links, [this](const LinkName& link) {
               return Selected::of_link(link.first, link.second) == selection_->current();
           });
}

QString TopologyPage::link_tip() {
    return tr("Click or press Enter to select the first link of this path; repeat for the next one");
}

/// Selects the first link of a row's path, or the link after the selected one.
void TopologyPage::select_link(int row) {
    if (!selection_ || row < 0 || row >= static_cast<int>(shown_details_.size())) return;
    const std::vector<LinkName> links = shown_details_[static_cast<std::size_t>(row)].links;
    if (links.empty()) return;
    const auto at = std::ranges::find_if(links, [this](const LinkName& link) {
        return Selected::of_link(link.first, link.second) == selection_->current();
    });
    const LinkName& next = at == links.end() || at + 1 == links.end() ? links.front() : *(at + 1);
    const QScopedValueRollback<bool> choosing(choosing_link_, true);
    kept_ = detailed();
    selection_->select(Selected::of_link(next.first, next.second));
}

}  // namespace divisi::topology
