// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "backend/control/core/orchestrator_context.h"
#include "backend/control/types/admission_types.h"
#include "backend/control/types/note_limiter.h"

namespace divisi::control::inline network {

/// Keeps the latest decisions of gateways on requests, for the audit (signaling type 3). Rejected requests are also in
/// the event log, limited to a few lines for each gateway.
class RequestBook {
public:
    explicit RequestBook(OrchestratorContext& context) : context_(context) {}

    /// Stores a gateway's report of requests, and logs the gateway's summary if one is due. Call for empty reports too.
    void take(const std::string& gateway, const std::vector<RequestRecord>& records);
    Requests answer(const QueryRequests& query) const;
    /// Forgets the rate limit of a gateway that is gone. Keeps the records of the gateway.
    void forget(const std::string& gateway) { lines_.erase(gateway); }

private:
    void note(const std::string& gateway, const std::string& task, const std::string& text);

    OrchestratorContext& context_;
    std::deque<RequestRecord> records_;
    std::uint64_t last_ = 0;
    std::map<std::string, NoteLimiter> lines_;  ///< limiters of log lines, by gateway
};

/// Maximum number of kept requests, each of about 300 bytes.
inline constexpr std::size_t most_kept_requests = 20'000;
/// Maximum bytes of texts and paths in one answer; below the limit of a message.
inline constexpr std::size_t most_answered_bytes = std::size_t{1} << 20;
/// Longest text in a record. A longer text cannot name a SID.
inline constexpr std::size_t longest_request_text = 1'024;

}  // namespace divisi::control::inline network
