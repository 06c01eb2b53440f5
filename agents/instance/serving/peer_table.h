// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "backend/control/protocol/message_fwd.h"
#include "backend/control/types/types.h"
#include "backend/plan/program.h"

namespace divisi::instance {

/// The other instances of a task: their addresses by stage, the connections to them, and the keys that may send to this
/// instance. The table changes only on the loop's thread; set() is called only before another thread reads the table.
class PeerTable {
public:
    struct Actions {
        std::function<void(const control::Peer&)> connect;
        std::function<void(const Sid&)> disconnect;
        std::function<void(const std::string& key, const std::string& name)> allow;
        std::function<void(const std::string& key)> revoke;
    };
    PeerTable(InstanceId self, Actions actions) : self_(std::move(self)), actions_(std::move(actions)) {}

    /// Sets the peer of each stage. If no separate instance runs the data unit, the first stage runs it.
    void set(const std::vector<control::Peer>& peers);
    /// Connects to the peers and allows their keys and the gateway's; revokes keys that were replaced. Disconnects data
    /// instances that have ended.
    void connect(const control::Peers& peers);

    /// Returns the peer at a stage or at plan::data_unit, which must be known.
    const control::Peer& at(std::int32_t end) const { return peers_.at(end); }
    /// Returns the SIDs by stage, and by plan::data_unit.
    std::map<std::int32_t, Sid> sids() const;
    /// Returns the stages of the peer with this flow_id.
    std::vector<std::int32_t> stages_of(std::uint64_t sid) const;
    /// Returns the channels from this stage to instances behind the gateway of the stage's MIC. Returns none if
    /// `gateway` is empty.
    std::set<std::int32_t> far_channels(const std::vector<plan::Channel>& channels, std::int32_t stage,
                                        const std::string& gateway) const;

private:
    void allow(const Sid& sid, const std::string& key, const std::string& name);
    void part_from_others(const std::vector<control::Peer>& peers);

    InstanceId self_;
    Actions actions_;
    std::map<std::int32_t, control::Peer> peers_;  ///< peers by stage; plan::data_unit for the data unit
    std::set<Sid> data_peers_;                     ///< data instances, which may join or leave at any time
    std::map<Sid, std::string> keys_;  ///< key of the sender of each peer's tensors: the peer or our gateway
};

}  // namespace divisi::instance
