// SPDX-License-Identifier: Apache-2.0
#include "backend/orchestrator/mesh_metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

namespace divisi::orchestrator {
namespace {

using prometheus::Counter;
using prometheus::Gauge;

/// A device that began anew counts from 0.
double grown(std::uint64_t before, std::uint64_t now) { return static_cast<double>(now < before ? now : now - before); }

}  // namespace

struct MeshMetrics::Families {
    explicit Families(prometheus::Registry& registry)
        : set_ups(prometheus::BuildCounter()
                      .Name("divisi_gateway_set_ups_total")
                      .Help("Set-ups of flows that the gateway decided, by its decision.")
                      .Register(registry)),
          retries(prometheus::BuildCounter()
                      .Name("divisi_gateway_set_up_retries_total")
                      .Help("Set-ups that were tried again after a refusal.")
                      .Register(registry)),
          refused(prometheus::BuildCounter()
                      .Name("divisi_gateway_refused_frames_total")
                      .Help("Frames of flows that the gateway did not admit.")
                      .Register(registry)),
          delayed(prometheus::BuildCounter()
                      .Name("divisi_gateway_delayed_chunks_total")
                      .Help("Chunks of instances that waited for a rate limit.")
                      .Register(registry)),
          ejections(prometheus::BuildCounter()
                        .Name("divisi_gateway_ejections_total")
                        .Help("Neighbours that the gateway left alone since they kept failing.")
                        .Register(registry)),
          policy(prometheus::BuildGauge()
                     .Name("divisi_gateway_policy_version")
                     .Help("The policy by which the gateway admits; 0 where it has none.")
                     .Register(registry)),
          units(prometheus::BuildGauge()
                    .Name("divisi_mic_units")
                    .Help("Units of running tasks whose dependencies the MIC watches.")
                    .Register(registry)),
          broken(prometheus::BuildGauge()
                     .Name("divisi_mic_broken_dependencies")
                     .Help("Dependencies of units over which a chain stands still in the MIC.")
                     .Register(registry)),
          dealt(prometheus::BuildCounter()
                    .Name("divisi_gateway_dealt_microbatches_total")
                    .Help("Micro-batches that the gateway dealt to a data instance, repetitions included.")
                    .Register(registry)),
          handshakes(prometheus::BuildCounter()
                         .Name("divisi_device_failed_handshakes_total")
                         .Help("Connections on tcp to a gateway or router that it refused, by why: key or unfinished.")
                         .Register(registry)),
          dealt_again(prometheus::BuildCounter()
                          .Name("divisi_gateway_dealt_again_microbatches_total")
                          .Help("Of them, those that another data instance had been dealt and that has gone.")
                          .Register(registry)),
          cache_lookups(prometheus::BuildCounter()
                            .Name("divisi_router_cache_lookups_total")
                            .Help("Results that the router was offered, by whether it had them: hit, miss, corrupt.")
                            .Register(registry)),
          cache_evicted(prometheus::BuildCounter()
                            .Name("divisi_router_cache_evicted_results_total")
                            .Help("Results that the router let go for others.")
                            .Register(registry)),
          cache_saved(prometheus::BuildCounter()
                          .Name("divisi_router_cache_saved_bytes_total")
                          .Help("Bytes of results that the router sent in their producers' place.")
                          .Register(registry)),
          cache_held(prometheus::BuildGauge()
                         .Name("divisi_router_cache_held_bytes")
                         .Help("Bytes of the results that the router keeps.")
                         .Register(registry)) {}

