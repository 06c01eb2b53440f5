// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace divisi::process {

/// Raises the limit on open files of this process and its children to what the system allows, up to `most_open_files`.
/// Shells set 1,024, so few that connections which never finish their handshake could use all of them for a while.
void allow_open_files();
inline constexpr unsigned long most_open_files = 65'536;

}  // namespace divisi::process
