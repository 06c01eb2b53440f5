// SPDX-License-Identifier: Apache-2.0
// RSVP messages as a hostile neighbour may send them.
#include <cstdio>
#include <cstdlib>

#include "backend/mesh/rsvp.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/mesh/sample_messages.h"

using namespace divisi;
using namespace divisi::mesh;

namespace {

std::span<const std::byte> view(const std::string& bytes) { return std::as_bytes(std::span(bytes)); }

void put_be16(std::string& bytes, std::size_t at, std::size_t value) {
    bytes[at] = static_cast<char>(value >> 8);
    bytes[at + 1] = static_cast<char>(value & 0xff);
}

/// Whatever is accepted is written to bytes that are accepted and mean the same.
void check(const std::string& bytes) {
    const auto message = decode(view(bytes));
    if (!message.ok()) return;
    const auto again = encode(*message);
    if (!again.ok()) {
        std::fprintf(stderr, "a message that was read cannot be written: %s\n", again.error().message().c_str());
        std::abort();
    }
    const auto back = decode(view(*again));
    if (!back.ok() || *back != *message) {
        std::fprintf(stderr, "a message is not read as it is written\n");
        std::abort();
    }
}

}  // namespace

std::vector<std::string> fuzz_seeds() {
    std::vector<std::string> seeds;
    for (const auto& [name, message] : sample::all()) seeds.push_back(encode(message).value());
    return seeds;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string bytes(reinterpret_cast<const char*>(data), size);
    check(bytes);
    if (size < 8) return 0;
    // Length and checksum hide all that lies behind them: check once more with those made right.
    put_be16(bytes, 6, size);
    put_be16(bytes, 2, 0);
    put_be16(bytes, 2, internet_checksum(view(bytes)));
    check(bytes);
    return 0;
}
