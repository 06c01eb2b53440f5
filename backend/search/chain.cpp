// SPDX-License-Identifier: Apache-2.0
#include "backend/search/chain.h"

#include <algorithm>
#include <deque>
#include <map>

#include "backend/base/units.h"
#include "backend/search/error_texts.h"

namespace divisi::search {

namespace {

constexpr double infinite_time = std::numeric_limits<double>::infinity();
constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();
constexpr std::int32_t none = -1;

/// A state of the search over orders: a stage, its device, and the possible states of the previous stage.
struct StageState {
    std::int32_t stage = 0;
    std::int32_t device = 0;
    std::vector<std::size_t> before;  ///< empty for the first stage
};

/// States in ascending order of stages. Every solution ends in a state of the last stage.
using StageStates = std::vector<StageState>;

StageStates states_in_order(const std::vector<std::int32_t>& order) {
    StageStates states;
    for (std::size_t stage = 0; stage < order.size(); ++stage) {
        StageState state{static_cast<std::int32_t>(stage), order[stage], {}};
        if (stage > 0) state.before.push_back(stage - 1);
        states.push_back(std::move(state));
    }
    return states;
}

/// Returns one state for each pair of a set of used devices and the last device among them. Empty if there are more
/// than `most` states.
StageStates states_of_any_order(const std::vector<std::int32_t>& order, std::size_t kinds, std::size_t stages,
                                std::size_t most) {
    std::vector<std::int32_t> available(kinds, 0);
    for (const std::int32_t device : order) ++available[device];
    using Used = std::vector<std::int32_t>;
    StageStates states;
    std::map<Used, std::vector<std::size_t>> level{{Used(kinds, 0), {}}};
    for (std::size_t stage = 0; stage < stages; ++stage) {
        std::map<Used, std::vector<std::size_t>> next;
        for (const auto& [used, before] : level) {
            for (std::size_t device = 0; device < kinds; ++device) {
                if (used[device] == available[device]) continue;
                Used more = used;
                ++more[device];
                next[more].push_back(states.size());
                states.push_back({static_cast<std::int32_t>(stage), static_cast<std::int32_t>(device), before});
                if (states.size() > most) return {};
            }
        }
        level = std::move(next);
    }
    return states;
}

class Solver {
public:
    enum class Measure { time, memory };

    Solver(const Chain& chain, const StageStates& states, Measure measure)
        : chain_(chain),
          states_(states),
          measure_(measure),
          last_(chain.positions() - 1),
          reach_(states.size(), std::vector<char>(chain.positions())) {}

    /// The result of solve() and fewest_bytes().
    struct Found {
        std::vector<std::size_t> ends;  ///< position at which each stage ends; empty if no solution exists
        std::vector<std::int32_t> devices;
        double slowest = infinite_time;
    };

    /// Finds the exact optimum by bisection. After an infeasible limit, continues from next_, the smallest larger limit
    /// that can change the result.
    Found solve() {
        Found best = within(std::numeric_limits<double>::max());  // a choice must not contain an infinite crossing
        if (best.ends.empty()) return best;
        double low = 0;
        while (low < best.slowest) {
            double middle = low + (best.slowest - low) / 2;
            if (middle >= best.slowest) middle = low;
            Found found = within(middle);
            if (found.ends.empty()) low = next_;
            else best = std::move(found);
        }
        return best;
    }

