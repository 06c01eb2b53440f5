// SPDX-License-Identifier: Apache-2.0
#include "agents/node/hardware_reader.h"

#include <algorithm>

#include "backend/process/sensors.h"

namespace divisi::node {

Hardware hardware_of(std::vector<process::GpuFigures> gpus, std::optional<double> processors_c,
                     std::optional<double> processors_w) {
    Hardware all{std::move(gpus), processors_c, processors_w};
    for (const process::GpuFigures& gpu : all.gpus) {
        if (gpu.temperature_c)
            all.temperature_c = std::max(all.temperature_c.value_or(*gpu.temperature_c), *gpu.temperature_c);
        if (gpu.power_w) all.power_w = all.power_w.value_or(0) + *gpu.power_w;
    }
    return all;
}

HardwareReader::HardwareReader(const char* library, std::filesystem::path system, Duration interval)
    : thread_([this, library, system = std::move(system), interval] { run(library, system, interval); }) {}

HardwareReader::~HardwareReader() {
    {
        const std::lock_guard lock(mutex_);
        end_ = true;
    }
    ended_.notify_all();
    thread_.join();
}

Hardware HardwareReader::last(Steady::time_point now) const {
    const std::lock_guard lock(mutex_);
    Hardware told = last_;
    if (now > read_ + longest_age) told.temperature_c = told.power_w = std::nullopt;
    return told;
}

void HardwareReader::run(const char* library, const std::filesystem::path& system, Duration interval) {
    const auto nvml = process::Nvml::load(library);
    PowerMeter processors;
    std::unique_lock lock(mutex_);
    while (!end_) {
        lock.unlock();
        const auto watts = processors.take(process::read_power_domains(system / "powercap"), Steady::now());
        const auto degrees = process::processor_temperature(system);
        auto gpus = nvml ? nvml->read() : std::vector<process::GpuFigures>();
        Hardware read = hardware_of(std::move(gpus), degrees, watts);
        lock.lock();
        last_ = std::move(read);
        read_ = Steady::now();
        ended_.wait_for(lock, interval, [this] { return end_; });
    }
}

}  // namespace divisi::node
