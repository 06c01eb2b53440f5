// SPDX-License-Identifier: Apache-2.0
#include "agents/node/blob_courier.h"

#include <algorithm>
#include <cstdio>

#include "backend/base/hash.h"

namespace divisi::node {

void BlobCourier::open(const control::OpenBlobEnd& what) {
    if (what.sink && report_if_stored(what.transfer, what.hash)) return;
    if (ends_.size() >= most_blob_ends) return say_(control::BlobEndOpened{what.transfer, "", too_many()});
    End& end = ends_[what.transfer];
    end.hash = what.hash;
    end.sink = what.sink;
    end.values = what.values;
    end.line.emplace(loop_, sockets_, link::FlowTransport::Ends{what.sid, what.peer, what.transfer}, trouble_);
    auto opened = end.line->open(endpoint(what.transfer), !config_.ipc);
    if (opened && !what.sink) {
        end.server.emplace(*end.line, service_);
        if (auto listening = end.server->listen(""); !listening) opened = listening.error();
    }
    if (opened) return say_(control::BlobEndOpened{what.transfer, *opened, {}});
    ends_.erase(what.transfer);
    say_(control::BlobEndOpened{what.transfer, "", opened.error()});
}

void BlobCourier::join(const control::JoinBlobEnds& what) {
    const auto found = ends_.find(what.transfer);
    if (found == ends_.end() || !found->second.line) return;
    End& end = found->second;
    end.line->join({what.endpoint, what.key});
    if (end.sink && !end.transfer) download(what.transfer, end, *end.line, {});
}

void BlobCourier::fetch(const control::FetchBlob& what) {
    if (report_if_stored(what.transfer, what.hash)) return;
    if (ends_.size() >= most_blob_ends) return say_(control::BlobFetched{what.transfer, 0, too_many()});
    End& end = ends_[what.transfer];
    end.hash = what.hash;
    end.sink = true;
    end.values = what.values;
    download(what.transfer, end, sockets_, {what.endpoint, what.key});
}

Error BlobCourier::too_many() const {
    return {ErrorCode::exhausted, "too many blobs are being transferred", "node " + config_.node,
            "wait until some have arrived"};
}

/// Reports the blob as fetched if the store has it.
bool BlobCourier::report_if_stored(std::uint64_t transfer, const std::string& hash) {
    const auto manifest = service_.describe(hash);
    if (manifest) say_(control::BlobFetched{transfer, manifest->size, {}});
    return manifest.ok();
}

void BlobCourier::download(std::uint64_t transfer, End& end, link::Transport& transport, const link::Address& address) {
    link::BlobTransfer::Target target;
    target.values = end.values;
    // The callbacks may keep a reference to `end`, because `end` is destroyed only after its transfer.
    target.begin = [this, &end](const BlobManifest& manifest) { return begin(end, manifest); };
    target.write = [this, &end](std::uint32_t index, std::span<const std::byte> bytes) {
        return service_.put(end.brought, index, bytes);
    };
    end.transfer =
        link::BlobTransfer::download(loop_, transport, address, end.hash, std::move(target), {},
                                     [this, transfer](const Result<void>& result) { fetched(transfer, result); });
}

Result<std::vector<std::uint32_t>> BlobCourier::begin(End& end, const BlobManifest& manifest) {
    const bool is_first = end.brought != manifest.hash;  // whether the transfer begins; false after a reconnect
    end.brought = manifest.hash;
    DIVISI_ASSIGN(auto missing, service_.begin(manifest));
    if (is_first) end.was_there = missing.empty();
    return missing;
}

void BlobCourier::fetched(std::uint64_t transfer, const Result<void>& result) {
    const auto found = ends_.find(transfer);
    if (found == ends_.end()) return;
    control::BlobFetched said{transfer, 0, {}};
    const Result<Bytes> size = result.ok() ? finish(found->second) : Result<Bytes>(result.error());
    if (size) said.size = *size;
    else said.error = size.error();
    say_(said);
    // Do not destroy the transfer here, since it calls this function. The orchestrator later orders to close the
    // transfer.
}

/// Checks the hash of the blob or part before it counts as present. Another transfer may have brought an equal part of
/// another snapshot; the blob is then kept, because the other transfer still needs it.
Result<Bytes> BlobCourier::finish(const End& end) {
    DIVISI_TRY(service_.finish(end.brought));
    const auto manifest = service_.describe(end.brought);
    const bool shared = std::ranges::any_of(
        ends_, [&](const auto& entry) { return &entry.second != &end && entry.second.brought == end.brought; });
    if (end.brought != end.hash) DIVISI_TRY(service_.keep_part(end.hash, end.brought, !end.was_there && !shared));
    return manifest ? manifest->size : 0;
}

std::string BlobCourier::endpoint(std::uint64_t transfer) const {
    if (!config_.ipc) return "tcp://" + config_.listen + ":0";
    char name[24];
    std::snprintf(name, sizeof name, "t-%016llx",
                  static_cast<unsigned long long>(fnv1a(config_.node + "/" + std::to_string(transfer))));
    return "ipc://" + config_.listen + "/" + name;
}

}  // namespace divisi::node
