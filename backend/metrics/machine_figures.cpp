// SPDX-License-Identifier: Apache-2.0
#include "backend/metrics/machine_figures.h"

namespace divisi::metrics {

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
