// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backend/ctl/session.h"

namespace divisi::ctl {

/// What every command may be given.
struct Common {
    Target target;
    bool json = false;
};

struct TaskFileOptions {
    std::string file;
    std::vector<std::string> settings;  ///< --set section.key=value
    std::string cluster;                ///< --cluster FILE: of plan
};

/// Options of `plan --profile`.
struct ProfileOptions {
    std::string file;
    std::optional<std::int64_t> stages;
    std::optional<double> bandwidth;  ///< bytes/s; without it links are free
};

// Each returns the exit status: 0, 1 when the operation failed, 2 for wrong input, 3 when a task was stopped.
int run_task(const Common& common, const TaskFileOptions& options);
int plan_task(const Common& common, const TaskFileOptions& options);
int plan_profile(const Common& common, const ProfileOptions& options);
/// `operators`: also lists every operator by its node name.
int model_info(const Common& common, const std::string& model, const std::vector<std::string>& settings,
               bool operators);
int model_export(const Common& common, const std::string& task, const std::string& output);

int list_tasks(const Common& common);
int stop_task(const Common& common, const std::string& task);
/// Lets a held task start; empty: all that are held.
int release_task(const Common& common, const std::string& task);
int list_services(const Common& common, const std::string& prefix);
int show_logs(const Common& common, const control::QueryLog& query);
/// `again`: measure them anew first.
int list_links(const Common& common, bool again);
/// Gateways and routers, and the paths of flows.
int list_routes(const Common& common);
/// Writes the RSVP messages between gateways and routers into a file for Wireshark; for how many seconds more.
int capture(const Common& common, const std::string& file, int seconds);
int list_keys(const Common& common);
int change_key(const Common& common, const control::KeyChanged& change);

int cluster_up(const Common& common);
int cluster_down(const Common& common);
int cluster_status(const Common& common);
/// What `cluster up` starts in the background: hosts the embedded cluster until it is shut down.
int cluster_host();

/// Where the user's measured prices of operators are kept; makes the folder.
std::string profile_store();

/// Replaces this process by divisi-instance with these arguments (reference, conformance): only agents link
/// LibTorch. Returns only when that fails.
int exec_instance(const std::vector<std::string>& arguments);

}  // namespace divisi::ctl
