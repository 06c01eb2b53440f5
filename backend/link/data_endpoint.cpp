// SPDX-License-Identifier: Apache-2.0
#include "backend/link/data_endpoint.h"

#include <charconv>
#include <cstdio>

namespace divisi::link {

DataEndpoint DataEndpoint::at(const std::string& endpoint) {
    if (!endpoint.starts_with("tcp://")) return {endpoint + ".data", endpoint + ".lane"};
    const auto colon = endpoint.rfind(':');
    int port = 0;
    std::from_chars(endpoint.data() + colon + 1, endpoint.data() + endpoint.size(), port);
    if (port <= 0) return {endpoint, endpoint};
    return {endpoint, endpoint.substr(0, colon + 1) + std::to_string(port + 1)};
}

DataEndpoint DataEndpoint::parse(const std::string& text) {
    const auto space = text.find(' ');
    if (space == std::string::npos) return {text, {}};
    return {text.substr(0, space), text.substr(space + 1)};
}

std::string route_of(const frame::End& end) {
    char text[34];
    std::snprintf(text, sizeof text, "%016llx-%016llx", static_cast<unsigned long long>(end.sid),
                  static_cast<unsigned long long>(end.incarnation));
    return text;
}

}  // namespace divisi::link
