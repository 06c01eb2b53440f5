// SPDX-License-Identifier: Apache-2.0
#include "backend/task/cluster_fields.h"

#include <algorithm>

#include "backend/task/error_texts.h"

namespace divisi::task {

namespace {

constexpr std::size_t longest_cluster_name = 64;
constexpr std::size_t longest_ipc_path = 107;  // limit of sockaddr_un
constexpr std::size_t key_length = 40;         // 32 bytes in Z85 encoding
constexpr std::string_view z85_letters =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";

}  // namespace

Result<void> check_name(const Section& section, const std::string& name) {
    const bool fits = !name.empty() && name.size() <= longest_cluster_name && name != "." && name != ".." &&
                      std::all_of(name.begin(), name.end(), [](unsigned char c) {
                          return (c < 0x80 && std::isalnum(c)) || c == '-' || c == '_' || c == '.';
                      });
    if (fits) return {};
    return name.empty() ? section.bad("name", error_text("no-name-given"))
                        : section.bad("name", error_text("no-task-name"), {name});
}

Result<void> check_endpoint(const Section& section, std::string_view key, const std::string& endpoint,
                            Transport transport) {
    const std::string scheme = std::string(to_string(transport)) + "://";
    if (!endpoint.starts_with(scheme) || endpoint.size() == scheme.size()) {
        const std::string form = scheme + (transport == Transport::tcp ? "host:port" : "/folder/socket");
        return endpoint.empty() ? section.bad(key, error_text("endpoint-missing"), {form})
                                : section.bad(key, error_text("endpoint-of-other-transport"), {endpoint, form});
    }
    const std::string rest = endpoint.substr(scheme.size());
    if (transport == Transport::ipc) {
        if (rest.size() <= longest_ipc_path) return {};
        return section.bad(key, error_text("ipc-path-too-long"), {std::to_string(longest_ipc_path)});
    }
    const std::size_t colon = rest.rfind(':');
    const std::string port = colon == std::string::npos ? "" : rest.substr(colon + 1);
    const bool digits = !port.empty() && port.size() <= 5 &&
                        std::all_of(port.begin(), port.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (digits && colon > 0 && std::stoi(port) >= 1 && std::stoi(port) <= 65535) return {};
    return section.bad(key, error_text("no-host-and-port"), {endpoint});
}

Result<void> check_key(const Section& section, std::string_view key, const std::string& text, bool needed) {
    if (text.empty() && !needed) return {};
    const bool fits = text.size() == key_length && std::all_of(text.begin(), text.end(), [](char c) {
                          return z85_letters.find(c) != std::string_view::npos;
                      });
    if (fits) return {};
    return section.bad(key, text.empty() ? error_text("public-key-missing") : error_text("no-public-key"));
}

Result<std::vector<const toml::table*>> tables(const toml::table& parent, std::string_view key,
                                               const std::string& filename) {
    std::vector<const toml::table*> result;
    const toml::node* node = parent.get(key);
    if (!node) return result;
    const std::string wanted = fill(error_text("tables-wanted").what, {std::string(key)});
    const toml::array* list = node->as_array();
    if (!list) return wrong_type(*node, std::string(key), place(filename, *node), wanted);
    for (const toml::node& item : *list) {
        if (!item.as_table()) return wrong_type(item, std::string(key), place(filename, item), wanted);
        result.push_back(item.as_table());
    }
    return result;
}

}  // namespace divisi::task
