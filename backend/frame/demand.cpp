// SPDX-License-Identifier: Apache-2.0
#include "backend/frame/demand.h"

#include "backend/frame/bytes.h"

namespace divisi::frame {
namespace {

constexpr std::size_t fixed_bytes = 16, place_bytes = 12;
static_assert(fixed_bytes + most_demanded * place_bytes == max_demand_bytes);

Error corrupt_demand(const char* what) {
    return {ErrorCode::corrupt, what, "demand for data", "run the same Divisi version on all machines"};
}

}  // namespace

std::string encode_demand(const Demand& demand) {
    std::string out(fixed_bytes + demand.places.size() * place_bytes, '\0');
    const auto bytes = std::as_writable_bytes(std::span(out));
    store_le(bytes, 0, demand.sequence);
    store_le(bytes, 8, demand.microbatch_bytes);
    for (std::size_t i = 0; i < demand.places.size(); ++i) {
        store_le(bytes, fixed_bytes + i * place_bytes, demand.places[i].step);
        store_le(bytes, fixed_bytes + i * place_bytes + 8, demand.places[i].microbatch);
    }
    return out;
}

Result<Demand> decode_demand(std::span<const std::byte> bytes) {
    if (bytes.size() < fixed_bytes || (bytes.size() - fixed_bytes) % place_bytes != 0)
        return corrupt_demand("wrong length");
    if (bytes.size() > max_demand_bytes) return corrupt_demand("too many micro-batches");
    Demand demand{load_le<std::uint64_t>(bytes, 0), load_le<std::uint64_t>(bytes, 8), {}};
    for (std::size_t at = fixed_bytes; at < bytes.size(); at += place_bytes) {
        demand.places.push_back({load_le<std::int64_t>(bytes, at), load_le<std::int32_t>(bytes, at + 8)});
        if (demand.places.back().step < 1 || demand.places.back().microbatch < 0)
            return corrupt_demand("an invalid micro-batch");
    }
    return demand;
}

}  // namespace divisi::frame
