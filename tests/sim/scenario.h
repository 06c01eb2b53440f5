// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tests/sim/injected_bug.h"

namespace divisi::sim {

/// The outcome of one seed's world.
struct Verdict {
    std::string problem;     ///< the first violated invariant, or the part that never settled; empty: none
    std::size_t faults = 0;  ///< number of injected faults
    std::size_t events = 0;  ///< number of events in the orchestrator's log
    double settled_s = 0;    ///< simulated seconds from the last fault's end until everything was settled
    std::string content;     ///< the whole final state, encoded
    std::size_t recoveries = 0, checkpoints = 0, recuts = 0;
};

/// Runs a world without faults.
Verdict quiet(std::uint64_t seed);
/// Injects random faults into processes, machines, connections and the disk, several at once. The invariants
/// must hold. Within two minutes after the last fault, every task must have ended and every node must be ready.
Verdict harsh(std::uint64_t seed);
/// Injects faults, one after another: a broken connection, a partition of up to 10 s, a process paused for up to 3 s,
/// divisid paused for up to 20 s or crashed and restarted. Every task must succeed despite the faults. `bug` is the
/// bug to plant.
Verdict gentle(std::uint64_t seed, InjectedBug bug = InjectedBug::none);
/// Runs tasks that survive faults under a few faults each. Processes, machines and disks are lost, and peers that were
/// given up resume. Every step must have the same loss as without faults, and committed snapshots must stay readable. A
/// task may only fail if it has used up its recoveries. `bug` is the bug to plant.
Verdict recovery(std::uint64_t seed, InjectedBug bug = InjectedBug::none);
/// Like recovery(), with an operator who also acts before, during and after the faults. The operator requests other
/// cuts, other numbers of stages and the previous plan, and drains nodes. A re-cut must repeat no step if all stages
/// hold in time. The losses must equal those of a training without faults and re-cuts.
Verdict recuts(std::uint64_t seed, InjectedBug bug = InjectedBug::none);
/// Three stages exchange tensors while their generation rises and connections break. The next step must follow soon. No
/// tensor may be lost, duplicated or delivered in another generation.
Verdict generations(std::uint64_t seed, InjectedBug bug = InjectedBug::none);

/// Runs four stages in two MICs, whose tensors go through gateways and routers by credit. Routers and gateways are
/// killed, paused and restarted, links are cut and connections break. Steps must resume soon afterwards, and no tensor
/// may be lost or duplicated. No device may promise more than its buffer, and no credit may be negative or exceed a
/// buffer. At the end no device may hold anything.
Verdict hops(std::uint64_t seed, InjectedBug bug = InjectedBug::none);

}  // namespace divisi::sim
