// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/client/recent_past.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string_view>
#include <utility>

namespace divisi::client {

namespace {

/// Usual size of the records after the state of a stretch, so that the whole state is not stored too often.
constexpr Bytes usual_stretch = Bytes{256} << 10;
/// Minimum number of stretches into which the kept data is divided, so that old data is dropped in small parts.
constexpr Bytes least_stretches = 8;

Bytes size_of(const std::vector<store::Record>& records) {
    Bytes bytes = 0;
    for (const store::Record& one : records) bytes += static_cast<Bytes>(sizeof(one) + one.bytes.size());
    return bytes;
}

template <typename Number>
void pack_number(Number number, std::string& into) {
    into.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

/// Packs records in a format that only this process reads, so numbers have the machine's byte order.
void pack(const std::vector<store::Record>& records, std::string& into) {
    pack_number(records.size(), into);
    for (const store::Record& one : records) {
        pack_number(one.at.count(), into);
        pack_number(one.kind, into);
        pack_number(one.type, into);
        pack_number(one.bytes.size(), into);
        into += one.bytes;
    }
}

template <typename Number>
bool unpack_number(std::string_view packed, std::size_t& at, Number& number) {
    if (packed.size() - at < sizeof(number)) return false;
    std::memcpy(&number, packed.data() + at, sizeof(number));
    at += sizeof(number);
    return true;
}

/// Returns false if the bytes were not made by pack(), since the disk may return damaged data.
bool unpack(std::string_view packed, std::size_t& at, std::vector<store::Record>& records) {
    std::size_t count = 0, size = 0;
    if (!unpack_number(packed, at, count) || count > packed.size()) return false;
    records.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        store::Record one;
        Duration::rep time = 0;
        const bool head = unpack_number(packed, at, time) && unpack_number(packed, at, one.kind) &&
                          unpack_number(packed, at, one.type) && unpack_number(packed, at, size);
        if (!head || packed.size() - at < size) return false;
        one.at = Duration(time);
        one.bytes = packed.substr(at, size);
        at += size;
        records.push_back(std::move(one));
    }
    return true;
}

}  // namespace

void RecentPast::begin(Mail known, Duration at, Duration mesh_age) {
    forget_all();
    now_ = {};
    last_ = at;
    Mail mesh;
    mesh.answers = std::exchange(known.answers, {});
    now_.take(std::move(mesh), at - mesh_age);
    now_.take(std::move(known), at);
    begin_stretch();
}

void RecentPast::take(Mail mail, Duration at) {
    last_ = std::max(last_, at);
    auto records = records_of(mail, last_);
    now_.take(std::move(mail), last_);
    now_.forget_older_loads();
    // A mail that cannot be encoded leaves a gap, so forget all data before the gap.
    if (!records.ok()) forget_all();
    if (stretches_.empty()) return begin_stretch();
    Stretch& stretch = stretches_.back();
    stretch.after_bytes += size_of(*records);
    stretch.after.insert(stretch.after.end(), std::make_move_iterator(records->begin()),
                         std::make_move_iterator(records->end()));
    const Bytes enough = std::max(stretch.state_bytes, std::min(usual_stretch, most_ / least_stretches));
    if (stretch.after_bytes >= enough) begin_stretch();
    forget_oldest();
}

void RecentPast::begin_stretch() {
    auto state = known_now();
    if (!state.ok()) return forget_all();
    if (!stretches_.empty()) put_away(stretches_.back());
    const Bytes bytes = size_of(*state);
    stretches_.push_back({++numbered_, last_, *std::move(state), {}, bytes, 0});
}

/// Moves a stretch to the file. If the file cannot be written, the stretch remains in memory.
void RecentPast::put_away(Stretch& stretch) {
    std::string packed;
    pack(stretch.state, packed);
    pack(stretch.after, packed);
    for (std::size_t at = 0; at < packed.size(); at += SpillFile::page_bytes) {
        SpillFile::Page page{};
        std::memcpy(page.data(), packed.data() + at, std::min(SpillFile::page_bytes, packed.size() - at));
        const auto place = file_.write(page);
        if (!place) return forget(stretch);
        stretch.pages.push_back(*place);
    }
    stretch.state = stretch.after = {};
}

/// Returns the records of a stretch in the file; empty if they cannot be read.
std::optional<RecentPast::Records> RecentPast::read(const Stretch& stretch) {
    std::string packed;
    for (const SpillFile::Place place : stretch.pages) {
        const SpillFile::Page* page = file_.read(place);
        if (!page) return std::nullopt;
        packed.append(reinterpret_cast<const char*>(page->data()), page->size());
    }
    std::size_t at = 0;
    Records records;
    for (auto* part : {&records.state, &records.after})
        if (!unpack(packed, at, *part)) return std::nullopt;
    return records;
}

/// Frees the stretch's pages in the file. Records in memory are kept.
void RecentPast::forget(Stretch& stretch) {
    for (const SpillFile::Place place : std::exchange(stretch.pages, {})) file_.free(place);
}

void RecentPast::forget_all() {
    for (Stretch& one : stretches_) forget(one);
    stretches_.clear();
}

void RecentPast::forget_oldest() {
    while (stretches_.size() > 1 && size() > most_) {
        forget(stretches_.front());
        stretches_.pop_front();
    }
}

/// Returns the known data as records. The state comes before the measurements, because measurements of unknown
/// instances are dropped. Measurements keep their own times, from which ages are computed.
Result<std::vector<store::Record>> RecentPast::known_now() const {
    Mail mail;
    mail.snapshot = now_.data().state;
    DIVISI_ASSIGN(std::vector<store::Record> all, records_of(mail, last_));
    const auto add = [&all](const Mail& more, Duration at) -> Result<void> {
        DIVISI_ASSIGN(std::vector<store::Record> records, records_of(more, at));
        all.insert(all.end(), std::make_move_iterator(records.begin()), std::make_move_iterator(records.end()));
        return {};
    };
    for (const auto& [id, samples] : now_.data().loads) {
        if (samples.empty()) continue;
        Mail one;
        one.loads = {samples.back().load};
        DIVISI_TRY(add(one, now_.since_begin(samples.back().time)));
    }
    for (const auto& [id, samples] : now_.data().nodes) {
        if (samples.empty()) continue;
        Mail one;
        one.nodes = {{id, samples.back().machine}};
        DIVISI_TRY(add(one, now_.since_begin(samples.back().time)));
    }
    Mail told, mesh;
    told.status = now_.status();
    if (now_.mesh()) mesh.add(control::QueryMesh{}, *now_.mesh());
    DIVISI_TRY(add(told, last_));
    DIVISI_TRY(add(mesh, now_.mesh_at()));
    return all;
}

std::optional<Duration> RecentPast::from() const {
    if (stretches_.empty()) return std::nullopt;
    return stretches_.front().begin;
}

Bytes RecentPast::size() const {
    Bytes bytes = 0;
    for (const Stretch& one : stretches_) bytes += one.bytes();
    return bytes;
}

Bytes RecentPast::memory_bytes() const {
    auto bytes = static_cast<Bytes>(file_.memory_bytes());
    for (const Stretch& one : stretches_)
        if (one.pages.empty()) bytes += one.bytes();
    return bytes;
}

/// Returns the records of the shown stretch after its initial state; null if they cannot be read back from the file.
const std::vector<store::Record>* RecentPast::records_of_shown(const Stretch& stretch) {
    if (stretch.pages.empty()) return &stretch.after;
    if (shown_->read.after.empty()) {
        auto records = read(stretch);
        if (!records) return nullptr;
        shown_->read = std::move(*records);
    }
    return &shown_->read.after;
}

const RecordFold* RecentPast::at(Duration moment) {
    const auto later = std::ranges::upper_bound(stretches_, moment, {}, &Stretch::begin);
    if (later == stretches_.begin()) {
        shown_.reset();
        return nullptr;
    }
    const Stretch& stretch = *std::prev(later);
    if (!shown_ || shown_->stretch != stretch.number || moment < shown_->at) {
        shown_.emplace(stretch.number);
        (void)records_of_shown(stretch);
        const auto& state = stretch.pages.empty() ? stretch.state : shown_->read.state;
        fold(*shown_, state, 0, state.size());
    }
    const std::vector<store::Record>* after = records_of_shown(stretch);
    if (!after) {
        shown_.reset();
        return nullptr;
    }
    const auto end = std::ranges::upper_bound(*after, moment, {}, &store::Record::at);
    const auto to = static_cast<std::size_t>(end - after->begin());
    fold(*shown_, *after, std::exchange(shown_->next, to), to);
    shown_->at = moment;
    return &shown_->fold;
}

void RecentPast::fold(Shown& shown, const std::vector<store::Record>& records, std::size_t from, std::size_t to) {
    while (from < to) {
        Mail mail;  // all records with the same time
        const Duration at = records[from].at;
        for (; from < to && records[from].at == at; ++from)
            (void)shown.decoder.add(static_cast<RecordKind>(records[from].kind), records[from].type,
                                    records[from].bytes, mail);
        shown.fold.take(std::move(mail), at);
        shown.fold.forget_older_loads();
    }
}

}  // namespace divisi::client
