// SPDX-License-Identifier: Apache-2.0
#include "backend/price/max_plus.h"

#include <algorithm>
#include <array>

#include "backend/plan/program.h"
#include "backend/price/error_texts.h"

namespace divisi::price {

namespace {

/// Number of positions evaluated together: their times fill a few vector registers, and all rows fit into the
/// first-level cache.
constexpr std::size_t lane_count = 32;

/// A time earlier than any other, in seconds.
constexpr double never = -1e30;

/// Delays between stages that are smaller than this share of a step are ignored.
constexpr float negligible = 1e-3F;

/// Times in seconds at lane_count positions. An approximation needs only float, which is twice as fast as double.
struct Lanes {
    alignas(32) std::array<float, lane_count> at{};
};

void raise(Lanes& to, const Lanes& from) {
    for (std::size_t i = 0; i < lane_count; ++i) to.at[i] = from.at[i] > to.at[i] ? from.at[i] : to.at[i];
}
/// Computes to = max(to, from + by).
void raise(Lanes& __restrict to, const Lanes& __restrict from, const Lanes& __restrict by) {
    for (std::size_t i = 0; i < lane_count; ++i) {
        const float later = from.at[i] + by.at[i];
        to.at[i] = later > to.at[i] ? later : to.at[i];
    }
}
void raise(Lanes& to, const Lanes& from, float by) {
    for (std::size_t i = 0; i < lane_count; ++i) {
        const float later = from.at[i] + by;
        to.at[i] = later > to.at[i] ? later : to.at[i];
    }
}
void advance(Lanes& to, const Lanes& by) {
    for (std::size_t i = 0; i < lane_count; ++i) to.at[i] += by.at[i];
}

// Without __restrict, loops with several stores are not vectorized and run four times slower.

void compute(Lanes& __restrict clock, const Lanes& __restrict seconds, Lanes& __restrict end) {
    for (std::size_t i = 0; i < lane_count; ++i) {
        clock.at[i] += seconds.at[i];
        end.at[i] = clock.at[i];
    }
}

/// Sends a tensor. The data unit's tensor on the same link (`fed`) was read ahead and follows the sent tensor.
void send(const Lanes& __restrict made, const Lanes& __restrict occupancy, const Lanes& __restrict fed,
          const Lanes& __restrict latency, Lanes& __restrict free_at, Lanes& __restrict arrival) {
    for (std::size_t i = 0; i < lane_count; ++i) {
        const float begin = made.at[i] > free_at.at[i] ? made.at[i] : free_at.at[i];
        const float sent = begin + occupancy.at[i];
        arrival.at[i] = sent + latency.at[i];
        free_at.at[i] = sent + fed.at[i];
    }
}

/// One direction between two stages: carries values if from < to, otherwise gradients.
struct Hop {
    std::int32_t from = 0, to = 0;
    std::int32_t slots = 0;
    double latency = 0, latency_back = 0;
    const CutSeries::Hop* series = nullptr;
    const Series* fed = nullptr;  ///< the data unit's traffic on the same link; null if it has its own link
};

/// The hops that begin and end at a stage: [0] for values, [1] for gradients.
struct StageHops {
    std::vector<std::size_t> out[2], in[2];
};

/// One pass of the schedule. Passes are sorted so that each pass comes after all passes that it waits for.
struct Step {
    std::int32_t stage = 0;
    plan::Pass pass;
};

struct Network {
    std::vector<Hop> hops;
    std::vector<StageHops> stages;
    std::int32_t most_slots = 1;
};

Network make_network(const CutSeries& series, const Placement& placement) {
    Network network;
    network.stages.resize(placement.stages.size());
    for (const auto& [ends, hop] : series.hops) {
        const auto [from, to] = ends;
        const LinkEnd here = placement.stages[from].end(), there = placement.stages[to].end();
        network.hops.push_back({from, to, plan::slots_for(from, to), placement.links.of(here, there).latency_s,
                                placement.links.of(there, here).latency_s, &hop});
        const bool reads = from == 0 && !placement.data && placement.dealt.empty();
        if (reads && (here.host != there.host || placement.links.path(here, there)))
            network.hops.back().fed = &series.fed[to];
        const std::size_t backward = from > to;
        network.stages[from].out[backward].push_back(network.hops.size() - 1);
        network.stages[to].in[backward].push_back(network.hops.size() - 1);
        network.most_slots = std::max(network.most_slots, network.hops.back().slots);
    }
    return network;
}

/// Number of micro-batches that every stage has completed in each direction.
using Progress = std::vector<std::array<std::int32_t, 2>>;

bool can_run(const Network& network, const Progress& progress, std::int32_t stage, const plan::Pass& pass) {
    const StageHops& hops = network.stages[stage];
    for (const std::size_t hop : hops.in[pass.backward])
        if (progress[network.hops[hop].from][pass.backward] <= pass.microbatch) return false;
    for (const std::size_t hop : hops.out[pass.backward])
        if (progress[network.hops[hop].to][pass.backward] <= pass.microbatch - network.hops[hop].slots) return false;
    return true;
}

Result<std::vector<Step>> sort_passes(const Network& network, const plan::PassOrder& order) {
    std::vector<Step> steps;
    Progress progress(order.size());
    std::vector<std::size_t> next(order.size());
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t stage = 0; stage < order.size(); ++stage) {
            for (; next[stage] < order[stage].size(); ++next[stage]) {
                const plan::Pass& pass = order[stage][next[stage]];
                if (!can_run(network, progress, static_cast<std::int32_t>(stage), pass)) break;
                steps.push_back({static_cast<std::int32_t>(stage), pass});
                ++progress[stage][pass.backward];
                moved = true;
            }
        }
    }
    for (std::size_t stage = 0; stage < order.size(); ++stage)
        if (next[stage] < order[stage].size())
            return make_error(error_text("simulated-schedule-waits"), "stage " + std::to_string(stage));
    return steps;
}

