// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "backend/link/transport.h"
#include "backend/mesh/signaling/rsvp.h"
#include "tests/sim/plant.h"
#include "tests/sim/watch.h"

namespace divisi::sim {

/// An account of the credit that gateways and routers give each other, from what they say and send: what a neighbour
/// may still send by a reservation fits the buffer that stands for it.
class Credits {
public:
    explicit Credits(Watch& watch) : watch_(watch) {}

    /// A device tells a neighbour what it may send.
    void told(const std::string& device, const mesh::RsvpMessage& resv);
    /// A device sends a neighbour so many bytes by this reservation, which no other device of this world has made.
    void sent(const std::string& device, std::uint64_t reservation, std::uint64_t bytes);

private:
    struct Account {
        std::uint64_t allowed = 0;  ///< bytes, from the reservation's start
        std::uint64_t window = 0;   ///< of them what does not stand for freed ones: its part of the buffer
        std::uint64_t sent = 0;     ///< as allowed
    };
    Watch& watch_;
    std::map<std::uint64_t, Account> accounts_;  ///< by reservation
};

/// The sockets of one gateway or router: whatever goes to its neighbours is entered in the account.
class DeviceSockets final : public link::Transport {
public:
    /// `neighbours`: where devices take chunks. `plant`: with this bug.
    DeviceSockets(link::Transport& sockets, std::string device, std::set<std::string> neighbours, Credits& credits,
                  Plant plant);

    Result<std::unique_ptr<link::Listener>> listen(const link::ListenOptions& options,
                                                   link::Listener::Events events) override;
    Result<std::unique_ptr<link::Channel>> connect(const link::Address& address, link::Purpose purpose,
                                                   const std::string& identity, link::Channel::Events events) override;

    /// Whether a chunk has gone to a neighbour since this was asked last.
    bool has_sent() { return std::exchange(has_sent_, false); }

private:
    friend class AccountedChannel;
    link::Sent send_chunk(link::Channel& channel, const link::Parts& parts);
    link::Sent send_signal(link::Channel& channel, const link::Parts& parts);

    link::Transport& sockets_;
    std::string device_;
    std::set<std::string> neighbours_;
    Credits& credits_;
    Plant plant_;
    bool has_sent_ = false;
};

}  // namespace divisi::sim
