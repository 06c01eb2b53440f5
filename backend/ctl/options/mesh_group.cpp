// SPDX-License-Identifier: Apache-2.0
// Adds the commands of the group "The mesh": links, routes, mics, signals, capture, requests, policies, modules.
#include "backend/ctl/options/groups.h"

namespace divisi::ctl {
namespace {

void add_links(CLI::App& app, CommandLine& line) {
    auto* links =
        add_command(app, line, "links", "show latency and bandwidth between hosts, and whether they were measured",
                    [&] { return line.mesh ? list_mesh_links(line.common) : list_links(line.common, line.again); });
    auto* measure = links->add_flag("--measure", line.again, "measure every link again first");
    links
        ->add_flag("--mesh", line.mesh,
                   "show the links between gateways and routers instead, with their current traffic")
        ->excludes(measure);
    add_cluster_options(links, line);
    add_cluster_options(add_command(app, line, "routes", "show gateways, routers and the paths that tensors take",
                                    [&] { return list_routes(line.common); }),
                        line);
    add_cluster_options(
        add_command(app, line, "mics", "show the dependencies of the units in each MIC, and which are broken",
                    [&] { return list_mics(line.common); }),
        line);
}

void add_signals(CLI::App& app, CommandLine& line) {
    auto* signals = add_command(app, line, "signals", "show the decoded messages of gateways and routers",
                                [&] { return show_signals(line.common, line.signals, line.follow); });
    signals
        ->add_option("--type", line.signals.type,
                     "show only messages of this type; REGISTER to REPORT are the signaling types 1 to 5")
        ->transform(
            CLI::IsMember({"PATH", "RESV", "PathTear", "PathErr", "REGISTER", "ROUTES", "REQUEST", "LOAD", "REPORT"},
                          CLI::ignore_case));
    signals->add_option("--flow", line.signals.flow,
                        "show only messages of this flow: its number, or the beginning of its task or of a SID");
    signals->add_option("--from", line.signals.from, "show only messages from this gateway or router");
    signals->add_option("--to", line.signals.to, "show only messages to this gateway or router");
    signals->add_flag("--follow", line.follow, "then print new messages as they arrive");
    add_cluster_options(signals, line);
    auto* captured =
        add_command(app, line, "capture", "write the messages of gateways and routers to a file for Wireshark",
                    [&] { return capture(line.common, line.output, line.seconds); });
    captured->add_option("OUT.pcap", line.output, "file to write")->required();
    captured
        ->add_option("--seconds", line.seconds,
                     "also capture new messages for this number of seconds (default: only past messages)")
        ->check(CLI::Range(0, 86'400));
    add_cluster_options(captured, line);
}

void add_requests(CLI::App& app, CommandLine& line) {
    auto* requests =
        add_command(app, line, "requests", "show requests to send that gateways received, and their decisions", [&] {
            line.requests.task = TaskId(line.name);
            return list_requests(line.common, line.requests);
        });
    requests->add_option("--gateway", line.requests.gateway, "show only requests to this gateway");
    requests->add_option("--task", line.name, "show only requests of this task");
    requests->add_flag("--denied", line.requests.refused, "show only requests that were denied");
    add_cluster_options(requests, line);
}

constexpr const char* policy_help =
    "change of one entry; KEY=default removes the entry. The keys are:\n"
    "share=100 or share:mg-1:mg-2=40 (percentage of the tensors that use the first path);\n"
    "window=16MiB (bytes that a device promises to a flow);\n"
    "adapt=off (keep the shares when paths slow down);\n"
    "balancing=round-robin, least-outstanding, weighted or two-choices (of data instances);\n"
    "module:link-trend=off or module:link-trend:TASK=off (take no advice from a module);\n"
    "for gateways mic-rate=200MB/s, task-rate:mg-1=none (bytes per second), retries=10 (per second),\n"
    "breaker=3 (failures within 30 s);\n"
    "for gateways and routers, limits beyond which they report at once: alarm-retries=16,\n"
    "alarm-refusals=8 (since the last report), alarm-latency:sr-1=500ms, alarm-full=1s;\n"
    "send:WHO:PREFIX=deny or =allow (whether WHO may send to SIDs below PREFIX; for admins. WHO is anyone,\n"
    "MIC/NODE, MIC/*, or by CURVE key key@NAME or role@ROLE. The most specific entry decides.)";

void add_policies(CLI::App& app, CommandLine& line) {
    auto* policies =
        add_command(app, line, "policies", "show the versions of the policy, and the version that each device applies",
                    [&] { return list_policies(line.common); });
    add_cluster_options(policies, line);
    auto* set = add_command(*policies, line, "set", "change the policy, as a new version",
                            [&] { return set_policies(line.common, line.settings); });
    set->add_option("KEY=VALUE", line.settings, policy_help)->required();
    add_cluster_options(set, line);
    auto* trial = add_command(*policies, line, "try", "simulate the effect of a change on the running tasks",
                              [&] { return try_policies(line.common, line.settings); });
    trial->add_option("KEY=VALUE", line.settings, "as for 'set'; nothing is applied")->required();
    add_cluster_options(trial, line);
    auto* rollback = add_command(*policies, line, "rollback", "make an earlier version the policy again",
                                 [&] { return roll_back_policies(line.common, line.number); });
    rollback->add_option("VERSION", line.number, "number of the version (default: the previous one)");
    add_cluster_options(rollback, line);
}

void add_modules(CLI::App& app, CommandLine& line) {
    auto* modules = add_command(app, line, "modules", "list functional modules and the results of their advice",
                                [&] { return list_modules(line.common); });
    add_cluster_options(modules, line);
    const auto about = [&](const char* name, const char* help, std::function<int()> action) {
        auto* sub = add_command(*modules, line, name, help, std::move(action));
        sub->add_option("NAME", line.name, "name of the module, such as link-trend or compute-routing")->required();
        add_cluster_options(sub, line);
        return sub;
    };
    auto* start = about("start", "run a module for the embedded cluster, as long as the cluster runs",
                        [&] { return start_module(line.common, line.name, line.output, line.settings); });
    start->add_option("--program", line.output, "program of the module (default: divisi-module-NAME)");
    start->add_option("ARGUMENTS", line.settings, "arguments of that program, after --");
    auto* stop =
        about("stop", "end the processes of a module", [&] { return stop_module(line.common, line.name, line.a); });
    stop->add_option("--version", line.a, "end only the process of this version");
    auto* use = about("use", "take the advice of another version of a module",
                      [&] { return use_module(line.common, line.name, line.a); });
    use->add_option("VERSION", line.a, "version of a standby process")->required();
    about("enable", "take the advice of a module again", [&] {
        return switch_module(line.common, line.name, line.b, true);
    })->add_option("--task", line.b, "only advice about this task (default: about all tasks)");
    about("disable", "stop taking the advice of a module, as a new version of the policy", [&] {
        return switch_module(line.common, line.name, line.b, false);
    })->add_option("--task", line.b, "only advice about this task (default: about all tasks)");
}

}  // namespace

void add_mesh_group(CLI::App& app, CommandLine& line) {
    add_links(app, line);
    add_signals(app, line);
    add_requests(app, line);
    add_policies(app, line);
    add_modules(app, line);
}

}  // namespace divisi::ctl
