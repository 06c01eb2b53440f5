// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/client/record_codec.h"

#include <algorithm>
#include <charconv>
#include <span>
#include <utility>

#include "backend/control/protocol/all_messages.h"
#include "backend/control/protocol/state_messages.h"
#include "backend/wire/message_codec.h"

namespace divisi::client {
namespace {

/// Maximum number of instance or node reports in one record, whose size is then far below the limit of a message.
constexpr std::size_t most_loads_together = 500;

/// Collects records that have the same time. Keeps the first error.
class Collector {
public:
    explicit Collector(Duration at) : at_(at) {}

    void add(RecordKind kind, Result<std::string> bytes, std::uint16_t type = 0) {
        if (!bytes.ok() && problem_.ok()) problem_ = bytes.error();
        if (bytes.ok()) records_.push_back({at_, static_cast<std::uint16_t>(kind), type, *std::move(bytes)});
    }
    void add(const control::Message& message) {
        add(RecordKind::message, wire::encode(message), wire::type_of(message));
    }
    Result<std::vector<store::Record>> take() {
        DIVISI_TRY(problem_);
        return std::move(records_);
    }

private:
    Duration at_;
    std::vector<store::Record> records_;
    Result<void> problem_;
};

void add_status(Collector& all, const Status& status) {
    if (status.connection != Connection::connected) return all.add(RecordKind::lost, status.problem.toStdString());
    control::Welcome welcome;
    welcome.cluster = status.where.toStdString();
    welcome.role = status.role;
    all.add(welcome);
}

template <typename Load, typename Add>
void add_in_parts(const std::vector<Load>& loads, Add add) {
    for (std::size_t begin = 0; begin < loads.size(); begin += most_loads_together) {
        const auto first = loads.begin() + static_cast<std::ptrdiff_t>(begin);
        const auto count = std::min(most_loads_together, loads.size() - begin);
        add(first, first + static_cast<std::ptrdiff_t>(count));
    }
}

Result<std::uint64_t> count_of(const std::string& digits) {
    std::uint64_t count = 0;
    const char* end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, count);
    if (read.ec == std::errc{} && read.ptr == end) return count;
    return Error{ErrorCode::invalid_input, "'" + digits + "' is not a number of measurements", "recording",
                 "record again: this file is damaged"};
}

/// Adds a message of the cluster to the mail, as Worker does for a live cluster.
struct Put {
    Mail& mail;

    void operator()(control::Welcome& welcome) const {
        Status status;
        status.connection = Connection::connected;
        status.where = QString::fromStdString(welcome.cluster);
        status.role = welcome.role;
        mail.status = status;
    }
    void operator()(control::LoadPush& push) const {
        mail.loads.insert(mail.loads.end(), push.loads.begin(), push.loads.end());
        mail.nodes.insert(mail.nodes.end(), push.nodes.begin(), push.nodes.end());
    }
    void operator()(control::SpanPush& push) const { mail.spans.push_back(std::move(push)); }
    void operator()(control::MeshState& mesh) const { mail.add(control::QueryMesh{}, mesh); }
    void operator()(control::Signals& came) const {
        auto* before = mail.answer<control::Signals>();
        if (!before) return mail.add(control::QuerySignals{}, came);
        auto& records = before->records;
        records.insert(records.end(), came.records.begin(), came.records.end());
    }
    void operator()(control::PoliciesState& policies) const { mail.add(control::QueryPolicies{}, policies); }
    void operator()(control::ModulesState& modules) const { mail.add(control::QueryModules{}, modules); }
    template <typename M>
    void operator()(M&) const {}  // a message of a later version is ignored
};

}  // namespace

Result<std::vector<store::Record>> records_of(const Mail& mail, Duration at) {
    Collector all(at);
    if (mail.status) add_status(all, *mail.status);
    if (mail.snapshot)
        for (const control::Snapshot& page : control::snapshot_pages(*mail.snapshot, {}))
            all.add(RecordKind::page, wire::encode_page(page));
    for (const control::Event& event : mail.events) all.add(RecordKind::event, wire::encode_event(event));
    add_in_parts(mail.loads, [&](auto first, auto last) { all.add(control::LoadPush{{first, last}}); });
    add_in_parts(mail.nodes, [&](auto first, auto last) { all.add(control::LoadPush{{}, {first, last}}); });
    if (mail.loads_left_out > 0) all.add(RecordKind::left_out, std::to_string(mail.loads_left_out));
    std::uint64_t lost = mail.spans_lost;  // number of dropped reports; recorded with the oldest kept report
    for (control::SpanPush push : mail.spans) {
        push.replaced += std::exchange(lost, 0);
        all.add(std::move(push));
    }
    if (const auto* mesh = mail.answer<control::MeshState>()) all.add(*mesh);
    const auto* signal_messages = mail.answer<control::Signals>();
    if (signal_messages && !signal_messages->records.empty()) all.add(*signal_messages);
    if (const auto* policies = mail.answer<control::PoliciesState>()) all.add(*policies);
    if (const auto* modules = mail.answer<control::ModulesState>()) all.add(*modules);
    for (const std::string& task : mail.submitted) all.add(RecordKind::submitted, task);
    return all.take();
}

Mail mail_of(const Client& client) {
    Mail mail;
    mail.status = client.status();
    const ClusterData& data = client.data();
    mail.snapshot = data.state;
    for (const auto& [id, samples] : data.loads)
        if (!samples.empty()) mail.loads.push_back(samples.back().load);
    for (const auto& [id, samples] : data.nodes)
        if (!samples.empty()) mail.nodes.push_back({id, samples.back().machine});
    mail.heard = true;
    return mail;
}

Result<void> RecordDecoder::add(RecordKind kind, std::uint16_t type, const std::string& bytes, Mail& mail) {
    const auto span = std::as_bytes(std::span(bytes));
    switch (kind) {
        case RecordKind::event: {
            DIVISI_ASSIGN(control::Event event, wire::decode_event(span));
            mail.events.push_back(std::move(event));
            break;
        }
        case RecordKind::page: {
            DIVISI_ASSIGN(control::Snapshot page, wire::decode_page(span));
            DIVISI_TRY(control::add_page(pages_, std::move(page)));
            if (pages_.more) return {};
            mail.snapshot = std::exchange(pages_, {}).state;
            mail.events.clear();  // these events are older than the snapshot
            break;
        }
        case RecordKind::message: {
            DIVISI_ASSIGN(control::Message message, wire::decode(type, span));
            visit(Put{mail}, message);
            break;
        }
        case RecordKind::lost: {
            Status status;
            status.connection = Connection::waiting;
            status.problem = QString::fromStdString(bytes);
            mail.status = status;
            return {};
        }
        case RecordKind::left_out: {
            DIVISI_ASSIGN(const std::uint64_t count, count_of(bytes));
            mail.loads_left_out += count;
            break;
        }
        case RecordKind::submitted: mail.submitted.push_back(bytes); break;
        default:
            return Error{ErrorCode::unsupported, "a record of kind " + std::to_string(static_cast<int>(kind)),
                         "recording", "open it with a newer version of Divisi"};
    }
    mail.heard = true;
    return {};
}

}  // namespace divisi::client
