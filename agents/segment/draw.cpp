// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>
#include <stdexcept>

#include "agents/segment/weights.h"
#include "backend/base/hash.h"

namespace divisi::segment {

namespace {

/// Returns a number in (0, 1], from 53 bits of a counter-based generator. Element i depends only on the key and i.
double unit_interval(std::uint64_t key, std::uint64_t counter) {
    return static_cast<double>((mix(key, counter) >> 11) + 1) * 0x1.0p-53;
}

/// Returns normal numbers by Box and Muller's transform: two independent standard normal numbers for each pair of
/// uniform numbers.
std::vector<float> normal_numbers(std::size_t count, double scale, std::uint64_t key) {
    std::vector<float> numbers(count);
    for (std::size_t i = 0; i < count; i += 2) {
        const double radius = scale * std::sqrt(-2.0 * std::log(unit_interval(key, i)));
        const double angle = 2.0 * std::numbers::pi * unit_interval(key, i + 1);
        numbers[i] = static_cast<float>(radius * std::cos(angle));
        if (i + 1 < count) numbers[i + 1] = static_cast<float>(radius * std::sin(angle));
    }
    return numbers;
}

std::vector<float> uniform_numbers(std::size_t count, double scale, std::uint64_t key) {
    std::vector<float> numbers(count);
    for (std::size_t i = 0; i < count; ++i)
        numbers[i] = static_cast<float>(scale * (2.0 * unit_interval(key, i) - 1.0));
    return numbers;
}

std::vector<float> numbers_for(const graph::RandomInit& random, std::size_t count, std::uint64_t key) {
    switch (random.kind) {
        case graph::RandomInit::Kind::zeros: return std::vector<float>(count, 0.0F);
        case graph::RandomInit::Kind::ones: return std::vector<float>(count, 1.0F);
        case graph::RandomInit::Kind::normal: return normal_numbers(count, random.scale, key);
        case graph::RandomInit::Kind::uniform: return uniform_numbers(count, random.scale, key);
    }
    throw std::invalid_argument("unknown rule for initial weights");
}

}  // namespace

graph::HostTensor draw_weight(const graph::RandomInit& random, graph::DType dtype, std::vector<std::int64_t> dims,
                              std::uint64_t key) {
    const auto count = std::accumulate(dims.begin(), dims.end(), std::int64_t{1}, std::multiplies<>());
    const auto numbers = numbers_for(random, static_cast<std::size_t>(count), key);
    if (dtype == graph::DType::float32) return graph::HostTensor::of(dtype, std::move(dims), numbers);
    if (dtype == graph::DType::float64)
        return graph::HostTensor::of(dtype, std::move(dims), std::vector<double>(numbers.begin(), numbers.end()));
    throw std::invalid_argument("initial weights are drawn as float32 or float64, not " +
                                std::string(graph::name(dtype)));
}

}  // namespace divisi::segment