/// Evaluates a block of positions.
class Block {
public:
    Block(const CutSeries& series, const Network& network, const Placement& placement, const TrainingSetup& setup)
        : series_(series),
          network_(network),
          placement_(placement),
          setup_(setup),
          window_(network.most_slots + 1),
          stages_(network.stages.size()),
          hops_(network.hops.size()) {
        for (StageRows& stage : stages_)
            for (auto& ends : stage.ends) ends.resize(static_cast<std::size_t>(window_));
        for (HopRows& hop : hops_) hop.arrivals.resize(static_cast<std::size_t>(window_));
    }

    void load(std::size_t first_column, std::size_t count);
    /// Returns the time of one step with these passes, if other steps run before and after it.
    Lanes step_time(const std::vector<Step>& steps, std::int32_t microbatches);

private:
    struct StageRows {
        Lanes seconds[2], finish, optimizer, share;
        Lanes clock, first_begin;
        std::vector<Lanes> ends[2];  ///< end times of the passes of the latest micro-batches
        bool begun = false;
    };
    struct HopRows {
        Lanes occupancy, fed, latency, latency_back, free_at;
        std::vector<Lanes> arrivals;  ///< arrival times for the latest micro-batches
    };
    template <typename Get>
    Lanes lanes(std::size_t first, std::size_t count, Get get) const;
    void load_stage(std::int32_t stage, std::size_t first, std::size_t count);
    std::size_t slot(std::int32_t microbatch) const { return static_cast<std::size_t>(microbatch % window_); }
    void reset();
    void play(const std::vector<Step>& steps);
    void run(const Step& step);
    void finish();
    Lanes latest() const;
    /// Returns whether a stage is still busy with its step when the next step reaches it. If not, stage 0 is slowest.
    bool next_step_waits() const;
    std::vector<Lanes> gradients_finished();

    const CutSeries& series_;
    const Network& network_;
    const Placement& placement_;
    const TrainingSetup& setup_;
    std::int32_t window_;
    std::vector<StageRows> stages_;
    std::vector<HopRows> hops_;
    std::size_t first_ = 0, count_ = 0;
    std::int32_t microbatches_ = 0;
    const Lanes nothing_{};
};

template <typename Get>
Lanes Block::lanes(std::size_t first, std::size_t count, Get get) const {
    Lanes result;
    for (std::size_t i = 0; i < lane_count; ++i) result.at[i] = static_cast<float>(get(first + std::min(i, count - 1)));
    return result;
}

