// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "backend/base/clock.h"
#include "backend/frame/frame.h"

namespace divisi::frame {

/// One frame for the data connection. Its payload lies in memory that `owner` keeps; nothing is copied.
struct Chunk {
    FrameHeader header;
    std::shared_ptr<const void> owner;
    std::span<const std::byte> payload;
};

/// A tensor that was sent wholly and not acknowledged is asked about after this time, then after twice as long, and so
/// on. A machine that computes on all cores answers late, and a question costs only a header.
inline constexpr Duration first_patience = std::chrono::seconds(1);
inline constexpr Duration longest_patience = std::chrono::seconds(10);

/// The question about a tensor that was sent, or supplied by a router; its ends are not filled in.
Chunk question_about(const TensorKey& key);

}  // namespace divisi::frame
