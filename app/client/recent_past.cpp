// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/client/recent_past.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace divisi::client {

namespace {

/// A state that is small is not kept again for every few events.
constexpr Bytes usual_stretch = Bytes{256} << 10;
/// That many stretches can be forgotten one by one at least.
constexpr Bytes least_stretches = 8;

Bytes size_of(const std::vector<store::Record>& records) {
    Bytes bytes = 0;
    for (const store::Record& one : records) bytes += static_cast<Bytes>(sizeof(one) + one.bytes.size());
    return bytes;
}

}  // namespace

void RecentPast::begin(Mail known, Duration at, Duration mesh_age) {
    stretches_.clear();
    now_ = {};
    last_ = at;
    Mail mesh;
    mesh.mesh = std::exchange(known.mesh, std::nullopt);
    now_.take(std::move(mesh), at - mesh_age);
    now_.take(std::move(known), at);
    begin_stretch();
}

void RecentPast::take(Mail mail, Duration at) {
    last_ = std::max(last_, at);
    auto records = records_of(mail, last_);
    now_.take(std::move(mail), last_);
    now_.forget_older_loads();
    // What has no encoding leaves a gap: what is kept begins behind it.
    if (!records.ok()) stretches_.clear();
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
    if (!state.ok()) return stretches_.clear();
    const Bytes bytes = size_of(*state);
    stretches_.push_back({++numbered_, last_, *std::move(state), {}, bytes, 0});
}

void RecentPast::forget_oldest() {
    while (stretches_.size() > 1 && size() > most_) stretches_.pop_front();
}

/// The state first, as measurements of instances that it does not have are dropped; ages need their times.
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
    mesh.mesh = now_.mesh();
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

const RecordFold* RecentPast::at(Duration moment) {
    const auto later = std::ranges::upper_bound(stretches_, moment, {}, &Stretch::begin);
    if (later == stretches_.begin()) {
        shown_.reset();
        return nullptr;
    }
    const Stretch& stretch = *std::prev(later);
    if (!shown_ || shown_->stretch != stretch.number || moment < shown_->at) {
        shown_.emplace(stretch.number);
        fold(*shown_, stretch.state, 0, stretch.state.size());
    }
    const auto end = std::ranges::upper_bound(stretch.after, moment, {}, &store::Record::at);
    const auto to = static_cast<std::size_t>(end - stretch.after.begin());
    fold(*shown_, stretch.after, std::exchange(shown_->next, to), to);
    shown_->at = moment;
    return &shown_->fold;
}

void RecentPast::fold(Shown& shown, const std::vector<store::Record>& records, std::size_t from, std::size_t to) {
    while (from < to) {
        Mail mail;  // of one time
        const Duration at = records[from].at;
        for (; from < to && records[from].at == at; ++from)
            (void)shown.decoder.add(static_cast<RecordKind>(records[from].kind), records[from].type,
                                    records[from].bytes, mail);
        shown.fold.take(std::move(mail), at);
        shown.fold.forget_older_loads();
    }
}

}  // namespace divisi::client
