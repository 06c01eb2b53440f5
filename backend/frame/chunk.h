// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "backend/base/clock.h"
#include "backend/frame/frame.h"

namespace divisi::frame {

/// One frame for the data connection. `owner` keeps the payload's memory alive, so no bytes are copied.
struct Chunk {
    FrameHeader header;
    std::shared_ptr<const void> owner;
    std::span<const std::byte> payload;
};

/// Time that the sender of a complete tensor waits for the acknowledgement before it asks whether the tensor has
/// arrived. The time doubles with every question, up to longest_patience, because a machine that computes on all cores
/// answers late. A question costs only a header.
inline constexpr Duration first_patience = std::chrono::seconds(1);
inline constexpr Duration longest_patience = std::chrono::seconds(10);

/// Builds the frame that asks whether a tensor has arrived. The tensor was sent by this end or supplied by a router.
/// The caller fills in source and destination.
Chunk question_about(const TensorKey& key);

}  // namespace divisi::frame
