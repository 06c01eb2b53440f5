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

/// What one module's program adds to what all of them have.
struct Program {
    std::string name;  ///< "link-trend": of the module, unless --name says otherwise
    std::string help;
    std::function<void(CLI::App&)> options;         ///< its own, if any
    std::function<std::unique_ptr<Module>()> make;  ///< once they are read
};

/// From its arguments to its exit status: 0, or 2 with a message.
int run(const Program& program, int argc, char** argv);

}  // namespace divisi::module
