// SPDX-License-Identifier: Apache-2.0
#include "backend/staging/ideals.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "backend/base/hash.h"
#include "backend/staging/stage_graph.h"

namespace divisi::staging {
namespace {

constexpr std::size_t most_level_words = std::size_t{1} << 24;  // 128 MB for the sets of one size
constexpr std::size_t most_neighbours = 8'000'000;  // pairs of ideals that differ by one node: 32 MB, one second

/// Returns the nodes without work and without a value that may cross. Having such nodes before a boundary never makes
/// it worse.
std::vector<bool> idle_nodes(const StageGraph& graph) {
    std::vector<bool> idle(graph.work.size());
    for (std::size_t node = 0; node < idle.size(); ++node) idle[node] = graph.work[node] == 0;
    for (const Net& net : graph.nets) idle[net.source] = false;
    return idle;
}

}  // namespace

/// Enumerates the ideals by size; only the sets of the current and the next size are in memory. Each entry has the set
/// of its nodes and the set of nodes that can be added.
class IdealLattice::Builder {
public:
    Builder(const StageGraph& graph, IdealLattice& lattice)
        : graph_(graph),
          lattice_(lattice),
          words_((graph.work.size() + word_bits - 1) / word_bits),
          nets_from_(graph.work.size()),
          nets_to_(graph.work.size()),
          idle_(words_, 0) {
        const std::vector<bool> idle = idle_nodes(graph);
        for (std::int32_t node = 0; node < graph.size(); ++node)
            if (idle[node]) insert(idle_.data(), node);
        for (const Net& net : graph.nets) {
            nets_from_[net.source].push_back(&net);
            for (const std::int32_t target : net.targets) nets_to_[target].push_back(&net);
        }
    }

    bool build(std::size_t limit) {
        now_.assign(2 * words_, 0);
        for (std::int32_t node = 0; node < graph_.size(); ++node)
            if (graph_.predecessors[node].empty()) insert(ready(now_, 0), node);
        Ticks crossing = 0;
        settle(set(now_, 0), ready(now_, 0), crossing);
        lattice_.work_ = lattice_.crossing_ = {0};
        lattice_.added_ = {-1};
        lattice_.begin_ = {0, 0};
        for (std::int32_t first = 0; first < static_cast<std::int32_t>(lattice_.size());) {
            const auto level_end = static_cast<std::int32_t>(lattice_.size());
            if (!extend(first, level_end, limit)) return false;
            first = level_end;
        }
        return true;
    }

private:
    struct Step {
        std::int32_t from, to;  ///< index of an ideal, and position in the next level of an ideal above it
    };

    Word* set(std::vector<Word>& level, std::size_t i) const { return level.data() + 2 * words_ * i; }
    Word* ready(std::vector<Word>& level, std::size_t i) const { return set(level, i) + words_; }

    /// Finds all ideals with one more node than the ideals of the level [first, end). Returns false beyond the limits.
    bool extend(std::int32_t first, std::int32_t end, std::size_t limit) {
        next_.clear();
        steps_.clear();
        slots_.assign(std::bit_ceil(static_cast<std::size_t>(end - first) * 4 + 16), -1);
        std::int32_t found = 0;
        for (std::int32_t i = 0; i < end - first; ++i) {
            for (std::size_t word = 0; word < words_; ++word) {
                for (Word left = ready(now_, i)[word]; left != 0; left &= left - 1) {
                    const auto node = static_cast<std::int32_t>(word * word_bits) + std::countr_zero(left);
                    const std::int32_t to = find_or_add(i, node, found);
                    if (to == found) {
                        add(i, first + i, node, to);
                        ++found;
                        if (end + static_cast<std::size_t>(found) > limit || next_.size() > most_level_words)
                            return false;
                    }
                    steps_.push_back({first + i, to});
                }
            }
            if (lattice_.below_.size() + steps_.size() > most_neighbours) return false;
        }
        link(found);
        std::swap(now_, next_);
        return true;
    }

