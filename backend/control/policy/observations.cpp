// SPDX-License-Identifier: Apache-2.0
#include "backend/control/policy/observations.h"

#include <algorithm>

#include "backend/control/state/curve.h"
#include "backend/control/types/policy_settings.h"

namespace divisi::control::inline policy {
namespace {

constexpr std::size_t observed_steps = 8;

template <typename T>
bool full(const std::vector<T>& list) {
    return list.size() >= most_observed;
}

std::vector<std::string> names(const MeshDevices& devices, const std::vector<std::uint32_t>& path) {
    std::vector<std::string> names;
    for (const std::uint32_t id : path) names.push_back(devices.name_of(id));
    return names;
}

void see_services(Observation& seen, const ObservationInputs& sources) {
    for (const mesh::ServicePtr& one : sources.registry.snapshot().services) {
        if (full(seen.services)) return;
        const mesh::Registration& said = one->said;
        seen.services.push_back({said.sid, said.incarnation, said.node, said.mic, said.health});
    }
}

/// Observes the routes between every two connected gateways.
void see_routes(Observation& seen, const ObservationInputs& sources) {
    std::vector<const DeviceView*> gateways;
    sources.devices.each([&](const DeviceView& device) {
        if (device.info.role == mesh::DeviceRole::gateway) gateways.push_back(&device);
    });
    for (const DeviceView* from : gateways)
        for (const DeviceView* to : gateways) {
            if (full(seen.routes)) return;
            if (from == to) continue;
            const auto ways = sources.devices.ways(from->id, to->id);
            if (!ways || ways->first.empty()) continue;
            const std::string &a = from->info.name, &b = to->info.name;
            seen.routes.push_back({a, b, value_of(sources.policy, PolicyKey::share, a, b).value_or(default_share),
                                   names(sources.devices, ways->first), names(sources.devices, ways->second)});
        }
}

void see_nodes(Observation& seen, const ObservationInputs& sources) {
    for (const auto& [id, node] : sources.state.nodes) {
        if (node.state != NodeState::ready || full(seen.nodes)) continue;
        ObservedNode one{id, node.info.mic, node.info.host};
        for (const Device& device : node.info.devices)
            if (device.name == "cpu") one.cores = device.cores;
        if (const auto report = sources.use.reports.find(node.info.host); report != sources.use.reports.end()) {
            one.load = report->second.load;
            one.memory_free = report->second.memory_free;
        }
        if (const auto own = sources.use.threads.find(node.info.host); own != sources.use.threads.end())
            one.own = own->second;
        if (const auto use = sources.use.nodes.find(id); use != sources.use.nodes.end()) one.tasks = use->second.tasks;
        seen.nodes.push_back(std::move(one));
    }
    for (const InstanceLoad& load : sources.loads) {
        const auto instance = sources.state.instances.find(load.instance);
        if (instance == sources.state.instances.end() || full(seen.instances)) continue;
        seen.instances.push_back({load.instance, instance->second.node, load.busy_share, load.wait_share});
    }
}

void see_quality(Observation& seen, const ObservationInputs& sources) {
    sources.devices.each([&](const DeviceView& device) {
        for (const NeighbourReport& one : device.neighbours)
            if (!full(seen.links))
                seen.links.push_back({device.info.name, sources.devices.name_of(one.id), one.usable, one.queued_bytes,
                                      one.credit_bytes, one.quality});
        for (const FlowReport& flow : device.flows) {
            const bool begins_here = flow.path.size() >= 2 && flow.path.front() == device.id &&
                                     device.info.role == mesh::DeviceRole::gateway;
            const bool of_a_task = flow.flow_class == mesh::FlowClass::tensor;
            if (begins_here && of_a_task && !full(seen.flows))
                seen.flows.push_back({flow.task, flow.source, flow.destination, flow.path_index,
                                      names(sources.devices, flow.path), flow.quality});
        }
    });
}

void see_topology(Observation& seen, const ObservationInputs& sources) {
    sources.devices.each([&](const DeviceView& device) {
        const DeviceInfo& info = device.info;
        if (!full(seen.devices)) seen.devices.push_back({info.name, info.role, info.mic, device.up, info.neighbours});
    });
}

void see_tasks(Observation& seen, const ObservationInputs& sources) {
    for (const auto& [id, task] : sources.state.tasks) {
        if (task.over() || full(seen.tasks)) continue;
        ObservedTask one{id, task.phase, task.step, task.steps, recent_step_ms(task.history, observed_steps), {}};
        for (const UnitView& unit : task.units) {
            if (full(one.units)) break;
            const auto instance = sources.state.instances.find(unit.instance);
            const NodeId node = instance == sources.state.instances.end() ? NodeId() : instance->second.node;
            one.units.push_back({unit.sid, unit.kind, node, unit.depends_on});
        }
        seen.tasks.push_back(std::move(one));
    }
}

}  // namespace

Observation observe(const std::vector<ModuleInput>& inputs, const ObservationInputs& sources) {
    Observation seen;
    for (const ModuleInput input : inputs) switch (input) {
            case ModuleInput::services: see_services(seen, sources); break;
            case ModuleInput::routes: see_routes(seen, sources); break;
            case ModuleInput::load: see_nodes(seen, sources); break;
            case ModuleInput::quality: see_quality(seen, sources); break;
            case ModuleInput::topology: see_topology(seen, sources); break;
            case ModuleInput::tasks: see_tasks(seen, sources); break;
        }
    return seen;
}

}  // namespace divisi::control::inline policy