    prometheus::Family<Counter>&set_ups, &retries, &refused, &delayed, &ejections;
    prometheus::Family<Gauge>&policy, &units, &broken;
    prometheus::Family<Counter>&dealt, &handshakes, &dealt_again, &cache_lookups, &cache_evicted, &cache_saved;
    prometheus::Family<Gauge>& cache_held;
};

MeshMetrics::MeshMetrics(prometheus::Registry& registry) : families_(std::make_unique<Families>(registry)) {}

MeshMetrics::~MeshMetrics() = default;

void MeshMetrics::look_at(const control::DeviceView& device) {
    const std::string& name = device.info.name;
    const control::GuardCounters& now = device.guard.counters;
    const control::GuardCounters before = std::exchange(seen_[name], now);
    const auto failed = [&](const char* why, std::uint64_t old_count, std::uint64_t count) {
        families_->handshakes.Add({{"device", name}, {"why", why}}).Increment(grown(old_count, count));
    };
    failed("key", before.refused_keys, now.refused_keys);
    failed("unfinished", before.unfinished_handshakes, now.unfinished_handshakes);
    if (device.info.role == mesh::DeviceRole::router) return look_at_cache(device);
    const auto set_ups = [&](const char* decision, std::uint64_t old_count, std::uint64_t count) {
        families_->set_ups.Add({{"gateway", name}, {"decision", decision}}).Increment(grown(old_count, count));
    };
    set_ups("admitted", before.admitted, now.admitted);
    set_ups("denied", before.denied, now.denied);
    set_ups("unserved", before.unserved, now.unserved);
    set_ups("limited", before.limited, now.limited);
    families_->retries.Add({{"gateway", name}}).Increment(grown(before.retries, now.retries));
    families_->refused.Add({{"gateway", name}}).Increment(grown(before.refused_frames, now.refused_frames));
    families_->delayed.Add({{"gateway", name}}).Increment(grown(before.delayed, now.delayed));
    families_->ejections.Add({{"gateway", name}}).Increment(grown(before.ejections, now.ejections));
    families_->policy.Add({{"gateway", name}}).Set(static_cast<double>(device.guard.policy));
    look_at_dealt(device);
}

void MeshMetrics::look_at_cache(const control::DeviceView& device) {
    const std::string& name = device.info.name;
    const control::CacheReport& now = device.cache;
    if (now.limit_bytes == 0) return;
    const control::CacheReport before = std::exchange(caches_[name], now);
    const auto lookups = [&](const char* result, std::uint64_t old_count, std::uint64_t count) {
        families_->cache_lookups.Add({{"router", name}, {"result", result}}).Increment(grown(old_count, count));
    };
    lookups("hit", before.hits, now.hits);
    lookups("miss", before.misses, now.misses);
    lookups("corrupt", before.corrupt, now.corrupt);
    families_->cache_evicted.Add({{"router", name}}).Increment(grown(before.evicted, now.evicted));
    families_->cache_saved.Add({{"router", name}}).Increment(grown(before.saved_bytes, now.saved_bytes));
    families_->cache_held.Add({{"router", name}}).Set(static_cast<double>(now.held_bytes));
}

/// Data instances come and go with their tasks; a gateway names those that are there.
void MeshMetrics::look_at_dealt(const control::DeviceView& device) {
    std::map<Sid, Dealt> now;
    auto& seen = dealt_[device.info.name];
    for (const control::DealtReport& row : device.dealt) {
        const std::map<std::string, std::string> labels{{"gateway", device.info.name}, {"sid", row.sid.value()}};
        Dealt& one = now[row.sid] = seen.contains(row.sid)
                                        ? seen.at(row.sid)
                                        : Dealt{{}, &families_->dealt.Add(labels), &families_->dealt_again.Add(labels)};
        one.all->Increment(grown(one.before.microbatches, row.microbatches));
        one.again->Increment(grown(one.before.dealt_again, row.dealt_again));
        one.before = row;
        seen.erase(row.sid);
    }
    for (const auto& [sid, gone] : seen) {
        families_->dealt.Remove(gone.all);
        families_->dealt_again.Remove(gone.again);
    }
    seen = std::move(now);
}

void MeshMetrics::look_at(const control::MicView& mic) {
    std::size_t units = 0, broken = 0;
    for (const control::MicReport& report : mic.reports) {
        units += report.topology.units.size();
        broken += report.broken.size();
    }
    families_->units.Add({{"mic", mic.mic.value()}}).Set(static_cast<double>(units));
    families_->broken.Add({{"mic", mic.mic.value()}}).Set(static_cast<double>(broken));
}

}  // namespace divisi::orchestrator
