// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace divisi {

/// The only definition of the version; CMakeLists.txt reads it from here.
inline constexpr const char* version = "0.1.0";

}  // namespace divisi
