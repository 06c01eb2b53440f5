// SPDX-License-Identifier: Apache-2.0
#include "backend/control/protocol/signal_texts.h"

#include <algorithm>
#include <cstdio>

#include "backend/base/text.h"
#include "backend/base/units.h"
#include "backend/control/protocol/input_limits.h"
#include "backend/control/protocol/mesh_messages.h"

namespace divisi::control::inline protocol {
namespace {

std::string number(const char* format, double value) {
    char text[48];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

/// Adds a line for a field if it has a value.
void add(std::string& text, const char* name, const std::string& value) {
    if (!value.empty()) text += std::string("\n") + name + " " + value;
}

std::string quality_text(const mesh::Quality& quality) {
    return number("%.3g MB/s", quality.bytes_per_s / 1e6) + number(", p50 %.3g ms", quality.latency_p50_s * 1e3) +
           number(", p99 %.3g ms", quality.latency_p99_s * 1e3) + ", retries " + std::to_string(quality.retries) +
           ", refusals " + std::to_string(quality.refusals);
}

/// Returns the text on one line, so that a device's text cannot imitate another field.
std::string one_line(std::string text) {
    std::ranges::replace(text, '\n', ' ');
    return text;
}

}  // namespace

int signaling_type(SignalKind kind) {
    if (kind == registration_signal) return 1;
    if (kind == SignalKind::routes) return 2;
    if (kind == request_signal) return 3;
    if (kind == SignalKind::load) return 4;
    return kind == report_signal ? 5 : 0;
}

bool is_told_to_devices(const SignalRecord& record) {
    return record.kind == SignalKind::routes || (record.kind == report_signal && record.from == 0);
}

std::string registered_sid(const SignalRecord& record) {
    const bool of_instance = record.kind == registration_signal && record.from == 0;
    return of_instance ? record.bytes.substr(0, record.bytes.find(' ')) : std::string();
}

std::string describe(const mesh::Registration& said) {
    std::string text = one_line(said.sid.value()) + " is " + mesh::to_string(said.health) + ", incarnation " +
                       std::to_string(said.incarnation) + ", generation " + std::to_string(said.generation);
    add(text, "prefix", one_line(said.prefix));
    add(text, "node", one_line(said.node.value()) + (said.mic.value().empty() ? "" : " in " + said.mic.value()));
    add(text, "address", one_line(said.address.endpoint));
    add(text, "resource",
        one_line(said.resource_type + " " + said.capability.device) + ", " +
            number("%.3g GFLOP/s, ", said.capability.flops_per_s / 1e9) + format_bytes(said.capability.memory));
    add(text, "input", one_line(said.input_schema));
    add(text, "output", one_line(said.output_schema));
    return text;
}

std::string describe(const DeviceInfo& info) {
    std::string text =
        one_line(info.name) + " registers as " + mesh::to_string(info.role) + ", version " + one_line(info.version);
    add(text, "mic", info.mic.value());
    add(text, "address", one_line(info.endpoint));
    add(text, "links", one_line(joined(info.neighbours)));
    add(text, "buffer", format_bytes(info.buffer));
    for (const auto& [name, rate] :
         {std::pair("mic-rate", info.mic_bytes_per_s), std::pair("task-rate", info.task_bytes_per_s)})
        if (rate > 0) add(text, name, number("%.3g MB/s", rate / 1e6));
    return text;
}

std::string describe(const RequestRecord& request) {
    std::string text =
        one_line(request.source) + " > " + one_line(request.destination) + ": " + mesh::to_string(request.outcome);
    add(text, "subject", one_line(request.subject));
    add(text, "incarnation", std::to_string(request.incarnation));
    add(text, "reason", one_line(request.reason));
    add(text, "policy", std::to_string(request.policy));
    add(text, "took", number("%.3g ms", request.took_s * 1e3));
    return text;
}

std::string describe(const DeviceReport& report, const std::function<std::string(std::uint32_t)>& name_of) {
    double rate = 0, worst = 0;
    for (const NeighbourReport& one : report.neighbours) {
        rate += one.quality.bytes_per_s;
        worst = std::max(worst, one.quality.latency_p99_s);
    }
    std::string text = number("%.3g MB/s to neighbours", rate / 1e6) + number(", worst p99 %.3g ms", worst * 1e3) +
                       ", refused " + std::to_string(report.counters.refused_frames + report.counters.refused_signals) +
                       ", rerouted " + std::to_string(report.counters.rerouted) + ", failures " +
                       std::to_string(report.counters.failures);
    for (std::size_t i = 0; i < std::min(report.neighbours.size(), most_reported_rows); ++i)
        add(text, name_of(report.neighbours[i].id).c_str(), quality_text(report.neighbours[i].quality));
    for (std::size_t i = 0; i < std::min(report.flows.size(), most_reported_rows); ++i) {
        const FlowReport& flow = report.flows[i];
        add(text, "flow",
            one_line(flow.source.value()) + " > " + one_line(flow.destination.value()) + ": " +
                quality_text(flow.quality));
    }
    return text;
}

std::string describe(const PolicyVersion& policy) {
    std::string text =
        "policy " + std::to_string(policy.version) + " by " + one_line(policy.author) + ": " + one_line(policy.change);
    add(text, "reason", one_line(policy.reason));
    for (std::size_t i = 0; i < std::min(policy.entries.size(), most_reported_rows); ++i)
        add(text, "entry", one_line(to_text(policy.entries[i])));
    return text;
}

SignalRecord noted(SignalKind kind, TimePoint now, std::uint32_t from, std::string text) {
    return {now, from, 0, clipped(std::move(text)), 0, kind};
}

std::vector<SignalRecord> noted(const DeviceReport& report, TimePoint now, std::uint32_t from, mesh::DeviceRole role,
                                const std::function<std::string(std::uint32_t)>& name_of) {
    std::vector<SignalRecord> records;
    if (role == mesh::DeviceRole::gateway)
        for (std::size_t i = 0; i < std::min(report.requests.size(), most_reported_requests); ++i)
            records.push_back(noted(request_signal, now, from, describe(report.requests[i])));
    records.push_back(noted(report_signal, now, from, describe(report, name_of)));
    return records;
}

}  // namespace divisi::control::inline protocol
