// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <utility>

namespace divisi {

/// A FIFO that refuses what exceeds its capacity, so that no queue grows without bound. Not thread-safe.
template <typename T>
class BoundedQueue {
public:
    explicit BoundedQueue(std::size_t capacity) : capacity_(capacity) {}

    /// False when full; the value is then left untouched.
    bool push(T&& value) {
        if (items_.size() >= capacity_) return false;
        items_.push_back(std::move(value));
        return true;
    }
    std::optional<T> pop() {
        if (items_.empty()) return std::nullopt;
        T value = std::move(items_.front());
        items_.pop_front();
        return value;
    }
    std::size_t size() const { return items_.size(); }
    bool empty() const { return items_.empty(); }
    std::size_t capacity() const { return capacity_; }

private:
    std::size_t capacity_;
    std::deque<T> items_;
};

}  // namespace divisi
