// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/credit.h"

#include <algorithm>
#include <string>

namespace divisi::mesh {

bool Promise::take(std::uint64_t bytes) {
    if (bytes > allowed() - taken_) return false;
    taken_ += bytes;
    return true;
}

void Promise::widen(std::uint64_t window) { window_ = std::max(window_, window); }

bool Promise::worth_telling() const {
    const std::uint64_t news = allowed() - told_;
    return news > 0 && (news >= window_ / 4 || held() == 0);
}

Result<std::uint64_t> Allowance::grant(std::uint64_t incarnation, std::uint64_t allowed) {
    const auto refuse = [&](std::string what) {
        return Error{ErrorCode::corrupt, std::move(what), "RESV", "the neighbour runs another version, or lies"};
    };
    if (incarnation == 0) return refuse("a reservation without a number");
    if (incarnation < incarnation_) return std::uint64_t{0};
    if (incarnation > incarnation_) {
        if (allowed > most_window) return refuse("a first credit of " + std::to_string(allowed) + " bytes");
        *this = {};
        incarnation_ = incarnation;
        allowed_ = window_ = allowed;
        return std::uint64_t{0};
    }
    if (allowed <= allowed_) return std::uint64_t{0};
    if (allowed - spent_ > most_window) return refuse("credit for " + std::to_string(allowed - spent_) + " bytes");
    allowed_ = allowed;
    // A window that was widened since looks like freed bytes: as much of what is out is then taken for freed too early.
    // If the neighbour dies just then, the ends still have these chunks.
    const std::uint64_t before = freed_;
    freed_ = std::max(freed_, std::min(spent_, allowed_ - window_));
    return freed_ - before;
}

}  // namespace divisi::mesh
