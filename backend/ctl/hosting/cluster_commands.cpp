// SPDX-License-Identifier: Apache-2.0
// divisictl cluster up, down and status: starts, ends and describes the embedded cluster.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <thread>

#include "backend/ctl/terminal/arrivals.h"
#include "backend/ctl/terminal/commands.h"
#include "backend/ctl/terminal/json_output.h"
#include "backend/ctl/terminal/terminal.h"
#include "backend/process/command_line.h"
#include "backend/process/lifeline.h"
#include "backend/store/backup.h"

namespace divisi::ctl {
namespace {

/// Time that `cluster up` waits for the nodes, and `cluster down` for the end of the cluster.
constexpr std::chrono::seconds up_deadline{20};
/// Time for which the command waits for a cluster that another program is starting on the same data folder.
constexpr std::chrono::seconds others_deadline{5};
constexpr std::size_t embedded_nodes = 4;

/// Starts the host process in its own session, so that it outlives this process once the cluster is up.
Result<pid_t> start_host() {
    const std::filesystem::path program = process::program_folder() / "divisictl";
    const std::string log_file = (embed::default_data_folder() / "logs/cluster.log").string();
    const pid_t pid = ::fork();
    if (pid < 0)
        return Error{ErrorCode::failed, std::string("cannot start a process: ") + std::strerror(errno), "fork",
                     "end some processes, or raise the limit (ulimit -u)"};
    if (pid > 0) return pid;
    ::setsid();
    if (!::freopen("/dev/null", "r", stdin) || !::freopen(log_file.c_str(), "a", stdout) || ::dup2(1, 2) < 0)
        ::_exit(1);
    ::execl(program.c_str(), program.c_str(), "cluster", "host", static_cast<char*>(nullptr));
    ::_exit(127);
}

/// Returns which members of the cluster have joined; none if the cluster does not answer.
Arrivals arrived(const Common& common, const std::filesystem::path& data) {
    Arrivals here;
    if (!embed::cluster_runs(data)) return here;
    auto session = Session::open(common.target);
    if (!session) return here;
    if (const auto state = (*session)->snapshot()) here.look_at(*state);
    return here;
}

void print_up(const Common& common, const std::filesystem::path& data, bool before) {
    const std::string file = embed::connection_file(data);
    if (common.json) print_json({{"connection", file}, {"started", !before}});
    else if (before) std::printf("a cluster runs already: %s\n", file.c_str());
    else std::printf("the cluster is up with %zu nodes: %s\n", embedded_nodes, file.c_str());
}

/// Waits until the nodes have joined, then a short time for gateways and routers. The nodes may belong to a host
/// process that another program starts on the same folder. Ends the process `host` if the nodes are too late.
Result<void> wait_until_up(const Common& common, const std::filesystem::path& data, pid_t host) {
    auto deadline = std::chrono::steady_clock::now() + up_deadline;
    std::optional<std::chrono::steady_clock::time_point> devices_until;
    bool ended = false;
    while (std::chrono::steady_clock::now() < deadline) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        if (const Arrivals here = arrived(common, data); here.nodes() >= embedded_nodes) {
            const auto missing = here.missing(embed::device_names());
            if (missing.empty()) return {};
            const auto now = std::chrono::steady_clock::now();
            if (!devices_until) {
                devices_until = now + device_patience;
                deadline = std::max(deadline, *devices_until + std::chrono::seconds(1));
            }
            if (now >= *devices_until) {
                std::fprintf(stderr, "%s\n", not_registered(missing).c_str());
                return {};
            }
        }
        if (ended || ::waitpid(host, nullptr, WNOHANG) != host) continue;
        ended = true;
        deadline = std::min(deadline, std::chrono::steady_clock::now() + others_deadline);
    }
    if (ended)
        return Error{ErrorCode::failed, "the cluster ended while it started", (data / "logs/cluster.log").string(),
                     "see the last line of this log for the cause"};
    ::kill(host, SIGTERM);
    return Error{ErrorCode::deadline, "the cluster did not start within 20 s and was ended", (data / "logs").string(),
                 "see the logs there"};
}

}  // namespace

