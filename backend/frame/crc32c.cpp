// SPDX-License-Identifier: Apache-2.0
#include "backend/frame/crc32c.h"

#include <array>
#include <cstring>

namespace divisi::frame {
namespace {

constexpr std::uint32_t reflected_polynomial = 0x82F63B78u;

using Table = std::array<std::uint32_t, 256>;

constexpr std::array<Table, 8> make_tables() {
    std::array<Table, 8> tables{};
    for (std::uint32_t i = 0; i < 256; ++i) {
        std::uint32_t crc = i;
        for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) ? reflected_polynomial : 0);
        tables[0][i] = crc;
    }
    for (std::uint32_t i = 0; i < 256; ++i)
        for (std::size_t t = 1; t < 8; ++t) tables[t][i] = (tables[t - 1][i] >> 8) ^ tables[0][tables[t - 1][i] & 0xFF];
    return tables;
}
constexpr auto tables = make_tables();

/// Processes eight bytes per iteration ("slicing by 8"), without the initial and the final inversion.
std::uint32_t raw_portable(const std::byte* p, std::size_t n, std::uint32_t crc) {
    while (n >= 8) {
        std::array<std::uint8_t, 8> b;
        std::memcpy(b.data(), p, 8);
        for (int i = 0; i < 4; ++i) b[static_cast<std::size_t>(i)] ^= static_cast<std::uint8_t>(crc >> (8 * i));
        crc = 0;
        for (std::size_t i = 0; i < 8; ++i) crc ^= tables[7 - i][b[i]];
        p += 8;
        n -= 8;
    }
    for (; n > 0; --n, ++p) crc = (crc >> 8) ^ tables[0][(crc ^ std::to_integer<std::uint32_t>(*p)) & 0xFF];
    return crc;
}

#if defined(__x86_64__)
/// Bytes of each of three strands, whose checksums are computed in parallel. The crc32 instruction has a latency of
/// three cycles and a throughput of one per cycle, so three independent sequences keep the unit busy.
constexpr std::size_t strand = 8192;

/// The effect on a checksum of appending `strand` zero bytes, as one table per byte of the checksum. The effect is
/// linear over GF(2), so the contributions of the bytes add by XOR.
struct Shift {
    std::array<Table, 4> by_byte{};
    Shift() {
        static const std::array<std::byte, strand> zeros{};
        for (std::uint32_t byte = 0; byte < 4; ++byte)
            for (std::uint32_t value = 0; value < 256; ++value)
                by_byte[byte][value] = raw_portable(zeros.data(), strand, value << (8 * byte));
    }
    std::uint32_t operator()(std::uint32_t crc) const {
        return by_byte[0][crc & 0xFF] ^ by_byte[1][(crc >> 8) & 0xFF] ^ by_byte[2][(crc >> 16) & 0xFF] ^
               by_byte[3][crc >> 24];
    }
};

std::uint64_t load(const std::byte* p) {
    std::uint64_t word;
    std::memcpy(&word, p, sizeof word);
    return word;
}

__attribute__((target("sse4.2"))) std::uint32_t raw_fast(const std::byte* p, std::size_t n, std::uint32_t crc) {
    static const Shift shift;
    while (n >= 3 * strand) {
        std::uint64_t a = crc, b = 0, c = 0;
        for (std::size_t i = 0; i < strand; i += 8) {
            a = __builtin_ia32_crc32di(a, load(p + i));
            b = __builtin_ia32_crc32di(b, load(p + strand + i));
            c = __builtin_ia32_crc32di(c, load(p + 2 * strand + i));
        }
        crc =
            shift(shift(static_cast<std::uint32_t>(a)) ^ static_cast<std::uint32_t>(b)) ^ static_cast<std::uint32_t>(c);
        p += 3 * strand;
        n -= 3 * strand;
    }
    std::uint64_t wide = crc;
    for (; n >= 8; n -= 8, p += 8) wide = __builtin_ia32_crc32di(wide, load(p));
    crc = static_cast<std::uint32_t>(wide);
    for (; n > 0; --n, ++p) crc = __builtin_ia32_crc32qi(crc, std::to_integer<unsigned char>(*p));
    return crc;
}
#endif

}  // namespace

std::uint32_t crc32c_portable(std::span<const std::byte> bytes, std::uint32_t seed) {
    return ~raw_portable(bytes.data(), bytes.size(), ~seed);
}

std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t seed) {
#if defined(__x86_64__)
    static const bool fast = __builtin_cpu_supports("sse4.2");
    if (fast) return ~raw_fast(bytes.data(), bytes.size(), ~seed);
#endif
    return crc32c_portable(bytes, seed);
}

}  // namespace divisi::frame
