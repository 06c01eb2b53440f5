// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace divisi::process {

/// Lowers the calling thread's priority below the priority of computing threads (nice 10). While such threads compute,
/// the work of this thread may take several times as long. If the system refuses, nothing changes.
void work_in_background();

}  // namespace divisi::process
