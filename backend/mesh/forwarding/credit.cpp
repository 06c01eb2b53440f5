// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/forwarding/credit.h"

#include <algorithm>
#include <string>

namespace divisi::mesh::inline forwarding {

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

Result<std::uint64_t> Allowance::grant(std::uint64_t incarnation, std::uint64_t allowed, std::uint64_t window) {
    const auto refuse = [&](std::string what) {
        return Error{ErrorCode::corrupt, std::move(what), "RESV",
                     "the neighbour runs another version, or sends false values"};
    };
    if (incarnation == 0) return refuse("a reservation without a number");
    if (window > allowed || window > most_window) return refuse("a window of " + std::to_string(window) + " bytes");
    if (incarnation < incarnation_) return std::uint64_t{0};
    if (incarnation > incarnation_) {
        if (allowed > window || allowed == 0) return refuse("a first credit of " + std::to_string(allowed) + " bytes");
        *this = {};
        incarnation_ = incarnation;
        allowed_ = allowed;
        return std::uint64_t{0};
    }
    if (allowed < allowed_)
        return Error{ErrorCode::conflict, "RESV that arrived after a later RESV", "", "the message is ignored"};
    if (allowed == allowed_) return std::uint64_t{0};
    const std::uint64_t freed = allowed - window;
    if (freed > spent_) return refuse("credit for more bytes than were sent");
    allowed_ = allowed;
    const std::uint64_t before = freed_;
    freed_ = std::max(freed_, freed);
    return freed_ - before;
}

}  // namespace divisi::mesh::inline forwarding
