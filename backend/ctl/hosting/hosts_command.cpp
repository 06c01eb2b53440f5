// SPDX-License-Identifier: Apache-2.0
// divisictl cluster keys and start: run this machine's part of a cluster file that all machines share.
#include <atomic>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <thread>

#include "backend/control/state/stated_policies.h"
#include "backend/ctl/hosting/hosted_programs.h"
#include "backend/ctl/terminal/commands.h"
#include "backend/ctl/terminal/terminal.h"
#include "backend/embed/embedded_cluster.h"
#include "backend/file/atomic_file.h"
#include "backend/file/folder.h"
#include "backend/file/folder_lock.h"
#include "backend/file/system_error.h"
#include "backend/link/connection_file.h"
#include "backend/link/security.h"
#include "backend/process/command_line.h"
#include "backend/process/lifeline.h"
#include "backend/process/processor.h"

namespace divisi::ctl {
namespace {

constexpr std::chrono::milliseconds supervision_interval{200};
/// Free space that the folders need, in bytes; with less, nothing can be stored.
constexpr std::int64_t least_room = 256 << 10;

/// The part of a cluster file that this host runs.
struct Host {
    task::ClusterSpec spec;
    std::string name;
    std::filesystem::path file, data;
    std::vector<HostedProgram> programs;
};

Result<std::string> host_name(const HostOptions& options, const task::ClusterSpec& spec) {
    const std::string name = options.host.empty() ? process::host_name() : options.host;
    if (spec.find_host(name)) return name;
    std::string names;
    for (const task::ClusterHost& host : spec.hosts) names += (names.empty() ? "" : ", ") + host.name;
    if (names.empty())
        return Error{ErrorCode::invalid_input, "the file names no hosts", options.file,
                     "add a [[host]] with name and address for each machine, and give every entry of the file a host"};
    return Error{ErrorCode::not_found, "'" + name + "' is not a host of this file", options.file,
                 "give --host one of " + names};
}

Result<Host> read_host(const HostOptions& options) {
    Host host;
    DIVISI_ASSIGN(const std::string text, file::read_text(options.file, "cluster file", "check the path"));
    DIVISI_ASSIGN(host.spec, task::parse_cluster(text, options.file));
    if (const auto stated = control::stated_policies(host.spec); !stated) return stated.error();
    DIVISI_ASSIGN(host.name, host_name(options, host.spec));
    host.file = process::absolute_path(options.file);
    host.data = options.data.empty() ? embed::default_data_folder() / "hosts" / host.name
                                     : process::absolute_path(options.data);
    host.programs = hosted_programs(host.spec, host.name, host.file, host.data);
    if (host.programs.empty())
        return Error{ErrorCode::invalid_input, "the file has nothing on " + host.name, options.file,
                     "set host = \"" + host.name + "\" for a node, gateway or router, or remove the host"};
    return host;
}

/// Creates the folders and the missing key pairs. Returns the public keys in the order of the programs.
Result<std::vector<std::string>> make_keys(const Host& host) {
    for (const char* part : {"", "keys", "logs", "nodes"})
        DIVISI_TRY(file::make_writable(host.data / part, least_room));
    std::vector<std::string> keys;
    for (const HostedProgram& program : host.programs) {
        DIVISI_TRY(file::make_writable(program.key_file.parent_path(), 0));
        DIVISI_TRY(file::make_writable(program.log.parent_path(), 0));
        DIVISI_ASSIGN(const link::KeyPair pair, link::load_or_make_keys(program.key_file));
        keys.push_back(pair.public_key);
    }
    return keys;
}

/// Checks the keys in the file against the keys of this host. Every program must know the orchestrator's key, and the
/// orchestrator must admit every program.
Result<void> check_keys(const Host& host, const std::vector<std::string>& keys) {
    const std::string file = host.file.string();
    const auto next = "'divisictl cluster keys " + file + " --host " + host.name + "' prints the keys to write there";
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const HostedProgram& program = host.programs[i];
        if (program.key == keys[i]) continue;
        const bool none = program.key.empty();
        return Error{ErrorCode::invalid_input,
                     "the file has " + std::string(none ? "no key" : "another key") + " of " + program.name +
                         (none ? " yet" : " than this host"),
                     file, next};
    }
    if (!host.spec.orchestrator_key.empty()) return {};
    return Error{ErrorCode::invalid_input, "the file has no orchestrator_key yet", file,
                 "'divisictl cluster keys' prints it on " + host.spec.host};
}

/// Takes the lock that all programs of this host hold until they end, even if `cluster start` was killed.
Result<file::Descriptor> lock_members(const Host& host, const std::atomic<bool>& stop) {
    const std::filesystem::path logs = host.data / "logs";
    file::Descriptor lock = embed::open_folder(logs);
    if (!lock.is_open()) return file::system_error("open the folder", logs);
    if (embed::take_lock(lock, std::chrono::milliseconds(0), {})) return lock;
    std::fprintf(stderr, "earlier programs on %s are still ending; waiting for at most %d s\n", host.name.c_str(),
                 static_cast<int>(embed::end_deadline.count()));
    if (embed::take_lock(lock, embed::end_deadline, [&] { return stop.load(); })) return lock;
    if (stop) return Error{ErrorCode::failed, "the start was interrupted", host.data, "nothing was left running"};
    return Error{ErrorCode::deadline, "earlier programs on " + host.name + " do not end", host.data,
                 "see the logs there, and end its processes, whose command lines name the folder"};
}

/// The programs that run on this host. Nodes, gateways and routers end before the orchestrator, so that the
/// orchestrator is notified of their end.
class Members {
public:
    ~Members() {
        for (std::size_t i = all.size(); i-- > 1;)
            if (all[i].child) all[i].child->release();
        while (!all.empty()) all.pop_back();
    }
    std::vector<embed::Member> all;
};

/// Supervises the programs until a stop is requested, or until the cluster has ended.
Result<void> run_until(const std::atomic<bool>& stop, const Host& host, Members& members) {
    while (!stop) {
        std::this_thread::sleep_for(supervision_interval);
        DIVISI_ASSIGN(const embed::Supervision seen, embed::supervise(members.all, host.data));
        for (const std::string& name : seen.restarted)
            std::fprintf(stderr, "%s died and was started again\n", name.c_str());
        for (const Error& error : seen.failing) print_error(error);
        if (seen.ended) return {};
    }
    return {};
}

void print_started(const Common& common, const Host& host) {
    std::string names;
    for (const HostedProgram& program : host.programs) names += (names.empty() ? "" : ", ") + program.name;
    const bool orchestrates = host.spec.host == host.name;
    const std::string connection = orchestrates ? administrators_connection(host.data) : hosted_connection(host.data);
    if (common.json) {
        std::puts(nlohmann::json{{"host", host.name}, {"started", names}, {"connection", connection}}.dump().c_str());
    } else {
        std::printf("%s runs %s; logs are in %s\n", host.name.c_str(), names.c_str(), (host.data / "logs").c_str());
        std::printf("clients here connect with --connect %s\n", connection.c_str());
    }
    std::fflush(stdout);
}

}  // namespace

