// SPDX-License-Identifier: Apache-2.0
#include "backend/embed/embedded_cluster.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

#include "backend/base/hash.h"
#include "backend/link/connection_file.h"
#include "backend/link/sockets.h"

namespace divisi::embed {
namespace {

using std::chrono::steady_clock;

/// The design's embedded default: two MICs of two nodes.
constexpr const char* node_names[] = {"mic-1/node-1", "mic-1/node-2", "mic-2/node-1", "mic-2/node-2"};
constexpr std::chrono::seconds start_deadline{15};
/// A program that dies this soon after its start, this often, will not stay up.
constexpr std::chrono::seconds quick_death{5};
constexpr int most_quick_deaths = 5;
/// With less, an event log cannot grow by its next transaction.
constexpr std::uintmax_t least_free = 1 << 20;

std::filesystem::path runtime_folder(const std::filesystem::path& data) {
    char key[20];
    std::snprintf(key, sizeof key, "%08x", static_cast<unsigned>(fnv1a(data.string())));
    if (const char* runtime = std::getenv("XDG_RUNTIME_DIR");
        runtime && *runtime && std::filesystem::is_directory(runtime))
        return std::filesystem::path(runtime) / (std::string("divisi-") + key);
    return std::filesystem::temp_directory_path() / ("divisi-" + std::to_string(::getuid()) + "-" + key);
}

std::string dashed(std::string name) {
    for (char& c : name)
        if (c == '/') c = '-';
    return name;
}

/// Why a program died: what it wrote last, unless it could not write for want of room.
Error death(const std::string& what, const std::filesystem::path& data, const std::filesystem::path& log,
            const std::string& last_words) {
    std::error_code code;
    const auto space = std::filesystem::space(data, code);
    if (!code && space.available < least_free)
        return {ErrorCode::exhausted, what + ": the disk is full", data.string(),
                "free some space, or set DIVISI_DATA to another folder"};
    return {ErrorCode::unavailable, what, log.string(), last_words};
}

}  // namespace

std::filesystem::path default_data_folder() {
    if (const char* own = std::getenv("DIVISI_DATA"); own && *own) return std::filesystem::absolute(own);
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

bool cluster_gone(const std::filesystem::path& data) { return !std::filesystem::exists(runtime_folder(data)); }

Result<std::unique_ptr<EmbeddedCluster>> EmbeddedCluster::start(const std::filesystem::path& data,
                                                                const std::function<bool()>& cancelled) {
    // One host a folder. The lock is on the folder itself, so that a killed host leaves no file; the kernel frees it.
    std::error_code made;
    std::filesystem::create_directories(data, made);
    Lock host(::open(data.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (host.fd >= 0 && ::flock(host.fd, LOCK_EX | LOCK_NB) != 0)
        return Error{ErrorCode::conflict, "another program starts a cluster on this data folder", data.string(),
                     "use that one, or set DIVISI_DATA to another folder"};
    if (cluster_runs(data))
        return Error{ErrorCode::conflict, "a cluster runs on this data folder already", data.string(),
                     "use that one, or set DIVISI_DATA to another folder"};
    std::unique_ptr<EmbeddedCluster> cluster(new EmbeddedCluster());
    cluster->host_ = std::move(host);
    cluster->data_ = data;
    cluster->runtime_ = runtime_folder(data);
    cluster->connection_ = connection_file(data);
    std::error_code code;
    std::filesystem::create_directories(data / "logs", code);
    if (code)
        return Error{ErrorCode::failed, "cannot make the data folder: " + code.message(), data.string(),
                     "check its permissions and free space, or set DIVISI_DATA to another folder"};
    DIVISI_TRY(link::make_private_folder(cluster->runtime_));
    std::filesystem::remove(cluster->connection_, code);

    const std::filesystem::path programs = process::program_folder();
    const std::string control = "ipc://" + (cluster->runtime_ / "control.sock").string();
    DIVISI_TRY(link::check_endpoint(control));
    Member orchestrator;
    orchestrator.name = "divisid";
    orchestrator.spec = {programs / "divisid",
                         {"--data", data.string(), "--listen", control, "--name", "embedded"},
                         {},
                         data / "logs" / "divisid.log"};
    cluster->members_.push_back(std::move(orchestrator));
    for (const char* name : node_names) {
        Member node;
        node.name = name;
        node.spec = {programs / "divisi-node",
                     {"--connect", cluster->connection_.string(), "--name", name, "--data",
                      (data / "nodes" / dashed(name)).string(), "--runtime", cluster->runtime_.string()},
                     {},
                     data / "logs" / ("node-" + dashed(name) + ".log")};
        cluster->members_.push_back(std::move(node));
    }
    DIVISI_TRY(launch(cluster->members_.front()));
    const auto deadline = steady_clock::now() + start_deadline;
    while (!cluster_runs(data)) {
        if (cancelled && cancelled())
            return Error{ErrorCode::failed, "the start was interrupted", data.string(), "nothing was left running"};
        Member& member = cluster->members_.front();
        const bool dead = member.child->poll().has_value();
        if (dead || steady_clock::now() > deadline)
            return death(dead ? "the orchestrator ended at its start" : "the orchestrator does not answer", data,
                         member.spec.log, member.child->log_tail(600));
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    for (std::size_t i = 1; i < cluster->members_.size(); ++i) DIVISI_TRY(launch(cluster->members_[i]));
    return cluster;
}

EmbeddedCluster::Lock::~Lock() {
    if (fd >= 0) ::close(fd);
}

EmbeddedCluster::~EmbeddedCluster() {
    // Nodes end their instances first; the orchestrator goes last, so that it hears of it.
    for (std::size_t i = members_.size(); i-- > 1;)
        if (members_[i].child) members_[i].child->release();
    while (!members_.empty()) members_.pop_back();
    std::error_code ignored;
    std::filesystem::remove(connection_, ignored);
    std::filesystem::remove_all(runtime_, ignored);  // what a killed process left there
}

Result<void> EmbeddedCluster::launch(Member& member) {
    auto child = process::Child::start(member.spec);
    if (!child) return child.error();
    member.child = std::make_unique<process::Child>(std::move(*child));
    member.started = steady_clock::now();
    return {};
}

Result<EmbeddedCluster::Supervision> EmbeddedCluster::supervise() {
    Supervision result;
    for (Member& member : members_) {
        const auto status = member.child->poll();
        if (!status) continue;
        if (&member == &members_.front() && status->code == 0 && status->signal == 0) {
            result.ended = true;
            return result;
        }
        member.quick_deaths = steady_clock::now() - member.started < quick_death ? member.quick_deaths + 1 : 0;
        if (member.quick_deaths > most_quick_deaths)
            return death(member.name + " does not stay up", data_, member.spec.log, member.child->log_tail(600));
        result.restarted.push_back(member.name);
        DIVISI_TRY(launch(member));
    }
    return result;
}

}  // namespace divisi::embed
