// SPDX-License-Identifier: Apache-2.0
#include "agents/node/blob_collector.h"

#include <set>

#include "backend/control/protocol/log_messages.h"
#include "backend/control/protocol/message.h"
#include "backend/control/protocol/node_messages.h"
#include "backend/store/blob_collection.h"

namespace divisi::node {

void BlobCollector::collect() {
    ask_about_dropped();  // asks again if there was no answer
    // The store's thread may outlive this object, but a loop that has ended runs no posted calls.
    host_.ask([this, &loop = loop_](BlobService& service) {
        loop.post([this, hashes = service.to_ask_about()] { ask_about(hashes); });
    });
}

void BlobCollector::drop(const control::DropBlobs& message) {
    dropped_.name(message.hashes, loop_.clock().now());
    if (std::exchange(waiting_, true)) return;
    loop_.after(drop_grace, [this] {
        waiting_ = false;
        ask_about_dropped();
    });
}

void BlobCollector::ask_about_dropped() {
    const std::vector<std::string> asked = dropped_.named();
    if (asked.empty()) return;
    const TimePoint now = loop_.clock().now();
    ask_(control::WhichBlobs{asked}, [this, asked, now](Result<control::Message> reply) {
        const auto* needed = reply ? get_if<control::NeededBlobs>(&*reply) : nullptr;
        if (!needed) return;
        host_.ask([goes = dropped_.confirm(asked, needed->hashes, now)](BlobService& service) {
            (void)service.remove_named(goes);  // not logged, because there would be a line for each checkpoint
        });
    });
}

void BlobCollector::ask_about(std::vector<std::string> hashes) {
    if (hashes.empty()) return;
    const TimePoint now = loop_.clock().now();
    ask_(control::WhichBlobs{hashes}, [this, hashes, now](Result<control::Message> reply) {
        // Without an answer no blob is removed; the next collection asks again.
        const auto* needed = reply ? get_if<control::NeededBlobs>(&*reply) : nullptr;
        if (needed) remove(hashes, needed->hashes, now);
    });
}

void BlobCollector::remove(const std::vector<std::string>& asked, const std::vector<std::string>& needed,
                           TimePoint asked_at) {
    std::set<std::string> may_go(asked.begin(), asked.end());
    for (const std::string& hash : needed) may_go.erase(hash);
    host_.ask([this, &loop = loop_, may_go, asked_at](BlobService& service) {
        const BlobService::Removed removed = service.remove_unneeded(may_go, asked_at);
        if (removed.blobs == 0) return;
        const std::string text =
            "removed " + std::to_string(removed.blobs) + " unneeded blobs, " + format_bytes(removed.bytes);
        loop.post([this, text] { tell_(control::Note{{Severity::info, "node " + node_.value(), "", text}}); });
    });
}

void DroppedBlobs::name(const std::vector<std::string>& hashes, TimePoint now) {
    for (const std::string& hash : hashes)
        if (named_.size() < store::most_asked_blobs || named_.contains(hash)) named_[hash] = now;
}

std::vector<std::string> DroppedBlobs::named() const {
    std::vector<std::string> hashes;
    for (const auto& [hash, at] : named_) hashes.push_back(hash);
    return hashes;
}

std::map<std::string, TimePoint> DroppedBlobs::confirm(const std::vector<std::string>& asked,
                                                       const std::vector<std::string>& needed, TimePoint asked_at) {
    const std::set<std::string> stays(needed.begin(), needed.end());
    std::map<std::string, TimePoint> goes;
    for (const std::string& hash : asked) {
        const auto found = named_.find(hash);
        if (found == named_.end() || found->second > asked_at) continue;
        if (!stays.contains(hash)) goes.insert(*found);
        named_.erase(found);
    }
    return goes;
}

}  // namespace divisi::node
