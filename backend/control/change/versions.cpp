// SPDX-License-Identifier: Apache-2.0
#include "backend/control/change/versions.h"

#include <algorithm>
#include <cstdio>
#include <set>
#include <utility>

#include "backend/base/hash.h"
#include "backend/control/state/version_lineage.h"
#include "backend/control/types/error_texts.h"
#include "backend/task/parse.h"

namespace divisi::control::inline change {
namespace {

/// Number of shown digits of a hash, enough to distinguish files.
constexpr std::size_t shown_hash = 12;

/// Returns a hash of the model and of the files' hashes, which depend on the cuts.
std::string hash_of(const TaskView& task, const std::set<std::string>& parts) {
    std::uint64_t hash = fnv1a(task.skeleton, fnv1a(task.model));
    for (const std::string& part : parts) hash = fnv1a(part, hash);
    char text[20];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
    return text;
}

/// Returns a description of the data for users: kind and path, and the hash of files that a client uploaded.
std::string data_text(const TaskView& task) {
    const auto spec = task::parse_task(task.text, task.id.value());
    if (!spec) return "";
    std::string text = spec->data.kind;
    if (!spec->data.path.empty()) text += " " + spec->data.path;
    for (const FileRef& file : task.files)
        if (file.purpose == "data" && !file.hash.empty()) text += ", " + file.hash.substr(0, shown_hash);
    return text;
}

/// Returns the task's checkpoint after this step. For step 0, returns the newest checkpoint.
Result<const Checkpoint*> checkpoint_of(const TaskView& task, std::int64_t step) {
    std::string steps;
    for (const Checkpoint& one : task.checkpoints) {
        if (one.step == step || (step == 0 && &one == &task.checkpoints.back())) return &one;
        steps += (steps.empty() ? "" : ", ") + std::to_string(one.step);
    }
    if (task.over()) return make_error(error_text("checkpoints-ended-with-task"), task.id.value());
    if (steps.empty()) return make_error(error_text("no-checkpoint-yet"), task.id.value(), {task.id.value()});
    return make_error(error_text("no-checkpoint-after-step"), task.id.value(), {std::to_string(step), steps});
}

/// Checks that a snapshot of the task has all weights. A snapshot contains only the values that training changes.
/// Frozen weights come from the task's weights file; a zoo model has such a file only if the task started from a
/// version.
Result<void> check_complete(const TaskView& task) {
    const auto spec = task::parse_task(task.text, task.id.value());
    if (!spec || spec->model.frozen.empty() || spec->model.zoo.empty() || !spec->model.from.empty()) return {};
    return make_error(error_text("checkpoint-without-frozen-weights"), task.id.value());
}

std::optional<float> loss_after(const TaskView& task, std::int64_t step) {
    for (const StepRecord& record : task.history)
        if (record.step == step) return record.loss;
    return std::nullopt;
}

std::size_t bytes_of(const ClusterState& state, const Models& models, const ModelVersion& version) {
    const auto task = state.tasks.find(version.task);
    return models.of(version.task).size() + (task == state.tasks.end() ? 0 : kept_bytes(task->second));
}

/// Returns the kept version to drop first: the oldest from which no other version was started, else the oldest. Never
/// returns the newest.
const ModelVersion* first_to_go(const ClusterState& state) {
    const ModelVersion* oldest = nullptr;
    const ModelVersion* childless = nullptr;
    const ModelVersion* newest = nullptr;
    for (const auto& [number, version] : state.versions)
        if (version.kept) newest = &version;
    for (const auto& [number, version] : state.versions) {
        if (!version.kept || &version == newest) continue;
        if (!oldest) oldest = &version;
        if (!childless && !has_children(state, number)) childless = &version;
    }
    return childless ? childless : oldest;
}

}  // namespace

void Versions::adopt() {
    std::set<TaskId> known;
    for (const auto& [number, version] : context_.state().versions)
        if (!version.checkpoint) known.insert(version.task);
    std::vector<std::pair<std::uint64_t, TaskId>> missing;
    for (const auto& [id, task] : context_.state().tasks)
        if (task.outcome == Outcome::succeeded && is_trained(task) && !known.contains(id))
            missing.emplace_back(task.ended_at, id);
    std::ranges::sort(missing);
    for (const auto& [sequence, task] : missing) ended_.push_back(task);
}

void Versions::handle(const Received& received, const DropVersion& message) {
    const auto found = context_.state().versions.find(message.number);
    if (found == context_.state().versions.end())
        return context_.refuse(received, make_error(error_text("no-such-version"), std::to_string(message.number)));
    if (!found->second.kept)
        return context_.refuse(
            received, make_error(error_text("version-dropped-already"), "version " + std::to_string(message.number)));
    const std::string by = context_.sessions().at(received.peer).credentials.name;
    context_.append(VersionDropped{message.number, TaskId(found->second.task), by, "dropped"});
    context_.answer(received, Done{});
}

void Versions::handle(const Received& received, const KeepCheckpoint& message) {
    const auto version = version_of(message);
    if (!version) return context_.refuse(received, version.error());
    context_.append(VersionMade{*version});
    keep_bounds();
    context_.answer(received, VersionMade{*version});
}

void Versions::follow(const Event& event) {
    const auto* ended = get_if<TaskEnded>(&event.body);
    if (ended && ended->outcome == Outcome::succeeded) ended_.push_back(ended->task);
}

void Versions::settle() {
    if (ended_.empty()) return;
    bool made = false;
    for (const TaskId& id : std::exchange(ended_, {})) {
        const auto task = context_.state().tasks.find(id);
        // Only a training task whose weights are all stored gets a version.
        if (task == context_.state().tasks.end() || !is_trained(task->second)) continue;
        context_.append(VersionMade{version_of(task->second)});
        made = true;
    }
    if (made) keep_bounds();
}

ModelVersion Versions::begun(const TaskView& task) const {
    ModelVersion version;
    version.number = context_.state().last_version + 1;
    version.task = task.id;
    version.parent = task.parent;
    version.model = task.model;
    version.data = data_text(task);
    return version;
}

ModelVersion Versions::version_of(const TaskView& task) const {
    ModelVersion version = begun(task);
    std::set<std::string> parts;
    for (const WeightsStored& weights : task.weights) parts.insert(weights.hash);
    version.hash = hash_of(task, parts);
    version.plan = task.plan_hash;
    version.stages = static_cast<std::int32_t>(task.weights.size());
    version.step = task.step;
    if (!task.history.empty()) version.loss = task.history.back().loss;
    version.time = task.ended;
    for (const WeightsStored& weights : task.weights) version.size += weights.size;
    return version;
}

Result<ModelVersion> Versions::version_of(const KeepCheckpoint& wanted) const {
    const ClusterState& state = context_.state();
    const auto task = state.tasks.find(wanted.task);
    if (task == state.tasks.end()) return make_error(error_text("no-such-task"), wanted.task.value());
    DIVISI_ASSIGN(const Checkpoint* checkpoint, checkpoint_of(task->second, wanted.step));
    DIVISI_TRY(check_complete(task->second));
    DIVISI_TRY(check_version_name(state, wanted.name));
    ModelVersion version = begun(task->second);
    std::set<std::string> parts;
    for (const SegmentSnapshot& part : checkpoint->parts) {
        parts.insert(part.hash);
        version.size += part.size;
    }
    version.hash = hash_of(task->second, parts);
    for (const auto& [number, other] : state.versions)
        if (other.kept && other.checkpoint && other.task == wanted.task && other.hash == version.hash)
            return make_error(error_text("checkpoint-is-version"),
                              wanted.task.value() + " after step " + std::to_string(checkpoint->step),
                              {std::to_string(number)});
    // The plan of a checkpoint from before the last re-cut is no longer known.
    if (checkpoint->generation >= task->second.plan_since) version.plan = task->second.plan_hash;
    version.stages = static_cast<std::int32_t>(checkpoint->parts.size());
    version.step = checkpoint->step;
    version.loss = loss_after(task->second, checkpoint->step);
    version.time = checkpoint->time;
    version.checkpoint = true;
    version.name = wanted.name;
    version.parts = checkpoint->parts;
    return version;
}

/// Drops versions beyond the limits and logs each drop. The task of a dropped version is kept like any other ended
/// task.
void Versions::keep_bounds() {
    const ClusterState& state = context_.state();
    std::size_t count = 0, bytes = 0;
    for (const auto& [number, version] : state.versions) {
        if (!version.kept) continue;
        ++count;
        bytes += bytes_of(state, models_, version);
    }
    while (count > 1 && (count > most_versions || bytes > version_bytes)) {
        const ModelVersion* gone = first_to_go(state);
        if (!gone) return;
        --count;
        bytes -= bytes_of(state, models_, *gone);
        context_.append(
            VersionDropped{gone->number, TaskId(gone->task), "",
                           "dropped for newer ones, of which " + std::to_string(most_versions) + " are kept"});
    }
}

}  // namespace divisi::control::inline change
