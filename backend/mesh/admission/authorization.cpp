// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/admission/authorization.h"

#include <algorithm>
#include <utility>

#include "backend/mesh/base/service_path.h"

namespace divisi::mesh::inline admission {
namespace {

constexpr std::size_t longest_name = 1024;

bool matches(const SubjectPattern& pattern, const identity::Credentials& subject) {
    if (holds_alternative<Anyone>(pattern)) return true;
    if (holds_alternative<Owner>(pattern)) return subject.owner;
    if (const auto* uid = get_if<Uid>(&pattern))
        return subject.key.empty() && subject.name == "uid:" + std::to_string(uid->number);
    if (const auto* key = get_if<KeyName>(&pattern)) return !subject.key.empty() && subject.name == key->name;
    if (const auto* key = get_if<PublicKey>(&pattern)) return subject.key == key->key;
    return subject.role == std::get<identity::Role>(pattern);
}

/// Returns whether `as` is the player `meant`. An empty SID or an incarnation 0 in `meant` matches every value.
bool matches(const Player& meant, const Player& as) {
    return (meant.sid.value().empty() || meant.sid == as.sid) &&
           (meant.incarnation == 0 || meant.incarnation == as.incarnation);
}

Result<void> check(const PolicySnapshot& policy) {
    const std::string where = "policy " + std::to_string(policy.version);
    if (policy.rules.size() > most_rules || policy.orders.size() > most_rules ||
        policy.revoked_keys.size() > most_revoked_keys)
        return Error{ErrorCode::exhausted, "too many rules, orders or revoked keys", where, ""};
    for (const SendOrder& order : policy.orders)
        if ((!order.sid_prefix.empty() && !is_service_path(order.sid_prefix)) || order.text.size() > longest_name ||
            (!order.as.sid.value().empty() && !is_service_path(order.as.sid.value())))
            return Error{ErrorCode::invalid_input, "an order has no valid sender or prefix", where, ""};
    for (std::size_t i = 0; i < policy.rules.size(); ++i) {
        const Rule& rule = policy.rules[i];
        const auto* key = get_if<KeyName>(&rule.subject);
        const auto* public_key = get_if<PublicKey>(&rule.subject);
        const bool known = std::ranges::all_of(
            rule.actions, [](Action action) { return action >= Action::send && action <= Action::advertise; });
        if (rule.actions.empty() || !known || (!rule.sid_prefix.empty() && !is_service_path(rule.sid_prefix)) ||
            (key != nullptr && (key->name.empty() || key->name.size() > longest_name)) ||
            (public_key != nullptr && (public_key->key.empty() || public_key->key.size() > longest_name)) ||
            (!rule.as.sid.value().empty() && !is_service_path(rule.as.sid.value())))
            return Error{ErrorCode::invalid_input,
                         "rule " + std::to_string(i) + " has no valid subject, action or prefix", where, ""};
    }
    for (const std::string& key : policy.revoked_keys)
        if (key.empty() || key.size() > longest_name)
            return Error{ErrorCode::invalid_input, "a revoked key is malformed", where, ""};
    return {};
}

}  // namespace

const char* to_string(Action action) {
    switch (action) {
        case Action::send: return "send";
        case Action::receive: return "receive";
        case Action::register_: return "register";
        case Action::advertise: return "advertise";
    }
    return "unknown";
}

Result<void> Authorizer::set_policy(PolicySnapshot policy, TimePoint now) {
    DIVISI_TRY(check(policy));
    // A clock that is ahead must not extend a policy, nor block later policies once the clock is corrected.
    policy.issued_at = std::min(policy.issued_at, now);
    if (policy_ && std::pair(policy.version, policy.issued_at) < std::pair(policy_->version, policy_->issued_at))
        return Error{ErrorCode::conflict, "an old policy", "policy " + std::to_string(policy.version),
                     "version " + std::to_string(policy_->version) + " is in force"};
    policy_ = std::move(policy);
    decisions_.clear();
    by_use_.clear();
    return {};
}

void Authorizer::forget_policy() {
    policy_.reset();
    decisions_.clear();
    by_use_.clear();
}

void Authorizer::renew(TimePoint now) {
    if (!policy_ || policy_->issued_at >= now) return;
    if (closed(now)) {  // denials from the time without a valid policy must be decided again
        decisions_.clear();
        by_use_.clear();
    }
    policy_->issued_at = now;
}

std::optional<std::string> Authorizer::closed(TimePoint now) const {
    if (!policy_) return "no policy has arrived yet";
    if (now < policy_->issued_at + validity_) return std::nullopt;
    return "the policy is too old: no orchestrator has confirmed it for " +
           std::to_string(validity_ / std::chrono::seconds(1)) + " s";
}

Decision Authorizer::decide(const identity::Credentials& subject, Action action, const Sid& sid, TimePoint now,
                            const Player& as) {
    const Sid asked = is_service_path(sid.value()) ? sid : Sid();
    Key key(subject.owner, subject.role, subject.name, subject.key, action, asked.value(), as);
    if (const auto at = decisions_.find(key); at != decisions_.end()) {
        by_use_.splice(by_use_.begin(), by_use_, at->second);
        if (now < by_use_.front().decision.valid_until) return by_use_.front().decision;
        decisions_.erase(at);
        by_use_.pop_front();
    }
    const Decision decision = judge(subject, action, asked, now, as);
    remember(std::move(key), decision);
    if (audit_.size() < most_audit_entries) audit_.push_back({subject, action, asked, decision, now, as});
    else ++audit_lost_;
    return decision;
}

Decision Authorizer::judge(const identity::Credentials& subject, Action action, const Sid& sid, TimePoint now,
                           const Player& as) const {
    Decision decision;
    decision.valid_until = now + decision_validity;
    const auto deny = [&](std::string reason) {
        decision.reason = std::move(reason);
        return decision;
    };
    decision.version = version();
    if (auto why = closed(now)) return deny(*std::move(why));
    decision.valid_until = std::min(decision.valid_until, policy_->issued_at + validity_);
    if (sid.value().empty()) return deny("not a service identifier");
    if (policy_->revoked_keys.contains(subject.key)) return deny("the key was revoked");
    const auto order = std::ranges::find_if(policy_->orders, [&](const SendOrder& one) {
        return action == Action::send && matches(one.as, as) &&
               (one.sid_prefix.empty() || is_under(sid.value(), one.sid_prefix));
    });
    if (order != policy_->orders.end() && !order->allow) return deny("policy '" + order->text + "' denies it");
    for (std::size_t i = 0; i < policy_->rules.size(); ++i) {
        const Rule& rule = policy_->rules[i];
        if (!rule.actions.contains(action) || !matches(rule.subject, subject)) continue;
        if (!rule.sid_prefix.empty() && !is_under(sid.value(), rule.sid_prefix)) continue;
        if (!matches(rule.as, as)) continue;
        decision.allowed = rule.allow;
        decision.rule = i;
        decision.reason = "rule " + std::to_string(i) + (rule.allow ? " allows it" : " denies it");
        return decision;
    }
    decision.unruled = true;
    return deny("no rule allows it");
}

void Authorizer::remember(Key key, const Decision& decision) {
    if (most_cached_ == 0) return;
    if (by_use_.size() >= most_cached_) {
        decisions_.erase(by_use_.back().key);
        by_use_.pop_back();
    }
    by_use_.push_front({key, decision});
    decisions_.emplace(std::move(key), by_use_.begin());
}

std::vector<AuditEntry> Authorizer::take_audit() { return std::exchange(audit_, {}); }

}  // namespace divisi::mesh::inline admission
