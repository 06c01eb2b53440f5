// SPDX-License-Identifier: Apache-2.0
// divisictl services: lists units by SID, the instances that serve them, and their registrations (SRD). A name that is
// not a SID is resolved by its longest prefix. With --watch, prints changes of the registry.
#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "backend/control/agent/service_watch.h"
#include "backend/control/state/incarnation.h"
#include "backend/ctl/network/mesh_view.h"
#include "backend/ctl/terminal/commands.h"
#include "backend/ctl/terminal/json_output.h"
#include "backend/ctl/terminal/terminal.h"

namespace divisi::ctl {
namespace {

using json = nlohmann::ordered_json;

/// The registry's content, and the time since each lease was renewed.
struct Registered {
    control::ServiceWatch watch;
    std::map<Sid, std::int64_t> renewed_ms;
    std::vector<control::ServiceDevice> devices;
};

Result<Registered> fetch(Session& session) {
    Registered now;
    while (!now.watch.complete()) {
        DIVISI_ASSIGN(const control::ServiceChanges answer, session.ask<control::ServiceChanges>(now.watch.next()));
        now.watch.take(answer, session.now());
        for (const control::ServiceRow& row : answer.rows) now.renewed_ms[row.said.sid] = row.renewed_ms;
    }
    now.devices = now.watch.devices();
    return now;
}

json registration_json(const mesh::Registration& said, bool stale) {
    return {{"prefix", said.prefix},
            {"health", mesh::to_string(said.health)},
            {"stale", stale},
            {"resource", said.resource_type},
            {"device", said.capability.device},
            {"flops_per_s", said.capability.flops_per_s},
            {"memory", said.capability.memory},
            {"mic", said.mic.value()},
            {"address", said.address.endpoint},
            {"input", said.input_schema},
            {"output", said.output_schema}};
}

/// Returns the registration of this instance; an older incarnation's registration does not count.
mesh::ServicePtr registration_of(const control::ServiceWatch& watch, const InstanceId& instance) {
    const mesh::ServicePtr service = watch.services().table().find(control::sid_of(instance));
    return service && service->said.incarnation == control::incarnation_of(instance) ? service : nullptr;
}

/// Returns whether the registry's answer for a name includes the unit's instance.
bool answers(const mesh::Resolution& found, const control::UnitView& unit) {
    const Sid sid = control::sid_of(unit.instance);
    return std::ranges::any_of(found.services, [&](const mesh::ServicePtr& one) { return one->said.sid == sid; });
}

struct Row {
    const TaskId& task;
    const control::TaskView& view;
    const control::UnitView& unit;
    const control::InstanceView* instance = nullptr;  ///< instance of the service; null: not placed
    control::InstanceLoad load;
    mesh::ServicePtr service;     ///< entry in the registry; null: not registered
    std::int64_t renewed_ms = 0;  ///< time since its lease was renewed, if it is registered
};

json row_json(const Row& row) {
    json line = {{"sid", row.unit.sid.value()},
                 {"kind", row.unit.kind},
                 {"task", row.task.value()},
                 {"instance", control::sid_of(row.unit.instance).value()},
                 {"incarnation", control::incarnation_of(row.unit.instance)},
                 {"generation", row.instance ? row.instance->generation : row.view.generation},
                 {"node", row.instance ? row.instance->node.value() : "-"},
                 {"instance_state", row.instance ? to_string(row.instance->state) : "-"},
                 {"detail", row.instance ? row.instance->detail : ""},
                 {"operation", row.load.operation},
                 {"operation_ms", row.load.operation_ms},
                 {"state", to_string(row.unit.state)},
                 {"served_microbatches", row.load.served},
                 {"spared_operations", row.load.spared},
                 {"duplicate_chunks", row.load.duplicates},
                 {"registered", row.service != nullptr}};
    if (row.service) line.update(registration_json(row.service->said, row.service->stale));
    if (row.service) line["renewed_ms"] = row.renewed_ms;
    return line;
}

std::vector<std::string> row_cells(const Row& row) {
    std::string life = row.instance ? to_string(row.instance->state) : "-";
    if (row.instance && !row.instance->detail.empty()) life += " (" + row.instance->detail + ")";
    const std::string since =
        row.load.operation.empty() ? "-" : row.load.operation + ", " + std::to_string(row.load.operation_ms) + " ms";
    std::string health = row.service ? mesh::to_string(row.service->said.health) : "-";
    if (row.service && row.service->stale) health += ", stale";
    return {row.unit.sid.value(),
            row.unit.kind,
            to_string(row.unit.state),
            row.unit.instance.value(),
            health,
            row.service ? renewed_text(row.renewed_ms) : "-",
            row.instance ? row.instance->node.value() : "-",
            since,
            life};
}

/// Returns the task's units, its data instances and its standbys. Each data instance is a replica of the whole data
/// unit; a standby has no unit yet.
std::vector<control::UnitView> units_of(const control::ClusterState& state, const control::TaskView& task) {
    std::vector<control::UnitView> units = task.units;
    for (const control::InstanceView* one : control::instances_of(state, task.id)) {
        if (one->stage != control::dealt_stage) continue;
        const bool failed = one->state == control::InstanceState::failed;
        const bool over = one->exited || one->state >= control::InstanceState::finished;
        const bool runs = one->state == control::InstanceState::running;
        units.push_back({one->sid,
                         "data",
                         one->id,
                         {},
                         failed ? control::UnitState::failed
                         : over ? control::UnitState::done
                         : runs ? control::UnitState::running
                                : control::UnitState::waiting});
    }
    for (const control::InstanceView* one : control::standbys_of(state, task.id))
        if (control::stands_by(*one)) units.push_back({one->sid, "standby", one->id, {}, control::UnitState::waiting});
    return units;
}

void print_change(const control::ServiceRow& row, bool as_json, TimePoint now) {
    const mesh::Registration& said = row.said;
    if (as_json) {
        json line = registration_json(said, row.stale);
        line.update({{"revision", row.revision},
                     {"sid", said.sid.value()},
                     {"incarnation", said.incarnation},
                     {"node", said.node.value()},
                     {"removed", row.removed}});
        print_json(line);
        std::fflush(stdout);
        return;
    }
    const std::string state = row.removed ? "left" : std::string(mesh::to_string(said.health));
    std::printf("%s  %-6llu %s  %s%s on %s\n", clock_time(now).c_str(), static_cast<unsigned long long>(row.revision),
                control::instance_of(said.sid, said.incarnation).value().c_str(), state.c_str(),
                row.stale ? " (stale)" : "", said.node.value().c_str());
    std::fflush(stdout);
}

mesh::LeaseStanding standing_of(const control::ServiceDevice& device) {
    if (device.removed) return mesh::LeaseStanding::lapsed;
    return device.stale ? mesh::LeaseStanding::stale : mesh::LeaseStanding::held;
}

json device_json(const control::ServiceDevice& device) {
    return {{"device", device.name},
            {"role", mesh::to_string(device.role)},
            {"id", device.id},
            {"lease", mesh::to_string(standing_of(device))},
            {"stale", device.stale},
            {"renewed_ms", device.renewed_ms},
            {"revision", device.revision}};
}

void print_change(const control::ServiceDevice& device, bool as_json, TimePoint now) {
    if (as_json) {
        json line = device_json(device);
        line["removed"] = device.removed;
        print_json(line);
    } else {
        std::printf("%s  %-6llu %s %s  lease %s\n", clock_time(now).c_str(),
                    static_cast<unsigned long long>(device.revision), mesh::to_string(device.role), device.name.c_str(),
                    mesh::to_string(standing_of(device)));
    }
    std::fflush(stdout);
}

/// Prints the gateways and routers of the registry. Devices whose lease has expired are missing: `divisictl routes`
/// shows them.
void print_service_devices(const std::vector<control::ServiceDevice>& devices, bool as_json) {
    if (as_json) {
        for (const control::ServiceDevice& device : devices) print_json(device_json(device));
        return;
    }
    std::vector<std::vector<std::string>> rows;
    for (const control::ServiceDevice& device : devices)
        rows.push_back({device.name, mesh::to_string(device.role), std::to_string(device.id),
                        mesh::to_string(standing_of(device)), renewed_text(device.renewed_ms)});
    if (rows.empty()) return;
    print_table({"DEVICE", "ROLE", ">ID", "LEASE", ">RENEWED"}, rows);
}

/// Prints changes of the registry. Continues after an outage of the orchestrator; follow() reports the outage.
Result<void> watch_changes(Session& session, const std::string& prefix, bool as_json) {
    control::ServiceWatch watch;
    std::optional<Error> failure;
    std::uint64_t asked = 0;  // number of the last query; an answer to an older one is ignored
    std::function<void()> ask = [&] {
        session.request_later(watch.next(), [&, number = ++asked](const Result<control::Message>& reply) {
            if (number != asked) return true;
            // the next snapshot triggers a new query
            if (!reply && reply.error().code == ErrorCode::unavailable) return true;
            const auto* answer = reply ? get_if<control::ServiceChanges>(&*reply) : nullptr;
            if (reply && !answer)
                failure = Error{ErrorCode::failed, std::string("unexpected answer: ") + control::kind_name(*reply),
                                "divisictl services", "run the same Divisi version on all machines"};
            if (!reply && reply.error().code != ErrorCode::deadline) failure = reply.error();
            if (failure) return false;
            if (answer) {
                for (const control::ServiceRow& row : watch.take(*answer, session.now()))
                    if (row.said.sid.value().starts_with(prefix)) print_change(row, as_json, session.now());
                for (const control::ServiceDevice& device : watch.devices())
                    if (device.name.starts_with(prefix)) print_change(device, as_json, session.now());
            }
            ask();
            return true;
        });
    };
    DIVISI_TRY(session.snapshot());
    const auto back = [&](const control::Message& message) {
        if (holds_alternative<control::Snapshot>(message)) ask();
        return true;
    };
    ask();
    DIVISI_TRY(session.follow(back, [&] { session.leave(); }));
    if (failure) return *failure;
    return {};
}

void print_services(const std::vector<std::vector<std::string>>& rows, const std::string& prefix, bool alone) {
    if (!rows.empty())
        print_table({"SID", "KIND", "STATE", "INSTANCE", "HEALTH", ">RENEWED", "NODE", "DOING, FOR", "INSTANCE STATE"},
                    rows);
    else if (prefix.empty()) std::puts("no services are registered");
    else if (alone) std::puts(("no service, gateway or router has the prefix " + prefix).c_str());
    if (!alone && (!rows.empty() || prefix.empty())) std::puts("");
}

}  // namespace

int list_services(const Common& common, const std::string& prefix, bool watch) {
    auto session = open_session(common);
    if (!session) return print_error(session.error());
    if (watch) {
        const auto watched = watch_changes(**session, prefix, common.json);
        return watched ? 0 : print_error(watched.error());
    }
    std::vector<control::InstanceLoad> loads;
    const auto state = (*session)->snapshot(&loads);
    if (!state) return print_error(state.error());
    auto registered = fetch(**session);
    if (!registered) return print_error(registered.error());
    std::erase_if(registered->devices,
                  [&](const control::ServiceDevice& device) { return !device.name.starts_with(prefix); });
    std::map<InstanceId, control::InstanceLoad> doing;
    for (const control::InstanceLoad& load : loads) doing[load.instance] = load;
    std::vector<std::vector<std::string>> rows;
    bool any = !registered->devices.empty();
    const auto show = [&](const auto& wanted) {
        for (const auto& [id, task] : state->tasks)
            for (const control::UnitView& unit : units_of(*state, task)) {
                if (!wanted(unit)) continue;
                any = true;
                const auto instance = state->instances.find(unit.instance);
                const auto renewed = registered->renewed_ms.find(control::sid_of(unit.instance));
                const Row row{id,
                              task,
                              unit,
                              instance == state->instances.end() ? nullptr : &instance->second,
                              doing[unit.instance],
                              registration_of(registered->watch, unit.instance),
                              renewed == registered->renewed_ms.end() ? 0 : renewed->second};
                if (common.json) print_json(row_json(row));
                else rows.push_back(row_cells(row));
            }
    };
    show([&](const control::UnitView& unit) { return unit.sid.value().starts_with(prefix); });
    if (!any) {
        const mesh::Resolution above = registered->watch.services().resolve(prefix);
        show([&](const control::UnitView& unit) { return answers(above, unit); });
        if (any && !common.json) std::printf("%s answers for %s:\n", above.matched.c_str(), prefix.c_str());
    }
    if (!common.json) print_services(rows, prefix, registered->devices.empty());
    print_service_devices(registered->devices, common.json);
    return 0;
}

}  // namespace divisi::ctl
