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

/// A command's connection in this role, whatever the command line's target says of it.
Result<std::unique_ptr<Session>> open_session(const Common& common, control::Role role = control::Role::viewer);

struct TaskFileOptions {
    std::string file;
    std::vector<std::string> settings;  ///< --set section.key=value
    std::string cluster;                ///< --cluster FILE: of plan
    std::string from;                   ///< --from: of run a version, of reference an ONNX file
};

/// Options of `plan --profile`.
struct ProfileOptions {
    std::string file;
    std::optional<std::int64_t> stages;
    std::optional<double> bandwidth;  ///< bytes/s; without it links are free
};

/// Options of `logs`.
struct LogOptions {
    control::QueryLog query;          ///< but for its level and times
    std::string level, since, until;  ///< as they were typed
    bool events = false;              ///< nothing but events
};

/// Options of `reserve add`.
struct ReserveOptions {
    std::string pool, submitter, task;
    std::vector<std::string> nodes;
    std::string from, length;
};

/// Options of `stores show`.
struct StoreOptions {
    std::string sid, table = "step";
    std::string node;        ///< empty: the one whose store was written by the newest process
    std::int64_t last = 10;  ///< rows
};

/// Options of `stores export`.
struct StoreExportOptions {
    std::string sid, output;
    std::string table;  ///< empty: all as JSON lines, `step` as CSV
    std::string node;   ///< empty: the one whose store was written by the newest process
    bool force = false;
};

// Each returns the exit status: 0, 1 when the operation failed, 2 for wrong input, 3 when a task was stopped.
int run_task(const Common& common, const TaskFileOptions& options);
int plan_task(const Common& common, const TaskFileOptions& options);
int plan_profile(const Common& common, const ProfileOptions& options);
/// `operators`: also lists every operator by its node name.
int model_info(const Common& common, const std::string& model, const std::vector<std::string>& settings,
               bool operators);
int model_export(const Common& common, const std::string& task, const std::string& output);

// Versions of trained models. `version`: its number, its task, or how its hash begins.
int list_versions(const Common& common);
int show_version(const Common& common, const std::string& version);
int drop_version(const Common& common, const std::string& version);
/// Keeps a committed checkpoint of a task as a version, by `name` where that is not empty; `step` 0: the newest.
int keep_checkpoint(const Common& common, const control::KeepCheckpoint& wanted);

/// Writes what a batch has said of its samples.
int show_results(const Common& common, const std::string& task, const std::string& output);

int list_tasks(const Common& common);
int stop_task(const Common& common, const std::string& task);
/// `wanted`: "data=3" gives a task that runs three data instances.
int scale_task(const Common& common, const std::string& task, const std::string& wanted);
/// A checkpoint of a task that trains, at the end of a step that the orchestrator names.
int order_checkpoint(const Common& common, const std::string& task);
/// The same, waits until it is committed, and keeps it as a version.
int order_and_keep(const Common& common, const std::string& task, const std::string& name);
/// Names as they are meant that were written with spaces around them, as in "a, b".
std::vector<std::string> trimmed(const std::vector<std::string>& names);
/// Another plan for a task that trains; where the message names no plan, of the one that it has now. `blocks`: a task
/// file with the segments of a block partition; empty: the message says it all.
int recut_task(const Common& common, control::Recut wanted, const std::string& blocks);
/// The node gets no new instances, and stages of trainings leave it. `wait`: until nothing runs there any more.
int drain_node(const Common& common, const control::DrainNode& wanted, bool wait);
/// What other cuts would gain a task that trains, and cost it; changes nothing.
int advise_recut(const Common& common, const std::string& task);
/// Lets a held task start; empty: all that are held.
int release_task(const Common& common, const std::string& task);
/// Of a `prefix` under which nothing lies: the services of the longest path above it for which somebody answers.
/// `watch`: what changes in the registry, as it happens, until interrupted.
int list_services(const Common& common, const std::string& prefix, bool watch);
/// Events and what processes wrote.
int show_logs(const Common& common, const LogOptions& options);
// Tasks that failed for good.
int list_exceptions(const Common& common);
/// `text`: only its task file, as it was submitted.
int show_exception(const Common& common, std::uint64_t number, bool text);
/// Submits its task again as a new one.
int retry_exception(const Common& common, std::uint64_t number);
/// The same with another text: that of this file.
int resubmit_exception(const Common& common, std::uint64_t number, const std::string& file);
int drop_exception(const Common& common, std::uint64_t number);
/// What the orchestrator's rules found wrong. `standing`: only what still is.
int list_alerts(const Common& common, bool standing);
/// Faults that tasks met, and how they got over them. `task`: only of this one; empty: all.
int list_incidents(const Common& common, const std::string& task);
/// `again`: measure them anew first.
int list_links(const Common& common, bool again);
/// Likewise of the links between gateways and routers, with what they carry in a second from now.
int list_mesh_links(const Common& common);
/// Weights and results that tasks have left on nodes.
int list_blobs(const Common& common);
/// The node `to` gets a blob from the node `from`.
int bring_blob(const Common& common, const std::string& hash, const std::string& from, const std::string& to);
/// What an instance has written to its state store, with the newest `rows` of its steps, events and orders.
int show_state(const Common& common, const std::string& file, std::int64_t rows);
/// The state stores of all nodes, through the orchestrator; and rows of one.
int list_stores(const Common& common);
int show_store(const Common& common, const StoreOptions& options);
/// Writes whole tables of one as CSV, where the file's name ends so, or as the JSON lines of show_store().
int export_store(const Common& common, const StoreExportOptions& options);
/// Gateways and routers, and the paths of flows.
int list_routes(const Common& common);
/// MICs, and the dependencies of the units that run in them.
int list_mics(const Common& common);
/// Writes the RSVP messages between gateways and routers into a file for Wireshark; for how many seconds more.
int capture(const Common& common, const std::string& file, int seconds);
/// What gateways decided about those who asked to send.
int list_requests(const Common& common, control::QueryRequests query);
/// What of the messages is shown; empty: whatever it is.
struct SignalFilter {
    std::string type;      ///< PATH, RESV, PathTear, PathErr, ROUTES or LOAD
    std::string flow;      ///< its number, or how its task or one of its SIDs begins
    std::string from, to;  ///< devices, by name
};
/// Prints these messages, and with `follow` those that come.
int show_signals(const Common& common, const SignalFilter& filter, bool follow);
// Faults that are made on purpose. Links by the names of the devices at their ends.
int cut_link(const Common& common, const std::string& a, const std::string& b);
/// `rate` such as "20MB/s" and `delay` such as "10ms", one of them or both.
int slow_link(const Common& common, const std::string& a, const std::string& b, const std::string& rate,
              const std::string& delay);
