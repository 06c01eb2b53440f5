// SPDX-License-Identifier: Apache-2.0
#include "backend/control/state/faults.h"

#include <algorithm>
#include <cmath>

namespace divisi::control::inline state {
namespace {

void add(NodeFaults& faults, double weight, TimePoint now) {
    faults.score = fault_score(faults, now) + weight;
    faults.at = now;
}

}  // namespace

double fault_score(const NodeFaults& faults, TimePoint now) {
    const Duration passed = std::max(now - faults.at, Duration::zero());  // a clock may have been set back
    return faults.score * std::exp2(-std::chrono::duration<double>(passed) / fault_half_life);
}

void add_loss(NodeFaults& faults, TimePoint now) {
    add(faults, loss_weight, now);
    ++faults.losses;
}

void add_failure(NodeFaults& faults, TimePoint now) {
    add(faults, failure_weight, now);
    ++faults.failures;
}

}  // namespace divisi::control::inline state