    /// Returns the position, in the next level, of set i of this level with `node` added. Returns `found` if it is new.
    std::int32_t find_or_add(std::int32_t i, std::int32_t node, std::int32_t found) {
        candidate_.assign(set(now_, i), set(now_, i) + words_);
        insert(candidate_.data(), node);
        if (static_cast<std::size_t>(found) * 2 > slots_.size()) grow(found);
        for (std::size_t slot = hash(candidate_.data());; ++slot) {
            std::int32_t& position = slots_[slot & (slots_.size() - 1)];
            if (position < 0) {
                position = found;
                return found;
            }
            if (same(candidate_.data(), set(next_, position))) return position;
        }
    }
    // Idle nodes in a set follow from the nodes that are not idle, so idle nodes are not compared.
    std::size_t hash(const Word* nodes) const {
        Word state = 0;
        for (std::size_t i = 0; i < words_; ++i) state = mix(state, nodes[i] & ~idle_[i]);
        return state;
    }
    bool same(const Word* one, const Word* other) const {
        for (std::size_t i = 0; i < words_; ++i)
            if (((one[i] ^ other[i]) & ~idle_[i]) != 0) return false;
        return true;
    }
    void grow(std::int32_t found) {
        slots_.assign(slots_.size() * 2, -1);
        for (std::int32_t position = 0; position < found; ++position) {
            std::size_t slot = hash(set(next_, position));
            while (slots_[slot & (slots_.size() - 1)] >= 0) ++slot;
            slots_[slot & (slots_.size() - 1)] = position;
        }
    }

    /// Appends a set to the next level, at position `to`: set `i` of this level with `node` added. `below` is the index
    /// of set `i` among all ideals.
    void add(std::int32_t i, std::int32_t below, std::int32_t node, std::int32_t to) {
        next_.resize(next_.size() + 2 * words_);
        std::copy(set(now_, i), set(now_, i) + 2 * words_, set(next_, to));
        Ticks crossing = lattice_.crossing_[below];
        include(node, set(next_, to), ready(next_, to), crossing);
        settle(set(next_, to), ready(next_, to), crossing);
        lattice_.work_.push_back(lattice_.work_[below] + graph_.work[node]);
        lattice_.crossing_.push_back(crossing);
        lattice_.added_.push_back(node);
    }
    void include(std::int32_t node, Word* nodes, Word* ready, Ticks& crossing) const {
        insert(nodes, node);
        erase(ready, node);
        const auto inside = [&](std::int32_t other) { return has(nodes, other); };
        for (const std::int32_t next : graph_.successors[node])
            if (std::all_of(graph_.predecessors[next].begin(), graph_.predecessors[next].end(), inside))
                insert(ready, next);
        for (const Net* net : nets_from_[node]) crossing += net->cost;
        for (const Net* net : nets_to_[node])
            if (std::all_of(net->targets.begin(), net->targets.end(), inside)) crossing -= net->cost;
    }
    /// Includes the idle nodes that are ready. Edges go from lower to higher numbers, so one pass also finds nodes that
    /// become ready during the pass.
    void settle(Word* nodes, Word* ready, Ticks& crossing) const {
        for (std::size_t word = 0; word < words_; ++word)
            while (const Word idle = ready[word] & idle_[word])
                include(static_cast<std::int32_t>(word * word_bits) + std::countr_zero(idle), nodes, ready, crossing);
    }

    /// Stores the steps in the lattice, sorted by their target.
    void link(std::int32_t found) {
        const auto begin = static_cast<std::uint32_t>(lattice_.below_.size());
        std::vector<std::uint32_t> place(found + 1, 0);
        for (const Step& step : steps_) ++place[step.to + 1];
        for (std::int32_t i = 0; i < found; ++i) {
            place[i + 1] += place[i];
            lattice_.begin_.push_back(begin + place[i + 1]);
        }
        lattice_.below_.resize(begin + steps_.size());
        for (const Step& step : steps_) lattice_.below_[begin + place[step.to]++] = step.from;
    }

