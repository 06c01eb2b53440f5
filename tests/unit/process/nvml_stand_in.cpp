// SPDX-License-Identifier: Apache-2.0
// Imitates the used part of NVIDIA's management library, for machines without its driver. Has two GPUs; the second
// reports neither power nor energy. A third GPU is no longer reachable on the bus.
#include <cstdint>
#include <cstdio>

namespace {

constexpr int success = 0, not_supported = 3, lost = 15;

std::uintptr_t number_of(void* device) { return reinterpret_cast<std::uintptr_t>(device); }

}  // namespace

extern "C" {

struct Utilization {
    unsigned gpu, memory;
};
struct Memory {
    unsigned long long total, free, used;
};

int nvmlInit_v2() { return success; }
int nvmlShutdown() { return success; }
int nvmlDeviceGetCount_v2(unsigned* count) {
    *count = 3;
    return success;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
    if (index > 1) return lost;
    *device = reinterpret_cast<void*>(static_cast<std::uintptr_t>(index) + 1);
    return success;
}
int nvmlDeviceGetUUID(void* device, char* text, unsigned length) {
    std::snprintf(text, length, "GPU-%u", static_cast<unsigned>(number_of(device)));
    return success;
}
int nvmlDeviceGetName(void*, char* text, unsigned length) {
    std::snprintf(text, length, "NVIDIA H200");
    return success;
}
int nvmlDeviceGetUtilizationRates(void* device, Utilization* rates) {
    *rates = {static_cast<unsigned>(number_of(device)) * 25, 7};
    return success;
}
int nvmlDeviceGetMemoryInfo(void*, Memory* memory) {
    *memory = {1000, 400, 600};
    return success;
}
int nvmlDeviceGetTemperature(void*, int sensor, unsigned* degrees) {
    *degrees = 41;
    return sensor == 0 ? success : not_supported;
}
int nvmlDeviceGetPowerUsage(void* device, unsigned* milliwatts) {
    *milliwatts = 250'500;
    return number_of(device) == 1 ? success : not_supported;
}
int nvmlDeviceGetTotalEnergyConsumption(void* device, unsigned long long* millijoules) {
    *millijoules = 5'000'000'000ULL;
    return number_of(device) == 1 ? success : not_supported;
}
}
