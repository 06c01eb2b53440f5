// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "agents/node/blob_host.h"
#include "backend/control/message.h"

namespace divisi::node {

/// How often a node looks for blobs that nobody needs.
inline constexpr Duration collection_interval = std::chrono::minutes(10);
/// After a connection to the orchestrator; whoever starts a cluster has other things to wait for.
inline constexpr Duration first_collection = std::chrono::seconds(5);

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

private:
    void ask_about(std::vector<std::string> hashes);
    void remove(const std::vector<std::string>& asked, const std::vector<std::string>& needed, TimePoint asked_at);

    link::EventLoop& loop_;
    BlobHost& host_;
    NodeId node_;
    Ask ask_;
    Tell tell_;
};

}  // namespace divisi::node
