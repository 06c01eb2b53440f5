// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace divisi::bench {

/// Chunks of both lanes, as the data port cuts tensors by default.
inline constexpr std::size_t chunk_bytes = 1u << 20;
inline constexpr std::size_t largest_tensor = 64u << 20;

/// Two threads, each with sockets of its own, between which whole tensors travel.
class Lane {
public:
    virtual ~Lane() = default;
    /// Seconds until `count` tensors have all arrived.
    virtual double stream(std::size_t bytes, int count) = 0;
    /// Seconds in which a tensor goes there and back `count` times.
    virtual double echo(std::size_t bytes, int count) = 0;
};

/// `folder` is for ipc sockets; empty: tcp on loopback with CURVE.
std::unique_ptr<Lane> make_raw_lane(const std::string& folder);
std::unique_ptr<Lane> make_port_lane(const std::string& folder);

/// For what a benchmark cannot go on without: ends the program with a message.
[[noreturn]] void give_up(const std::string& what);

}  // namespace divisi::bench
