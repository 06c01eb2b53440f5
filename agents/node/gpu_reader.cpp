// SPDX-License-Identifier: Apache-2.0
#include "agents/node/gpu_reader.h"

namespace divisi::node {

GpuReader::GpuReader(const char* library, Duration interval)
    : thread_([this, library, interval] { run(library, interval); }) {}

GpuReader::~GpuReader() {
    {
        const std::lock_guard lock(mutex_);
        end_ = true;
    }
    ended_.notify_all();
    thread_.join();
}

std::vector<process::GpuFigures> GpuReader::last() const {
    const std::lock_guard lock(mutex_);
    return last_;
}

void GpuReader::run(const char* library, Duration interval) {
    const auto nvml = process::Nvml::load(library);
    if (!nvml) return;
    std::unique_lock lock(mutex_);
    while (!end_) {
        lock.unlock();
        auto figures = nvml->read();
        lock.lock();
        last_ = std::move(figures);
        ended_.wait_for(lock, interval, [this] { return end_; });
    }
}

}  // namespace divisi::node
