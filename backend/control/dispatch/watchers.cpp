// SPDX-License-Identifier: Apache-2.0
#include "backend/control/dispatch/watchers.h"

#include <algorithm>

#include "backend/control/protocol/state_messages.h"
#include "backend/control/state/encoded_size.h"
#include "backend/control/types/error_texts.h"

namespace divisi::control::inline dispatch {
namespace {

/// Returns the latest figures of all machines. The figures are not in the log or the state, so a new watcher gets them
/// with its snapshot.
std::vector<NodeMachine> machines_of(const OrchestratorContext& context) {
    std::vector<NodeMachine> nodes;
    for (const auto& [node, machine] : context.machines()) nodes.push_back({node, machine});
    return nodes;
}

}  // namespace

void Watchers::handle(const Received& received, const Subscribe&) {
    context_.sessions().subscribe(received.peer);
    open_.erase(received.peer);
    std::vector<Snapshot> pages = snapshot_pages(context_.state(), reports_.loads(), machines_of(context_));
    Snapshot first = pages.front();
    if (pages.size() > 1) {
        const auto older = [](const auto& a, const auto& b) {
            return a.second.front().state.sequence < b.second.front().state.sequence;
        };
        if (open_.size() >= most_open_snapshots) open_.erase(std::min_element(open_.begin(), open_.end(), older));
        open_[received.peer] = std::move(pages);
    }
    context_.answer(received, std::move(first));
}

void Watchers::handle(const Received& received, const FetchSnapshotPage& message) {
    const auto pages = open_.find(received.peer);
    if (pages == open_.end() || message.page >= pages->second.size())
        return context_.refuse(received, make_error(error_text("snapshot-page-gone"), kind_name(received.message),
                                                    {std::to_string(message.page)}));
    context_.answer(received, pages->second[message.page]);
    if (message.page + 1 == pages->second.size()) open_.erase(pages);
}

void Watchers::push(const std::vector<InstanceLoad>& loads) {
    if (loads.empty()) return;
    for (const PeerId peer : context_.sessions().subscribers()) context_.send(peer, LoadPush{loads});
}

void Watchers::push_nodes() {
    if (reported_.empty() || (pushed_ && context_.lived() < *pushed_ + node_push_interval)) return;
    pushed_ = context_.lived();
    std::vector<NodeMachine> nodes = machines_of(context_);
    std::erase_if(nodes, [this](const NodeMachine& one) { return !reported_.contains(one.node); });
    reported_.clear();
    if (nodes.empty()) return;
    for (const PeerId peer : context_.sessions().subscribers()) context_.send(peer, LoadPush{{}, nodes});
}

void Watchers::push(const std::vector<Event>& events) {
    auto first = events.begin();
    while (first != events.end()) {
        EncodedSize encoded;
        auto last = first;
        do {
            encoded += encoded_size(*last++);
        } while (last != events.end() && (encoded + encoded_size(*last)).within(page_fill));
        for (const PeerId peer : context_.sessions().subscribers()) context_.send(peer, EventPush{{first, last}});
        first = last;
    }
}

}  // namespace divisi::control::inline dispatch
