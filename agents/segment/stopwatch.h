// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <time.h>

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "backend/graph/graph.h"

namespace divisi::segment {

/// Measures the time in seconds of every operator while its segment runs, so that caches, memory and gradient sums are
/// as in training. In backward, an operator's time starts when the gradients of its outputs are complete, and ends when
/// the gradients of the next operator's outputs are complete. Autograd runs operators from the last to the first, one
/// at a time. Measuring adds the same time to every operator. Used by one thread at a time.
class Stopwatch {
public:
    /// `wants_gradient` (one entry per value) marks additional values that require a gradient, so that input gradients
    /// can be measured without trained weights.
    Stopwatch(std::size_t nodes, clockid_t clock, std::vector<bool> wants_gradient = {})
        : forward_(nodes), backward_(nodes), wants_gradient_(std::move(wants_gradient)), clock_(clock) {}

    /// Clears the measurements. If `running` is false, the stopwatch measures nothing from now on.
    void reset(bool running);
    bool running() const { return running_; }

    /// Seconds for each node of the graph, summed over the micro-batches since reset().
    const std::vector<double>& forward() const { return forward_; }
    const std::vector<double>& backward() const { return backward_; }

    // The functions below are called by the segment.

    /// Sets the function that waits for a device that works asynchronously.
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
    double* current_ = nullptr;  ///< the sum to which the elapsed time is added
    double since_ = 0;
};

}  // namespace divisi::segment
