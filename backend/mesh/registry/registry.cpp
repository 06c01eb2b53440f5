// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/registry/registry.h"

#include <algorithm>

#include "backend/base/text.h"

namespace divisi::mesh::inline registry {

namespace {

Error older(const std::string& name, Incarnation said, Incarnation known) {
    return {ErrorCode::conflict,
            "incarnation " + std::to_string(said) + " is older than " + std::to_string(known) +
                ", which is already registered",
            legible(name), "end this process: a newer process has replaced it"};
}

Error full(const std::string& name, const char* what, std::size_t most) {
    return {ErrorCode::exhausted, "the registry holds " + std::to_string(most) + " " + what + " and accepts no more",
            legible(name), "end tasks that are not needed, then register again"};
}

}  // namespace

void GoneIncarnations::remember(const std::string& name, Incarnation incarnation) {
    const auto [place, is_new] = newest_.try_emplace(name, incarnation);
    place->second = std::max(place->second, incarnation);
    if (is_new) order_.push_back(name);
    if (order_.size() <= most_gone) return;
    newest_.erase(order_.front());
    order_.pop_front();
}

Incarnation GoneIncarnations::newest(const std::string& name) const {
    const auto found = newest_.find(name);
    return found == newest_.end() ? 0 : found->second;
}

Registry::Registry(Epoch epoch, Revision revision, std::vector<Service> services, TimePoint now)
    : epoch_(epoch), revision_(revision), now_(now) {
    for (Service& service : services) {
        leases_.hold(Kind::service, service.said.sid.value(), service.said.incarnation, now);
        table_.put(std::make_shared<const Service>(std::move(service)));
    }
}

Result<Registered> Registry::add(Registration said, TimePoint now) {
    DIVISI_TRY(check(said));
    see(now);
    const std::string& name = said.sid.value();
    const ServicePtr known = table_.find(said.sid);
    const Incarnation newest = known ? known->said.incarnation : gone(Kind::service).newest(name);
    if (said.incarnation < newest) return older(name, said.incarnation, newest);
    if (!known && table_.services() >= most_services) return full(name, "services", most_services);
    leases_.hold(Kind::service, name, said.incarnation, now_);
    // An unchanged registration, as after a reconnection, must not wake every watcher.
    if (!known || known->stale || known->said != said) put(Service{std::move(said)});
    return Registered{epoch_, revision_, now_ + lease_length, RoutingId()};
}

/// Returns the identifier for a registering device: its present one, a new one, or the one that it requests.
Result<RoutingId> Registry::number(const DevicePtr& known, RoutingId wanted) {
    if (known && (wanted.value() == 0 || wanted == known->id)) return known->id;
    if (wanted.value() == 0) return ids_.allocate(now_);
    if (!ids_.take(wanted))
        return Error{ErrorCode::conflict, "another device has the routing identifier " + std::to_string(wanted.value()),
                     "registry", "register with another one, or with none"};
    if (known) ids_.free(known->id, now_);
    return wanted;
}

Result<Registered> Registry::add(DeviceRegistration said, TimePoint now, RoutingId wanted) {
    DIVISI_TRY(check(said));
    see(now);
    const DevicePtr known = table_.find_device(said.name);
    const Incarnation newest = known ? known->said.incarnation : gone(Kind::device).newest(said.name);
    if (said.incarnation < newest) return older(said.name, said.incarnation, newest);
    DIVISI_ASSIGN(const RoutingId id, number(known, wanted));
    leases_.hold(Kind::device, said.name, said.incarnation, now_);
    if (!known || known->stale || known->id != id || known->said != said) put(DeviceRow{std::move(said), id});
    return Registered{epoch_, revision_, now_ + lease_length, id};
}

Result<void> Registry::check_holder(Kind kind, const std::string& name, Incarnation incarnation) const {
    const RegistrationLeases::Lease* lease = leases_.find(kind, name);
    if (lease == nullptr) return Error{ErrorCode::not_found, "not registered", legible(name), "register first"};
    if (incarnation < lease->incarnation) return older(name, incarnation, lease->incarnation);
    if (incarnation > lease->incarnation)
        return Error{ErrorCode::conflict, "incarnation " + std::to_string(incarnation) + " is not registered",
                     legible(name), "register first"};
    return {};
}

Result<Renewal> Registry::renew(Kind kind, const std::string& name, Incarnation incarnation, Epoch epoch,
                                TimePoint now) {
    if (epoch != epoch_) return Renewal(EpochChanged{epoch_});
    DIVISI_TRY(check_holder(kind, name, incarnation));
    see(now);
    const bool was_stale = leases_.find(kind, name)->state == RegistrationLeases::Lease::State::stale;
    leases_.hold(kind, name, incarnation, now_);
    if (was_stale) mark_stale({kind, name}, false);
    return Renewal(Renewed{now_ + lease_length});
}

Result<Renewal> Registry::renew(const Sid& sid, Incarnation incarnation, Epoch epoch, TimePoint now) {
    return renew(Kind::service, sid.value(), incarnation, epoch, now);
}

Result<Renewal> Registry::renew_device(const std::string& name, Incarnation incarnation, Epoch epoch, TimePoint now) {
    return renew(Kind::device, name, incarnation, epoch, now);
}

Result<void> Registry::withdraw(const Sid& sid, Incarnation incarnation, TimePoint now) {
    DIVISI_TRY(check_holder(Kind::service, sid.value(), incarnation));
    see(now);
    remove(sid);
    return {};
}

Result<void> Registry::withdraw_device(const std::string& name, Incarnation incarnation, TimePoint now) {
    DIVISI_TRY(check_holder(Kind::device, name, incarnation));
    see(now);
    remove_device(name);
    return {};
}

std::size_t Registry::withdraw_task(const TaskId& task, TimePoint now) {
    see(now);
    const std::vector<Sid> sids = table_.under(task.value());
    for (const Sid& sid : sids) remove(sid);
    return sids.size();
}

void Registry::advance(TimePoint now) {
    see(now);
    const RegistrationLeases::Due due = leases_.advance(now_);
    for (const auto& holder : due.stale) mark_stale(holder, true);
    for (const auto& holder : due.expired) {
        if (holder.kind == Kind::service) remove(Sid(holder.name));
        else remove_device(holder.name);
    }
}

void Registry::mark_stale(const RegistrationLeases::Holder& holder, bool stale) {
    if (holder.kind == Kind::service) {
        Service row = *table_.find(Sid(holder.name));
        row.stale = stale;
        put(std::move(row));
    } else {
        DeviceRow row = *table_.find_device(holder.name);
        row.stale = stale;
        put(std::move(row));
    }
}

void Registry::put(Service row) {
    row.revision = revision_ + 1;
    auto shared = std::make_shared<const Service>(std::move(row));
    table_.put(shared);
    note({revision_ + 1, false, std::move(shared)});
}

void Registry::put(DeviceRow row) {
    row.revision = revision_ + 1;
    auto shared = std::make_shared<const DeviceRow>(std::move(row));
    table_.put(shared);
    note({revision_ + 1, false, std::move(shared)});
}

void Registry::remove(const Sid& sid) {
    leases_.drop(Kind::service, sid.value());
    ServicePtr row = table_.erase(sid);
    gone(Kind::service).remember(sid.value(), row->said.incarnation);
    note({revision_ + 1, true, std::move(row)});
}

void Registry::remove_device(const std::string& name) {
    leases_.drop(Kind::device, name);
    DevicePtr row = table_.erase_device(name);
    ids_.free(row->id, now_);
    gone(Kind::device).remember(name, row->said.incarnation);
    note({revision_ + 1, true, std::move(row)});
}

void Registry::note(Change change) {
    revision_ = change.revision;
    history_.push_back(std::move(change));
    if (history_.size() > most_changes) history_.pop_front();
}

std::optional<TimePoint> Registry::renewed(const Sid& sid) const {
    const RegistrationLeases::Lease* lease = leases_.find(Kind::service, sid.value());
    return lease ? std::optional(lease->renewed) : std::nullopt;
}

std::optional<TimePoint> Registry::renewed_device(const std::string& name) const {
    const RegistrationLeases::Lease* lease = leases_.find(Kind::device, name);
    return lease ? std::optional(lease->renewed) : std::nullopt;
}

WatchAnswer Registry::changes_since(Epoch epoch, Revision since) const {
    if (epoch != epoch_) return EpochChanged{epoch_};
    const Revision oldest = revision_ - history_.size();
    if (since < oldest || since > revision_) return Compacted{oldest};
    Changes answer{epoch_, since, {}};
    answer.changes.assign(history_.begin() + static_cast<std::ptrdiff_t>(since - oldest), history_.end());
    return answer;
}

}  // namespace divisi::mesh::inline registry
