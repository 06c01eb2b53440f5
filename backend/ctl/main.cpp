// SPDX-License-Identifier: Apache-2.0
// divisictl: the orchestrator's functions from a terminal.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <optional>

#include "backend/base/version.h"
#include "backend/ctl/terminal/commands.h"
#include "backend/ctl/terminal/terminal.h"
#include "backend/task/suggest.h"

namespace {

using namespace divisi;
using namespace divisi::ctl;

/// Values parsed from the command line; the chosen command sets `action`.
struct Line {
    Common common;
    TaskFileOptions task_file;
    ProfileOptions profile;
    ReserveOptions reserve;
    std::uint64_t number = 0;
    std::string wanted;
    std::string name, output, prefix, receipt_key;
    std::vector<std::string> settings;
    LogOptions logs;
    control::KeyChanged key;
    std::string role = "viewer";
    std::string device = "cpu";
    int timeout_s = 30, threads = 1, seconds = 0;
    std::int64_t rows = 10, step = 0;
    std::optional<int> wait_s;
    SignalFilter signals;
    control::QueryRequests requests;
    control::Recut recut;
    control::DrainNode drain;
    StoreOptions store;
    StoreExportOptions store_export;
    std::string a, b, rate, delay, pause = "10s";  ///< used by `fault`
    HostOptions host;
    bool text = false, again = false, operators = false, watch = false, mesh = false, follow = false, part = false,
         standing = false;
    std::function<int()> action;
};

CLI::App* command(CLI::App& parent, Line& line, const std::string& name, const std::string& help,
                  std::function<int()> action) {
    CLI::App* app = parent.add_subcommand(name, help);
    app->add_flag("--json", line.common.json, "print JSON, one object a line");
    // The callback of a parent runs after its subcommand's: `tasks` must not override `tasks stop`.
    app->callback([app, &line, action = std::move(action)] {
        if (app->get_subcommands().empty()) line.action = action;
    });
    return app;
}

void needs_cluster(CLI::App* app, Line& line) {
    app->add_option("--connect", line.common.target.connection,
                    "connection file of the cluster (default: the user's running one)");
    app->add_option("--keys", line.common.target.keys, "key file for a cluster on tcp");
}

void takes_task_file(CLI::App* app, Line& line) {
    app->add_option("TASK.toml", line.task_file.file, "task file")->required();
    app->add_option("--set", line.task_file.settings, "override: section.key=value, any number of times")
        ->allow_extra_args(false);
}

void takes_log_options(CLI::App* app, LogOptions& logs) {
    app->add_option("--task", logs.query.task, "only of this task");
    app->add_option("--sid", logs.query.sid, "only of this unit: gpt-1/stage-1, gpt-1/stage-1/0 or gpt-1/stage-1/0#2");
    app->add_option("--node", logs.query.node, "only of this node, such as mic-1/node-1");
    app->add_option("--level", logs.level, "only of this level and above: debug, info, warning, error")
        ->check(CLI::IsMember({"debug", "info", "warning", "error"}));
    app->add_option("--since", logs.since, "not before: 10m, so long ago, or \"2026-11-22 21:30\"");
    app->add_option("--until", logs.until, "before, likewise");
    app->add_option("--contains", logs.query.contains, "only lines with this text");
    app->add_option("--limit", logs.query.limit, "at most this many, newest kept")->check(CLI::Range(1, 1'000'000));
    app->add_flag("--events", logs.events, "only events, nothing that processes write");
}

std::vector<std::string> reference_arguments(const Line& line) {
    std::vector<std::string> arguments{"reference", line.task_file.file};
    for (const std::string& setting : line.task_file.settings) {
        arguments.push_back("--set");
        arguments.push_back(setting);
    }
    if (!line.task_file.from.empty()) {
        arguments.push_back("--from");
        arguments.push_back(line.task_file.from);
    }
    if (line.common.json) arguments.push_back("--json");
    return arguments;
}

std::vector<std::string> conformance_arguments(const Line& line) {
    std::vector<std::string> arguments{"conformance", line.name, "--timeout", std::to_string(line.timeout_s)};
    if (line.common.json) arguments.push_back("--json");
    return arguments;
}

/// Returns a check that rejects text that is not a `Number`; `next` tells the user what to enter.
template <typename Number>
std::function<std::string(const std::string&)> a_number(const std::string& next) {
    return [next](const std::string& text) {
        Number number{};
        return CLI::detail::lexical_cast(text, number) && !text.empty() ? "" : "'" + text + "' is no number; " + next;
    };
}

void add_plan(CLI::App& app, Line& line) {
    const auto action = [&line] {
        return line.profile.file.empty() ? plan_task(line.common, line.task_file)
                                         : plan_profile(line.common, line.profile);
    };
    auto* plan =
        command(app, line, "plan", "what a task's stages are and cost, or the best stages of a profile", action);
    auto* task = plan->add_option("TASK.toml", line.task_file.file, "task file");
    auto* set = plan->add_option("--set", line.task_file.settings, "override: section.key=value, any number of times")
                    ->allow_extra_args(false);
    plan->add_option("--cluster", line.task_file.cluster, "plan for the nodes of this cluster file")->needs(task);
    auto* profile = plan->add_option("--profile", line.profile.file, "instead of a task: a profile in PipeDream's text")
                        ->excludes(task)
                        ->excludes(set);
    plan->add_option("--stages", line.profile.stages, "of the profile: at most so many stages")
        ->needs(profile)
        ->check(a_number<std::int64_t>("say how many stages there may be, such as 4"));
    plan->add_option("--connect", line.common.target.connection,
                     "of a task: the cluster that plans, for its nodes (default: the user's running one, else this "
                     "machine)")
        ->excludes(profile);
    plan->add_option("--keys", line.common.target.keys, "key file for a cluster on tcp")->excludes(profile);
    plan->add_option("--bandwidth", line.profile.bandwidth, "of the profile: bytes/s of each link (default: free)")
        ->needs(profile)
        ->check(a_number<double>("give bytes/s, such as 1e9, or leave it out where links are free"));
    plan->callback([&line, action] {
        if (line.task_file.file.empty() && line.profile.file.empty())
            throw CLI::RequiredError("TASK.toml or --profile");
        line.action = action;
    });
}

std::vector<std::string> profile_arguments(const Line& line) {
    std::vector<std::string> arguments{"profile",   line.name,      "--device",
                                       line.device, "--threads",    std::to_string(line.threads),
                                       "--store",   profile_store()};
    for (const std::string& setting : line.settings) {
        arguments.push_back("--set");
        arguments.push_back(setting);
    }
    if (line.again) arguments.push_back("--again");
    if (line.common.json) arguments.push_back("--json");
    return arguments;
}

void add_profile(CLI::App& app, Line& line) {
    auto* profile = command(app, line, "profile", "measure each distinct operator of a model once",
                            [&] { return exec_instance(profile_arguments(line)); });
    profile->add_option("MODEL", line.name, "zoo:NAME, FILE.onnx, or TASK.toml (with its batch and loss)")->required();
    profile->add_option("--device", line.device, "cpu, cuda or cuda:NUMBER");
    profile->add_option("--threads", line.threads, "threads of an instance")->check(CLI::Range(1, 1024));
    profile->add_option("--set", line.settings, "override: section.key=value")->allow_extra_args(false);
    profile->add_flag("--again", line.again, "also what was measured before");
}

void add_scale(CLI::App& app, Line& line) {
    auto* scale = command(app, line, "scale", "give a task that trains more or fewer data instances",
                          [&] { return scale_task(line.common, line.name, line.wanted); });
    scale->add_option("TASK", line.name, "task id; its task file has data.instances")->required();
    scale->add_option("data=NUMBER", line.wanted, "how many data instances it is to have")->required();
    needs_cluster(scale, line);
}

void add_checkpoint(CLI::App& app, Line& line) {
    auto* checkpoint =
        command(app, line, "checkpoint", "keep the state of a task that trains, as soon as it can be", [&line] {
            return line.a.empty() && !line.watch ? order_checkpoint(line.common, line.name)
                                                 : order_and_keep(line.common, line.name, line.a);
        });
    checkpoint->add_option("TASK", line.name, "task id")->required();
    auto* keep = checkpoint->add_flag("--keep", line.watch, "wait for it, and make it a version of the model");
    checkpoint->add_option("--name", line.a, "the same, by this name")->needs(keep);
    needs_cluster(checkpoint, line);
}

void add_recut(CLI::App& app, Line& line) {
    auto* recut = command(app, line, "recut", "give a task that trains other cuts, while it trains on", [&] {
        line.recut.task = TaskId(line.name);
        if (line.watch) return advise_recut(line.common, line.name);
        return recut_task(line.common, line.recut, line.a);
    });
    recut->add_option("TASK", line.name, "task id")->required();
    auto* cuts = recut->add_option("--cuts", line.recut.cuts, "nodes that the cuts follow, with commas between them")
                     ->delimiter(',')
                     ->allow_extra_args(false);
    auto* stages = recut->add_option("--stages", line.recut.stages, "how many stages; where to cut is searched for")
                       ->check(CLI::Range(1, 256));
    auto* undo = recut->add_flag("--undo", line.recut.undo, "back to the plan before the last re-cut");
    recut->add_option("--plan", line.recut.plan, "refuse unless this is the plan in force (its hash)");
    cuts->excludes(stages)->excludes(undo);
    stages->excludes(undo);
    auto* blocks = recut->add_option("--blocks", line.a, "a task file whose [[split.segment]] are the blocks")
                       ->excludes(cuts)
                       ->excludes(stages)
                       ->excludes(undo);
    recut->add_flag("--advice", line.watch, "only say what other cuts would gain, from what its stages take now")
        ->excludes(cuts)
        ->excludes(stages)
        ->excludes(undo)
        ->excludes(blocks);
    needs_cluster(recut, line);
}

void add_tasks(CLI::App& app, Line& line) {
    auto* run = command(app, line, "run", "submit a task, follow it, end with its result", [&] {
        if (line.wait_s) line.common.target.patience = std::chrono::seconds(*line.wait_s);
        return run_task(line.common, line.task_file);
    });
    takes_task_file(run, line);
    needs_cluster(run, line);
    run->add_option("--wait", line.wait_s,
                    "while the orchestrator is away, give up after so many seconds (default: never)")
        ->check(CLI::Range(1, 1'000'000));
    run->add_option("--from", line.task_file.from,
                    "begin with the weights of this version of the model: its number, its task or its hash");
    auto* reference = command(app, line, "reference", "the same training, unsplit, in one process",
                              [&] { return exec_instance(reference_arguments(line)); });
    takes_task_file(reference, line);
    reference->add_option("--from", line.task_file.from,
                          "begin with the weights of this file, which 'model export' has written");
    add_plan(app, line);
    auto* tasks = command(app, line, "tasks", "list tasks", [&] { return list_tasks(line.common); });
    needs_cluster(tasks, line);
    auto* stop = command(*tasks, line, "stop", "stop a task", [&] { return stop_task(line.common, line.name); });
    stop->add_option("TASK", line.name, "task id")->required();
    needs_cluster(stop, line);
    auto* release = command(*tasks, line, "release", "let held tasks start: one, or all",
                            [&] { return release_task(line.common, line.name); });
    release->add_option("TASK", line.name, "task id (default: all that are held)");
    needs_cluster(release, line);
    add_scale(app, line);
    add_checkpoint(app, line);
    add_recut(app, line);
    auto* services = command(app, line, "services", "list units by SID and who serves them",
                             [&] { return list_services(line.common, line.prefix, line.watch); });
    services->add_option("PREFIX", line.prefix, "service prefix, e.g. gpt-text-1/stage-1");
    services->add_flag("--watch", line.watch, "print what changes in the registry, until interrupted");
    needs_cluster(services, line);
    auto* logs = command(app, line, "logs", "events, and what processes write",
                         [&] { return show_logs(line.common, line.logs); });
    takes_log_options(logs, line.logs);
    needs_cluster(logs, line);
    auto* incidents = command(app, line, "incidents", "faults that tasks met, and how they got over them",
                              [&] { return list_incidents(line.common, line.name); });
    incidents->add_option("TASK", line.name, "task id (default: all tasks)");
    needs_cluster(incidents, line);
}

void add_exceptions(CLI::App& app, Line& line) {
    auto* exceptions = command(app, line, "exceptions", "tasks that failed for good: why, where, what was tried",
                               [&] { return list_exceptions(line.common); });
    needs_cluster(exceptions, line);
    needs_cluster(command(*exceptions, line, "list", "the same", [&] { return list_exceptions(line.common); }), line);
    const auto about = [&](const char* name, const char* help, std::function<int()> action) {
        auto* sub = command(*exceptions, line, name, help, std::move(action));
        sub->add_option("NUMBER", line.number, "of the exception")->required();
        needs_cluster(sub, line);
        return sub;
    };
    about("show", "all that is known of one, with the log around it", [&] {
        return show_exception(line.common, line.number, line.text);
    })->add_flag("--text", line.text, "only its task file, to edit and resubmit");
    about("retry", "submit its task again, as a new task of the same name",
          [&] { return retry_exception(line.common, line.number); });
    about("drop", "it is dealt with: take it out of the list",
          [&] { return drop_exception(line.common, line.number); });
    about("resubmit", "submit its task again with an edited task file",
          [&] { return resubmit_exception(line.common, line.number, line.name); })
        ->add_option("TASK.toml", line.name,
                     "edited text of 'show --text'; its paths are relative to the task's folder")
        ->required();
}

void add_alerts(CLI::App& app, Line& line) {
    auto* alerts = command(app, line, "alerts", "what the orchestrator found wrong, since when, and what to do",
                           [&] { return list_alerts(line.common, line.standing); });
    alerts->add_flag("--standing", line.standing, "only what still is");
    needs_cluster(alerts, line);
}

/// Adds the commands about gateways, routers and their messages.
void add_mesh(CLI::App& app, Line& line) {
    auto* links =
        command(app, line, "links", "latency and bandwidth between hosts, and whether they were measured",
                [&] { return line.mesh ? list_mesh_links(line.common) : list_links(line.common, line.again); });
    auto* measure = links->add_flag("--measure", line.again, "measure them anew first");
    links->add_flag("--mesh", line.mesh, "instead those between gateways and routers, and what they carry now")
        ->excludes(measure);
    needs_cluster(links, line);
    needs_cluster(command(app, line, "mics", "dependencies of the units in each MIC, and which of them are broken",
                          [&] { return list_mics(line.common); }),
                  line);
    auto* routes = command(app, line, "routes", "gateways and routers of the mesh, and the paths that tensors take",
                           [&] { return list_routes(line.common); });
    needs_cluster(routes, line);
    auto* blobs = command(app, line, "blobs", "files that tasks have left on nodes, by their hash",
                          [&] { return list_blobs(line.common); });
    needs_cluster(blobs, line);
    auto* bring = command(*blobs, line, "bring", "one node gets a file from another, behind the tensors of tasks",
                          [&] { return bring_blob(line.common, line.name, line.a, line.b); });
    bring->add_option("HASH", line.name, "of the file, as 'blobs' lists them")->required();
    bring->add_option("--from", line.a, "the node that has it, such as mic-1/node-1")->required();
    bring->add_option("--to", line.b, "the node that is to have it too")->required();
    needs_cluster(bring, line);
    auto* state = command(app, line, "state", "what an instance has written to its state store",
                          [&] { return show_state(line.common, line.name, line.rows); });
    state->add_option("FILE", line.name, "the store: stores/TASK.UNIT.REPLICA.sqlite in its node's folder")->required();
    state->add_option("--rows", line.rows, "the newest steps, events and orders")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{100'000}))
        ->capture_default_str();
    auto* captured = command(app, line, "capture", "RSVP between gateways and routers as a file for Wireshark",
                             [&] { return capture(line.common, line.output, line.seconds); });
    captured->add_option("OUT.pcap", line.output, "file to write")->required();
    captured->add_option("--seconds", line.seconds, "go on for so long; without it, only what has been sent already")
        ->check(CLI::Range(0, 86'400));
    needs_cluster(captured, line);
    auto* signals =
        command(app, line, "signals", "RSVP between gateways and routers, and signaling types 1 to 5, decoded",
                [&] { return show_signals(line.common, line.signals, line.follow); });
    signals
        ->add_option("--type", line.signals.type,
                     "only PATH, RESV, PathTear, PathErr, REGISTER (type 1), ROUTES (2), REQUEST (3), LOAD (4) or "
                     "REPORT (5)")
        ->transform(
            CLI::IsMember({"PATH", "RESV", "PathTear", "PathErr", "REGISTER", "ROUTES", "REQUEST", "LOAD", "REPORT"},
                          CLI::ignore_case));
    signals->add_option("--flow", line.signals.flow, "only of this flow: its number, or how its task or a SID begins");
    signals->add_option("--from", line.signals.from, "only what this gateway or router sent");
    signals->add_option("--to", line.signals.to, "only what was sent to this one");
    signals->add_flag("--follow", line.follow, "go on with those that come");
    needs_cluster(signals, line);
    auto* requests = command(app, line, "requests", "who asked gateways to send to whom, and what they decided", [&] {
        line.requests.task = TaskId(line.name);
        return list_requests(line.common, line.requests);
    });
    requests->add_option("--gateway", line.requests.gateway, "only of this gateway");
    requests->add_option("--task", line.name, "only of this task");
    requests->add_flag("--denied", line.requests.refused, "only those that were not admitted");
    needs_cluster(requests, line);
}

/// Adds the commands that make faults of instances and nodes.
void add_process_faults(CLI::App& fault, Line& line) {
    const auto of_instance = [&](CLI::App* sub) {
        sub->add_option("SID", line.name, "the role whose process it is, such as gpt-1/stage-0/0")->required();
        needs_cluster(sub, line);
        return sub;
    };
    of_instance(command(fault, line, "kill-instance", "its process dies; its task recovers from that",
                        [&] { return kill_instance(line.common, line.name); }));
    auto* node =
        command(fault, line, "kill-node", "its agent dies, and its instances; the embedded cluster starts it again",
                [&] { return kill_node(line.common, line.name); });
    node->add_option("NODE", line.name, "such as mic-1/node-1")->required();
    needs_cluster(node, line);
    of_instance(command(fault, line, "pause", "its process stops for a while, as on a machine that is overloaded",
                        [&] { return pause_instance(line.common, line.name, line.pause); }))
        ->add_option("--for", line.pause, "how long, 60s at most")
        ->capture_default_str();
}

void add_faults(CLI::App& app, Line& line) {
    CLI::App* fault =
        app.add_subcommand("fault", "cut and slow links, kill and pause processes, to show that nothing is lost");
    fault->require_subcommand(1);
    add_process_faults(*fault, line);
    const auto takes_link = [&](CLI::App* sub, bool required) {
        auto* a = sub->add_option("A", line.a, "gateway or router at one end of the link")->required(required);
        auto* b = sub->add_option("B", line.b, "at the other")->required(required);
        if (!required) a->needs(b);
        needs_cluster(sub, line);
    };
    takes_link(command(*fault, line, "cut-link", "nothing passes any more, either way",
                       [&] { return cut_link(line.common, line.a, line.b); }),
               true);
    auto* slow = command(*fault, line, "slow-link", "chunks pass slower, or all that passes later",
                         [&] { return slow_link(line.common, line.a, line.b, line.rate, line.delay); });
    slow->add_option("--rate", line.rate, "of chunks, each way: 20MB/s");
    slow->add_option("--delay", line.delay, "of everything, each way: 10ms");
    takes_link(slow, true);
    auto* kill = command(*fault, line, "kill-router", "its process dies; the embedded cluster starts it again",
                         [&] { return kill_router(line.common, line.name); });
    kill->add_option("ROUTER", line.name, "such as sr-1")->required();
    needs_cluster(kill, line);
    takes_link(command(*fault, line, "heal", "a link is whole again, or all are",
                       [&] { return heal_faults(line.common, line.a, line.b); }),
               false);
    needs_cluster(command(*fault, line, "list", "the faults that there are", [&] { return list_faults(line.common); }),
                  line);
}

void add_policies(CLI::App& app, Line& line) {
    auto* policies =
        command(app, line, "policies", "what is set at gateways and routers: versions, and who goes by which",
                [&] { return list_policies(line.common); });
    needs_cluster(policies, line);
    auto* set = command(*policies, line, "set", "make a new version of the policy",
                        [&] { return set_policies(line.common, line.settings); });
    set->add_option("KEY=VALUE", line.settings,
                    "share=100 or share:mg-1:mg-2=40 (percent of tensors by the first path), window=16MiB, adapt=off, "
                    "module:link-trend=off or module:link-trend:TASK=off; "
                    "balancing=round-robin|least-outstanding|weighted|two-choices (of data instances); of gateways "
                    "mic-rate=200MB/s, task-rate:mg-1=none, retries=10 (a second), breaker=3 (failures within 30 s); "
                    "of gateways and routers, what each tells at once: alarm-retries=16, alarm-refusals=8 (since its "
                    "last report), alarm-latency:sr-1=500ms, alarm-full=1s; "
                    "send:WHO:PREFIX=deny or =allow (who may send to SIDs below PREFIX, for admins: WHO is anyone, "
                    "MIC/NODE, MIC/*, or by CURVE key key@NAME or role@ROLE, and what says more is asked first); "
                    "KEY=default takes it back")
        ->required();
    needs_cluster(set, line);
    auto* trial = command(*policies, line, "try", "what a change would make of the tasks that run, by the simulator",
                          [&] { return try_policies(line.common, line.settings); });
    trial->add_option("KEY=VALUE", line.settings, "as of 'set'; nothing is applied")->required();
    needs_cluster(trial, line);
    auto* rollback = command(*policies, line, "rollback", "make an earlier version the policy again",
                             [&] { return roll_back_policies(line.common, line.number); });
    rollback->add_option("VERSION", line.number, "default: the one before");
    needs_cluster(rollback, line);
}

void add_modules(CLI::App& app, Line& line) {
    auto* modules = command(app, line, "modules", "functional modules: who advises, and what became of it",
                            [&] { return list_modules(line.common); });
    needs_cluster(modules, line);
    const auto about = [&](const char* name, const char* help, std::function<int()> action) {
        auto* sub = command(*modules, line, name, help, std::move(action));
        sub->add_option("NAME", line.name, "of the module, as link-trend or compute-routing")->required();
        needs_cluster(sub, line);
        return sub;
    };
    auto* start = about("start", "run one beside the embedded cluster, as long as the cluster runs",
                        [&] { return start_module(line.common, line.name, line.output, line.settings); });
    start->add_option("--program", line.output, "its program (default: divisi-module-NAME)");
    start->add_option("ARGUMENTS", line.settings, "of the program, behind --");
    auto* stop = about("stop", "end its processes", [&] { return stop_module(line.common, line.name, line.a); });
    stop->add_option("--version", line.a, "only the process of this version");
    auto* use =
        about("use", "let another version of it advise", [&] { return use_module(line.common, line.name, line.a); });
    use->add_option("VERSION", line.a, "of a process that stands by")->required();
    about("enable", "let it advise again", [&] {
        return switch_module(line.common, line.name, line.b, true);
    })->add_option("--task", line.b, "about this task (default: about all)");
    about("disable", "take its advice no longer; a version of the policy", [&] {
        return switch_module(line.common, line.name, line.b, false);
    })->add_option("--task", line.b, "about this task (default: about all)");
}

void add_leases(CLI::App& app, Line& line) {
    auto* leases = command(app, line, "leases", "which node's place is granted to whom, and what it has consumed",
                           [&] { return list_leases(line.common, line.name); });
    leases->add_option("--task", line.name, "only of this task");
    needs_cluster(leases, line);
    auto* receipts = command(app, line, "receipts", "one for each lease that was reclaimed: what it consumed, signed",
                             [&] { return list_receipts(line.common, line.name, line.output); });
    receipts->add_option("--task", line.name, "only of this task");
    receipts->add_option("--csv", line.output, "write them into this file, as they are signed");
    needs_cluster(receipts, line);
    auto* key = command(*receipts, line, "key", "the public key that they are signed with, as OpenSSL reads it",
                        [&] { return show_receipt_key(line.common); });
    needs_cluster(key, line);
    auto* verify = command(*receipts, line, "verify", "check an export: signatures, order, and that none is missing",
                           [&] { return verify_receipts(line.common, line.name, line.receipt_key, line.part); });
    verify->add_option("FILE", line.name, "what --csv or --json gave")->required();
    verify->add_option("--key", line.receipt_key, "public key: 64 hexadecimal digits, or a file of 'receipts key'")
        ->required();
    verify->add_flag("--part", line.part, "the file has only some of them, as with --task");
}

void add_nodes(CLI::App& app, Line& line) {
    needs_cluster(command(app, line, "nodes", "nodes, what is free on them, and what went wrong there",
                          [&] { return list_nodes(line.common); }),
                  line);
    needs_cluster(command(app, line, "pools", "pools of nodes, and what is free of them",
                          [&] { return list_pools(line.common); }),
                  line);
    needs_cluster(command(app, line, "queue", "whose turn it is, and what each task waits for",
                          [&] { return list_queue(line.common); }),
                  line);
    auto* drain = command(app, line, "drain", "take a node out of use: its trainings go on on others", [&] {
        line.drain.node = NodeId(line.name);
        return drain_node(line.common, line.drain, line.follow);
    });
    drain->add_option("NODE", line.name, "such as mic-1/node-2")->required();
    auto* undo = drain->add_flag("--undo", line.drain.undo, "the node takes instances again");
    drain->add_flag("--wait", line.follow, "print what still runs there, until nothing does")->excludes(undo);
    needs_cluster(drain, line);
    auto* reserve = command(app, line, "reserve", "list, make and cancel reservations of nodes",
                            [&] { return list_reservations(line.common); });
    needs_cluster(reserve, line);
    auto* add = command(*reserve, line, "add", "keep nodes for somebody for a time",
                        [&] { return add_reservation(line.common, line.reserve); });
    add->add_option("--pool", line.reserve.pool, "nodes of this pool");
    add->add_option("--nodes", line.reserve.nodes, "mic-1/node-1, or \"mic-1/*\"; several with commas between")
        ->delimiter(',')
        ->allow_extra_args(false);
    add->add_option("--submitter", line.reserve.submitter, "for whose tasks: the name of a key, on ipc uid:NUMBER");
    add->add_option("--task", line.reserve.task, "for this task instead");
    add->add_option("--from", line.reserve.from, "\"2026-11-22 21:30\" or +2h (default: from now on)");
    add->add_option("--for", line.reserve.length, "how long: 90s, 30m, 2h, 7d")->required();
    needs_cluster(add, line);
    auto* cancel = command(*reserve, line, "cancel", "give reserved nodes free",
                           [&] { return cancel_reservation(line.common, line.number); });
    cancel->add_option("NUMBER", line.number, "of the reservation")->required();
    needs_cluster(cancel, line);
}

void add_models(CLI::App& app, Line& line) {
    CLI::App* model = app.add_subcommand("model", "models: info, export, conformance");
    model->require_subcommand(1);
    auto* info = command(*model, line, "info", "graph, shapes, FLOPs, legal cuts",
                         [&] { return model_info(line.common, line.name, line.settings, line.operators); });
    info->add_option("MODEL", line.name, "zoo:NAME or FILE.onnx")->required();
    info->add_option("--set", line.settings, "sizes, e.g. model.layers=6, train.batch=8")->allow_extra_args(false);
    info->add_flag("--operators", line.operators, "also every operator by name, for segments, pins and cuts");
    auto* export_model = command(*model, line, "export", "write a trained model as ONNX",
                                 [&] { return model_export(line.common, line.name, line.output); });
    export_model->add_option("TASK", line.name, "task id or name, or a version that 'models' lists")->required();
    export_model->add_option("OUT.onnx", line.output, "file to write")->required();
    needs_cluster(export_model, line);
    auto* results = command(app, line, "results", "write what a batch (kind = \"batch\") has said of its samples",
                            [&] { return show_results(line.common, line.name, line.output); });
    results->add_option("TASK", line.name, "task id or name")->required();
    results->add_option("OUT.csv", line.output, "file to write")->required();
    needs_cluster(results, line);
    auto* conformance = command(*model, line, "conformance", "run a folder of ONNX test cases through the executor",
                                [&] { return exec_instance(conformance_arguments(line)); });
    conformance->add_option("DIR", line.name, "folder with model.onnx and test_data_set_* below it")->required();
    conformance->add_option("--timeout", line.timeout_s, "seconds a case may take");
}

void add_versions(CLI::App& app, Line& line) {
    auto* models = command(app, line, "models", "versions of trained models: what they are, and which came of which",
                           [&] { return list_versions(line.common); });
    needs_cluster(models, line);
    needs_cluster(command(*models, line, "list", "the same", [&] { return list_versions(line.common); }), line);
    const auto about = [&](const char* name, const char* help, std::function<int()> action) {
        auto* sub = command(*models, line, name, help, std::move(action));
        sub->add_option("VERSION", line.name, "its number, the id or name of its task, or how its hash begins")
            ->required();
        needs_cluster(sub, line);
    };
    about("show", "all that is known of one, and what it came of, up to the first",
          [&] { return show_version(line.common, line.name); });
    about("drop", "let its weights go", [&] { return drop_version(line.common, line.name); });
    auto* keep = command(*models, line, "keep", "make a checkpoint of a task that trains a version", [&] {
        return keep_checkpoint(line.common, {TaskId(line.name), line.step, line.a});
    });
    keep->add_option("TASK", line.name, "task id")->required();
    keep->add_option("--step", line.step, "the checkpoint after this step, as 'tasks' and 'run' tell it; the newest");
    keep->add_option("--name", line.a, "what it can be called by, beside its number");
    needs_cluster(keep, line);
}

/// Adds the commands for clusters of several machines, described by one file.
void add_hosts(CLI::App& cluster, Line& line) {
    const auto takes_host = [&](CLI::App* app) {
        app->add_option("CLUSTER.toml", line.host.file, "cluster file, the same on every host")->required();
        app->add_option("--host", line.host.host, "which of its hosts this is (default: as the machine is called)");
        app->add_option("--data", line.host.data, "folder of its keys, logs and states");
    };
    takes_host(command(cluster, line, "start", "run all that a cluster file has on this host, until Ctrl+C",
                       [&] { return cluster_start(line.common, line.host); }));
    takes_host(command(cluster, line, "keys", "make the keys of all that a cluster file has on this host",
                       [&] { return cluster_keys(line.common, line.host); }));
}

void add_cluster(CLI::App& app, Line& line) {
    CLI::App* cluster =
        app.add_subcommand("cluster", "the embedded cluster: up, down, status; several machines: keys, start");
    cluster->require_subcommand(1);
    command(*cluster, line, "up", "start one in the background", [&] {
        return cluster_up(line.common, line.output);
    })->add_option("--restore", line.output, "a backup that its data folder, which is empty, is made of first");
    needs_cluster(command(*cluster, line, "down", "end it", [&] { return cluster_down(line.common); }), line);
    needs_cluster(
        command(*cluster, line, "status", "nodes and their state", [&] { return cluster_status(line.common); }), line);
    command(*cluster, line, "host", "", [] { return cluster_host(); })->group("");
    add_hosts(*cluster, line);
    CLI::App* keys = command(app, line, "keys", "list, add and revoke keys", [&] { return list_keys(line.common); });
    needs_cluster(keys, line);
    auto* add = command(*keys, line, "add", "allow a public key", [&]() -> int {
        line.key.role = *control::parse_role(line.role);
        return change_key(line.common, line.key);
    });
    add->add_option("PUBLIC_KEY", line.key.public_key, "40 characters of Z85")->required();
    add->add_option("--name", line.key.name, "whose it is")->required();
    add->add_option("--role", line.role, "viewer, operator, agent, admin or module")
        ->check(CLI::IsMember({"viewer", "operator", "agent", "admin", "module"}));
    needs_cluster(add, line);
    auto* revoke = command(*keys, line, "revoke", "no longer allow a key", [&] {
        line.key.revoked = true;
        return change_key(line.common, line.key);
    });
    revoke->add_option("PUBLIC_KEY", line.key.public_key, "40 characters of Z85")->required();
    needs_cluster(revoke, line);
}

/// Adds the commands that read the state stores of instances, on this machine or on nodes.
void add_stores(CLI::App& app, Line& line) {
    auto* stores = command(app, line, "stores", "state stores of instances on all nodes, and whether they are whole",
                           [&] { return list_stores(line.common); });
    needs_cluster(stores, line);
    auto* show = command(*stores, line, "show", "rows of one of them, read by its node",
                         [&] { return show_store(line.common, line.store); });
    show->add_option("SID", line.store.sid, "such as gpt-text-1/stage-0/0")->required();
    show->add_option("--table", line.store.table,
                     "identity, progress, deployment, configuration, dependency, hardware, step, event or audit")
        ->capture_default_str();
    show->add_option("--last", line.store.last, "the newest rows")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{100'000}))
        ->capture_default_str();
    show->add_option("--node", line.store.node, "of this node (default: the one with the newest incarnation)");
    needs_cluster(show, line);
    auto* save = command(*stores, line, "export", "write a part of one of them into a file, whole or not at all",
                         [&] { return export_store(line.common, line.store_export); });
    save->add_option("SID", line.store_export.sid, "such as gpt-text-1/stage-0/0")->required();
    save->add_option("OUT", line.store_export.output, "a .csv file for CSV, any other for JSON lines")->required();
    save->add_option("--table", line.store_export.table,
                     "of 'stores show' (default: all as JSON lines, 'step' as CSV)");
    save->add_option("--node", line.store_export.node, "of this node (default: the one with the newest incarnation)");
    save->add_flag("--force", line.store_export.force, "replace a file that is there");
    needs_cluster(save, line);
}

/// Adds the commands that back up all that the orchestrator keeps.
void add_backup(CLI::App& app, Line& line) {
    auto* backup =
        command(app, line, "backup", "copy all that the orchestrator keeps while it runs, or check a copy",
                [&] { return line.again ? verify_backup(line.common, line.name) : back_up(line.common, line.name); });
    backup
        ->add_option("FOLDER", line.name,
                     "on the orchestrator's machine, not there yet; the copy is as secret as its data folder")
        ->required();
    backup->add_flag("--verify", line.again, "compare the copy with its manifest; needs no cluster");
    needs_cluster(backup, line);
}

/// Returns the command line in the form CLI11 takes: its words from last to first. One public key in 85 begins with
/// '-', which CLI11 would take for options. Such a key is placed after "--", where it counts as a word.
std::vector<std::string> words_for_parsing(int argc, char** argv) {
    std::vector<std::string> words, keys;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        constexpr std::array with_values{"--connect=", "--keys=", "--name=", "--role="};
        const bool key = i > 2 && std::string_view(argv[1]) == "keys" && word.size() == 40 && word[0] == '-' &&
                         std::none_of(with_values.begin(), with_values.end(),
                                      [&](const char* option) { return word.starts_with(option); });
        (key ? keys : words).push_back(word);
    }
    if (!keys.empty()) words.emplace_back("--");
    words.insert(words.end(), keys.begin(), keys.end());
    std::reverse(words.begin(), words.end());
    return words;
}

/// Returns an error if a word in the place of a command is unknown. CLI11 would say only that a command is required.
std::optional<Error> unknown_command(const CLI::App& app, int argc, char** argv) {
    const CLI::App* parent = &app;
    for (int i = 1; i < argc && argv[i][0] != '-' && parent->get_require_subcommand_min() > 0; ++i) {
        const auto commands = parent->get_subcommands([](const CLI::App*) { return true; });
        const auto found = std::find_if(commands.begin(), commands.end(),
                                        [&](const CLI::App* command) { return command->get_name() == argv[i]; });
        if (found == commands.end()) {
            std::vector<std::string> known;
            for (const CLI::App* command : commands)
                if (!command->get_group().empty()) known.push_back(command->get_name());
            return Error{ErrorCode::invalid_input, "unknown command '" + std::string(argv[i]) + "'", parent->get_name(),
                         task::suggest(argv[i], known)};
        }
        parent = *found;
    }
    return std::nullopt;
}

}  // namespace

int main(int argc, char** argv) {
    Line line;
    CLI::App app("Divisi: split the training of a model over many machines", "divisictl");
    app.set_version_flag("--version", std::string("divisictl ") + version);
    app.footer(
        "Exit status: 0 done; 1 failed, also the task that was run; 2 the command, a file or a name in it is wrong;\n"
        "3 the task was stopped; 130 interrupted; 141 nobody reads the output any more.\n"
        "State lies in ~/.local/share/divisi, or in the folder DIVISI_DATA.");
    app.require_subcommand(1);
    add_tasks(app, line);
    add_exceptions(app, line);
    add_alerts(app, line);
    add_mesh(app, line);
    add_faults(app, line);
    add_policies(app, line);
    add_modules(app, line);
    add_leases(app, line);
    add_nodes(app, line);
    add_models(app, line);
    add_versions(app, line);
    add_profile(app, line);
    add_cluster(app, line);
    add_stores(app, line);
    add_backup(app, line);
    if (const auto unknown = unknown_command(app, argc, argv)) return print_error(*unknown);
    try {
        app.parse(words_for_parsing(argc, argv));
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    return line.action ? finish_output(line.action()) : 2;
}
