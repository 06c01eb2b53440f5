// SPDX-License-Identifier: Apache-2.0
#include "backend/control/state/version_lineage.h"

#include <algorithm>
#include <charconv>
#include <ranges>

#include "backend/control/types/error_texts.h"

namespace divisi::control::inline state {
namespace {

/// Shortest usable beginning of a hash.
constexpr std::size_t shortest_hash = 4;

constexpr std::size_t longest_version_name = 64;

/// Returns the number that the word stands for; 0 if the word is not a number.
std::uint64_t number_of(const std::string& word) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    return error == std::errc() && end == word.data() + word.size() ? number : 0;
}

/// Returns the newest kept version of this name. If there is none, returns the newest dropped version.
const ModelVersion* of_name(const ClusterState& state, const std::string& word) {
    const ModelVersion* found = nullptr;
    for (const auto& [number, version] : state.versions)
        if (!word.empty() && version.name == word && (!found || version.kept || !found->kept)) found = &version;
    return found;
}

const ModelVersion* of_task(const ClusterState& state, const std::string& word) {
    const ModelVersion* found = nullptr;
    for (const auto& [number, version] : state.versions) {
        const auto task = state.tasks.find(version.task);
        const bool named = task != state.tasks.end() && task->second.name == word;
        if (version.task.value() != word && !named) continue;
        if (!found || version.kept || !found->kept) found = &version;
    }
    return found;
}

}  // namespace

bool is_trained(const TaskView& task) {
    return task.weights.size() >= task.cuts.size() + 1 && !task.weights.front().results;
}

Result<const ModelVersion*> find_version(const ClusterState& state, const std::string& word) {
    if (const auto found = state.versions.find(number_of(word)); found != state.versions.end()) return &found->second;
    if (const ModelVersion* found = of_name(state, word)) return found;
    if (const ModelVersion* found = of_task(state, word)) return found;
    const ModelVersion* meant = nullptr;
    for (const auto& [number, version] : state.versions) {
        if (word.size() < shortest_hash || !version.hash.starts_with(word)) continue;
        if (meant) return make_error(error_text("ambiguous-version-hash"), word);
        meant = &version;
    }
    if (meant) return meant;
    return make_error(error_text("no-such-version"), word);
}

std::vector<const ModelVersion*> lineage_of(const ClusterState& state, std::uint64_t number) {
    std::vector<const ModelVersion*> line;
    // Follow only parents that are older than their child, so that a faulty log cannot cause an endless loop.
    for (auto found = state.versions.find(number); found != state.versions.end();) {
        const ModelVersion& version = found->second;
        line.push_back(&version);
        found = version.parent < version.number ? state.versions.find(version.parent) : state.versions.end();
    }
    return line;
}

Result<void> check_version_name(const ClusterState& state, const std::string& name) {
    if (name.empty()) return {};
    const bool all_digits = name.find_first_not_of("0123456789") == std::string::npos;
    const bool word = std::ranges::all_of(name, [](unsigned char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
               c == '.';
    });
    if (!word || all_digits || name.size() > longest_version_name)
        return make_error(error_text("no-version-name"), name.substr(0, longest_version_name));
    const auto taken = find_version(state, name);
    const bool free = !taken && taken.error().code == ErrorCode::not_found;
    if (free || (taken && !(*taken)->kept && (*taken)->name == name)) return {};
    if (!taken) return make_error(error_text("version-name-is-hash"), name);
    return make_error(error_text("version-name-taken"), name, {std::to_string((*taken)->number)});
}

bool has_children(const ClusterState& state, std::uint64_t number) {
    const auto is_child = [&](const auto& entry) { return entry.second.parent == number; };
    const auto has_version = [&](const TaskId& task) {
        return std::ranges::any_of(
            state.versions, [&](const auto& entry) { return entry.second.task == task && !entry.second.checkpoint; });
    };
    // The version of a task that succeeded is made after the task's end.
    const auto will_be = [&](const auto& entry) {
        const TaskView& task = entry.second;
        if (task.parent != number) return false;
        return !task.over() || (task.outcome == Outcome::succeeded && is_trained(task) && !has_version(entry.first));
    };
    return std::ranges::any_of(state.versions, is_child) || std::ranges::any_of(state.tasks, will_be);
}

void forget_versions(ClusterState& state) {
    auto& versions = state.versions;
    // Children are newer than their parents, so one pass from the newest to the oldest finds all descendants.
    for (auto at = versions.end(); at != versions.begin();) {
        --at;
        if (!at->second.kept && !has_children(state, at->first)) at = versions.erase(at);
    }
    for (auto at = versions.begin(); at != versions.end() && versions.size() > most_version_records;)
        at = at->second.kept ? std::next(at) : versions.erase(at);
}

}  // namespace divisi::control::inline state
