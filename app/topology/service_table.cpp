// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/topology/service_table.h"

#include <QCoreApplication>
#include <algorithm>
#include <limits>

#include "app/model/wording/sorted_rows.h"
#include "app/model/wording/states.h"
#include "app/model/wording/text.h"
#include "backend/control/state/incarnation.h"

namespace divisi::topology {

namespace {

struct Services {
    Q_DECLARE_TR_FUNCTIONS(divisi::topology::Services)
};

QString text_of(const std::string& text) { return QString::fromStdString(text); }
QString dash() { return QStringLiteral("\u2013"); }
QString or_dash(const std::string& text) { return text.empty() ? dash() : text_of(text); }

/// Converts to the clock that the watch uses.
TimePoint point_of(ServiceTable::Time time) {
    return TimePoint(std::chrono::duration_cast<Duration>(time.time_since_epoch()));
}

model::StateLook look_of(const ServiceEntry& entry, const model::Colours& colours) {
    if (entry.row.removed) return model::gone_look(colours);
    if (!entry.device) return model::look_of(entry.row.said.health, entry.row.stale, colours);
    return model::look_of(entry.row.stale ? mesh::LeaseStanding::stale : mesh::LeaseStanding::held, colours);
}

QString kind_of(const ServiceEntry& entry) {
    if (!entry.device) return Services::tr("instance");
    return entry.device->role == mesh::DeviceRole::gateway ? Services::tr("gateway") : Services::tr("router");
}

ServiceEntry entry_of(const control::ServiceRow& row, ServiceTable::Time changed, ServiceTable::Time told) {
    return {row, std::nullopt, changed, row.renewed_ms, told};
}

ServiceEntry entry_of(const control::ServiceDevice& device, ServiceTable::Time changed, ServiceTable::Time told) {
    control::ServiceRow row;
    row.said.sid = Sid(device.name);
    row.revision = device.revision;
    row.stale = device.stale;
    row.removed = device.removed;
    row.renewed_ms = device.renewed_ms;
    return {std::move(row), device, changed, device.renewed_ms, told};
}

/// Returns how long ago a row changed; a dash if it has not changed since this console began watching.
QString age_of(const ServiceEntry& entry, ServiceTable::Time now) {
    return entry.changed == ServiceTable::Time() ? dash() : model::age_text(now - entry.changed);
}

bool is_number(int column) { return column == ServiceTable::incarnation || column == ServiceTable::renewed; }

/// Returns the sort key of an age. Unknown ages are sorted last.
QVariant age_key(bool known, ServiceTable::Time since, ServiceTable::Time now) {
    return QVariant::fromValue<qlonglong>(known ? (now - since).count() : std::numeric_limits<qlonglong>::max());
}

QString schemas_text(const mesh::Registration& said) {
    return or_dash(said.input_schema) + QStringLiteral(" \u2192 ") + or_dash(said.output_schema);
}

/// Returns the node's name, preceded by its MIC's name unless the node's name starts with the MIC's name.
QString node_text(const mesh::Registration& said) {
    const std::string &node = said.node.value(), &mic = said.mic.value();
    if (mic.empty() || node.starts_with(mic + "/")) return or_dash(node);
    return or_dash(node) + QStringLiteral(" \u00b7 ") + text_of(mic);
}

}  // namespace

QString renewed_text(const ServiceEntry& entry, ServiceTable::Time now) {
    const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(now - entry.told);
    if (entry.row.removed || since > mesh::lease_length) return dash();
    return Services::tr("%1 s ago")
        .arg(model::fixed_text(static_cast<double>(entry.renewed_ms + since.count()) / 1e3, 1));
}

QString capability_text(const mesh::Registration& said) {
    QStringList parts;
    if (!said.capability.device.empty()) parts << text_of(said.capability.device);
    if (said.capability.flops_per_s > 0)
        parts << Services::tr("%1/s").arg(model::flops_text(static_cast<Flops>(said.capability.flops_per_s)));
    if (said.capability.memory > 0) parts << model::bytes_text(said.capability.memory);
    return parts.isEmpty() ? dash() : parts.join(QStringLiteral(" \u00b7 "));
}

control::WatchServices ServiceTable::next() const {
    control::WatchServices question = watch_.next();
    question.leases = true;
    question.leases_after = leases_after_;
    return question;
}

void ServiceTable::take(const control::WatchServices& question, const control::ServiceChanges& answer, Time now) {
    const control::WatchServices asked = watch_.next();
    if (question.epoch != asked.epoch || question.since != asked.since || question.after != asked.after) return;
    now_ = now;
    const std::vector<control::ServiceRow> rows = watch_.take(answer, point_of(now));
    if (!answer.snapshot) {
        for (const control::ServiceRow& row : rows) put(entry_of(row, now, now));
        for (const control::ServiceDevice& device : watch_.devices()) put(entry_of(device, now, now));
        return take_leases(answer.leases);
    }
    if (answer.more || rows.size() != registered()) return;  // the snapshot is not complete yet
    take_snapshot(rows);
}

void ServiceTable::take_snapshot(const std::vector<control::ServiceRow>& rows) {
    beginResetModel();
    const auto before = std::exchange(entries_, {});
    const auto changed = [&](const std::string& name, mesh::Revision revision) {
        const auto known = before.find(name);
        return known != before.end() && known->second.row.revision == revision ? known->second.changed : Time();
    };
    for (const control::ServiceRow& row : rows) {
        const std::string& name = row.said.sid.value();
        entries_.insert_or_assign(name, entry_of(row, changed(name, row.revision), now_));
    }
    for (const control::ServiceDevice& device : watch_.devices())
        entries_.insert_or_assign(device.name, entry_of(device, changed(device.name, device.revision), now_));
    show_all();
    endResetModel();
}

std::optional<std::chrono::steady_clock::duration> ServiceTable::age() const {
    const auto age = watch_.services().age(point_of(now_));
    if (!age) return std::nullopt;
    return std::chrono::duration_cast<std::chrono::steady_clock::duration>(*age);
}

void ServiceTable::put(ServiceEntry put) {
    const std::string name = put.row.said.sid.value();
    const auto [entry, fresh] = entries_.insert_or_assign(name, std::move(put));
    if (!passes(name)) return;
    const auto place = place_of(name);
    const auto at = static_cast<int>(place - shown_.begin());
    if (!fresh) return Q_EMIT dataChanged(index(at, 0), index(at, column_count - 1));
    beginInsertRows({}, at, at);
    shown_.insert(place, &entry->second);
    endInsertRows();
}

void ServiceTable::take_leases(const std::vector<control::LeaseAge>& leases) {
    for (const control::LeaseAge& lease : leases) {
        const auto entry = entries_.find(lease.sid.value());
        if (entry == entries_.end()) continue;
        entry->second.renewed_ms = lease.renewed_ms;
        entry->second.told = now_;
    }
    leases_after_ = leases.size() < control::most_lease_ages ? Sid() : leases.back().sid;
    if (!shown_.empty()) Q_EMIT dataChanged(index(0, renewed), index(rowCount() - 1, renewed));
}

void ServiceTable::remove(const std::string& name) {
    const int at = row_of(name);
    if (at >= 0) beginRemoveRows({}, at, at);
    if (at >= 0) shown_.erase(shown_.begin() + at);
    entries_.erase(name);
    if (at >= 0) endRemoveRows();
}

void ServiceTable::clear() {
    beginResetModel();
    watch_ = {};
    leases_after_ = {};
    entries_.clear();
    shown_.clear();
    endResetModel();
}

void ServiceTable::show_all() {
    shown_.clear();
    for (const auto& [name, entry] : entries_)
        if (passes(name)) shown_.push_back(&entry);
}

void ServiceTable::set_prefix(const std::string& prefix) {
    beginResetModel();
    prefix_ = prefix;
    show_all();
    endResetModel();
}

void ServiceTable::advance(Time now) {
    now_ = now;
    std::vector<std::string> gone;
    for (const auto& [name, entry] : entries_)
        if (entry.row.removed && now - entry.changed > gone_shown) gone.push_back(name);
    for (const std::string& name : gone) remove(name);
    if (shown_.empty()) return;
    for (const Column column : {renewed, changed}) Q_EMIT dataChanged(index(0, column), index(rowCount() - 1, column));
}

std::vector<const ServiceEntry*>::const_iterator ServiceTable::place_of(const std::string& name) const {
    const NaturalLess less;
    return std::ranges::lower_bound(
        shown_, name, less, [](const ServiceEntry* one) -> const std::string& { return one->row.said.sid.value(); });
}

int ServiceTable::row_of(const std::string& name) const {
    const auto place = place_of(name);
    const bool there = place != shown_.end() && (*place)->row.said.sid.value() == name;
    return there ? static_cast<int>(place - shown_.begin()) : -1;
}

int ServiceTable::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(shown_.size());
}

