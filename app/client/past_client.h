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

/// A running cluster for views that follow the time cursor: as it is now, or as it was at a moment. It keeps the last
/// of what the live client hears (RecentPast); what is older is told by Status::problem, with no data. In the past
/// questions about the mesh are answered from what is kept, and whatever would need the cluster is refused. Keeping and
/// folding are the work of a thread of its own: no call here waits for it, and an answer replaces data() whole.
class PastClient : public Client {
    Q_OBJECT
public:
    /// How a moment reads, in the time zone of this machine.
    using MomentText = std::function<QString(TimePoint)>;

    /// The client of a running cluster, which outlives this. Keeps about `most` bytes, on a thread that has nothing
    /// else to do.
    PastClient(Client& live, MomentText text, Bytes most = most_past_bytes,
               std::unique_ptr<Courier> thread = std::make_unique<Courier>());
    ~PastClient() override;

    /// Shows a moment, soon; without one what is live, at once. Of moments that come faster than they can be shown some
    /// are passed over.
    void show(std::optional<TimePoint> at);
    /// The earliest moment that is kept; none before anything is.
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
    /// The cluster at a moment; `fold` is empty where that is not kept.
    struct Moment {
        Duration at{};
        std::optional<RecordFold> fold;
        std::optional<Duration> from;  ///< what is kept
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
    /// Asks the live client to do something; in the past refuses.
    template <typename... Wanted, typename... Given>
    void pass(void (Client::*what)(Wanted...), const Given&... given);

    Client& live_;
    MomentText text_;
    TimePoint begun_;
    QTimer asking_;  ///< the mesh is kept also while nobody looks at it
    QTimer hold_;    ///< ages stand still with the moment
    Status status_;
    std::optional<Duration> wanted_;  ///< none: what is live
    std::shared_ptr<Moment> shown_;   ///< null: what is live
    bool seeking_ = false;
    bool behind_ = false;                     ///< more came than could be kept
    Duration last_{};                         ///< when what came last was kept
    std::optional<control::MeshState> mesh_;  ///< as it was told last
    RecordFold::Steady::time_point mesh_came_{};
    std::atomic<std::size_t> waiting_ = 0;
    std::atomic<Duration::rep> from_ = -1;  ///< what is kept; below 0: nothing
    RecentPast past_;                       ///< the courier's thread has it
    std::unique_ptr<Courier> courier_;
};

}  // namespace divisi::client
