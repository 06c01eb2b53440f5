// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "backend/link/event_loop.h"
#include "backend/link/transport.h"

namespace divisi::bench {

/// Maps names to ports of 127.0.0.1. Usable from any thread.
class Ports {
public:
    void put(const std::string& name, const std::string& endpoint);
    /// Returns an empty text if no listener has this name.
    std::string find(const std::string& name) const;

private:
    mutable std::mutex mutex_;
    std::map<std::string, std::string> endpoints_;
};

/// Sockets like those of link::ZmqTransport, but on tcp without CURVE, to measure a stream without the cost of
/// encryption. No program of Divisi uses them. Every peer that connects counts as the owner. Listeners keep the names
/// that they request, and the system chooses their ports on 127.0.0.1.
class PlainTcp final : public link::Transport {
public:
    PlainTcp(void* context, link::EventLoop& loop, std::shared_ptr<Ports> ports)
        : context_(context), loop_(loop), ports_(std::move(ports)) {}

    Result<std::unique_ptr<link::Listener>> listen(const link::ListenOptions& options,
                                                   link::Listener::Events events) override;
    /// Returns `unavailable` if no listener exists yet.
    Result<std::unique_ptr<link::Channel>> connect(const link::Address& address, link::Purpose purpose,
                                                   const std::string& identity, link::Channel::Events events) override;

private:
    void* context_;
    link::EventLoop& loop_;
    std::shared_ptr<Ports> ports_;
};

}  // namespace divisi::bench
