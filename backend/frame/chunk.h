// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "backend/base/clock.h"
#include "backend/frame/frame.h"

namespace divisi::frame {

/// One frame for the data connection. `owner` keeps the payload's memory alive; nothing is copied.
struct Chunk {
    FrameHeader header;
    std::shared_ptr<const void> owner;
    std::span<const std::byte> payload;
};

/// Timeout after which the sender asks about a completely sent but unacknowledged tensor. It doubles with every
/// question, up to longest_patience. A machine that computes on all cores answers late, and a question costs only a
/// header.
inline constexpr Duration first_patience = std::chrono::seconds(1);
inline constexpr Duration longest_patience = std::chrono::seconds(10);

/// Builds the question about a tensor that was sent, or supplied by a router; the caller fills in source and
/// destination.
Chunk question_about(const TensorKey& key);

}  // namespace divisi::frame
