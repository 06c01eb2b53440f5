// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/documents/task_text.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "backend/task/parse.h"

namespace divisi::model {

namespace {

constexpr std::string_view blank = " \t\r";

std::string_view trimmed(std::string_view text) {
    const std::size_t from = text.find_first_not_of(blank);
    if (from == std::string_view::npos) return {};
    return text.substr(from, text.find_last_not_of(blank) + 1 - from);
}

/// An assignment "key = value" of a section. It may span several lines.
struct Entry {
    std::string section;  ///< name of the section; for the third [[split.segment]] "split.segment#2"
    std::string key, value;
    std::size_t first = 0, last = 0;  ///< first and last line of the entry
    std::size_t begin = 0, end = 0;   ///< the value: its start in the first line, and its end in the last line
};

struct Section {
    std::string name;    ///< name of the section, in the form of Entry::section
    std::string header;  ///< header line of the section, such as "[train]"
    std::size_t line = 0;
    std::size_t last = 0;  ///< line of its last entry, or of its header
};

struct TaskText {
    std::vector<std::string> lines;
    std::vector<Section> sections;
    std::vector<Entry> entries;

    const Entry* entry(const std::string& section, const std::string& key) const {
        const auto found =
            std::ranges::find_if(entries, [&](const Entry& one) { return one.section == section && one.key == key; });
        return found == entries.end() ? nullptr : &*found;
    }
    const Section* section(const std::string& name) const {
        const auto found = std::ranges::find(sections, name, &Section::name);
        return found == sections.end() ? nullptr : &*found;
    }
};

/// Scans a value from `from` on and returns where it ends on this line, before blanks and a comment. `depth` counts
/// open brackets. Returns nothing if a string does not end on this line.
std::optional<std::size_t> end_in(std::string_view line, std::size_t from, int& depth) {
    std::size_t end = from;
    for (std::size_t i = from; i < line.size() && line[i] != '#'; ++i) {
        const char c = line[i];
        if (c == '"' || c == '\'') {
            for (++i; i < line.size() && line[i] != c; ++i)
                if (c == '"' && line[i] == '\\') ++i;
            if (i >= line.size()) return std::nullopt;
        }
        if (c == '[' || c == '{') ++depth;
        if (c == ']' || c == '}') --depth;
        if (blank.find(c) == std::string_view::npos) end = i + 1;
    }
    return end;
}

/// Returns the entry that starts on line `first`; empty if the line is not a plain "key = value".
std::optional<Entry> entry_at(const std::vector<std::string>& lines, std::size_t first) {
    const std::size_t equals = lines[first].find('=');
    if (equals == std::string::npos) return std::nullopt;
    Entry entry;
    entry.first = entry.last = first;
    entry.key = trimmed(std::string_view(lines[first]).substr(0, equals));
    entry.begin = std::min(lines[first].find_first_not_of(blank, equals + 1), lines[first].size());
    int depth = 0;
    for (std::size_t from = entry.begin;; from = 0) {
        const auto end = end_in(lines[entry.last], from, depth);
        if (!end) return std::nullopt;
        entry.end = *end;
        entry.value += lines[entry.last].substr(from, *end - from);
        if (depth <= 0) return entry;
        if (++entry.last == lines.size()) return std::nullopt;
    }
}

/// Parses the text. Returns nothing if only a complete parser can read the text.
std::optional<TaskText> read(std::string_view text) {
    TaskText read;
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t end = std::min(text.find('\n', from), text.size());
        read.lines.emplace_back(text.substr(from, end - from));
        from = end + 1;
    }
    std::map<std::string, int> repeated;
    for (std::size_t i = 0; i < read.lines.size(); ++i) {
        const std::string_view line = trimmed(read.lines[i]);
        if (line.empty() || line.front() == '#') continue;
        if (line.front() == '[') {
            const std::size_t brackets = line.starts_with("[[") ? 2 : 1;
            const std::size_t close = line.find(']');
            if (close == std::string_view::npos) return std::nullopt;
            std::string name(trimmed(line.substr(brackets, close - brackets)));
            const std::string header(line.substr(0, close + brackets));
            if (brackets == 2) name += '#' + std::to_string(repeated[name]++);
            read.sections.push_back({std::move(name), header, i, i});
            continue;
        }
        auto entry = entry_at(read.lines, i);
        if (!entry || read.sections.empty()) return std::nullopt;
        entry->section = read.sections.back().name;
        i = read.sections.back().last = entry->last;
        read.entries.push_back(std::move(*entry));
    }
    return read;
}

/// Edits a text line by line. Line numbers remain valid until the text is assembled.
class Editor {
public:
    explicit Editor(const TaskText& text) : text_(text), lines_(text.lines), gone_(text.lines.size(), false) {}

