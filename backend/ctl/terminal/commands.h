// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backend/control/protocol/log_messages.h"
#include "backend/ctl/terminal/session.h"

namespace divisi::ctl {

/// Options that every command accepts.
struct Common {
    Target target;
    bool json = false;
};

/// Opens a connection in `role`; ignores the role in `common.target`.
Result<std::unique_ptr<Session>> open_session(const Common& common, control::Role role = control::Role::viewer);

struct TaskFileOptions {
    std::string file;
    std::vector<std::string> settings;  ///< values of --set section.key=value
    std::string cluster;                ///< value of --cluster FILE; used by `plan`
    std::string from;                   ///< --from: a version for `run`, an ONNX file for `reference`
};

/// Options of `plan --profile`.
struct ProfileOptions {
    std::string file;
    std::optional<std::int64_t> stages;
    std::optional<double> bandwidth;  ///< bandwidth of links in bytes/s; if absent, links cost no time
};

/// Options of `logs`.
struct LogOptions {
    control::QueryLog query;          ///< the query, still without its level and times
    std::string level, since, until;  ///< level and times as the user typed them
    bool events = false;              ///< whether to show only events
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
    std::string node;        ///< node to ask; empty: the node whose store was written by the newest process
    std::int64_t last = 10;  ///< number of rows
};

/// Options of `stores export`.
struct StoreExportOptions {
    std::string sid, output;
    std::string table;  ///< table to export; empty: all tables as JSON lines, or `step` as CSV
    std::string node;   ///< node to ask; empty: the node whose store was written by the newest process
    bool force = false;
};

// The functions below run commands and return the exit status: 0 for success, 1 if the operation failed, 2 for wrong
// input, 3 if a task was stopped.
int run_task(const Common& common, const TaskFileOptions& options);
int plan_task(const Common& common, const TaskFileOptions& options);
int plan_profile(const Common& common, const ProfileOptions& options);
/// Prints a summary of the model. `operators`: also lists every operator by its node name.
int model_info(const Common& common, const std::string& model, const std::vector<std::string>& settings,
               bool operators);
int model_export(const Common& common, const std::string& task, const std::string& output);

// These functions manage versions of trained models. `version`: its number, its task, or the beginning of its hash.
int list_versions(const Common& common);
int show_version(const Common& common, const std::string& version);
int drop_version(const Common& common, const std::string& version);
/// Keeps a committed checkpoint of a task as a version, under `name` if that is not empty. `step` 0 selects the newest
/// checkpoint.
int keep_checkpoint(const Common& common, const control::KeepCheckpoint& wanted);

/// Writes the results that a batch task produced for its samples.
int show_results(const Common& common, const std::string& task, const std::string& output);

int list_tasks(const Common& common);
int stop_task(const Common& common, const std::string& task);
/// Changes the number of data instances of a running task. `wanted`: "data=3" asks for three.
int scale_task(const Common& common, const std::string& task, const std::string& wanted);
/// Orders a checkpoint of a training task, at the end of a step that the orchestrator chooses.
int order_checkpoint(const Common& common, const std::string& task);
/// Orders a checkpoint, waits until it is committed, and keeps it as a version.
int order_and_keep(const Common& common, const std::string& task, const std::string& name);
/// Removes spaces around each name: "a, b" gives "a" and "b".
std::vector<std::string> trimmed(const std::vector<std::string>& names);
/// Changes the plan of a training task. `wanted.plan` is the hash of the plan to change; empty: the current one.
/// `blocks`: a task file with the segments of a block partition; empty: `wanted` is complete.
int recut_task(const Common& common, control::Recut wanted, const std::string& blocks);
/// Drains a node: it gets no new instances, and the stages of training tasks move away. `wait`: returns only when
/// nothing runs on the node any more.
int drain_node(const Common& common, const control::DrainNode& wanted, bool wait);
/// Prints how much faster a training task would become with other cuts, and the cost of the re-cut. Does not change the
/// task.
int advise_recut(const Common& common, const std::string& task);
/// Lets a held task start. An empty `task` means all held tasks.
int release_task(const Common& common, const std::string& task);
/// Lists the services under `prefix`. If there are no such services, lists the services of the longest parent path that
/// has services. `watch`: prints changes of the registry as they happen, until interrupted.
int list_services(const Common& common, const std::string& prefix, bool watch);
/// Prints events and the output of processes.
int show_logs(const Common& common, const LogOptions& options);
/// Lists the tasks that failed permanently.
int list_exceptions(const Common& common);
/// Prints one entry of the exception queue. `text`: prints only the task file, as it was submitted.
int show_exception(const Common& common, std::uint64_t number, bool text);
/// Submits the task of an exception entry again, as a new task.
int retry_exception(const Common& common, std::uint64_t number);
/// Submits the task of an exception entry again, with the text of this file.
int resubmit_exception(const Common& common, std::uint64_t number, const std::string& file);
int drop_exception(const Common& common, std::uint64_t number);
/// Lists the problems that the orchestrator's rules have found. `standing`: lists only alerts that are still raised.
int list_alerts(const Common& common, bool standing);
/// Lists the faults of tasks, and how the tasks recovered. `task`: only faults of this task; empty: all.
int list_incidents(const Common& common, const std::string& task);
/// Lists the links between hosts. `again`: measures the links first.
int list_links(const Common& common, bool again);
/// Lists the links between gateways and routers, with the traffic measured during one second.
int list_mesh_links(const Common& common);
/// Lists weights and results that tasks have left on nodes.
int list_blobs(const Common& common);
/// Copies a blob from the node `from` to the node `to`.
int bring_blob(const Common& common, const std::string& hash, const std::string& from, const std::string& to);
/// Prints the content of an instance's state store, with the newest `rows` of its steps, events and orders.
int show_state(const Common& common, const std::string& file, std::int64_t rows);
/// Lists the state stores of all nodes, read through the orchestrator. show_store() prints rows of one store.
int list_stores(const Common& common);
int show_store(const Common& common, const StoreOptions& options);
/// Writes whole tables of a store: as CSV if the file's name ends in .csv, otherwise as the JSON lines of show_store().
int export_store(const Common& common, const StoreExportOptions& options);
/// Lists gateways and routers, and the paths of flows.
int list_routes(const Common& common);
/// Lists MICs, and the dependencies between the units that run in them.
int list_mics(const Common& common);
/// Writes the RSVP and signaling messages between gateways and routers into a file for Wireshark. The file contains the
/// messages that the orchestrator still has, and the new messages of the next `seconds`.
int capture(const Common& common, const std::string& file, int seconds);
/// Lists the decisions of gateways about requests to send.
int list_requests(const Common& common, control::QueryRequests query);
/// Selects the messages to show. An empty field matches every message.
struct SignalFilter {
    std::string type;      ///< message type, such as PATH, RESV, REGISTER or LOAD
    std::string flow;      ///< number of the flow, or the beginning of its task or of one of its SIDs
    std::string from, to;  ///< names of devices
};
/// Prints the messages that match; `follow`: also new ones as they arrive.
int show_signals(const Common& common, const SignalFilter& filter, bool follow);
// These functions cause faults on purpose. A link is named by the devices at its ends.
int cut_link(const Common& common, const std::string& a, const std::string& b);
/// Slows a link. `rate` such as "20MB/s", `delay` such as "10ms"; at least one is given.
int slow_link(const Common& common, const std::string& a, const std::string& b, const std::string& rate,
              const std::string& delay);
int kill_router(const Common& common, const std::string& name);
/// Kills the process that serves this SID.
int kill_instance(const Common& common, const std::string& sid);
/// Kills a node and its instances.
int kill_node(const Common& common, const std::string& node);
/// Pauses an instance for `time`, such as "10s".
int pause_instance(const Common& common, const std::string& sid, const std::string& time);
/// Heals the fault of one link, or the faults of all links if the names are empty.
int heal_faults(const Common& common, const std::string& a, const std::string& b);
int list_faults(const Common& common);
/// Lists the versions of the policy, the version that each device applies, and the known state of paths.
int list_policies(const Common& common);
/// Changes settings of the policy, each "KEY=VALUE".
int set_policies(const Common& common, const std::vector<std::string>& settings);
/// Simulates the effect of settings ("KEY=VALUE") on the running tasks. Does not apply the change.
int try_policies(const Common& common, const std::vector<std::string>& settings);
/// Returns to this version of the policy; 0: to the previous version.
int roll_back_policies(const Common& common, std::uint64_t version);
/// Lists functional modules and the outcome of their advice.
int list_modules(const Common& common);
/// Starts a module for the embedded cluster. If `program` is empty, starts the program that has the module's name.
int start_module(const Common& common, const std::string& name, const std::string& program,
                 const std::vector<std::string>& arguments);
/// Stops the module's processes of this version. An empty `version` stops all processes of the module.
int stop_module(const Common& common, const std::string& name, const std::string& version);
/// Chooses the version of the module whose advice is used.
int use_module(const Common& common, const std::string& name, const std::string& version);
/// Switches the module on or off for a task. `task`: empty for all.
int switch_module(const Common& common, const std::string& name, const std::string& task, bool on);
/// Lists leases. `task`: only leases of this task; empty: all.
int list_leases(const Common& common, const std::string& task);
/// Lists receipts. `file`: writes the receipts to this file as CSV; empty: prints them.
int list_receipts(const Common& common, const std::string& task, const std::string& file);
int show_receipt_key(const Common& common);
/// Verifies exported receipts; needs no cluster. `key`: hexadecimal digits, or a file. `part`: the file may contain
/// only some of the receipts.
int verify_receipts(const Common& common, const std::string& file, const std::string& key, bool part);
/// These functions list nodes and pools with their free capacity, and the queue with shares and the reason why each
/// task waits.
int list_nodes(const Common& common);
int list_pools(const Common& common);
int list_queue(const Common& common);
int list_reservations(const Common& common);
int add_reservation(const Common& common, const ReserveOptions& options);
int cancel_reservation(const Common& common, std::uint64_t number);
int list_keys(const Common& common);
/// Copies the data that the orchestrator keeps into a new folder on its machine.
int back_up(const Common& common, const std::string& folder);
/// Compares a backup with its manifest. Needs no cluster.
int verify_backup(const Common& common, const std::string& folder);
int change_key(const Common& common, const control::KeyChanged& change);

/// Starts the embedded cluster. `backup`: a backup that is first restored into the data folder, which must be empty; an
/// empty name restores nothing.
int cluster_up(const Common& common, const std::string& backup);
int cluster_down(const Common& common);
int cluster_status(const Common& common);
/// Hosts the embedded cluster until it is shut down. `cluster up` starts this in the background.
int cluster_host();

/// Options that select the part of a cluster file that this machine runs, and its data folder.
struct HostOptions {
    std::string file;
    std::string host;  ///< value of --host: this machine's name in the file; empty: its host name
    std::string data;  ///< value of --data; empty: below the user's data folder
};
/// Runs all programs that the file places on this host, until a stop signal arrives or the cluster ends.
int cluster_start(const Common& common, const HostOptions& options);
/// Creates the missing key pairs of all programs on this host, and prints the public keys.
int cluster_keys(const Common& common, const HostOptions& options);

/// Returns the file with the user's measured prices of operators; creates its folder.
std::string profile_store();

/// Replaces this process by divisi-instance with these arguments (for reference and conformance), since only agents
/// link LibTorch. Returns only on failure.
int exec_instance(const std::vector<std::string>& arguments);

}  // namespace divisi::ctl
