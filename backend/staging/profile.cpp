// SPDX-License-Identifier: Apache-2.0
#include "backend/staging/profile.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <unordered_map>

namespace divisi::staging {

namespace {

constexpr std::string_view separator = " -- ";
constexpr std::size_t longest_quote = 60;  // characters of a line that a message quotes
// Maximum number of nodes of a cycle that a message shows: the first nodes and the last node of a longer cycle.
constexpr std::size_t most_nodes_of_cycle = 8;
constexpr double most_total_ms = 1e300;  // leaves headroom for computations with the sum

constexpr std::string_view blanks = " \t\r\v\f";

std::string_view trim(std::string_view text) {
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Replaces tabs and other blanks by spaces, since there may be tabs next to a separator.
std::string blanks_as_spaces(std::string_view text) {
    std::string result(text);
    for (char& c : result)
        if (blanks.find(c) != std::string_view::npos) c = ' ';
    return result;
}

/// Parses a decimal number as strtod does, but accepts no words and no hexadecimal digits, and ignores the locale.
/// Numbers too small for a double count as 0.
std::optional<double> parse_number(std::string_view text) {
    if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
    double value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (stop != text.data() + text.size()) return std::nullopt;
    if (error == std::errc::result_out_of_range && text.find_first_of("eE") != std::string_view::npos)
        return text[text.find_first_of("eE") + 1] == '-' ? std::optional(0.0) : std::nullopt;
    if (error != std::errc{} || !std::isfinite(value) || value < 0) return std::nullopt;
    return value;
}

std::string quote(std::string_view text) {
    std::string quoted = "'";
    for (const char c : text.substr(0, longest_quote))
        quoted += static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? '?' : c;
    return quoted + (text.size() > longest_quote ? "...'" : "'");
}

/// Reads the text line by line.
class Reader {
public:
    Reader(std::string_view text, const std::string& name) : rest_(text), name_(name) {
        if (rest_.starts_with("\xef\xbb\xbf")) rest_.remove_prefix(3);  // a byte order mark
    }

    Result<Profile> read() {
        while (!rest_.empty()) {
            ++line_;
            const std::size_t end = rest_.find('\n');
            const std::string_view line = rest_.substr(0, end);
            rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
            if (trim(line).empty() || trim(line).front() == '#') continue;
            const std::string spaced = blanks_as_spaces(trim(line));
            if (blanks.find(line.front()) != std::string_view::npos) DIVISI_TRY(read_edge(spaced));
            else DIVISI_TRY(read_node(spaced));
        }
        if (profile_.nodes.empty()) return Error{ErrorCode::invalid_input, "has no nodes", name_, how_to_write()};
        DIVISI_TRY(resolve_edges());
        DIVISI_TRY(check_sums());
        return std::move(profile_);
    }

private:
    struct NamedEdge {
        std::string from, to;
        std::size_t line;
    };

    static std::string how_to_write() {
        return "a node is a line 'ID -- DESCRIPTION -- forward_compute_time=MS, backward_compute_time=MS, "
               "activation_size=BYTES, parameter_size=BYTES', an edge an indented line 'ID -- ID'";
    }

    Error wrong(std::string what, std::string next = how_to_write()) const { return wrong_at(line_, what, next); }
    Error wrong_at(std::size_t line, const std::string& what, const std::string& next) const {
        return {ErrorCode::invalid_input, what, name_ + ":" + std::to_string(line), next};
    }

    Result<void> read_edge(std::string_view line) {
        const std::size_t middle = line.find(separator);
        if (middle == std::string_view::npos) return wrong("is not an edge: " + quote(line));
        const std::string_view from = trim(line.substr(0, middle));
        const std::string_view to = trim(line.substr(middle + separator.size()));
        if (from.empty() || to.empty() || to.find(separator) != std::string_view::npos)
            return wrong("is not an edge: " + quote(line));
        edges_.push_back({std::string(from), std::string(to), line_});
        return {};
    }

    Result<void> read_node(std::string_view line) {
        const std::size_t first = line.find(separator);
        if (first == std::string_view::npos) return wrong("is neither a node nor an edge: " + quote(line));
        ProfileNode node;
        node.id = trim(line.substr(0, first));
        if (node.id.empty()) return wrong("is a node without an id: " + quote(line));
        const std::size_t second = find_costs(line);
        if (second == std::string_view::npos || second < first)
            return wrong("node " + quote(node.id) + " has no cost: forward_compute_time is missing");
        if (second > first) {
            const std::size_t begin = first + separator.size();
            node.description = trim(line.substr(begin, second > begin ? second - begin : 0));
        }
        std::string_view costs = line.substr(second + separator.size());
        costs = costs.substr(0, costs.find(separator));  // "-- stage_id=1" may follow
        DIVISI_TRY(read_costs(costs, node));
        const auto [place, is_new] = index_.emplace(node.id, static_cast<std::int32_t>(profile_.nodes.size()));
        if (!is_new) return wrong("node " + quote(node.id) + " is listed twice", "give each node a unique id");
        if (profile_.nodes.size() == most_profile_nodes)
            return wrong("is one node too many", "use at most " + std::to_string(most_profile_nodes));
        profile_.nodes.push_back(std::move(node));
        return {};
    }

    /// Finds the separator before the numbers. The description before it may contain " -- ", and a fourth part may
    /// follow.
    static std::size_t find_costs(std::string_view line) {
        for (std::size_t at = line.rfind(separator); at != std::string_view::npos && at > 0;
             at = line.rfind(separator, at - 1))
            for (const char* key :
                 {"forward_compute_time=", "backward_compute_time=", "activation_size=", "parameter_size="})
                if (line.substr(at + separator.size()).starts_with(key)) return at;
        return std::string_view::npos;
    }

    Result<void> read_costs(std::string_view text, ProfileNode& node) const {
        struct Field {
            std::string_view key;
            double* value;
            bool list;
            bool found = false;
        };
        Field fields[] = {{"forward_compute_time", &node.forward_ms, false},
                          {"backward_compute_time", &node.backward_ms, false},
                          {"activation_size", &node.activation_bytes, true},
                          {"parameter_size", &node.parameter_bytes, true}};
        while (!text.empty()) {
            const std::size_t comma = text.find(',');
            const std::string_view part = trim(text.substr(0, comma));
            text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
            const std::size_t equals = part.find('=');
            const std::string_view key = trim(part.substr(0, equals));
            const auto field =
                std::find_if(std::begin(fields), std::end(fields), [&](const Field& f) { return f.key == key; });
            if (equals == std::string_view::npos || field == std::end(fields) || field->found)
                return wrong("node " + quote(node.id) + ": " + quote(part) + " is not expected here");
            field->found = true;
            DIVISI_ASSIGN(*field->value, read_sizes(trim(part.substr(equals + 1)), field->list, node.id, key));
        }
        for (const Field& field : fields)
            if (!field.found) return wrong("node " + quote(node.id) + " has no " + std::string(field.key));
        return {};
    }

    /// Reads a number, or the sum of "[number; number]".
    Result<double> read_sizes(std::string_view text, bool list, std::string_view id, std::string_view key) const {
        const auto refuse = [&](std::string_view what) {
            return wrong("node " + quote(id) + ": " + std::string(key) + " = " + quote(what) +
                             " is not a finite number of at least 0",
                         list ? "write bytes, e.g. 4096.0 or [4096.0; 64.0]" : "write milliseconds, e.g. 0.539");
        };
        const std::string_view whole = text;
        if (list && text.size() >= 2 && text.front() == '[' && text.back() == ']') {
            text = trim(text.substr(1, text.size() - 2));
            if (text.empty()) return 0.0;  // the node has no outputs
        }
        double sum = 0;
        while (true) {
            const std::size_t end = list ? text.find(';') : std::string_view::npos;
            const std::optional<double> value = parse_number(trim(text.substr(0, end)));
            if (!value) return refuse(whole);
            sum += *value;
            if (end == std::string_view::npos) break;
            text.remove_prefix(end + 1);
        }
        if (!std::isfinite(sum)) return refuse(whole);
        return sum;
    }

    Result<void> resolve_edges() {
        for (const NamedEdge& edge : edges_) {
            for (const std::string& id : {edge.from, edge.to})
                if (!index_.contains(id))
                    return wrong_at(edge.line, "is an edge of " + quote(id) + ", which is not a node of the profile",
                                    "add the node or drop the edge");
            if (edge.from == edge.to)
                return wrong_at(edge.line, "node " + quote(edge.from) + " depends on itself", "drop the edge");
            profile_.edges.push_back({index_[edge.from], index_[edge.to]});
        }
        std::sort(profile_.edges.begin(), profile_.edges.end());
        profile_.edges.erase(std::unique(profile_.edges.begin(), profile_.edges.end()), profile_.edges.end());
        return check_cycles();
    }

    /// Runs Kahn's algorithm. If nodes remain, they contain a cycle, which is found by following predecessors.
    Result<void> check_cycles() const {
        const std::size_t count = profile_.nodes.size();
        std::vector<std::vector<std::int32_t>> successors(count), predecessors(count);
        std::vector<std::size_t> waiting(count, 0);
        for (const Profile::Edge& edge : profile_.edges) {
            successors[edge.from].push_back(edge.to);
            predecessors[edge.to].push_back(edge.from);
            ++waiting[edge.to];
        }
        std::vector<std::int32_t> ready;
        for (std::size_t node = 0; node < count; ++node)
            if (waiting[node] == 0) ready.push_back(static_cast<std::int32_t>(node));
        for (std::size_t i = 0; i < ready.size(); ++i)
            for (const std::int32_t next : successors[ready[i]])
                if (--waiting[next] == 0) ready.push_back(next);
        if (ready.size() == count) return {};
        const auto start = std::find_if(waiting.begin(), waiting.end(), [](std::size_t left) { return left > 0; });
        auto node = static_cast<std::int32_t>(start - waiting.begin());
        std::vector<bool> seen(count, false);
        const auto before = [&](std::int32_t of) {
            return *std::find_if(predecessors[of].begin(), predecessors[of].end(),
                                 [&](std::int32_t other) { return waiting[other] > 0; });
        };
        for (; !seen[node]; node = before(node)) seen[node] = true;
        std::vector<std::int32_t> cycle{node};  // in order from its last node back to its first
        for (std::int32_t at = before(node); at != node; at = before(at)) cycle.push_back(at);
        std::reverse(cycle.begin(), cycle.end());
        std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
        return cyclic(cycle);
    }

    /// Reports a cycle. The last node of `cycle` has an edge to the first.
    Error cyclic(const std::vector<std::int32_t>& cycle) const {
        std::string path;
        for (std::size_t i = 0; i < cycle.size(); ++i) {
            if (i + 1 < cycle.size() && i + 1 >= most_nodes_of_cycle) continue;
            if (i + 1 == cycle.size() && i >= most_nodes_of_cycle) path += "... -> ";
            path += quote(profile_.nodes[cycle[i]].id) + " -> ";
        }
        const std::string &first = profile_.nodes[cycle.front()].id, &last = profile_.nodes[cycle.back()].id;
        const auto closing = std::find_if(edges_.begin(), edges_.end(),
                                          [&](const NamedEdge& edge) { return edge.from == last && edge.to == first; });
        return wrong_at(closing->line, "closes a cycle: " + path + quote(first), "drop one of its edges");
    }

    Result<void> check_sums() const {
        double total = 0;
        for (const ProfileNode& node : profile_.nodes) total += node.forward_ms + node.backward_ms;
        if (total <= most_total_ms) return {};
        return Error{ErrorCode::invalid_input, "the times of all nodes together are above 1e300 ms", name_,
                     "write times in milliseconds"};
    }

    std::string_view rest_;
    const std::string& name_;
    std::size_t line_ = 0;
    Profile profile_;
    std::vector<NamedEdge> edges_;
    std::unordered_map<std::string, std::int32_t> index_;
};

}  // namespace

Result<Profile> parse_profile(std::string_view text, const std::string& name) { return Reader(text, name).read(); }

}  // namespace divisi::staging
