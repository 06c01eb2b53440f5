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

/// 64 hexadecimal digits: the BLAKE2b-256 of a blob.
inline bool is_blob_hash(const std::string& text) {
    return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

// How a node gets a file that another node has (blob_transfers.h). A transfer between MICs is a flow between two ends:
// the source, at the node that has the blob, and the sink. Each is a SID and a process of its own, with the transfer's
// number as incarnation. A transfer may be of a part of a snapshot: of the tensors that belong to some values. Where
// the source cannot part it, it is brought whole.

/// Names of values in one order, and their bytes; where more are needed of a snapshot, it is brought whole.
inline constexpr std::size_t most_selected_values = 4096, most_selected_bytes = 256 * 1024;

/// From operators: the node `to` gets the blob from the node `from`. Answered by BlobBrought once it is there whole.
struct BringBlob {
    std::string hash;
    NodeId from, to;
};
struct BlobBrought {
    Bytes size = 0;
    double seconds = 0;    ///< since it was asked for
    bool by_mesh = false;  ///< through gateways and routers; else straight from node to node
};

/// To both nodes, not answered; BlobEndOpened follows. The node listens for the frames of the other end.
struct OpenBlobEnd {
    std::uint64_t transfer = 0;
    std::string hash;
    Sid sid, peer;
    bool sink = false;
    std::vector<std::string> values = {};  ///< to the sink: only their tensors; empty: all of the blob
};
struct BlobEndOpened {
    std::uint64_t transfer = 0;
    std::string endpoint;
    std::optional<Error> error;
};
/// To both nodes, once the gateways know both ends, and again where its gateway has another address: by which gateway
/// the other end is reached.
struct JoinBlobEnds {
    std::uint64_t transfer = 0;
    std::string endpoint, key;
};
/// To the node that is to get it, not answered; BlobFetched follows. The other node is reached straight.
struct FetchBlob {
    std::uint64_t transfer = 0;
    std::string hash;
    std::string endpoint, key;             ///< of the other node's blob store
    std::vector<std::string> values = {};  ///< only their tensors; empty: all of the blob
};
/// From the node that was to get it: it is there and was checked, or why not.
struct BlobFetched {
    std::uint64_t transfer = 0;
    Bytes size = 0;  ///< of what was to be brought: of a part, its own
    std::optional<Error> error;
};
/// An end as gateways know it while the transfer goes on.
struct BlobEnd {
    NodeId node;
    Sid sid;
    std::uint64_t transfer = 0;
    std::string endpoint;
    bool operator==(const BlobEnd&) const = default;
};
/// To both nodes: the transfer is over.
struct CloseBlobEnd {
    std::uint64_t transfer = 0;
};

}  // namespace divisi::control::inline types
