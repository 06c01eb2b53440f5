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

/// Presents a recording as a cluster, so that views show it like a live one. Questions are answered from the file;
/// requests that need a cluster are refused with a sentence. The caller chooses the moment to show.
class ReplayClient : public Client {
    Q_OBJECT
public:
    /// Opens a recording and shows its start. Fails as RecordedCluster::open() does. With `later`, the rest is scanned
    /// while the event loop runs, and scanned() reports the end.
    static Result<std::unique_ptr<ReplayClient>> open(const std::filesystem::path& file,
                                                      RecordedCluster::Scan scan = RecordedCluster::Scan::at_once);

    TimePoint begin() const { return cluster_.begin(); }
    TimePoint end() const { return cluster_.begin() + cluster_.length(); }
    TimePoint at() const { return cluster_.begin() + cluster_.at(); }
    /// Returns the marks found so far. Until is_scanned(), marks() and note() are incomplete.
    const std::vector<RecordingMark>& marks() const { return cluster_.marks(); }
    bool is_scanned() const { return scanned_; }
    /// Returns a sentence on why the recording is truncated or has gaps; empty if it is complete.
    QString note() const;
    const std::filesystem::path& file() const { return file_; }

    /// Checks whether a file can be opened, without showing it. Fails as open() does.
    static Result<void> check(const std::filesystem::path& file);

    /// Shows the cluster at a moment from begin() to end(). Moving forward folds only the records in between; moving
    /// back restarts from an earlier state.
    void show(TimePoint at);

    const Status& status() const override { return status_; }
    const ClusterData& data() const override { return cluster_.data(); }
    /// Returns a time past end() too, so that the cursor can be anywhere in the recording.
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
    /// Nothing to request: spans are available if the recording contains them.
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
    /// Returns the time of the recording's start on the local steady clock, if `at` is now.
    Steady::time_point zero(Duration at) const;
    void take_status(bool anew);
    void tell_task();
    bool has_news(const control::WatchServices& question) const;
    void answer_services();
    void refuse(const QString& sentence);
    QString recording() const;
    Error absent(const QString& sentence) const;
    /// Calls `answer` from the event loop, as an answer over a connection would come: never within the question.
    template <typename Answer>
    void later(Answer answer) {
        QMetaObject::invokeMethod(this, answer, Qt::QueuedConnection);
    }

    /// Calls `answer` from the event loop, but not before the scan has read the whole recording.
    template <typename Answer>
    void when_scanned(Answer answer) {
        if (scanned_) later(answer);
        else waiting_.emplace_back(answer);
    }

    RecordedCluster cluster_;
    std::filesystem::path file_;
    Status status_;
    std::optional<Upload> upload_;
    std::set<std::string> told_;                        ///< tasks already named by submitted()
    std::optional<control::WatchServices> watched_;     ///< question that is not answered yet
    std::vector<control::ServiceDevice> told_devices_;  ///< devices of the last snapshot sent
    Steady::time_point opened_ = Steady::now();
    bool scanned_ = false;
    std::vector<std::function<void()>> waiting_;  ///< answers that wait for the end of the scan
    QTimer scan_;
    QTimer hold_;      ///< keeps ages constant while a moment is shown
    QTimer patience_;  ///< time limit for the answer to a watch
};

}  // namespace divisi::client
