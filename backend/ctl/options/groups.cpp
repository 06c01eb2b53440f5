// SPDX-License-Identifier: Apache-2.0
#include "backend/ctl/options/groups.h"

namespace divisi::ctl {
namespace {

struct Group {
    const char* title;
    void (*add)(CLI::App&, CommandLine&);
};

/// The headings of resources/docs/user/terminal.md, in its order. packaging/program_help.py reads only titles that
/// consist of letters and spaces.
constexpr Group groups[] = {
    {"Look at a model and its cuts", add_model_group},
    {"Train", add_train_group},
    {"Watch", add_watch_group},
    {"Change a running task", add_change_group},
    {"Faults and demonstrations", add_fault_group},
    {"The mesh", add_mesh_group},
    {"Machines and keys", add_machine_group},
    {"Results and versions", add_version_group},
    {"Leases and receipts", add_receipt_group},
    {"State and backup", add_state_group},
};

constexpr const char* set_help = "override a value: section.key=value; may be repeated";

}  // namespace

CLI::App* add_command(CLI::App& parent, CommandLine& line, const std::string& name, const std::string& help,
                      std::function<int()> action) {
    CLI::App* app = parent.add_subcommand(name, help);
    app->add_flag("--json", line.common.json, "print JSON, one object per line");
    // The callback of a parent command runs after the callback of its subcommand: `tasks` must not override `tasks
    // stop`.
    app->callback([app, &line, action = std::move(action)] {
        if (app->get_subcommands().empty()) line.action = action;
    });
    return app;
}

void add_cluster_options(CLI::App* app, CommandLine& line) {
    app->add_option("--connect", line.common.target.connection,
                    "connection file of the cluster (default: your running cluster)");
    app->add_option("--keys", line.common.target.keys, "key file for a cluster on TCP");
}

void add_task_file_options(CLI::App* app, CommandLine& line) {
    app->add_option("TASK.toml", line.task_file.file, "task file")->required();
    app->add_option("--set", line.task_file.settings, set_help)->allow_extra_args(false);
}

void add_setting_options(CLI::App* app, CommandLine& line) {
    app->add_option("--set", line.settings, set_help)->allow_extra_args(false);
}

void add_commands(CLI::App& app, CommandLine& line) {
    for (const Group& group : groups) {
        const std::size_t before = app.get_subcommands({}).size();
        group.add(app, line);
        // A new command inherits the group of its parent, so set the group after its own commands have been added.
        const std::vector<CLI::App*> commands = app.get_subcommands({});
        for (std::size_t i = before; i < commands.size(); ++i) commands[i]->group(group.title);
    }
}

}  // namespace divisi::ctl
