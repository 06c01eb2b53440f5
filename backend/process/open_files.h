// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace divisi::process {

/// Lets this process, and those that it starts, open as many files as the system allows them, up to `most_open_files`:
/// shells give 1,024, and connections that never finish their handshake would use these up for a while.
void allow_open_files();
inline constexpr unsigned long most_open_files = 65'536;

}  // namespace divisi::process
