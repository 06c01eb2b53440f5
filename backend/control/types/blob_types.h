// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backend/base/ids.h"
#include "backend/base/result.h"
#include "backend/base/units.h"

namespace divisi::control::inline types {

/// Returns whether the text is the BLAKE2b-256 of a blob: 64 hexadecimal digits.
inline bool is_blob_hash(const std::string& text) {
    return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

// Messages by which a node gets a file that another node has (blob_transfers.h). A transfer between MICs is a flow
// between two ends: the source, at the node that has the blob, and the sink. Each end has its own SID and counts as a
// process, with the transfer's number as incarnation. If only some values of a snapshot are needed, the source sends
// their tensors. If the source cannot split the snapshot, it sends the whole snapshot.

/// Maximum number of value names in one order, and their maximum total size in bytes. If more values of a snapshot are
/// needed, the whole snapshot is transferred.
inline constexpr std::size_t most_selected_values = 4096, most_selected_bytes = 256 * 1024;

/// Sent by operators: copies the blob from the node `from` to the node `to`. Answered by BlobBrought once the node `to`
/// has the whole blob.
struct BringBlob {
    std::string hash;
    NodeId from, to;
};
struct BlobBrought {
    Bytes size = 0;
    double seconds = 0;    ///< time from the request to the end of the transfer, in s
    bool by_mesh = false;  ///< true: through gateways and routers; false: directly from node to node
};

/// Sent to both nodes: each node listens for the frames of the other end. No direct answer; BlobEndOpened follows.
struct OpenBlobEnd {
    std::uint64_t transfer = 0;
    std::string hash;
    Sid sid, peer;
    bool sink = false;
    std::vector<std::string> values = {};  ///< for the sink: only the tensors of these values; empty: all of the blob
};
struct BlobEndOpened {
    std::uint64_t transfer = 0;
    std::string endpoint;
    std::optional<Error> error;
};
/// Sent to both nodes: names the gateway through which the other end is reached. Sent once the gateways know both ends,
/// and again if the address of the node's gateway changes.
struct JoinBlobEnds {
    std::uint64_t transfer = 0;
    std::string endpoint, key;
};
/// Sent to the receiving node: it fetches the blob directly from the other node. No direct answer; BlobFetched follows.
struct FetchBlob {
    std::uint64_t transfer = 0;
    std::string hash;
    std::string endpoint, key;             ///< endpoint and key of the other node's blob store
    std::vector<std::string> values = {};  ///< only the tensors of these values; empty: all of the blob
};
/// Sent by the receiving node: it reports that the blob has arrived and was verified, or the error.
struct BlobFetched {
    std::uint64_t transfer = 0;
    Bytes size = 0;  ///< bytes transferred: for a part, the size of the part
    std::optional<Error> error;
};
/// An end of a transfer, as gateways know it during the transfer.
struct BlobEnd {
    NodeId node;
    Sid sid;
    std::uint64_t transfer = 0;
    std::string endpoint;
    bool operator==(const BlobEnd&) const = default;
};
/// Sent to both nodes: the transfer is over.
struct CloseBlobEnd {
    std::uint64_t transfer = 0;
};

}  // namespace divisi::control::inline types
