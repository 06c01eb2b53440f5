// SPDX-License-Identifier: Apache-2.0
#include "agents/module/program.h"

#include <CLI/CLI.hpp>
#include <iostream>

#include "agents/module/port.h"
#include "backend/base/version.h"
#include "backend/metrics/metrics_server.h"
#include "backend/process/command_line.h"
#include "backend/process/lifeline.h"

namespace divisi::module {
namespace {

struct Options {
    std::string connect, name, keys, metrics;
};

Result<PortConfig> configure(const Options& options) {
    PortConfig config;
    config.name = options.name;
    config.connection_file = process::absolute_path(options.connect);
    DIVISI_ASSIGN(config.orchestrator, link::read_connection(config.connection_file));
    if (link::is_ipc(config.orchestrator.endpoint)) return config;
    if (options.keys.empty())
        return Error{ErrorCode::invalid_input, "on tcp it needs its key file", options.name, "give --keys FILE"};
    DIVISI_ASSIGN(config.security.keys, link::load_or_make_keys(options.keys));
    return config;
}

int fail(const Error& error) {
    std::cerr << "error: " << error.message() << std::endl;
    return 2;
}

}  // namespace

int run(const Program& program, int argc, char** argv) {
    link::EventLoop loop;
    Port* running = nullptr;
    process::on_stop([&](const char* reason) {
        loop.post([&, reason] {
            if (running) running->terminate(reason);
            else loop.stop();
        });
    });
    Options options;
    options.name = program.name;
    CLI::App app(program.help, "divisi-module-" + program.name);
    app.set_version_flag("--version", app.get_name() + " " + divisi::version);
    app.add_option("--connect", options.connect, "the connection file that divisid wrote")->required();
    app.add_option("--name", options.name, "of the module; processes of one name are exchanged for each other")
        ->capture_default_str();
    app.add_option("--keys", options.keys, "on tcp: its key file, made at the first start");
    app.add_option("--metrics", options.metrics, metrics::option_help);
    if (program.options) program.options(app);
    app.footer(
        "On tcp its public key, which it prints, must be allowed as a module: in the cluster file, or by\n"
        "divisictl keys add.");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    auto config = configure(options);
    if (!config) return fail(config.error());
    if (config->security.keys)
        std::cerr << "public key " << config->security.keys->public_key << "\n"
                  << "unless it is allowed already: divisictl keys add '" << config->security.keys->public_key
                  << "' --name " << options.name << " --role module --connect FILE" << std::endl;
    metrics::Board board;
    const auto served = metrics::serve(board, options.metrics);
    if (!served) return fail(served.error());
    link::Context context;
    const std::unique_ptr<Module> module = program.make();
    Port port(loop, context, std::move(*config), *module);
    if (*served) {
        std::cout << "metrics are at " << (*served)->url() << std::endl;
        port.show_on(board);
    }
    port.start();
    running = &port;
    loop.run();
    if (port.failure()) return fail(*port.failure());
    if (port.stopped()) return process::exit_stopped;
    return port.dismissed() ? process::exit_dismissed : 0;
}

}  // namespace divisi::module
