// SPDX-License-Identifier: Apache-2.0
#include "backend/link/content_hash.h"

#include <sodium.h>

namespace divisi::link {
namespace {

static_assert(sizeof(frame::ContentKey) == crypto_generichash_BYTES, "BLAKE2b-256");

crypto_generichash_state* sodium(std::array<std::byte, 384>& state) {
    return reinterpret_cast<crypto_generichash_state*>(state.data());
}

}  // namespace

ContentHasher::ContentHasher() {
    static_assert(sizeof(crypto_generichash_state) <= sizeof(state_) && alignof(crypto_generichash_state) <= 64);
    crypto_generichash_init(sodium(state_), nullptr, 0, crypto_generichash_BYTES);
}

void ContentHasher::add(std::span<const std::byte> bytes) {
    crypto_generichash_update(sodium(state_), reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

frame::ContentKey ContentHasher::key() {
    frame::ContentKey key;
    crypto_generichash_final(sodium(state_), reinterpret_cast<unsigned char*>(key.data()), key.size());
    return key;
}

frame::ContentKey content_hash(std::span<const std::byte> bytes) {
    ContentHasher hasher;
    hasher.add(bytes);
    return hasher.key();
}

}  // namespace divisi::link
