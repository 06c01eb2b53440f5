// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "backend/base/clock.h"
#include "backend/control/orchestrator.h"

namespace divisi::orchestrator {

/// Searches that take longer end with a message: others wait behind them.
inline constexpr Duration longest_segmentation = std::chrono::seconds(60);

/// Answers SegmentModel: the plan that the task would get on the ready nodes of `asked`, and its price, by what was
/// measured (in the folder `data`). Fails as
/// task::parse_task(), load_skeleton() or import_bytes(), task::compile() and control::place_plan() do. `stop` ends a
/// long search.
Result<control::ModelSegmented> segment_model(const control::Segmentation& asked, const std::filesystem::path& data,
                                              const plan::StopSearch& stop);

/// Plans on a thread of its own, one request after the other, so that heartbeats and steps need not wait.
class Segmenter {
public:
    using Answer = std::function<void(control::Segmented)>;

    /// `answer` is called on the thread.
    Segmenter(std::filesystem::path data, Answer answer);
    /// Ends the search under way; what waits is not answered.
    ~Segmenter();
    Segmenter(const Segmenter&) = delete;
    Segmenter& operator=(const Segmenter&) = delete;

    /// The core bounds how many wait.
    void add(control::Segmentation asked);

private:
    void run(const std::stop_token& stop);

    std::filesystem::path data_;
    Answer answer_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::deque<control::Segmentation> waiting_;  ///< behind the mutex
    std::jthread thread_;                        ///< last: it uses the others
};

}  // namespace divisi::orchestrator
