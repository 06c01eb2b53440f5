// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "backend/control/machine_types.h"

namespace prometheus {
class Registry;
}  // namespace prometheus

namespace divisi::orchestrator {

/// What nodes report of their machines, as Prometheus reads it.
class MachineMetrics {
public:
    explicit MachineMetrics(prometheus::Registry& registry);
    ~MachineMetrics();

    void look_at(const std::string& node, const control::MachineFigures& machine);

private:
    struct Families;
    std::unique_ptr<Families> families_;
    std::map<std::string, control::MachineFigures> seen_;  ///< by node: what it told the last time
};

}  // namespace divisi::orchestrator
