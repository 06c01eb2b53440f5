// SPDX-License-Identifier: Apache-2.0
#include "backend/task/parse.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "backend/task/error_texts.h"
#include "backend/task/fields.h"
#include "backend/task/kinds.h"
#include "backend/task/suggest.h"
#include "backend/task/toml_reader.h"

namespace divisi::task {

namespace {

/// Reads a [[split.segment]]; `where` is its own line.
Result<void> read_segment(const toml::node& node, const std::string& where, SegmentSpec& segment) {
    const toml::table* table = node.as_table();
    if (!table)
        return wrong_type(node, "split.segment", where, fill(error_text("tables-wanted").what, {"split.segment"}));
    const auto filename = node.source().path ? *node.source().path : where;
    DIVISI_TRY(check_keys(*table, "split.segment", {"nodes", "place"}, filename));
    const auto read = [&](const char* key, auto& field) -> Result<void> {
        const toml::node* value = table->get(key);
        if (!value) return {};
        return read_value(*value, std::string("split.segment.") + key, place(filename, *value), field);
    };
    DIVISI_TRY(read("nodes", segment.nodes));
    DIVISI_TRY(read("place", segment.place));
    if (!segment.nodes.empty()) return {};
    return make_error(error_text("segment-without-operators"), where);
}

using task::read_value;
Result<void> read_value(const toml::node& node, const std::string& name, const std::string& where,
                        std::vector<SegmentSpec>& field) {
    const toml::array* list = node.as_array();
    if (!list) return wrong_type(node, name, where, fill(error_text("tables-wanted").what, {"split.segment"}));
    field.clear();
    for (const toml::node& item : *list) {
        const std::string at = item.source().path ? place(*item.source().path, item) : where;
        DIVISI_TRY(read_segment(item, at, field.emplace_back()));
    }
    return {};
}

constexpr std::int64_t samples_of_no_data = 1'000'000;  // no plan depends on this number

/// The line of each "section.key", for the errors of check_task(). For a key from a setting, the entry is the setting.
using Places = std::map<std::string, std::string>;

struct Document {
    toml::table root;
    Places settings;  ///< "section.key" -> "--set section.key=value"
};

std::vector<std::string> section_names() {
    std::vector<std::string> names;
    TaskSpec spec;
    visit_fields(spec, [&](const char* section, const char*, auto&) {
        if (names.empty() || names.back() != section) names.emplace_back(section);
    });
    return names;
}

std::vector<std::string> key_names(const std::string& section) {
    std::vector<std::string> names;
    TaskSpec spec;
    visit_fields(spec, [&](const char* of, const char* key, auto&) {
        if (section == of) names.emplace_back(key);
    });
    return names;
}

bool is_list(const std::string& section, const std::string& key) {
    bool found = false;
    TaskSpec spec;
    visit_fields(spec, [&]<typename T>(const char* of, const char* name, T&) {
        if (section == of && key == name) found = std::is_same_v<T, std::vector<std::string>>;
    });
    return found;
}

/// Returns the keys of [model] except `inputs` and `symbols`. `inputs` and `symbols` are tables; if the value is an
/// integer, as in `inputs = 5`, it is a size (of zoo:mlp).
std::vector<std::string> keys_beside_sizes() {
    std::vector<std::string> names = key_names("model");
    std::erase_if(names, [](const std::string& name) { return name == "inputs" || name == "symbols"; });
    return names;
}

/// Moves integers of [model] that are not known keys to `sizes`: they belong to the zoo model.
void take_sizes(toml::table& model, TaskSpec& spec, const std::string& filename, Places& places) {
    const std::vector<std::string> known = keys_beside_sizes();
    std::vector<std::string> taken;
    for (const auto& [key, value] : model) {
        const std::string name(key.str());
        const auto* number = value.as_integer();
        if (!number || std::find(known.begin(), known.end(), name) != known.end()) continue;
        spec.model.sizes[name] = number->get();
        places.emplace("model." + name, place(filename, value));
        taken.push_back(name);
    }
    for (const std::string& name : taken) model.erase(name);
}

/// Moves an integer at checkpoint.every to its field, since a number of steps is written without quotes.
void take_steps(toml::table& root, TaskSpec& spec, const std::string& filename, Places& places) {
    toml::table* checkpoint = root["checkpoint"].as_table();
    const toml::node* every = checkpoint ? checkpoint->get("every") : nullptr;
    if (!every || !every->is_integer()) return;
    spec.checkpoint.every = std::to_string(every->as_integer()->get());
    places.emplace("checkpoint.every", place(filename, *every));
    checkpoint->erase("every");
}

Result<void> check_sections(const toml::table& root, const std::string& filename) {
    const std::vector<std::string> sections = section_names();
    DIVISI_TRY(check_keys(root, "", sections, filename));
    for (const std::string& section : sections) {
        const toml::node* node = root.get(section);
        if (!node) continue;
        const toml::table* table = node->as_table();
        if (!table)
            return wrong_type(*node, section, place(filename, *node),
                              fill(error_text("section-wanted").what, {section}));
        DIVISI_TRY(check_keys(*table, section, key_names(section), filename));
    }
    return {};
}

/// Reads a value and records where it was written, unless the value came from a setting.
template <typename T>
Result<void> read_field(const toml::node& node, const std::string& name, const std::string& filename, Places& places,
                        T& field) {
    return read_value(node, name, places.emplace(name, place(filename, node)).first->second, field);
}

/// Reads a sub-table. Every member has its own recorded line.
template <typename T>
Result<void> read_field(const toml::node& node, const std::string& name, const std::string& filename, Places& places,
                        std::map<std::string, T>& field) {
    const auto [whole, from_file] = places.emplace(name, place(filename, node));
    const toml::table* table = node.as_table();
    if (!table) return wrong_type(node, name, whole->second, error_text("table-wanted").what);
    for (const auto& [key, value] : *table) {
        const std::string member = name + "." + std::string(key.str());
        if (!from_file) places.emplace(member, whole->second);
        DIVISI_TRY(read_field(value, member, filename, places, field[std::string(key.str())]));
    }
    return {};
}

/// Reads a spec. If `split` is given, it replaces that section of the document.
Result<TaskSpec> read_spec(Document document, const std::string& filename, const SplitSection* split = nullptr) {
    TaskSpec spec;
    Places places = document.settings;
    if (toml::table* model = document.root["model"].as_table()) take_sizes(*model, spec, filename, places);
    take_steps(document.root, spec, filename, places);
    DIVISI_TRY(check_sections(document.root, filename));
    std::optional<Error> failure;
    visit_fields(spec, [&](const char* section, const char* key, auto& field) {
        const toml::node* node = document.root[section][key].node();
        if (!node || failure) return;
        const std::string name = std::string(section) + "." + key;
        if (auto read = read_field(*node, name, filename, places, field); !read.ok()) failure = std::move(read).error();
    });
    if (failure) return *failure;
    if (split) spec.split = *split;
    if (spec.model.zoo.starts_with("zoo:")) spec.model.zoo.erase(0, 4);
    std::set<std::string> written;
    for (const auto& [key, place] : places) written.insert(key);
    auto checked = check_kind(spec, written);
    if (checked.ok()) checked = check_task(spec);
    if (!checked.ok()) {
        const auto placed = [&](Error error) {
            const auto found = places.find(error.where);
            const std::string key = std::exchange(error.where, found != places.end() ? found->second : filename);
            return about(key, std::move(error));
        };
        const Error first = std::move(checked).error();
        Error error = placed(first);
        if (!first.where.starts_with("split.")) return error;
        for (const Error& other : split_errors(spec.split))
            if (other.where != first.where) error.next += "; also " + placed(other).message();
        return error;
    }
    return spec;
}

/// Splits "a,b,c" into its parts, without surrounding spaces.
toml::array split_list(std::string_view text) {
    toml::array list;
    while (true) {
        const std::size_t comma = text.find(',');
        std::string_view part = text.substr(0, comma);
        while (part.starts_with(' ')) part.remove_prefix(1);
        while (part.ends_with(' ')) part.remove_suffix(1);
        if (!part.empty()) list.push_back(std::string(part));
        if (comma == std::string_view::npos) return list;
        text.remove_prefix(comma + 1);
    }
}

/// Inserts the value of a setting: parsed as TOML if possible, otherwise as a plain string.
void insert_value(toml::table& table, const std::string& key, const std::string& text, bool list) {
    auto parsed = parse_toml("value = " + text, "setting");
    toml::node* value = parsed.ok() && parsed->size() == 1 ? parsed->get("value") : nullptr;
    const bool usable = value && !value->is_date() && !value->is_time() && !value->is_date_time();
    if (list && !(usable && value->is_array())) {
        table.insert_or_assign(key, split_list(usable && value->is_string() ? value->as_string()->get() : text));
    } else if (usable) {
        value->visit([&](auto& typed) { table.insert_or_assign(key, typed); });
    } else {
        table.insert_or_assign(key, text);
    }
}

/// Removes the keys that a setting excludes.
void drop_excluded(toml::table& root, const std::string& section, const std::string& key) {
    toml::table* table = root[section].as_table();
    if (!table) return;
    // `count`: the key sets the number of segments; `range`: the key limits it.
    const bool count = key == "stages" || key == "cuts" || key == "segment",
               range = key == "least_stages" || key == "most_stages";
    if (section == "split" && (count || range)) {
        for (const char* other : {"stages", "cuts", "segment"})
            if (key != other) table->erase(other);
        if (count)
            for (const char* other : {"least_stages", "most_stages"}) table->erase(other);
    }
    if (section == "model" && key == "zoo") {
        table->erase("onnx");
        table->erase("from");
    }
    if (section == "model" && (key == "onnx" || key == "from")) {
        const std::vector<std::string> known = keys_beside_sizes();
        std::vector<std::string> sizes{"zoo", key == "onnx" ? "from" : "onnx"};
        for (const auto& [name, value] : *table)
            if (value.is_integer() && std::find(known.begin(), known.end(), name.str()) == known.end())
                sizes.emplace_back(name.str());
        for (const std::string& name : sizes) table->erase(name);
    }
}

Result<void> apply_setting(Document& document, const std::string& setting) {
    const std::string where = "--set " + setting;
    const std::size_t equals = setting.find('=');
    const std::size_t dot = setting.find('.');
    if (equals == std::string::npos || dot == std::string::npos || dot > equals || equals + 1 == setting.size())
        return make_error(error_text("no-setting"), where);
    const std::string section = setting.substr(0, dot);
    std::string key = setting.substr(dot + 1, equals - dot - 1);
    const std::vector<std::string> sections = section_names();
    if (std::find(sections.begin(), sections.end(), section) == sections.end())
        return make_error(error_text("unknown-section"), where, {section, suggest(section, sections)});
    drop_excluded(document.root, section, key);
    toml::node* present = document.root.get(section);
    if (!present) {
        document.root.insert(section, toml::table{});
        present = document.root.get(section);
    }
    toml::table* table = present->as_table();
    if (!table) return wrong_type(*present, section, where, error_text("some-section-wanted").what);
    const bool list = is_list(section, key);
    std::string name = key;
    if (const std::size_t inner = key.find('.'); inner != std::string::npos) {  // a sub-table, e.g. model.symbols.batch
        name = key.substr(0, inner);
        const std::string member = key.substr(inner + 1);
        if (!table->get(name)) table->insert(name, toml::table{});
        toml::node* below = table->get(name);
        if (!below->is_table())
            return wrong_type(*below, section + "." + name, where, error_text("no-dot-wanted").what);
        table = below->as_table();
        key = member;
    }
    // [model] may also contain the zoo's sizes. Check other keys here, since a later error would not have a location.
    if (const std::vector<std::string> known = key_names(section);
        section != "model" && std::find(known.begin(), known.end(), name) == known.end())
        return make_error(error_text("unknown-key"), where, {name, section, suggest(name, known)});
    insert_value(*table, key, setting.substr(equals + 1), list);
    document.settings[setting.substr(0, equals)] = where;
    return {};
}

/// Formats the keys of a sub-table, or of the zoo's sizes.
template <typename T>
std::string members(const std::map<std::string, T>& map) {
    std::string text;
    for (const auto& [key, value] : map) text += key_text(key) + " = " + literal(value) + "\n";
    return text;
}

/// Formats a value that takes one line. Tables are printed after their section.
template <typename T>
std::string field_text(const T& field) {
    return literal(field);
}
template <typename T>
std::string field_text(const std::map<std::string, T>&) {
    return {};
}
std::string field_text(const std::vector<SegmentSpec>&) { return {}; }

template <typename T>
void add_table(std::string& tables, const std::string& name, const std::map<std::string, T>& map) {
    if (!map.empty()) tables += "\n[" + name + "]\n" + members(map);
}
void add_table(std::string& tables, const std::string& name, const std::vector<SegmentSpec>& segments) {
    for (const SegmentSpec& segment : segments) {
        tables += "\n[[" + name + "]]\nnodes = " + literal(segment.nodes) + "\n";
        if (!segment.place.empty()) tables += "place = " + literal(segment.place) + "\n";
    }
}
template <typename T>
void add_table(std::string&, const std::string&, const T&) {}

}  // namespace

Result<TaskSpec> parse_task(std::string_view text, const std::string& filename) {
    return parse_task(text, filename, {});
}

Result<TaskSpec> parse_task(std::string_view text, const std::string& filename,
                            const std::vector<std::string>& settings) {
    Document document;
    DIVISI_ASSIGN(document.root, parse_toml(text, filename));
    for (const std::string& setting : settings) DIVISI_TRY(apply_setting(document, setting));
    return read_spec(std::move(document), filename);
}

Result<TaskSpec> parse_task(std::string_view text, const std::string& filename, const SplitSection& split,
                            bool has_model) {
    Document document;
    DIVISI_ASSIGN(document.root, parse_toml(text, filename));
    if (const toml::node* written = document.root.get("split"))
        return make_error(error_text("split-given-twice"), place(filename, *written));
    if (has_model && !document.root.contains("model"))
        document.root.insert("model", toml::table{{"onnx", "the model of the message"}});
    if (!document.root.contains("data"))
        document.root.insert("data", toml::table{{"kind", "synthetic"}, {"samples", samples_of_no_data}});
    return read_spec(std::move(document), filename, &split);
}

std::string where_written(std::string_view text, const std::string& filename, const std::vector<std::string>& settings,
                          const std::string& key) {
    for (const std::string& setting : settings)
        if (setting.starts_with(key + "=")) return "--set " + setting;
    const auto root = parse_toml(text, filename);
    if (!root.ok()) return key;
    const toml::node* node = &*root;
    std::string_view rest = key;  // section, key, and in sub-tables a member; its name may contain dots
    for (int depth = 0; depth < 3 && node && !rest.empty(); ++depth) {
        const std::size_t dot = depth < 2 ? rest.find('.') : std::string_view::npos;
        node = node->is_table() ? node->as_table()->get(rest.substr(0, dot)) : nullptr;
        rest = dot == std::string_view::npos ? std::string_view{} : rest.substr(dot + 1);
    }
    return node ? place(filename, *node) : key;
}

Result<TaskSpec> apply_overrides(const TaskSpec& spec, const std::vector<std::string>& settings) {
    return parse_task(print_task(spec), "task " + spec.task.name, settings);
}

std::string print_task(const TaskSpec& spec) {
    std::map<std::string, std::string> defaults;
    const TaskSpec plain;
    visit_fields(plain, [&](const std::string& section, const std::string& key, const auto& field) {
        defaults[section + "." + key] = field_text(field);
    });
    std::string text, section_text, tables, section;
    const auto finish = [&] {
        if (section == "model") section_text += members(spec.model.sizes);
        if (!section_text.empty()) text += (text.empty() ? "[" : "\n[") + section + "]\n" + section_text;
        text += tables;
        section_text.clear();
        tables.clear();
    };
    visit_fields(spec, [&](const std::string& of, const std::string& key, const auto& field) {
        if (of != section) finish();
        section = of;
        const std::string value = field_text(field);
        if (value != defaults[of + "." + key]) section_text += key + " = " + value + "\n";
        add_table(tables, of + "." + key, field);
    });
    finish();
    return text;
}

}  // namespace divisi::task