    /// Returns the choice within `limit` that has the fewest bytes across its cuts; among equals, the earliest cuts.
    Found fewest_bytes(double limit) const {
        struct From {
            double sum = infinite_time;
            std::int32_t state = none, position = 0;
        };
        std::vector<std::vector<From>> best(states_.size(), std::vector<From>(last_ + 1));
        std::vector<From> begin;         // for the current stage, per position
        std::deque<std::size_t> window;  // possible starts of the stage, ordered by the bytes of cuts so far
        for (std::size_t s = 0; s < states_.size(); ++s) {
            begin.assign(last_ + 1, {});
            window.clear();
            if (states_[s].before.empty()) begin[0].sum = 0;
            for (const std::size_t before : states_[s].before) {
                for (std::size_t at = 0; at <= last_; ++at) {
                    const double sum = best[before][at].sum + chain_.crossing_bytes[at];
                    if (crossing(before, s, at) <= limit && sum < begin[at].sum)
                        begin[at] = {sum, static_cast<std::int32_t>(before), static_cast<std::int32_t>(at)};
                }
            }
            for (std::size_t end = chain_.least_layers; end <= last_; ++end) {
                const std::size_t newest = end - chain_.least_layers;
                if (begin[newest].sum < infinite_time) {
                    while (!window.empty() && begin[window.back()].sum > begin[newest].sum) window.pop_back();
                    window.push_back(newest);
                }
                while (!window.empty() && !(fits(s, window.front(), end) && cost(s, window.front(), end) <= limit))
                    window.pop_front();
                if (!window.empty()) best[s][end] = begin[window.front()];
            }
        }
        std::int32_t state = none;
        for (std::size_t s = 0; s < states_.size(); ++s)
            if (is_last(s) && best[s][last_].sum < (state == none ? infinite_time : best[state][last_].sum))
                state = static_cast<std::int32_t>(s);
        Found found;
        for (std::size_t end = last_; state != none;) {
            const From from = best[state][end];
            add(found, state, end);
            state = from.state;
            end = from.position;
        }
        return finish(std::move(found));
    }

private:
    bool is_last(std::size_t s) const { return states_[s].stage == states_.back().stage; }
    double crossing(std::size_t from, std::size_t to, std::size_t position) const {
        if (measure_ == Measure::memory) return 0;
        const std::size_t link = states_[from].device * chain_.devices.size() + states_[to].device;
        return chain_.crossing_ms[link][position];
    }
    double memory(std::size_t s, std::size_t begin, std::size_t end) const {
        if (chain_.held_bytes.empty()) return 0;
        return chain_.held_bytes[end] - chain_.held_bytes[begin] +
               chain_.in_flight[states_[s].stage] * (chain_.flight_bytes[end] - chain_.flight_bytes[begin]);
    }
    double cost(std::size_t s, std::size_t begin, std::size_t end) const {
        if (measure_ == Measure::memory) return memory(s, begin, end);
        const std::vector<double>& before = chain_.devices[states_[s].device].before_ms;
        return before[end] - before[begin];
    }
    bool fits(std::size_t s, std::size_t begin, std::size_t end) const {
        if (!may_reach(chain_, states_[s].device, begin, end)) return false;
        return measure_ == Measure::memory || memory(s, begin, end) <= chain_.devices[states_[s].device].memory_bytes;
    }

    /// Returns any choice within `limit`. A stage with a given end should begin as late as possible, since each added
    /// layer only raises its cost.
    Found within(double limit) {
        next_ = infinite_time;
        for (std::size_t s = 0; s < states_.size(); ++s) {
            std::vector<char>& reach = reach_[s];
            std::fill(reach.begin(), reach.end(), 0);
            std::size_t begin = nowhere;
            for (std::size_t end = chain_.least_layers; end <= last_; ++end) {
                if (probe_begin(s, end - chain_.least_layers, limit)) begin = end - chain_.least_layers;
                if (begin == nowhere || !fits(s, begin, end)) continue;
                const double value = cost(s, begin, end);
                if (value <= limit) reach[end] = 1;
                else next_ = std::min(next_, value);
            }
        }
        Found found;
        std::size_t state = nowhere, end = last_;
        for (std::size_t s = 0; s < states_.size() && state == nowhere; ++s)
            if (is_last(s) && reach_[s][last_]) state = s;
        while (state != nowhere) {
            add(found, state, end);
            end -= chain_.least_layers;
            while (!probe_begin(state, end, limit)) --end;
            const auto& before = states_[state].before;
            const auto from = std::find_if(before.begin(), before.end(), [&](std::size_t other) {
                return reach_[other][end] && crossing(other, state, end) <= limit;
            });
            state = from == before.end() ? nowhere : *from;
        }
        return finish(std::move(found));
    }
    bool probe_begin(std::size_t s, std::size_t at, double limit) {
        if (states_[s].before.empty()) return at == 0;
        bool can = false;
        for (const std::size_t before : states_[s].before) {
            if (!reach_[before][at]) continue;
            const double value = crossing(before, s, at);
            if (value <= limit) can = true;
            else next_ = std::min(next_, value);
        }
        return can;
    }

    static void add(Found& found, std::size_t state, std::size_t end) {  // called from the last stage to the first
        found.ends.push_back(end);
        found.devices.push_back(static_cast<std::int32_t>(state));
    }
    Found finish(Found found) const {
        if (found.ends.empty()) return found;
        std::reverse(found.ends.begin(), found.ends.end());
        std::reverse(found.devices.begin(), found.devices.end());
        found.slowest = 0;
        std::size_t begin = 0;
        for (std::size_t i = 0; i < found.ends.size(); ++i) {
            const std::size_t state = found.devices[i];
            found.slowest = std::max(found.slowest, cost(state, begin, found.ends[i]));
            if (i + 1 < found.ends.size())
                found.slowest = std::max(found.slowest, crossing(state, found.devices[i + 1], found.ends[i]));
            begin = found.ends[i];
        }
        for (std::int32_t& device : found.devices) device = states_[device].device;
        return found;
    }

