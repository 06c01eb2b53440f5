// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "agents/launch/agent.h"
#include "backend/identity/role.h"
#include "backend/link/security.h"
#include "backend/link/sockets.h"

namespace CLI {
class App;
}

namespace divisi::launch {

/// Options that every agent has.
struct Options {
    std::string connect, name, keys, metrics;
};

/// Texts that differ between the agents' programs.
struct Texts {
    std::string program;  ///< name of the program, such as "divisi-node"
    std::string help;
    std::string name_help;                        ///< help text of --name
    std::string default_name = {};                ///< default of --name; empty: the option is required
    std::string key_owner = "its";                ///< words before "public key" in the help text
    identity::Role role = identity::Role::agent;  ///< role of the program's key
};

/// The agent-specific part of a program. Its functions are called once, in this order.
class Program {
public:
    Program() = default;
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;
    virtual ~Program() = default;

    /// Adds all options except --connect and --name, in the order of the help text, including --keys and --metrics.
    virtual void add_options(CLI::App& app, Options& options) = 0;
    /// Checks the options, and prepares folders and keys. Returns the keys, which are empty on ipc.
    virtual Result<link::SocketSecurity> configure(const Options& options) = 0;
    virtual Result<std::unique_ptr<Agent>> make_agent(link::EventLoop& loop, link::Context& context) = 0;
};

/// Runs an agent until it ends; call it at the start of main(). Returns the exit status: 2 with a message after an
/// error, otherwise the exit status of the agent.
int run(const Texts& texts, Program& program, int argc, char** argv);

}  // namespace divisi::launch
