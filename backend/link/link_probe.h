// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "backend/link/data_port.h"
#include "backend/link/probe_series.h"

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

/// Sends a ProbeSeries to a sink.
class LinkProbe {
public:
    using Ended = ProbeSeries::Ended;

    /// `ended` is called once, and may destroy the probe. `deadline`: it fails where the sink has not answered all by
    /// then.
    LinkProbe(Loop& loop, Transport& transport, std::uint64_t probe, Ended ended);
    void run(const std::string& endpoint, const std::string& server_key, Duration deadline);

private:
    Result<void> send(int count, std::size_t bytes);
    void released();

    const std::uint64_t probe_;
    int outstanding_ = 0;
    std::int64_t step_ = 0;
    std::optional<Error> trouble_;  ///< the last; explains a deadline
    DataPort port_;
    ProbeSeries series_;
};

}  // namespace divisi::link
