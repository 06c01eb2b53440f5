// SPDX-License-Identifier: Apache-2.0
#include "backend/control/network/mics.h"

#include <algorithm>
#include <type_traits>

#include "backend/control/protocol/state_messages.h"
#include "backend/control/state/incarnation.h"
#include "backend/control/types/error_texts.h"

namespace divisi::control::inline network {
namespace {

using mesh::mic::Broken;
using mesh::mic::Cause;
using mesh::mic::Edge;
using mesh::mic::Part;

/// Returns whether the task has begun and is not ending. Only then can its chains stall.
bool trains(const TaskView& task) { return task.runs() && task.phase != TaskPhase::registration && !task.ending; }

/// Returns the part of a gateway's report that concerns units of the task. Unknown entries are dropped, so the lists
/// cannot grow without limit.
MicReport checked(const MicReport& report, const TaskView& task) {
    std::set<Sid> units;
    std::set<std::pair<Sid, Sid>> edges;
    for (const UnitView& unit : task.units) {
        units.insert(unit.sid);
        for (const Sid& source : unit.depends_on) edges.insert({source, unit.sid});
    }
    MicReport kept{{task.id, report.topology.generation, {}, {}}, {}};
    for (const Sid& unit : report.topology.units)
        if (units.erase(unit) > 0) kept.topology.units.push_back(unit);
    for (const Edge& edge : report.topology.edges)
        if (edges.erase({edge.from, edge.to}) > 0) kept.topology.edges.push_back(edge);
    const std::size_t most_broken = task.units.size() + kept.topology.edges.size();
    for (const Broken& one : report.broken)
        if (kept.broken.size() < most_broken && task_of(one.edge.from) == task.id) kept.broken.push_back(one);
    return kept;
}

const Broken* find(const std::vector<Broken>& all, const Broken& wanted) {
    const auto found = std::ranges::find_if(
        all, [&](const Broken& one) { return one.edge == wanted.edge && one.cause == wanted.cause; });
    return found == all.end() ? nullptr : &*found;
}

std::string seconds(Duration time) { return std::to_string(std::chrono::round<std::chrono::seconds>(time).count()); }

}  // namespace

void Mics::follow(const Event& event) {
    const auto changes = [](const auto& body) {
        using Body = std::decay_t<decltype(body)>;
        return std::is_same_v<Body, TaskPlanned> || std::is_same_v<Body, InstancePlaced> ||
               std::is_same_v<Body, InstanceChanged> || std::is_same_v<Body, InstanceEnded> ||
               std::is_same_v<Body, PhaseChanged> || std::is_same_v<Body, TaskEnding> ||
               std::is_same_v<Body, TaskEnded>;
    };
    if (!visit(changes, event.body)) return;
    if (const TaskId task = task_of(event.body); !task.value().empty()) changed_.insert(task);
}

std::map<InstanceId, MicId> Mics::mics_of(const TaskView& task) const {
    std::map<InstanceId, MicId> mics;
    if (!trains(task)) return mics;
    for (const InstanceView* one : instances_of(context_.state(), task.id))
        if (const auto node = context_.state().nodes.find(one->node); node != context_.state().nodes.end())
            mics[one->id] = node->second.info.mic;
    return mics;
}

/// Returns the task's units in the MIC, and the units elsewhere that they depend on or that depend on them.
Part Mics::part_of(const TaskView& task, const std::map<InstanceId, MicId>& mics, const MicId& mic) const {
    Part part{task.id, task.generation, {}, {}};
    std::set<Sid> ours, wanted;
    for (const UnitView& unit : task.units) {
        const auto played = mics.find(unit.instance);
        if (played == mics.end() || played->second != mic) continue;
        ours.insert(unit.sid);
        wanted.insert(unit.sid);
        wanted.insert(unit.depends_on.begin(), unit.depends_on.end());
    }
    if (ours.empty()) return part;
    for (const UnitView& unit : task.units)
        if (std::ranges::any_of(unit.depends_on, [&](const Sid& source) { return ours.contains(source); }))
            wanted.insert(unit.sid);
    std::set<InstanceId> players;
    for (const UnitView& unit : task.units) {
        if (!wanted.contains(unit.sid)) continue;
        part.units.push_back({unit.sid, unit.kind, unit.instance, unit.depends_on});
        if (!mics.contains(unit.instance) || !players.insert(unit.instance).second) continue;
        const InstanceView& instance = context_.state().instances.at(unit.instance);
        part.instances.push_back({unit.instance, mics.at(unit.instance), instance.state == InstanceState::running});
    }
    return part;
}

/// Sends the task's units to the gateways of all MICs in which the task runs or ran.
void Mics::tell(const TaskId& id) {
    const auto task = context_.state().tasks.find(id);
    const auto mics = task == context_.state().tasks.end() ? std::map<InstanceId, MicId>() : mics_of(task->second);
    std::set<MicId> there;
    for (const auto& [instance, mic] : mics) there.insert(mic);
    devices_.each([&](const DeviceView& device) {
        const auto known = known_.find(device.info.name);
        if (known == known_.end() || !device.up) return;
        auto& told = known->second.told;
        const auto before = told.find(id);
        if (before == told.end() && !there.contains(device.info.mic)) return;
        Part part = there.empty() ? Part{id, 1, {}, {}} : part_of(task->second, mics, device.info.mic);
        if (before != told.end() && before->second == part) return;
        if (before == told.end() && part.units.empty()) return;
        devices_.tell(device.info.name, MicUnits{part});
        if (part.units.empty()) {
            told.erase(before);
            watched_by_[id].erase(device.info.name);
        } else {
            told[id] = std::move(part);
            watched_by_[id].insert(device.info.name);
        }
    });
}

void Mics::poll() {
    for (const std::string& name : devices_.take_registered_gateways()) {
        forget(name);
        known_.insert_or_assign(name, Known());
        for (const auto& [id, task] : context_.state().tasks)
            if (trains(task)) changed_.insert(id);
    }
    const std::set<TaskId> changed = std::exchange(changed_, {});
    if (changed.empty()) return;
    std::vector<std::string> gone;
    for (const auto& [gateway, known] : known_)
        if (!devices_.view(gateway)) gone.push_back(gateway);
    for (const std::string& gateway : gone) forget(gateway);
    for (const TaskId& task : changed) tell(task);
    std::erase_if(watched_by_, [](const auto& entry) { return entry.second.empty(); });
}

void Mics::forget(const std::string& gateway) {
    known_.erase(gateway);
    for (auto& [task, gateways] : watched_by_) gateways.erase(gateway);
}

void Mics::pass_on(const std::vector<InstanceLoad>& loads) {
    std::map<std::string, LoadPush> pushes;
    for (const InstanceLoad& load : loads) {
        const TaskId task = task_of(sid_of(load.instance));
        const auto watching = watched_by_.find(task);
        if (watching == watched_by_.end()) continue;
        for (const std::string& gateway : watching->second) {
            const auto& players = known_.at(gateway).told.at(task).instances;
            if (std::ranges::any_of(players, [&](const auto& one) { return one.id == load.instance; }))
                pushes[gateway].loads.push_back(load);
        }
    }
    for (auto& [gateway, push] : pushes) devices_.tell(gateway, std::move(push));
    for (auto& [gateway, known] : known_)
        if (const auto line = known.notes.due(context_.now()))
            context_.append(Noted{Severity::warning, component_of(gateway), "", *line});
}

void Mics::handle(const Received& received, const MicReport& message) {
    const auto gateway = devices_.name_of(received.peer);
    if (!gateway || !devices_.is_gateway(*gateway))
        return context_.refuse(received, make_error(error_text("report-of-no-gateway"), ""));
    Known& known = known_[*gateway];
    const TaskId& id = message.topology.task;
    const auto before = known.reports.extract(id);
    const auto task = context_.state().tasks.find(id);
    MicReport now{{id, message.topology.generation, {}, {}}, {}};
    if (task != context_.state().tasks.end() && trains(task->second)) now = checked(message, task->second);
    note_changes(*gateway, before.empty() ? MicReport{} : before.mapped(), now);
    if (!now.topology.units.empty()) known.reports[id] = std::move(now);
}

void Mics::note_changes(const std::string& gateway, const MicReport& before, const MicReport& now) {
    const TaskId& task = now.topology.task;
    for (const Broken& one : now.broken) {
        if (find(before.broken, one)) continue;
        stalled_.push_back({task, gateway, component_of(gateway) + " finds that " + line_of(one)});
        const std::string way = one.cause == Cause::nothing_arrives ? way_of(task, one.edge) : "";
        note(gateway, Severity::warning, task,
             line_of(one) + ", for " + seconds(context_.now() - one.since) + " s already" + way);
    }
    for (const Broken& one : before.broken) {
        if (find(now.broken, one)) continue;
        const bool over = now.topology.units.empty();
        const std::string to = one.edge.to.value().empty() ? "" : " > " + one.edge.to.value();
        note(gateway, Severity::info, task,
             one.edge.from.value() + to +
                 (over ? " is no longer watched: the task has stopped"
                       : " makes progress again, " + seconds(context_.now() - one.since) + " s after it stalled"));
    }
}

void Mics::note(const std::string& gateway, Severity severity, const TaskId& task, const std::string& line) {
    if (const auto passed = known_[gateway].notes.pass(line, context_.now()))
        context_.append(Noted{severity, component_of(gateway), task.value(), *passed});
}

std::string Mics::component_of(const std::string& gateway) const {
    const DeviceView* device = devices_.view(gateway);
    return "MIC " + (device ? device->info.mic.value() : gateway);
}

/// Describes the flow of a dependency between two MICs, as reported by the gateway at which the flow begins.
std::string Mics::way_of(const TaskId& task, const Edge& edge) const {
    if (edge.to.value().empty() || edge.from_mic == edge.to_mic) return "";
    const Sid source = player_of(task, edge.from), destination = player_of(task, edge.to);
    std::string way;
    devices_.each([&](const DeviceView& device) {
        if (device.info.mic != edge.from_mic || device.info.role != mesh::DeviceRole::gateway) return;
        for (const FlowReport& flow : device.flows) {
            if (flow.task != task || flow.source != source || flow.destination != destination) continue;
            if (flow.path.size() < 2) way = "; no path leads to it from " + device.info.name;
            else
                way = "; its flow uses " + devices_.names_between(flow.path) + ", where " +
                      std::to_string(flow.queued_bytes) + " bytes wait";
        }
    });
    return way;
}

/// Returns the SID of the instance that runs a unit.
Sid Mics::player_of(const TaskId& id, const Sid& unit) const {
    if (const auto task = context_.state().tasks.find(id); task != context_.state().tasks.end())
        for (const UnitView& one : task->second.units)
            if (one.sid == unit) return sid_of(one.instance);
    return unit;
}

MicsState Mics::state() const {
    MicsState state;
    devices_.each([&](const DeviceView& device) {
        if (device.info.role != mesh::DeviceRole::gateway) return;
        MicView view{device.info.mic, device.info.name, device.up, {}};
        if (const auto known = known_.find(device.info.name); known != known_.end())
            for (const auto& [task, report] : known->second.reports) view.reports.push_back(report);
        state.mics.push_back(std::move(view));
    });
    return state;
}

void Mics::handle(const Received& received, const QueryMics&) { context_.answer(received, state()); }

}  // namespace divisi::control::inline network
