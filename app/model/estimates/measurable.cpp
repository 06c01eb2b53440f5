// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/estimates/measurable.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>
#include <map>

#include "backend/process/gpus.h"

namespace divisi::model {

namespace {

struct Measuring {
    Q_DECLARE_TR_FUNCTIONS(divisi::model::Measuring)
};

/// Returns the device named as in "mic-1/node-1 cuda:0"; null if the cluster has no such device.
const control::Device* device_of(const control::ClusterState& cluster, const std::string& name) {
    const std::size_t space = name.rfind(' ');
    if (space == std::string::npos) return nullptr;
    const auto node = cluster.nodes.find(NodeId(name.substr(0, space)));
    if (node == cluster.nodes.end()) return nullptr;
    const auto& devices = node->second.info.devices;
    const auto device = std::ranges::find(devices, name.substr(space + 1), &control::Device::name);
    return device == devices.end() ? nullptr : &*device;
}

bool is_stated(const control::Device& device) { return device.flops_per_s > 0 || device.bytes_per_s > 0; }

QString obstacle(QStringList unlike, QStringList stated) {
    unlike.removeDuplicates();
    stated.removeDuplicates();
    if (!unlike.isEmpty())
        return Measuring::tr(
                   "This machine cannot measure the operators of %1: it has no device of that type. Open the console "
                   "on such a machine to measure them.")
            .arg(unlike.join(QStringLiteral(", ")));
    if (!stated.isEmpty())
        return Measuring::tr(
                   "The cluster file states the speed of %1. Prices use this speed, so measuring would "
                   "change nothing.")
            .arg(stated.join(QStringLiteral(", ")));
    return {};
}

}  // namespace

Measurable measurable(const price::Prediction& prediction, const control::ClusterState& cluster) {
    QStringList unlike, stated;
    // A cache of device types by name, because reading a type from the system is slow.
    std::map<std::string, std::string> ours;
    const auto type_here = [&](const std::string& name) -> const std::string& {
        std::string& type = ours[name];
        if (type.empty()) type = process::device_type(name);
        return type;
    };
    for (std::size_t i = 0; i < prediction.stages.size(); ++i) {
        const price::PredictedStage& stage = prediction.stages[i];
        if (stage.work_ms <= 0 || stage.profiled_share >= measured_well) continue;
        const std::size_t space = stage.device.rfind(' ');
        const std::string name = space == std::string::npos ? stage.device : stage.device.substr(space + 1);
        const control::Device* device = device_of(cluster, stage.device);
        const bool here = cluster.nodes.empty() || space == std::string::npos;  // no node: this machine
        if (device != nullptr && is_stated(*device)) stated << QString::fromStdString(stage.device);
        else if (here || (device != nullptr && device->type == type_here(name)))
            return {static_cast<std::int32_t>(i), name, {}};
        else unlike << QString::fromStdString(stage.device);
    }
    return {-1, {}, obstacle(std::move(unlike), std::move(stated))};
}

}  // namespace divisi::model
