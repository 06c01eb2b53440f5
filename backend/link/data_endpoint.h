// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backend/frame/end.h"

namespace divisi::link {

/// The data plane listens on two sockets, one for tensors and one for what is said about them. Whoever is told where
/// that is gets both as one text, "data lane", and the layers above need not know that there are two.
struct DataEndpoint {
    std::string data, lane;

    /// Where the two sockets listen for `endpoint`: ipc:///path and mem://name get an ending each; of tcp://host:port
    /// the lane has the next port, or one of the system's choice where the port is that (0 or *).
    static DataEndpoint at(const std::string& endpoint);
    static DataEndpoint parse(const std::string& text);
    std::string text() const { return data + " " + lane; }
};

/// The name under which an end connects, and under which it is reached over the connection that it made.
std::string route_of(const frame::End& end);

}  // namespace divisi::link
