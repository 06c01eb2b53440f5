// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <mutex>
#include <thread>
#include <variant>

#include "backend/control/protocol/message.h"
#include "backend/control/types/store_types.h"

namespace divisi::node {

/// Maximum number of queries that wait. Further queries are not answered; the orchestrator sends fewer at once.
inline constexpr std::size_t most_waiting_questions = 256;

/// Answers the orchestrator's queries about the state stores of this node's instances, one after another. Runs on a
/// separate thread, so that waiting for the disk does not delay the agent's heartbeats. Only reads.
class StoreReader {
public:
    using Question = std::variant<control::ListStores, control::ReadStore>;
    using Say = std::function<void(control::Message)>;

    /// `say` is called on this object's thread.
    StoreReader(std::filesystem::path folder, Say say);
    ~StoreReader();
    StoreReader(const StoreReader&) = delete;
    StoreReader& operator=(const StoreReader&) = delete;

    void ask(Question question);

private:
    void run(const std::stop_token& stop);
    void answer(const control::ListStores& question);
    void answer(const control::ReadStore& question);

    std::filesystem::path folder_;
    Say say_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::deque<Question> waiting_;  ///< questions that wait; guarded by the mutex
    std::jthread thread_;           ///< declared last, because it uses the other members
};

/// Lists the folder's stores by file name, beginning after the name `after`. Returns as many stores as fit into an
/// answer, or fewer if reading them takes long.
control::StoreList list_stores(const std::filesystem::path& folder, const std::string& after);

}  // namespace divisi::node
