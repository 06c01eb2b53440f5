// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <chrono>
#include <map>
#include <optional>
#include <vector>

#include "app/model/colours.h"
#include "app/topology/natural_order.h"
#include "backend/control/agent/service_watch.h"

namespace divisi::topology {

/// A row that went is shown this long, so that people see what happened.
inline constexpr std::chrono::seconds gone_shown{20};

/// What the registry (SRD) has, as the console knows it.
struct ServiceEntry {
    control::ServiceRow row;  ///< `removed`: it is no longer registered
    /// Of a gateway or router; `row` then has its name as SID, and what leases of both kinds have.
    std::optional<control::ServiceDevice> device = std::nullopt;
    std::chrono::steady_clock::time_point changed{};
    std::int64_t renewed_ms = 0;  ///< since its lease was renewed, when that was told
    std::chrono::steady_clock::time_point told{};
};

/// The services whose SID has a prefix, and the gateways and routers whose name has it, in the order of those. Follows
/// the registry by its answers.
class ServiceTable : public QAbstractTableModel {
    Q_OBJECT
public:
    using Time = std::chrono::steady_clock::time_point;
    enum Column { sid, kind, incarnation, state, renewed, node, capability, address, changed, schemas, column_count };

    using QAbstractTableModel::QAbstractTableModel;

    /// What to ask the registry next.
    control::WatchServices next() const;
    /// Answers to other questions than next() are passed over: one that was asked twice is answered twice.
    void take(const control::WatchServices& question, const control::ServiceChanges& answer, Time now);
    /// Another connection: all is asked anew.
    void clear();
    void set_prefix(const std::string& prefix);
    void set_colours(const model::Colours& colours) { colours_ = &colours; }
    /// Ages grow, and what went long ago is forgotten.
    void advance(Time now);

    /// Whether the registry has told all that it has.
    bool complete() const { return watch_.complete(); }
    mesh::Revision revision() const { return watch_.services().revision(); }
    /// Since the registry last confirmed what is shown; none before it has told all.
    std::optional<std::chrono::steady_clock::duration> age() const;
    std::size_t registered() const { return watch_.services().table().services(); }
    std::size_t registered_devices() const { return watch_.services().table().devices(); }
    const ServiceEntry& at(int row) const { return *shown_[static_cast<std::size_t>(row)]; }
    /// -1 where it is not shown.
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
    std::vector<const ServiceEntry*> shown_;  ///< into entries_
    std::string prefix_;
    Sid leases_after_;  ///< where the next answer goes on with the ages of leases
    Time now_{};
    const model::Colours* colours_ = &model::dark_colours();
};

/// "1.9 s ago": since the lease was renewed, as `divisictl services` has it. A dash where that is over, or was not told
/// for longer than a lease lasts, so that it may have been renewed since.
QString renewed_text(const ServiceEntry& entry, ServiceTable::Time now);
/// "cpu · 31.2 GFLOP/s · 7.6 GiB": what is measured of it.
QString capability_text(const mesh::Registration& said);
/// Name and value of all that a registration carries.
std::vector<std::pair<QString, QString>> fields_of(const ServiceEntry& entry, const model::Colours& colours,
                                                   ServiceTable::Time now);

}  // namespace divisi::topology
