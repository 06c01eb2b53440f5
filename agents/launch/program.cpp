// SPDX-License-Identifier: Apache-2.0
#include "agents/launch/program.h"

#include <CLI/CLI.hpp>
#include <iostream>

#include "backend/base/version.h"
#include "backend/metrics/metrics_server.h"
#include "backend/process/command_line.h"
#include "backend/process/lifeline.h"

namespace divisi::launch {
namespace {

/// Interval of updates; Prometheus scrapes every few seconds.
constexpr Duration figures_interval = std::chrono::seconds(1);

void describe(CLI::App& app, const Texts& texts, Program& program, Options& options) {
    app.set_version_flag("--version", app.get_name() + " " + version);
    app.add_option("--connect", options.connect, "connection file, written by divisid")->required();
    auto* name = app.add_option("--name", options.name, texts.name_help);
    if (texts.default_name.empty()) name->required();
    else name->capture_default_str();
    program.add_options(app, options);
    const std::string role = texts.role == identity::Role::agent ? "an agent" : "a module";
    app.footer("On tcp the program prints " + texts.key_owner + " public key. Allow this key as " + role +
               "\nin the cluster file, or with divisictl keys add.");
}

void print_key(const std::string& key, const std::string& name, identity::Role role) {
    std::cerr << "public key " << key << "\n"
              << "if this key is not allowed yet, run: divisictl keys add '" << key << "' --name " << name << " --role "
              << identity::to_string(role) << " --connect FILE" << std::endl;
}

/// Shows the agent's figures on the board now and once a second.
void show_figures(link::EventLoop& loop, Agent& agent, metrics::Board& board) {
    agent.begin_figures();
    board.show(agent.figures());
    loop.every(figures_interval, [&] { board.show(agent.figures()); });
}

int run_agent(link::EventLoop& loop, Agent& agent, const std::string& metrics_address) {
    metrics::Board board;
    const auto served = metrics::serve(board, metrics_address);
    if (!served) return process::report_error(served.error());
    if (*served) std::cout << "metrics are at " << (*served)->url() << std::endl;
    if (const auto started = agent.start(); !started) return process::report_error(started.error());
    if (*served) show_figures(loop, agent, board);
    loop.run();
    return agent.failure() ? process::report_error(*agent.failure()) : agent.exit_status();
}

}  // namespace

int run(const Texts& texts, Program& program, int argc, char** argv) {
    link::EventLoop loop;
    Agent* running = nullptr;
    process::on_stop([&](const char* reason) {
        loop.post([&, reason] {
            if (running) running->terminate(reason);
            else loop.stop();
        });
    });
    Options options;
    options.name = texts.default_name;
    CLI::App app(texts.help, texts.program);
    describe(app, texts, program, options);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    const auto security = program.configure(options);
    if (!security) return process::report_error(security.error());
    if (security->keys) print_key(security->keys->public_key, options.name, texts.role);
    link::Context context;
    const auto agent = program.make_agent(loop, context);
    if (!agent) return process::report_error(agent.error());
    running = agent->get();
    return run_agent(loop, **agent, options.metrics);
}

}  // namespace divisi::launch
