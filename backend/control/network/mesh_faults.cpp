// SPDX-License-Identifier: Apache-2.0
// Handles faults that operators inject into links and routers: permission, checks and healing.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "backend/control/network/mesh_devices.h"
#include "backend/control/network/process_faults.h"
#include "backend/control/protocol/fault_messages.h"
#include "backend/control/types/error_texts.h"

namespace divisi::control::inline network {
namespace {

std::string link_name(const LinkFault& fault) { return "the link " + fault.a + " - " + fault.b; }

/// Describes a fault, for example "slowed to 20 MB/s and delayed by 10 ms each way".
std::string what_of(const LinkFault& fault) {
    if (fault.cut) return "cut";
    char rate[48] = "", delay[48] = "";
    if (fault.bytes_per_s > 0) std::snprintf(rate, sizeof rate, "slowed to %.6g MB/s", fault.bytes_per_s / 1e6);
    if (fault.delay_s > 0) std::snprintf(delay, sizeof delay, "delayed by %.6g ms each way", fault.delay_s * 1e3);
    return std::string(rate) + (*rate && *delay ? " and " : "") + delay;
}

}  // namespace

void MeshDevices::handle(const Received& received, const FaultLink& message) {
    if (!faults_allowed_) return context_.refuse(received, no_faults_here());
    LinkFault fault = message.fault;
    if (fault.b < fault.a) std::swap(fault.a, fault.b);
    if (auto checked = check_fault(fault); !checked) return context_.refuse(received, checked.error());
    std::erase_if(faults_, [&](const LinkFault& other) { return other.a == fault.a && other.b == fault.b; });
    faults_.push_back(fault);
    say_fault(link_name(fault) + " was " + what_of(fault) + " by " +
              context_.sessions().at(received.peer).credentials.name);
    for (const std::string& name : {fault.a, fault.b}) tell_faults(name);
    context_.answer(received, Done{});
}

void MeshDevices::handle(const Received& received, const KillRouter& message) {
    if (!faults_allowed_) return context_.refuse(received, no_faults_here());
    if (auto error = cannot_fault(message.name)) return context_.refuse(received, *error);
    const Known& device = *devices_.find(message.name);
    if (device.view.info.role != mesh::DeviceRole::router)
        return context_.refuse(received, make_error(error_text("gateway-cannot-be-killed"), message.name));
    say_fault("the router " + message.name + " was killed by " +
              context_.sessions().at(received.peer).credentials.name);
    context_.send(*device.peer, KillDevice{});
    context_.answer(received, Done{});
}

void MeshDevices::handle(const Received& received, const HealFaults& message) {
    if (!faults_allowed_) return context_.refuse(received, no_faults_here());
    const std::string& a = std::min(message.a, message.b);
    const std::string& b = std::max(message.a, message.b);
    const bool all = message.a.empty() && message.b.empty();
    const auto meant = [&](const LinkFault& fault) { return all || (fault.a == a && fault.b == b); };
    if (!all && std::ranges::none_of(faults_, meant))
        return context_.refuse(received, make_error(error_text("no-such-link-fault"), a + " - " + b));
    heal_if(meant, context_.sessions().at(received.peer).credentials.name + " healed it");
    context_.answer(received, Done{});
}

std::optional<Error> MeshDevices::cannot_fault(const std::string& name) const {
    const Known* known = devices_.find(name);
    if (!known) {
        std::string names;
        for (const auto& [other, device] : devices_.all()) names += (names.empty() ? "" : ", ") + other;
        return names.empty() ? make_error(error_text("no-device-at-all"), name)
                             : make_error(error_text("no-such-device"), name, {names});
    }
    if (known->peer) return std::nullopt;
    return make_error(error_text("device-away"), name);
}

Result<void> MeshDevices::check_fault(const LinkFault& fault) const {
    for (const std::string& name : {fault.a, fault.b})
        if (auto error = cannot_fault(name)) return *error;
    if (!devices_.linked(fault.a, fault.b) || fault.a == fault.b) {
        std::string names;
        for (const std::string& other : devices_.neighbours(fault.a)) names += (names.empty() ? "" : ", ") + other;
        const std::string link = fault.a + " - " + fault.b;
        return names.empty() ? make_error(error_text("no-link-at-all"), link, {fault.a})
                             : make_error(error_text("no-such-link"), link, {fault.a, names});
    }
    const bool rated = fault.bytes_per_s != 0, delayed = fault.delay_s != 0;
    if (fault.cut ? rated || delayed : !rated && !delayed)
        return make_error(error_text("link-fault-mixed"), link_name(fault));
    const auto within = [](double value, double least, double most) {
        return std::isfinite(value) && value >= least && value <= most;
    };
    if (rated && !within(fault.bytes_per_s, least_fault_bytes_per_s, most_fault_bytes_per_s))
        return make_error(error_text("link-fault-rate"), link_name(fault));
    if (delayed && !within(fault.delay_s, 0, most_fault_delay_s))
        return make_error(error_text("link-fault-delay"), link_name(fault));
    return {};
}

void MeshDevices::heal_if(const std::function<bool(const LinkFault&)>& healed, const std::string& why) {
    std::set<std::string> ends;
    for (const LinkFault& fault : faults_) {
        if (!healed(fault)) continue;
        say_fault(link_name(fault) + " is healed: " + why, Severity::info);
        ends.insert({fault.a, fault.b});
    }
    std::erase_if(faults_, healed);
    for (const std::string& name : ends) tell_faults(name);
}

void MeshDevices::heal_device(const std::string& name, const std::string& why) {
    heal_if([&](const LinkFault& fault) { return fault.a == name || fault.b == name; }, why);
}

void MeshDevices::tell_faults(const std::string& name) {
    ++fault_changes_;
    const Known* known = devices_.find(name);
    if (!known || !known->peer) return;
    DeviceFaults message;
    for (const LinkFault& fault : faults_) {
        if (fault.a != name && fault.b != name) continue;
        const Known* other = devices_.find(fault.a == name ? fault.b : fault.a);
        if (!other) continue;
        message.links.push_back({other->view.id, fault.cut, fault.bytes_per_s, fault.delay_s});
    }
    context_.send(*known->peer, std::move(message));
}

void MeshDevices::say_fault(const std::string& what, Severity severity) {
    context_.append(Noted{severity, "fault", "", what});
}

}  // namespace divisi::control::inline network
