// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "agents/node/blob_host.h"
#include "agents/node/dropped_blobs.h"
#include "backend/control/protocol/message.h"

namespace divisi::node {

/// Interval at which a node searches for unneeded blobs.
inline constexpr Duration collection_interval = std::chrono::minutes(10);
/// Delay after connecting to the orchestrator, so that the start of a cluster is not slowed.
inline constexpr Duration first_collection = std::chrono::seconds(5);

/// Delay between the message that a blob is unneeded and the query whether the blob is still unneeded. If an instance
/// has stored the same snapshot meanwhile, its report can reach a busy orchestrator during the delay.
inline constexpr Duration drop_grace = std::chrono::seconds(2);

/// Removes unneeded blobs: asks the store for candidates, asks the orchestrator which candidates are needed, and
/// removes the rest. Runs on the agent's loop; the store runs on its own loop.
class BlobCollector {
public:
    using Reply = std::function<void(Result<control::Message>)>;
    using Ask = std::function<void(const control::Message&, Reply)>;
    using Tell = std::function<void(const control::Message&)>;
    /// `ask` and `tell` are functions that send messages to the orchestrator.
    BlobCollector(link::EventLoop& loop, BlobHost& host, NodeId node, Ask ask, Tell tell)
        : loop_(loop), host_(host), node_(std::move(node)), ask_(std::move(ask)), tell_(std::move(tell)) {}

    void collect();
    /// Handles the message that these blobs are unneeded. Removes each blob once the orchestrator has confirmed this.
    void drop(const control::DropBlobs& message);

private:
    void ask_about_dropped();
    void ask_about(std::vector<std::string> hashes);
    void remove(const std::vector<std::string>& asked, const std::vector<std::string>& needed, TimePoint asked_at);

    link::EventLoop& loop_;
    BlobHost& host_;
    NodeId node_;
    Ask ask_;
    Tell tell_;
    DroppedBlobs dropped_;
    bool waiting_ = false;  ///< whether drop_grace is running
};

}  // namespace divisi::node
