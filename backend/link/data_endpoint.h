// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backend/frame/end.h"

namespace divisi::link {

/// The pair of sockets of the data plane: one for tensors, and one (the lane) for messages about them. Both endpoints
/// are passed on as one text, "data lane", so the layers above need not handle two endpoints.
struct DataEndpoint {
    std::string data, lane;

    /// Derives both endpoints from `endpoint`. ipc:///path and mem://name get a suffix for each socket. For
    /// tcp://host:port the lane has the next port; if the port is 0 or *, the system chooses both ports.
    static DataEndpoint at(const std::string& endpoint);
    static DataEndpoint parse(const std::string& text);
    std::string text() const { return data + " " + lane; }
};

/// Returns the route name with which an end connects; listeners address the end by this name.
std::string route_of(const frame::End& end);

}  // namespace divisi::link
