// SPDX-License-Identifier: GPL-3.0-or-later
// The Topology view and the one selection of the console.
#include <QScopedValueRollback>

#include "app/model/selected_instance.h"
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

/// Of a unit the instance that runs it; kind none for what is not in the picture.
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
}

/// What is not in the picture leaves the mark where it is, so that faults can be made of it all the same.
void TopologyPage::mark_selected() {
    if (!selection_ || !client_) return;
    const Element element = element_of(selection_->current(), client_->data().state);
    const bool none = !selection_->current();
    if (!none && map_->place_of(element).isEmpty()) return;
    const QScopedValueRollback<bool> marking(marking_, true);
    map_->select(element, !none);
}

}  // namespace divisi::topology
