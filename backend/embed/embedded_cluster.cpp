// SPDX-License-Identifier: Apache-2.0
#include "backend/embed/embedded_cluster.h"

#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "backend/base/hash.h"
#include "backend/embed/module_list.h"
#include "backend/file/folder.h"
#include "backend/file/system_error.h"
#include "backend/link/connection_file.h"
#include "backend/link/sockets.h"
#include "backend/process/command_line.h"

namespace divisi::embed {
namespace {

using std::chrono::steady_clock;

/// The default embedded cluster of the design: two MICs of two nodes each.
constexpr const char* node_names[] = {"mic-1/node-1", "mic-1/node-2", "mic-2/node-1", "mic-2/node-2"};
/// The mesh of an embedded cluster: a gateway for each MIC, and three routers. The routers give two paths that share no
/// router.
struct MeshMember {
    const char* name;
    const char* mic;  ///< MIC of a gateway; empty for a router
    const char* neighbours;
};
constexpr MeshMember mesh_members[] = {
    {"mg-1", "mic-1", "sr-1,sr-2"}, {"mg-2", "mic-2", "sr-1,sr-3"}, {"sr-1", "", "mg-1,mg-2"},
    {"sr-2", "", "mg-1,sr-3"},      {"sr-3", "", "sr-2,mg-2"},
};
constexpr std::chrono::seconds start_deadline{15};
/// Free space that the data folder needs, in bytes; with less, a cluster cannot even start.
constexpr std::int64_t least_room = 256 << 10;
/// Short wait for the lock, because another program may be testing the locks at this moment.
constexpr std::chrono::milliseconds host_deadline{200};
/// Time that a module gets to end before it is killed.
constexpr std::chrono::seconds module_grace{2};

std::filesystem::path runtime_folder(const std::filesystem::path& data) {
    char key[20];
    std::snprintf(key, sizeof key, "%08x", static_cast<unsigned>(fnv1a(data.string())));
    std::error_code code;
    if (const char* runtime = std::getenv("XDG_RUNTIME_DIR");
        runtime && *runtime && std::filesystem::is_directory(runtime, code))
        return std::filesystem::path(runtime) / (std::string("divisi-") + key);
    std::filesystem::path temporary = std::filesystem::temp_directory_path(code);
    if (code) temporary = "/tmp";  // TMPDIR does not name a folder
    return temporary / ("divisi-" + std::to_string(::getuid()) + "-" + key);
}

bool is_locked(const std::filesystem::path& folder) {
    const file::Descriptor fd = open_folder(folder);
    return fd.is_open() && ::flock(fd.get(), LOCK_SH | LOCK_NB) != 0;
}

std::filesystem::path logs_of(const std::filesystem::path& data) { return data / "logs"; }

Error interrupted(const std::filesystem::path& data) {
    return {ErrorCode::failed, "the start was interrupted", data.string(), "nothing was left running"};
}

std::string dashed(std::string name) {
    for (char& c : name)
        if (c == '/') c = '-';
    return name;
}

}  // namespace

std::filesystem::path default_data_folder() {
    if (const char* own = std::getenv("DIVISI_DATA"); own && *own) return process::absolute_path(own);
    if (const char* xdg = std::getenv("XDG_DATA_HOME"); xdg && *xdg) return std::filesystem::path(xdg) / "divisi";
    const char* home = std::getenv("HOME");
    return std::filesystem::path(home && *home ? home : "/tmp") / ".local/share/divisi";
}

std::filesystem::path connection_file(const std::filesystem::path& data) { return data / "connection.toml"; }

bool cluster_runs(const std::filesystem::path& data) {
    const auto connection = link::read_connection(connection_file(data));
    if (!connection) return false;
    return !link::is_ipc(connection->endpoint) || link::somebody_listens(connection->endpoint.substr(6));
}

bool cluster_ends(const std::filesystem::path& data) { return is_locked(logs_of(data)) && !is_locked(data); }

bool cluster_gone(const std::filesystem::path& data) {
    std::error_code code;
    return !std::filesystem::exists(runtime_folder(data), code);
}

std::vector<std::string> device_names() {
    std::vector<std::string> names;
    for (const MeshMember& one : mesh_members) names.emplace_back(one.name);
    return names;
}

Result<void> prepare_folder(const std::filesystem::path& data) {
    auto made = file::make_writable(data, least_room);
    if (made) made = file::make_writable(logs_of(data), 0);
    if (made) return {};
    Error error = std::move(made).error();
    error.next += "; DIVISI_DATA names the folder";
    return error;
}

Result<std::unique_ptr<EmbeddedCluster>> EmbeddedCluster::start(const std::filesystem::path& data,
                                                                const std::function<bool()>& cancelled) {
    DIVISI_TRY(prepare_folder(data));
    std::unique_ptr<EmbeddedCluster> cluster(new EmbeddedCluster());
    cluster->data_ = data;
    DIVISI_TRY(take_locks(*cluster, cancelled));
    if (cluster_runs(data))
        return Error{ErrorCode::conflict, "a cluster already runs on this data folder", data.string(),
                     "use that one, or set DIVISI_DATA to another folder"};
    cluster->runtime_ = runtime_folder(data);
    cluster->connection_ = connection_file(data);
    DIVISI_TRY(link::make_private_folder(cluster->runtime_));
    std::error_code code;
    std::filesystem::remove(cluster->connection_, code);

    const std::filesystem::path programs = process::program_folder();
    const std::string control = "ipc://" + (cluster->runtime_ / "control.sock").string();
    DIVISI_TRY(link::check_endpoint(control));
    Member divisid;
    divisid.name = orchestrator;
    divisid.spec = {programs / "divisid",
                    {"--data", data.string(), "--listen", control, "--name", "embedded", "--allow-faults", "--hold"},
                    {},
                    logs_of(data) / "divisid.log"};
    cluster->programs_.push_back(std::move(divisid));
    for (const char* name : node_names) {
        Member node;
        node.name = name;
        node.spec = {programs / "divisi-node",
                     {"--connect", cluster->connection_.string(), "--name", name, "--data",
                      (data / "nodes" / dashed(name)).string(), "--runtime", cluster->runtime_.string()},
                     {},
                     logs_of(data) / ("node-" + dashed(name) + ".log")};
        cluster->programs_.push_back(std::move(node));
    }
    for (const auto& [name, mic, neighbours] : mesh_members) {
        cluster->programs_.push_back(cluster->device(name, mic, neighbours));
        cluster->programs_.back().may_die = std::string_view(mic).empty();
    }
    DIVISI_TRY(cluster->launch(cluster->programs_.front()));
    const auto deadline = steady_clock::now() + start_deadline;
    while (!cluster_runs(data)) {
        if (cancelled && cancelled()) return interrupted(data);
        Member& member = cluster->programs_.front();
        const bool dead = member.child->poll().has_value();
        if (dead || steady_clock::now() > deadline)
            return death(dead ? "the orchestrator ended at its start" : "the orchestrator does not answer", member,
                         data);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    for (std::size_t i = 1; i < cluster->programs_.size(); ++i) DIVISI_TRY(cluster->launch(cluster->programs_[i]));
    // An orchestrator that is restarted after a crash must continue its queue instead of holding the tasks. The
    // programs that submitted the tasks still run.
    cluster->programs_.front().spec.arguments.pop_back();
    return cluster;
}

/// Returns the member for a gateway, or for a router if `mic` is empty.
Member EmbeddedCluster::device(const std::string& name, const std::string& mic, const std::string& neighbours) const {
    Member member;
    member.name = name;
    member.spec = {
        process::program_folder() / (mic.empty() ? "divisi-router" : "divisi-gateway"),
        {"--connect", connection_.string(), "--name", name, "--neighbours", neighbours, "--runtime", runtime_.string()},
        {},
        logs_of(data_) / (std::string("mesh-") + name + ".log")};
    if (!mic.empty()) member.spec.arguments.insert(member.spec.arguments.end(), {"--mic", mic});
    return member;
}

std::vector<std::string> EmbeddedCluster::devices() const {
    std::vector<std::string> names = device_names();
    std::erase_if(names, [&](const std::string& name) {
        const auto member = std::ranges::find(programs_, name, &Member::name);
        return member == programs_.end() || has_stopped(*member);
    });
    return names;
}

Result<void> EmbeddedCluster::take_locks(EmbeddedCluster& cluster, const std::function<bool()>& cancelled) {
    const std::filesystem::path& data = cluster.data_;
    file::Descriptor host = open_folder(data), members = open_folder(logs_of(data));
    if (!host.is_open() || !members.is_open()) return file::system_error("open the folder", data);
    if (!take_lock(host, host_deadline, {}))
        return Error{ErrorCode::conflict, "another program starts a cluster on this data folder", data.string(),
                     "use that one, or set DIVISI_DATA to another folder"};
    if (!take_lock(members, end_deadline, cancelled)) {
        if (cancelled && cancelled()) return interrupted(data);
        return Error{ErrorCode::deadline, "the previous cluster on this folder does not end", data.string(),
                     "see the logs there, and end its processes, whose command lines name the folder"};
    }
    cluster.host_ = std::move(host);
    cluster.members_ = std::move(members);
    return {};
}

EmbeddedCluster::~EmbeddedCluster() {
    if (!members_.is_open()) return;  // the cluster was not started
    let_go();
    // Nodes first end their instances. The orchestrator ends last, so that it is notified of the end of the other
    // programs.
    for (std::size_t i = programs_.size(); i-- > 1;)
        if (programs_[i].child) programs_[i].child->release();
    while (!programs_.empty()) programs_.pop_back();
    std::error_code ignored;
    std::filesystem::remove(connection_, ignored);
    std::filesystem::remove_all(runtime_, ignored);  // files that a killed process left there
}

Result<void> EmbeddedCluster::launch(Member& member) {
    member.spec.kept_fd = members_.get();
    return embed::launch(member);
}

Result<Supervision> EmbeddedCluster::supervise() {
    follow_list();
    DIVISI_ASSIGN(Supervision seen, embed::supervise(programs_, data_));
    if (!seen.stopped.empty())
        DIVISI_TRY(change_modules(data_, [&](std::vector<ListedModule>& modules) {
            std::erase_if(modules, [&](const ListedModule& one) {
                return std::ranges::find(seen.stopped, one.number) != seen.stopped.end();
            });
        }));
    return seen;
}

/// Starts modules that are newly listed, and ends modules that were removed from the list. A module that hangs is
/// killed after a grace period.
void EmbeddedCluster::follow_list() {
    const std::vector<ListedModule> listed = listed_modules(data_);
    for (std::size_t i = programs_.size(); i-- > 1;) {
        const std::uint64_t number = programs_[i].listed;
        if (number == 0 || std::ranges::find(listed, number, &ListedModule::number) != listed.end()) continue;
        if (programs_[i].child) programs_[i].child->release();
        programs_[i].started = steady_clock::now();
        leaving_.push_back(std::move(programs_[i]));
        programs_.erase(programs_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    std::erase_if(leaving_, [](const Member& one) {
        if (!one.child || one.child->poll()) return true;
        if (steady_clock::now() - one.started > module_grace) one.child->send_signal(SIGKILL);
        return false;
    });
    for (const ListedModule& one : listed) {
        if (std::ranges::find(programs_, one.number, &Member::listed) != programs_.end()) continue;
        Member member;
        member.name = "module " + one.name;
        member.spec = {one.program,
                       {"--connect", connection_.string(), "--name", one.name},
                       {},
                       logs_of(data_) / ("module-" + dashed(one.name) + ".log")};
        member.spec.arguments.insert(member.spec.arguments.end(), one.arguments.begin(), one.arguments.end());
        member.listed = one.number;
        member.may_die = true;
        if (launch(member)) programs_.push_back(std::move(member));
    }
}

}  // namespace divisi::embed
