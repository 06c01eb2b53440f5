// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace divisi::segment {

/// From now on LibTorch's tensors on the CPU lie in memory of allocate_tensor(), in this process. Again: nothing
/// happens.
void use_tensor_memory();

}  // namespace divisi::segment
