// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/model/tracking/selection.h"
#include "backend/control/state/state.h"

namespace divisi::model {

/// Returns the selected instance, or the instance of the selected unit or block; empty if there is none.
InstanceId instance_of(const Selected& what, const control::ClusterState& cluster);

}  // namespace divisi::model
