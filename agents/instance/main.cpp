// SPDX-License-Identifier: Apache-2.0
// divisi-instance: runs one microservice instance (serve), and the commands that need the executor: reference, profile,
// conformance.
#include <malloc.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <limits>

#include "agents/instance/commands/commands.h"
#include "agents/instance/serving/player.h"
#include "backend/base/version.h"
#include "backend/process/command_line.h"

namespace {

using namespace divisi;

/// Keeps freed tensor memory in this process. By default, the heap returns this memory to the kernel after every
/// micro-batch. The kernel then provides it again page by page, and clears each page. This takes up to half of the time
/// of a backward pass. The heap does not grow when it keeps this memory, because allocate_tensor() reuses freed memory
/// of the same size.
void keep_memory() {
    ::mallopt(M_ARENA_MAX, 1);              // one heap, since memory of other heaps is returned to the kernel
    ::mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the largest value glibc accepts
    ::mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
}

/// Options of `serve`, set by the node that starts the process.
struct Served {
    std::string connect, instance, sid, listen, data, blobs, store, fingerprint, keys, metrics;
};

Result<instance::ServerConfig> configure(const Served& served) {
    instance::ServerConfig config;
    config.instance = InstanceId(served.instance);
    config.sid = Sid(served.sid);
    DIVISI_ASSIGN(config.uplink, link::read_uplink(served.connect));
    if (!served.keys.empty()) {
        DIVISI_ASSIGN(config.uplink.security.keys, link::load_or_make_keys(served.keys));
    }
    config.listen = served.listen;
    config.data = served.data;
    config.blobs = served.blobs;
    config.store = served.store;
    config.fingerprint = served.fingerprint;
    config.metrics = served.metrics;
    return config;
}

int serve(const Served& served) {
    instance::Player player;
    auto config = configure(served);
    if (!config) return process::report_error(config.error());
    return player.run(std::move(*config));
}

/// Fails if the output could not be written completely.
int finish_output(int status) {
    if (std::cout.flush()) return status;
    std::cerr << "error: standard output: cannot be written; the printed output is incomplete" << std::endl;
    return status == 0 ? 1 : status;
}

void takes_settings(CLI::App* command, std::vector<std::string>& settings) {
    command->add_option("--set", settings, "override a value of the task: section.key=value; may be repeated")
        ->allow_extra_args(false);
}

/// Options of the command line; the chosen command sets `action`.
struct Line {
    instance::ReferenceOptions reference;
    instance::ProfileOptions profile;
    instance::ConformanceOptions conformance;
    Served served;
    int timeout_s = 30;
    std::function<int()> action;
};

void add_reference(CLI::App& app, Line& line) {
    auto* command = app.add_subcommand("reference", "train a task unsplit, in this process");
    command->add_option("TASK.toml", line.reference.task_file)->required();
    takes_settings(command, line.reference.settings);
    command->add_option("--from", line.reference.from, "start with the weights of this ONNX file");
    command->add_flag("--json", line.reference.json);
    command->callback([&line] {
        line.action = [&line] { return finish_output(instance::run_reference(line.reference, std::cout, std::cerr)); };
    });
}

void add_profile(CLI::App& app, Line& line) {
    auto* command = app.add_subcommand("profile", "measure each distinct operator of a model once");
    command->add_option("MODEL", line.profile.model, "zoo:NAME, FILE.onnx or TASK.toml")->required();
    command->add_option("--store", line.profile.store, "file for the measured times")->required();
    command->add_option("--device", line.profile.device, "cpu, cuda or cuda:NUMBER");
    command->add_option("--threads", line.profile.threads)->check(CLI::Range(1, 1024));
    takes_settings(command, line.profile.settings);
    command->add_flag("--again", line.profile.again, "measure known operators again");
    command->add_flag("--json", line.profile.json);
    command->callback([&line] {
        line.action = [&line] { return finish_output(instance::run_profile(line.profile, std::cout, std::cerr)); };
    });
}

void add_conformance(CLI::App& app, Line& line) {
    constexpr int most_s = 24 * 3600;
    auto* command = app.add_subcommand("conformance", "run a folder of ONNX test cases");
    command->add_option("FOLDER", line.conformance.folder)->required();
    command->add_option("--timeout", line.timeout_s, "time limit of each test case, in seconds")
        ->check(CLI::Range(1, most_s));
    command->add_flag("--json", line.conformance.json);
    command->callback([&line] {
        line.action = [&line] {
            line.conformance.case_timeout_ms = line.timeout_s * 1000;
            return finish_output(instance::run_conformance(line.conformance, std::cout));
        };
    });
}

void add_serve(CLI::App& app, Line& line) {
    auto* command = app.add_subcommand("serve", "run an instance of a task; divisi-node starts this command");
    for (const auto& [name, value] : {std::pair{"--connect", &Served::connect},
                                      {"--instance", &Served::instance},
                                      {"--sid", &Served::sid},
                                      {"--listen", &Served::listen},
                                      {"--data", &Served::data},
                                      {"--blobs", &Served::blobs}})
        command->add_option(name, line.served.*value)->required();
    command->add_option("--store", line.served.store, "file of the instance's state store");
    command->add_option("--fingerprint", line.served.fingerprint);
    command->add_option("--keys", line.served.keys);
    command->add_option(
        "--metrics", line.served.metrics,
        "serve metrics at a free port of this machine, and write a file with that port into this folder");
    command->callback([&line] { line.action = [&line] { return serve(line.served); }; });
}

/// Ends the process without destroying static objects: LibTorch takes 0.2 s of CPU time to unregister its operators.
[[noreturn]] void end_process(int status) {
    std::cout.flush();
    std::fflush(nullptr);
    std::_Exit(status);
}

}  // namespace

int main(int argc, char** argv) {
    keep_memory();
    Line line;
    CLI::App app("One microservice instance, and other commands that need the executor", "divisi-instance");
    app.set_version_flag("--version", std::string("divisi-instance ") + version);
    app.require_subcommand(1);
    add_reference(app, line);
    add_profile(app, line);
    add_conformance(app, line);
    add_serve(app, line);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        end_process(app.exit(error) == 0 ? 0 : 2);
    }
    end_process(line.action());
}
