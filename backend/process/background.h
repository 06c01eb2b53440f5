// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace divisi::process {

/// From now on the calling thread gets a processor after those that compute (nice 10): what it does is waited for by
/// nobody, and delays nobody. Where the system refuses that, nothing changes.
void work_in_background();

}  // namespace divisi::process
