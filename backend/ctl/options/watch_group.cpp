// SPDX-License-Identifier: Apache-2.0
// Adds the commands of the group "Watch": tasks, queue, nodes, pools, alerts, logs, services.
#include "backend/ctl/options/groups.h"

namespace divisi::ctl {
namespace {

void add_tasks(CLI::App& app, CommandLine& line) {
    auto* tasks = add_command(app, line, "tasks", "list tasks, stop one, or start held tasks",
                              [&] { return list_tasks(line.common); });
    add_cluster_options(tasks, line);
    auto* stop = add_command(*tasks, line, "stop", "stop a task", [&] { return stop_task(line.common, line.name); });
    stop->add_option("TASK", line.name, "task id")->required();
    add_cluster_options(stop, line);
    auto* release = add_command(*tasks, line, "release", "let one held task or all held tasks start",
                                [&] { return release_task(line.common, line.name); });
    release->add_option("TASK", line.name, "task id (default: all held tasks)");
    add_cluster_options(release, line);
}

void add_capacity(CLI::App& app, CommandLine& line) {
    add_cluster_options(add_command(app, line, "queue", "show the order of the queue, and what each task waits for",
                                    [&] { return list_queue(line.common); }),
                        line);
    add_cluster_options(add_command(app, line, "nodes", "list nodes with their free capacity and their problems",
                                    [&] { return list_nodes(line.common); }),
                        line);
    add_cluster_options(add_command(app, line, "pools", "list pools of nodes with their free capacity",
                                    [&] { return list_pools(line.common); }),
                        line);
}

void add_alerts(CLI::App& app, CommandLine& line) {
    auto* alerts = add_command(app, line, "alerts", "show problems, since when they exist, and what to do about them",
                               [&] { return list_alerts(line.common, line.standing); });
    alerts->add_flag("--standing", line.standing, "omit cleared alerts");
    add_cluster_options(alerts, line);
}

void add_logs(CLI::App& app, CommandLine& line) {
    auto* show = add_command(app, line, "logs", "show events and the output of all processes",
                             [&] { return show_logs(line.common, line.logs); });
    LogOptions& logs = line.logs;
    show->add_option("--task", logs.query.task, "show only lines of this task");
    show->add_option("--sid", logs.query.sid,
                     "show only lines of this unit: gpt-1/stage-1, gpt-1/stage-1/0 or gpt-1/stage-1/0#2");
    show->add_option("--node", logs.query.node, "show only lines of this node, such as mic-1/node-1");
    show->add_option("--level", logs.level, "show only lines of this level and above")
        ->check(CLI::IsMember({"debug", "info", "warning", "error"}));
    show->add_option("--since", logs.since, "show lines from this time on: 10m (ago) or \"2026-11-22 21:30\"");
    show->add_option("--until", logs.until, "show only lines before this time, in the same form");
    show->add_option("--contains", logs.query.contains, "show only lines with this text");
    show->add_option("--limit", logs.query.limit, "show at most this number of newest lines")
        ->check(CLI::Range(1, 1'000'000));
    show->add_flag("--events", logs.events, "show only events, not the output of processes");
    add_cluster_options(show, line);
}

void add_services(CLI::App& app, CommandLine& line) {
    auto* services = add_command(app, line, "services", "show which instance serves which SID",
                                 [&] { return list_services(line.common, line.prefix, line.watch); });
    services->add_option("PREFIX", line.prefix, "beginning of the SIDs to show, such as gpt-text-1/stage-1");
    services->add_flag("--watch", line.watch, "print each change of the registry, until interrupted");
    add_cluster_options(services, line);
}

}  // namespace

void add_watch_group(CLI::App& app, CommandLine& line) {
    add_tasks(app, line);
    add_capacity(app, line);
    add_alerts(app, line);
    add_logs(app, line);
    add_services(app, line);
}

}  // namespace divisi::ctl
