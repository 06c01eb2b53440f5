// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tuple>

#include "backend/control/change/blob_transfers.h"
#include "backend/control/change/checkpoints.h"
#include "backend/control/change/drains.h"
#include "backend/control/change/exceptions.h"
#include "backend/control/change/recut_adviser.h"
#include "backend/control/change/recuts.h"
#include "backend/control/change/versions.h"
#include "backend/control/core/orchestrator_context.h"
#include "backend/control/dispatch/alerts.h"
#include "backend/control/dispatch/span_watch.h"
#include "backend/control/dispatch/store_questions.h"
#include "backend/control/dispatch/watchers.h"
#include "backend/control/network/device_leases.h"
#include "backend/control/network/link_survey.h"
#include "backend/control/network/log_collector.h"
#include "backend/control/network/mesh_devices.h"
#include "backend/control/network/mics.h"
#include "backend/control/network/process_faults.h"
#include "backend/control/network/services.h"
#include "backend/control/policy/modules.h"
#include "backend/control/policy/policies.h"
#include "backend/control/queue/deliveries.h"
#include "backend/control/queue/models.h"
#include "backend/control/queue/reservations.h"
#include "backend/control/queue/task_queue.h"
#include "backend/control/runs/leases.h"
#include "backend/control/runs/runs.h"

namespace divisi::control::inline dispatch {

/// Owns the orchestrator's state machines, in order of dependency. All share a context, which must outlive them.
struct StateMachines {
    explicit StateMachines(OrchestratorContext& shared) : context(shared) {}
    StateMachines(const StateMachines&) = delete;  // the state machines refer to each other
    StateMachines& operator=(const StateMachines&) = delete;

    OrchestratorContext& context;
    Models models{context};
    Deliveries deliveries{context};
    KeptProcesses kept{context};
    TaskQueue queue{context, deliveries, models, kept};
    MeshDevices devices{context};
    Policies policies{context, devices, models};
    Mics mics{context, devices};
    Services services{context};
    DeviceLeases device_leases{context, devices, services};
    Leases leases{context};
    Runs runs{context, models, devices, leases, kept};
    Exceptions exceptions{context, models, queue, runs.reports()};
    Versions versions{context, models};
    Alerts alerts{context};
    LogCollector lines{context, devices};
    LinkSurvey survey{context, devices};
    BlobTransfers transfers{context, devices};
    Checkpoints checkpoints{context, transfers};
    Recuts recuts{context, models, queue, transfers, checkpoints, runs.recovery(), runs.fitness()};
    Drains drains{context, queue, recuts, runs.data(), runs.fitness()};
    RecutAdviser adviser{context, models, recuts};
    Reservations reservations{context, [this] { queue.look_again(); }};
    Modules modules{context, devices, policies, queue, services, runs.reports()};
    StoreQuestions stores{context};
    Watchers watchers{context, runs.reports()};
    SpanWatch spans{context};
    ProcessFaults process_faults{context};

    /// Returns references to all state machines, each once. Each machine has only the functions below that it needs.
    /// The machines are called in the order of the tuple:
    /// - adopt() after a restart;
    /// - follow(event) for each event, once the state includes it;
    /// - handle(received, message) for a message that the machine handles;
    /// - check_deadlines() at each tick, and next_deadline() in lived time.
    ///
    /// Orchestrator::step() has the order in which machines poll.
    auto all() {
        return std::tie(services, policies, checkpoints, models, deliveries, kept, queue, devices, mics, leases, runs,
                        exceptions, versions, alerts, survey, modules, drains, adviser, transfers, stores, reservations,
                        recuts, watchers, device_leases, lines, process_faults, spans);
    }
};

}  // namespace divisi::control::inline dispatch
