// SPDX-License-Identifier: Apache-2.0
// divisictl policies: prints and changes the orchestrator's settings for gateways and routers, version by version.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "backend/base/units.h"
#include "backend/ctl/terminal/commands.h"
#include "backend/ctl/terminal/fields_json.h"
#include "backend/ctl/terminal/json_output.h"
#include "backend/ctl/terminal/terminal.h"
#include "backend/ctl/terminal/times.h"

namespace divisi::ctl {
namespace {

using control::PoliciesState;
using control::PolicyVersion;
using nlohmann::ordered_json;

/// Time limit of a trial; each running task is compiled and simulated twice.
constexpr Duration trial_deadline = std::chrono::minutes(2);

Result<std::unique_ptr<Session>> open_as(const Common& common, control::Role role) {
    Target target = common.target;
    target.role = role;
    return Session::open(target);
}

std::string entries_text(const PolicyVersion& version) {
    std::string text;
    for (const control::PolicyEntry& entry : version.entries) text += (text.empty() ? "" : " ") + to_text(entry);
    return text;
}

std::string rate_text(double bytes_per_s) {
    if (bytes_per_s <= 0) return "?";
    char text[32];
    std::snprintf(text, sizeof text, "%.3g MB/s", bytes_per_s / 1e6);
    return text;
}

void print_lines(const PoliciesState& state) {
    for (const PolicyVersion& version : state.versions) {
        ordered_json line{{"version", version.version},       {"current", version.version == state.current},
                          {"time", clock_time(version.time)}, {"author", version.author},
                          {"change", version.change},         {"reason", version.reason},
                          {"entries", ordered_json::array()}};
        for (const control::PolicyEntry& entry : version.entries) line["entries"].push_back(to_text(entry));
        print_json(line);
    }
    for (const control::PolicyAtDevice& device : state.devices) print_json(fields_json(device));
    for (const control::PathStanding& path : state.paths) print_json(fields_json(path));
}

void print_policies(const PoliciesState& state) {
    std::vector<std::vector<std::string>> rows;
    for (const PolicyVersion& version : state.versions)
        rows.push_back({std::to_string(version.version) + (version.version == state.current ? " *" : "  "),
                        clock_time(version.time), version.author, version.change, version.reason});
    if (rows.empty()) std::puts("version 0: no policy is set; devices use their defaults");
    else print_table({">VERSION", "TIME", "AUTHOR", "CHANGE", "BECAUSE"}, rows);
    for (const PolicyVersion& version : state.versions)
        if (version.version == state.current && !version.entries.empty())
            std::printf("\nin force: %s\n", entries_text(version).c_str());
    rows.clear();
    for (const control::PolicyAtDevice& device : state.devices)
        rows.push_back({device.device, device.up ? "up" : "away", std::to_string(device.applied),
                        device.refused > 0 ? std::to_string(device.refused) + ": " + device.reason : ""});
    if (!rows.empty()) {
        std::puts("");
        print_table({"DEVICE", "STATE", ">GOES BY", "REFUSED"}, rows);
    }
    rows.clear();
    for (const control::PathStanding& path : state.paths)
        rows.push_back({path.from, path.to, std::to_string(path.share) + " %", rate_text(path.first_bytes_per_s),
                        rate_text(path.second_bytes_per_s), path.state});
    if (rows.empty()) return;
    std::puts("");
    print_table({"FROM", "TO", ">SHARE OF FIRST", ">FIRST PATH", ">SECOND PATH", "STATE"}, rows);
}

int change_policies(const Common& common, const control::Message& message) {
    auto session = open_as(common, control::Role::operate);
    if (!session) return print_error(session.error());
    const auto reply = (*session)->ask<control::PolicyNumber>(message);
    if (!reply) return print_error(reply.error());
    if (common.json) print_json({{"version", reply->version}});
    else std::printf("policy version %llu is in force\n", static_cast<unsigned long long>(reply->version));
    return 0;
}

/// Returns "12.3 ms", or "?" if the time is not known.
std::string time_text(double ms) { return ms > 0 ? format_duration_ms(ms) : "?"; }

void print_trial_lines(const control::PolicyTrial& trial) {
    for (const control::TriedTask& task : trial.tasks) {
        ordered_json line = fields_json(task);
        if (task.error) line["error"] = task.error->message();
        if (task.error && !task.error->id.empty()) line["error_id"] = task.error->id;
        print_json(line);
    }
    print_json({{"change", trial.change}, {"applied", false}, {"notes", trial.notes}});
}

void print_trial(const control::PolicyTrial& trial) {
    std::printf("tried, not applied: %s\n", trial.change.c_str());
    std::vector<std::vector<std::string>> rows;
    for (const control::TriedTask& task : trial.tasks) {
        char change[32] = "";
        if (task.before_ms > 0)
            std::snprintf(change, sizeof change, "%+.1f %%", 100 * (task.after_ms / task.before_ms - 1));
        const bool moves = task.before_paths != task.after_paths;
        rows.push_back({task.task.value(), time_text(task.measured_ms), time_text(task.before_ms),
                        time_text(task.after_ms), change,
                        task.error                 ? task.error->message()
                        : task.after_paths.empty() ? "within one MIC"
                        : moves                    ? task.after_paths + " (was " + task.before_paths + ")"
                                                   : task.after_paths});
    }
    if (rows.empty()) std::puts("no task runs, so nothing would change");
    else print_table({"TASK", ">MEASURED", ">PREDICTED", ">THEN", ">CHANGE", "PATHS"}, rows);
    for (const std::string& note : trial.notes) std::printf("note: %s\n", note.c_str());
}

}  // namespace

int list_policies(const Common& common) {
    auto session = open_as(common, control::Role::viewer);
    if (!session) return print_error(session.error());
    const auto state = (*session)->ask<PoliciesState>(control::QueryPolicies{});
    if (!state) return print_error(state.error());
    if (common.json) print_lines(*state);
    else print_policies(*state);
    return 0;
}

int set_policies(const Common& common, const std::vector<std::string>& settings) {
    return change_policies(common, control::SetPolicies{settings});
}

int try_policies(const Common& common, const std::vector<std::string>& settings) {
    auto session = open_as(common, control::Role::operate);
    if (!session) return print_error(session.error());
    const auto trial = (*session)->ask<control::PolicyTrial>(control::TryPolicies{settings}, trial_deadline);
    if (!trial) return print_error(trial.error());
    if (common.json) print_trial_lines(*trial);
    else print_trial(*trial);
    return 0;
}

int roll_back_policies(const Common& common, std::uint64_t version) {
    return change_policies(common, control::RollBackPolicies{version});
}

}  // namespace divisi::ctl
