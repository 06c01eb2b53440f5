// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backend/control/types/types.h"

namespace divisi::node {

/// Describes this machine: host name, fingerprint (processor model and its extensions, libc, kernels of the BLAS
/// library), cores and memory as a device "cpu", and the GPUs as the driver names them. The memory of GPUs is left
/// unknown.
control::NodeInfo describe_machine();

struct MachineLoad {
    double load = 0;        ///< one-minute load average
    Bytes memory_free = 0;  ///< available memory, as the kernel estimates it
};
MachineLoad measure_machine();

}  // namespace divisi::node
