// SPDX-License-Identifier: Apache-2.0
#include "backend/control/signal_book.h"

#include <algorithm>
#include <utility>

#include "backend/control/limits.h"
#include "backend/mesh/load_advert.h"
#include "backend/mesh/rsvp.h"

namespace divisi::control {

void SignalBook::take(std::uint32_t device, const std::vector<SignalRecord>& reported) {
    std::size_t signals = 0, loads = 0;
    for (const SignalRecord& one : reported) {
        const bool rsvp = one.kind == SignalKind::rsvp;
        if (!rsvp && one.kind != SignalKind::load) continue;  // routes are the registry's
        if (one.bytes.size() > (rsvp ? mesh::max_rsvp_bytes : mesh::max_load_bytes)) continue;
        if (rsvp ? ++signals > most_reported_signals : ++loads > most_reported_loads) continue;
        SignalRecord record = one;
        record.from = device;
        add(std::move(record));
    }
}

void SignalBook::add(SignalRecord record) {
    const bool rsvp = record.kind == SignalKind::rsvp;
    auto& kept = rsvp ? rsvp_ : adverts_;
    record.number = ++last_;
    ++counts_[record.kind];
    kept.push_back(std::move(record));
    if (kept.size() > (rsvp ? most_kept_signals : most_kept_adverts)) kept.pop_front();
}

Signals SignalBook::after(std::uint64_t number) const {
    const auto first = [&](const std::deque<SignalRecord>& kept) {
        return std::ranges::upper_bound(kept, number, {}, &SignalRecord::number);
    };
    Signals page;
    std::size_t bytes = 0;
    auto signal = first(rsvp_), advert = first(adverts_);
    while (signal != rsvp_.end() || advert != adverts_.end()) {
        const bool is_signal = signal != rsvp_.end() && (advert == adverts_.end() || signal->number < advert->number);
        const SignalRecord& next = is_signal ? *signal : *advert;
        bytes += next.bytes.size();
        page.more = page.records.size() == most_reported_signals || (bytes > page_fill.bytes && !page.records.empty());
        if (page.more) break;
        page.records.push_back(next);
        if (is_signal) ++signal;
        else ++advert;
    }
    return page;
}

}  // namespace divisi::control
