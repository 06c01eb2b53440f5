// SPDX-License-Identifier: Apache-2.0
// A preloaded library that shifts the wall clock by the seconds in the file that DIVISI_STEPPED_CLOCK names. The file
// is read each time that the clock is read. The steady clock is not changed.
#include <dlfcn.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>

namespace {

long seconds_off() {
    const char* name = std::getenv("DIVISI_STEPPED_CLOCK");
    std::FILE* file = name ? std::fopen(name, "r") : nullptr;
    if (!file) return 0;
    long seconds = 0;
    if (std::fscanf(file, "%ld", &seconds) != 1) seconds = 0;
    std::fclose(file);
    return seconds;
}

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
    using Read = int (*)(clockid_t, timespec*);
    static const auto read = reinterpret_cast<Read>(::dlsym(RTLD_NEXT, "clock_gettime"));
    const int result = read(clock, time);
    if (result == 0 && clock == CLOCK_REALTIME) time->tv_sec += seconds_off();
    return result;
}
