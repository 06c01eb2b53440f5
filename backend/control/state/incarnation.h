// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/base/ids.h"

namespace divisi::control::inline state {

// An instance is identified by a SID and an incarnation. The instance id has both, for example "gpt-1/stage-0/0#2".

InstanceId instance_of(const Sid& sid, Incarnation incarnation);
Sid sid_of(const InstanceId& instance);
/// Returns the task that a SID belongs to.
TaskId task_of(const Sid& sid);
Incarnation incarnation_of(const InstanceId& instance);

}  // namespace divisi::control::inline state
