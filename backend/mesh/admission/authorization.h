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
#include "backend/identity/credentials.h"

namespace divisi::mesh::inline admission {

/// What a subject wants to do with a SID. The numbers travel on the wire; append only.
enum class Action : std::uint8_t {
    send = 1,
    receive,
    register_,  ///< an instance that plays the SID
    advertise,  ///< the SID to other MICs
};
const char* to_string(Action action);

/// Whom a rule is about. Names of keys and uids are told apart: a key may bear any name.
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
/// The public key itself: what the transport has proved.
struct PublicKey {
    std::string key;
    bool operator==(const PublicKey&) const = default;
};
using SubjectPattern = std::variant<Anyone, Owner, Uid, KeyName, identity::Role, PublicKey>;

/// The SID that a subject says it plays, and by which process. Incarnation 0 is none.
struct Player {
    Sid sid;
    std::uint64_t incarnation = 0;
    auto operator<=>(const Player&) const = default;
};

struct Rule {
    SubjectPattern subject;
    std::set<Action> actions;
    std::string sid_prefix;  ///< empty: all SIDs
    bool allow = false;
    Player as = {};  ///< only who plays this; with incarnation 0 any process that does; an empty SID: whatever it plays
};

/// What an admin has said of who may send: it denies, or leaves it to the rules.
struct SendOrder {
    Player as;               ///< as of a rule
    std::string sid_prefix;  ///< empty: all SIDs
    bool allow = false;
    std::string text;  ///< what a decision names as its reason
};

/// What the SMO decided about who may do what. Of the orders that match the first one counts, then of the rules;
/// without a rule: denied.
struct PolicySnapshot {
    std::uint64_t version = 0;
    TimePoint issued_at{};
    std::vector<Rule> rules;
    std::set<std::string> revoked_keys;  ///< public keys, denied before any rule
    std::vector<SendOrder> orders = {};
};

struct Decision {
    bool allowed = false;
    std::uint64_t version = 0;        ///< of the policy; 0: there is none
    std::optional<std::size_t> rule;  ///< that made it, from 0; none where no rule did
    bool unruled = false;             ///< denied for want of a rule, by a policy that is in force
    std::string reason;
    TimePoint valid_until{};
};

/// For the SMO (signaling type 3).
struct AuditEntry {
    identity::Credentials subject;
    Action action = Action::send;
    Sid sid;  ///< empty where what was asked for is none
    Decision decision;
    TimePoint at{};
    Player as = {};
};

inline constexpr std::size_t most_rules = 4'096;
inline constexpr std::size_t most_revoked_keys = 65'536;
/// How long a decision stands unless the policy changes.
inline constexpr Duration decision_validity = std::chrono::seconds(30);
/// How long a policy stands: the orchestrator may be away for that long before everything is denied.
inline constexpr Duration policy_validity = std::chrono::minutes(10);
inline constexpr std::size_t most_decisions = 4'096;
/// Audit entries that wait for take_audit(); those beyond are counted.
inline constexpr std::size_t most_audit_entries = 4'096;

/// The authentication and authorization module (AAM) of a gateway. It decides by its copy of the policy, without asking
/// anybody, and denies everything while it has none that is fresh. `now` never goes back.
class Authorizer {
public:
    explicit Authorizer(std::size_t most_cached = most_decisions, Duration validity = policy_validity)
        : most_cached_(most_cached), validity_(validity) {}

    /// Forgets all decisions and decides by `policy` from now on. The same version may come again with a later issue,
    /// which renews it. `conflict` for an older version or issue, `invalid_input` for impossible rules, `exhausted`
    /// beyond the limits above; the present policy then stays.
    Result<void> set_policy(PolicySnapshot policy, TimePoint now);
    /// From now on all is denied, until a policy comes.
    void forget_policy();
    /// The policy is in force still: who issued it says so.
    void renew(TimePoint now);
    /// Why all is denied now, if so.
    std::optional<std::string> closed(TimePoint now) const;
    /// Of the policy in force; 0: there is none.
    std::uint64_t version() const { return policy_ ? policy_->version : 0; }

    Decision decide(const identity::Credentials& subject, Action action, const Sid& sid, TimePoint now,
                    const Player& as = {});

    /// The decisions since the last call, each once while it stands and is remembered.
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
    std::list<Cached> by_use_;  ///< the one used last at the front
    std::map<Key, std::list<Cached>::iterator> decisions_;
    std::vector<AuditEntry> audit_;
    std::uint64_t audit_lost_ = 0;
};

}  // namespace divisi::mesh::inline admission
