// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/engine/pack.h"

#include <algorithm>
#include <cstring>

namespace divisi::instance {
namespace {

using graph::DType;
using graph::HostTensor;

/// Maximum number of uses of shared weights; no model has so many. Limits how much data a faulty peer can make this
/// process read.
constexpr std::int64_t most_uses = 1 << 16;
constexpr std::int64_t most_rank = 16;

class Writer {
public:
    void number(std::int64_t value) { append(&value, sizeof value); }
    void append(const void* data, std::size_t size) {
        const auto* bytes = static_cast<const std::byte*>(data);
        bytes_.insert(bytes_.end(), bytes, bytes + size);
    }
    HostTensor take() { return HostTensor::copy_of(DType::uint8, {static_cast<std::int64_t>(bytes_.size())}, bytes_); }

private:
    std::vector<std::byte> bytes_;
};

class Reader {
public:
    explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}
    bool number(std::int64_t& value) {
        if (rest_.size() < sizeof value) return false;
        std::memcpy(&value, rest_.data(), sizeof value);
        rest_ = rest_.subspan(sizeof value);
        return true;
    }
    bool bytes(std::int64_t size, std::span<const std::byte>& out) {
        if (size < 0 || static_cast<std::size_t>(size) > rest_.size()) return false;
        out = rest_.first(static_cast<std::size_t>(size));
        rest_ = rest_.subspan(static_cast<std::size_t>(size));
        return true;
    }
    bool done() const { return rest_.empty(); }

private:
    std::span<const std::byte> rest_;
};

Error broken(const char* what) {
    return {ErrorCode::corrupt, std::string("a peer sent damaged ") + what, "",
            "check that all nodes run the same version"};
}

bool read_gradient(Reader& reader, segment::UseGradient& gradient) {
    std::int64_t initializer = 0, use = 0, dtype = 0, rank = 0, size = 0;
    if (!reader.number(initializer) || !reader.number(use) || !reader.number(dtype) || !reader.number(rank))
        return false;
    if (rank < 0 || rank > most_rank || dtype < 1 || dtype > 16) return false;
    std::vector<std::int64_t> dims(static_cast<std::size_t>(rank));
    std::int64_t expected = graph::element_size(static_cast<DType>(dtype));
    for (std::int64_t& dim : dims)
        if (!reader.number(dim) || dim < 0 || __builtin_mul_overflow(expected, dim, &expected)) return false;
    std::span<const std::byte> bytes;
    if (!reader.number(size) || size != expected || !reader.bytes(size, bytes)) return false;
    gradient.initializer = static_cast<std::int32_t>(initializer);
    gradient.use = static_cast<std::int32_t>(use);
    gradient.gradient = HostTensor::copy_of(static_cast<DType>(dtype), std::move(dims), bytes);
    return true;
}

}  // namespace

HostTensor pack_use_gradients(const std::vector<segment::UseGradient>& gradients) {
    Writer writer;
    writer.number(static_cast<std::int64_t>(gradients.size()));
    for (const segment::UseGradient& gradient : gradients) {
        const HostTensor& tensor = gradient.gradient;
        writer.number(gradient.initializer);
        writer.number(gradient.use);
        writer.number(static_cast<std::int64_t>(tensor.dtype));
        writer.number(static_cast<std::int64_t>(tensor.dims.size()));
        for (const std::int64_t dim : tensor.dims) writer.number(dim);
        writer.number(tensor.size_bytes);
        writer.append(tensor.data, static_cast<std::size_t>(tensor.size_bytes));
    }
    return writer.take();
}

Result<std::vector<segment::UseGradient>> unpack_use_gradients(const HostTensor& packed) {
    Reader reader(packed.bytes());
    std::int64_t count = 0;
    if (!reader.number(count) || count < 0 || count > most_uses) return broken("weight gradients");
    std::vector<segment::UseGradient> gradients(static_cast<std::size_t>(count));
    for (segment::UseGradient& gradient : gradients)
        if (!read_gradient(reader, gradient)) return broken("weight gradients");
    if (!reader.done()) return broken("weight gradients");
    return gradients;
}

HostTensor pack_norm_shares(const std::vector<segment::NormShare>& shares) {
    std::vector<double> values;
    for (const segment::NormShare& share : shares) {
        values.push_back(share.initializer);
        values.push_back(share.squared);
    }
    return HostTensor::of(DType::float64, {static_cast<std::int64_t>(shares.size()), 2}, values);
}

Result<std::vector<segment::NormShare>> unpack_norm_shares(const HostTensor& packed) {
    if (packed.dtype != DType::float64 || packed.dims.size() != 2 || packed.dims[1] != 2 ||
        packed.size_bytes != packed.dims[0] * 16)
        return broken("gradient norms");
    std::vector<segment::NormShare> shares;
    for (std::int64_t i = 0; i < packed.dims[0]; ++i)
        shares.push_back({static_cast<std::int32_t>(packed.number_at(2 * i)), packed.number_at(2 * i + 1)});
    return shares;
}

double total_squared_norm(std::vector<segment::NormShare> shares) {
    std::stable_sort(shares.begin(), shares.end(),
                     [](const auto& a, const auto& b) { return a.initializer < b.initializer; });
    double total = 0;
    std::int32_t last = -1;
    for (const segment::NormShare& share : shares) {
        if (share.initializer == last) continue;
        total += share.squared;
        last = share.initializer;
    }
    return total;
}

}  // namespace divisi::instance
