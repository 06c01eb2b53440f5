// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// Returns well-formed inputs from which the mutations start.
std::vector<std::string> fuzz_seeds();

/// The entry point of libFuzzer. It must neither crash nor hang for any bytes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

/// One of several messages in an input: a byte for its kind, two for its length (little-endian), and the message
/// itself.
struct FuzzRecord {
    std::uint8_t kind = 0;
    std::span<const std::byte> bytes;
};

/// Returns at most `most` messages of an input. A length beyond the end means all remaining bytes.
inline std::vector<FuzzRecord> fuzz_records(std::span<const std::byte> input, std::size_t most) {
    const auto byte = [&](std::size_t at) { return std::to_integer<std::size_t>(input[at]); };
    std::vector<FuzzRecord> records;
    while (input.size() >= 3 && records.size() < most) {
        const std::size_t length = std::min(byte(1) | byte(2) << 8, input.size() - 3);
        records.push_back({std::to_integer<std::uint8_t>(input[0]), input.subspan(3, length)});
        input = input.subspan(3 + length);
    }
    return records;
}
inline std::string fuzz_record(std::uint8_t kind, const std::string& bytes) {
    const auto part = [](std::size_t value) { return static_cast<char>(value & 0xff); };
    return std::string{part(kind), part(bytes.size()), part(bytes.size() >> 8)} + bytes;
}