int cluster_keys(const Common& common, const HostOptions& options) {
    const auto host = read_host(options);
    if (!host) return print_error(host.error());
    const auto keys = make_keys(*host);
    if (!keys) return print_error(keys.error());
    if (!common.json)
        std::printf("# keys of %s: write each into its entry in %s; all hosts use the same file\n", host->name.c_str(),
                    options.file.c_str());
    for (std::size_t i = 0; i < keys->size(); ++i) {
        const HostedProgram& program = host->programs[i];
        const bool orchestrator = program.name == embed::orchestrator;
        const char* const field = orchestrator ? "orchestrator_key" : "key";
        if (common.json)
            std::puts(nlohmann::json{{"name", program.name}, {"field", field}, {"key", (*keys)[i]}}.dump().c_str());
        else
            std::printf("%s = \"%s\"  # %s%s\n", field, (*keys)[i].c_str(),
                        orchestrator ? "[cluster]" : program.name.c_str(),
                        program.key == (*keys)[i] ? ", already in the file" : "");
    }
    return 0;
}

int cluster_start(const Common& common, const HostOptions& options) {
    std::atomic<bool> stop = false;
    process::on_stop([&](const char*) { stop = true; }, 30);
    const auto host = read_host(options);
    if (!host) return print_error(host.error());
    const auto keys = make_keys(*host);
    if (!keys) return print_error(keys.error());
    if (const auto checked = check_keys(*host, *keys); !checked) return print_error(checked.error());
    const auto lock = file::FolderLock::take(host->data);
    if (!lock) return print_error(lock.error());
    const auto members_lock = lock_members(*host, stop);
    if (!members_lock) return print_error(members_lock.error());
    const link::Connection connection{host->spec.orchestrator, host->spec.orchestrator_key};
    if (const auto kept = link::write_connection(hosted_connection(host->data), connection); !kept)
        return print_error(kept.error());
    Members members;
    for (const HostedProgram& program : host->programs) members.all.push_back(member_of(program, members_lock->get()));
    for (embed::Member& member : members.all)
        if (const auto begun = embed::launch(member); !begun) return print_error(begun.error());
    print_started(common, *host);
    const auto ran = run_until(stop, *host, members);
    return ran ? 0 : print_error(ran.error());
}

}  // namespace divisi::ctl
