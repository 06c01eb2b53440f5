// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/control/agent/node_agent.h"
#include "backend/link/agent_link.h"
#include "tests/sim/fake_blob_store.h"
#include "tests/sim/injected_bug.h"
#include "tests/sim/process.h"

namespace divisi::sim {

/// One node agent. Its state machine and its connection are production code; its children are simulated processes.
class NodeProcess final : public Process {
public:
    struct Events {
        std::function<void(const InstanceId&)> spawn;
        std::function<void(const InstanceId&, bool force)> signal;
        std::function<void()> exit;
        /// Ends the instance and keeps its process; returns false if the process cannot be notified.
        std::function<bool(const InstanceId&)> keep;
        /// Makes the process of one instance run another instance from now on.
        std::function<void(const InstanceId& from, const InstanceId& to)> pass_on;
        /// Fetches a blob from the node that serves at `endpoint` and returns its size. The caller has already waited
        /// for the transfer time.
        std::function<Result<Bytes>(const std::string& hash, const std::string& endpoint)> fetch;
    };
    NodeProcess(Surroundings around, Place place, NodeId id, FakeBlobStore& store, Events events,
                InjectedBug bug = InjectedBug::none);

    /// Returns the endpoint at which a node serves its blobs.
    static std::string blob_endpoint(const NodeId& id) { return "mem://blobs of " + id.value(); }

    /// Handles the kernel's notice that a child has ended.
    void child_ended(const InstanceId& instance, int code, int signal);

private:
    void feed(const control::node::Input& input);
    void tick();
    bool take(const control::Message& message);
    void fetch(const control::FetchBlob& what);
    void write_late(const std::string& hash);
    void drop_unused(const std::vector<std::string>& hashes, TimePoint named);

    FakeBlobStore& store_;
    InjectedBug bug_;
    Events events_;
    control::NodeAgent agent_;
    link::AgentLink orchestrator_;
    link::Timer timer_;
};

}  // namespace divisi::sim
