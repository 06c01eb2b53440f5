// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/client/recorded_cluster.h"

namespace divisi::client {

/// A cluster as a recording tells of it: views show it as they show a live one. What they ask for is answered from the
/// file; what would need a cluster is refused with a sentence. Somebody else says which moment is shown.
class ReplayClient : public Client {
    Q_OBJECT
public:
    /// Fails as RecordedCluster::open(). Shows the begin.
    /// `later`: the rest of it is read through while the event loop runs; scanned() tells.
    static Result<std::unique_ptr<ReplayClient>> open(const std::filesystem::path& file,
                                                      RecordedCluster::Scan scan = RecordedCluster::Scan::at_once);

    TimePoint begin() const { return cluster_.begin(); }
    TimePoint end() const { return cluster_.begin() + cluster_.length(); }
    TimePoint at() const { return cluster_.begin() + cluster_.at(); }
    /// Those that were read so far, as note() says what is known so far, until is_scanned().
    const std::vector<RecordingMark>& marks() const { return cluster_.marks(); }
    bool is_scanned() const { return scanned_; }
    /// Why the recording ends before it was closed, or has gaps, as a sentence; empty where it is whole.
    QString note() const;
    const std::filesystem::path& file() const { return file_; }

    /// Whether a file can be opened, without showing it; fails likewise.
    static Result<void> check(const std::filesystem::path& file);

    /// Shows the cluster at a moment, from begin() to end(). Forwards by what came since; backwards from the begin.
    void show(TimePoint at);

    const Status& status() const override { return status_; }
    const ClusterData& data() const override { return cluster_.data(); }
    /// Runs on behind end(), so that a cursor can stand anywhere in the recording.
    TimePoint now() const override;
    TimePoint shown() const override { return at(); }

    void submit(const QString& text, const QString& folder) override;
    void resubmit(std::uint64_t exception, const QString& text, const QString& folder) override;
    void stop(const TaskId& task) override;
    void release(const TaskId& task) override;
    void save_results(const TaskId& task, const QString& file) override;
    const std::optional<Upload>& upload() const override { return upload_; }
    void cancel_upload() override {}
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
    /// They are there where the recording has them.
    void watch_spans(const TaskId&) override {}
    void drop_version(std::uint64_t number) override;
    void keep_checkpoint(const TaskId& task, std::int64_t step) override;
    void export_version(std::uint64_t number, const QString& file) override;
    void drain_node(const NodeId& node, bool undo) override;
    void ask_advice(const TaskId& task) override;
    void recut(const control::Recut& wanted) override;
    void fault_link(const control::LinkFault& fault) override;
    void kill_router(const std::string& name) override;
    void kill_instance(const std::string& sid) override;
    void kill_node(const std::string& name) override;
    void pause_instance(const std::string& sid, double seconds) override;
    void heal_faults(const std::string& a, const std::string& b) override;
    void ask_policies() override;
    void set_policies(const std::vector<std::string>& settings) override;
    void roll_back_policies(std::uint64_t version) override;
    void try_policies(const std::vector<std::string>& settings) override;
    void ask_modules() override;
    std::vector<std::string> known_modules() const override { return {}; }
    void start_module(const std::string& name, const std::string& program) override;
    void stop_module(const std::string& name, const std::string& version) override;
    void use_module(const std::string& name, const std::string& version) override;
    void retry() override {}

Q_SIGNALS:
    void scanned();

private:
    using Steady = RecordedCluster::Steady;

    ReplayClient(RecordedCluster cluster, std::filesystem::path file);
    void scan_on();
    /// Where the recording's begin lies on the clock of this machine, so that at() is now.
    Steady::time_point zero(Duration at) const;
    void take_status(bool anew);
    void tell_task();
    bool has_news(const control::WatchServices& question) const;
    void answer_services();
    void refuse(const QString& sentence);
    QString recording() const;
    Error absent(const QString& sentence) const;
    /// Calls `answer` as if it came over a connection: not while the asker is still asking.
    template <typename Answer>
    void later(Answer answer) {
        QMetaObject::invokeMethod(this, answer, Qt::QueuedConnection);
    }

    /// Likewise, but not before all that is asked for may have been read.
    template <typename Answer>
    void when_scanned(Answer answer) {
        if (scanned_) later(answer);
        else waiting_.emplace_back(answer);
    }

    RecordedCluster cluster_;
    std::filesystem::path file_;
    Status status_;
    std::optional<Upload> upload_;
    std::set<std::string> told_;                        ///< tasks that submitted() has named
    std::optional<control::WatchServices> watched_;     ///< asked, and not answered yet
    std::vector<control::ServiceDevice> told_devices_;  ///< with the last snapshot
    Steady::time_point opened_ = Steady::now();
    bool scanned_ = false;
    std::vector<std::function<void()>> waiting_;  ///< answers, for the scan
    QTimer scan_;
    QTimer hold_;      ///< ages stand still with the moment
    QTimer patience_;  ///< of what is watched
};

}  // namespace divisi::client
