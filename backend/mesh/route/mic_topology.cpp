// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/route/mic_topology.h"

#include <algorithm>
#include <utility>

namespace divisi::mesh::inline route::mic {
namespace {

/// Weight of the latest step time in the smoothed step time.
constexpr double newest_weight = 0.25;

Duration smoothed(Duration before, Duration seen) {
    if (before == Duration{}) return seen;
    return std::chrono::round<Duration>(newest_weight * seen + (1 - newest_weight) * before);
}

MicId mic_of(const Part& part, const InstanceId& instance) {
    for (const Instance& one : part.instances)
        if (one.id == instance) return one.mic;
    return {};
}

/// Returns the unit whose operation an instance is executing, for example the forward unit for "forward 3 of step 12".
Sid unit_in(const Part& part, const Progress& progress) {
    const std::string kind = progress.operation.substr(0, progress.operation.find(' '));
    for (const Unit& unit : part.units)
        if (unit.instance == progress.instance && unit.kind == kind) return unit.sid;
    return Sid(progress.instance.value());
}

}  // namespace

const char* to_string(Cause cause) {
    switch (cause) {
        case Cause::nothing_arrives: return "nothing arrives";
        case Cause::stands: return "no progress";
        case Cause::silent: return "silent";
    }
    return "unknown";
}

void Dependencies::set(const Part& part, TimePoint now) {
    Topology topology = topology_of(part);
    if (topology.units.empty()) {
        if (tasks_.erase(part.task) > 0) over_.push_back(part.task);
        return;
    }
    Task& task = tasks_[part.task];
    std::map<InstanceId, Played> played;
    for (const Instance& instance : part.instances) {
        const auto known = task.played.find(instance.id);
        const bool goes_on = known != task.played.end() && part.generation == task.part.generation &&
                             known->second.instance.runs == instance.runs;
        Played& one = played[instance.id];
        if (goes_on) one = known->second;
        else one.heard = now;
        one.instance = instance;
    }
    task.played = std::move(played);
    task.part = part;
    task.fresh = task.fresh || topology != task.topology;
    task.topology = std::move(topology);
}

Topology Dependencies::topology_of(const Part& part) const {
    Topology topology{part.task, part.generation, {}, {}};
    std::map<Sid, MicId> mics;
    for (const Unit& unit : part.units) {
        const MicId mic = mics[unit.sid] = mic_of(part, unit.instance);
        if (mic == own_) topology.units.push_back(unit.sid);
    }
    for (const Unit& unit : part.units)
        for (const Sid& source : unit.depends_on) {
            const auto from = mics.find(source);
            if (from == mics.end()) continue;
            const MicId& to = mics.at(unit.sid);
            if (from->second == own_ || to == own_) topology.edges.push_back({source, unit.sid, from->second, to});
        }
    return topology;
}

void Dependencies::take(const Progress& progress, TimePoint now) {
    const auto task = tasks_.find(progress.task);
    if (task == tasks_.end() || task->second.part.generation != progress.generation) return;
    const auto found = task->second.played.find(progress.instance);
    if (found == task->second.played.end()) return;
    Played& played = found->second;
    if (!played.last) {
        played.stepped = now;
    } else if (progress.step > played.last->step) {
        played.step = smoothed(played.step, (now - played.stepped) / (progress.step - played.last->step));
        played.stepped = now;
    }
    played.heard = now;
    played.last = progress;
}

void Dependencies::cut_off() {
    tasks_.clear();
    over_.clear();
    looked_.reset();
}

Duration Dependencies::limit(const Played& played) const {
    if (played.step == Duration{}) return limits_.before_a_step;
    return std::max(limits_.least, limits_.steps * played.step);
}

bool Dependencies::is_heard(const Played& played, TimePoint now) const {
    return played.last && now - played.heard <= limits_.fresh;
}

bool Dependencies::waits_too_long(const Played& played, TimePoint now) const {
    return played.instance.runs && is_heard(played, now) && !played.last->waits_for.empty() &&
           played.last->waits >= limit(played);
}

/// Returns why `waiting` receives nothing from `awaited`. Returns nothing if `awaited` is computing, or is itself
/// waiting for a third instance.
std::optional<Cause> Dependencies::cause_between(const Task& task, const Played& waiting, const InstanceId& awaited,
                                                 TimePoint now) const {
    const auto found = task.played.find(awaited);
    if (found == task.played.end() || !found->second.instance.runs) return Cause::nothing_arrives;
    const Played& other = found->second;
    if (now - other.heard >= limits_.least) return Cause::silent;
    if (!other.last) return std::nullopt;  // the awaited instance has not reported yet, and will report soon
    if (!other.last->operation.empty())
        return other.last->computes >= limit(other) ? std::optional(Cause::stands) : std::nullopt;
    const auto& others = other.last->waits_for;
    const bool for_a_third =
        std::ranges::any_of(others, [&](const InstanceId& one) { return one != waiting.instance.id; });
    // A short wait means that the instance still receives tensors.
    if (for_a_third || other.last->waits < limit(other)) return std::nullopt;
    return Cause::nothing_arrives;
}

/// Returns the dependency of units through which one instance waits for another: for a tensor, or for a free slot.
Edge Dependencies::edge_between(const Task& task, const InstanceId& from, const InstanceId& to) const {
    std::map<Sid, const Unit*> units;
    for (const Unit& unit : task.part.units) units[unit.sid] = &unit;
    const auto between = [&](const InstanceId& source, const InstanceId& target) -> std::optional<Edge> {
        for (const Edge& edge : task.topology.edges)
            if (units.at(edge.from)->instance == source && units.at(edge.to)->instance == target) return edge;
        return std::nullopt;
    };
    if (const auto tensor = between(from, to)) return *tensor;
    if (const auto slot = between(to, from)) return *slot;
    return {Sid(from.value()), Sid(to.value()), mic_of(task.part, from), mic_of(task.part, to)};
}

std::vector<Dependencies::StallReport> Dependencies::judge(const Task& task, TimePoint now) const {
    std::vector<StallReport> found;
    for (const auto& [id, played] : task.played) {
        if (!here(played) || !waits_too_long(played, now)) continue;
        for (const InstanceId& awaited : played.last->waits_for)
            if (const auto cause = cause_between(task, played, awaited, now))
                found.push_back({id, {edge_between(task, awaited, id), *cause, now - played.last->waits}});
    }
    for (const auto& [id, played] : task.played) {
        const bool stands = here(played) && played.instance.runs && is_heard(played, now) &&
                            !played.last->operation.empty() && played.last->computes >= limit(played);
        if (!stands) continue;
        const Edge edge{unit_in(task.part, *played.last), {}, own_, {}};
        found.push_back({id, {edge, Cause::stands, now - played.last->computes}});
    }
    return found;
}

/// Updates the reported breaks; returns whether they changed.
bool Dependencies::update(Task& task, TimePoint now) const {
    std::map<Task::Key, TimePoint> seen;
    std::map<Task::Key, StallReport> said;
    for (StallReport& one : judge(task, now)) {
        const Task::Key key{one.what.edge.from, one.what.edge.to};
        const auto before = task.seen.find(key);
        const TimePoint first = seen[key] = before == task.seen.end() ? now : before->second;
        if (const auto known = task.said.find(key);
            known != task.said.end() && known->second.what.cause == one.what.cause)
            said.insert(*known);
        else if (now - first >= limits_.settled) said[key] = std::move(one);
    }
    // A break stays reported while its reporter is silent.
    for (const auto& [key, one] : task.said)
        if (const auto by = task.played.find(one.by);
            by != task.played.end() && by->second.instance.runs && !is_heard(by->second, now))
            said.insert({key, one});
    task.seen = std::move(seen);
    const bool changed = said != task.said;
    task.said = std::move(said);
    return changed;
}

/// Extends all timeouts by `pause`, because this process could not receive reports while it was paused.
void Dependencies::forgive(Duration pause) {
    for (auto& [id, task] : tasks_) {
        task.seen.clear();
        for (auto& [name, played] : task.played) {
            played.heard += pause;
            played.stepped += pause;
        }
    }
}

std::vector<TaskId> Dependencies::poll(TimePoint now) {
    const TimePoint before = std::exchange(looked_, now).value_or(now);
    if (now - before >= limits_.own_pause) forgive(now - before);
    std::vector<TaskId> news = std::exchange(over_, {});
    for (auto& [id, task] : tasks_) {
        const bool changed = update(task, now);
        if (std::exchange(task.fresh, false) || changed) news.push_back(id);
    }
    return news;
}

const Topology* Dependencies::topology(const TaskId& task) const {
    const auto found = tasks_.find(task);
    return found == tasks_.end() ? nullptr : &found->second.topology;
}

std::vector<Broken> Dependencies::broken(const TaskId& task) const {
    std::vector<Broken> all;
    if (const auto found = tasks_.find(task); found != tasks_.end())
        for (const auto& [key, one] : found->second.said) all.push_back(one.what);
    return all;
}

std::vector<TaskId> Dependencies::tasks() const {
    std::vector<TaskId> ids;
    for (const auto& [id, task] : tasks_) ids.push_back(id);
    return ids;
}

}  // namespace divisi::mesh::inline route::mic
