// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/client/recorded_cluster.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "backend/base/version.h"
#include "backend/control/protocol/connection_messages.h"
#include "backend/control/protocol/log_messages.h"

namespace divisi::client {

namespace {

/// Maximum number of events in one answer, as in the orchestrator.
constexpr std::size_t most_answered_events = 1'000;
/// Maximum number of states of the recording that are kept, at even distances. Going back then needs to apply at most a
/// twelfth of the records. With an hour's measurements of 16 instances, one state takes about 14 MB.
constexpr std::size_t most_kept = 12;
/// A state with more spans than this is not kept, because spans can need more memory than all other data.
constexpr std::size_t most_spans_kept = 40'000;
/// Minimum number of records between kept states. Applying so many records takes only a few milliseconds.
constexpr std::size_t least_between_kept = 500;

bool contains(const std::string& line, const std::string& text) {
    const auto same = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
    return std::search(line.begin(), line.end(), text.begin(), text.end(), same) != line.end();
}

}  // namespace

Result<void> RecordedCluster::check(const store::RecordingReader& reader, const std::filesystem::path& file) {
    const store::RecordingHeader& header = reader.header();
    if (header.protocol == control::protocol_version) return {};
    return Error{ErrorCode::unsupported,
                 "the recording holds messages of protocol " + std::to_string(header.protocol) + "; Divisi " +
                     std::string(version) + " speaks " + std::to_string(control::protocol_version),
                 file.string(), "open it with Divisi " + header.program + ", which wrote it"};
}

Result<void> RecordedCluster::check(const std::filesystem::path& file) {
    DIVISI_ASSIGN(const store::RecordingReader reader, store::RecordingReader::open(file));
    return check(reader, file);
}

Result<RecordedCluster> RecordedCluster::open(const std::filesystem::path& file, Scan scan) {
    DIVISI_ASSIGN(store::RecordingReader reader, store::RecordingReader::open(file));
    DIVISI_TRY(check(reader, file));
    RecordedCluster cluster(std::move(reader));
    if (scan == Scan::at_once) (void)cluster.scan_on(cluster.reader_.entries().size());
    return cluster;
}

Duration RecordedCluster::length() const {
    return reader_.entries().empty() ? Duration{} : reader_.entries().back().at;
}

// --- scanning the whole recording --------------------------------------------------------------

bool RecordedCluster::scan_on(std::size_t records) {
    const std::size_t all = reader_.entries().size();
    for (std::size_t i = 0; i < records && scanned_.next < all; ++i) scan_one();
    return scanned_.next == all;
}

/// Scans the next record. Counts the record if it is unreadable, and adds a mark if users may want to jump to its time.
void RecordedCluster::scan_one() {
    const std::size_t record = scanned_.next++;
    const Duration at = reader_.entries()[record].at;
    Mail mail;
    if (!decode(record, scanned_.decoder, mail).ok()) {
        ++unreadable_;
        return;
    }
    for (const control::Event& event : mail.events) {
        lines_.push_back({record, event.sequence, control::kind_name(event.body)});
        mark(event, at);
    }
    const auto* mesh = mail.answer<control::MeshState>();
    if (!mesh) return;
    if (mesh->faults.size() > scanned_.faults) {
        const control::LinkFault& fault = mesh->faults.back();
        marks_.push_back({RecordingMark::Kind::fault, at, fault.a + " - " + fault.b});
    }
    scanned_.faults = mesh->faults.size();
}

void RecordedCluster::mark(const control::Event& event, Duration at) {
    using Kind = RecordingMark::Kind;
    const auto* note = get_if<control::Noted>(&event.body);
    if (holds_alternative<control::StepDone>(event.body)) marks_.push_back({Kind::step, at, {}});
    else if (holds_alternative<control::TaskRecut>(event.body))
        marks_.push_back({Kind::recut, at, control::describe(event.body)});
    else if (note && note->component == "fault") marks_.push_back({Kind::fault, at, note->text});
    else if (holds_alternative<control::TaskRecovers>(event.body) ||
             holds_alternative<control::NodeEnded>(event.body) ||
             holds_alternative<control::ExceptionRaised>(event.body))
        marks_.push_back({Kind::incident, at, control::describe(event.body)});
}

Result<void> RecordedCluster::decode(std::size_t record, RecordDecoder& decoder, Mail& mail) const {
    const store::RecordingReader::Entry& entry = reader_.entries()[record];
    DIVISI_ASSIGN(const std::string bytes, reader_.read(entry));
    return decoder.add(static_cast<RecordKind>(entry.kind), entry.type, bytes, mail);
}

// --- going to a time ---------------------------------------------------------------------------

/// Goes back to the last kept state at or before `to`.
void RecordedCluster::go_back(Duration to) {
    const auto later = std::ranges::upper_bound(kept_, to, {}, &Kept::at);
    const Kept from = later == kept_.begin() ? Kept{} : *std::prev(later);
    next_ = from.next;
    at_ = from.at;
    decoder_ = from.decoder;
    fold_ = from.fold;
}

void RecordedCluster::keep() {
    const std::size_t every = std::max(reader_.entries().size() / most_kept, least_between_kept);
    if (next_ < (kept_.empty() ? 0 : kept_.back().next) + every) return;
    if (fold_.data().spans.spans() > most_spans_kept) return;
    kept_.push_back({next_, reader_.entries()[next_ - 1].at, decoder_, fold_});
    (void)kept_.back().fold.take_submitted();  // submitted tasks are reported only once
}

bool RecordedCluster::go(Duration to, Steady::time_point zero) {
    const bool anew = to < at_;
    if (anew) go_back(to);
    rebase(zero);
    const auto& entries = reader_.entries();
    while (next_ < entries.size() && entries[next_].at <= to) {
        Mail mail;  // all records with the same time
        const Duration at = entries[next_].at;
        for (; next_ < entries.size() && entries[next_].at == at; ++next_) (void)decode(next_, decoder_, mail);
        fold_.take(std::move(mail), at);
        keep();
    }
    at_ = std::max(to, Duration{});
    return anew;
}

// --- answering questions -----------------------------------------------------------------------

control::PoliciesState RecordedCluster::policies() const {
    control::PoliciesState answer = fold_.policies().value_or(control::PoliciesState{});
    answer.versions.clear();
    for (const auto& [number, policy] : data().state.policies) answer.versions.push_back(policy);
    answer.current = answer.versions.empty() ? 0 : answer.versions.back().version;
    return answer;
}

bool RecordedCluster::passes(const control::QueryLog& question, const control::Event& event) const {
    if (!question.task.empty() && control::task_of(event.body).value() != question.task) return false;
    if (control::severity_of(event.body) < question.level) return false;
    if (question.since != TimePoint{} && event.time < question.since) return false;
    if (question.until != TimePoint{} && event.time > question.until) return false;
    const std::string line = control::describe(event.body);
    return contains(line, question.contains) && contains(line, question.sid) && contains(line, question.node);
}

control::LogPage RecordedCluster::log(const control::QueryLog& question) const {
    const std::size_t limit = std::clamp<std::size_t>(question.limit, 1, most_answered_events);
    control::LogPage page;
    const auto count = static_cast<std::ptrdiff_t>(lines_.size());
    for (std::ptrdiff_t i = 0; i < count && !page.more; ++i) {
        const Line& one = lines_[static_cast<std::size_t>(question.oldest ? i : count - 1 - i)];
        if (one.record >= next_ || one.sequence <= question.after) continue;
        if (question.before != 0 && one.sequence >= question.before) continue;
        if (!question.kind.empty() && question.kind != one.kind) continue;
        Mail mail;
        RecordDecoder decoder;
        const auto bytes = reader_.read(reader_.entries()[one.record]);
        if (!bytes.ok() || !decoder.add(RecordKind::event, 0, *bytes, mail).ok()) continue;
        const control::Event& event = mail.events.front();
        if (!passes(question, event)) continue;
        page.more = page.events.size() == limit;
        if (!page.more) page.events.push_back(event);
    }
    if (!question.oldest) std::reverse(page.events.begin(), page.events.end());
    return page;
}

/// Returns a full snapshot if anything has changed, because the recording has no history of changes.
control::ServiceChanges RecordedCluster::services(const control::WatchServices& question) const {
    const control::RegistryMark& mark = data().state.registry;
    control::ServiceChanges answer;
    answer.epoch = mark.epoch;
    answer.revision = mark.revision;
    answer.snapshot = !question.after.value().empty() || question.epoch != mark.epoch ||
                      question.since != mark.revision || mark.epoch == 0;
    if (!answer.snapshot) return answer;
    for (const auto& [sid, service] : data().state.services) {
        if (!question.after.value().empty() && sid <= question.after) continue;
        answer.more = answer.rows.size() == control::most_service_rows;
        if (answer.more) break;
        answer.rows.push_back({service.said, service.revision, service.stale, false, 0});
    }
    if (!answer.more) answer.devices = registered_devices();
    return answer;
}

std::vector<control::ServiceDevice> RecordedCluster::registered_devices() const {
    std::vector<control::ServiceDevice> devices;
    if (!mesh()) return devices;
    for (const control::DeviceView& device : mesh()->devices)
        if (device.lease != mesh::LeaseStanding::lapsed)
            devices.push_back({device.info.name, device.info.role, device.id, data().state.registry.revision,
                               device.lease == mesh::LeaseStanding::stale, false, device.renewed_ms});
    return devices;
}

}  // namespace divisi::client
