// SPDX-License-Identifier: Apache-2.0
#include "backend/control/types/lease_types.h"

#include <algorithm>

namespace divisi::control::inline types {
namespace {

void keep_larger(std::optional<std::int64_t>& figure, const std::optional<std::int64_t>& newer) {
    if (newer && *newer >= 0) figure = std::max(figure.value_or(*newer), *newer);
}

}  // namespace

const char* to_string(LeaseCategory category) {
    switch (category) {
        case LeaseCategory::cpu: return "cpu";
        case LeaseCategory::gpu: return "gpu";
    }
    return "unknown";
}

const char* to_string(LeaseState state) {
    switch (state) {
        case LeaseState::granted: return "granted";
        case LeaseState::active: return "active";
        case LeaseState::finishing: return "finishing";
        case LeaseState::reclaimed: return "reclaimed";
    }
    return "unknown";
}

LeaseTerms terms_on(const std::string& device, std::int32_t threads) {
    return {device.starts_with("cuda") ? LeaseCategory::gpu : LeaseCategory::cpu, device, threads};
}

void merge(Usage& usage, const Usage& newer) {
    keep_larger(usage.cpu_ms, newer.cpu_ms);
    keep_larger(usage.gpu_ms, newer.gpu_ms);
    keep_larger(usage.energy_mj, newer.energy_mj);
    keep_larger(usage.peak_memory, newer.peak_memory);
    keep_larger(usage.bytes_sent, newer.bytes_sent);
    keep_larger(usage.bytes_received, newer.bytes_received);
}

}  // namespace divisi::control::inline types
