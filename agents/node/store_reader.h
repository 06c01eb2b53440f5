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

namespace divisi::node {

/// Questions that wait; more are not answered. The orchestrator asks fewer at once.
inline constexpr std::size_t most_waiting_questions = 256;

/// Answers what the orchestrator asks about the state stores of this node's instances, one question after the other, on
/// a thread of its own, which may wait for the disk while the agent's heartbeats go on. It only reads.
class StoreReader {
public:
    using Question = std::variant<control::ListStores, control::ReadStore>;
    using Say = std::function<void(control::Message)>;

    /// `say` is called on the thread.
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
    std::deque<Question> waiting_;  ///< behind the mutex
    std::jthread thread_;           ///< last: it uses the others
};

/// The stores of the folder in the order of their files' names, after this one: as many as an answer takes. Where
/// reading them takes long, fewer.
control::StoreList list_stores(const std::filesystem::path& folder, const std::string& after);

}  // namespace divisi::node
