// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "backend/control/protocol/message_fields.h"

namespace divisi::ctl {

/// A visitor that adds the fields of a struct to a JSON object, under their names in the field list.
class JsonFields {
public:
    JsonFields(const char* names, nlohmann::ordered_json& line) : names_(names), line_(line) {}

    template <typename... Fields>
    void operator()(const Fields&... fields) {
        (add(next_name(), fields), ...);
    }

private:
    template <typename T>
    static constexpr bool is_plain = std::is_arithmetic_v<T> || std::is_same_v<T, std::string>;

    /// Leaves out times, enumerations and structs: each command formats them itself.
    template <typename T>
    void add(const std::string&, const T&) {}
    template <typename T>
    requires is_plain<T>
    void add(const std::string& name, const T& value) { line_[name] = value; }
    template <typename Tag>
    void add(const std::string& name, const StrongId<Tag, std::string>& id) {
        line_[name] = id.value();
    }
    template <typename T>
    requires is_plain<T>
    void add(const std::string& name, const std::optional<T>& value) {
        line_[name] = value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
    }
    template <typename T>
    requires is_plain<T>
    void add(const std::string& name, const std::vector<T>& list) { line_[name] = list; }

    /// Removes and returns the next name from a list such as "m.task, m.outcome".
    std::string next_name() {
        const std::string_view field = names_.substr(0, names_.find(", "));
        names_.remove_prefix(std::min(names_.size(), field.size() + 2));
        return std::string(field.substr(field.rfind('.') + 1));
    }

    std::string_view names_;
    nlohmann::ordered_json& line_;
};

/// Returns the fields of a struct as JSON, in the order of their list: texts, ids, numbers, and lists of texts or
/// numbers. A number that is not known is null. Times, enumerations and structs are left out.
template <typename T>
nlohmann::ordered_json fields_json(const T& value) {
    auto line = nlohmann::ordered_json::object();
    JsonFields visitor(control::FieldList<T>::names, line);
    control::FieldList<T>::visit(visitor, value);
    return line;
}

/// Returns the fields of a struct as JSON, except the field with the given name.
template <typename T>
nlohmann::ordered_json fields_json(const T& value, const char* left_out) {
    auto line = fields_json(value);
    line.erase(left_out);
    return line;
}

}  // namespace divisi::ctl
