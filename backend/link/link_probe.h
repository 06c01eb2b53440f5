// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "backend/link/data_port.h"
#include "backend/link/probe_series.h"

namespace divisi::link {

/// Measures the performance of the data plane between two processes: one runs a ProbeSink, the other a LinkProbe. Both
/// use data ports as instances do. The measured times include headers, chunks, checksums, encryption, reassembly and
/// the messages that free slots.

/// Receives a probe's tensors and frees their slots immediately.
class ProbeSink {
public:
    /// `probe` is a number that both sides use, and that no other probe uses.
    ProbeSink(Loop& loop, Transport& transport, std::uint64_t probe);
    /// Listens like DataPort::listen(); the probe must connect to the returned endpoint.
    Result<std::string> listen(const std::string& endpoint, bool allow_remote = false);

private:
    DataPort port_;
};

/// Sends a ProbeSeries to a sink.
class LinkProbe {
public:
    using Ended = ProbeSeries::Ended;

    /// `ended` is called once, and may destroy the probe. The probe fails with `deadline` if the sink has not answered
    /// all tensors within the deadline that run() sets.
    LinkProbe(Loop& loop, Transport& transport, std::uint64_t probe, Ended ended);
    void run(const std::string& endpoint, const std::string& server_key, Duration deadline);

private:
    Result<void> send(int count, std::size_t bytes);
    void released();

    const std::uint64_t probe_;
    int outstanding_ = 0;
    std::int64_t step_ = 0;
    std::optional<Error> trouble_;  ///< the last error; explains a missed deadline
    DataPort port_;
    ProbeSeries series_;
};

}  // namespace divisi::link
