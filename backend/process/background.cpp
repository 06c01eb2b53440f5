// SPDX-License-Identifier: Apache-2.0
#include "backend/process/background.h"

#include <sys/resource.h>
#include <unistd.h>

namespace divisi::process {

void work_in_background() {
    constexpr int niceness = 10;
    // On Linux, this call sets the priority of one thread only: setpriority(2), "C library/kernel differences".
    const auto thread = static_cast<id_t>(::gettid());
    if (::getpriority(PRIO_PROCESS, thread) < niceness) (void)::setpriority(PRIO_PROCESS, thread, niceness);
}

}  // namespace divisi::process
