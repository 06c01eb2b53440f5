// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>

#include "app/client/courier.h"
#include "app/client/recent_past.h"

namespace divisi::client {

/// A client for views that follow the time cursor: it shows a running cluster as it is now, or as it was at a moment.
///
/// It keeps the most recent part of what the live client receives (RecentPast). For older moments there is no data, and
/// Status::problem says so. In the past, questions about the mesh are answered from the kept data, and requests that
/// need the cluster are refused. A separate thread keeps and folds the data: no call here waits for it, and a result
/// replaces data() as a whole.
class PastClient : public Client {
    Q_OBJECT
public:
    /// Formats a moment in the time zone of this machine.
    using MomentText = std::function<QString(TimePoint)>;

    /// `live` is the client of a running cluster and must outlive this object. Keeps about `most` bytes on `thread`,
    /// which must have no other work.
    PastClient(Client& live, MomentText text, Bytes most = most_past_bytes,
               std::unique_ptr<Courier> thread = std::make_unique<Courier>());
    ~PastClient() override;

    /// Shows a moment soon or, without an argument, the live data at once. If moments come faster than they can be
    /// shown, some are skipped.
    void show(std::optional<TimePoint> at);
    /// Returns the earliest kept moment; empty if nothing is kept yet.
    std::optional<TimePoint> kept_from() const;

    const Status& status() const override { return shown_ ? status_ : live_.status(); }
    const ClusterData& data() const override;
    TimePoint now() const override { return live_.now(); }
    TimePoint shown() const override { return shown_ ? begun_ + shown_->at : live_.shown(); }

    void submit(const QString& text, const QString& folder) override;
    void resubmit(std::uint64_t exception, const QString& text, const QString& folder) override;
    void stop(const TaskId& task) override;
    void release(const TaskId& task) override;
    void save_results(const TaskId& task, const QString& file) override;
    const std::optional<Upload>& upload() const override { return live_.upload(); }
    void cancel_upload() override;
    void ask_mesh() override;
    Duration mesh_age() const override;
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
    std::vector<std::string> known_modules() const override { return live_.known_modules(); }
    void start_module(const std::string& name, const std::string& program) override;
    void stop_module(const std::string& name, const std::string& version) override;
    void use_module(const std::string& name, const std::string& version) override;
    void retry() override { live_.retry(); }

private:
    /// The cluster at a moment. `fold` is empty if that moment is not kept.
    struct Moment {
        Duration at{};
        std::optional<RecordFold> fold;
        std::optional<Duration> from;  ///< start of the kept data
    };

    void forward();
    void hear(const Mail& mail);
    void keep(Mail mail);
    void begin();
    void tell_from();
    void seek();
    void go_live();
    void take(std::shared_ptr<Moment> moment);
    void take_status();
    void tell_mesh();
    QString problem() const;
    Duration since_begun() const { return live_.now() - begun_; }
    /// Forwards a request to the live client; refuses it in the past.
    template <typename... Wanted, typename... Given>
    void pass(void (Client::*what)(Wanted...), const Given&... given);

    Client& live_;
    MomentText text_;
    TimePoint begun_;
    QTimer asking_;  ///< requests the mesh even while no view shows it
    QTimer hold_;    ///< keeps ages constant while a moment is shown
    Status status_;
    std::optional<Duration> wanted_;  ///< none: live data
    std::shared_ptr<Moment> shown_;   ///< null: live data
    bool seeking_ = false;
    bool behind_ = false;                     ///< mail arrived faster than it could be kept
    Duration last_{};                         ///< time of the last mail that was kept
    std::optional<control::MeshState> mesh_;  ///< as last reported
    RecordFold::Steady::time_point mesh_came_{};
    std::atomic<std::size_t> waiting_ = 0;
    std::atomic<Duration::rep> from_ = -1;  ///< start of the kept data; negative: nothing is kept
    RecentPast past_;                       ///< used by the courier's thread only
    std::unique_ptr<Courier> courier_;
};

}  // namespace divisi::client
