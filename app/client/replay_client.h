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

/// Presents a recording as a cluster, so that views show it like a live cluster. Questions are answered from the file;
/// requests that need a cluster are refused with a sentence. The caller chooses the time to show.
class ReplayClient : public Client {
    Q_OBJECT
public:
    /// Opens a recording and shows its start. Fails as RecordedCluster::open() does. With Scan::later, the recording is
    /// scanned while the event loop runs, and scanned() is emitted at the end.
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

    /// Shows the cluster at a time from begin() to end(). Moving forward applies only the records in between; moving
    /// back restarts from an earlier state.
    void show(TimePoint at);

    const Status& status() const override { return status_; }
    const ClusterData& data() const override { return cluster_.data(); }
    /// Returns a time at or after end(), so that the time cursor can be at any time of the recording.
    TimePoint now() const override;
    TimePoint shown() const override { return at(); }

    void send(Sending how, const control::Message& message) override;
    void carry_out(const LocalOrder& order) override;
    const std::optional<Upload>& upload() const override { return upload_; }
    std::vector<std::string> known_modules() const override { return {}; }
    void retry() override {}

Q_SIGNALS:
    void scanned();

private:
    using Steady = RecordedCluster::Steady;

    ReplayClient(RecordedCluster cluster, std::filesystem::path file);
    void scan_on();
    /// Returns the recording's start on the local steady clock. The time `at` of the recording corresponds to now.
    Steady::time_point zero(Duration at) const;
    void take_status(bool anew);
    void tell_task();
    void answer(const control::Message& question);
    void watch_services(const control::WatchServices& question);
    bool has_news(const control::WatchServices& question) const;
    void answer_services();
    void refuse_question(const control::Message& question);
    /// Returns the reason why a recording refuses the message.
    QString refusal(const control::Message& message) const;
    QString recording() const;
    template <control::Question Q>
    void tell(const Q& question, const typename Q::Answer& answer) {
        Q_EMIT answered({question, control::Message(answer)});
    }
    /// Calls `answer` later from the event loop, as if the answer arrived over a connection.
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
    QTimer hold_;      ///< keeps ages constant while a time is shown
    QTimer patience_;  ///< time limit for the answer to a watch
};

}  // namespace divisi::client
