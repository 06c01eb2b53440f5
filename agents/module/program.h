// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "agents/module/module.h"

namespace CLI {
class App;
}

namespace divisi::module {

/// The module-specific part of a module's program.
struct Program {
    std::string name;  ///< "link-trend": of the module, unless --name says otherwise
    std::string help;
    std::function<void(CLI::App&)> options;         ///< adds the module's own options, if any
    std::function<std::unique_ptr<Module>()> make;  ///< called after the options are parsed
};

/// Runs the program; returns its exit status: 0, or 2 with a message.
int run(const Program& program, int argc, char** argv);

}  // namespace divisi::module
