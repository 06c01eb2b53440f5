// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace divisi::bench {

/// Chunk size of both lanes: the data port's default.
inline constexpr std::size_t chunk_bytes = 1u << 20;
inline constexpr std::size_t largest_tensor = 64u << 20;

/// Two threads with separate sockets, between which whole tensors are sent.
class Lane {
public:
    virtual ~Lane() = default;
    /// Returns the seconds until `count` tensors have all arrived.
    virtual double stream(std::size_t bytes, int count) = 0;
    /// Returns the time in seconds of `count` round trips of a tensor.
    virtual double echo(std::size_t bytes, int count) = 0;
};

/// `folder` holds ipc sockets; if it is empty, the lane uses tcp on loopback with CURVE.
std::unique_ptr<Lane> make_raw_lane(const std::string& folder);
std::unique_ptr<Lane> make_port_lane(const std::string& folder);

/// Ends the program with a message, if a benchmark cannot continue.
[[noreturn]] void give_up(const std::string& what);

}  // namespace divisi::bench
