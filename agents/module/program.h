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
    std::string name;  ///< name of the module, such as "link-trend", unless --name gives another one
    std::string help;
    std::function<void(CLI::App&)> options;         ///< adds the module's own options, if any
    std::function<std::unique_ptr<Module>()> make;  ///< called after the options are parsed
};

/// Runs the program; returns its exit status, as launch::run() does.
int run(const Program& program, int argc, char** argv);

}  // namespace divisi::module
