// SPDX-License-Identifier: Apache-2.0
#include "backend/process/open_files.h"

#include <sys/resource.h>

#include <algorithm>

namespace divisi::process {

void allow_open_files() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = std::max<rlim_t>(limit.rlim_cur, std::min<rlim_t>(limit.rlim_max, most_open_files));
    (void)::setrlimit(RLIMIT_NOFILE, &limit);  // on failure the lower limit remains
}

}  // namespace divisi::process