int cluster_host() {
    std::atomic<bool> stop = false;
    process::on_stop([&](const char*) { stop = true; }, 30);
    auto cluster = embed::EmbeddedCluster::start(embed::default_data_folder(), [&] { return stop.load(); });
    if (!cluster) return print_error(cluster.error());
    while (!stop) {
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        const auto supervision = (*cluster)->supervise();
        if (!supervision) return print_error(supervision.error());
        if (supervision->ended) break;
    }
    return 0;
}

int cluster_up(const Common& common, const std::string& backup) {
    const std::filesystem::path data = embed::default_data_folder();
    if (!backup.empty()) {
        const auto restored = store::restore_backup(process::absolute_path(backup), data);
        if (!restored) return print_error(restored.error());
    }
    const bool before = embed::cluster_runs(data) && !embed::cluster_ends(data);
    if (!before) {
        // Prepare the folder here: the host process could report an error only in a log, and the log's folder may not
        // exist yet.
        if (const auto ready = embed::prepare_folder(data); !ready) return print_error(ready.error());
        const auto host = start_host();
        if (!host) return print_error(host.error());
        if (const auto up = wait_until_up(common, data, *host); !up) return print_error(up.error());
    }
    print_up(common, data, before);
    return 0;
}

int cluster_down(const Common& common) {
    auto session = open_session(common, control::Role::admin);
    if (!session) return print_error(session.error());
    const auto reply = (*session)->ask<control::Done>(control::Shutdown{"asked by divisictl cluster down"});
    if (!reply) return print_error(reply.error());
    const std::filesystem::path data = embed::default_data_folder();
    const auto deadline = std::chrono::steady_clock::now() + up_deadline;
    const bool own = common.target.connection.empty();
    while (own && !embed::cluster_gone(data) && std::chrono::steady_clock::now() < deadline)
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (own && !embed::cluster_gone(data))
        return print_error({ErrorCode::deadline, "the cluster has not ended", data.string(),
                            "see the logs there; its processes are named divisi*"});
    std::puts(common.json ? "{\"done\":true}" : "the cluster is down");
    return 0;
}

int cluster_status(const Common& common) {
    auto session = Session::open(common.target);
    if (!session) return print_error(session.error());
    const auto state = (*session)->snapshot();
    if (!state) return print_error(state.error());
    std::vector<std::vector<std::string>> rows;
    nlohmann::ordered_json nodes = nlohmann::ordered_json::array();
    for (const auto& [id, node] : state->nodes) {
        const control::Device device = node.info.devices.empty() ? control::Device{} : node.info.devices.front();
        rows.push_back({id.value(), to_string(node.state), node.info.host, std::to_string(device.cores),
                        format_bytes(device.memory), device.type, node.reason});
        nodes.push_back({{"node", id.value()},
                         {"state", to_string(node.state)},
                         {"host", node.info.host},
                         {"cores", device.cores},
                         {"memory", device.memory},
                         {"device", device.type}});
    }
    const auto running =
        std::count_if(state->tasks.begin(), state->tasks.end(), [](const auto& t) { return !t.second.over(); });
    if (common.json) {
        const nlohmann::ordered_json value = {{"cluster", state->name},       {"version", state->version},
                                              {"sequence", state->sequence},  {"nodes", nodes},
                                              {"tasks", state->tasks.size()}, {"running", running}};
        print_json(value);
        return 0;
    }
    std::printf("cluster %s, version %s, %zu nodes, %ld tasks not ended\n", state->name.c_str(), state->version.c_str(),
                state->nodes.size(), static_cast<long>(running));
    if (!rows.empty()) print_table({"NODE", "STATE", "HOST", ">CORES", ">MEMORY", "DEVICE", "REASON"}, rows);
    return 0;
}

}  // namespace divisi::ctl
