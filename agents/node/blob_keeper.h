// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "agents/node/blob_host.h"
#include "agents/node/dropped_blobs.h"
#include "backend/control/protocol/message.h"

namespace divisi::node {

/// How often a node looks for blobs that nobody needs.
inline constexpr Duration collection_interval = std::chrono::minutes(10);
/// After a connection to the orchestrator; whoever starts a cluster has other things to wait for.
inline constexpr Duration first_collection = std::chrono::seconds(5);

/// From the word that a blob is needed no more to the question whether that still holds: as long as the word of a
/// snapshot that was stored meanwhile takes to the orchestrator, however busy it is.
inline constexpr Duration drop_grace = std::chrono::seconds(2);

/// Removes blobs that nobody needs: asks the store which could go, then the orchestrator which of them it needs, then
/// lets the rest go. Lives on the agent's loop, the store on its own.
class BlobKeeper {
public:
    using Reply = std::function<void(Result<control::Message>)>;
    using Ask = std::function<void(const control::Message&, Reply)>;
    using Tell = std::function<void(const control::Message&)>;
    /// `ask` and `tell` reach the orchestrator.
    BlobKeeper(link::EventLoop& loop, BlobHost& host, NodeId node, Ask ask, Tell tell)
        : loop_(loop), host_(host), node_(std::move(node)), ask_(std::move(ask)), tell_(std::move(tell)) {}

    void collect();
    /// The orchestrator needs these no more; each goes as soon as it has said so again.
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
    bool waiting_ = false;  ///< for drop_grace to pass
};

}  // namespace divisi::node
