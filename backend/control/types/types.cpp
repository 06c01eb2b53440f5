// SPDX-License-Identifier: Apache-2.0
#include "backend/control/types/types.h"

#include "backend/control/types/queue_types.h"

namespace divisi::control::inline types {
namespace {

std::optional<LinkTransport> transport_of(const NodeInfo& node) {
    if (node.blob_endpoint.starts_with("ipc:")) return LinkTransport::ipc;
    if (node.blob_endpoint.starts_with("tcp:")) return LinkTransport::tcp;
    return std::nullopt;
}

}  // namespace

const char* to_string(NodeState state) {
    switch (state) {
        case NodeState::ready: return "ready";
        case NodeState::lost: return "lost";
        case NodeState::left: return "left";
        case NodeState::away: return "away";
    }
    return "unknown";
}

const char* to_string(InstanceState state) {
    switch (state) {
        case InstanceState::placed: return "placed";
        case InstanceState::starting: return "starting";
        case InstanceState::registered: return "registered";
        case InstanceState::prepared: return "prepared";
        case InstanceState::running: return "running";
        case InstanceState::finished: return "finished";
        case InstanceState::stopped: return "stopped";
        case InstanceState::failed: return "failed";
        case InstanceState::standby: return "standby";
    }
    return "unknown";
}

const char* to_string(TaskPhase phase) {
    switch (phase) {
        case TaskPhase::queued: return "queued";
        case TaskPhase::registration: return "registration and path configuration";
        case TaskPhase::exchange: return "data exchange";
        case TaskPhase::telemetry: return "telemetry and feedback";
        case TaskPhase::policy: return "policy update";
        case TaskPhase::exception: return "exception handling";
        case TaskPhase::termination: return "termination and cleanup";
        case TaskPhase::ended: return "ended";
    }
    return "unknown";
}

const char* to_string(QueueState state) {
    switch (state) {
        case QueueState::nodes: return "waiting for its nodes";
        case QueueState::files: return "waiting for its files";
    }
    return "unknown";
}

const char* to_string(Outcome outcome) {
    switch (outcome) {
        case Outcome::none: return "none";
        case Outcome::succeeded: return "succeeded";
        case Outcome::failed: return "failed";
        case Outcome::stopped: return "stopped";
    }
    return "unknown";
}

const char* to_string(UnitState state) {
    switch (state) {
        case UnitState::waiting: return "waiting";
        case UnitState::running: return "running";
        case UnitState::done: return "done";
        case UnitState::failed: return "failed";
    }
    return "unknown";
}

const char* to_string(Discipline discipline) {
    switch (discipline) {
        case Discipline::fcfs: return "fcfs";
        case Discipline::priority: return "priority";
        case Discipline::share: return "share";
    }
    return "unknown";
}

const char* to_string(LinkTransport transport) {
    switch (transport) {
        case LinkTransport::ipc: return "ipc";
        case LinkTransport::tcp: return "tcp";
        case LinkTransport::mesh: return "mesh";
    }
    return "unknown";
}

std::optional<LinkTransport> transport_between(const NodeInfo& from, const NodeInfo& to) {
    const auto transport = transport_of(from);
    const bool reach = transport == transport_of(to) && (transport == LinkTransport::tcp || from.host == to.host);
    return reach ? transport : std::nullopt;
}

}  // namespace divisi::control::inline types
