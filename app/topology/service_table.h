// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <chrono>
#include <map>
#include <optional>
#include <vector>

#include "app/model/wording/colours.h"
#include "app/topology/natural_order.h"
#include "backend/control/agent/service_watch.h"

namespace divisi::topology {

/// Time for which a removed row is still shown, so that people notice the removal.
inline constexpr std::chrono::seconds gone_shown{20};

/// An entry of the registry (SRD) as known to the console.
struct ServiceEntry {
    control::ServiceRow row;  ///< row of the registry; `removed`: no longer registered
    /// Set for a gateway or router. `row` then contains the device's name instead of a SID, and the lease data that
    /// devices and services have in common.
    std::optional<control::ServiceDevice> device = std::nullopt;
    std::chrono::steady_clock::time_point changed{};
    std::int64_t renewed_ms = 0;  ///< time from the renewal of the lease until the last report of its age
    std::chrono::steady_clock::time_point told{};
};

/// A model of the services whose SID has a prefix, and of the gateways and routers whose name has the prefix. The rows
/// are in natural order. The registry's answers update the model.
class ServiceTable : public QAbstractTableModel {
    Q_OBJECT
public:
    using Time = std::chrono::steady_clock::time_point;
    enum Column { sid, kind, incarnation, state, renewed, node, capability, address, changed, schemas, column_count };

    using QAbstractTableModel::QAbstractTableModel;

    /// Returns the next question to the registry.
    control::WatchServices next() const;
    /// Adds the content of an answer. Ignores the answer if `question` differs from next(), because a question that was
    /// sent twice is answered twice.
    void take(const control::WatchServices& question, const control::ServiceChanges& answer, Time now);
    /// Clears the table after a new connection, so that everything is requested again.
    void clear();
    void set_prefix(const std::string& prefix);
    void set_colours(const model::Colours& colours) { colours_ = &colours; }
    /// Updates the ages, and removes rows whose removal was shown long enough.
    void advance(Time now);

    /// Returns whether the registry has sent all its entries.
    bool complete() const { return watch_.complete(); }
    mesh::Revision revision() const { return watch_.services().revision(); }
    /// Returns the time since the registry last confirmed the shown rows; empty before it has sent all rows.
    std::optional<std::chrono::steady_clock::duration> age() const;
    std::size_t registered() const { return watch_.services().table().services(); }
    std::size_t registered_devices() const { return watch_.services().table().devices(); }
    const ServiceEntry& at(int row) const { return *shown_[static_cast<std::size_t>(row)]; }
    /// Returns the row of a SID; -1 if it is not shown.
    int row_of(const std::string& sid) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QVariant key_of(const ServiceEntry& entry, int column) const;
    void put(ServiceEntry entry);
    void take_snapshot(const std::vector<control::ServiceRow>& rows);
    void take_leases(const std::vector<control::LeaseAge>& leases);
    void remove(const std::string& sid);
    void show_all();
    bool passes(const std::string& sid) const { return sid.starts_with(prefix_); }
    std::vector<const ServiceEntry*>::const_iterator place_of(const std::string& sid) const;

    control::ServiceWatch watch_;
    std::map<std::string, ServiceEntry, NaturalLess> entries_;
    std::vector<const ServiceEntry*> shown_;  ///< pointers into entries_
    std::string prefix_;
    Sid leases_after_;  ///< position at which the next answer about lease ages continues
    Time now_{};
    const model::Colours* colours_ = &model::dark_colours();
};

/// Returns the time since the lease was renewed, such as "1.9 s ago", as `divisictl services` shows it. A dash if the
/// lease has ended, or if the last report is older than the duration of a lease, so that the lease may have been
/// renewed since then.
QString renewed_text(const ServiceEntry& entry, ServiceTable::Time now);
/// Returns the measured capability, such as "cpu · 31.2 GFLOP/s · 7.6 GiB".
QString capability_text(const mesh::Registration& said);
/// Returns the names and values of all fields of a registration.
std::vector<std::pair<QString, QString>> fields_of(const ServiceEntry& entry, const model::Colours& colours,
                                                   ServiceTable::Time now);

}  // namespace divisi::topology
