// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "backend/control/protocol/connection_messages.h"
#include "backend/link/connection_file.h"
#include "tests/sim/network.h"
#include "tests/sim/watch.h"

namespace divisi::sim {

/// The address at which the orchestrator listens.
inline const link::Connection orchestrator_address{"mem://orchestrator", ""};

/// The environment that all processes of the simulated cluster share.
struct Surroundings {
    World& world;
    Network& network;
    Watch& watch;
};

/// One simulated process. Destroying it ends the process: its connections close and its timers are removed. Never
/// destroy it inside one of its own callbacks.
class Process {
public:
    Process(Surroundings around, Place place)
        : around_(around),
          place_(std::move(place)),
          loop_(around.world),
          sockets_(around.network.sockets(loop_, place_)) {}
    virtual ~Process() = default;
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    const Place& place() const { return place_; }
    ProcessLoop& loop() { return loop_; }

protected:
    World& world() { return around_.world; }
    Watch& watch() { return around_.watch; }
    link::Transport& sockets() { return *sockets_; }
    control::Hello hello(const char* program, control::Role role) const {
        return {program, "1", role, "", place_.process};
    }

    Surroundings around_;
    Place place_;
    ProcessLoop loop_;

private:
    std::unique_ptr<link::Transport> sockets_;
};

}  // namespace divisi::sim
