// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/topology/signal_log.h"

#include <arpa/inet.h>

#include <QCoreApplication>
#include <QFont>
#include <algorithm>
#include <span>

#include "app/client/refusal_text.h"
#include "app/model/wording/sorted_rows.h"
#include "app/model/wording/states.h"
#include "app/model/wording/text.h"
#include "backend/control/protocol/mesh_messages.h"
#include "backend/control/protocol/signal_book.h"
#include "backend/control/protocol/signal_texts.h"
#include "backend/wire/message_codec.h"

namespace divisi::topology {

namespace {

/// If there are too many messages of a kind, 1/`dropped_part` of them are dropped at once, so that the rows do not
/// change with every message.
constexpr std::size_t dropped_part = 20;
/// Maximum number of flows whose SIDs are stored. Flows are distinguished by gateway and number, because every gateway
/// numbers its flows separately.
constexpr std::size_t most_flows = 10'000;

struct Fields {
    Q_DECLARE_TR_FUNCTIONS(divisi::topology::Fields)
};

QString text_of(const mesh::Ipv6& address) {
    char text[INET6_ADDRSTRLEN] = {};
    inet_ntop(AF_INET6, address.bytes.data(), text, sizeof text);
    return QString::fromLatin1(text);
}

/// Returns the routing identifier in an address made by device_address().
std::uint32_t device_of(const mesh::Ipv6& address) { return address.bytes[14] * 256U + address.bytes[15]; }

QString credit_text(const mesh::RsvpMessage& message) {
    if (message.credit) return model::bytes_text(static_cast<Bytes>(message.credit->allowed_bytes));
    if (message.credit_megabytes) return QStringLiteral("%1 MB").arg(*message.credit_megabytes);
    if (message.error) return Fields::tr("code %1, value %2").arg(message.error->code).arg(message.error->value);
    return {};
}

/// Returns the sort key of a cell that is not sorted by its text; invalid: sort by the text.
QVariant key_of(const Signal& signal, int column) {
    if (column == SignalLog::time) return QVariant::fromValue<qlonglong>(signal.record.time.time_since_epoch().count());
    if (column != SignalLog::credit || !signal.message) return {};
    const mesh::RsvpMessage& message = *signal.message;
    if (message.credit) return static_cast<double>(message.credit->allowed_bytes);
    if (message.credit_megabytes) return 1e6 * static_cast<double>(*message.credit_megabytes);
    return {};
}

QString milliseconds(TimePoint time) {
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count() % 1000;
    return model::clock_text(time) + QStringLiteral(".%1").arg(ms, 3, 10, QLatin1Char('0'));
}

/// Returns whether the orchestrator records messages of this type as text, as it does for all types except RSVP and
/// type 4.
bool is_text(control::SignalKind kind) {
    return kind != control::SignalKind::rsvp && kind != control::SignalKind::load;
}

/// Returns the bytes in hexadecimal, sixteen per line.
QString hex(const std::string& bytes) {
    QStringList lines;
    for (std::size_t at = 0; at < bytes.size(); at += 16)
        lines << QString::fromLatin1(QByteArray::fromStdString(bytes.substr(at, 16)).toHex(' '));
    return lines.join(u'\n');
}

}  // namespace

QString routes_type() { return QStringLiteral("type 2, routes"); }
QString load_type() { return QStringLiteral("type 4, load"); }

QStringList advert_types() {
    return {QStringLiteral("type 1, registration"), routes_type(), QStringLiteral("type 3, request"), load_type(),
            QStringLiteral("type 5, report")};
}

bool SignalFilter::passes(const Signal& signal) const {
    return (type.isEmpty() || signal.type == type) && (sender.isEmpty() || signal.from == sender) &&
           (flow.isEmpty() || signal.flow.contains(flow, Qt::CaseInsensitive));
}

model::Selected link_of(const Signal& signal, const DeviceNames& devices) {
    const bool between = signal.record.kind != control::SignalKind::routes && devices.knows(signal.record.from) &&
                         devices.knows(signal.record.to) && signal.from != signal.to;
    return between ? model::Selected::of_link(signal.from.toStdString(), signal.to.toStdString()) : model::Selected();
}

QString SignalLog::sids_text(const mesh::RsvpMessage& message) {
    const FlowName name{message.session.destination, message.sender.source, message.session.port};
    if (message.sids) {
        if (flows_.size() >= most_flows) flows_.clear();
        return flows_[name] = QString::fromStdString(message.sids->source) + QStringLiteral(" \u2192 ") +
                              QString::fromStdString(message.sids->destination);
    }
    const auto known = flows_.find(name);
    return known == flows_.end() ? QString() : known->second;
}

void SignalLog::set_names(Signal& signal) const {
    const TimePoint at = signal.record.time;
    const bool text = is_text(signal.record.kind), down = text && control::is_told_to_devices(signal.record);
    const std::string sid = control::registered_sid(signal.record);
    signal.from = !sid.empty() ? QString::fromStdString(sid)
                  : down       ? Fields::tr("orchestrator")
                               : devices_.name(signal.record.from, at);
    signal.to = !text || signal.record.to != 0 ? devices_.name(signal.record.to, at)
                : down                         ? Fields::tr("all")
                                               : Fields::tr("orchestrator");
    if (signal.load) signal.flow = load_text(*signal.load, devices_, at);
    if (!signal.message) return;
    const mesh::RsvpMessage& message = *signal.message;
    signal.flow = !signal.sids.isEmpty() ? signal.sids
                                         : Fields::tr("%1 \u2192 %2, flow %3")
                                               .arg(devices_.name(device_of(message.sender.source), at),
                                                    devices_.name(device_of(message.session.destination), at))
                                               .arg(message.session.port);
}

void SignalLog::take_names(const control::MeshState& mesh) {
    if (devices_.take(mesh) && !signals_.empty()) retranslate();
}

void SignalLog::retranslate() {
    for (auto& [number, signal] : signals_) set_names(signal);
    set_filter(filter_);
}

Signal SignalLog::taken_apart(const control::SignalRecord& record) {
    Signal signal;
    signal.record = record;
    if (record.kind == control::SignalKind::rsvp) take_rsvp(signal);
    else take_advert(signal);
    set_names(signal);
    return signal;
}

void SignalLog::take_rsvp(Signal& signal) {
    auto message = mesh::decode(std::as_bytes(std::span(signal.record.bytes)));
    if (!message.ok()) {
        signal.type = Fields::tr("unreadable");
        signal.problem = client::quoted(message.error());
        return;
    }
    signal.type = QString::fromLatin1(mesh::to_string(message->type));
    signal.sids = sids_text(*message);
    signal.credit = credit_text(*message);
    signal.message = *std::move(message);
}

void SignalLog::take_advert(Signal& signal) {
    if (is_text(signal.record.kind)) {
        signal.type = advert_types().at(control::signaling_type(signal.record.kind) - 1);
        signal.flow = QString::fromStdString(signal.record.bytes).section(u'\n', 0, 0);
        return;
    }
    auto load = wire::decode_load(std::as_bytes(std::span(signal.record.bytes)));
    signal.type = load ? load_type() : Fields::tr("unreadable");
    if (load) signal.load = *std::move(load);
    else signal.problem = client::quoted(load.error());
}

void SignalLog::append(const std::vector<control::SignalRecord>& records) {
    std::vector<std::uint64_t> passed;
    for (const control::SignalRecord& record : records) {
        if (record.number <= last_) continue;
        last_ = record.number;
        ++counts_[record.kind];
        const Signal& signal = signals_.emplace(record.number, taken_apart(record)).first->second;
        if (passes(signal)) passed.push_back(record.number);
    }
    if (!passed.empty()) {
        const int first = rowCount();
        beginInsertRows({}, first, first + static_cast<int>(passed.size()) - 1);
        shown_.insert(shown_.end(), passed.begin(), passed.end());
        endInsertRows();
    }
    for (const auto& [kind, count] : counts_)
        if (const std::size_t most = control::most_kept(kind); count > most)
            drop_oldest(kind, count - most + most / dropped_part);
}

void SignalLog::drop_oldest(control::SignalKind kind, std::size_t count) {
    std::vector<std::uint64_t> numbers;
    for (auto signal = signals_.begin(); numbers.size() < count; ++signal)
        if (signal->second.record.kind == kind) numbers.push_back(signal->first);
    remove_rows(numbers);
    for (const std::uint64_t number : numbers) signals_.erase(number);
    counts_[kind] -= count;
}

/// Removes messages; `numbers` must be ascending. The messages are between messages of other kinds, so each run of
/// adjacent rows is removed separately.
void SignalLog::remove_rows(const std::vector<std::uint64_t>& numbers) {
    const auto goes = [&](std::ptrdiff_t row) {
        return std::ranges::binary_search(numbers, shown_[static_cast<std::size_t>(row)]);
    };
    const auto end = std::ranges::upper_bound(shown_, numbers.back()) - shown_.begin();
    for (std::ptrdiff_t last = end - 1; last >= 0; --last) {
        if (!goes(last)) continue;
        std::ptrdiff_t first = last;
        while (first > 0 && goes(first - 1)) --first;
        beginRemoveRows({}, static_cast<int>(first), static_cast<int>(last));
        shown_.erase(shown_.begin() + first, shown_.begin() + last + 1);
        endRemoveRows();
        last = first;
    }
}

void SignalLog::clear() {
    beginResetModel();
    signals_.clear();
    shown_.clear();
    flows_.clear();
    devices_.clear();
    counts_.clear();
    last_ = 0;
    endResetModel();
}

void SignalLog::set_filter(SignalFilter filter) {
    beginResetModel();
    filter_ = std::move(filter);
    shown_.clear();
    for (const auto& [number, signal] : signals_)
        if (passes(signal)) shown_.push_back(number);
    endResetModel();
}

bool SignalLog::passes(const Signal& signal) const {
    if (filter_.marked_link && link_ && link_of(signal, devices_) != link_) return false;
    return filter_.passes(signal);
}

void SignalLog::mark_link(const model::Selected& link) {
    if (link == link_) return;
    link_ = link;
    if (rowCount() > 0) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, column_count - 1), {Qt::FontRole});
}

