// SPDX-License-Identifier: Apache-2.0
// Adds the commands of the group "State and backup": state, stores, backup.
#include <algorithm>

#include "backend/control/protocol/store_export.h"
#include "backend/ctl/options/groups.h"

namespace divisi::ctl {
namespace {

/// Returns a check that accepts the tables of a state store, and lists them in the help.
CLI::Validator is_table() {
    std::string listed;
    for (const std::string& table : control::store_tables()) listed += (listed.empty() ? "" : ",") + table;
    const auto check = [listed](const std::string& name) -> std::string {
        const auto& tables = control::store_tables();
        if (std::find(tables.begin(), tables.end(), name) != tables.end()) return "";
        return "a state store has no table '" + name + "'; use one of " + listed;
    };
    return {check, "{" + listed + "}"};
}

void add_state(CLI::App& app, CommandLine& line) {
    auto* state = add_command(app, line, "state", "show the content of an instance's state store on this machine",
                              [&] { return show_state(line.common, line.name, line.rows); });
    state->add_option("FILE", line.name, "the store: stores/TASK.UNIT.REPLICA.sqlite in the folder of its node")
        ->required();
    state->add_option("--rows", line.rows, "number of newest steps, events and orders to show")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{100'000}))
        ->capture_default_str();
}

/// Adds the commands that read the state stores of instances on nodes.
void add_stores(CLI::App& app, CommandLine& line) {
    auto* stores =
        add_command(app, line, "stores", "list the state stores of instances on all nodes, and their condition",
                    [&] { return list_stores(line.common); });
    add_cluster_options(stores, line);
    auto* show = add_command(*stores, line, "show", "show rows of a state store, read by its node",
                             [&] { return show_store(line.common, line.store); });
    show->add_option("SID", line.store.sid, "SID of the instance, such as gpt-text-1/stage-0/0")->required();
    show->add_option("--table", line.store.table, "table to show")->check(is_table())->capture_default_str();
    show->add_option("--last", line.store.last, "number of newest rows to show")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{100'000}))
        ->capture_default_str();
    show->add_option("--node", line.store.node,
                     "node that has the store (default: the one with the newest incarnation)");
    add_cluster_options(show, line);
    auto* save =
        add_command(*stores, line, "export", "write tables of a state store to a file, completely or not at all",
                    [&] { return export_store(line.common, line.store_export); });
    save->add_option("SID", line.store_export.sid, "SID of the instance, such as gpt-text-1/stage-0/0")->required();
    save->add_option("OUT", line.store_export.output, "file to write: CSV if it ends in .csv, otherwise JSON lines")
        ->required();
    save->add_option("--table", line.store_export.table,
                     "table to write (default: all tables as JSON lines, 'step' as CSV)")
        ->check(is_table());
    save->add_option("--node", line.store_export.node,
                     "node that has the store (default: the one with the newest incarnation)");
    save->add_flag("--force", line.store_export.force, "replace an existing file");
    add_cluster_options(save, line);
}

/// Adds the command that backs up all data of the orchestrator.
void add_backup(CLI::App& app, CommandLine& line) {
    auto* backup = add_command(app, line, "backup", "copy all data of the running orchestrator, or check a copy", [&] {
        return line.again ? verify_backup(line.common, line.name) : back_up(line.common, line.name);
    });
    backup
        ->add_option("FOLDER", line.name,
                     "new folder on the orchestrator's machine; keep the copy as secret as the data folder")
        ->required();
    backup->add_flag("--verify", line.again, "compare an existing copy with its manifest; needs no cluster");
    add_cluster_options(backup, line);
}

}  // namespace

void add_state_group(CLI::App& app, CommandLine& line) {
    add_state(app, line);
    add_stores(app, line);
    add_backup(app, line);
}

}  // namespace divisi::ctl
