// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "backend/base/result.h"
#include "backend/metrics/figures.h"

namespace divisi::metrics {

/// Answers GET /metrics over HTTP, on this machine alone: the text is neither encrypted nor asked a key for.
class MetricsServer {
public:
    /// `address` is a loopback address and a port, as 127.0.0.1:9464 or [::1]:9464; with port 0 the system chooses one.
    /// `text` is called on a thread of the server. Fails with invalid_input, or conflict where the port is taken.
    static Result<std::unique_ptr<MetricsServer>> start(const std::string& address, std::function<std::string()> text);
    ~MetricsServer();

    /// Where it answers.
    const std::string& url() const { return url_; }

private:
    struct Http;
    MetricsServer() = default;

    std::string url_;
    std::unique_ptr<Http> http_;
};

inline constexpr const char* option_help =
    "ADDRESS:PORT of this machine alone, as 127.0.0.1:9464; http://ADDRESS:PORT/metrics is for Prometheus";

/// What a program's --metrics asks for: serves what `board` shows, which outlives it. Null where `address` is empty.
/// Fails as MetricsServer::start.
Result<std::unique_ptr<MetricsServer>> serve(const Board& board, const std::string& address);

}  // namespace divisi::metrics
