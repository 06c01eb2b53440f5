// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>

#include "backend/control/core/orchestrator_context.h"
#include "backend/control/types/store_types.h"

namespace divisi::control::inline dispatch {

/// Maximum number of open questions about state stores, from one client and from all clients. A node may have to read a
/// file of several MB to answer one question.
inline constexpr std::size_t most_questions_of_peer = 4, most_store_questions = 64;

/// Passes questions about state stores to the nodes that have them, and the answers back to the clients. Open questions
/// are not durable: after a restart of the orchestrator, clients must ask again.
class StoreQuestions {
public:
    explicit StoreQuestions(OrchestratorContext& context) : context_(context) {}

    void handle(const Received& received, const ListStores& message) { pass_on(received, message); }
    void handle(const Received& received, const ReadStore& message) { pass_on(received, message); }
    void handle(const Received& received, const StoreList& message) { pass_back(received, message); }
    void handle(const Received& received, const StorePage& message) { pass_back(received, message); }
    /// Refuses the open questions to a node that is away or gone, since the node will not answer.
    void node_gone(const NodeId& node);
    void check_deadlines();
    std::optional<TimePoint> next_deadline() const;  ///< earliest deadline, in lived time

private:
    struct Question {
        PeerId peer{};
        std::uint64_t correlation = 0;
        NodeId node;
        TimePoint deadline{};  ///< time limit of the answer, in lived time
    };

    template <typename M>
    void pass_on(const Received& received, M message);
    template <typename M>
    void pass_back(const Received& received, M message);
    Result<void> check(const Received& received, const NodeId& node) const;
    void refuse(const Question& question, Error why);

    OrchestratorContext& context_;
    std::map<std::uint64_t, Question> open_;  ///< open questions by number
    std::uint64_t last_ = 0;
};

}  // namespace divisi::control::inline dispatch
