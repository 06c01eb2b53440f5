// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "agents/node/blob_host.h"
#include "backend/base/clock.h"
#include "backend/control/protocol/message.h"

namespace divisi::node {

/// Blobs that the orchestrator has named as unneeded (DropBlobs) but not confirmed yet. Meanwhile an instance may store
/// the same bytes for another task. The blob is then kept. That instance's report reaches the orchestrator before the
/// query, and the store keeps blobs that were used after the orchestrator named them.
class DroppedBlobs {
public:
    /// Adds blobs. If there are more than fit into one query (store::most_asked_blobs), the remaining blobs are left to
    /// the collection of old blobs.
    void name(const std::vector<std::string>& hashes, TimePoint now);
    /// Returns the blobs about which to ask the orchestrator.
    std::vector<std::string> named() const;
    /// Returns the blobs to remove after the answer to the query at `asked_at`, with the time each was last named. A
    /// blob that was named again in the meantime stays for the next query.
    std::map<std::string, TimePoint> confirm(const std::vector<std::string>& asked,
                                             const std::vector<std::string>& needed, TimePoint asked_at);

private:
    std::map<std::string, TimePoint> named_;  ///< time at which each blob was last named
};

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
