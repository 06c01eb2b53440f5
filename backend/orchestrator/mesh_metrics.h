// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "backend/control/mesh_types.h"
#include "backend/control/mic_types.h"

namespace prometheus {
class Counter;
class Registry;
}  // namespace prometheus

namespace divisi::orchestrator {

/// What gateways and routers report, as Prometheus reads it.
class MeshMetrics {
public:
    explicit MeshMetrics(prometheus::Registry& registry);
    ~MeshMetrics();

    void look_at(const control::DeviceView& device);
    void look_at(const control::MicView& mic);

private:
    void look_at_dealt(const control::DeviceView& device);
    void look_at_cache(const control::DeviceView& device);

    struct Families;
    /// What a data instance was dealt, and the counters that show it.
    struct Dealt {
        control::DealtReport before;
        prometheus::Counter *all = nullptr, *again = nullptr;
    };
    std::unique_ptr<Families> families_;
    std::map<std::string, control::GuardCounters> seen_;  ///< by device: what it had counted the last time
    std::map<std::string, std::map<Sid, Dealt>> dealt_;   ///< by gateway
    std::map<std::string, control::CacheReport> caches_;  ///< by router: what it had counted the last time
};

}  // namespace divisi::orchestrator
