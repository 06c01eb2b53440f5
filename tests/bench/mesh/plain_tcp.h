// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "backend/link/event_loop.h"
#include "backend/link/transport.h"

namespace divisi::bench {

/// Which port of 127.0.0.1 stands for which name. Any thread.
class Ports {
public:
    void put(const std::string& name, const std::string& endpoint);
    /// Empty where nobody listens under the name.
    std::string find(const std::string& name) const;

private:
    mutable std::mutex mutex_;
    std::map<std::string, std::string> endpoints_;
};

/// Sockets like those of link::ZmqTransport, on tcp without CURVE, which no program of Divisi has: a stream is measured
/// without what encryption costs. Whoever connects is the owner. Listeners have the names that they are asked for, and
/// ports of 127.0.0.1 that the system chooses.
class PlainTcp final : public link::Transport {
public:
    PlainTcp(void* context, link::EventLoop& loop, std::shared_ptr<Ports> ports)
        : context_(context), loop_(loop), ports_(std::move(ports)) {}

    Result<std::unique_ptr<link::Listener>> listen(const link::ListenOptions& options,
                                                   link::Listener::Events events) override;
    /// `unavailable` where nobody listens yet.
    Result<std::unique_ptr<link::Channel>> connect(const link::Address& address, link::Purpose purpose,
                                                   const std::string& identity, link::Channel::Events events) override;

private:
    void* context_;
    link::EventLoop& loop_;
    std::shared_ptr<Ports> ports_;
};

}  // namespace divisi::bench
