// SPDX-License-Identifier: Apache-2.0
#include "backend/submit/placement.h"

#include <map>
#include <memory>

#include "backend/control/planned_placement.h"
#include "backend/process/gpus.h"
#include "backend/process/processor.h"
#include "backend/store/profile_store.h"

namespace divisi::submit {

namespace {

using Profile = std::shared_ptr<const plan::DeviceProfile>;

/// Profiles of devices by their types, read once each.
class Profiles {
public:
    Profiles(const std::filesystem::path& file, std::int64_t threads) : threads_(threads) {
        std::error_code ignored;
        if (std::filesystem::exists(file, ignored))
            if (auto opened = store::ProfileStore::open(file); opened.ok()) store_ = std::move(*opened);
    }
    void read(const control::Device& device) {
        Profile& profile = known_[device.type];
        if (profile) return;
        if (store_)
            if (auto stored = store_->complete(device.name, device.type, threads_); stored.ok())
                profile = std::make_shared<const plan::DeviceProfile>(std::move(*stored));
        if (!profile) profile = default_of(device);
    }
    std::map<std::string, Profile> take() && { return std::move(known_); }

private:
    Profile default_of(const control::Device& device) const {
        return std::make_shared<const plan::DeviceProfile>(
            plan::default_profile(device.name, static_cast<double>(threads_)));
    }
    std::int64_t threads_;
    std::unique_ptr<store::ProfileStore> store_;
    std::map<std::string, Profile> known_;
};

}  // namespace

task::PlacementOf placement_of(const control::ClusterState& state, const task::PlaceSection& place,
                               const std::filesystem::path& data) {
    control::ClusterState nodes;
    nodes.nodes = state.nodes;
    control::PlacementWish wish;
    wish.stage_nodes = place.stages;
    wish.data_node = place.data;
    wish.device = place.device;
    wish.threads = static_cast<double>(place.threads);
    const control::Device here{place.device, process::device_type(place.device), process::usable_cores(), 0};
    Profiles read(data / store::profile_file, place.threads);
    read.read(here);
    for (const auto& [id, node] : nodes.nodes)
        for (const control::Device& device : node.info.devices) read.read(device);
    return [nodes = std::move(nodes), wish, here, known = std::move(read).take()](std::int32_t stages) {
        control::PlacementWish asked = wish;
        asked.stages = stages;
        const control::ProfileOf profile_of = [&](const control::Device& device) {
            const auto found = known.find(device.type);
            return found != known.end() ? found->second : known.at(here.type);
        };
        return nodes.nodes.empty() ? control::one_host(asked, here, profile_of)
                                   : control::planned_placement(nodes, asked, profile_of);
    };
}

std::string nodes_signature(const control::ClusterState& state) {
    std::string signature;
    for (const auto& [id, node] : state.nodes)
        signature += id.value() + ':' + std::to_string(static_cast<int>(node.state)) + ';';
    return signature;
}

}  // namespace divisi::submit