    const Chain& chain_;
    const StageStates& states_;
    Measure measure_;
    std::size_t last_;
    std::vector<std::vector<char>> reach_;  ///< by state and position: true if a stage can end there
    double next_ = infinite_time;           ///< the smallest value above the tried limit
};

std::string counted(std::size_t number, const char* what) {
    return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

Error no_room(const Chain& chain, const StageStates& states, std::size_t stages) {
    const std::size_t layers = chain.positions() - 1;
    const bool free = chain.walls.empty() && std::all_of(chain.devices.begin(), chain.devices.end(),
                                                         [](const ChainDevice& one) { return one.barred.empty(); });
    const double least = Solver(chain, states, Solver::Measure::memory).solve().slowest;
    if (least == infinite_time && !free)
        return make_error(error_text("no-cuts-keep-rules"), "stages", {std::to_string(stages)});
    if (least == infinite_time)
        return make_error(error_text("layers-do-not-fit-stages"), "stages",
                          {std::to_string(layers), std::to_string(stages), std::to_string(chain.least_layers),
                           std::to_string(std::min(chain.most_layers, layers))});
    double fewest = infinite_time;
    for (const ChainDevice& device : chain.devices) fewest = std::min(fewest, device.memory_bytes);
    if (fewest >= least) return make_error(error_text("too-few-allowed-cuts"), "stages", {std::to_string(stages - 1)});
    return make_error(
        error_text("stages-do-not-fit-devices"), "stages",
        {std::to_string(stages), format_bytes(static_cast<Bytes>(fewest)), format_bytes(static_cast<Bytes>(least))});
}

Result<ChainSolution> solve(const Chain& chain, const StageStates& states, std::size_t stages, double slack) {
    Solver solver(chain, states, Solver::Measure::time);
    Solver::Found found = solver.solve();
    if (found.ends.empty()) return no_room(chain, states, stages);
    found = solver.fewest_bytes(found.slowest * (1 + slack));
    found.ends.pop_back();
    return ChainSolution{std::move(found.ends), std::move(found.devices), found.slowest, false};
}

Result<void> check(const Chain& chain, const std::vector<std::int32_t>& order) {
    if (order.empty()) return make_error(error_text("no-device-for-stage"), "stages");
    if (chain.least_layers >= 1 && order.size() <= (chain.positions() - 1) / chain.least_layers) return {};
    const std::size_t most = (chain.positions() - 1) / std::max<std::size_t>(1, chain.least_layers);
    return make_error(most > 1 ? error_text("too-few-layers") : error_text("layers-allow-one-stage"), "stages",
                      {counted(chain.positions() - 1, "layer"), counted(order.size(), "stage"),
                       std::to_string(chain.least_layers), std::to_string(most)});
}

}  // namespace

Result<ChainSolution> cut_chain(const Chain& chain, const std::vector<std::int32_t>& order, double slack) {
    DIVISI_TRY(check(chain, order));
    return solve(chain, states_in_order(order), order.size(), slack);
}

Result<ChainSolution> order_and_cut_chain(const Chain& chain, const std::vector<std::int32_t>& order,
                                          std::size_t stages, double slack) {
    const std::vector<std::int32_t> first(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(stages));
    DIVISI_TRY(check(chain, first));
    const std::size_t most = std::min(most_order_states, most_order_work / chain.positions());
    const StageStates states = states_of_any_order(order, chain.devices.size(), stages, most);
    if (states.empty()) return cut_chain(chain, first, slack);
    DIVISI_ASSIGN(ChainSolution solution, solve(chain, states, stages, slack));
    if (solution.devices != first)
        if (auto given = cut_chain(chain, first, slack); given.ok() && given->slowest_ms <= solution.slowest_ms)
            solution = std::move(*given);
    solution.all_orders = true;
    return solution;
}

bool may_reach(const Chain& chain, std::int32_t device, std::size_t begin, std::size_t end) {
    if (end < begin + chain.least_layers || end - begin > chain.most_layers) return false;
    const std::vector<double>& barred = chain.devices[device].barred;
    if (!barred.empty() && barred[end] != barred[begin]) return false;
    return chain.walls.empty() || chain.walls[end] == chain.walls[begin + 1];
}

}  // namespace divisi::search
