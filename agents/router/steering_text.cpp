// SPDX-License-Identifier: Apache-2.0
#include "agents/router/steering_text.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <sstream>

namespace divisi::router {
namespace {

constexpr const char* settings_word = "before";

std::vector<std::string> words_of(const std::string& line) {
    std::istringstream stream(line);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
}

template <typename Take>
bool each_line(std::string_view text, const Take& take) {
    std::istringstream stream{std::string(text)};
    for (std::string line; std::getline(stream, line);)
        if (!take(words_of(line))) return false;
    return true;
}

/// Parses addresses from the word `first` on; none if a word is not an address.
std::optional<std::vector<mesh::Ipv6>> addresses(const std::vector<std::string>& words, std::size_t first) {
    std::vector<mesh::Ipv6> result;
    for (std::size_t i = first; i < words.size(); ++i) {
        const auto address = parse_ipv6(words[i]);
        if (!address) return std::nullopt;
        result.push_back(*address);
    }
    return result;
}

}  // namespace

std::optional<mesh::Ipv6> parse_ipv6(std::string_view text) {
    mesh::Ipv6 address;
    if (::inet_pton(AF_INET6, std::string(text).c_str(), address.bytes.data()) != 1) return std::nullopt;
    return address;
}

std::string to_text(const mesh::Ipv6& address) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    ::inet_ntop(AF_INET6, address.bytes.data(), text.data(), text.size());
    return text.data();
}

std::optional<mesh::Ipv6> reachable_ipv6(std::string_view endpoint) {
    constexpr std::string_view scheme = "tcp://[";
    const auto end = endpoint.find(']');
    if (!endpoint.starts_with(scheme) || end == std::string_view::npos) return std::nullopt;
    const auto address = parse_ipv6(endpoint.substr(scheme.size(), end - scheme.size()));
    if (!address) return std::nullopt;
    const auto& bytes = address->bytes;
    const auto zeros = static_cast<std::size_t>(
        std::ranges::find_if(bytes, [](std::uint8_t byte) { return byte != 0; }) - bytes.begin());
    // ::, ::1 and ::ffff:a.b.c.d begin with ten zero bytes; no host's address does.
    const bool link_local = bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0x80;
    if (zeros >= 10 || link_local || bytes[0] == 0xff) return std::nullopt;
    return address;
}

std::string to_text(const mesh::Steering& steering) {
    std::string text;
    for (const mesh::SegmentRoute& route : steering.routes) {
        text += "route " + to_text(route.destination);
        for (const mesh::Ipv6& segment : route.segments) text += " " + to_text(segment);
        text += "\n";
    }
    for (const mesh::Ipv6& neighbour : steering.neighbours) text += "neighbour " + to_text(neighbour) + "\n";
    return text;
}

std::optional<mesh::Steering> parse_steering(std::string_view text) {
    mesh::Steering steering;
    const bool good = each_line(text, [&](const std::vector<std::string>& words) {
        if (words.empty()) return true;
        const auto all = addresses(words, 1);
        if (!all) return false;
        if (words[0] == "neighbour" && all->size() == 1) {
            steering.neighbours.push_back(all->front());
            return true;
        }
        if (words[0] != "route" || all->size() < 2) return false;
        steering.routes.push_back({all->front(), {all->begin() + 1, all->end()}});
        return true;
    });
    return good ? std::optional(steering) : std::nullopt;
}

std::string to_text(const Settings& before) {
    std::string text = settings_word;
    for (const auto& [interface, value] : before) text += " " + interface + " " + value;
    return text;
}

std::optional<Settings> parse_settings(std::string_view text) {
    const auto words = words_of(std::string(text));
    if (words.size() % 2 == 0 || words.front() != settings_word) return std::nullopt;
    Settings before;
    for (std::size_t i = 1; i < words.size(); i += 2) before[words[i]] = words[i + 1];
    return before;
}

std::vector<mesh::SegmentRoute> parse_routes(std::string_view printed) {
    std::vector<mesh::SegmentRoute> routes;
    each_line(printed, [&](const std::vector<std::string>& words) {
        const auto open = std::ranges::find(words, "["), close = std::find(open, words.end(), "]");
        const auto destination = words.empty() ? std::nullopt : parse_ipv6(words[0]);
        const auto encap = std::ranges::find(words, "encap");
        const bool seg6 = encap != words.end() && encap + 1 != words.end() && *(encap + 1) == "seg6";
        if (!destination || !seg6 || close == words.end()) return true;
        if (const auto segments = addresses({open + 1, close}, 0)) routes.push_back({*destination, *segments});
        return true;
    });
    std::ranges::sort(routes);
    return routes;
}

std::optional<EgressInterface> parse_egress_interface(std::string_view printed) {
    const auto words = words_of(std::string(printed.substr(0, printed.find('\n'))));
    const auto device = std::ranges::find(words, "dev");
    if (device == words.end() || device + 1 == words.end()) return std::nullopt;
    const bool local = words.front() == "local";
    // Without an address, the first word may be "unreachable", "blackhole" or a similar word.
    if (!local && !parse_ipv6(words.front())) return std::nullopt;
    return EgressInterface{*(device + 1), local};
}

}  // namespace divisi::router
