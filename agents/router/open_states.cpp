// SPDX-License-Identifier: Apache-2.0
#include "agents/router/open_states.h"

namespace divisi::router {

using mesh::AbnormalKind;

OpenStates::Key OpenStates::key_of(const control::AbnormalState& state) {
    if (state.kind == AbnormalKind::neighbour_silent || state.kind == AbnormalKind::neighbour_back)
        return {AbnormalKind::neighbour_silent, state.neighbour, "", ""};
    if (state.flows.empty()) return {AbnormalKind::buffer_full, state.neighbour, "", ""};
    return {AbnormalKind::buffer_full, state.neighbour, state.flows[0].source.value(),
            state.flows[0].destination.value()};
}

void OpenStates::take(const control::AbnormalState& state) {
    const bool begins = state.kind == AbnormalKind::neighbour_silent || state.kind == AbnormalKind::buffer_full;
    if (begins) open_[key_of(state)] = state;
    else open_.erase(key_of(state));
}

void OpenStates::keep_only(const std::set<std::uint32_t>& neighbours,
                           const std::set<std::pair<std::string, std::string>>& flows) {
    std::erase_if(open_, [&](const auto& entry) {
        const auto& [kind, neighbour, source, destination] = entry.first;
        return !neighbours.contains(neighbour) ||
               (kind == AbnormalKind::buffer_full && !flows.contains({source, destination}));
    });
}

std::vector<control::AbnormalState> OpenStates::all() const {
    std::vector<control::AbnormalState> states;
    for (const auto& [key, state] : open_) states.push_back(state);
    return states;
}

}  // namespace divisi::router
