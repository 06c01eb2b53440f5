// SPDX-License-Identifier: Apache-2.0
// Implements the searches of topology.h.
#include <algorithm>
#include <array>
#include <compare>
#include <limits>
#include <queue>

#include "backend/mesh/base/topology.h"

namespace divisi::mesh::inline base {
namespace {

constexpr std::int64_t unreachable = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

/// The devices and links that may be used now, by index.
struct View {
    View(const Topology& topology, const Avoid& avoid)
        : topology(topology), up(topology.devices().size()), transit(up.size()), link(topology.links().size()) {
        for (std::size_t i = 0; i < up.size(); ++i) {
            const Device& device = topology.devices()[i];
            up[i] = device.up;
            transit[i] = device.up && device.role == DeviceRole::router && !avoid.devices.contains(device.id);
        }
        for (std::size_t i = 0; i < link.size(); ++i) {
            const Link& known = topology.links()[i];
            link[i] = known.up && !avoid.links.contains({known.a, known.b});
        }
    }

    const Topology& topology;
    std::vector<char> up, transit, link;
};

template <typename Cost>
using Queue = std::priority_queue<std::pair<Cost, std::size_t>, std::vector<std::pair<Cost, std::size_t>>,
                                  std::greater<std::pair<Cost, std::size_t>>>;

/// The result of a search from one device (Dijkstra 1959).
class Reach {
public:
    Reach(const View& view, std::size_t root);

    /// Returns the costs to each device, without the costs of passing the devices at both ends.
    const std::vector<std::int64_t>& distances() const { return distance_; }
    bool reaches(std::size_t device) const { return distance_[device] != unreachable; }
    /// Returns the reachable devices, ordered by distance; the first is the root itself.
    const std::vector<std::size_t>& order() const { return order_; }
    /// Returns whether a shortest path to `b` arrives over this link from `a`.
    bool comes_over(std::size_t a, std::size_t link, std::size_t b) const {
        if (!view_.link[link] || !reaches(a) || (a != root_ && !view_.transit[a])) return false;
        const std::int64_t passing = a == root_ ? 0 : view_.topology.transit_cost(a);
        return distance_[a] + passing + view_.topology.link_cost(link) == distance_[b];
    }
    /// Returns the shortest path; among paths of equal cost, the first in the order of the ids along the path. Empty if
    /// there is no path.
    std::vector<std::size_t> path_to(std::size_t device) const;

private:
    std::vector<char> on_paths_to(std::size_t device) const;

    const View& view_;
    std::size_t root_;
    std::vector<std::int64_t> distance_;
    std::vector<std::size_t> order_;
};

Reach::Reach(const View& view, std::size_t root)
    : view_(view), root_(root), distance_(view.topology.devices().size(), unreachable) {
    const Topology& topology = view.topology;
    Queue<std::int64_t> queue;
    distance_[root] = 0;
    queue.emplace(0, root);
    while (!queue.empty()) {
        const auto [cost, device] = queue.top();
        queue.pop();
        if (cost > distance_[device]) continue;
        order_.push_back(device);
        if (device != root && !view.transit[device]) continue;
        const std::int64_t leaving = cost + (device == root ? 0 : topology.transit_cost(device));
        for (const auto& edge : topology.edges(device)) {
            const std::int64_t next = leaving + topology.link_cost(edge.link);
            if (!view.link[edge.link] || !view.up[edge.device] || next >= distance_[edge.device]) continue;
            distance_[edge.device] = next;
            queue.emplace(next, edge.device);
        }
    }
}

/// Marks the devices that lie on any shortest path to `device`.
std::vector<char> Reach::on_paths_to(std::size_t device) const {
    std::vector<char> on_one(distance_.size());
    std::vector<std::size_t> open{device};
    on_one[device] = true;
    while (!open.empty()) {
        const std::size_t here = open.back();
        open.pop_back();
        for (const auto& edge : view_.topology.edges(here)) {
            if (on_one[edge.device] || !comes_over(edge.device, edge.link, here)) continue;
            on_one[edge.device] = true;
            open.push_back(edge.device);
        }
    }
    return on_one;
}

std::vector<std::size_t> Reach::path_to(std::size_t device) const {
    if (!reaches(device)) return {};
    const std::vector<char> on_one = on_paths_to(device);
    std::vector<std::size_t> path{root_};
    while (path.back() != device) {
        const std::size_t here = path.back();
        const auto next = std::ranges::find_if(view_.topology.edges(here), [&](const Topology::Edge& edge) {
            return on_one[edge.device] && comes_over(here, edge.link, edge.device);
        });
        path.push_back(next->device);
    }
    return path;
}

Path ids(const Topology& topology, const std::vector<std::size_t>& devices) {
    Path path;
    for (const std::size_t device : devices) path.push_back(topology.devices()[device].id);
    return path;
}

/// Searches for a second path next to a given first one. Minimises first the number of devices and links that both
/// paths share, then the time.
class SecondPath {
public:
    SecondPath(const View& view, const std::vector<std::size_t>& first)
        : view_(view), from_(first.front()), to_(first.back()), next_(view.transit.size(), none), before_(next_) {
        for (std::size_t i = 1; i < first.size(); ++i) {
            next_[first[i - 1]] = first[i];
            before_[first[i]] = first[i - 1];
        }
    }

