// SPDX-License-Identifier: Apache-2.0
#include "backend/control/protocol/state_messages.h"

#include "backend/control/state/encoded_size.h"
#include "backend/control/types/error_texts.h"

namespace divisi::control::inline protocol {
namespace {

class Pager {
public:
    explicit Pager(const ClusterState& state) : state_(state) {
        open();
        make_room(encoded_size(state.queue));
        pages_.back().state.queue = state.queue;
    }

    template <typename Key, typename Value>
    void add(std::map<Key, Value> ClusterState::*member) {
        for (const auto& [key, value] : state_.*member) {
            make_room(encoded_size(value));
            (pages_.back().state.*member).emplace(key, value);
        }
    }
    template <typename List>
    void add(List ClusterState::*member) {
        for (const auto& value : state_.*member) {
            make_room(encoded_size(value));
            (pages_.back().state.*member).push_back(value);
        }
    }
    void add(const InstanceLoad& load) {
        make_room(encoded_size(load));
        pages_.back().loads.push_back(load);
    }
    void add(const NodeMachine& load) {
        make_room(encoded_size(load));
        pages_.back().nodes.push_back(load);
    }
    std::vector<Snapshot> take() { return std::move(pages_); }

private:
    void open() {
        Snapshot page;
        page.page = static_cast<std::uint32_t>(pages_.size());
        page.state.name = state_.name;
        page.state.version = state_.version;
        page.state.sequence = state_.sequence;
        page.state.time = state_.time;
        page.state.lease_book = state_.lease_book;
        page.state.registry = state_.registry;
        page.state.last_version = state_.last_version;
        pages_.push_back(std::move(page));
        filled_ = {};
    }
    void make_room(const EncodedSize& wanted) {
        if (filled_.bytes > 0 && !(filled_ + wanted).within(page_fill)) {
            pages_.back().more = true;
            open();
        }
        filled_ += wanted;
    }

    const ClusterState& state_;
    std::vector<Snapshot> pages_;
    EncodedSize filled_;
};

template <typename Map>
void merge(Map& into, Map& from) {
    into.merge(from);
}
template <typename List>
void append(List& into, List& from) {
    into.insert(into.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

}  // namespace

std::vector<Snapshot> snapshot_pages(const ClusterState& state, const std::vector<InstanceLoad>& loads,
                                     const std::vector<NodeMachine>& nodes) {
    Pager pager(state);
    pager.add(&ClusterState::nodes);
    pager.add(&ClusterState::instances);
    pager.add(&ClusterState::tasks);
    pager.add(&ClusterState::keys);
    pager.add(&ClusterState::recent);
    pager.add(&ClusterState::links);
    pager.add(&ClusterState::stated_links);
    pager.add(&ClusterState::numbers);
    pager.add(&ClusterState::leases);
    pager.add(&ClusterState::pools);
    pager.add(&ClusterState::submitters);
    pager.add(&ClusterState::reservations);
    pager.add(&ClusterState::devices);
    pager.add(&ClusterState::policies);
    pager.add(&ClusterState::services);
    pager.add(&ClusterState::exceptions);
    pager.add(&ClusterState::versions);
    pager.add(&ClusterState::alerts);
    for (const InstanceLoad& load : loads) pager.add(load);
    for (const NodeMachine& load : nodes) pager.add(load);
    return pager.take();
}

Result<void> add_page(Snapshot& whole, Snapshot page) {
    if (page.page == 0) {
        whole = std::move(page);
        return {};
    }
    const bool next = whole.more && page.page == whole.page + 1 && page.state.sequence == whole.state.sequence;
    if (!next || page.page >= most_snapshot_pages)
        return make_error(error_text("snapshot-page-order"), "control message",
                          {std::to_string(page.page), std::to_string(whole.page)});
    merge(whole.state.nodes, page.state.nodes);
    merge(whole.state.instances, page.state.instances);
    merge(whole.state.tasks, page.state.tasks);
    merge(whole.state.keys, page.state.keys);
    append(whole.state.recent, page.state.recent);
    merge(whole.state.links, page.state.links);
    append(whole.state.stated_links, page.state.stated_links);
    merge(whole.state.numbers, page.state.numbers);
    merge(whole.state.leases, page.state.leases);
    append(whole.state.pools, page.state.pools);
    merge(whole.state.submitters, page.state.submitters);
    merge(whole.state.reservations, page.state.reservations);
    merge(whole.state.devices, page.state.devices);
    merge(whole.state.policies, page.state.policies);
    merge(whole.state.services, page.state.services);
    merge(whole.state.exceptions, page.state.exceptions);
    merge(whole.state.versions, page.state.versions);
    merge(whole.state.alerts, page.state.alerts);
    append(whole.loads, page.loads);
    append(whole.nodes, page.nodes);
    whole.page = page.page;
    whole.more = page.more;
    return {};
}

}  // namespace divisi::control::inline protocol