int ServiceTable::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : column_count; }

/// Returns the sort key of a cell; invalid: sort by its text.
QVariant ServiceTable::key_of(const ServiceEntry& entry, int column) const {
    const std::chrono::milliseconds renewed_before(entry.renewed_ms);
    switch (column) {
        case incarnation: return entry.device ? qlonglong{-1} : static_cast<qlonglong>(entry.row.said.incarnation);
        case renewed: return age_key(renewed_text(entry, now_) != dash(), entry.told - renewed_before, now_);
        case capability: return static_cast<double>(entry.row.said.capability.flops_per_s);
        case changed: return age_key(entry.changed != Time(), entry.changed, now_);
        default: return {};
    }
}

QVariant ServiceTable::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const ServiceEntry& entry = at(index.row());
    const mesh::Registration& said = entry.row.said;
    if (role == model::SortedRows::key_role) return key_of(entry, index.column());
    if (role == Qt::ForegroundRole && index.column() == state) return look_of(entry, *colours_).colour;
    if (role == Qt::ForegroundRole && entry.row.removed) return colours_->faint;
    if (role == Qt::ToolTipRole && index.column() == changed && entry.changed == Time())
        return tr("Unchanged since this view opened.");
    if (role == Qt::TextAlignmentRole && is_number(index.column())) return int{Qt::AlignRight | Qt::AlignVCenter};
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
    switch (index.column()) {
        case sid: return text_of(said.sid.value());
        case kind: return kind_of(entry);
        case incarnation: return entry.device ? dash() : QString::number(said.incarnation);
        case state: return look_of(entry, *colours_).text();
        case renewed: return renewed_text(entry, now_);
        case node: return node_text(said);
        case capability: return capability_text(said);
        case address: return or_dash(said.address.endpoint);
        case changed: return age_of(entry, now_);
        case schemas: return entry.device ? dash() : schemas_text(said);
        default: return {};
    }
}

