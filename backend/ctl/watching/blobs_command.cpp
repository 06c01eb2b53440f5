// SPDX-License-Identifier: Apache-2.0
// divisictl blobs: lists files on nodes and transfers them between nodes.
#include <cstdio>

#include "backend/base/units.h"
#include "backend/control/types/blob_types.h"
#include "backend/ctl/terminal/commands.h"
#include "backend/ctl/terminal/json_output.h"
#include "backend/ctl/terminal/terminal.h"

namespace divisi::ctl {
namespace {

/// Time limit of a transfer. A blob of 32 GiB takes hours over a link that is busy with tensors. The nodes abort the
/// transfer themselves if no data arrives.
constexpr Duration longest_transfer = std::chrono::hours(24);

/// A file that a task has left on a node: weights, or a batch's results.
struct Left {
    const control::WeightsStored* stored;
    NodeId node;
};

std::vector<Left> left_by_tasks(const control::ClusterState& state) {
    std::vector<Left> all;
    for (const auto& [id, task] : state.tasks)
        for (const control::WeightsStored& stored : task.weights)
            if (const auto one = state.instances.find(stored.instance); one != state.instances.end())
                all.push_back({&stored, one->second.node});
    return all;
}

}  // namespace

int list_blobs(const Common& common) {
    auto session = open_session(common);
    if (!session) return print_error(session.error());
    const auto state = (*session)->snapshot();
    if (!state) return print_error(state.error());
    std::vector<std::vector<std::string>> rows;
    for (const auto& [stored, node] : left_by_tasks(*state)) {
        const char* kind = stored->results ? "results" : "weights";
        if (common.json)
            print_json({{"hash", stored->hash},
                        {"bytes", stored->size},
                        {"node", node.value()},
                        {"task", stored->task.value()},
                        {"kind", kind},
                        {"step", stored->step}});
        else
            rows.push_back({stored->hash, format_bytes(stored->size), node.value(), stored->task.value(), kind,
                            std::to_string(stored->step)});
    }
    if (common.json) return 0;
    if (rows.empty()) std::puts("no task has left weights or results on a node");
    else print_table({"HASH", ">SIZE", "NODE", "TASK", "KIND", ">STEP"}, rows);
    return 0;
}

int bring_blob(const Common& common, const std::string& hash, const std::string& from, const std::string& to) {
    auto session = open_session(common, control::Role::operate);
    if (!session) return print_error(session.error());
    const auto brought =
        (*session)->ask<control::BlobBrought>(control::BringBlob{hash, NodeId(from), NodeId(to)}, longest_transfer);
    if (!brought) return print_error(brought.error());
    const double rate = brought->seconds > 0 ? static_cast<double>(brought->size) / brought->seconds : 0;
    if (common.json)
        print_json({{"hash", hash},
                    {"from", from},
                    {"to", to},
                    {"bytes", brought->size},
                    {"seconds", brought->seconds},
                    {"by_mesh", brought->by_mesh}});
    else
        std::printf("%s has it: %s in %.3g s, %.3g MB/s, %s\n", to.c_str(), format_bytes(brought->size).c_str(),
                    brought->seconds, rate / 1e6,
                    brought->by_mesh ? "through gateways and routers" : "directly from node to node");
    return 0;
}

}  // namespace divisi::ctl