    /// Lets the second path run backwards along parts of the first path, which removes these parts from both paths. The
    /// first path must be a shortest path of `reach`.
    void allow_undo(const Reach& reach) {
        undo_ = true;
        potential_.resize(2 * view_.transit.size());
        for (const std::size_t device : reach.order()) {
            const std::int64_t distance = reach.distances()[device];
            potential_[entry(device)] = distance;
            potential_[exit(device)] = distance + (device == from_ ? 0 : view_.topology.transit_cost(device));
        }
    }

    /// Runs the search; returns false if there is no second path.
    bool search() {
        best_.assign(2 * view_.transit.size(), {unreachable, 0});
        came_from_.assign(best_.size(), none);
        best_[exit(from_)] = {0, 0};
        queue_.emplace(Cost{0, 0}, exit(from_));
        while (!queue_.empty()) {
            const auto [cost, state] = queue_.top();
            queue_.pop();
            if (state == entry(to_)) break;  // all remaining states cost more
            if (cost > best_[state]) continue;
            if (state % 2 == 0) leave_entry(state / 2);
            else leave_exit(state / 2);
        }
        return best_[entry(to_)].shared != unreachable;
    }

    std::int64_t shared() const { return best_[entry(to_)].shared; }

    /// A hop of the path from one device to the next. `undone`: it cancels a hop of the first path.
    struct Hop {
        std::size_t from = 0, to = 0;
        bool undone = false;
    };
    std::vector<Hop> hops() const {
        std::vector<Hop> result;
        for (std::size_t state = entry(to_); state != exit(from_); state = came_from_[state]) {
            const std::size_t before = came_from_[state];
            if (before / 2 == state / 2) continue;
            if (state % 2 == 0) result.push_back({before / 2, state / 2, false});
            else result.push_back({state / 2, before / 2, true});
        }
        std::reverse(result.begin(), result.end());
        return result;
    }

private:
    struct Cost {
        std::int64_t shared = 0, ns = 0;
        auto operator<=>(const Cost&) const = default;
    };

    // Each device has two states, an entry and an exit, so that the transit of a device can have a cost and be undone
    // like a link.
    static std::size_t entry(std::size_t device) { return 2 * device; }
    static std::size_t exit(std::size_t device) { return 2 * device + 1; }

    void leave_entry(std::size_t device) {
        const bool on_first = before_[device] != none;
        if (view_.transit[device]) move(entry(device), exit(device), {on_first, view_.topology.transit_cost(device)});
        if (!undo_ || !on_first) return;
        for (const auto& edge : view_.topology.edges(device))
            if (edge.device == before_[device])
                move(entry(device), exit(edge.device), {0, -view_.topology.link_cost(edge.link)});
    }

    void leave_exit(std::size_t device) {
        for (const auto& edge : view_.topology.edges(device)) {
            const std::size_t to = edge.device;
            if (!view_.link[edge.link] || to == from_ || (to == to_ ? !view_.up[to] : !view_.transit[to])) continue;
            const bool on_first = next_[device] == to || next_[to] == device;
            move(exit(device), entry(to), {on_first, view_.topology.link_cost(edge.link)});
        }
        if (undo_ && device != from_ && before_[device] != none)
            move(exit(device), entry(device), {0, -view_.topology.transit_cost(device)});
    }

