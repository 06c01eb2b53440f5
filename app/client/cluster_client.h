// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>
#include <filesystem>
#include <functional>
#include <memory>

#include "app/client/client.h"
#include "app/client/cluster_time.h"
#include "backend/base/result.h"

namespace divisi::client {

/// A cluster that this program found or started.
class Host {
public:
    virtual ~Host() = default;
    virtual std::filesystem::path connection() const = 0;
    /// Returns the cluster's folder.
    virtual const std::filesystem::path& data() const = 0;
    /// Returns whether this program keeps the cluster alive, so that the cluster ends when this object is destroyed.
    virtual bool hosts() const = 0;
    /// Restarts processes that have died. Called every second on the connection's thread.
    virtual Result<void> supervise() = 0;
};

struct ClusterOptions {
    std::filesystem::path connection;  ///< connection file of a running cluster; empty: `start` provides it
    std::filesystem::path keys;        ///< file of the console's CURVE key pair, created at first use; tcp only
    std::filesystem::path uploads;     ///< folder for the weights of imported models, from which they are uploaded to
                                       ///< nodes
    std::string version;
    /// Starts an embedded cluster. Runs on the connection's thread and may take seconds.
    std::function<Result<std::unique_ptr<Host>>()> start;
};

/// The connection to a real cluster. Its sockets run in a separate thread, which puts the received data into a bounded
/// mailbox. Twelve times a second, a timer empties the mailbox and applies the events to the state.
class ClusterClient : public Client {
    Q_OBJECT
public:
    explicit ClusterClient(ClusterOptions options, QObject* parent = nullptr);
    ~ClusterClient() override;

    const Status& status() const override { return status_; }
    const ClusterData& data() const override { return data_; }
    TimePoint now() const override { return time_.of(Client::now()); }
    void send(Sending how, const control::Message& message) override;
    void carry_out(const LocalOrder& order) override;
    const std::optional<Upload>& upload() const override { return upload_; }
    std::vector<std::string> known_modules() const override;
    void retry() override;

private:
    class Worker;

    void take_mail();

    Status status_;
    ClusterData data_;
    ClusterTime time_;
    std::optional<Upload> upload_;
    QTimer tick_;
    std::unique_ptr<Worker> worker_;
};

}  // namespace divisi::client
