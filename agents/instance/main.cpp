// SPDX-License-Identifier: Apache-2.0
// divisi-instance: one microservice instance (serve), and what else needs the executor: reference, conformance.
#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <limits>

#include "agents/instance/conformance.h"
#include "agents/instance/profile.h"
#include "agents/instance/reference.h"
#include "agents/instance/server.h"
#include "backend/base/version.h"
#include "backend/process/arguments.h"
#include "backend/process/lifeline.h"

namespace {

using namespace divisi;

constexpr const char* usage =
    "usage: divisi-instance reference TASK.toml [--set section.key=value]... [--json]\n"
    "       divisi-instance conformance FOLDER [--timeout SECONDS] [--json]\n"
    "       divisi-instance profile MODEL --store FILE [--device DEVICE] [--threads N] [--again]\n"
    "                               [--set section.key=value]... [--json]\n"
    "       divisi-instance serve ...   (started by divisi-node)";

/// What tensors give back stays with this process. By default the heap returns it with every micro-batch, and the
/// kernel hands it out anew, page by page, each one cleared: up to half of the time of a backward pass. The heap does
/// not grow for that: allocate_tensor() lets the same sizes fit again.
void keep_memory() {
    ::mallopt(M_ARENA_MAX, 1);              // or the heaps of other threads are returned all the same
    ::mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the most that glibc takes
    ::mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
}

int fail(const Error& error) {
    std::cerr << "error: " << error.message() << std::endl;
    return 2;
}

int fail_usage() {
    std::cerr << usage << std::endl;
    return 2;
}

int reference(int argc, char** argv) {
    instance::ReferenceOptions options;
    for (int i = 2; i < argc; ++i) {
        if (std::strcmp(argv[i], "--json") == 0) options.json = true;
        else if (std::strcmp(argv[i], "--set") == 0 && i + 1 < argc) options.settings.push_back(argv[++i]);
        else if (argv[i][0] != '-' && options.task_file.empty()) options.task_file = argv[i];
        else return fail_usage();
    }
    return options.task_file.empty() ? fail_usage() : instance::run_reference(options, std::cout, std::cerr);
}

int profile(int argc, char** argv) {
    instance::ProfileOptions options;
    for (int i = 2; i < argc; ++i) {
        const bool more = i + 1 < argc;
        if (std::strcmp(argv[i], "--json") == 0) options.json = true;
        else if (std::strcmp(argv[i], "--again") == 0) options.again = true;
        else if (std::strcmp(argv[i], "--store") == 0 && more) options.store = argv[++i];
        else if (std::strcmp(argv[i], "--device") == 0 && more) options.device = argv[++i];
        else if (std::strcmp(argv[i], "--threads") == 0 && more) options.threads = std::max(1, std::atoi(argv[++i]));
        else if (std::strcmp(argv[i], "--set") == 0 && more) options.settings.push_back(argv[++i]);
        else if (argv[i][0] != '-' && options.model.empty()) options.model = argv[i];
        else return fail_usage();
    }
    if (options.model.empty() || options.store.empty()) return fail_usage();
    return instance::run_profile(options, std::cout, std::cerr);
}

int conformance(int argc, char** argv) {
    instance::ConformanceOptions options;
    for (int i = 2; i < argc; ++i) {
        if (std::strcmp(argv[i], "--json") == 0) options.json = true;
        else if (std::strcmp(argv[i], "--timeout") == 0 && i + 1 < argc)
            options.case_timeout_ms = std::atoi(argv[++i]) * 1000;
        else if (argv[i][0] != '-' && options.folder.empty()) options.folder = argv[i];
        else return fail_usage();
    }
    return options.folder.empty() || options.case_timeout_ms <= 0 ? fail_usage()
                                                                  : instance::run_conformance(options, std::cout);
}

Result<instance::ServerConfig> configure(const process::Arguments& arguments) {
    for (const char* needed : {"connect", "instance", "sid", "listen", "data", "blobs"})
        if (!arguments.has(needed))
            return Error{ErrorCode::invalid_input, std::string("--") + needed + " is missing", "serve", usage};
    instance::ServerConfig config;
    config.instance = InstanceId(arguments.get("instance"));
    config.sid = Sid(arguments.get("sid"));
    config.connection_file = arguments.get("connect");
    DIVISI_ASSIGN(config.orchestrator, link::read_connection(config.connection_file));
    if (arguments.has("keys")) {
        DIVISI_ASSIGN(config.security.keys, link::load_or_make_keys(arguments.get("keys")));
    }
    config.listen = arguments.get("listen");
    config.data = arguments.get("data");
    config.blobs = arguments.get("blobs");
    config.fingerprint = arguments.get("fingerprint");
    return config;
}

int serve(int argc, char** argv) {
    link::EventLoop loop;
    instance::Server* running = nullptr;
    process::on_stop([&](const char*) {
        loop.post([&] {
            if (running) running->terminate();
            else loop.stop();
        });
    });
    const auto arguments = process::Arguments::parse(
        argc - 1, argv + 1, {"connect", "instance", "sid", "listen", "data", "blobs", "fingerprint", "keys"});
    if (!arguments) return fail(arguments.error());
    auto config = configure(*arguments);
    if (!config) return fail(config.error());
    link::Context context;
    instance::Server server(loop, context, std::move(*config));
    if (auto started = server.start(); !started) return fail(started.error());
    running = &server;
    loop.run();
    return server.exit_status();
}

/// What printed its results must have printed all of them.
int finish_output(int status) {
    if (std::cout.flush()) return status;
    std::cerr << "error: standard output: cannot be written; what was printed is not complete" << std::endl;
    return status == 0 ? 1 : status;
}

}  // namespace

int main(int argc, char** argv) {
    keep_memory();
    const std::string command = argc > 1 ? argv[1] : "";
    if (command == "serve") return serve(argc, argv);
    if (command == "reference") return finish_output(reference(argc, argv));
    if (command == "conformance") return finish_output(conformance(argc, argv));
    if (command == "profile") return finish_output(profile(argc, argv));
    if (command == "--version") {
        std::cout << "divisi-instance " << version << std::endl;
        return 0;
    }
    return fail_usage();
}
