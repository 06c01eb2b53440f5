// SPDX-License-Identifier: Apache-2.0
#include "backend/control/protocol/signal_book.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "backend/control/protocol/mesh_messages.h"
#include "backend/control/state/limits.h"
#include "backend/mesh/signaling/load_advert.h"
#include "backend/mesh/signaling/rsvp.h"

namespace divisi::control::inline protocol {

void SignalBook::take(std::uint32_t device, const std::vector<SignalRecord>& reported) {
    std::size_t signals = 0, loads = 0;
    for (const SignalRecord& one : reported) {
        const bool rsvp = one.kind == SignalKind::rsvp;
        if (!rsvp && one.kind != SignalKind::load) continue;  // the orchestrator records the other kinds itself
        if (one.bytes.size() > (rsvp ? mesh::max_rsvp_bytes : mesh::max_load_bytes)) continue;
        if (rsvp ? ++signals > most_reported_signals : ++loads > most_reported_loads) continue;
        SignalRecord record = one;
        record.from = device;
        add(std::move(record));
    }
}

void SignalBook::add(SignalRecord record) {
    record.number = last_ + 1;
    keep(std::move(record));
}

void SignalBook::keep(SignalRecord record) {
    const SignalKind kind = record.kind;
    std::deque<SignalRecord>& kept = kept_[kind];
    last_ = record.number;
    ++counts_[kind];
    kept.push_back(std::move(record));
    if (kept.size() > most_kept(kind)) kept.pop_front();
}

Signals SignalBook::after(std::uint64_t number) const {
    using Place = std::deque<SignalRecord>::const_iterator;
    std::vector<std::pair<Place, Place>> rests;  // unread records, by kind
    for (const auto& [kind, kept] : kept_)
        rests.emplace_back(std::ranges::upper_bound(kept, number, {}, &SignalRecord::number), kept.end());
    Signals page;
    std::size_t bytes = 0;
    while (true) {
        std::erase_if(rests, [](const auto& rest) { return rest.first == rest.second; });
        const auto next = std::ranges::min_element(rests, {}, [](const auto& rest) { return rest.first->number; });
        if (next == rests.end()) return page;
        bytes += next->first->bytes.size();
        page.more = page.records.size() == most_reported_signals || (bytes > page_fill.bytes && !page.records.empty());
        if (page.more) return page;
        page.records.push_back(*next->first++);
    }
}

}  // namespace divisi::control::inline protocol
