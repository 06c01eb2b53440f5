// SPDX-License-Identifier: Apache-2.0
#include "backend/orchestrator/machine_metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include <utility>

namespace divisi::orchestrator {
namespace {

using prometheus::Counter;
using prometheus::Family;
using prometheus::Gauge;

Family<Gauge>& gauge(prometheus::Registry& registry, const char* name, const char* help) {
    return prometheus::BuildGauge().Name(name).Help(help).Register(registry);
}
Family<Counter>& counter(prometheus::Registry& registry, const char* name, const char* help) {
    return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}

/// A machine that started anew counts from 0.
double grown(std::int64_t before, std::int64_t now) { return static_cast<double>(now < before ? now : now - before); }

}  // namespace

struct MachineMetrics::Families {
    explicit Families(prometheus::Registry& registry)
        : cpu(gauge(registry, "divisi_node_cpu_ratio",
                    "The part of all its cores' time that the node's machine computed, of the last second.")),
          memory(gauge(registry, "divisi_node_memory_bytes", "Memory of the node's machine.")),
          memory_free(gauge(registry, "divisi_node_memory_free_bytes", "Of it, what is available.")),
          disk(gauge(registry, "divisi_node_disk_bytes", "The file system with the node's folder.")),
          disk_free(gauge(registry, "divisi_node_disk_free_bytes", "Of it, what is free.")),
          received(counter(registry, "divisi_node_network_received_bytes_total",
                           "What the node's machine received, on all interfaces but loopback.")),
          sent(counter(registry, "divisi_node_network_sent_bytes_total", "Likewise, what it sent.")),
          read(counter(registry, "divisi_node_disk_read_bytes_total", "What the disks of the node's machine read.")),
          written(counter(registry, "divisi_node_disk_written_bytes_total", "Likewise, what they wrote.")) {}

    Family<Gauge>&cpu, &memory, &memory_free, &disk, &disk_free;
    Family<Counter>&received, &sent, &read, &written;
};

MachineMetrics::MachineMetrics(prometheus::Registry& registry) : families_(std::make_unique<Families>(registry)) {}
MachineMetrics::~MachineMetrics() = default;

void MachineMetrics::look_at(const std::string& node, const control::MachineFigures& machine) {
    const prometheus::Labels of_node{{"node", node}};
    families_->cpu.Add(of_node).Set(machine.cpu_share);
    families_->memory.Add(of_node).Set(static_cast<double>(machine.memory));
    families_->memory_free.Add(of_node).Set(static_cast<double>(machine.memory_free));
    families_->disk.Add(of_node).Set(static_cast<double>(machine.disk));
    families_->disk_free.Add(of_node).Set(static_cast<double>(machine.disk_free));
    const control::MachineFigures before = std::exchange(seen_[node], machine);
    families_->received.Add(of_node).Increment(grown(before.received_bytes, machine.received_bytes));
    families_->sent.Add(of_node).Increment(grown(before.sent_bytes, machine.sent_bytes));
    families_->read.Add(of_node).Increment(grown(before.read_bytes, machine.read_bytes));
    families_->written.Add(of_node).Increment(grown(before.written_bytes, machine.written_bytes));
}

}  // namespace divisi::orchestrator
