// SPDX-License-Identifier: Apache-2.0
#include "backend/submit/placement.h"

#include <algorithm>
#include <map>
#include <memory>
#include <tuple>

#include "backend/process/gpus.h"
#include "backend/process/processor.h"
#include "backend/store/link_store.h"
#include "backend/store/profile_store.h"
#include "backend/submit/link_prices.h"
#include "backend/submit/node_pool.h"

namespace divisi::submit {

namespace {

using Profile = std::shared_ptr<const price::DeviceProfile>;

/// Returns the rates that the cluster file states: of a GPU, or of one thread of a processor. They replace the default
/// rates of one thread, so they grow with the threads in the same way. The rates of products and of other operators are
/// scaled alike.
Profile stated_profile(const control::Device& device, double threads) {
    price::DeviceProfile profile = price::default_profile(device.name, threads);
    const price::DeviceRates one_thread = price::default_profile(device.name).rates;
    if (device.flops_per_s > 0) {
        const double share = device.flops_per_s / one_thread.product_flops_per_s;
        profile.rates.product_flops_per_s *= share;
        profile.rates.other_flops_per_s *= share;
    }
    if (device.bytes_per_s > 0) profile.rates.bytes_per_s *= device.bytes_per_s / one_thread.bytes_per_s;
    return std::make_shared<const price::DeviceProfile>(std::move(profile));
}

/// Profiles of devices. A stated profile takes precedence over one measured on the same device type; otherwise a device
/// has default rates. Each profile is read or computed only once, so equal devices share one.
class Profiles {
public:
    Profiles(const std::filesystem::path& file, std::int64_t threads) : threads_(threads) {
        std::error_code ignored;
        if (!std::filesystem::exists(file, ignored)) return;
        auto opened = store::ProfileStore::open(file);
        if (opened.ok()) store_ = std::move(*opened);
        else problem_ = opened.error().message();
    }
    /// Returns why measured prices cannot be read; empty if they can be read.
    const std::string& problem() const { return problem_; }
    const Profile& of(const control::Device& device) {
        const bool stated = device.flops_per_s > 0 || device.bytes_per_s > 0;
        Profile& profile = known_[{stated ? device.name : device.type, device.flops_per_s, device.bytes_per_s}];
        if (!profile) profile = stated ? stated_profile(device, static_cast<double>(threads_)) : measured(device);
        return profile;
    }

private:
    Profile measured(const control::Device& device) {
        const double threads = static_cast<double>(threads_);
        auto stored = store_ ? store_->load(device.type, threads_) : price::DeviceProfile{};
        if (!stored.ok()) {
            problem_ = stored.error().message();
            stored = price::DeviceProfile{};
        }
        const bool rated = stored->rates.product_flops_per_s > 0;
        if (!rated) stored->rates = price::default_profile(device.name, threads).rates;
        if (rated || !stored->operators.empty())
            return std::make_shared<const price::DeviceProfile>(std::move(*stored));
        Profile& guessed = guessed_[device.name];
        if (!guessed)
            guessed = std::make_shared<const price::DeviceProfile>(price::default_profile(device.name, threads));
        return guessed;
    }

    std::int64_t threads_;
    std::unique_ptr<store::ProfileStore> store_;
    std::string problem_;
    std::map<std::tuple<std::string, double, double>, Profile> known_;
    std::map<std::string, Profile> guessed_;  ///< default profiles, by the name of the device
};

}  // namespace

price::NodePool placement_of(const control::ClusterState& state, const task::PlaceSection& place,
                             const std::filesystem::path& data) {
    PlacementWish wish;
    wish.stage_nodes = place.stages;
    wish.data_node = place.data;
    for (const auto& [pattern, node] : place.pins) wish.others.push_back(node);
    wish.device = place.device;
    wish.threads = static_cast<double>(place.threads);
    wish.nodes = place;
    Profiles profiles(data / store::profile_file, place.threads);
    const ProfileOf profile_of = [&](const control::Device& device) { return profiles.of(device); };
    const bool any = std::any_of(state.nodes.begin(), state.nodes.end(),
                                 [](const auto& node) { return node.second.state == control::NodeState::ready; });
    const control::Device here{place.device, process::device_type(place.device), process::usable_cores()};
    const auto alone = [&] {
        const auto kept = store::kept_links(data / store::profile_file);
        return one_host(wish, here, profile_of, links_within(process::host_name(), kept));
    };
    price::NodePool pool = any ? node_pool(state, wish, profile_of) : alone();
    if (!profiles.problem().empty()) pool.note = "measured prices are not used: " + profiles.problem();
    return pool;
}

Result<void> plan_for(TaskInput& input, const control::ClusterState& state, const std::filesystem::path& data) {
    DIVISI_TRY(control::check_wish(state, input.spec.place));
    task::CompileOptions options;
    options.devices = placement_of(state, input.spec.place, data);
    if (!options.devices.complete) return {};
    DIVISI_ASSIGN(input.plan, task::compile(input.spec, input.model, options));
    return {};
}

control::ClusterState nodes_and_links(const control::ClusterState& state) {
    control::ClusterState copy;
    copy.name = state.name;
    copy.nodes = state.nodes;
    copy.links = state.links;
    copy.stated_links = state.stated_links;
    copy.devices = state.devices;
    copy.pools = state.pools;
    if (!state.policies.empty()) copy.policies.insert(*state.policies.rbegin());  // the current policy
    return copy;
}

std::string nodes_signature(const control::ClusterState& state) {
    std::string signature;
    for (const auto& [id, node] : state.nodes)
        signature +=
            id.value() + ':' + std::to_string(static_cast<int>(node.state)) + (node.draining ? " drained;" : ";");
    for (const auto& [key, link] : state.links)
        signature += std::to_string(link.measured.time_since_epoch().count()) + ';';
    for (const auto& [name, device] : state.devices) {
        signature += std::to_string(device.id) + '=' + name + '@' + device.mic.value() + '@' + device.host;
        for (const std::string& neighbour : device.neighbours) signature += ',' + neighbour;
        signature += ';';
    }
    if (!state.policies.empty()) signature += "policy " + std::to_string(state.policies.rbegin()->first) + ';';
    for (const control::StatedLink& link : state.stated_links)
        signature += link.from + '>' + link.to + ':' + std::to_string(link.latency_s.value_or(-1)) + ',' +
                     std::to_string(link.bytes_per_s.value_or(-1)) + ';';
    return signature;
}

std::string prices_signature(const std::filesystem::path& data) {
    const std::string file = data / store::profile_file;
    std::string signature;
    // New entries are in the WAL file until the last program closes the database. A reader may leave an empty WAL file.
    for (const std::string& part : {file, file + "-wal"}) {
        std::error_code code;
        const auto size = std::filesystem::file_size(part, code);
        if (code || size == 0) continue;
        const auto time = std::filesystem::last_write_time(part, code).time_since_epoch().count();
        signature += std::to_string(size) + '@' + std::to_string(time) + ';';
    }
    return signature;
}

}  // namespace divisi::submit
