// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "backend/link/transport.h"
#include "backend/mesh/signaling/rsvp.h"
#include "tests/sim/injected_bug.h"
#include "tests/sim/watch.h"

namespace divisi::sim {

/// Checks the credit that gateways and routers grant each other, from the signals and chunks that they send. The credit
/// left in a reservation must not exceed the buffer that backs it.
class Credits {
public:
    explicit Credits(Watch& watch) : watch_(watch) {}

    /// Records the credit that a device grants a neighbour.
    void told(const std::string& device, const mesh::RsvpMessage& resv);
    /// Records bytes that a device sends a neighbour under `reservation`, whose number is unique in this world.
    void sent(const std::string& device, std::uint64_t reservation, std::uint64_t bytes);

private:
    struct Account {
        std::uint64_t allowed = 0;  ///< bytes granted since the reservation began
        std::uint64_t window = 0;   ///< the part of `allowed` that comes from the buffer's share, not from freed bytes
        std::uint64_t sent = 0;     ///< bytes sent since the reservation began
    };
    Watch& watch_;
    std::map<std::uint64_t, Account> accounts_;  ///< by reservation
};

/// The sockets of one gateway or router. They record in `Credits` all credit and chunks that the device sends to its
/// neighbours.
class DeviceSockets final : public link::Transport {
public:
    /// `neighbours` are the endpoints at which devices receive chunks. `bug` is the bug to plant, if any.
    DeviceSockets(link::Transport& sockets, std::string device, std::set<std::string> neighbours, Credits& credits,
                  InjectedBug bug);

    Result<std::unique_ptr<link::Listener>> listen(const link::ListenOptions& options,
                                                   link::Listener::Events events) override;
    Result<std::unique_ptr<link::Channel>> connect(const link::Address& address, link::Purpose purpose,
                                                   const std::string& identity, link::Channel::Events events) override;

    /// Returns whether a chunk has been sent to a neighbour since the last call, and resets the flag.
    bool take_sent() { return std::exchange(has_sent_, false); }

private:
    friend class AccountedChannel;
    link::Sent send_chunk(link::Channel& channel, const link::Parts& parts);
    link::Sent send_signal(link::Channel& channel, const link::Parts& parts);

    link::Transport& sockets_;
    std::string device_;
    std::set<std::string> neighbours_;
    Credits& credits_;
    InjectedBug bug_;
    bool has_sent_ = false;
};

}  // namespace divisi::sim
