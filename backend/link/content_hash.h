// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "backend/frame/frame.h"

namespace divisi::link {

/// Computes the BLAKE2b-256 of bytes that arrive in parts.
class ContentHasher {
public:
    ContentHasher();
    void add(std::span<const std::byte> bytes);
    /// Finishes the hash; nothing can be added afterwards.
    frame::ContentKey key();

private:
    alignas(64) std::array<std::byte, 384> state_;  ///< libsodium's state; its header is included only in the .cpp file
};

frame::ContentKey content_hash(std::span<const std::byte> bytes);

}  // namespace divisi::link
