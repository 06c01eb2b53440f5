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

/// A client for views that follow the time cursor: it shows a running cluster as it is now, or as it was at a past
/// time.
///
/// It keeps the most recent part of the data that the live client receives (RecentPast). For earlier times there is no
/// data, and Status::problem says so. While a past time is shown, orders are refused, and questions about the mesh are
/// answered from the kept data. All other questions go to the cluster. A separate thread keeps the data and computes
/// past states. No call of this class waits for that thread; a new state replaces data() as a whole.
class PastClient : public Client {
    Q_OBJECT
public:
    /// Function that formats a time in the time zone of this machine.
    using MomentText = std::function<QString(TimePoint)>;

    /// `live` is the client of a running cluster and must outlive this object. About `most` bytes of data are kept.
    /// `thread` keeps the data and must have no other work.
    PastClient(Client& live, MomentText text, Bytes most = most_past_bytes,
               std::unique_ptr<Courier> thread = std::make_unique<Courier>());
    ~PastClient() override;

    /// Shows a past time as soon as its state is computed. If `at` is empty, shows the live data immediately. If times
    /// are requested faster than they can be shown, some are skipped.
    void show(std::optional<TimePoint> at);
    /// Returns the earliest kept time; empty if no data is kept yet.
    std::optional<TimePoint> kept_from() const;

    const Status& status() const override { return shown_ ? status_ : live_.status(); }
    const ClusterData& data() const override;
    TimePoint now() const override { return live_.now(); }
    TimePoint shown() const override { return shown_ ? begun_ + shown_->at : live_.shown(); }

    void send(Sending how, const control::Message& message) override;
    void carry_out(const LocalOrder& order) override;
    const std::optional<Upload>& upload() const override { return live_.upload(); }
    Duration mesh_age() const override;
    std::vector<std::string> known_modules() const override { return live_.known_modules(); }
    void retry() override { live_.retry(); }

private:
    /// The state of the cluster at a past time. `fold` is empty if no data of that time is kept.
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
    bool refuse_in_past();

    Client& live_;
    MomentText text_;
    TimePoint begun_;
    QTimer asking_;  ///< requests the mesh even while no view shows it
    QTimer hold_;    ///< keeps ages constant while a past time is shown
    Status status_;
    std::optional<Duration> wanted_;  ///< requested time; none: live data
    std::shared_ptr<Moment> shown_;   ///< shown moment; null: live data
    bool seeking_ = false;
    bool behind_ = false;                     ///< whether mail was dropped because it arrived faster than it could be
                                              ///< kept
    Duration last_{};                         ///< time of the last mail that was kept
    std::optional<control::MeshState> mesh_;  ///< last report of the mesh
    RecordFold::Steady::time_point mesh_came_{};
    std::atomic<std::size_t> waiting_ = 0;
    std::atomic<Duration::rep> from_ = -1;  ///< start of the kept data; negative: no data is kept
    RecentPast past_;                       ///< recent past; used by the courier's thread only
    std::unique_ptr<Courier> courier_;
};

}  // namespace divisi::client
