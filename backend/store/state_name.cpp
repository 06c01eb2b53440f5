// SPDX-License-Identifier: Apache-2.0
#include "backend/store/state_name.h"

namespace divisi::store {
namespace {

constexpr char slot_mark = '#';

}  // namespace

std::string to_text(const StateName& name) {
    std::string text;
    for (const char c : name.value) text += c == slot_mark ? std::string(2, slot_mark) : std::string(1, c);
    return name.slot.empty() ? text : text + slot_mark + name.slot;
}

StateName state_name(const std::string& text) {
    std::string value;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != slot_mark) {
            value += text[at];
        } else if (at + 1 < text.size() && text[at + 1] == slot_mark) {
            value += text[++at];
        } else {
            return {value, text.substr(at + 1)};
        }
    }
    return {value, ""};
}

}  // namespace divisi::store
