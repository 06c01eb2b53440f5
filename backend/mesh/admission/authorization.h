// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "backend/base/clock.h"
#include "backend/base/ids.h"
#include "backend/base/result.h"
#include "backend/identity/role.h"

namespace divisi::mesh::inline admission {

/// An action that a subject wants to perform on a SID. The numbers are part of the wire format; append only.
enum class Action : std::uint8_t {
    send = 1,
    receive,
    register_,  ///< register as an instance that serves the SID
    advertise,  ///< announce the SID to other MICs
};
const char* to_string(Action action);

/// The kinds of subjects of a rule. Names of keys and uids are distinct kinds, because a key may have any name.
struct Anyone {
    bool operator==(const Anyone&) const = default;
};
struct Owner {
    bool operator==(const Owner&) const = default;
};
struct Uid {
    std::uint32_t number = 0;
    bool operator==(const Uid&) const = default;
};
struct KeyName {
    std::string name;
    bool operator==(const KeyName&) const = default;
};
/// The public key itself, as proved by the transport.
struct PublicKey {
    std::string key;
    bool operator==(const PublicKey&) const = default;
};
using SubjectPattern = std::variant<Anyone, Owner, Uid, KeyName, identity::Role, PublicKey>;

/// The SID that a subject claims to serve, and the subject's process. Incarnation 0: no process is named.
struct Player {
    Sid sid;
    std::uint64_t incarnation = 0;
    auto operator<=>(const Player&) const = default;
};

struct Rule {
    SubjectPattern subject;
    std::set<Action> actions;
    std::string sid_prefix;  ///< prefix of the SIDs that the rule covers; empty: all SIDs
    bool allow = false;
    Player as = {};  ///< restricts the rule to this player; incarnation 0: any process; empty SID: any SID
};

/// An admin's order about senders: it either denies a flow, or leaves the decision to the rules.
struct SendOrder {
    Player as;               ///< like Rule::as
    std::string sid_prefix;  ///< prefix of the SIDs that the order covers; empty: all SIDs
    bool allow = false;
    std::string text;  ///< reason that is stated in the decision
};

/// The SMO's decision about the rights of each subject. The first matching order applies, then the first matching rule;
/// without a matching rule the action is denied.
struct PolicySnapshot {
    std::uint64_t version = 0;
    TimePoint issued_at{};
    std::vector<Rule> rules;
    std::set<std::string> revoked_keys;  ///< public keys that are denied before any rule applies
    std::vector<SendOrder> orders = {};
};

struct Decision {
    bool allowed = false;
    std::uint64_t version = 0;        ///< version of the policy; 0: no policy
    std::optional<std::size_t> rule;  ///< index of the rule that decided; none if no rule did
    bool unruled = false;             ///< denied by a current policy because no rule matched
    std::string reason;
    TimePoint valid_until{};
};

/// A decision reported to the SMO (signaling type 3).
struct AuditEntry {
    identity::Credentials subject;
    Action action = Action::send;
    Sid sid;  ///< empty if the requested name is not a valid SID
    Decision decision;
    TimePoint at{};
    Player as = {};
};

inline constexpr std::size_t most_rules = 4'096;
inline constexpr std::size_t most_revoked_keys = 65'536;
/// Time for which a decision is cached, unless the policy changes.
inline constexpr Duration decision_validity = std::chrono::seconds(30);
/// Time for which a policy holds without the orchestrator. Afterwards everything is denied.
inline constexpr Duration policy_validity = std::chrono::minutes(10);
inline constexpr std::size_t most_decisions = 4'096;
/// Limit on audit entries that wait for take_audit(); further entries are only counted.
inline constexpr std::size_t most_audit_entries = 4'096;

/// The authentication and authorization module (AAM) of a gateway. Decides by its own copy of the policy, without
/// asking other programs. Denies everything while it has no fresh policy. `now` must never decrease.
class Authorizer {
public:
    explicit Authorizer(std::size_t most_cached = most_decisions, Duration validity = policy_validity)
        : most_cached_(most_cached), validity_(validity) {}

    /// Replaces the policy and forgets all decisions. A policy of the same version with a later time of issue renews
    /// the current one. Fails with `conflict` for an older version or time of issue, with `invalid_input` for
    /// impossible rules, and with `exhausted` beyond the limits above. After an error, the current policy stays in
    /// force.
    Result<void> set_policy(PolicySnapshot policy, TimePoint now);
    /// Denies everything until a policy arrives.
    void forget_policy();
    /// Extends the policy's validity, because its issuer has confirmed the policy.
    void renew(TimePoint now);
    /// Returns why every request is denied now; nothing if requests are decided by the policy.
    std::optional<std::string> closed(TimePoint now) const;
    /// Returns the version of the current policy; 0: no policy.
    std::uint64_t version() const { return policy_ ? policy_->version : 0; }

    Decision decide(const identity::Credentials& subject, Action action, const Sid& sid, TimePoint now,
                    const Player& as = {});

    /// Takes the decisions made since the last call. A decision that is answered from the cache does not appear again.
    std::vector<AuditEntry> take_audit();
    std::uint64_t audit_lost() const { return audit_lost_; }
    std::size_t cached() const { return by_use_.size(); }

private:
    using Key = std::tuple<bool, std::optional<identity::Role>, std::string, std::string, Action, std::string, Player>;
    struct Cached {
        Key key;
        Decision decision;
    };

    Decision judge(const identity::Credentials& subject, Action action, const Sid& sid, TimePoint now,
                   const Player& as) const;
    void remember(Key key, const Decision& decision);

    std::size_t most_cached_;
    Duration validity_;
    std::optional<PolicySnapshot> policy_;
    std::list<Cached> by_use_;  ///< most recently used first
    std::map<Key, std::list<Cached>::iterator> decisions_;
    std::vector<AuditEntry> audit_;
    std::uint64_t audit_lost_ = 0;
};

}  // namespace divisi::mesh::inline admission
