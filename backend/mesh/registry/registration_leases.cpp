// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/registry/registration_leases.h"

namespace divisi::mesh::inline registry {

using State = RegistrationLeases::Lease::State;

const RegistrationLeases::Lease* RegistrationLeases::find(Kind kind, std::string_view name) const {
    const Index& leases = of_[static_cast<std::size_t>(kind)];
    const auto found = leases.find(name);
    return found == leases.end() ? nullptr : &*found->second;
}

void RegistrationLeases::hold(Kind kind, std::string_view name, Incarnation incarnation, TimePoint now) {
    Index& leases = index(kind);
    List& fresh = list_of(State::fresh);
    if (const auto found = leases.find(name); found != leases.end()) {
        const List::iterator lease = found->second;
        fresh.splice(fresh.end(), list_of(lease->state), lease);
        lease->incarnation = incarnation;
        lease->renewed = now;
        lease->state = State::fresh;
        return;
    }
    fresh.push_back({{kind, std::string(name)}, incarnation, now, State::fresh});
    leases.emplace(fresh.back().holder.name, std::prev(fresh.end()));
}

void RegistrationLeases::drop(Kind kind, std::string_view name) {
    Index& leases = index(kind);
    const auto found = leases.find(name);
    if (found == leases.end()) return;
    const List::iterator lease = found->second;
    leases.erase(found);
    list_of(lease->state).erase(lease);
}

bool RegistrationLeases::too_many_missing() const {
    const std::size_t silent = lists_[static_cast<std::size_t>(State::silent)].size();
    const std::size_t stale = lists_[static_cast<std::size_t>(State::stale)].size();
    const std::size_t missing = silent + stale + lapsed_.size();
    return missing >= least_preserved && 100 * missing > preserved_percent * (size() + lapsed_.size());
}

void RegistrationLeases::expire_front(List& list, Due& due) {
    Lease& lease = list.front();
    index(lease.holder.kind).erase(lease.holder.name);
    due.expired.push_back(std::move(lease.holder));
    list.pop_front();
}

RegistrationLeases::Due RegistrationLeases::advance(TimePoint now) {
    List &fresh = list_of(State::fresh), &silent = list_of(State::silent), &stale = list_of(State::stale);
    while (!fresh.empty() && fresh.front().renewed + silent_after <= now) {
        fresh.front().state = State::silent;
        silent.splice(silent.end(), fresh, fresh.begin());
    }
    while (!lapsed_.empty() && lapsed_.front() + lease_length <= now) lapsed_.pop_front();

    Due due;
    const auto overdue = [&] { return !silent.empty() && silent.front().renewed + lease_length <= now; };
    const bool was_preserving = preserving_since_.has_value();
    if (!was_preserving && overdue() && too_many_missing()) preserving_since_ = now;
    if (was_preserving && (!too_many_missing() || *preserving_since_ + longest_preservation <= now))
        preserving_since_.reset();
    if (preserving_since_) {
        for (; overdue(); stale.splice(stale.end(), silent, silent.begin())) {
            silent.front().state = State::stale;
            due.stale.push_back(silent.front().holder);
        }
        return due;
    }
    while (!stale.empty()) expire_front(stale, due);
    while (overdue()) {
        lapsed_.push_back(now);
        expire_front(silent, due);
    }
    // The leases that expired in this call were overdue for a while. They must not trigger the next preservation.
    if (was_preserving) lapsed_.clear();
    return due;
}

}  // namespace divisi::mesh::inline registry
