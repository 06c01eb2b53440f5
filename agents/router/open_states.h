// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "backend/control/protocol/policy_messages.h"

namespace divisi::router {

/// The abnormal states of a device that have begun and not ended. They are sent again when the orchestrator reconnects.
class OpenStates {
public:
    void take(const control::AbnormalState& state);
    /// Keeps only the states of these neighbours and flows, because other neighbours and flows no longer exist.
    void keep_only(const std::set<std::uint32_t>& neighbours,
                   const std::set<std::pair<std::string, std::string>>& flows);
    void clear() { open_.clear(); }
    std::vector<control::AbnormalState> all() const;

private:
    /// Identifies a state. A silent neighbour is one state; a full buffer is one state per flow (source and
    /// destination).
    using Key = std::tuple<mesh::AbnormalKind, std::uint32_t, std::string, std::string>;
    static Key key_of(const control::AbnormalState& state);

    std::map<Key, control::AbnormalState> open_;
};

}  // namespace divisi::router
