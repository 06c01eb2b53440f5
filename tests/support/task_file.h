// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cctype>
#include <charconv>
#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace divisi::testing {

/// Builds the text of a task file. A new one trains the zoo's `mlp` on 64 synthetic samples, in batches of 8 with 2
/// microbatches each. Keys and sections are printed in the order in which they were first set.
class TaskFile {
public:
    /// A value as a task file prints it.
    struct Value {
        std::string toml;

        template <std::integral Integer>
        Value(Integer number) : toml(std::to_string(number)) {}
        Value(bool yes) : toml(yes ? "true" : "false") {}
        Value(double number) : toml(digits(number)) {}
        Value(const char* text) : toml(quoted(text)) {}
        Value(const std::string& text) : toml(quoted(text)) {}
        /// Accepts Qt's strings.
        template <typename Text>
        requires requires(const Text& text) { text.toStdString(); }
        Value(const Text& text) : toml(quoted(text.toStdString())) {}
        Value(std::initializer_list<const char*> texts) : toml(list(texts)) {}
        Value(const std::vector<std::string>& texts) : toml(list(texts)) {}
    };
    struct Entry {
        const char* key;
        Value value;
    };
    using Entries = std::initializer_list<Entry>;

    /// Begins with the default task; without a name it has no section [task].
    explicit TaskFile(const std::string& name = {}) {
        if (!name.empty()) section("task", {{"name", name}});
        section("model", {{"zoo", "mlp"}});
        section("data", {{"kind", "synthetic"}, {"samples", 64}});
        section("train", {{"batch", 8}, {"microbatches", 2}});
    }

    /// Sets one key of a section, such as "train.steps" or "train.losses.click".
    TaskFile& set(std::string_view key, Value value) {
        const std::size_t dot = key.rfind('.');
        return put(key.substr(0, dot), key.substr(dot + 1), std::move(value));
    }
    /// Sets keys of a section and keeps its others.
    TaskFile& section(std::string_view name, Entries entries) {
        for (const Entry& entry : entries) put(name, entry.key, entry.value);
        return *this;
    }
    /// Empties a section before it sets keys.
    TaskFile& replace(std::string_view name, Entries entries) {
        find(name).lines.clear();
        return section(name, entries);
    }
    /// Replaces the model by the zoo's `gpt`.
    TaskFile& gpt(int layers, int width, int heads, int context) {
        return replace("model",
                       {{"zoo", "gpt"}, {"layers", layers}, {"width", width}, {"heads", heads}, {"context", context}});
    }
    /// Turns the training into a batch on a model, such as {"onnx", "m.onnx"} or {"from", "gpt-1"}.
    TaskFile& batch(const Entry& model) {
        return set("task.kind", "batch").replace("model", {model}).drop_section("train");
    }
    /// Removes one key of a section, such as "train.microbatches".
    TaskFile& drop(std::string_view key) {
        const std::size_t dot = key.rfind('.');
        std::erase_if(find(key.substr(0, dot)).lines,
                      [&](const Line& line) { return line.key == key.substr(dot + 1); });
        return *this;
    }
    /// Removes a section with its keys.
    TaskFile& drop_section(std::string_view name) {
        std::erase_if(sections_, [&](const Section& section) { return section.name == name; });
        return *this;
    }
    /// Appends a table to an array of tables, such as "split.segment".
    TaskFile& append(std::string_view name, Entries entries) {
        sections_.push_back({'[' + std::string(name) + ']', {}});
        for (const Entry& entry : entries) sections_.back().lines.push_back({entry.key, entry.value.toml});
        return *this;
    }
    /// Adds lines, unchanged, after all sections.
    TaskFile& add(std::string_view lines) {
        more_ += lines;
        return *this;
    }

    /// Returns the text. Sections without keys are left out.
    std::string text() const {
        std::string text;
        for (const Section& section : sections_) {
            if (!section.lines.empty()) text += '[' + section.name + "]\n";
            for (const Line& line : section.lines) text += key_text(line.key) + " = " + line.value + '\n';
        }
        return text + more_;
    }

private:
    struct Line {
        std::string key, value;
    };
    struct Section {
        std::string name;
        std::vector<Line> lines;
    };

    static std::string quoted(std::string_view text) {
        std::string quoted = "\"";
        for (const char letter : text) {
            if (letter == '"' || letter == '\\') quoted += '\\';
            quoted += letter;
        }
        return quoted + '"';
    }
    /// Quotes a key unless TOML allows it without quotes.
    static std::string key_text(const std::string& key) {
        const bool bare = std::ranges::all_of(
            key, [](unsigned char letter) { return std::isalnum(letter) || letter == '_' || letter == '-'; });
        return bare ? key : quoted(key);
    }
    static std::string list(const auto& texts) {
        std::string list;
        for (const auto& text : texts) list += (list.empty() ? "" : ", ") + quoted(text);
        return '[' + list + ']';
    }
    /// Returns the shortest text that is read as the same number. It has a point or an exponent, as TOML demands.
    static std::string digits(double number) {
        char buffer[32];
        std::string digits(buffer, std::to_chars(buffer, buffer + sizeof(buffer), number).ptr);
        return digits.find_first_of(".e") == std::string::npos ? digits + ".0" : digits;
    }

    Section& find(std::string_view name) {
        const auto found = std::ranges::find(sections_, name, &Section::name);
        if (found != sections_.end()) return *found;
        sections_.push_back({std::string(name), {}});
        return sections_.back();
    }
    TaskFile& put(std::string_view section, std::string_view key, Value value) {
        std::vector<Line>& lines = find(section).lines;
        const auto found = std::ranges::find(lines, key, &Line::key);
        if (found != lines.end()) found->value = std::move(value.toml);
        else lines.push_back({std::string(key), std::move(value.toml)});
        return *this;
    }

    std::vector<Section> sections_;
    std::string more_;
};

}  // namespace divisi::testing
