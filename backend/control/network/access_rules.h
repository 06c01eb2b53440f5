// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "backend/control/core/orchestrator_context.h"
#include "backend/control/types/admission_types.h"
#include "backend/control/types/blob_types.h"
#include "backend/control/types/note_limiter.h"

namespace divisi::control::inline network {

/// Derives the rules by which a MIC's gateway admits flows of the MIC's instances (signaling type 3). The rules follow
/// from the state: an instance that has joined and not ended may send to the SIDs of its own task. The instance must
/// send as the process and with the key that it registered with. An admin's policy (PolicyKey::send) restricts the
/// rules by node, or by the name and role of an allowed key. The version is the sequence number of the last event that
/// changed the rules, so it increases across restarts.
class AccessRules {
public:
    explicit AccessRules(OrchestratorContext& context) : context_(context) {}

    void follow(const Event& event);
    /// Sets the keys that the cluster file allows. If the log allows the same key, the log's name and role apply. Call
    /// before the first event.
    void allow_always(const std::vector<KeyChanged>& keys);
    /// Returns whether any allowed key matches the sender of a PolicyKey::send entry.
    bool knows_key_of(const PolicyEntry& entry) const;
    /// Sets the ends of the current blob transfers. Each end may send to its peer.
    void set_blob_ends(std::vector<BlobEnd> ends);
    /// Returns whether the rules have changed since the last call.
    bool take_change() { return std::exchange(changed_, false); }
    /// Returns the admission policy for a MIC's gateway. Logs, at a limited rate, the rules that did not fit into the
    /// policy.
    AdmissionPolicy policy_for(const MicId& mic);

private:
    void look_up();
    void look_up_blob_ends();
    void look_up_orders();
    std::vector<AdmissionOrder> orders_for(const PolicyEntry& entry, const MicId& mic) const;
    std::optional<AdmissionOrder> order_for(const PolicyEntry& entry, const NodeId& node, const std::string& key) const;
    const KeyChanged* holder_of(const std::string& key) const;
    void note_left_out(const std::string& what);

    OrchestratorContext& context_;
    std::vector<BlobEnd> blob_ends_;
    std::map<std::string, KeyChanged> fixed_keys_;  ///< keys of the cluster file that no log entry has overridden
    /// keys revoked since this process began; instances that used keys revoked earlier have already ended
    std::set<std::string> revoked_;
    bool keys_left_out_ = false;  ///< whether a revoked key was left out because of the limit
    NoteLimiter lines_;
    std::uint64_t version_ = 0;
    bool changed_ = false;
    struct OfMic {
        std::vector<AdmissionRule> rules;
        std::size_t left_out = 0;
        std::vector<AdmissionOrder> orders;
        bool too_many_orders = false;
    };
    std::map<MicId, OfMic> by_mic_;  ///< rules of each MIC in the state after the event `looked_up_`
    std::optional<std::uint64_t> looked_up_;
};

}  // namespace divisi::control::inline network
