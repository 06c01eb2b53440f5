// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "backend/base/result.h"
#include "backend/control/types/types.h"
#include "backend/link/loop.h"

namespace divisi::link {

/// Times of a probe, in seconds.
struct ProbeSamples {
    std::vector<double> round_trips;  ///< of one small tensor, until its slot is freed
    std::vector<double> bursts;       ///< of burst_tensors small ones that were sent at once, until the last is
    std::vector<double> bulks;        ///< of tensors of bulk_bytes together
    double bulk_bytes = 0;
};
inline constexpr int burst_tensors = 32;

/// Medians and spreads. Half a round trip is the latency; what each further tensor of a burst adds is its message time;
/// the bandwidth is that of the bulks without their round trip, which is taken for half of one at most.
control::LinkFigures figures_of(const ProbeSamples& samples);

/// What a probe sends, and when it has seen enough: small tensors one by one, then in bursts, then large ones. It takes
/// a quarter of a second between hosts near each other, some seconds over slow links. Its owner sends them.
class ProbeSeries {
public:
    /// Sends so many tensors of so many bytes; answered() follows once all of them have arrived.
    using Send = std::function<Result<void>(int count, std::size_t bytes)>;
    using Ended = std::function<void(Result<control::LinkFigures>)>;

    /// `ended` is called once, and may destroy the series. `most_bulk`: bytes to which large tensors together may grow
    /// over a link whose round trip takes most of their time, so that its bandwidth shows.
    ProbeSeries(Loop& loop, Send send, Ended ended, std::size_t most_bulk = 0)
        : loop_(loop), send_(std::move(send)), ended_(std::move(ended)), most_bulk_(most_bulk), timer_(loop) {}

    /// `why`: what a failure by the deadline is explained with, if anything.
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
