// SPDX-License-Identifier: Apache-2.0
#include "agents/module/program.h"

#include <CLI/CLI.hpp>

#include "agents/launch/program.h"
#include "agents/module/port.h"
#include "backend/metrics/metrics_server.h"
#include "backend/process/command_line.h"

namespace divisi::module {
namespace {

class ModuleProgram final : public launch::Program {
public:
    explicit ModuleProgram(const divisi::module::Program& program) : program_(program) {}

    void add_options(CLI::App& app, launch::Options& options) override {
        app.add_option("--keys", options.keys, "on tcp: key file, made at the first start");
        app.add_option("--metrics", options.metrics, metrics::option_help);
        if (program_.options) program_.options(app);
    }

    Result<link::SocketSecurity> configure(const launch::Options& options) override {
        config_.name = options.name;
        DIVISI_ASSIGN(config_.uplink, link::read_uplink(process::absolute_path(options.connect)));
        if (link::is_ipc(config_.uplink.orchestrator.endpoint)) return link::SocketSecurity();
        if (options.keys.empty())
            return Error{ErrorCode::invalid_input, "on tcp a key file is needed", options.name, "give --keys FILE"};
        DIVISI_ASSIGN(config_.uplink.security.keys, link::load_or_make_keys(options.keys));
        return config_.uplink.security;
    }

    Result<std::unique_ptr<launch::Agent>> make_agent(link::EventLoop& loop, link::Context& context) override {
        return std::unique_ptr<launch::Agent>(
            std::make_unique<Port>(loop, context, std::move(config_), program_.make()));
    }

private:
    const divisi::module::Program& program_;
    PortConfig config_;
};

}  // namespace

int run(const Program& program, int argc, char** argv) {
    launch::Texts texts;
    texts.program = "divisi-module-" + program.name;
    texts.help = program.help;
    texts.name_help = "name of the module; processes with the same name can replace each other";
    texts.default_name = program.name;
    texts.role = identity::Role::module;
    ModuleProgram launched(program);
    return launch::run(texts, launched, argc, argv);
}

}  // namespace divisi::module
