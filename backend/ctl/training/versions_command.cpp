// SPDX-License-Identifier: Apache-2.0
// divisictl models: lists versions of trained models and their lineage, and turns checkpoints into versions.
#include <cstdio>
#include <utility>

#include "backend/control/state/version_lineage.h"
#include "backend/ctl/terminal/commands.h"
#include "backend/ctl/terminal/json_output.h"
#include "backend/ctl/terminal/terminal.h"
#include "backend/ctl/training/version_lines.h"

namespace divisi::ctl {
namespace {

/// Waits until a task commits the checkpoint that was ordered for the end of a step, or a newer checkpoint.
class CommitWatch {
public:
    CommitWatch(control::ClusterState state, TaskId task, std::int64_t step)
        : state_(std::move(state)), task_(std::move(task)), step_(step), generation_(view().generation) {}

    /// Applies the message; returns whether to keep waiting.
    bool take(const control::Message& message) {
        if (const auto* snapshot = get_if<control::Snapshot>(&message)) state_ = snapshot->state;
        if (const auto* push = get_if<control::EventPush>(&message))
            for (const control::Event& event : push->events) control::apply(state_, event);
        return waits();
    }
    bool waits() const { return !committed() && !view().over() && !is_forgotten(); }
    /// Returns the step of the committed checkpoint; none if there is none.
    std::optional<std::int64_t> committed() const {
        for (const control::Checkpoint& one : view().checkpoints)
            if (one.step >= step_) return one.step;
        return std::nullopt;
    }
    /// Returns whether the order was lost: its generation has ended, and the next generation trains.
    bool is_forgotten() const { return view().generation != generation_ && view().step > view().from_step; }

private:
    const control::TaskView& view() const {
        static const control::TaskView none = [] {
            control::TaskView over;
            over.phase = control::TaskPhase::ended;
            return over;
        }();
        const auto found = state_.tasks.find(task_);
        return found == state_.tasks.end() ? none : found->second;
    }

    control::ClusterState state_;
    TaskId task_;
    std::int64_t step_;
    Generation generation_;
};

/// Orders a checkpoint, waits until it is committed, and returns its step.
Result<std::int64_t> committed_checkpoint(Session& session, const TaskId& task) {
    for (;;) {
        DIVISI_ASSIGN(const auto ordered, session.ask<control::CheckpointOrdered>(control::OrderCheckpoint{task}));
        DIVISI_ASSIGN(control::ClusterState state, session.snapshot());
        CommitWatch watch(std::move(state), task, ordered.step);
        if (watch.waits())
            DIVISI_TRY(session.follow([&](const control::Message& message) { return watch.take(message); },
                                      [&] { session.leave(); }));
        if (const auto step = watch.committed()) return *step;
        if (!session.interrupted() && watch.is_forgotten()) continue;
        return Error{ErrorCode::conflict,
                     session.interrupted() ? "the wait was interrupted: no checkpoint is kept"
                                           : "the task ended before a checkpoint was committed",
                     task.value(),
                     "keep an existing checkpoint with 'divisictl models keep'; a training that succeeds makes "
                     "a version automatically"};
    }
}

int told(const Common& common, const control::ModelVersion& version) {
    if (common.json) print_json(version_json(version));
    else
        std::printf("the checkpoint of %s after step %lld is version %llu%s\n", version.task.value().c_str(),
                    static_cast<long long>(version.step), static_cast<unsigned long long>(version.number),
                    version.name.empty() ? "" : (", named " + version.name).c_str());
    return 0;
}

}  // namespace

int list_versions(const Common& common) {
    auto session = open_session(common);
    if (!session) return print_error(session.error());
    const auto state = (*session)->snapshot();
    if (!state) return print_error(state.error());
    std::vector<std::vector<std::string>> rows;
    for (const auto& [number, version] : state->versions) {
        if (common.json) print_json(version_json(version));
        rows.push_back(version_row(version));
    }
    if (common.json) return 0;
    if (rows.empty()) std::puts("no versions: each successful training makes one, and so does each kept checkpoint");
    else print_table(version_columns(), rows);
    return 0;
}

int show_version(const Common& common, const std::string& word) {
    auto session = open_session(common);
    if (!session) return print_error(session.error());
    const auto state = (*session)->snapshot();
    if (!state) return print_error(state.error());
    const auto version = control::find_version(*state, word);
    if (!version) return print_error(version.error());
    const auto lineage = control::lineage_of(*state, (*version)->number);
    if (!common.json) {
        std::fputs(version_text(lineage).c_str(), stdout);
        return 0;
    }
    auto line = version_json(**version);
    line["lineage"] = nlohmann::ordered_json::array();
    for (std::size_t i = 1; i < lineage.size(); ++i) line["lineage"].push_back(version_json(*lineage[i]));
    print_json(line);
    return 0;
}

int drop_version(const Common& common, const std::string& word) {
    auto session = open_session(common, control::Role::operate);
    if (!session) return print_error(session.error());
    const auto state = (*session)->snapshot();
    if (!state) return print_error(state.error());
    const auto version = control::find_version(*state, word);
    if (!version) return print_error(version.error());
    const std::uint64_t number = (*version)->number;
    const auto reply = (*session)->ask<control::Done>(control::DropVersion{number});
    if (!reply) return print_error(reply.error());
    if (common.json) print_json({{"version", number}, {"dropped", true}});
    else std::printf("the weights of version %llu are dropped\n", static_cast<unsigned long long>(number));
    return 0;
}

int keep_checkpoint(const Common& common, const control::KeepCheckpoint& wanted) {
    auto session = open_session(common, control::Role::operate);
    if (!session) return print_error(session.error());
    const auto made = (*session)->ask<control::VersionMade>(wanted);
    return made ? told(common, made->version) : print_error(made.error());
}

int order_and_keep(const Common& common, const std::string& task, const std::string& name) {
    auto session = open_session(common, control::Role::operate);
    if (!session) return print_error(session.error());
    const auto state = (*session)->snapshot();
    if (!state) return print_error(state.error());
    // Reject a bad name before waiting for the checkpoint.
    if (auto checked = control::check_version_name(*state, name); !checked) return print_error(checked.error());
    const auto step = committed_checkpoint(**session, TaskId(task));
    if (!step) return print_error(step.error());
    auto made = (*session)->ask<control::VersionMade>(control::KeepCheckpoint{TaskId(task), *step, name});
    // Newer checkpoints may already have displaced the ordered checkpoint, so keep the newest.
    if (!made && made.error().code == ErrorCode::not_found)
        made = (*session)->ask<control::VersionMade>(control::KeepCheckpoint{TaskId(task), 0, name});
    return made ? told(common, made->version) : print_error(made.error());
}

}  // namespace divisi::ctl
