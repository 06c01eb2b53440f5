// SPDX-License-Identifier: Apache-2.0
#include "backend/metrics/metrics_server.h"

#include <httplib.h>

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

#include "backend/task/loopback.h"

namespace divisi::metrics {
namespace {

/// Two threads, so that a slow client does not delay another scrape.
constexpr std::size_t server_threads = 2;
constexpr time_t patience_s = 5;
constexpr std::size_t longest_request = 8 << 10;

constexpr const char* target_ending = ".json";

}  // namespace

struct MetricsServer::Http {
    httplib::Server server;
    std::atomic<bool> over = false;
    std::thread thread;
};

Result<std::unique_ptr<MetricsServer>> MetricsServer::start(const std::string& address,
                                                            std::function<std::string()> text) {
    const auto wanted = task::parse_loopback(address);
    if (!wanted)
        return Error{ErrorCode::invalid_input, "'" + address + "' is not a loopback address with a port", "metrics",
                     "write an address such as 127.0.0.1:9464; other machines reach it through a proxy or a tunnel"};
    std::unique_ptr<MetricsServer> metrics(new MetricsServer());
    metrics->http_ = std::make_unique<Http>();
    httplib::Server& server = metrics->http_->server;
    server.new_task_queue = [] { return std::make_unique<httplib::ThreadPool>(server_threads).release(); };
    server.set_payload_max_length(longest_request);
    server.set_read_timeout(patience_s);
    server.set_write_timeout(patience_s);
    server.set_keep_alive_max_count(1);
    server.Get("/metrics", [text = std::move(text)](const httplib::Request&, httplib::Response& response) {
        response.set_content(text(), "text/plain; version=0.0.4; charset=utf-8");
    });
    // The library's default would let a second program share the port.
    server.set_socket_options([](socket_t socket) {
        const int yes = 1;
        ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    int port = wanted->port;
    if (port == 0) port = server.bind_to_any_port(wanted->host);
    else if (!server.bind_to_port(wanted->host, port)) port = -1;
    if (port < 0)
        return Error{ErrorCode::conflict, "cannot listen for metrics", address,
                     "choose another port, or end the program that uses this port"};
    metrics->http_->thread = std::thread([&http = *metrics->http_] {
        http.server.listen_after_bind();
        http.over = true;
    });
    const std::string host = wanted->host == "::1" ? "[::1]" : wanted->host;
    metrics->url_ = "http://" + host + ":" + std::to_string(port) + "/metrics";
    return metrics;
}

MetricsServer::~MetricsServer() {
    if (!http_ || !http_->thread.joinable()) return;
    // Wait until the thread listens, since an earlier stop() would have no effect.
    while (!http_->server.is_running() && !http_->over) std::this_thread::yield();
    http_->server.stop();
    http_->thread.join();
}

Result<std::unique_ptr<MetricsServer>> serve(const Board& board, const std::string& address) {
    if (address.empty()) return std::unique_ptr<MetricsServer>();
    return MetricsServer::start(address, [&board] { return board.text(); });
}

std::filesystem::path target_file(const std::filesystem::path& folder, const std::string& name) {
    std::string file = name;
    std::replace(file.begin(), file.end(), '/', '.');
    return folder / (file + target_ending);
}

/// The URL needs no JSON escapes, because it consists of an address and a fixed path.
std::string target_text(const std::string& url) {
    const std::size_t scheme = url.find("://");
    const std::size_t begin = scheme == std::string::npos ? 0 : scheme + 3;
    const std::size_t end = std::min(url.find('/', begin), url.size());
    return "[{\"targets\": [\"" + url.substr(begin, end - begin) + "\"]}]\n";
}

void remove_targets(const std::filesystem::path& folder) {
    std::error_code ignored;
    std::vector<std::filesystem::path> left;
    std::filesystem::directory_iterator entry(folder, ignored);
    for (; !ignored && entry != std::filesystem::directory_iterator(); entry.increment(ignored))
        if (entry->path().extension() == target_ending) left.push_back(entry->path());
    for (const std::filesystem::path& path : left) std::filesystem::remove(path, ignored);
}

}  // namespace divisi::metrics