int SignalLog::row_of(std::uint64_t number) const {
    const auto found = std::ranges::lower_bound(shown_, number);
    return found == shown_.end() || *found != number ? -1 : static_cast<int>(found - shown_.begin());
}

int SignalLog::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(shown_.size());
}

int SignalLog::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : column_count; }

QVariant SignalLog::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Signal& signal = at(index.row());
    if (role == Qt::FontRole && link_ && link_of(signal, devices_) == link_) {
        QFont bold;
        bold.setBold(true);
        return bold;
    }
    if (role == model::SortedRows::key_role) return key_of(signal, index.column());
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
    switch (index.column()) {
        case time: return milliseconds(signal.record.time);
        case type: return signal.type;
        case sender: return signal.from;
        case receiver: return signal.to;
        case flow: return signal.problem.isEmpty() ? signal.flow : signal.problem;
        case credit: return signal.credit;
        default: return {};
    }
}

QVariant SignalLog::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    switch (section) {
        case time: return tr("Time");
        case type: return tr("Type");
        case sender: return tr("From");
        case receiver: return tr("To");
        case flow: return tr("Flow");
        case credit: return tr("Credit, or error");
        default: return {};
    }
}

SignalFields fields_of(const Signal& signal, const DeviceNames& devices) {
    SignalFields rows{
        {Fields::tr("Number"), QString::number(signal.record.number)},
        {Fields::tr("Sent"), milliseconds(signal.record.time)},
        {Fields::tr("From, to"), signal.from + QStringLiteral(" \u2192 ") + signal.to, link_of(signal, devices)}};
    const auto add = [&](const QString& name, const QString& value) { rows.emplace_back(name, value); };
    if (!signal.problem.isEmpty()) add(Fields::tr("Unreadable"), signal.problem);
    if (is_text(signal.record.kind))
        add_text(rows, signal.record.kind == control::SignalKind::routes ? Fields::tr("Route table") : signal.type,
                 signal.record.bytes);
    if (signal.load) add_load(rows, *signal.load, signal.record.from, devices, signal.record.time);
    if (signal.message) {
        const mesh::RsvpMessage& message = *signal.message;
        add(Fields::tr("Message type"), QStringLiteral("%1 (%2)").arg(signal.type).arg(static_cast<int>(message.type)));
        add(Fields::tr("Send TTL"), QString::number(message.send_ttl));
        add(QStringLiteral("SESSION"), Fields::tr("%1, protocol %2, flow %3")
                                           .arg(text_of(message.session.destination))
                                           .arg(message.session.protocol)
                                           .arg(message.session.port));
        add(QStringLiteral("SENDER_TEMPLATE"),
            Fields::tr("%1, port %2").arg(text_of(message.sender.source)).arg(message.sender.port));
        if (message.type != mesh::RsvpType::path_error)
            add(QStringLiteral("RSVP_HOP"),
                Fields::tr("%1, interface %2").arg(text_of(message.hop.address)).arg(message.hop.interface_handle));
        if (message.refresh)
            add(QStringLiteral("TIME_VALUES"),
                Fields::tr("refreshed every %1").arg(model::ms_text(to_ms(*message.refresh))));
        if (message.credit_megabytes)
            add(QStringLiteral("CREDIT, C-Type 1"),
                Fields::tr("%1 times 10\u2076 bytes").arg(*message.credit_megabytes));
        if (message.credit)
            add(QStringLiteral("CREDIT, C-Type 2"),
                Fields::tr("flow %1, reservation %2, %3 bytes allowed since start")
                    .arg(message.credit->flow)
                    .arg(message.credit->incarnation)
                    .arg(model::count_text(static_cast<std::int64_t>(message.credit->allowed_bytes))));
        if (message.sids)
            add(QStringLiteral("SIDs"), QString::fromStdString(message.sids->task) + u'\n' +
                                            QString::fromStdString(message.sids->source) + QStringLiteral(" \u2192 ") +
                                            QString::fromStdString(message.sids->destination));
        if (message.error)
            add(QStringLiteral("ERROR_SPEC"), Fields::tr("%1, code %2, value %3")
                                                  .arg(text_of(message.error->node))
                                                  .arg(message.error->code)
                                                  .arg(message.error->value));
        for (const mesh::RawObject& object : message.passed_on)
            add(Fields::tr("Class %1, C-Type %2").arg(object.class_num).arg(object.c_type), hex(object.content));
    }
    add(Fields::tr("%1 bytes").arg(signal.record.bytes.size()), hex(signal.record.bytes));
    return rows;
}

}  // namespace divisi::topology

#include "moc_signal_log.cpp"
