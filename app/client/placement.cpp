// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/client/placement.h"

#include <map>
#include <memory>

#include "backend/control/planned_placement.h"
#include "backend/embed/embedded_cluster.h"
#include "backend/process/processor.h"
#include "backend/store/profile_store.h"

namespace divisi::client {

namespace {

using Profiles = std::map<std::string, std::shared_ptr<const plan::DeviceProfile>>;

/// Measured prices, with the default rates where rates were not measured.
std::shared_ptr<const plan::DeviceProfile> profile_of(store::ProfileStore* store, const control::Device& device,
                                                      std::int64_t threads) {
    if (store)
        if (auto known = store->complete(device.name, device.name == "cpu" ? device.type : device.name, threads);
            known.ok())
            return std::make_shared<const plan::DeviceProfile>(std::move(*known));
    return std::make_shared<const plan::DeviceProfile>(
        plan::default_profile(device.name, static_cast<double>(threads)));
}

}  // namespace

std::function<plan::Placement(std::int32_t)> placement_of(const control::ClusterState& state,
                                                          const task::PlaceSection& place) {
    control::ClusterState nodes;
    nodes.nodes = state.nodes;
    control::PlacementWish wish;
    wish.stage_nodes = place.stages;
    wish.data_node = place.data;
    wish.device = place.device;
    wish.threads = static_cast<double>(place.threads);
    const control::Device here{"cpu", process::processor_model(), process::usable_cores(), 0};

    // A store that cannot be read means default rates, which the views say.
    std::unique_ptr<store::ProfileStore> store;
    const auto file = embed::default_data_folder() / store::profile_file;
    std::error_code ignored;
    if (std::filesystem::exists(file, ignored))
        if (auto opened = store::ProfileStore::open(file); opened.ok()) store = std::move(*opened);
    Profiles profiles;
    const auto add = [&](const control::Device& device) {
        profiles[device.name + '/' + device.type] = profile_of(store.get(), device, place.threads);
    };
    add(here);
    for (const auto& [id, node] : nodes.nodes)
        for (const control::Device& device : node.info.devices) add(device);

    return [nodes = std::move(nodes), wish, here, profiles = std::move(profiles)](std::int32_t stages) {
        control::PlacementWish asked = wish;
        asked.stages = stages;
        const control::ProfileOf find = [&](const control::Device& device) {
            const auto found = profiles.find(device.name + '/' + device.type);
            return found != profiles.end()
                       ? found->second
                       : std::make_shared<const plan::DeviceProfile>(plan::default_profile(device.name, asked.threads));
        };
        return nodes.nodes.empty() ? control::one_host(asked, here, find)
                                   : control::planned_placement(nodes, asked, find);
    };
}

std::string nodes_signature(const control::ClusterState& state) {
    std::string signature;
    for (const auto& [id, node] : state.nodes)
        signature += id.value() + ':' + std::to_string(static_cast<int>(node.state)) + ';';
    return signature;
}

}  // namespace divisi::client