void Block::load_stage(std::int32_t stage, std::size_t first, std::size_t count) {
    const auto of = [&](std::size_t column) -> const StageSeconds& {
        if (stage == series_.left) return series_.at_left[column];
        return stage == series_.right ? series_.at_right[column] : series_.fixed[stage];
    };
    StageRows& rows = stages_[stage];
    rows.seconds[0] = lanes(first, count, [&](std::size_t k) { return of(k).forward; });
    rows.seconds[1] = lanes(first, count, [&](std::size_t k) { return of(k).backward; });
    rows.finish = lanes(first, count, [&](std::size_t k) { return of(k).finish_gradients; });
    rows.optimizer = lanes(first, count, [&](std::size_t k) { return of(k).optimizer; });
}

void Block::load(std::size_t first, std::size_t count) {
    first_ = first;
    count_ = count;
    for (std::size_t stage = 0; stage < stages_.size(); ++stage)
        load_stage(static_cast<std::int32_t>(stage), first, count);
    for (std::size_t i = 0; i < hops_.size(); ++i) {
        const Hop& hop = network_.hops[i];
        // An unused hop delays no stage.
        const auto if_used = [&](auto seconds) {
            return lanes(first, count, [&](std::size_t k) { return hop.series->tensors[k] > 0 ? seconds(k) : never; });
        };
        hops_[i].latency = if_used([&](std::size_t k) { return hop.latency + hop.series->relays_add(k); });
        hops_[i].latency_back = if_used([&](std::size_t) { return hop.latency_back; });
        hops_[i].occupancy = lanes(first, count, [&](std::size_t k) { return hop.series->occupancy[k]; });
        if (hop.fed) hops_[i].fed = lanes(first, count, [&](std::size_t k) { return (*hop.fed)[k]; });
    }
}

void Block::run(const Step& step) {
    const auto [stage, pass] = step;
    const std::size_t direction = pass.backward;
    const StageHops& hops = network_.stages[stage];
    StageRows& rows = stages_[stage];
    for (const std::size_t hop : hops.in[direction]) raise(rows.clock, hops_[hop].arrivals[slot(pass.microbatch)]);
    for (const std::size_t index : hops.out[direction]) {
        const Hop& hop = network_.hops[index];
        if (pass.microbatch >= hop.slots)
            raise(rows.clock, stages_[hop.to].ends[direction][slot(pass.microbatch - hop.slots)],
                  hops_[index].latency_back);
    }
    if (!rows.begun) rows.first_begin = rows.clock;
    rows.begun = true;
    compute(rows.clock, rows.seconds[direction], rows.ends[direction][slot(pass.microbatch)]);
    for (const std::size_t index : hops.out[direction]) {
        HopRows& hop = hops_[index];
        // The data unit sends a tensor when the consumer has used an earlier one. The consumer is behind by as many
        // micro-batches as there are stages in between. Tensors sent after the last activation find an idle link.
        const bool fed = pass.microbatch + network_.hops[index].to - stage < microbatches_;
        send(rows.clock, hop.occupancy, fed ? hop.fed : nothing_, hop.latency, hop.free_at,
             hop.arrivals[slot(pass.microbatch)]);
    }
}

void Block::play(const std::vector<Step>& steps) {
    for (StageRows& stage : stages_) stage.begun = false;
    for (const Step& step : steps) run(step);
}

void Block::reset() {
    for (StageRows& stage : stages_) stage.clock = {};
    for (HopRows& hop : hops_) hop.free_at = {};
}

/// Returns when each stage has finished its gradients: after the exchange of shared weights' gradients and the sums of
/// the norm.
std::vector<Lanes> Block::gradients_finished() {
    std::vector<Lanes> finished;
    for (const StageRows& rows : stages_) finished.push_back(rows.clock);
    for (const auto& shared : series_.shared) {
        const CutSeries::Ends& ends = shared.first;
        const CutSeries::Hop& series = shared.second;
        const LinkModel& link =
            placement_.links.of(placement_.stages[ends.first].end(), placement_.stages[ends.second].end());
        Lanes arrival = stages_[ends.first].clock;
        for (std::size_t hop = 0; hop < hops_.size(); ++hop)  // the gradients follow the last tensor on the same link
            if (network_.hops[hop].from == ends.first && network_.hops[hop].to == ends.second)
                raise(arrival, hops_[hop].free_at);
        advance(arrival, lanes(first_, count_, [&](std::size_t k) { return series.occupancy[k]; }));
        const Lanes latency =
            lanes(first_, count_, [&](std::size_t k) { return link.latency_s + series.relays_add(k); });
        raise(finished[ends.second], arrival, latency);
    }
    for (std::size_t stage = 0; stage < stages_.size(); ++stage) advance(finished[stage], stages_[stage].finish);
    return finished;
}

