// SPDX-License-Identifier: Apache-2.0
// Sends admission policies to gateways, and records the requests that gateways report (signaling type 3).
#include "backend/control/network/mesh_devices.h"
#include "backend/control/types/error_texts.h"

namespace divisi::control::inline network {
namespace {

/// Returns whether two policies have the same content. Ignores their versions.
bool say_the_same(const AdmissionPolicy& a, const AdmissionPolicy& b) {
    return a.rules == b.rules && a.revoked_keys == b.revoked_keys && a.orders == b.orders;
}

}  // namespace

void MeshDevices::send_policy(const Known& device) {
    if (!device.peer || device.view.info.role != mesh::DeviceRole::gateway) return;
    AdmissionPolicy policy = access_.policy_for(device.view.info.mic);
    admitted_[device.view.info.name] = policy;
    context_.send(*device.peer, std::move(policy));
}

void MeshDevices::send_policies() {
    if (!access_.take_change()) return;
    for (const auto& [name, device] : devices_.all()) {
        if (device.view.info.role != mesh::DeviceRole::gateway) continue;
        const AdmissionPolicy policy = access_.policy_for(device.view.info.mic);
        const auto sent = admitted_.find(name);
        if (sent == admitted_.end() || !say_the_same(sent->second, policy)) send_policy(device);
    }
}

void MeshDevices::handle(const Received& received, const QueryRequests& message) {
    const bool known = message.gateway.empty() || devices_.contains(message.gateway);
    if (!known) return context_.refuse(received, make_error(error_text("no-such-gateway"), message.gateway));
    context_.answer(received, requests_.answer(message));
}

}  // namespace divisi::control::inline network
