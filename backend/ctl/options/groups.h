// SPDX-License-Identifier: Apache-2.0
// Adds the commands of each group, and the options that several groups share.
#pragma once

#include <CLI/CLI.hpp>

#include "backend/ctl/options/command_line.h"

namespace divisi::ctl {

/// Adds a command that accepts --json. `help` starts with a verb in lower case and has no full stop.
CLI::App* add_command(CLI::App& parent, CommandLine& line, const std::string& name, const std::string& help,
                      std::function<int()> action);
/// Adds the options that choose a cluster.
void add_cluster_options(CLI::App* app, CommandLine& line);
/// Adds the argument for the task file, and the option --set.
void add_task_file_options(CLI::App* app, CommandLine& line);
/// Adds --set, whose values are stored in `line.settings` and change a model or a task file.
void add_setting_options(CLI::App* app, CommandLine& line);

void add_model_group(CLI::App& app, CommandLine& line);
void add_train_group(CLI::App& app, CommandLine& line);
void add_watch_group(CLI::App& app, CommandLine& line);
void add_change_group(CLI::App& app, CommandLine& line);
void add_fault_group(CLI::App& app, CommandLine& line);
void add_mesh_group(CLI::App& app, CommandLine& line);
void add_machine_group(CLI::App& app, CommandLine& line);
void add_version_group(CLI::App& app, CommandLine& line);
void add_receipt_group(CLI::App& app, CommandLine& line);
void add_state_group(CLI::App& app, CommandLine& line);

}  // namespace divisi::ctl
