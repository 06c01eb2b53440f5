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
    /// Returns whether this program keeps the cluster alive, so that the cluster ends with this object.
    virtual bool hosts() const = 0;
    /// Restarts processes that have died. Called every second on the connection's thread.
    virtual Result<void> supervise() = 0;
};

struct ClusterOptions {
    std::filesystem::path connection;  ///< connection file of a running cluster; empty: `start` provides it
    std::filesystem::path keys;        ///< own CURVE key pair, created at first use; tcp only
    std::filesystem::path uploads;     ///< folder that keeps an imported model's weights for the nodes
    std::string version;
    /// Starts an embedded cluster. Runs on the connection's thread and may take seconds.
    std::function<Result<std::unique_ptr<Host>>()> start;
};

/// The connection to a real cluster. Its sockets run in a separate thread, which puts what it receives into a bounded
/// mailbox. A timer empties the mailbox twelve times a second and folds the events.
class ClusterClient : public Client {
    Q_OBJECT
public:
    explicit ClusterClient(ClusterOptions options, QObject* parent = nullptr);
    ~ClusterClient() override;

    const Status& status() const override { return status_; }
    const ClusterData& data() const override { return data_; }
    TimePoint now() const override { return time_.of(Client::now()); }
    void submit(const QString& text, const QString& folder) override;
    void resubmit(std::uint64_t exception, const QString& text, const QString& folder) override;
    void stop(const TaskId& task) override;
    void release(const TaskId& task) override;
    void save_results(const TaskId& task, const QString& file) override;
    const std::optional<Upload>& upload() const override { return upload_; }
    void cancel_upload() override;
    void ask_mesh() override;
    void ask_signals(std::uint64_t after) override;
    void ask_services(const control::WatchServices& question) override;
    void ask_receipts(const control::QueryLog& question) override;
    void ask_log(const control::QueryLog& question) override;
    void retry_exception(std::uint64_t number) override;
    void drop_exception(std::uint64_t number) override;
    void ask_stores(const control::ListStores& question) override;
    void ask_store_rows(const control::ReadStore& question) override;
    void ask_lines(const control::QueryLines& question) override;
    void watch_spans(const TaskId& task) override;
    void drop_version(std::uint64_t number) override;
    void keep_checkpoint(const TaskId& task, std::int64_t step) override;
    void export_version(std::uint64_t number, const QString& file) override;
    void drain_node(const NodeId& node, bool undo) override;
    void ask_advice(const TaskId& task) override;
    void recut(const control::Recut& wanted) override;
    void ask_policies() override;
    void set_policies(const std::vector<std::string>& settings) override;
    void roll_back_policies(std::uint64_t version) override;
    void try_policies(const std::vector<std::string>& settings) override;
    void ask_modules() override;
    std::vector<std::string> known_modules() const override;
    void start_module(const std::string& name, const std::string& program) override;
    void stop_module(const std::string& name, const std::string& version) override;
    void use_module(const std::string& name, const std::string& version) override;
    void fault_link(const control::LinkFault& fault) override;
    void kill_router(const std::string& name) override;
    void kill_instance(const std::string& sid) override;
    void kill_node(const std::string& name) override;
    void pause_instance(const std::string& sid, double seconds) override;
    void heal_faults(const std::string& a, const std::string& b) override;
    void retry() override;

private:
    class Worker;

    void take_mail();
    void tell_answers(const Mail& mail);

    Status status_;
    ClusterData data_;
    ClusterTime time_;
    std::optional<Upload> upload_;
    QTimer tick_;
    std::unique_ptr<Worker> worker_;
};

}  // namespace divisi::client
