// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "backend/control/desk.h"
#include "backend/control/mesh_devices.h"
#include "backend/control/note_limiter.h"
#include "backend/control/path_balance.h"

namespace divisi::control {

/// Policies of the service mesh orchestrator (SMO): which version there is, which device goes by it, and what the
/// quality that devices report (signaling type 5) makes of it. Versions are durable; who has applied what is not,
/// since devices are told again when they register.
class Policies {
public:
    Policies(Desk& desk, MeshDevices& devices) : desk_(desk), devices_(devices) {}

    void handle(const Received& received, const SetPolicies& message);
    void handle(const Received& received, const RollBackPolicies& message);
    void handle(const Received& received, const QueryPolicies& message);
    void handle(const Received& received, const PolicyAnswer& message);
    void handle(const Received& received, const AbnormalState& message);

    /// After each input: tells devices that have registered, and weighs what has been reported.
    void look();

private:
    PolicyVersion current() const;
    Result<void> check_ends(const PolicyEntry& entry) const;
    Result<void> check_window(const PolicyEntry& entry) const;
    std::uint64_t enact(std::vector<PolicyEntry> entries, std::string author, std::string change, std::string reason);
    void tell(const std::string& device, const PolicyVersion& policy);
    void weigh(const std::string& device);
    void forget(const std::string& device);
    void note_refusal(const std::string& line);
    void start_anew(PathBalance& balance, const std::string& from, const std::string& to) const;
    void move(const std::string& from, const std::string& to, const ShareMove& move);
    int share_of(const std::string& from, const std::string& to) const;

    struct Answered {
        std::uint64_t told = 0;  ///< the last version
        std::uint64_t applied = 0, refused = 0;
        std::string reason;
        std::uint64_t latest() const { return std::max(applied, refused); }
    };
    Desk& desk_;
    MeshDevices& devices_;
    std::map<std::string, Answered> answered_;
    std::map<std::pair<std::string, std::string>, PathBalance> balances_;  ///< by gateways, from and to
    std::map<std::string, std::uint64_t> periods_;                         ///< weighed last, by device
    std::map<std::string, NoteLimiter> abnormal_, refusals_;               ///< by device
};

}  // namespace divisi::control
