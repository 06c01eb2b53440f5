// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <time.h>

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "backend/graph/graph.h"

namespace divisi::segment {

/// Seconds that every operator of a segment takes where it stands: with the caches, the memory and the sums of
/// gradients as the operators beside it leave them. Backward it goes from the moment in which the gradients of an
/// operator's outputs are complete to the same moment of the operator that follows; autograd takes operators from the
/// last to the first, whole. Taking the time costs time, the same for every operator. One thread at a time uses it.
class Stopwatch {
public:
    /// `wants_gradient` (by value) adds to what requires a gradient by itself: so that input gradients can be timed
    /// where no weight is trained.
    Stopwatch(std::size_t nodes, clockid_t clock, std::vector<bool> wants_gradient = {})
        : forward_(nodes), backward_(nodes), wants_gradient_(std::move(wants_gradient)), clock_(clock) {}

    /// Forgets what was taken. While not `running`, a segment trains as if there were no stopwatch.
    void reset(bool running);
    bool running() const { return running_; }

    /// By node of the graph, summed over the micro-batches since reset().
    const std::vector<double>& forward() const { return forward_; }
    const std::vector<double>& backward() const { return backward_; }

    // Called by the segment.

    /// What waits for a device that works beside the thread.
    void wait_with(std::function<void()> wait) { wait_ = std::move(wait); }
    void forward_begins(graph::NodeIndex node) { lap(&forward_[static_cast<std::size_t>(node)]); }
    void backward_begins(graph::NodeIndex node) { lap(&backward_[static_cast<std::size_t>(node)]); }
    void pause() { lap(nullptr); }
    bool wants_gradient(graph::ValueIndex value) const {
        return static_cast<std::size_t>(value) < wants_gradient_.size() &&
               wants_gradient_[static_cast<std::size_t>(value)];
    }

private:
    void lap(double* next);

    std::vector<double> forward_, backward_;
    std::vector<bool> wants_gradient_;
    clockid_t clock_;
    std::function<void()> wait_;
    bool running_ = false;
    double* current_ = nullptr;  ///< what the time now goes to
    double since_ = 0;
};

}  // namespace divisi::segment