QVariant ServiceTable::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole && is_number(section)) return int{Qt::AlignRight | Qt::AlignVCenter};
    if (role == Qt::ToolTipRole && section == sid)
        return tr("SID: the role of a process, as task/unit/replica (in the drafts: service identifier)");
    if (role == Qt::ToolTipRole && section == incarnation)
        return tr("One process that serves the SID; its number is never reused (in the drafts: instance)");
    if (role != Qt::DisplayRole) return {};
    switch (section) {
        case sid: return tr("SID or device");
        case kind: return tr("Kind");
        case incarnation: return tr("Incarnation");
        case state: return tr("State");
        case renewed: return tr("Renewed");
        case node: return tr("Node");
        case capability: return tr("Capability");
        case address: return tr("Address");
        case changed: return tr("Changed");
        case schemas: return tr("Input \u2192 output");
        default: return {};
    }
}

namespace {

QString lease_text(const control::ServiceRow& row) {
    if (row.removed) return Services::tr("over");
    if (row.stale) return Services::tr("lapsed, but kept by the registry's self-preservation");
    return Services::tr("held: renewed within the last %1 s")
        .arg(std::chrono::duration_cast<std::chrono::seconds>(mesh::lease_length).count());
}

}  // namespace

std::vector<std::pair<QString, QString>> fields_of(const ServiceEntry& entry, const model::Colours& colours,
                                                   ServiceTable::Time now) {
    const control::ServiceRow& row = entry.row;
    const mesh::Registration& said = row.said;
    const QString lease = lease_text(row);
    if (entry.device)
        return {{Services::tr("Device"), text_of(entry.device->name)},
                {Services::tr("Kind"), kind_of(entry)},
                {Services::tr("Routing identifier"), QString::number(entry.device->id)},
                {Services::tr("State"), look_of(entry, colours).text()},
                {Services::tr("Lease"), lease},
                {Services::tr("Renewed"), renewed_text(entry, now)},
                {Services::tr("Changed"), age_of(entry, now)},
                {Services::tr("Revision"), QString::number(row.revision)}};
    return {{Services::tr("SID"), text_of(said.sid.value())},
            {Services::tr("Incarnation"), QString::number(said.incarnation)},
            {Services::tr("State"), look_of(entry, colours).text()},
            {Services::tr("Lease"), lease},
            {Services::tr("Renewed"), renewed_text(entry, now)},
            {Services::tr("Changed"), age_of(entry, now)},
            {Services::tr("Revision"), QString::number(row.revision)},
            {Services::tr("Serves prefix"), or_dash(said.prefix)},
            {Services::tr("Task"), or_dash(said.task.value())},
            {Services::tr("Generation"), QString::number(said.generation)},
            {Services::tr("Node"), or_dash(said.node.value())},
            {Services::tr("MIC"), or_dash(said.mic.value())},
            {Services::tr("Resource"), or_dash(said.resource_type)},
            {Services::tr("Device"), or_dash(said.capability.device)},
            {Services::tr("Compute"),
             said.capability.flops_per_s > 0
                 ? Services::tr("%1/s").arg(model::flops_text(static_cast<Flops>(said.capability.flops_per_s)))
                 : Services::tr("not measured")},
            {Services::tr("Memory"),
             said.capability.memory > 0 ? model::bytes_text(said.capability.memory) : Services::tr("not measured")},
            {Services::tr("Address"), or_dash(said.address.endpoint)},
            {Services::tr("Key"), said.address.key.empty() ? Services::tr("none required") : text_of(said.address.key)},
            {Services::tr("Input"), or_dash(said.input_schema)},
            {Services::tr("Output"), or_dash(said.output_schema)}};
}

}  // namespace divisi::topology

#include "moc_service_table.cpp"
