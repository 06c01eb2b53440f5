// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "backend/control/core/desk.h"
#include "backend/control/types/admission_types.h"
#include "backend/control/types/blob_types.h"
#include "backend/control/types/note_limiter.h"

namespace divisi::control::inline network {

/// By which rules the gateway of a MIC lets the MIC's instances in (signaling type 3). They follow from the state: an
/// instance that has joined and not ended may send to the SIDs of its own task, as the process and with the key that it
/// registered with. What admins have said by policy (PolicyKey::send) narrows that, by node or by the name and the role
/// that a key is allowed with now. The version is the sequence number of the event that changed them, so it rises over
/// restarts.
class AccessRules {
public:
    explicit AccessRules(Desk& desk) : desk_(desk) {}

    void follow(const Event& event);
    /// Keys that are allowed whatever the log says: those of the cluster file. Before the first event.
    void allow_always(const std::vector<KeyChanged>& keys);
    /// Whether a key is allowed that an entry of PolicyKey::send is about.
    bool knows_key_of(const PolicyEntry& entry) const;
    /// Each end of a blob may send to the other.
    void set_blob_ends(std::vector<BlobEnd> ends);
    /// Whether the rules have changed since it was last asked.
    bool take_change() { return std::exchange(changed_, false); }
    /// Says in the log, a few times, what a gateway's policy had no room for.
    AdmissionPolicy policy_for(const MicId& mic);

private:
    void look_up();
    void look_up_blob_ends();
    void look_up_orders();
    std::vector<AdmissionOrder> orders_for(const PolicyEntry& entry, const MicId& mic) const;
    std::optional<AdmissionOrder> order_for(const PolicyEntry& entry, const NodeId& node, const std::string& key) const;
    const KeyChanged* holder_of(const std::string& key) const;
    void note_left_out(const std::string& what);

    Desk& desk_;
    std::vector<BlobEnd> blob_ends_;
    std::map<std::string, KeyChanged> fixed_keys_;  ///< of the cluster file, until the log says something else of them
    std::set<std::string> revoked_;  ///< keys, since this process began; instances of those of before have ended
    bool keys_left_out_ = false;     ///< there was no room for one that was revoked
    NoteLimiter lines_;
    std::uint64_t version_ = 0;
    bool changed_ = false;
    struct OfMic {
        std::vector<AdmissionRule> rules;
        std::size_t left_out = 0;
        std::vector<AdmissionOrder> orders;
        bool too_many_orders = false;
    };
    std::map<MicId, OfMic> by_mic_;  ///< as the state had it after the event `looked_up_`
    std::optional<std::uint64_t> looked_up_;
};

}  // namespace divisi::control::inline network