    void set(const Section& section, const std::string& key, const std::string& value) {
        const Section* here = text_.section(section.name);
        if (const Entry* entry = text_.entry(section.name, key)) {
            const std::string behind = lines_[entry->last].substr(entry->end);
            lines_[entry->first] = lines_[entry->first].substr(0, entry->begin) + value + behind;
            for (std::size_t i = entry->first + 1; i <= entry->last; ++i) gone_[i] = true;
        } else if (here) {
            behind_[here->last] += key + " = " + value + "\n";
        } else {
            if (last_added_ != section.name) added_ += "\n" + section.header + "\n";
            last_added_ = section.name;
            added_ += key + " = " + value + "\n";
        }
    }
    void remove(const std::string& section, const std::string& key) {
        if (const Entry* entry = text_.entry(section, key))
            for (std::size_t i = entry->first; i <= entry->last; ++i) gone_[i] = true;
    }
    void remove(const Section& section) {
        gone_[section.line] = true;
        for (const Entry& entry : text_.entries)
            if (entry.section == section.name) remove(entry.section, entry.key);
    }
    std::string text() const {
        std::string whole;
        const auto end_line = [&whole] {
            if (!whole.empty() && whole.back() != '\n') whole += '\n';
        };
        for (std::size_t i = 0; i < lines_.size(); ++i) {
            if (!gone_[i]) whole += lines_[i] + (i + 1 < lines_.size() ? "\n" : "");
            if (!behind_.contains(i)) continue;
            end_line();
            whole += behind_.at(i);
        }
        if (!added_.empty()) end_line();
        return whole + added_;
    }

private:
    const TaskText& text_;
    std::vector<std::string> lines_;
    std::vector<bool> gone_;
    std::map<std::size_t, std::string> behind_;  ///< lines to insert after a line of the text, by its number
    std::string added_, last_added_;             ///< sections that are missing in the text
};

/// Applies the differences between both tasks, as they would be printed, to the text.
std::optional<std::string> edited(std::string_view text, const task::TaskSpec& before, const task::TaskSpec& after) {
    const auto written = read(text), old = read(task::print_task(before)), wanted = read(task::print_task(after));
    if (!written || !old || !wanted) return std::nullopt;
    Editor editor(*written);
    for (const Entry& entry : wanted->entries) {
        const Entry* same = old->entry(entry.section, entry.key);
        if (!same || same->value != entry.value) editor.set(*wanted->section(entry.section), entry.key, entry.value);
    }
    for (const Entry& entry : old->entries)
        if (!wanted->entry(entry.section, entry.key)) editor.remove(entry.section, entry.key);
    // In a list of tables ("[[...]]"), every header is an element, so also remove the headers of removed elements.
    // Other sections without entries can remain.
    for (const Section& section : written->sections)
        if (section.header.starts_with("[[") && !wanted->section(section.name)) editor.remove(section);
    return editor.text();
}

}  // namespace

std::string edited_task(std::string_view text, const task::TaskSpec& spec) {
    if (text.empty()) return task::print_task(spec);
    if (const auto before = task::parse_task(text, "task"); before.ok()) {
        const auto in_place = edited(text, *before, spec);
        const auto again = in_place ? task::parse_task(*in_place, "task") : before;
        if (in_place && again.ok() && *again == spec) return *in_place;
    }
    return task::print_task(spec);
}

}  // namespace divisi::model
