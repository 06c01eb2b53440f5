// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "backend/control/core/desk.h"
#include "backend/control/types/note_limiter.h"

namespace divisi::control::inline network {

/// The latest requests that gateways have decided, for the audit (signaling type 3). Those that were not admitted stand
/// in the event log too, a few lines a gateway however many there are.
class RequestBook {
public:
    explicit RequestBook(Desk& desk) : desk_(desk) {}

    /// What a gateway reports, also where there is nothing new.
    void take(const std::string& gateway, const std::vector<RequestRecord>& records);
    Requests answer(const QueryRequests& query) const;
    /// A gateway that is gone. Its records stay.
    void forget(const std::string& gateway) { lines_.erase(gateway); }

private:
    void note(const std::string& gateway, const std::string& task, const std::string& text);

    Desk& desk_;
    std::deque<RequestRecord> records_;
    std::uint64_t last_ = 0;
    std::map<std::string, NoteLimiter> lines_;  ///< by gateway
};

/// Some 300 bytes each.
inline constexpr std::size_t most_kept_requests = 20'000;
/// Of the texts and paths of one answer, which is less than a message may have.
inline constexpr std::size_t most_answered_bytes = std::size_t{1} << 20;
/// Of each of a record's texts: what is longer names no SID.
inline constexpr std::size_t longest_request_text = 1'024;

}  // namespace divisi::control::inline network
