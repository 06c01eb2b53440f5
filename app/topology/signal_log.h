// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "app/model/tracking/selection.h"
#include "app/topology/signal_adverts.h"
#include "backend/control/types/mesh_types.h"
#include "backend/mesh/signaling/load_advert.h"
#include "backend/mesh/signaling/rsvp.h"

namespace divisi::topology {

/// A decoded message from a device to its neighbour, or between a device or instance and the orchestrator.
struct Signal {
    control::SignalRecord record;
    /// decoded RSVP message; none: it cannot be decoded, or has another type
    std::optional<mesh::RsvpMessage> message;
    /// decoded load message (type 4); none: it cannot be decoded, or has another type
    std::optional<mesh::LoadAdvert> load;
    QString problem;                       ///< reason why the message cannot be decoded
    QString sids;                          ///< SIDs of the flow; empty: unknown
    QString type, from, to, flow, credit;  ///< texts of the table's columns
};
/// Return the names of signaling types 2 and 4 in the table.
QString routes_type();
QString load_type();
/// Returns the names of types 1 to 5 in the table, in this order.
QStringList advert_types();

/// Selects the messages to show. An empty text matches all messages.
struct SignalFilter {
    QString type, sender;
    QString flow;              ///< text that the flow's text must contain, ignoring case
    bool marked_link = false;  ///< whether to show only messages over the marked link
    bool passes(const Signal& signal) const;
};
/// Returns the link that the message used; none for type 2, or if an end is not a device with a known name.
model::Selected link_of(const Signal& signal, const DeviceNames& devices);

/// A model of the latest messages that pass the filter, oldest first: as many of each kind as the orchestrator keeps
/// (control::most_kept). A reservation does not repeat its SIDs, so they are taken from the PATH of the same session
/// and sender.
class SignalLog : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { time, type, sender, receiver, flow, credit, column_count };

    using QAbstractTableModel::QAbstractTableModel;

    void append(const std::vector<control::SignalRecord>& records);
    /// Stores the names of the owners of routing identifiers. If a name is new, the existing messages are updated.
    void take_names(const control::MeshState& mesh);
    const DeviceNames& devices() const { return devices_; }
    void clear();
    void set_filter(SignalFilter filter);
    /// Updates the names of senders and receivers to the window's language.
    void retranslate();
    /// Shows messages over this link, in both directions, in bold. If `link` is another kind of selection, no messages
    /// are bold. The filter for the marked link takes effect with the next set_filter().
    void mark_link(const model::Selected& link);

    std::uint64_t last_number() const { return last_; }
    std::size_t total() const { return signals_.size(); }
    const Signal& at(int row) const { return signals_.at(shown_[static_cast<std::size_t>(row)]); }
    /// Returns the row of a message; -1 if it is not shown.
    int row_of(std::uint64_t number) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    using FlowName = std::tuple<mesh::Ipv6, mesh::Ipv6, std::uint16_t>;
    bool passes(const Signal& signal) const;
    Signal taken_apart(const control::SignalRecord& record);
    void take_rsvp(Signal& signal);
    void take_advert(Signal& signal);
    void set_names(Signal& signal) const;
    /// Returns the SIDs of the message's flow; empty if its PATH was not seen.
    QString sids_text(const mesh::RsvpMessage& message);
    void drop_oldest(control::SignalKind kind, std::size_t count);
    void remove_rows(const std::vector<std::uint64_t>& numbers);

    std::map<std::uint64_t, Signal> signals_;  ///< messages by number
    std::map<control::SignalKind, std::size_t> counts_;
    std::vector<std::uint64_t> shown_;  ///< message numbers, ascending
    std::uint64_t last_ = 0;
    SignalFilter filter_;
    model::Selected link_;
    std::map<FlowName, QString> flows_;
    DeviceNames devices_;
};

/// Returns every field in the order of the message, then its bytes. `devices` provides the names of devices.
SignalFields fields_of(const Signal& signal, const DeviceNames& devices);

}  // namespace divisi::topology
