// SPDX-License-Identifier: Apache-2.0
// Adds the commands of the group "Faults and demonstrations": incidents, exceptions, fault.
#include "backend/ctl/options/groups.h"

namespace divisi::ctl {
namespace {

void add_incidents(CLI::App& app, CommandLine& line) {
    auto* incidents = add_command(app, line, "incidents", "show the faults of tasks, and how the tasks recovered",
                                  [&] { return list_incidents(line.common, line.name); });
    incidents->add_option("TASK", line.name, "task id (default: all tasks)");
    add_cluster_options(incidents, line);
}

void add_exceptions(CLI::App& app, CommandLine& line) {
    auto* exceptions =
        add_command(app, line, "exceptions", "list the tasks that failed for good: why, where, and earlier recoveries",
                    [&] { return list_exceptions(line.common); });
    add_cluster_options(exceptions, line);
    add_cluster_options(
        add_command(*exceptions, line, "list", "list them (the default)", [&] { return list_exceptions(line.common); }),
        line);
    const auto about = [&](const char* name, const char* help, std::function<int()> action) {
        auto* sub = add_command(*exceptions, line, name, help, std::move(action));
        sub->add_option("NUMBER", line.number, "number of the exception")->required();
        add_cluster_options(sub, line);
        return sub;
    };
    about("show", "show an exception with the log around it", [&] {
        return show_exception(line.common, line.number, line.text);
    })->add_flag("--text", line.text, "print only the task file, to edit and resubmit it");
    about("retry", "submit its task again, as a new task of the same name",
          [&] { return retry_exception(line.common, line.number); });
    about("drop", "remove an exception from the list", [&] { return drop_exception(line.common, line.number); });
    about("resubmit", "submit its task again with an edited task file",
          [&] { return resubmit_exception(line.common, line.number, line.name); })
        ->add_option("TASK.toml", line.name,
                     "edited text of 'show --text'; its paths are relative to the task's folder")
        ->required();
}

/// Adds the commands that inject faults into instances and nodes.
void add_process_faults(CLI::App& fault, CommandLine& line) {
    const auto add_sid = [&](CLI::App* sub) {
        sub->add_option("SID", line.name, "role of the process, such as gpt-1/stage-0/0")->required();
        add_cluster_options(sub, line);
        return sub;
    };
    add_sid(add_command(fault, line, "kill-instance", "kill the process of an instance; its task recovers",
                        [&] { return kill_instance(line.common, line.name); }));
    auto* node = add_command(fault, line, "kill-node",
                             "kill a node's agent and instances; the embedded cluster restarts the agent",
                             [&] { return kill_node(line.common, line.name); });
    node->add_option("NODE", line.name, "node, such as mic-1/node-1")->required();
    add_cluster_options(node, line);
    add_sid(add_command(fault, line, "pause", "pause the process of an instance, as on an overloaded machine",
                        [&] { return pause_instance(line.common, line.name, line.pause); }))
        ->add_option("--for", line.pause, "duration, 60s at most")
        ->capture_default_str();
}

void add_faults(CLI::App& app, CommandLine& line) {
    CLI::App* fault = app.add_subcommand("fault", "cause a fault on purpose, to show how the cluster recovers");
    fault->require_subcommand(1);
    add_process_faults(*fault, line);
    const auto add_link_ends = [&](CLI::App* sub, bool required) {
        auto* a = sub->add_option("A", line.a, "gateway or router at one end of the link")->required(required);
        auto* b = sub->add_option("B", line.b, "gateway or router at the other end")->required(required);
        if (!required) a->needs(b);
        add_cluster_options(sub, line);
    };
    add_link_ends(add_command(*fault, line, "cut-link", "cut a link in both directions",
                              [&] { return cut_link(line.common, line.a, line.b); }),
                  true);
    auto* slow = add_command(*fault, line, "slow-link", "limit the rate of a link, or delay its traffic",
                             [&] { return slow_link(line.common, line.a, line.b, line.rate, line.delay); });
    slow->add_option("--rate", line.rate, "rate of chunks in each direction, such as 20MB/s");
    slow->add_option("--delay", line.delay, "delay of all traffic in each direction, such as 10ms");
    add_link_ends(slow, true);
    auto* kill = add_command(*fault, line, "kill-router", "kill a router; the embedded cluster restarts it",
                             [&] { return kill_router(line.common, line.name); });
    kill->add_option("ROUTER", line.name, "router, such as sr-1")->required();
    add_cluster_options(kill, line);
    add_link_ends(add_command(*fault, line, "heal", "repair one link, or all links",
                              [&] { return heal_faults(line.common, line.a, line.b); }),
                  false);
    add_cluster_options(
        add_command(*fault, line, "list", "list the faults in force", [&] { return list_faults(line.common); }), line);
}

}  // namespace

void add_fault_group(CLI::App& app, CommandLine& line) {
    add_incidents(app, line);
    add_exceptions(app, line);
    add_faults(app, line);
}

}  // namespace divisi::ctl
