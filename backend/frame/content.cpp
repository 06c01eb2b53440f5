// SPDX-License-Identifier: Apache-2.0
#include "backend/frame/content.h"

#include <algorithm>
#include <cstring>

namespace divisi::frame {
namespace {

constexpr auto content_type = static_cast<std::uint16_t>(TlvType::content);

}  // namespace

void set_content(std::vector<Tlv>& routing, const ContentKey& key) {
    std::erase_if(routing, [](const Tlv& tlv) { return tlv.type == content_type; });
    routing.push_back({content_type, std::string(reinterpret_cast<const char*>(key.data()), key.size())});
}

std::optional<ContentKey> content_of(const std::vector<Tlv>& routing) {
    const auto tlv = std::ranges::find(routing, content_type, &Tlv::type);
    if (tlv == routing.end() || tlv->value.size() != sizeof(ContentKey)) return std::nullopt;
    ContentKey key;
    std::memcpy(key.data(), tlv->value.data(), key.size());
    return key;
}

}  // namespace divisi::frame
