// SPDX-License-Identifier: Apache-2.0
#include "backend/metrics/cluster_figures.h"

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
    total("divisi_device_forwarded_chunks_total", "Chunks of tensors and blobs that the device forwarded.",
          device.counters.frames);
    total("divisi_device_forwarded_bytes_total", "Bytes of the forwarded chunks.", device.counters.bytes);
    total("divisi_device_rerouted_chunks_total", "Chunks that were rerouted after a failure.",
          device.counters.rerouted);
    total("divisi_device_refused_frames_total", "Frames that the device refused, from any sender.",
          device.counters.refused_frames);
    total("divisi_device_refused_signals_total", "RSVP messages and load reports that the device refused.",
          device.counters.refused_signals);
    total("divisi_device_failures_total", "How often the device considered a neighbour failed.",
          device.counters.failures);
    figures.gauge("divisi_device_held_bytes", "Bytes of chunks that the device holds.", here,
                  static_cast<double>(device.held));
    figures.gauge("divisi_device_promised_bytes", "Bytes of chunks that neighbours may send to the device.", here,
                  static_cast<double>(device.promised));
    figures.gauge("divisi_device_flows", "Flows through the device.", here, static_cast<double>(device.flows.size()));
    for (const control::NeighbourReport& one : device.neighbours) {
        std::string neighbour = name_of(one.id);
        if (neighbour.empty()) neighbour = std::to_string(one.id);
        const Labels link{{"device", name}, {"neighbour", std::move(neighbour)}};
        figures.gauge("divisi_device_link_usable", "1 if the device can reach the neighbour, else 0.", link,
                      one.usable ? 1 : 0);
        figures.total("divisi_device_link_sent_bytes_total", "Bytes of chunks sent to the neighbour.", link,
                      number(one.sent_bytes));
        figures.gauge("divisi_device_link_queued_bytes", "Bytes that wait to be sent to the neighbour.", link,
                      number(one.queued_bytes));
        figures.gauge("divisi_device_link_credit_bytes",
                      "Bytes that the neighbour has promised and that are still unused.", link,
                      number(one.credit_bytes));
    }
    const auto failed = [&](const char* why, std::uint64_t count) {
        figures.total("divisi_device_failed_handshakes_total",
                      "Connections on tcp that a gateway or router refused, by reason: key or unfinished.",
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
                      "Offers of operations to the router, by whether it had their results: hit, miss, corrupt.",
                      {{"router", device.info.name}, {"result", result}}, number(count));
    };
    lookups("hit", cache.hits);
    lookups("miss", cache.misses);
    lookups("corrupt", cache.corrupt);
    figures.total("divisi_router_cache_evicted_results_total", "Results that the router dropped to store others.", here,
                  number(cache.evicted));
    figures.total("divisi_router_cache_saved_bytes_total",
                  "Bytes of results that the router sent instead of their producers.", here, number(cache.saved_bytes));
    figures.gauge("divisi_router_cache_held_bytes", "Bytes of the results that the router keeps.", here,
                  number(cache.held_bytes));
}

/// Adds the work that a gateway dealt to the current data instances. Data instances start and end with their tasks.
void add_dealt(Figures& figures, const DeviceView& device) {
    for (const control::DealtReport& row : device.dealt) {
        const Labels labels{{"gateway", device.info.name}, {"sid", row.sid.value()}};
        figures.total("divisi_gateway_dealt_microbatches_total",
                      "Micro-batches that the gateway assigned to a data instance, including repeated ones.", labels,
                      number(row.microbatches));
        figures.total("divisi_gateway_dealt_again_microbatches_total",
                      "Micro-batches that the gateway assigned again because another data instance ended.", labels,
                      number(row.dealt_again));
    }
}

void add_gateway(Figures& figures, const DeviceView& device) {
    const control::GuardCounters& guard = device.guard.counters;
    const Labels here{{"gateway", device.info.name}};
    const auto set_ups = [&](const char* decision, std::uint64_t count) {
        figures.total("divisi_gateway_set_ups_total", "Set-ups of flows, by the gateway's decision.",
                      {{"gateway", device.info.name}, {"decision", decision}}, number(count));
    };
    set_ups("admitted", guard.admitted);
    set_ups("denied", guard.denied);
    set_ups("unserved", guard.unserved);
    set_ups("limited", guard.limited);
    figures.total("divisi_gateway_set_up_retries_total", "Set-ups that were repeated after a refusal.", here,
                  number(guard.retries));
    figures.total("divisi_gateway_refused_frames_total", "Frames of flows that the gateway did not admit.", here,
                  number(guard.refused_frames));
    figures.total("divisi_gateway_delayed_chunks_total", "Chunks of instances that waited for a rate limit.", here,
                  number(guard.delayed));
    figures.total("divisi_gateway_ejections_total",
                  "How often the gateway excluded a neighbour that failed repeatedly.", here, number(guard.ejections));
    figures.gauge("divisi_gateway_policy_version", "Version of the gateway's admission policy; 0: it has none.", here,
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
    figures.gauge("divisi_mic_broken_dependencies", "Dependencies that have stalled a chain of units in the MIC.", here,
                  static_cast<double>(broken));
}

void add_machine(Figures& figures, const std::string& node, const control::MachineFigures& machine) {
    const Labels of_node{{"node", node}};
    const auto gauge = [&](const char* name, const char* help, auto value) {
        figures.gauge(name, help, of_node, static_cast<double>(value));
    };
    const auto total = [&](const char* name, const char* help, auto value) {
        figures.total(name, help, of_node, static_cast<double>(value));
    };
    gauge("divisi_node_cpu_ratio",
          "Share of the time of all cores for which the node's machine was busy in the last second.",
          machine.cpu_share);
    gauge("divisi_node_memory_bytes", "Memory of the node's machine.", machine.memory);
    gauge("divisi_node_memory_free_bytes", "Available memory of the node's machine.", machine.memory_free);
    gauge("divisi_node_disk_bytes", "Size of the file system with the node's folder.", machine.disk);
    gauge("divisi_node_disk_free_bytes", "Free space of the file system with the node's folder.", machine.disk_free);
    if (machine.temperature_c)
        gauge("divisi_node_temperature_celsius", "Temperature of the hottest processor or GPU of the node's machine.",
              *machine.temperature_c);
    if (machine.power_w)
        gauge("divisi_node_power_watts",
              "Power of the processors and GPUs of the node's machine, as far as they report it.", *machine.power_w);
    total("divisi_node_network_received_bytes_total",
          "Bytes that the node's machine has received since it started, on all interfaces except loopback.",
          machine.received_bytes);
    total("divisi_node_network_sent_bytes_total",
          "Bytes that the node's machine has sent since it started, on all interfaces except loopback.",
          machine.sent_bytes);
    total("divisi_node_disk_read_bytes_total", "Bytes that the disks of the node's machine have read since it started.",
          machine.read_bytes);
    total("divisi_node_disk_written_bytes_total",
          "Bytes that the disks of the node's machine have written since it started.", machine.written_bytes);
}

}  // namespace divisi::metrics
