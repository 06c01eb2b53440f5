// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <functional>
#include <vector>

#include "agents/instance/trial.h"
#include "backend/base/result.h"

namespace divisi::instance {

/// Processes that train the same as this one beside it, on the machine's other cores, or rest: what instances of a
/// plan on one machine do to each other's caches and memory. They end with this object and with this process.
class Companions {
public:
    /// What a companion trains; called in its process, once for every number that train() is given.
    using Make = std::function<Result<Trial>(std::size_t number)>;

    /// To be called before anything of LibTorch runs here. Fails (exhausted) where no process can be made.
    static Result<Companions> start(int count, const Make& make);

    Companions(Companions&& other) noexcept;
    Companions& operator=(Companions&&) = delete;
    ~Companions();

    int count() const { return static_cast<int>(children_.size()); }
    /// Returns when all of them train; fails when one has ended.
    Result<void> train(std::size_t number);
    /// Returns when all of them rest; likewise.
    Result<void> rest();

private:
    struct Board;  ///< memory that all of them share
    Companions() = default;
    Result<void> wait_until_training(int count) const;

    Board* board_ = nullptr;
    std::vector<pid_t> children_;
};

}  // namespace divisi::instance
