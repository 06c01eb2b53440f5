// SPDX-License-Identifier: Apache-2.0
// divisictl tasks and keys: lists tasks and keys, and changes them.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "backend/control/protocol/access_messages.h"
#include "backend/control/protocol/batch_group.h"
#include "backend/control/protocol/task_messages.h"
#include "backend/control/types/json_lines.h"
#include "backend/ctl/changing/advice_json.h"
#include "backend/ctl/terminal/commands.h"
#include "backend/ctl/terminal/json_output.h"
#include "backend/ctl/terminal/terminal.h"
#include "backend/ctl/watching/exception_lines.h"

namespace divisi::ctl {
namespace {

using json = nlohmann::ordered_json;

std::string progress(const control::TaskView& task) {
    return std::to_string(task.step) + "/" + std::to_string(task.steps);
}

/// The reason why each task waits.
using Waits = std::map<TaskId, std::string>;

Result<Waits> fetch_waits(Session& session, const control::ClusterState& state) {
    Waits waits;
    const bool any = std::any_of(state.tasks.begin(), state.tasks.end(),
                                 [](const auto& task) { return task.second.phase == control::TaskPhase::queued; });
    if (!any) return waits;
    DIVISI_ASSIGN(const auto now, session.ask<control::NodesState>(control::QueryNodes{}));
    for (const control::WaitingTask& one : now.waiting) waits[one.task] = one.why;
    return waits;
}

/// Returns the reason why the task waits; otherwise its detail and the batches that share its processes.
std::string detail_of(const control::ClusterState& state, const control::TaskView& task, const Waits& waits) {
    const auto wait = waits.find(task.id);
    if (wait != waits.end()) return wait->second;
    const std::string detail = task.detail(), group = control::group_text(state, task);
    return detail + (detail.empty() || group.empty() ? "" : "; ") + group;
}

/// Returns the current phase of the cycle of telemetry and policy; empty before it begins.
const char* cycle_phase(const control::TaskView& task) {
    if (task.adapting) return to_string(control::TaskPhase::policy);
    return task.passages > 0 ? to_string(control::TaskPhase::telemetry) : "";
}

json task_json(const control::ClusterState& state, const control::TaskView& task, const Waits& waits) {
    json value = {{"task", task.id.value()},
                  {"name", task.name},
                  {"model", task.model},
                  {"phase", to_string(task.phase)},
                  {"cycle", cycle_phase(task)},
                  {"passages", task.passages},
                  {"held", task.held},
                  {"outcome", to_string(task.outcome)},
                  {"step", task.step},
                  {"steps", task.steps},
                  {"generation", task.generation},
                  {"cuts", task.cuts},
                  {"submitted_by", task.submitted_by},
                  {"submitter", task.submitter}};
    if (!task.history.empty()) {
        const float loss = task.history.back().loss;
        if (std::isfinite(loss)) value["loss"] = loss;
        else value["loss"] = control::nonfinite_name(loss);
    }
    if (!task.checkpoints.empty()) value["checkpoint_step"] = task.checkpoints.back().step;
    if (const auto standbys = control::standbys_of(state, task.id); !standbys.empty() && !task.over())
        value["standbys"] = std::ranges::count_if(
            standbys, [](const auto* one) { return one->state == control::InstanceState::standby && !one->exited; });
    if (task.advice) value["recut_advice"] = advice_json(*task.advice);
    if (!task.over())
        for (const TaskId& other : control::grouped_with(state, task)) value["group"].push_back(other.value());
    if (const std::string detail = detail_of(state, task, waits); !detail.empty()) value["phase_detail"] = detail;
    if (task.error) value["error"] = task.error->message();
    if (task.error && !task.error->id.empty()) value["error_id"] = task.error->id;
    return value;
}

const char* state_of(const control::TaskView& task) {
    return task.over() ? to_string(task.outcome) : task.held ? "held" : to_string(task.phase);
}

/// Returns the current phase of the cycle of telemetry and policy, and how many cycles were completed.
std::string cycle_of(const control::TaskView& task) {
    if (task.passages == 0 && !task.adapting) return "-";
    return (task.adapting ? "policy, " : "telemetry, ") + std::to_string(task.passages);
}

/// Sends one command and prints its outcome.
int send_command(const Common& common, control::Role role, const control::Message& message, const std::string& done) {
    auto session = open_session(common, role);
    if (!session) return print_error(session.error());
    const auto reply = (*session)->ask<control::Done>(message);
    if (!reply) return print_error(reply.error());
    if (common.json) print_json({{"done", true}});
    else std::puts(done.c_str());
    return 0;
}

}  // namespace

int list_tasks(const Common& common) {
    auto session = open_session(common, control::Role::viewer);
    if (!session) return print_error(session.error());
    const auto state = (*session)->snapshot();
    if (!state) return print_error(state.error());
    const auto waits = fetch_waits(**session, *state);
    if (!waits) return print_error(waits.error());
    std::vector<const control::TaskView*> tasks;
    for (const auto& [id, task] : state->tasks) tasks.push_back(&task);
    std::sort(tasks.begin(), tasks.end(), [](auto* a, auto* b) { return a->submitted < b->submitted; });
    if (common.json) {
        for (const auto* task : tasks) print_json(task_json(*state, *task, *waits));
        return 0;
    }
    if (tasks.empty()) {
        std::puts("no tasks yet; submit one with 'divisictl run TASK.toml'");
        return 0;
    }
    std::vector<std::vector<std::string>> rows;
    for (const auto* task : tasks) {
        const std::string loss = task->history.empty() ? "-" : control::loss_text(task->history.back().loss);
        rows.push_back({task->id.value(), task->model, state_of(*task), cycle_of(*task), progress(*task), loss,
                        clock_time(task->submitted),
                        task->error ? task->error->message() : detail_of(*state, *task, *waits)});
    }
    print_table({"TASK", "MODEL", "STATE", "CYCLE", ">STEP", ">LOSS", "SUBMITTED", "ERROR, WAITING FOR, GROUP"}, rows);
    if (std::any_of(tasks.begin(), tasks.end(), [](const auto* task) { return task->held; })) std::puts(held_advice);
    return 0;
}

int stop_task(const Common& common, const std::string& task) {
    return send_command(common, control::Role::operate, control::StopTask{TaskId(task), "stopped by an operator"},
                        "task " + task + " is being stopped");
}

int scale_task(const Common& common, const std::string& task, const std::string& wanted) {
    constexpr std::string_view key = "data=";
    std::int32_t instances = 0;
    const char* const end = wanted.data() + wanted.size();
    const bool named = wanted.starts_with(key);
    const auto read = std::from_chars(wanted.data() + (named ? key.size() : 0), end, instances);
    if (!named || read.ec != std::errc() || read.ptr != end)
        return print_error({ErrorCode::invalid_input, "'" + wanted + "' does not state the number of data instances",
                            "divisictl scale", "write data=NUMBER, as in 'divisictl scale " + task + " data=3'"});
    return send_command(common, control::Role::operate, control::ScaleData{TaskId(task), instances},
                        "task " + task + " will have " + counted(instances, "data instance"));
}

int order_checkpoint(const Common& common, const std::string& task) {
    auto session = open_session(common, control::Role::operate);
    if (!session) return print_error(session.error());
    const auto ordered = (*session)->ask<control::CheckpointOrdered>(control::OrderCheckpoint{TaskId(task)});
    if (!ordered) return print_error(ordered.error());
    if (common.json) print_json({{"done", true}, {"step", ordered->step}});
    else
        std::printf("checkpoint of %s after step %lld is ordered\n", task.c_str(),
                    static_cast<long long>(ordered->step));
    return 0;
}

int release_task(const Common& common, const std::string& task) {
    if (!task.empty())
        return send_command(common, control::Role::operate, control::ReleaseTask{TaskId(task)},
                            "task " + task + " is released");
    auto session = open_session(common, control::Role::operate);
    if (!session) return print_error(session.error());
    const auto state = (*session)->snapshot();
    if (!state) return print_error(state.error());
    std::int64_t released = 0;
    for (const auto& [id, held] : state->tasks) {
        if (!held.held) continue;
        if (const auto reply = (*session)->ask<control::Done>(control::ReleaseTask{id}); !reply)
            return print_error(reply.error());
        ++released;
    }
    if (common.json) print_json({{"done", true}, {"released", released}});
    else std::printf("%s released\n", counted(released, "task").c_str());
    return 0;
}

int list_keys(const Common& common) {
    auto session = open_session(common, control::Role::viewer);
    if (!session) return print_error(session.error());
    const auto state = (*session)->snapshot();
    if (!state) return print_error(state.error());
    std::vector<std::vector<std::string>> rows;
    for (const auto& [key, entry] : state->keys) {
        if (common.json) print_json({{"public_key", key}, {"name", entry.name}, {"role", to_string(entry.role)}});
        rows.push_back({entry.name, to_string(entry.role), key});
    }
    if (common.json) return 0;
    if (rows.empty())
        std::puts("no keys were added; the keys of the cluster file apply, and on ipc this user may do everything");
    else print_table({"NAME", "ROLE", "PUBLIC KEY"}, rows);
    return 0;
}

int change_key(const Common& common, const control::KeyChanged& change) {
    if (!link::is_public_key(change.public_key))
        return print_error({ErrorCode::invalid_input, "not a public key", change.public_key,
                            "give the 40 characters of the key in Z85, quoted for the shell"});
    return send_command(common, control::Role::admin, control::ChangeKey{change},
                        change.revoked ? "the key is revoked"
                                       : "the key of " + change.name + " is allowed as " + to_string(change.role));
}

}  // namespace divisi::ctl
