// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "backend/control/protocol/message.h"

namespace divisi::router {

/// The abnormal states of a device that have begun and not ended, for an orchestrator that was away meanwhile.
class OpenStates {
public:
    void take(const control::AbnormalState& state);
    /// Those of neighbours and flows that are gone end without a word.
    void keep_only(const std::set<std::uint32_t>& neighbours,
                   const std::set<std::pair<std::string, std::string>>& flows);
    void clear() { open_.clear(); }
    std::vector<control::AbnormalState> all() const;

private:
    /// A neighbour is silent as a whole, its promises are full flow by flow (source and destination).
    using Key = std::tuple<mesh::AbnormalKind, std::uint32_t, std::string, std::string>;
    static Key key_of(const control::AbnormalState& state);

    std::map<Key, control::AbnormalState> open_;
};

}  // namespace divisi::router
