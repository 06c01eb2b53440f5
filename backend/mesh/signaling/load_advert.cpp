// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/signaling/load_advert.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "backend/frame/frame.h"
#include "backend/mesh/base/service_path.h"

namespace divisi::mesh::inline signaling {
namespace {

/// Relative change of a value that is reported immediately: a fifth, as the specification MESH.md requires.
constexpr double worth_telling = 0.2;
/// Smaller differences are noise. The causes, in this order: a chunk in transit, a tenth of the rate of a slow link,
/// the timing of an event loop, one or two of a few dozen chunks.
constexpr double noise_bytes = frame::max_chunk_bytes, noise_bytes_per_s = 1e6, noise_s = 1e-3, noise_share = 0.05;
constexpr std::size_t longest_device = 64;
/// Limit on the bytes of all prefix rows, half of a message; and the overhead of a row in addition to its texts.
constexpr std::size_t prefix_bytes = max_load_bytes / 2, row_overhead = 64;

bool moved(double told, double now, double noise) {
    return std::abs(now - told) >= std::max(noise, worth_telling * std::abs(told));
}
bool moved(std::uint64_t told, std::uint64_t now) {
    return moved(static_cast<double>(told), static_cast<double>(now), noise_bytes);
}
bool moved(const LinkLoad& told, const LinkLoad& now) {
    return told.usable != now.usable || moved(told.queued, now.queued) || moved(told.credit, now.credit) ||
           moved(told.bytes_per_s, now.bytes_per_s, noise_bytes_per_s) ||
           moved(told.round_trip_s, now.round_trip_s, noise_s) || moved(told.loss, now.loss, noise_share);
}
bool moved(const PrefixLoad& told, const PrefixLoad& now) {
    return moved(told.queued, now.queued) || moved(told.service_s, now.service_s, noise_s) ||
           moved(told.load, now.load, noise_share) || told.device != now.device || told.flops_per_s != now.flops_per_s;
}

std::uint32_t key(const LinkLoad& row) { return row.to; }
const std::string& key(const PrefixLoad& row) { return row.prefix; }

/// Returns whether a row has changed considerably; a row that exists on only one side counts as changed.
template <typename Row>
bool rows_moved(const std::vector<Row>& told, const std::vector<Row>& now) {
    if (told.size() != now.size()) return true;
    return std::ranges::any_of(now, [&](const Row& row) {
        const auto before = std::ranges::find_if(told, [&](const Row& one) { return key(one) == key(row); });
        return before == told.end() || moved(*before, row);
    });
}

bool is_figure(double value) { return std::isfinite(value) && value >= 0; }
bool is_share(double value) { return is_figure(value) && value <= 1; }

Result<void> check(const LoadAdvert& said) {
    const auto invalid = [&](std::string what) {
        return Error{ErrorCode::invalid_input, "type 4 with " + std::move(what),
                     "device " + std::to_string(said.sender), "run the same Divisi version on all machines"};
    };
    if (said.links.size() > most_load_links) return invalid("more than " + std::to_string(most_load_links) + " links");
    if (said.prefixes.size() > most_load_prefixes)
        return invalid("more than " + std::to_string(most_load_prefixes) + " prefixes");
    std::set<std::uint32_t> ends;
    for (const LinkLoad& link : said.links) {
        if (link.to == 0 || link.to > 0xffff || link.to == said.sender || !ends.insert(link.to).second)
            return invalid("a link with an invalid or repeated neighbour");
        if (!is_figure(link.bytes_per_s) || !is_figure(link.round_trip_s) || !is_share(link.loss))
            return invalid("impossible figures of a link");
    }
    for (const PrefixLoad& prefix : said.prefixes) {
        if (!is_service_path(prefix.prefix) || prefix.device.size() > longest_device)
            return invalid("an invalid service prefix or device");
        if (!is_figure(prefix.service_s) || !is_share(prefix.load) || !is_figure(prefix.flops_per_s))
            return invalid("impossible figures of a prefix");
    }
    return {};
}

bool same_failures(const LoadAdvert& a, const LoadAdvert& b) {
    const auto failed = [](const LoadAdvert& one) {
        std::set<std::uint32_t> ends;
        for (const LinkLoad& link : one.links)
            if (!link.usable) ends.insert(link.to);
        return ends;
    };
    return failed(a) == failed(b);
}

}  // namespace

bool has_moved(const LoadAdvert& told, const LoadAdvert& now) {
    return rows_moved(told.links, now.links) || rows_moved(told.prefixes, now.prefixes);
}

void keep_within_bounds(LoadAdvert& advert) {
    if (advert.links.size() > most_load_links) {
        const auto rank = [](const LinkLoad& one) { return std::pair(one.usable, ~one.queued); };
        std::ranges::stable_sort(advert.links, {}, rank);
        advert.links.resize(most_load_links);
    }
    std::ranges::stable_sort(advert.prefixes, std::ranges::greater(), &PrefixLoad::queued);
    std::size_t rows = 0, bytes = 0;
    for (; rows < std::min(advert.prefixes.size(), most_load_prefixes); ++rows) {
        bytes += row_overhead + advert.prefixes[rows].prefix.size() + advert.prefixes[rows].device.size();
        if (bytes > prefix_bytes) break;
    }
    advert.prefixes.resize(rows);
}

bool LoadReporter::due(const LoadAdvert& figures, TimePoint now) const {
    if (!at_ || now - *at_ >= load_interval) return true;
    return may_tell(now) && has_moved(told_, figures);
}

void LoadReporter::told(LoadAdvert figures, TimePoint now) {
    told_ = std::move(figures);
    at_ = now;
}

Result<bool> LoadBook::take(RoutingId from, LoadAdvert said, TimePoint now) {
    const auto refused = [&](ErrorCode code, const char* what) {
        return Error{code, what, "device " + std::to_string(from.value()),
                     "run the same Divisi version on all machines"};
    };
    if (said.version != LoadAdvert().version) return refused(ErrorCode::unsupported, "type 4 of an unknown version");
    if (said.sender != from.value())
        return refused(ErrorCode::denied, "a load message (type 4) that names another router as its sender");
    DIVISI_TRY(check(said));
    const auto known = heard_.find(from);
    if (known != heard_.end() && said.sequence <= known->second.said.sequence)
        return refused(ErrorCode::conflict, "type 4 that arrived after a later message");
    const bool changed = !same_failures(known == heard_.end() ? LoadAdvert() : known->second.said, said);
    heard_.insert_or_assign(from, Heard{std::move(said), now});
    return changed;
}

bool LoadBook::drop_old(TimePoint now) {
    bool changed = false;
    std::erase_if(heard_, [&](const auto& entry) {
        const bool old = now - entry.second.at >= load_holds;
        changed = changed || (old && !same_failures(entry.second.said, LoadAdvert()));
        return old;
    });
    return changed;
}

const LoadBook::Heard* LoadBook::of(RoutingId router) const {
    const auto known = heard_.find(router);
    return known == heard_.end() ? nullptr : &known->second;
}

const LinkLoad* LoadBook::link(RoutingId router, RoutingId to) const {
    const Heard* heard = of(router);
    if (!heard) return nullptr;
    const auto link = std::ranges::find(heard->said.links, std::uint32_t{to.value()}, &LinkLoad::to);
    return link == heard->said.links.end() ? nullptr : &*link;
}

std::set<LinkKey> LoadBook::failed_links() const {
    std::set<LinkKey> failed;
    for (const auto& [router, heard] : heard_)
        for (const LinkLoad& link : heard.said.links)
            if (!link.usable) failed.insert(link_key(router, RoutingId(static_cast<std::uint16_t>(link.to))));
    return failed;
}

}  // namespace divisi::mesh::inline signaling