    void move(std::size_t state, std::size_t to, Cost cost) {
        Cost next{best_[state].shared + cost.shared, best_[state].ns + cost.ns};
        if (undo_) next.ns += potential_[state] - potential_[to];
        if (next >= best_[to]) return;
        best_[to] = next;
        came_from_[to] = state;
        // Unless hops can be undone, an exit is reached only from its entry. The search therefore continues at the exit
        // immediately, and the entry is not queued.
        if (!undo_ && to % 2 == 0 && to != entry(to_)) leave_entry(to / 2);
        else queue_.emplace(next, to);
    }

    const View& view_;
    std::size_t from_, to_;
    std::vector<std::size_t> next_, before_;  ///< neighbours of each device along the first path
    bool undo_ = false;
    std::vector<std::int64_t> potential_;  ///< makes all costs non-negative (Johnson 1977)
    std::vector<Cost> best_;
    std::vector<std::size_t> came_from_;
    Queue<Cost> queue_;
};

std::vector<std::size_t> devices_of(const std::vector<SecondPath::Hop>& hops) {
    std::vector<std::size_t> result{hops.front().from};
    for (const auto& hop : hops) result.push_back(hop.to);
    return result;
}

/// Returns the path that shares the fewest devices and links with `first`, and among equal ones the cheapest; empty if
/// there is no other path.
Path beside(const View& view, const std::vector<std::size_t>& first) {
    if (first.size() < 2 || !view.up[first.front()]) return {};
    SecondPath second(view, first);
    if (!second.search()) return {};
    const std::vector<std::size_t> path = devices_of(second.hops());
    return path == first ? Path() : ids(view.topology, path);
}

/// Combines the hops of both searches into two paths.
std::array<std::vector<std::size_t>, 2> untangle(const std::vector<std::size_t>& first,
                                                 const std::vector<SecondPath::Hop>& second) {
    std::map<std::size_t, std::multiset<std::size_t>> next;
    for (std::size_t i = 1; i < first.size(); ++i) next[first[i - 1]].insert(first[i]);
    for (const auto& hop : second)
        if (!hop.undone) next[hop.from].insert(hop.to);
    for (const auto& hop : second)
        if (hop.undone) next[hop.from].erase(next[hop.from].find(hop.to));
    std::array<std::vector<std::size_t>, 2> result;
    for (auto& path : result) {
        path.push_back(first.front());
        while (path.back() != first.back()) {
            auto& choices = next[path.back()];
            path.push_back(*choices.begin());
            choices.erase(choices.begin());
        }
    }
    return result;
}

/// Between any two consecutive devices that both paths pass, assigns the cheaper part to the primary path.
Paths cheaper_first(const Topology& topology, const Path& a, const Path& b) {
    Paths result{{a.front()}, {b.front()}};
    auto in_a = a.begin(), in_b = b.begin();
    while (in_a + 1 != a.end()) {
        auto end_a = in_a + 1;
        auto end_b = std::find(in_b + 1, b.end(), *end_a);
        while (end_b == b.end()) end_b = std::find(in_b + 1, b.end(), *++end_a);
        Path first(in_a, end_a + 1), second(in_b, end_b + 1);
        if (std::pair(path_cost(topology, second), second) < std::pair(path_cost(topology, first), first))
            first.swap(second);
        result.primary.insert(result.primary.end(), first.begin() + 1, first.end());
        result.backup.insert(result.backup.end(), second.begin() + 1, second.end());
        in_a = end_a;
        in_b = end_b;
    }
    return result;
}

}  // namespace

std::optional<std::int64_t> path_cost(const Topology& topology, const Path& path) {
    std::int64_t cost = 0;
    for (std::size_t i = 0; i < path.size(); ++i) {
        const auto here = topology.index(path[i]);
        if (!here || !topology.devices()[*here].up) return std::nullopt;
        if (i + 1 == path.size()) return cost;
        if (i > 0 && topology.devices()[*here].role != DeviceRole::router) return std::nullopt;
        if (i > 0) cost += topology.transit_cost(*here);
        const Link* link = topology.link(path[i], path[i + 1]);
        if (link == nullptr || !link->up) return std::nullopt;
        cost += topology.link_cost(static_cast<std::size_t>(link - topology.links().data()));
    }
    return std::nullopt;
}

bool avoids(const Path& path, const Avoid& avoid) {
    for (std::size_t i = 1; i < path.size(); ++i) {
        if (avoid.links.contains(link_key(path[i - 1], path[i]))) return false;
        if (i + 1 < path.size() && avoid.devices.contains(path[i])) return false;
    }
    return true;
}

std::size_t shared_parts(const Path& a, const Path& b) {
    std::set<RoutingId> routers;
    std::set<LinkKey> links;
    for (std::size_t i = 1; i < a.size(); ++i) {
        links.insert(link_key(a[i - 1], a[i]));
        if (i + 1 < a.size()) routers.insert(a[i]);
    }
    std::size_t count = 0;
    for (std::size_t i = 1; i < b.size(); ++i) {
        count += links.count(link_key(b[i - 1], b[i]));
        if (i + 1 < b.size()) count += routers.count(b[i]);
    }
    return count;
}

std::optional<Path> shortest_path(const Topology& topology, RoutingId from, RoutingId to, const Avoid& avoid) {
    const auto begin = topology.index(from), end = topology.index(to);
    const View view(topology, avoid);
    if (!begin || !end || !view.up[*begin]) return std::nullopt;
    const auto path = Reach(view, *begin).path_to(*end);
    if (path.empty()) return std::nullopt;
    return ids(topology, path);
}

std::vector<std::optional<RoutingId>> next_hops(const Topology& topology, RoutingId from) {
    std::vector<std::optional<RoutingId>> result(topology.devices().size());
    const auto root = topology.index(from);
    const View view(topology, {});
    if (!root || !view.up[*root]) return result;
    const Reach reach(view, *root);
    for (const std::size_t device : reach.order())
        for (const auto& edge : topology.edges(device)) {
            if (!reach.comes_over(edge.device, edge.link, device)) continue;
            const auto hop = edge.device == *root ? topology.devices()[device].id : *result[edge.device];
            if (!result[device] || hop < *result[device]) result[device] = hop;
        }
    return result;
}

Path backup_of(const Topology& topology, const Path& primary, const Avoid& avoid) {
    std::vector<std::size_t> first;
    for (const RoutingId id : primary) {
        const auto at = topology.index(id);
        if (!at) return {};
        first.push_back(*at);
    }
    return beside(View(topology, avoid), first);
}

std::optional<Paths> two_paths(const Topology& topology, RoutingId from, RoutingId to, const Avoid& avoid) {
    return PathsFrom(topology, from, avoid).to(to);
}

struct PathsFrom::Known {
    Known(const Topology& topology, RoutingId from, const Avoid& avoid) : view(topology, avoid) {
        const auto root = topology.index(from);
        if (root && view.up[*root]) reach.emplace(view, *root);
    }

    View view;
    std::optional<Reach> reach;  ///< none: nothing is reachable from the device
};

PathsFrom::PathsFrom(const Topology& topology, RoutingId from, Avoid avoid)
    : avoid_(std::move(avoid)), known_(std::make_unique<Known>(topology, from, avoid_)) {}
PathsFrom::~PathsFrom() = default;

std::optional<Paths> PathsFrom::to(RoutingId device) const {
    const View& view = known_->view;
    const auto end = view.topology.index(device);
    if (!known_->reach || !end || !known_->reach->reaches(*end)) return std::nullopt;
    const std::vector<std::size_t> first = known_->reach->path_to(*end);
    Paths paths{ids(view.topology, first), beside(view, first)};
    const std::size_t shared = shared_parts(paths.primary, paths.backup);
    if (paths.backup.empty() || shared == 0) return paths;

    SecondPath second(view, first);
    second.allow_undo(*known_->reach);
    if (!second.search() || static_cast<std::size_t>(second.shared()) >= shared) return paths;
    const auto both = untangle(first, second.hops());
    return cheaper_first(view.topology, ids(view.topology, both[0]), ids(view.topology, both[1]));
}

}  // namespace divisi::mesh::inline base
