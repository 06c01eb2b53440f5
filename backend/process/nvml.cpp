// SPDX-License-Identifier: Apache-2.0
#include "backend/process/nvml.h"

#include <dlfcn.h>

#include <array>

namespace divisi::process {
namespace {

template <typename Function>
bool find_function(void* library, const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(::dlsym(library, name));
    return function != nullptr;
}

}  // namespace

/// The used part of NVML's C interface (NVML API reference, "Device Queries"). Every function returns 0 for success.
struct Nvml::Library {
    using Gpu = void*;
    struct Utilization {
        unsigned gpu = 0, memory = 0;  ///< activity in percent
    };
    struct Memory {
        unsigned long long total = 0, free = 0, used = 0;  ///< bytes
    };
    static constexpr int gpu_sensor = 0;
    static constexpr unsigned longest_text = 96;

    ~Library() {
        if (started) shutdown();
        if (handle) ::dlclose(handle);
    }

    void* handle = nullptr;
    bool started = false;
    int (*init)() = nullptr;
    int (*shutdown)() = nullptr;
    int (*count)(unsigned*) = nullptr;
    int (*device)(unsigned, Gpu*) = nullptr;
    int (*uuid)(Gpu, char*, unsigned) = nullptr;
    int (*name)(Gpu, char*, unsigned) = nullptr;
    int (*utilization)(Gpu, Utilization*) = nullptr;
    int (*memory)(Gpu, Memory*) = nullptr;
    int (*temperature)(Gpu, int, unsigned*) = nullptr;
    int (*power)(Gpu, unsigned*) = nullptr;
    int (*energy)(Gpu, unsigned long long*) = nullptr;  ///< null in old libraries

    bool find_all() {
        find_function(handle, "nvmlDeviceGetTotalEnergyConsumption", energy);
        return find_function(handle, "nvmlInit_v2", init) && find_function(handle, "nvmlShutdown", shutdown) &&
               find_function(handle, "nvmlDeviceGetCount_v2", count) &&
               find_function(handle, "nvmlDeviceGetHandleByIndex_v2", device) &&
               find_function(handle, "nvmlDeviceGetUUID", uuid) && find_function(handle, "nvmlDeviceGetName", name) &&
               find_function(handle, "nvmlDeviceGetUtilizationRates", utilization) &&
               find_function(handle, "nvmlDeviceGetMemoryInfo", memory) &&
               find_function(handle, "nvmlDeviceGetTemperature", temperature) &&
               find_function(handle, "nvmlDeviceGetPowerUsage", power);
    }

    GpuFigures figures(Gpu gpu) const {
        GpuFigures told;
        std::array<char, longest_text> text{};
        if (uuid(gpu, text.data(), longest_text - 1) == 0) told.uuid = text.data();
        text.fill('\0');
        if (name(gpu, text.data(), longest_text - 1) == 0) told.model = text.data();
        if (Utilization rates; utilization(gpu, &rates) == 0) told.busy_share = rates.gpu / 100.0;
        if (Memory bytes; memory(gpu, &bytes) == 0) {
            told.memory = static_cast<Bytes>(bytes.total);
            told.used = static_cast<Bytes>(bytes.used);
        }
        if (unsigned degrees = 0; temperature(gpu, gpu_sensor, &degrees) == 0) told.temperature_c = degrees;
        if (unsigned milliwatts = 0; power(gpu, &milliwatts) == 0) told.power_w = milliwatts / 1000.0;
        if (unsigned long long millijoules = 0; energy && energy(gpu, &millijoules) == 0)
            told.energy_mj = static_cast<std::int64_t>(millijoules);
        return told;
    }
};

Nvml::Nvml(std::unique_ptr<Library> library) : library_(std::move(library)) {}
Nvml::~Nvml() = default;

std::unique_ptr<Nvml> Nvml::load(const char* library) {
    auto loaded = std::make_unique<Library>();
    loaded->handle = ::dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!loaded->handle || !loaded->find_all()) return nullptr;
    loaded->started = loaded->init() == 0;
    if (!loaded->started) return nullptr;
    return std::unique_ptr<Nvml>(new Nvml(std::move(loaded)));
}

std::vector<GpuFigures> Nvml::read() const {
    std::vector<GpuFigures> all;
    unsigned gpus = 0;
    if (library_->count(&gpus) != 0) return all;
    for (unsigned i = 0; i < gpus; ++i)
        if (Library::Gpu gpu = nullptr; library_->device(i, &gpu) == 0) {
            GpuFigures told = library_->figures(gpu);
            if (!told.uuid.empty()) all.push_back(std::move(told));
        }
    return all;
}

}  // namespace divisi::process
