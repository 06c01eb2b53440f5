// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace divisi::segment {

/// Makes LibTorch allocate CPU tensors by allocate_tensor() in this process from now on. A repeated call has no effect.
void use_tensor_memory();

}  // namespace divisi::segment
