// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "backend/base/result.h"
#include "backend/control/types/types.h"
#include "backend/link/loop.h"

namespace divisi::link {

/// Measured times of a probe, in seconds.
struct ProbeSamples {
    std::vector<double> round_trips;  ///< one small tensor, from sending until its slot is freed
    std::vector<double> bursts;       ///< burst_tensors small tensors sent together, until the last slot is freed
    std::vector<double> bulks;        ///< large tensors with bulk_bytes in total
    double bulk_bytes = 0;
};
inline constexpr int burst_tensors = 32;

/// Computes medians and spreads. Latency is half a round trip. The message time is the additional time of each further
/// tensor of a burst. The bandwidth is computed from the time of the large tensors minus a round trip. At most half of
/// their time is subtracted.
control::LinkFigures figures_of(const ProbeSamples& samples);

/// Decides which tensors a probe sends and when it has enough samples: small tensors one by one, then in bursts, then
/// large tensors. The series takes a quarter of a second between nearby hosts, and some seconds over slow links. Its
/// owner sends the tensors.
class ProbeSeries {
public:
    /// Sends `count` tensors of `bytes` each; answered() follows once all of them have arrived.
    using Send = std::function<Result<void>(int count, std::size_t bytes)>;
    using Ended = std::function<void(Result<control::LinkFigures>)>;

    /// `ended` is called once, and may destroy the series. The large tensors grow if the round trip takes most of their
    /// time, so that the bandwidth becomes measurable. `most_bulk` limits their total size in bytes.
    ProbeSeries(Loop& loop, Send send, Ended ended, std::size_t most_bulk = 0)
        : loop_(loop), send_(std::move(send)), ended_(std::move(ended)), most_bulk_(most_bulk), timer_(loop) {}

    /// Runs the series. `why` returns the explanation of a missed deadline, or an empty text.
    void run(Duration deadline, std::function<std::string()> why);
    void answered();

private:
    enum class Phase { warm_up, round_trips, bursts, first_bulk, bulks };

    void begin(Phase phase);
    void repeat();
    void send(int count, std::size_t bytes);
    void take(double seconds);
    bool enough(const std::vector<double>& samples) const;
    bool too_few(double seconds) const;
    void end(Result<control::LinkFigures> result);

    Loop& loop_;
    Send send_;
    Ended ended_;
    const std::size_t most_bulk_;
    Phase phase_ = Phase::warm_up;
    int warm_ups_ = 0;
    TimePoint phase_began_{}, sent_at_{};
    int bulk_count_ = 0;
    std::size_t bulk_tensor_ = 0;
    ProbeSamples samples_;
    Timer timer_;
};

}  // namespace divisi::link
