// SPDX-License-Identifier: Apache-2.0
#include "backend/task/loopback.h"

#include <charconv>

namespace divisi::task {
namespace {

constexpr int highest_port = 65535;

/// Returns whether the text is an address of four numbers that begins with 127.
bool is_loopback_v4(std::string_view host) {
    int parts = 0;
    while (true) {
        int number = -1;
        const char* end = host.data() + host.size();
        const auto [stop, code] = std::from_chars(host.data(), end, number);
        if (code != std::errc() || number < 0 || number > 255 || (parts == 0 && number != 127)) return false;
        ++parts;
        if (stop == end) return parts == 4;
        if (*stop != '.') return false;
        host.remove_prefix(static_cast<std::size_t>(stop - host.data()) + 1);
    }
}

}  // namespace

std::optional<Loopback> parse_loopback(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) return std::nullopt;
    Loopback address{std::string(text.substr(0, colon)), -1};
    const std::string_view port = text.substr(colon + 1);
    const auto [stop, code] = std::from_chars(port.data(), port.data() + port.size(), address.port);
    if (code != std::errc() || stop != port.data() + port.size() || address.port < 0 || address.port > highest_port)
        return std::nullopt;
    if (address.host == "[::1]") address.host = "::1";
    else if (address.host != "localhost" && !is_loopback_v4(address.host)) return std::nullopt;
    return address;
}

}  // namespace divisi::task
