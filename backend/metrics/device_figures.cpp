// SPDX-License-Identifier: Apache-2.0
#include "backend/metrics/device_figures.h"

namespace divisi::metrics {
namespace {

using control::DeviceView;

double number(std::uint64_t count) { return static_cast<double>(count); }

/// Adds the figures that gateways and routers have in common.
void add_traffic(Figures& figures, const DeviceView& device, const NameOf& name_of) {
    const std::string& name = device.info.name;
    const Labels here{{"device", name}};
    const auto total = [&](const char* family, const char* help, std::uint64_t value) {
        figures.total(family, help, here, number(value));
    };
    total("divisi_device_forwarded_chunks_total", "Chunks of tensors and blobs that a gateway or router sent on.",
          device.counters.frames);
    total("divisi_device_forwarded_bytes_total", "Bytes of them.", device.counters.bytes);
    total("divisi_device_rerouted_chunks_total", "Chunks that went another way after a failure.",
          device.counters.rerouted);
    total("divisi_device_refused_frames_total", "Frames that it refused, from whoever they came.",
          device.counters.refused_frames);
    total("divisi_device_refused_signals_total", "RSVP and load reports that it refused.",
          device.counters.refused_signals);
    total("divisi_device_failures_total", "Times that it took a neighbour for failed.", device.counters.failures);
    figures.gauge("divisi_device_held_bytes", "Bytes of chunks that are at the device.", here,
                  static_cast<double>(device.held));
    figures.gauge("divisi_device_promised_bytes", "Bytes of chunks that neighbours may bring to it.", here,
                  static_cast<double>(device.promised));
    figures.gauge("divisi_device_flows", "Flows that pass the device.", here, static_cast<double>(device.flows.size()));
    for (const control::NeighbourReport& one : device.neighbours) {
        std::string neighbour = name_of(one.id);
        if (neighbour.empty()) neighbour = std::to_string(one.id);
        const Labels link{{"device", name}, {"neighbour", std::move(neighbour)}};
        figures.gauge("divisi_device_link_usable", "1 where the device can reach the neighbour, else 0.", link,
                      one.usable ? 1 : 0);
        figures.total("divisi_device_link_sent_bytes_total", "Bytes of chunks that went to the neighbour.", link,
                      number(one.sent_bytes));
        figures.gauge("divisi_device_link_queued_bytes", "Bytes that wait for the neighbour.", link,
                      number(one.queued_bytes));
        figures.gauge("divisi_device_link_credit_bytes",
                      "Bytes that the neighbour has promised and that are not spent.", link, number(one.credit_bytes));
    }
    const auto failed = [&](const char* why, std::uint64_t count) {
        figures.total("divisi_device_failed_handshakes_total",
                      "Connections on tcp to a gateway or router that it refused, by why: key or unfinished.",
                      {{"device", name}, {"why", why}}, number(count));
    };
    failed("key", device.guard.counters.refused_keys);
    failed("unfinished", device.guard.counters.unfinished_handshakes);
}

/// Adds the figures of a router's result cache.
void add_cache(Figures& figures, const DeviceView& device) {
    const control::CacheReport& cache = device.cache;
    if (cache.limit_bytes == 0) return;
    const Labels here{{"router", device.info.name}};
    const auto lookups = [&](const char* result, std::uint64_t count) {
        figures.total("divisi_router_cache_lookups_total",
                      "Results that the router was offered, by whether it had them: hit, miss, corrupt.",
                      {{"router", device.info.name}, {"result", result}}, number(count));
    };
    lookups("hit", cache.hits);
    lookups("miss", cache.misses);
    lookups("corrupt", cache.corrupt);
    figures.total("divisi_router_cache_evicted_results_total", "Results that the router let go for others.", here,
                  number(cache.evicted));
    figures.total("divisi_router_cache_saved_bytes_total",
                  "Bytes of results that the router sent in their producers' place.", here, number(cache.saved_bytes));
    figures.gauge("divisi_router_cache_held_bytes", "Bytes of the results that the router keeps.", here,
                  number(cache.held_bytes));
}

/// Adds the work that a gateway dealt to the current data instances. Data instances start and end with their tasks.
void add_dealt(Figures& figures, const DeviceView& device) {
    for (const control::DealtReport& row : device.dealt) {
        const Labels labels{{"gateway", device.info.name}, {"sid", row.sid.value()}};
        figures.total("divisi_gateway_dealt_microbatches_total",
                      "Micro-batches that the gateway dealt to a data instance, repetitions included.", labels,
                      number(row.microbatches));
        figures.total("divisi_gateway_dealt_again_microbatches_total",
                      "Of them, those that another data instance had been dealt and that has gone.", labels,
                      number(row.dealt_again));
    }
}

void add_gateway(Figures& figures, const DeviceView& device) {
    const control::GuardCounters& guard = device.guard.counters;
    const Labels here{{"gateway", device.info.name}};
    const auto set_ups = [&](const char* decision, std::uint64_t count) {
        figures.total("divisi_gateway_set_ups_total", "Set-ups of flows that the gateway decided, by its decision.",
                      {{"gateway", device.info.name}, {"decision", decision}}, number(count));
    };
    set_ups("admitted", guard.admitted);
    set_ups("denied", guard.denied);
    set_ups("unserved", guard.unserved);
    set_ups("limited", guard.limited);
    figures.total("divisi_gateway_set_up_retries_total", "Set-ups that were tried again after a refusal.", here,
                  number(guard.retries));
    figures.total("divisi_gateway_refused_frames_total", "Frames of flows that the gateway did not admit.", here,
                  number(guard.refused_frames));
    figures.total("divisi_gateway_delayed_chunks_total", "Chunks of instances that waited for a rate limit.", here,
                  number(guard.delayed));
    figures.total("divisi_gateway_ejections_total", "Neighbours that the gateway left alone since they kept failing.",
                  here, number(guard.ejections));
    figures.gauge("divisi_gateway_policy_version", "The policy by which the gateway admits; 0 where it has none.", here,
                  number(device.guard.policy));
    add_dealt(figures, device);
}

}  // namespace

void add_device(Figures& figures, const DeviceView& device, const NameOf& name_of) {
    add_traffic(figures, device, name_of);
    if (device.info.role == mesh::DeviceRole::router) add_cache(figures, device);
    else add_gateway(figures, device);
}

void add_mic(Figures& figures, const control::MicView& mic) {
    std::size_t units = 0, broken = 0;
    for (const control::MicReport& report : mic.reports) {
        units += report.topology.units.size();
        broken += report.broken.size();
    }
    const Labels here{{"mic", mic.mic.value()}};
    figures.gauge("divisi_mic_units", "Units of running tasks whose dependencies the MIC watches.", here,
                  static_cast<double>(units));
    figures.gauge("divisi_mic_broken_dependencies", "Dependencies of units over which a chain stands still in the MIC.",
                  here, static_cast<double>(broken));
}

}  // namespace divisi::metrics