int kill_router(const Common& common, const std::string& name);
/// The process that plays this SID.
int kill_instance(const Common& common, const std::string& sid);
/// With its instances.
int kill_node(const Common& common, const std::string& node);
/// `time` such as "10s".
int pause_instance(const Common& common, const std::string& sid, const std::string& time);
/// Without names all links.
int heal_faults(const Common& common, const std::string& a, const std::string& b);
int list_faults(const Common& common);
/// Versions of the policy, who goes by which, and what is known of paths.
int list_policies(const Common& common);
/// "KEY=VALUE" each.
int set_policies(const Common& common, const std::vector<std::string>& settings);
/// What they would make of the tasks that run, by the simulator. Applies nothing.
int try_policies(const Common& common, const std::vector<std::string>& settings);
/// To this version; 0: to the one before.
int roll_back_policies(const Common& common, std::uint64_t version);
/// Functional modules, and what became of their advice.
int list_modules(const Common& common);
/// Starts one beside the embedded cluster. `program`: empty for the one of its name.
int start_module(const Common& common, const std::string& name, const std::string& program,
                 const std::vector<std::string>& arguments);
/// `version`: empty for all of its processes.
int stop_module(const Common& common, const std::string& name, const std::string& version);
/// Which version of it advises.
int use_module(const Common& common, const std::string& name, const std::string& version);
/// `task`: empty for all.
int switch_module(const Common& common, const std::string& name, const std::string& task, bool on);
/// `task`: only of this one; empty: all.
int list_leases(const Common& common, const std::string& task);
/// `file`: where they are written as CSV; empty: they are printed.
int list_receipts(const Common& common, const std::string& task, const std::string& file);
int show_receipt_key(const Common& common);
/// Needs no cluster. `key`: hexadecimal digits, or a file; `part`: receipts may be missing.
int verify_receipts(const Common& common, const std::string& file, const std::string& key, bool part);
/// Nodes and pools, with what is free of them; the queue, with shares and what each task waits for.
int list_nodes(const Common& common);
int list_pools(const Common& common);
int list_queue(const Common& common);
int list_reservations(const Common& common);
int add_reservation(const Common& common, const ReserveOptions& options);
int cancel_reservation(const Common& common, std::uint64_t number);
int list_keys(const Common& common);
/// Copies what the orchestrator keeps into a folder of its machine that is not there yet.
int back_up(const Common& common, const std::string& folder);
/// Compares a backup with its manifest. Needs no cluster.
int verify_backup(const Common& common, const std::string& folder);
int change_key(const Common& common, const control::KeyChanged& change);

/// `backup`: what its data folder, which is empty, is made of first; empty: nothing.
int cluster_up(const Common& common, const std::string& backup);
int cluster_down(const Common& common);
int cluster_status(const Common& common);
/// What `cluster up` starts in the background: hosts the embedded cluster until it is shut down.
int cluster_host();

/// What this machine has to do with a cluster file.
struct HostOptions {
    std::string file;
    std::string host;  ///< --host: its name in the file; empty: what the machine is called
    std::string data;  ///< --data; empty: below the user's data folder
};
/// Runs all that the file has on this host, until it is told to end or the cluster ends.
int cluster_start(const Common& common, const HostOptions& options);
/// Makes the keys of all that the file has on this host, and prints the public ones.
int cluster_keys(const Common& common, const HostOptions& options);

/// Where the user's measured prices of operators are kept; makes the folder.
std::string profile_store();

/// Replaces this process by divisi-instance with these arguments (reference, conformance): only agents link
/// LibTorch. Returns only when that fails.
int exec_instance(const std::vector<std::string>& arguments);

}  // namespace divisi::ctl
