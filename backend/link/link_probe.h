// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/control/types.h"
#include "backend/link/data_port.h"

namespace divisi::link {

/// Measures what the data plane does between two processes: one runs a ProbeSink, the other a LinkProbe. Both are data
/// ports as instances have them, so that headers, chunks, checksums, encryption, reassembly and freed slots count.

/// Takes a probe's tensors and frees their slots at once.
class ProbeSink {
public:
    /// `probe` is a number that both sides use, and no other probe.
    ProbeSink(Loop& loop, Transport& transport, std::uint64_t probe);
    /// As DataPort::listen(): where the probe is to connect().
    Result<std::string> listen(const std::string& endpoint, bool allow_remote = false);

private:
    DataPort port_;
};

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

/// Sends small tensors one by one, then in bursts, then large ones: a quarter of a second between hosts near each
/// other, some seconds over slow links.
class LinkProbe {
public:
    using Ended = std::function<void(Result<control::LinkFigures>)>;

    /// `ended` is called once, and may destroy the probe. `deadline`: it fails where the sink has not answered all by
    /// then.
    LinkProbe(Loop& loop, Transport& transport, std::uint64_t probe, Ended ended);
    void run(const std::string& endpoint, const std::string& server_key, Duration deadline);

private:
    enum class Phase { warm_up, round_trips, bursts, first_bulk, bulks };

    void send(int count, std::size_t bytes);
    void released();
    void begin(Phase phase);
    void repeat();
    void take(double seconds);
    bool enough(const std::vector<double>& samples) const;
    void end(Result<control::LinkFigures> result);

    Loop& loop_;
    const std::uint64_t probe_;
    Ended ended_;
    Phase phase_ = Phase::warm_up;
    int warm_ups_ = 0;
    TimePoint phase_began_{}, sent_at_{};
    int outstanding_ = 0;
    std::int64_t step_ = 0;
    int bulk_count_ = 0;
    std::size_t bulk_tensor_ = 0;
    ProbeSamples samples_;
    std::optional<Error> trouble_;  ///< the last; explains a deadline
    DataPort port_;
    Timer timer_;
};

}  // namespace divisi::link
