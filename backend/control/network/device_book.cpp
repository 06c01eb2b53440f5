// SPDX-License-Identifier: Apache-2.0
#include "backend/control/network/device_book.h"

#include <algorithm>

namespace divisi::control::inline network {
namespace {

template <typename Index, typename Key>
const std::string* look_up(const Index& index, const Key& key) {
    const auto found = index.find(key);
    return found == index.end() ? nullptr : &found->second;
}

}  // namespace

const DeviceBook::Known* DeviceBook::find(const std::string& name) const {
    const auto found = devices_.find(name);
    return found == devices_.end() ? nullptr : &found->second;
}

const DeviceBook::Known* DeviceBook::find(std::uint32_t id) const {
    const std::string* name = look_up(by_id_, id);
    return name ? find(*name) : nullptr;
}

const DeviceBook::Known* DeviceBook::find(PeerId peer) const {
    const std::string* name = look_up(by_peer_, peer);
    return name ? find(*name) : nullptr;
}

DeviceBook::Known* DeviceBook::find(PeerId peer) {
    const std::string* name = look_up(by_peer_, peer);
    return name ? &devices_.at(*name) : nullptr;
}

const DeviceBook::Known* DeviceBook::gateway_of(const MicId& mic) const {
    const std::string* name = look_up(gateways_, mic);
    return name ? find(*name) : nullptr;
}

bool DeviceBook::linked(const std::string& a, const std::string& b) const {
    const auto names = [&](const std::string& one, const std::string& other) {
        const auto namers = named_by_.find(other);
        return namers != named_by_.end() && namers->second.contains(one);
    };
    return contains(a) && contains(b) && (names(a, b) || names(b, a));
}

std::set<std::string> DeviceBook::neighbours(const std::string& name) const {
    const Known* device = find(name);
    if (!device) return {};
    std::set<std::string> found;
    for (const std::string& other : device->view.info.neighbours)
        if (contains(other)) found.insert(other);
    if (const auto namers = named_by_.find(name); namers != named_by_.end())
        found.insert(namers->second.begin(), namers->second.end());
    return found;
}

DeviceBook::Known& DeviceBook::put(const DeviceInfo& info, PeerId peer, std::uint32_t wanted) {
    const auto [at, fresh] = devices_.try_emplace(info.name);
    Known& device = at->second;
    if (fresh) by_id_.emplace(device.view.id = free_id(wanted), info.name);
    else withdraw(info.name, device);
    device.view.info = info;
    device.view.up = true;
    device.peer = peer;
    by_peer_[peer] = info.name;
    if (info.role == mesh::DeviceRole::gateway) gateways_[info.mic] = info.name;
    for (const std::string& other : info.neighbours) named_by_[other].insert(info.name);
    return device;
}

void DeviceBook::part(const std::string& name) {
    Known& device = devices_.at(name);
    if (device.peer) by_peer_.erase(*device.peer);
    device.peer.reset();
    device.view.up = false;
}

void DeviceBook::erase(const std::string& name) {
    const auto at = devices_.find(name);
    if (at == devices_.end()) return;
    withdraw(name, at->second);
    by_id_.erase(at->second.view.id);
    devices_.erase(at);
}

void DeviceBook::withdraw(const std::string& name, const Known& device) {
    if (device.peer) by_peer_.erase(*device.peer);
    const DeviceInfo& info = device.view.info;
    if (info.role == mesh::DeviceRole::gateway) gateways_.erase(info.mic);
    for (const std::string& other : info.neighbours) {
        const auto namers = named_by_.find(other);
        if (namers == named_by_.end()) continue;
        namers->second.erase(name);
        if (namers->second.empty()) named_by_.erase(namers);
    }
}

std::uint32_t DeviceBook::free_id(std::uint32_t wanted) const {
    if (wanted > 0 && wanted <= 0xffff && !by_id_.contains(wanted)) return wanted;
    std::uint32_t id = 1;
    for (const auto& [taken, name] : by_id_) {
        if (taken != id) break;
        ++id;
    }
    return id;
}

}  // namespace divisi::control::inline network
