// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backend/base/result.h"

namespace divisi::segment {

/// Lets LibTorch make on this device what it makes at its first use: its libraries' tables, its threads and autograd's.
/// Nothing of what it computes is kept. Fails as make_executor() does where the device cannot be used.
Result<void> warm_up(const std::string& device, int threads);

}  // namespace divisi::segment
