// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "backend/control/runs/data_instances.h"
#include "backend/control/runs/node_fitness.h"
#include "backend/control/runs/standbys.h"
#include "backend/control/runs/task_lifecycle.h"
#include "backend/control/runs/task_recovery.h"

namespace divisi::control::inline runs {

/// Connects the classes that run tasks, and makes them one state machine for the orchestrator. Makes no decisions
/// itself. A state machine that needs one of the classes uses that class directly.
class Runs {
public:
    Runs(OrchestratorContext& context, const Models& models, const MeshDevices& devices, Leases& leases,
         KeptProcesses& kept)
        : fitness_(context),
          lifecycle_(context, models, devices, leases, kept, fitness_),
          data_(context, devices, leases, lifecycle_),
          standbys_(context, leases, fitness_, lifecycle_),
          recovery_(context, leases, fitness_, standbys_, lifecycle_) {
        lifecycle_.add(data_);
        lifecycle_.add(standbys_);
        lifecycle_.add(recovery_);
    }
    Runs(const Runs&) = delete;  // its members refer to each other
    Runs& operator=(const Runs&) = delete;

    const NodeFitness& fitness() const { return fitness_; }
    TaskLifecycle& lifecycle() { return lifecycle_; }
    const TaskLifecycle& lifecycle() const { return lifecycle_; }
    TaskReports& reports() { return lifecycle_.reports(); }
    const TaskReports& reports() const { return lifecycle_.reports(); }
    DataInstances& data() { return data_; }
    TaskRecovery& recovery() { return recovery_; }

    // The interface of one state machine; see StateMachines::all().
    void adopt(bool hold) { lifecycle_.adopt(hold); }
    void check_deadlines() { lifecycle_.check_deadlines(); }
    std::optional<TimePoint> next_deadline() const { return lifecycle_.next_deadline(); }
    void follow(const Event& event) {
        lifecycle_.follow(event);
        reports().follow(event);
        fitness_.follow(event);
        data_.follow(event);
        standbys_.follow(event);
        recovery_.follow(event);
    }
    template <typename M>
    requires requires(TaskLifecycle& machine, const Received& received, const M& message) {
        machine.handle(received, message);
    }
    void handle(const Received& received, const M& message) { lifecycle_.handle(received, message); }
    template <typename M>
    requires requires(TaskReports& machine, const Received& received, const M& message) {
        machine.handle(received, message);
    }
    void handle(const Received& received, const M& message) { reports().handle(received, message); }
    void handle(const Received& received, const ScaleData& message) { data_.handle(received, message); }

private:
    NodeFitness fitness_;
    TaskLifecycle lifecycle_;
    DataInstances data_;
    Standbys standbys_;
    TaskRecovery recovery_;
};

}  // namespace divisi::control::inline runs
