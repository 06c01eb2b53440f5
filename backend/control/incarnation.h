// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backend/base/ids.h"

namespace divisi::control {

/// Numbers the processes that play one SID, from 1; a number is never used again. 0: none, as in logs of before.
using Incarnation = std::uint64_t;

// An instance is a SID and an incarnation, and its id says both: "gpt-1/stage-0/0#2".

InstanceId instance_of(const Sid& sid, Incarnation incarnation);
Sid sid_of(const InstanceId& instance);
Incarnation incarnation_of(const InstanceId& instance);

}  // namespace divisi::control
