// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backend/base/result.h"

namespace divisi::segment {

/// Triggers the initialisation that LibTorch performs at its first use of this device: tables of its libraries, its
/// threads and autograd's threads. Keeps no results. Fails as make_executor() does if the device cannot be used.
Result<void> warm_up(const std::string& device, int threads);

}  // namespace divisi::segment
