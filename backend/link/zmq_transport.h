// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/link/event_loop.h"
#include "backend/link/security.h"
#include "backend/link/transport.h"

namespace divisi::link {

/// Creates sockets for `loop`'s thread. `keys` are this process's own keys, which tcp requires. Context and loop must
/// outlive the transport and everything that it created.
class ZmqTransport final : public Transport {
public:
    ZmqTransport(Context& context, EventLoop& loop, std::optional<KeyPair> keys = {})
        : context_(context), loop_(loop), keys_(std::move(keys)) {}

    Result<std::unique_ptr<Listener>> listen(const ListenOptions& options, Listener::Events events) override;
    Result<std::unique_ptr<Channel>> connect(const Address& address, Purpose purpose, const std::string& identity,
                                             Channel::Events events) override;

private:
    Context& context_;
    EventLoop& loop_;
    std::optional<KeyPair> keys_;
};

}  // namespace divisi::link
