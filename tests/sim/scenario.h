// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tests/sim/plant.h"

namespace divisi::sim {

/// What one seed's world came to.
struct Verdict {
    std::string problem;     ///< the first violated invariant, or what never came to rest; empty: none
    std::size_t faults = 0;  ///< injected
    std::size_t events = 0;  ///< of the orchestrator's log
    double settled_s = 0;    ///< simulated, from the last fault's end until everything was as it should be
    std::string content;     ///< all that the state says in the end
    std::size_t recoveries = 0, checkpoints = 0, recuts = 0;
};

/// A minute without a fault.
Verdict quiet(std::uint64_t seed);
/// Whatever may happen to processes, machines, connections and the disk, and several of them at once: the invariants
/// hold, and within two minutes after the last fault every task has ended and every node is ready.
Verdict harsh(std::uint64_t seed);
/// What a cluster has to outlive: a broken connection, a network gone for 10 s, a process that stands still for 3 s,
/// divisid for 20 s, its crash and restart, one after the other. Every task succeeds. `plant`: with this bug.
Verdict gentle(std::uint64_t seed, Plant plant = Plant::none);
/// Tasks that survive faults, under a few of them each: processes, machines and disks are lost, and who was given up
/// wakes and goes on. Every step has the loss that it would have had, what is committed stays readable, and a task ends
/// otherwise than well only where it has used up its recoveries. `plant`: with this bug.
Verdict recovery(std::uint64_t seed, Plant plant = Plant::none);
/// The same with an operator, who asks for other cuts, other numbers of stages and the plan before, and drains nodes,
/// before, during and after the faults: of a re-cut no step is done again, and the losses are the same as without any.
Verdict recuts(std::uint64_t seed, Plant plant = Plant::none);
/// Three stages exchange tensors while their generation rises and connections break: the next step comes soon, and no
/// tensor is lost, doubled or delivered in another generation.
Verdict generations(std::uint64_t seed, Plant plant = Plant::none);

/// Four stages in two MICs, whose tensors go through gateways and routers by credit, while routers and gateways are
/// killed, stand still and begin anew, links are cut and connections break: steps go on soon after, no tensor is lost
/// or doubled, no device holds more than it has promised, no credit is negative or above its buffer, and in the end no
/// device holds anything.
Verdict hops(std::uint64_t seed, Plant plant = Plant::none);

}  // namespace divisi::sim
