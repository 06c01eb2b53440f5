// SPDX-License-Identifier: Apache-2.0
// divisi-module-compute-routing: a functional module that weighs paths and nodes by their load.
#include "agents/module/compute_routing.h"
#include "agents/module/program.h"

int main(int argc, char** argv) {
    using namespace divisi::module;
    return run({"compute-routing",
                "A functional module: weighs paths by the free capacity of their hops, and advises to avoid busy nodes",
                {},
                [] { return std::make_unique<ComputeRouting>(); }},
               argc, argv);
}
