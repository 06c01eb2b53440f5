// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <map>
#include <optional>
#include <vector>

#include "app/model/selection.h"
#include "app/topology/signal_adverts.h"
#include "backend/control/protocol/message.h"
#include "backend/mesh/signaling/load_advert.h"
#include "backend/mesh/signaling/rsvp.h"

namespace divisi::topology {

/// A message that went from one device to its neighbour, or between devices or instances and the orchestrator, taken
/// apart.
struct Signal {
    control::SignalRecord record;
    std::optional<mesh::RsvpMessage> message;  ///< of RSVP; none: it does not decode
    std::optional<mesh::LoadAdvert> load;      ///< of type 4, likewise
    QString problem;                           ///< why not
    QString sids;                              ///< of its flow; empty: not known
    QString type, from, to, flow, credit;      ///< as the table shows them
};
/// As the table calls signaling types 2 and 4.
QString routes_type();
QString load_type();
/// Likewise types 1 to 5, in this order.
QStringList advert_types();

/// Which messages are shown. Empty texts let all pass.
struct SignalFilter {
    QString type, sender;
    QString flow;              ///< part of the text of its flow, whatever the case
    bool marked_link = false;  ///< only those over the link that is marked
    bool passes(const Signal& signal) const;
};
/// The link that it went over; none where one end is no device, or not known by name.
model::Selected link_of(const Signal& signal, const DeviceNames& devices);

/// The latest messages, oldest first, those that the filter lets pass: of each kind as many as the orchestrator keeps
/// (control::most_kept). A reservation does not repeat which SIDs it is for: they are taken from the PATH of the same
/// session and sender.
class SignalLog : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { time, type, sender, receiver, flow, credit, column_count };

    using QAbstractTableModel::QAbstractTableModel;

    void append(const std::vector<control::SignalRecord>& records);
    /// Who had which routing identifier. Where somebody new is known by it, messages that are there get their names.
    void take_names(const control::MeshState& mesh);
    const DeviceNames& devices() const { return devices_; }
    void clear();
    void set_filter(SignalFilter filter);
    /// Says who sent and received in the language of the window.
    void retranslate();
    /// Messages over this link are in bold, whichever way they went; of another kind: none is. What the filter lets
    /// pass follows with the next set_filter().
    void mark_link(const model::Selected& link);

    std::uint64_t last_number() const { return last_; }
    std::size_t total() const { return signals_.size(); }
    const Signal& at(int row) const { return signals_.at(shown_[static_cast<std::size_t>(row)]); }
    /// The row of a message; -1 where it is not shown.
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
    /// Empty where its PATH was not seen.
    QString sids_text(const mesh::RsvpMessage& message);
    void drop_oldest(control::SignalKind kind, std::size_t count);
    void remove_rows(const std::vector<std::uint64_t>& numbers);

    std::map<std::uint64_t, Signal> signals_;  ///< by number
    std::map<control::SignalKind, std::size_t> counts_;
    std::vector<std::uint64_t> shown_;  ///< numbers, ascending
    std::uint64_t last_ = 0;
    SignalFilter filter_;
    model::Selected link_;
    std::map<FlowName, QString> flows_;
    DeviceNames devices_;
};

/// Every field in the order of the message, then its bytes. `devices` names who is in it.
SignalFields fields_of(const Signal& signal, const DeviceNames& devices);

}  // namespace divisi::topology
