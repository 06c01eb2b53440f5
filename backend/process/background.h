// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace divisi::process {

/// From now on the calling thread gets a processor after those that compute (nice 10): while they do, what it does may
/// take several times as long. Where the system refuses that, nothing changes.
void work_in_background();

}  // namespace divisi::process
