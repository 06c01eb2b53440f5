// SPDX-License-Identifier: Apache-2.0
#include "backend/task/toml_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "backend/task/error_texts.h"
#include "backend/task/parse.h"
#include "backend/task/suggest.h"

namespace divisi::task {

namespace {

/// Returns the error for a value of this type where another is expected.
const ErrorText& wrong_type_text(const toml::node& node) {
    switch (node.type()) {
        case toml::node_type::table: return error_text("value-is-table");
        case toml::node_type::array: return error_text("value-is-list");
        case toml::node_type::string: return error_text("value-is-string");
        case toml::node_type::integer: return error_text("value-is-integer");
        case toml::node_type::floating_point: return error_text("value-is-number");
        case toml::node_type::boolean: return error_text("value-is-boolean");
        default: return error_text("value-is-time");
    }
}

bool is_bare(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

}  // namespace

Result<toml::table> parse_toml(std::string_view text, const std::string& filename) {
    if (text.size() > most_file_bytes)
        return make_error(error_text("file-too-large-for-toml"), filename, {std::to_string(most_file_bytes)});
    try {
        return toml::parse(text, filename);
    } catch (const toml::parse_error& error) {
        return make_error(error_text("no-toml"), filename + ":" + std::to_string(error.source().begin.line),
                          {std::string(error.description())});
    }
}

std::string place(const std::string& filename, const toml::node& node) {
    const auto line = node.source().begin.line;
    return line ? filename + ":" + std::to_string(line) : filename;
}

Result<void> check_keys(const toml::table& table, const std::string& section, const std::vector<std::string>& known,
                        const std::string& filename) {
    for (const auto& [key, value] : table) {
        if (std::find(known.begin(), known.end(), key.str()) != known.end()) continue;
        const std::string name(key.str());
        const auto line = key.source().begin.line;
        const std::string where = line ? filename + ":" + std::to_string(line) : filename;
        if (section.empty()) return make_error(error_text("unknown-section"), where, {name, suggest(name, known)});
        return make_error(error_text("unknown-key"), where, {name, section, suggest(name, known)});
    }
    return {};
}

Error wrong_type(const toml::node& node, const std::string& name, const std::string& where, const std::string& wanted) {
    return make_error(wrong_type_text(node), where, {name, wanted});
}

Result<void> read_value(const toml::node& node, const std::string& name, const std::string& where, std::string& field) {
    const auto* value = node.as_string();
    if (!value) return wrong_type(node, name, where, error_text("string-wanted").what);
    field = value->get();
    return {};
}

Result<void> read_value(const toml::node& node, const std::string& name, const std::string& where, bool& field) {
    const auto* value = node.as_boolean();
    if (!value) return wrong_type(node, name, where, error_text("boolean-wanted").what);
    field = value->get();
    return {};
}

Result<void> read_value(const toml::node& node, const std::string& name, const std::string& where,
                        std::int64_t& field) {
    const auto* value = node.as_integer();
    if (!value) return wrong_type(node, name, where, error_text("integer-wanted").what);
    field = value->get();
    return {};
}

Result<void> read_value(const toml::node& node, const std::string& name, const std::string& where,
                        std::uint64_t& field) {
    const auto* value = node.as_integer();
    if (!value || value->get() < 0) return wrong_type(node, name, where, error_text("integer-from-0-wanted").what);
    field = static_cast<std::uint64_t>(value->get());
    return {};
}

Result<void> read_value(const toml::node& node, const std::string& name, const std::string& where, double& field) {
    const auto value = node.value<double>();
    if (!value || !node.is_number()) return wrong_type(node, name, where, error_text("number-wanted").what);
    field = *value;
    return {};
}

Result<void> read_value(const toml::node& node, const std::string& name, const std::string& where,
                        std::vector<std::string>& field) {
    const toml::array* list = node.as_array();
    if (!list) return wrong_type(node, name, where, error_text("list-wanted").what);
    field.clear();
    for (const toml::node& item : *list) {
        if (const auto* number = item.as_integer()) {
            field.push_back(std::to_string(number->get()));
        } else {
            field.emplace_back();
            DIVISI_TRY(read_value(item, name, where, field.back()));
        }
    }
    return {};
}

std::string literal(const std::string& value) {
    std::string text = "\"";
    for (const char c : value) {
        if (c == '"' || c == '\\') {
            text += '\\';
            text += c;
        } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
            constexpr std::string_view digits = "0123456789ABCDEF";
            text += "\\u00";
            text += digits[static_cast<unsigned char>(c) >> 4];
            text += digits[static_cast<unsigned char>(c) & 15];
        } else {
            text += c;
        }
    }
    return text + "\"";
}

std::string literal(bool value) { return value ? "true" : "false"; }
std::string literal(std::int64_t value) { return std::to_string(value); }
std::string literal(std::uint64_t value) { return std::to_string(value); }

std::string literal(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    std::array<char, 32> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
    std::string text(buffer.data(), end);
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string literal(const std::vector<std::string>& values) {
    std::string text = "[";
    for (std::size_t i = 0; i < values.size(); ++i) text += (i ? ", " : "") + literal(values[i]);
    return text + "]";
}

std::string key_text(const std::string& key) {
    return !key.empty() && std::all_of(key.begin(), key.end(), is_bare) ? key : literal(key);
}

}  // namespace divisi::task
