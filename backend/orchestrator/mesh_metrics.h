// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "backend/control/mesh_types.h"
#include "backend/control/mic_types.h"

namespace prometheus {
class Registry;
}

namespace divisi::orchestrator {

/// What gateways and routers report, as Prometheus reads it.
class MeshMetrics {
public:
    explicit MeshMetrics(prometheus::Registry& registry);
    ~MeshMetrics();

    void look_at(const control::DeviceView& device);
    void look_at(const control::MicView& mic);

private:
    struct Families;
    std::unique_ptr<Families> families_;
    std::map<std::string, control::GuardCounters> seen_;  ///< by device: what it had counted the last time
};

}  // namespace divisi::orchestrator
