// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <functional>
#include <vector>

#include "agents/instance/commands/trial.h"
#include "backend/base/result.h"

namespace divisi::instance {

/// Processes that run the same training as this process, on the machine's other cores, or are paused. They reproduce
/// the load that instances of one plan on the same machine put on shared caches and memory. They end with this object
/// and with this process.
class BackgroundLoad {
public:
    /// Makes the trial that a background process trains. Called in that process, once for every number given to
    /// train().
    using Make = std::function<Result<Trial>(std::size_t number)>;

    /// Starts the background processes; call it before any use of LibTorch in this process. Fails (exhausted) if no
    /// process can be created.
    static Result<BackgroundLoad> start(int count, const Make& make);

    BackgroundLoad(BackgroundLoad&& other) noexcept;
    BackgroundLoad& operator=(BackgroundLoad&&) = delete;
    ~BackgroundLoad();

    int count() const { return static_cast<int>(children_.size()); }
    /// Starts the trial `number`. Returns when all background processes train it; fails if one of them has ended.
    Result<void> train(std::size_t number);
    /// Pauses the background processes. Returns when all of them have paused; fails if one of them has ended.
    Result<void> rest();

private:
    struct Board;  ///< memory shared by all processes
    BackgroundLoad() = default;
    Result<void> wait_until_training(int count) const;

    Board* board_ = nullptr;
    std::vector<pid_t> children_;
};

}  // namespace divisi::instance
