// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/control/types/policy_settings.h"
#include "backend/file/folder_lock.h"
#include "backend/link/zmq_transport.h"
#include "backend/metrics/metrics_server.h"
#include "backend/orchestrator/job_runner.h"
#include "backend/orchestrator/log_line_writer.h"
#include "backend/orchestrator/metrics.h"
#include "backend/orchestrator/orchestrator_host.h"
#include "backend/store/event_log.h"

namespace divisi::orchestrator {

struct ServerConfig {
    std::filesystem::path data;
    std::string name = "cluster";
    bool hold = false;                      ///< whether queued tasks of an earlier run wait until they are released
    std::vector<std::string> endpoints;     ///< endpoints on ipc and tcp
    std::vector<control::KeyChanged> keys;  ///< keys from the cluster file; keys of the log are added
    std::map<NodeId, control::StatedNode> nodes;  ///< nodes from the cluster file
    std::vector<control::StatedLink> links;       ///< links from the cluster file
    bool allow_faults = false;                    ///< whether operators may inject faults into links and processes
    std::vector<control::Pool> pools;             ///< pools from the cluster file
    control::QueueRules queue;                    ///< rules of the queue from the cluster file
    task::AlertRules alerts = {};                 ///< rules of alerts from the cluster file
    std::vector<control::PolicySetting> policies = {};  ///< policies from the cluster file
    store::Retention retention;
    store::LineRetention lines = {};
    std::string metrics;  ///< loopback address and port of /metrics; empty: none
};

/// divisid without main(): connects the orchestrator host with the event log, the models' files and the sockets.
class Server {
public:
    Server(link::EventLoop& loop, link::Context& context, ServerConfig config);

    /// Locks the data folder, replays the log, listens, and writes the connection file.
    Result<void> start();
    /// Sends a goodbye to every peer and stops the loop.
    void end(const std::string& reason);
    /// Returns the URL of /metrics; empty if metrics were not requested.
    std::string metrics_url() const { return metrics_server_ ? metrics_server_->url() : ""; }
    /// Returns the error that ended the server; none if it ended on request.
    std::optional<Error> failure() const { return host_ ? host_->failure() : std::nullopt; }
    ~Server();

private:
    OrchestratorHost::Callbacks callbacks();
    Result<void> restore();
    Result<void> start_jobs();
    Result<void> start_metrics();
    metrics::Figures figures() const;
    void open_lines();
    void tell(Severity severity, const std::string& text);
    std::filesystem::path skeleton_file(const std::string& task) const;
    void remove_forgotten_skeletons();
    Result<void> listen();
    void logged(std::span<const control::Event> events);
    void follow_keys(const control::Event& event);
    void keep_link(const control::Event& event);
    void look_at_handshakes();
    void look_at_disk();

    link::EventLoop& loop_;
    link::Context& context_;
    ServerConfig config_;
    std::optional<file::FolderLock> lock_;
    std::unique_ptr<store::EventLog> log_;
    std::unique_ptr<LogLineWriter> lines_;  ///< writer of log lines; null if its file cannot be opened
    std::unique_ptr<link::ZmqTransport> transport_;
    link::HandshakeNews handshakes_;
    std::unique_ptr<OrchestratorHost> host_;                  ///< host of the orchestrator; set once the log is open
    std::unique_ptr<Metrics> metrics_;                        ///< metrics; null if they were not requested
    std::unique_ptr<metrics::MetricsServer> metrics_server_;  ///< declared after the members it reads
    std::unique_ptr<JobRunner> jobs_;  ///< declared last: it ends before the members that its answers use
};

}  // namespace divisi::orchestrator