void Block::finish() {
    const std::vector<Lanes> finished = gradients_finished();
    for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
        Lanes& end = stages_[stage].clock;
        end = finished[stage];
        for (std::size_t other = 0; setup_.clip && other < stages_.size(); ++other) {
            if (other == stage) continue;
            const LinkModel& link = placement_.links.of(placement_.stages[other].end(), placement_.stages[stage].end());
            raise(end, finished[other], static_cast<float>(link.message_s + link.latency_s));
        }
        advance(end, stages_[stage].optimizer);
    }
}

Lanes Block::latest() const {
    Lanes latest;
    for (const StageRows& stage : stages_) raise(latest, stage.clock);
    return latest;
}

bool Block::next_step_waits() const {
    for (const StageRows& stage : stages_)
        for (std::size_t i = 0; i < lane_count; ++i)
            if (stage.clock.at[i] - stage.first_begin.at[i] > stages_.front().clock.at[i] * (1 + negligible))
                return true;
    return false;
}

Lanes Block::step_time(const std::vector<Step>& steps, std::int32_t microbatches) {
    microbatches_ = microbatches;
    reset();
    play(steps);
    finish();
    if (!next_step_waits()) return stages_.front().clock;
    const Lanes before = latest();
    play(steps);
    finish();
    Lanes after = latest();
    for (std::size_t i = 0; i < lane_count; ++i) after.at[i] -= before.at[i];
    return after;
}

struct Rounds {
    /// numbers of micro-batches; if `few` is 0, `many` is the total and nothing is extrapolated
    std::int32_t few = 0, many = 0;
};

/// Chooses the numbers of micro-batches to evaluate: a number that fills the pipeline three times, and a larger number
/// that shows the time of each further micro-batch.
Rounds choose_rounds(std::int32_t stages, std::int32_t microbatches, std::int64_t passes) {
    if (std::int64_t{2} * stages * microbatches <= passes) return {0, microbatches};
    const auto affordable = static_cast<std::int32_t>(passes / (2 * stages));
    const std::int32_t few = std::max(affordable * 2 / 5, 3 * stages);
    const std::int32_t many = std::max(affordable - few, few + 2 * stages);
    return few + many < microbatches ? Rounds{few, many} : Rounds{0, microbatches};
}

}  // namespace

Result<std::vector<double>> step_times(const CutSeries& series, const Placement& placement, const TrainingSetup& setup,
                                       std::int64_t work) {
    const auto stages = static_cast<std::int32_t>(placement.stages.size());
    const Network network = make_network(series, placement);
    const Rounds rounds = choose_rounds(stages, setup.microbatches, work / static_cast<std::int64_t>(series.columns));
    const auto steps_of = [&](std::int32_t microbatches) -> Result<std::vector<Step>> {
        DIVISI_ASSIGN(const plan::PassOrder order, plan::make_pass_order(setup.schedule, stages, microbatches));
        return sort_passes(network, order);
    };
    DIVISI_ASSIGN(const std::vector<Step> many, steps_of(rounds.many));
    DIVISI_ASSIGN(const std::vector<Step> few, steps_of(rounds.few));
    const double factor = rounds.few == 0 ? 0
                                          : static_cast<double>(setup.microbatches - rounds.many) /
                                                static_cast<double>(rounds.many - rounds.few);
    std::vector<double> result;
    result.reserve(series.columns);
    Block block(series, network, placement, setup);
    for (std::size_t first = 0; first < series.columns; first += lane_count) {
        const std::size_t count = std::min(lane_count, series.columns - first);
        block.load(first, count);
        const Lanes long_step = block.step_time(many, rounds.many);
        const Lanes short_step = rounds.few > 0 ? block.step_time(few, rounds.few) : long_step;
        for (std::size_t i = 0; i < count; ++i)
            result.push_back(long_step.at[i] + factor * (long_step.at[i] - short_step.at[i]));
    }
    return result;
}

}  // namespace divisi::price
