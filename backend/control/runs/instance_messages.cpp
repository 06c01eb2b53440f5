// SPDX-License-Identifier: Apache-2.0
#include "backend/control/runs/instance_messages.h"

#include <algorithm>

#include "backend/control/protocol/instance_messages.h"
#include "backend/control/runs/recovery_placement.h"
#include "backend/control/runs/task_instances.h"

namespace divisi::control::inline runs {

Deploy InstanceMessages::deploy(const InstanceView& instance) const {
    const TaskView& task = context_.state().tasks.at(instance.task);
    const auto together = instances_of(context_.state(), task.id);
    const bool data_apart = std::any_of(together.begin(), together.end(), [](auto* other) { return other->stage < 0; });
    Deploy deploy;
    deploy.task = task.id;
    deploy.generation = task.generation;
    deploy.instance = instance.id;
    deploy.stage = instance.stage;
    deploy.data = instance.stage != standby_stage && (data_apart ? instance.stage < 0 : instance.stage == 0);
    deploy.text = task.text;
    deploy.folder = task.folder;
    deploy.cuts = task.cuts;
    deploy.plan_hash = task.plan_hash;
    deploy.skeleton = models_.of(task.id);
    deploy.files = task.files;
    deploy.restore = restore_for(task, instance);
    if (const Lease* lease = leases_.held_by(instance.id)) {
        deploy.lease = lease->number;
        deploy.share = lease->share;
        deploy.terms = lease->terms;
    }
    return deploy;
}

Peers InstanceMessages::peers(const TaskView& task, const InstanceView& of, bool begun) const {
    Peers peers{task.id, task.generation, {}, {}, {}};
    if (const auto gateway = devices_.gateway(of.node)) {
        peers.gateway = gateway->endpoint;
        peers.gateway_key = gateway->key;
    }
    for (const InstanceView* one : instances_of(context_.state(), task.id)) {
        // Data instances do not send to each other, and may appear and disappear at any time.
        if (one->stage == dealt_stage && (of.stage == dealt_stage || !one->joined || one->exited)) continue;
        const auto entry = devices_.entry(of.node, one->node);
        if (begun && !entry && mic_of(of.node) != mic_of(one->node)) continue;
        peers.peers.push_back({one->id, one->sid, one->stage, entry ? entry->endpoint : one->data_endpoint,
                               entry ? entry->key : one->data_key});
    }
    return peers;
}

Begin InstanceMessages::begin(const TaskView& task) const {
    Begin begin{task.id, task.generation};
    for (const InstanceView* one : instances_of(context_.state(), task.id)) {
        begin.eval_microbatches = std::max(begin.eval_microbatches, one->eval_microbatches);
        begin.samples = std::max(begin.samples, one->samples);
    }
    return begin;
}

void InstanceMessages::tell_peers(const TaskId& id, bool begun) {
    const TaskView& task = context_.state().tasks.at(id);
    for (const InstanceView* one : instances_of(context_.state(), id)) context_.tell(one->id, peers(task, *one, begun));
}

void InstanceMessages::warn_missing_gateways(const TaskId& task) {
    if (dealt_instances(context_.state(), task).empty()) return;
    std::set<MicId> without;
    for (const InstanceView* one : instances_of(context_.state(), task))
        if (!devices_.gateway(one->node)) without.insert(mic_of(one->node));
    for (const MicId& mic : without)
        context_.append(Noted{Severity::warning, "orchestrator", task.value(),
                              "the gateway of each MIC assigns micro-batches to data instances, but " +
                                  (mic.value().empty() ? "a node without a MIC" : mic.value()) +
                                  " has no gateway: the task waits until a divisi-gateway is started for it"});
}

MicId InstanceMessages::mic_of(const NodeId& node) const {
    const auto found = context_.state().nodes.find(node);
    return found == context_.state().nodes.end() ? MicId() : found->second.info.mic;
}

}  // namespace divisi::control::inline runs
