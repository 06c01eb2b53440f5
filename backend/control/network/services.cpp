// SPDX-License-Identifier: Apache-2.0
#include "backend/control/network/services.h"

#include <algorithm>
#include <utility>

#include "backend/control/types/error_texts.h"

namespace divisi::control::inline network {
namespace {

constexpr Duration advance_interval = std::chrono::seconds(1);
/// Bytes of a row in a message, in addition to the bytes of its texts.
constexpr std::size_t row_overhead = 160;

std::size_t bytes_of(const mesh::Registration& said) {
    return row_overhead + said.prefix.size() + said.sid.value().size() + said.resource_type.size() +
           said.capability.device.size() + said.address.endpoint.size() + said.address.key.size() +
           said.mic.value().size() + said.node.value().size() + said.input_schema.size() + said.output_schema.size() +
           said.task.value().size();
}

/// Adds a row if the page has room for it. Returns whether the row was added.
bool take(ServiceChanges& page, std::size_t& bytes, ServiceRow row) {
    bytes += bytes_of(row.said);
    if (page.rows.size() >= most_service_rows || bytes > page_fill.bytes) {
        page.more = true;
        return false;
    }
    page.rows.push_back(std::move(row));
    return true;
}

/// Returns the first service whose SID follows this one.
auto first_after(const mesh::Snapshot& snapshot, const Sid& after) {
    return std::ranges::upper_bound(snapshot.services, after, {},
                                    [](const mesh::ServicePtr& one) { return one->said.sid; });
}

}  // namespace

/// Returns the registry; creates it if it does not exist. The epoch is the current time of this machine's clock, so
/// that no epoch is used twice.
mesh::Registry& Services::open() {
    if (!registry_) registry_.emplace(static_cast<mesh::Epoch>(context_.now().time_since_epoch().count()));
    return *registry_;
}

void Services::adopt() {
    const RegistryMark mark = context_.state().registry;
    if (mark.epoch == 0) return;
    std::vector<mesh::Service> rows;
    for (const auto& [sid, service] : context_.state().services) rows.push_back(service);
    registry_.emplace(mark.epoch, mark.revision, std::move(rows), context_.lived());
    keep_advancing();
    told_ = mark.revision;
}

void Services::handle(const Received& received, const RegisterService& message) {
    mesh::Registration said = message.service;
    const auto instance = context_.state().instances.find(instance_of(said.sid, said.incarnation));
    const auto task = context_.state().tasks.find(said.task);
    const bool runs = instance != context_.state().instances.end() && !instance->second.exited &&
                      task != context_.state().tasks.end() && task->second.runs();
    if (!runs) return context_.refuse(received, make_error(error_text("service-of-no-instance"), said.sid.value()));
    const InstanceView& view = instance->second;
    said.generation = view.generation;
    said.address = {view.data_endpoint, view.data_key};
    said.node = view.node;
    said.mic = {};
    said.capability = {};
    if (const auto node = context_.state().nodes.find(view.node); node != context_.state().nodes.end()) {
        said.mic = node->second.info.mic;
        if (!node->second.info.devices.empty()) {
            const Device& device = node->second.info.devices.front();
            said.capability = {device.flops_per_s, device.memory, device.name};
        }
    }
    said.resource_type = said.capability.device.starts_with("cuda") ? "gpu" : "cpu";
    const auto added = open().add(std::move(said), context_.lived());
    if (!added) return context_.refuse(received, added.error());
    keep_advancing();
    registered(received);
}

void Services::keep_advancing() {
    const bool any = registry_->table().services() > 0 || registry_->table().devices() > 0;
    if (any && !advance_at_) advance_at_ = context_.lived() + advance_interval;
}

Result<void> Services::hold(mesh::DeviceRegistration said, mesh::RoutingId id) {
    const auto added = open().add(std::move(said), context_.lived(), id);
    if (!added) return added.error();
    keep_advancing();
    return {};
}

bool Services::renew(const std::string& device, Incarnation incarnation) {
    return registry_ && registry_->renew_device(device, incarnation, registry_->epoch(), context_.lived()).ok();
}

void Services::withdraw(const std::string& device) {
    if (!registry_) return;
    if (const mesh::DevicePtr row = registry_->table().find_device(device))
        (void)registry_->withdraw_device(device, row->said.incarnation, context_.lived());
}

void Services::handle(const Received& received, const RenewService& message) {
    const auto renewed = open().renew(message.sid, message.incarnation, message.epoch, context_.lived());
    if (!renewed) return context_.refuse(received, renewed.error());
    registered(received);
}

void Services::registered(const Received& received) {
    context_.answer(received, ServiceRegistered{open().epoch(), open().revision()});
}

void Services::handle(const Received& received, const WatchServices& message) {
    const Watch watch{received, message, context_.lived() + (message.leases ? lease_patience : watch_patience)};
    const bool nothing_new = message.epoch == open().epoch() && message.since == open().revision();
    if (!nothing_new || !message.after.value().empty()) return answer(watch);
    // A new request on the same connection ends the wait of the previous request.
    if (const auto older = watches_.find(received.peer); older != watches_.end()) answer(older->second);
    watches_.insert_or_assign(received.peer, watch);
}

void Services::answer(const Watch& watch) { context_.answer(watch.received, changes(watch.message)); }

ServiceRow Services::row_of(const mesh::Service& service, mesh::Revision revision, bool removed) {
    return {service.said, revision, service.stale, removed, removed ? 0 : renewed_ms(service.said.sid)};
}

ServiceDevice Services::row_of(const mesh::DeviceRow& device, mesh::Revision revision, bool removed) {
    const std::int64_t age = removed ? 0 : age_ms(open().renewed_device(device.said.name));
    return {device.said.name, device.said.role, device.id.value(), revision, device.stale, removed, age};
}

std::int64_t Services::renewed_ms(const Sid& sid) { return age_ms(open().renewed(sid)); }

std::int64_t Services::age_ms(std::optional<TimePoint> renewed) const {
    const auto age = renewed ? std::max(context_.lived() - *renewed, Duration{}) : Duration{};
    return std::chrono::duration_cast<std::chrono::milliseconds>(age).count();
}

std::vector<LeaseAge> Services::lease_ages(const Sid& after) {
    const mesh::Snapshot snapshot = open().snapshot();
    const auto name_of = [](const mesh::DevicePtr& one) -> const std::string& { return one->said.name; };
    auto device = std::ranges::upper_bound(snapshot.devices, after.value(), {}, name_of);
    auto service = first_after(snapshot, after);
    std::vector<LeaseAge> ages;
    while (ages.size() < most_lease_ages) {
        const bool devices_left = device != snapshot.devices.end(), services_left = service != snapshot.services.end();
        if (!devices_left && !services_left) break;
        if (devices_left && (!services_left || name_of(*device) < (*service)->said.sid.value())) {
            ages.push_back({Sid(name_of(*device)), age_ms(open().renewed_device(name_of(*device)))});
            ++device;
        } else {
            ages.push_back({(*service)->said.sid, renewed_ms((*service)->said.sid)});
            ++service;
        }
    }
    return ages;
}

ServiceChanges Services::changes(const WatchServices& message) {
    if (!message.after.value().empty()) return page_of_snapshot(message.after);
    const mesh::WatchAnswer answer = open().changes_since(message.epoch, message.since);
    const auto* changes = get_if<mesh::Changes>(&answer);
    if (!changes) return page_of_snapshot(Sid());
    ServiceChanges page{changes->epoch, message.since, false, {}, false};
    std::size_t bytes = 0;
    for (const mesh::Change& change : changes->changes) {
        if (const auto* service = get_if<mesh::ServicePtr>(&change.row)) {
            if (!take(page, bytes, row_of(**service, change.revision, change.removed))) break;
        } else if (const auto* device = get_if<mesh::DevicePtr>(&change.row)) {
            page.more = page.devices.size() >= most_service_rows;
            if (page.more) break;
            page.devices.push_back(row_of(**device, change.revision, change.removed));
        }
        page.revision = change.revision;
    }
    if (message.leases) page.leases = lease_ages(message.leases_after);
    return page;
}

ServiceChanges Services::page_of_snapshot(const Sid& after) {
    const mesh::Snapshot snapshot = open().snapshot();
    ServiceChanges page{snapshot.epoch, snapshot.revision, true, {}, false};
    std::size_t bytes = 0;
    for (auto one = first_after(snapshot, after); one != snapshot.services.end(); ++one)
        if (!take(page, bytes, row_of(**one, (*one)->revision, false))) break;
    if (page.more) return page;
    for (const mesh::DevicePtr& device : snapshot.devices)
        page.devices.push_back(row_of(*device, device->revision, false));
    return page;
}

void Services::follow(const Event& event) {
    if (!registry_) return;
    if (const auto* ended = get_if<InstanceEnded>(&event.body))
        (void)registry_->withdraw(sid_of(ended->instance), incarnation_of(ended->instance), context_.lived());
    if (const auto* over = get_if<TaskEnded>(&event.body)) registry_->withdraw_task(over->task, context_.lived());
}

void Services::record(mesh::Revision since) {
    const mesh::Epoch epoch = registry_->epoch();
    const mesh::WatchAnswer answer = registry_->changes_since(epoch, since);
    const auto enter = [&](const mesh::Service& service, bool removed, mesh::Revision revision) {
        if (removed) context_.append(ServiceLeft{epoch, revision, service.said.sid});
        else context_.append(ServiceJoined{epoch, service});
    };
    if (const auto* changes = get_if<mesh::Changes>(&answer)) {
        for (const mesh::Change& change : changes->changes)
            if (const auto* service = get_if<mesh::ServicePtr>(&change.row))
                enter(**service, change.removed, change.revision);
            else record(**get_if<mesh::DevicePtr>(&change.row), change.removed, change.revision);
        return;
    }
    // The registry's history does not hold all changes, so compare the whole registry with the state.
    const std::map<Sid, mesh::Service> before = context_.state().services;
    for (const auto& [sid, service] : before)
        if (!registry_->table().find(sid)) enter(service, true, registry_->revision());
    for (const mesh::ServicePtr& service : registry_->snapshot().services) {
        const auto known = before.find(service->said.sid);
        if (known == before.end() || known->second != *service) enter(*service, false, service->revision);
    }
    for (const mesh::DevicePtr& device : registry_->snapshot().devices) record(*device, false, device->revision);
}

void Services::record(const mesh::DeviceRow& row, bool removed, mesh::Revision revision) {
    using enum mesh::LeaseStanding;
    context_.append(DeviceLease{registry_->epoch(), revision, row.said.name,
                                removed     ? lapsed
                                : row.stale ? stale
                                            : held});
}

void Services::tell() {
    if (!registry_ || registry_->revision() == told_) return;
    record(std::exchange(told_, registry_->revision()));
    for (const auto& [peer, watch] : std::exchange(watches_, {})) answer(watch);
}

void Services::check_deadlines() {
    if (advance_at_ && context_.lived() >= *advance_at_) {
        registry_->advance(context_.lived());
        advance_at_.reset();
        keep_advancing();
    }
    for (auto watch = watches_.begin(); watch != watches_.end();) {
        const bool due = context_.lived() >= watch->second.until;
        if (due) answer(watch->second);
        watch = due ? watches_.erase(watch) : std::next(watch);
    }
}

std::optional<TimePoint> Services::next_deadline() const {
    std::optional<TimePoint> next = advance_at_;
    for (const auto& [peer, watch] : watches_)
        if (!next || watch.until < *next) next = watch.until;
    return next;
}

}  // namespace divisi::control::inline network
