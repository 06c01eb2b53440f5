// SPDX-License-Identifier: Apache-2.0
#include "backend/ctl/network/mesh_view.h"

#include <cstdio>

#include "backend/control/protocol/mesh_messages.h"

namespace divisi::ctl {

std::string name_of(const control::MeshState& mesh, std::uint32_t id) {
    for (const control::DeviceView& device : mesh.devices)
        if (device.id == id) return device.info.name;
    return "device " + std::to_string(id);
}

std::string renewed_text(std::int64_t ms) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f s ago", static_cast<double>(ms) / 1e3);
    return text;
}

std::string to_text(const control::LinkFault& fault) {
    if (fault.cut) return "cut";
    char rate[32] = "", delay[32] = "";
    if (fault.bytes_per_s > 0) std::snprintf(rate, sizeof rate, "%.6g MB/s", fault.bytes_per_s / 1e6);
    if (fault.delay_s > 0) std::snprintf(delay, sizeof delay, "+%.6g ms", fault.delay_s * 1e3);
    return std::string(rate) + (*rate && *delay ? ", " : "") + delay;
}

std::string fault_between(const control::MeshState& mesh, const std::string& a, const std::string& b) {
    for (const control::LinkFault& fault : mesh.faults)
        if ((fault.a == a && fault.b == b) || (fault.a == b && fault.b == a)) return to_text(fault);
    return "";
}

const control::SegmentPath* carried_by(const control::DeviceView& device, const control::FlowReport& flow) {
    if (flow.path.size() < 2) return nullptr;
    for (const control::SegmentPath& one : device.segments)
        if (one.path.size() > 2 && one.path.front() == flow.path[0] && one.path.back() == flow.path[1]) return &one;
    return nullptr;
}

Result<void> fetch_signals(Session& session, std::uint64_t& last,
                           const std::function<void(const control::SignalRecord&)>& take) {
    for (bool more = true; more;) {
        DIVISI_ASSIGN(const control::Signals signals, session.ask<control::Signals>(control::QuerySignals{last}));
        for (const control::SignalRecord& one : signals.records) {
            take(one);
            last = one.number;
        }
        more = signals.more && !signals.records.empty();
    }
    return {};
}

}  // namespace divisi::ctl