    const StageGraph& graph_;
    IdealLattice& lattice_;
    std::size_t words_;
    std::vector<std::vector<const Net*>> nets_from_, nets_to_;
    std::vector<Word> idle_;  ///< the set of idle nodes
    std::vector<Word> now_, next_, candidate_;
    std::vector<std::int32_t> slots_;  ///< hash table of positions in next_
    std::vector<Step> steps_;
};

std::optional<IdealLattice> IdealLattice::enumerate(const StageGraph& graph, std::size_t limit) {
    IdealLattice lattice(graph);
    if (!Builder(graph, lattice).build(limit)) return std::nullopt;
    return lattice;
}

std::vector<bool> IdealLattice::members(std::int32_t ideal) const {
    std::vector<bool> result(graph_.work.size(), false);
    for (; ideal > 0; ideal = below_[begin_[ideal]]) result[added_[ideal]] = true;
    const std::vector<bool> idle = idle_nodes(graph_);
    for (std::int32_t node = 0; node < graph_.size(); ++node)
        if (idle[node])
            result[node] = std::all_of(graph_.predecessors[node].begin(), graph_.predecessors[node].end(),
                                       [&](std::int32_t before) { return result[before]; });
    return result;
}

namespace {

/// A way to reach an ideal: with this number of closed stages, and with an open stage that began at the ideal
/// `boundary`.
struct Way {
    std::int32_t closed;
    std::int32_t boundary;
};

}  // namespace

IdealLattice::Answer IdealLattice::fits(Ticks limit, std::int32_t stages) const {
    Answer answer;
    answer.next = std::numeric_limits<Ticks>::max();
    const auto blocked = [&](Ticks value) { answer.next = std::min(answer.next, value); };
    const Ticks total = work_.back();
    const auto last = static_cast<std::int32_t>(size()) - 1;
    // for each ideal, its ways in ascending order of both fields: more closed stages help only with a larger boundary
    std::vector<Way> ways{{0, 0}};
    std::vector<std::uint32_t> begin{0, 1};
    std::vector<Way> here;
    const auto offer = [&](Way way) {
        auto at = std::find_if(here.begin(), here.end(), [&](const Way& w) { return w.closed >= way.closed; });
        if (at == here.end() || at->closed != way.closed) here.insert(at, way);
        else if (work_[way.boundary] > work_[at->boundary]) at->boundary = way.boundary;
    };
    for (std::int32_t ideal = 1; ideal <= last; ++ideal) {
        here.clear();
        for (std::uint32_t i = begin_[ideal]; i < begin_[ideal + 1]; ++i) {
            for (std::uint32_t w = begin[below_[i]]; w < begin[below_[i] + 1]; ++w) {
                const Ticks open = work_[ideal] - work_[ways[w].boundary];
                if (open <= limit) offer(ways[w]);
                else blocked(open);
            }
        }
        Ticks furthest = -1;
        bool closes = ideal != last;
        for (const Way& way : here) {
            if (work_[way.boundary] <= furthest) continue;
            furthest = work_[way.boundary];
            // The work after the boundary needs a minimum number of stages.
            const std::int64_t room = stages - way.closed;
            if (room < 1) break;
            if ((total - furthest + room - 1) / room > limit) {
                blocked((total - furthest + room - 1) / room);
                continue;
            }
            ways.push_back(way);
            if (!closes || room < 2) continue;
            if (crossing_[ideal] > limit) {
                blocked(crossing_[ideal]);
                continue;
            }
            ways.push_back({way.closed + 1, ideal});  // no later entry can be better
            break;
        }
        begin.push_back(static_cast<std::uint32_t>(ways.size()));
    }
    answer.feasible = begin[last] < begin[last + 1];
    if (!answer.feasible) return answer;
    // Read the stages from last to first: each boundary was closed by its ideal's first way.
    answer.stage_of.assign(graph_.work.size(), 0);
    const std::int32_t closed = ways[begin[last]].closed;
    std::int32_t ideal = last;
    for (std::int32_t stage = closed; stage > 0; --stage) {
        ideal = ways[begin[ideal]].boundary;
        const std::vector<bool> before = members(ideal);
        for (std::size_t node = 0; node < before.size(); ++node)
            if (!before[node]) ++answer.stage_of[node];
    }
    return answer;
}

}  // namespace divisi::staging
