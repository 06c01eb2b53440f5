// SPDX-License-Identifier: Apache-2.0
#include "backend/price/landscape.h"

#include <algorithm>

#include "backend/price/error_texts.h"
#include "backend/price/landscape_points.h"
#include "backend/price/max_plus.h"

namespace divisi::price {

namespace {

using graph::NodeIndex;

Result<void> check_cut(const MovingCut& cut, const Placement& placement) {
    const auto legal = static_cast<std::int32_t>(cut.cuts.legal.size());
    for (std::size_t i = 0; i < cut.choice.size(); ++i) {
        const bool ascends = i == 0 || cut.choice[i - 1] < cut.choice[i];
        if (!ascends || cut.choice[i] < 0 || cut.choice[i] >= legal)
            return make_error(error_text("no-legal-cut"), "landscape", {std::to_string(cut.choice[i])});
    }
    if (cut.moving < 0 || cut.moving >= static_cast<std::int32_t>(cut.choice.size()))
        return make_error(error_text("no-such-cut-of-plan"), "landscape", {std::to_string(cut.moving)});
    if (placement.stages.size() != cut.choice.size() + 1)
        return make_error(error_text("devices-not-per-stage"), "landscape",
                          {std::to_string(placement.stages.size()), std::to_string(cut.choice.size() + 1)});
    for (const auto* devices : {&placement.stages, &placement.dealt})
        for (const PlannedDevice& device : *devices)
            if (!device.profile || device.host < 0 || static_cast<std::size_t>(device.host) >= placement.hosts.size())
                return make_error(error_text("device-not-described"), "landscape", {device.name});
    return check_links(placement.links, placement.hosts);
}

/// Lower bounds of the step time that hold under any schedule. They follow from three figures: each host's work divided
/// by its cores, the work of the thread that stage 0 may share with the data unit, and the work of the slowest data
/// instance.
class LowerBounds {
public:
    /// `data_bytes` is the size of the data that the graph reads per micro-batch.
    LowerBounds(const CutSeries& series, const Placement& placement, const TrainingSetup& setup, Bytes data_bytes)
        : series_(series), placement_(placement), setup_(setup), data_bytes_(data_bytes) {}

    double at(std::size_t column) {
        work_.assign(placement_.hosts.size(), 0.0);
        const auto stages = static_cast<std::int32_t>(placement_.stages.size());
        double first = 0;
        for (std::int32_t stage = 0; stage < stages; ++stage) {
            const PlannedDevice& device = placement_.stages[stage];
            const StageSeconds& s = stage == series_.left    ? series_.at_left[column]
                                    : stage == series_.right ? series_.at_right[column]
                                                             : series_.fixed[stage];
            const double busy = (s.forward + s.backward) * setup_.microbatches + s.finish_gradients + s.optimizer;
            work_[device.host] += busy * device.threads;
            if (stage == 0) first = busy;
        }
        double bound = add_data(column, first);
        for (std::size_t host = 0; host < work_.size(); ++host)
            if (placement_.hosts[host].cores > 0) bound = std::max(bound, work_[host] / placement_.hosts[host].cores);
        return bound;
    }

private:
    /// Adds the work of reading and preprocessing. Returns the busy time of the busiest thread that does it. If that
    /// thread also runs stage 0, the result includes `first`, the work of stage 0.
    double add_data(std::size_t column, double first) {
        const auto add = [&](const PlannedDevice& device, double microbatches) {
            const DataSeconds seconds = data_seconds(data_bytes_, device.profile->rates);
            const double busy = (seconds.load + seconds.preprocess) * microbatches;
            work_[device.host] += busy * device.threads;
            return busy;
        };
        if (placement_.dealt.empty())
            return placement_.data ? add(*placement_.data, setup_.microbatches)
                                   : add(placement_.stages.front(), setup_.microbatches) + first;
        const auto asking = std::count_if(series_.fed.begin(), series_.fed.end(), [&](const Series& fed) {
            return fed[column] > least_fed;  // ignores rounding errors
        });
        const double each = static_cast<double>(asking) * setup_.microbatches / double(placement_.dealt.size());
        double slowest = 0;
        for (const PlannedDevice& device : placement_.dealt) slowest = std::max(slowest, add(device, each));
        return slowest;
    }

    /// link time of a data tensor in seconds; smaller values are rounding errors
    static constexpr double least_fed = 1e-12;

    const CutSeries& series_;
    const Placement& placement_;
    const TrainingSetup& setup_;
    Bytes data_bytes_;
    std::vector<double> work_;  ///< work per host
};

/// Computes how stages on the same host slow each other down. Every pass becomes longer by its crowded time, multiplied
/// by the share of a step in which the other instances compute. For this purpose, a step is assumed to take as long as
/// a full pipeline: once through all stages, then repeatedly through the slowest stage. Stages that the cut does not
/// touch use the mean over the cut's positions.
class CoreContention {
public:
    CoreContention(const Placement& placement, const TrainingSetup& setup) : placement_(placement), setup_(setup) {}

    bool matters() const {
        for (std::size_t i = 0; i < placement_.stages.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                if (placement_.stages[i].host == placement_.stages[j].host && (room(i) > 0 || room(j) > 0)) return true;
        return false;
    }
    void add_to(CutSeries& series) const {
        const auto stages = placement_.stages.size();
        std::vector<double> mean(stages), busy(stages);
        for (std::size_t column = 0; column < series.columns; ++column) {
            find_busy(series, column, busy);
            for (std::size_t i = 0; i < stages; ++i) {
                const double share = crowd(i, busy);
                mean[i] += share / static_cast<double>(series.columns);
                if (moves(series, i)) lengthen(at(series, i, column), share);
            }
        }
        for (std::size_t i = 0; i < stages; ++i)
            if (!moves(series, i)) lengthen(series.fixed[i], mean[i]);
    }

private:
    /// Returns the number of other cores that can crowd a stage.
    double room(std::size_t i) const {
        return placement_.stages[i].profile->crowded_cores - placement_.stages[i].threads;
    }
    static bool moves(const CutSeries& series, std::size_t i) {
        return static_cast<std::int32_t>(i) == series.left || static_cast<std::int32_t>(i) == series.right;
    }
    static StageSeconds& at(CutSeries& series, std::size_t i, std::size_t column) {
        if (static_cast<std::int32_t>(i) == series.left) return series.at_left[column];
        return static_cast<std::int32_t>(i) == series.right ? series.at_right[column] : series.fixed[i];
    }
    /// Computes the share of the step in which each stage computes.
    void find_busy(CutSeries& series, std::size_t column, std::vector<double>& busy) const {
        double once = 0, slowest = 0;
        for (std::size_t i = 0; i < busy.size(); ++i) {
            const StageSeconds& s = at(series, i, column);
            busy[i] = s.forward + s.backward;
            once += busy[i];
            slowest = std::max(slowest, busy[i]);
        }
        const double step = once + (setup_.microbatches - 1) * slowest;
        for (double& share : busy) share = step > 0 ? share * setup_.microbatches / step : 0.0;
    }
    double crowd(std::size_t i, const std::vector<double>& busy) const {
        if (room(i) <= 0) return 0;
        double others = 0;
        for (std::size_t j = 0; j < busy.size(); ++j)
            if (j != i && placement_.stages[j].host == placement_.stages[i].host)
                others += busy[j] * placement_.stages[j].threads;
        return std::min(others / room(i), 1.0);
    }
    static void lengthen(StageSeconds& s, double share) {
        s.forward += share * s.crowded_forward;
        s.backward += share * s.crowded_backward;
    }

    const Placement& placement_;
    const TrainingSetup& setup_;
};

/// An operator with a constraint.
struct Constrained {
    NodeIndex home = 0;  ///< position where it runs; a constant runs with its consumers
    NodeIndex node = graph::no_node;
    std::int32_t pin = -1;  ///< index into CutConstraints::pins; -1: the operator is sensitive
};

/// Collects the constraints that operators of a stage put on its node, as operators are added.
class StageRules {
public:
    StageRules(const CutConstraints& constraints, std::int32_t stage) : constraints_(constraints), stage_(stage) {
        if (static_cast<std::size_t>(stage) < constraints.stages.size()) place_ = constraints.stages[stage];
    }

    void add(const Constrained& one) {
        if (conflict_.obstacle != Obstacle::none) return;
        if (one.pin < 0) {
            if (sensitive_ == graph::no_node) sensitive_ = one.node;
        } else if (const std::string& wanted = constraints_.pins[one.pin].place; place_.empty()) {
            place_ = wanted;
            pin_ = one.pin;
        } else if (place_ != wanted) {
            mark(Obstacle::pinned, one.node);
        }
        const bool nowhere = constraints_.secure && constraints_.secure->empty();
        if (sensitive_ != graph::no_node && (nowhere || (!place_.empty() && !constraints_.is_secure(place_))))
            mark(Obstacle::sensitive, sensitive_);
    }
    /// Returns the first conflict, or none.
    const LandscapePosition& conflict() const { return conflict_; }

private:
    void mark(Obstacle obstacle, NodeIndex node) {
        conflict_.obstacle = obstacle;
        conflict_.stage = stage_;
        conflict_.node = node;
        conflict_.pin = pin_;
    }

    const CutConstraints& constraints_;
    std::int32_t stage_;
    std::string place_;
    std::int32_t pin_ = -1;
    NodeIndex sensitive_ = graph::no_node;
    LandscapePosition conflict_;
};

/// Finds the conflict at each position of a moving cut, given the segments of pinned and sensitive operators.
class Conflicts {
public:
    Conflicts(const MovingCut& cut, const CutSeries& series, const CutConstraints& constraints)
        : cut_(cut), series_(series), constraints_(constraints) {
        const auto add = [&](NodeIndex node, std::int32_t pin) {
            if (node >= 0 && node < static_cast<NodeIndex>(cut.cuts.home.size()))
                sorted_.push_back({cut.cuts.home[node], node, pin});
        };
        for (std::size_t i = 0; i < constraints.pins.size(); ++i)
            add(constraints.pins[i].node, static_cast<std::int32_t>(i));
        for (const NodeIndex node : constraints.sensitive) add(node, -1);
        std::stable_sort(sorted_.begin(), sorted_.end(),
                         [](const Constrained& a, const Constrained& b) { return a.home < b.home; });
    }

    std::vector<LandscapePosition> find() const {
        std::vector<LandscapePosition> found(series_.columns);
        if (sorted_.empty()) return found;
        const auto take = [](LandscapePosition& position, const LandscapePosition& conflict) {
            if (position.obstacle == Obstacle::none) position = conflict;
        };
        StageRules left(constraints_, series_.left), right(constraints_, series_.right);
        std::size_t next = first_of(series_.left);
        for (std::size_t column = 0; column < series_.columns; ++column) {
            for (; next < sorted_.size() && sorted_[next].home <= after(column); ++next) left.add(sorted_[next]);
            take(found[column], left.conflict());
        }
        const std::size_t begin = first_of(series_.left);
        std::size_t last = first_of(series_.right + 1);
        for (std::size_t column = series_.columns; column-- > 0;) {
            for (; last > begin && sorted_[last - 1].home > after(column); --last) right.add(sorted_[last - 1]);
            take(found[column], right.conflict());
        }
        for (std::int32_t stage = 0; stage <= static_cast<std::int32_t>(cut_.choice.size()); ++stage) {
            if (stage == series_.left || stage == series_.right) continue;
            StageRules rules(constraints_, stage);
            for (std::size_t i = first_of(stage); i < first_of(stage + 1); ++i) rules.add(sorted_[i]);
            for (LandscapePosition& position : found) take(position, rules.conflict());
        }
        return found;
    }

private:
    NodeIndex after(std::size_t column) const {
        return cut_.cuts.legal[static_cast<std::size_t>(series_.first_legal) + column];
    }
    /// Returns the index of the first constrained operator of a stage. The stage must not begin at the moving cut.
    std::size_t first_of(std::int32_t stage) const {
        if (stage == 0) return 0;
        if (stage > static_cast<std::int32_t>(cut_.choice.size())) return sorted_.size();
        const NodeIndex before = cut_.cuts.legal[cut_.choice[stage - 1]];
        const auto found = std::upper_bound(sorted_.begin(), sorted_.end(), before,
                                            [](NodeIndex node, const Constrained& one) { return node < one.home; });
        return static_cast<std::size_t>(found - sorted_.begin());
    }

    const MovingCut& cut_;
    const CutSeries& series_;
    const CutConstraints& constraints_;
    std::vector<Constrained> sorted_;  ///< sorted by home
};

/// Computes the memory of the two stages on either side of the cut, as stage_memory() does.
class Memory {
public:
    Memory(const CutSeries& series, const Placement& placement, const TrainingSetup& setup,
           const plan::PassOrder& order)
        : series_(series), placement_(placement), setup_(setup) {
        for (const auto& passes : order) in_flight_.push_back(plan::most_in_flight(passes));
    }

    void mark(std::size_t column, LandscapePosition& position) const {
        for (const std::int32_t stage : {series_.left, series_.right}) {
            const auto& capacity = placement_.stages[stage].memory;
            if (!capacity) continue;
            const Bytes needed = of(stage, column);
            if (needed <= *capacity) continue;
            position.obstacle = Obstacle::memory;
            position.stage = stage;
            position.memory = needed;
            return;
        }
    }

private:
    Bytes of(std::int32_t stage, std::size_t column) const {
        const bool left = stage == series_.left;
        const double activations = left ? series_.activations_left[column] : series_.activations_right[column];
        const double in_flight = in_flight_[stage];
        const double held = setup_.recompute
                                ? activations * std::min(in_flight, 1.0) + series_.inputs[stage][column] * in_flight
                                : activations * in_flight;
        return static_cast<Bytes>(series_.parameters[stage][column] +
                                  series_.trainable[stage][column] * (1 + setup_.optimizer_states) + held);
    }

    const CutSeries& series_;
    const Placement& placement_;
    const TrainingSetup& setup_;
    std::vector<std::int32_t> in_flight_;
};

/// Returns the bytes that the graph reads from the data per micro-batch.
Bytes fed_bytes_of(const graph::Graph& graph) {
    Bytes bytes = 0;
    for (const graph::ValueIndex input : graph.inputs)
        if (!graph.values[input].consumers.empty()) bytes += graph::size_bytes(graph.values[input]).value_or(0);
    return bytes;
}

}  // namespace

const char* to_string(Obstacle obstacle) {
    switch (obstacle) {
        case Obstacle::none: return "none";
        case Obstacle::order: return "order";
        case Obstacle::pinned: return "pinned";
        case Obstacle::sensitive: return "sensitive";
        case Obstacle::memory: return "memory";
    }
    return "unknown";
}

std::int32_t Landscape::best() const {
    std::int32_t best = -1;
    for (std::size_t i = 0; i < positions.size(); ++i)
        if (positions[i].obstacle == Obstacle::none &&
            (best < 0 || positions[i].step_s < positions[static_cast<std::size_t>(best)].step_s))
            best = static_cast<std::int32_t>(i);
    return best;
}

Result<Landscape> make_landscape(Pricing& pricing, const MovingCut& cut, const Placement& placement,
                                 const TrainingSetup& setup, const CutConstraints& constraints) {
    DIVISI_TRY(check_cut(cut, placement));
    const auto stages = static_cast<std::int32_t>(placement.stages.size());
    DIVISI_ASSIGN(const plan::PassOrder order, plan::make_pass_order(setup.schedule, stages, setup.microbatches));
    DIVISI_ASSIGN(CutSeries series, make_cut_series(pricing, cut, placement, setup));
    if (const CoreContention crowding(placement, setup); crowding.matters()) crowding.add_to(series);
    DIVISI_ASSIGN(const std::vector<double> times, step_times(series, placement, setup));
    LowerBounds bounds(series, placement, setup, fed_bytes_of(pricing.graph()));
    const std::vector<LandscapePosition> conflicts = Conflicts(cut, series, constraints).find();
    const Memory memory(series, placement, setup, order);
    Landscape landscape;
    landscape.moving = cut.moving;
    LandscapePosition behind;
    behind.obstacle = Obstacle::order;
    landscape.positions.assign(cut.cuts.legal.size(), behind);
    for (std::size_t column = 0; column < series.columns; ++column) {
        LandscapePosition position = conflicts[column];
        position.step_s = std::max(times[column], bounds.at(column));
        if (position.obstacle == Obstacle::none) memory.mark(column, position);
        landscape.positions[static_cast<std::size_t>(series.first_legal) + column] = position;
    }
    if (costs_beside_stages(placement)) simulate_positions(landscape, pricing, cut, placement, setup);
    return landscape;
}

std::string explain(const Landscape& landscape, std::int32_t index, const graph::Graph& graph,
                    const Placement& placement, const CutConstraints& constraints) {
    const LandscapePosition& position = landscape.positions[static_cast<std::size_t>(index)];
    const std::string stage = "stage " + std::to_string(position.stage);
    const auto name = [&](NodeIndex node) { return graph.nodes[node].name; };
    // Explains why the stage is on a node that is forbidden for this operator.
    const auto other = [&]() -> std::string {
        if (position.pin >= 0) {
            const CutConstraints::Pin& pin = constraints.pins[position.pin];
            return fill(error_text("reason-is-pin").what, {name(pin.node), pin.place});
        }
        const auto at = static_cast<std::size_t>(position.stage);
        if (at < constraints.stages.size() && !constraints.stages[at].empty())
            return fill(error_text("reason-is-placement").what, {constraints.stages[at]});
        return error_text("reason-is-no-secure-node").what;
    };
    switch (position.obstacle) {
        case Obstacle::none: return "";
        case Obstacle::order: return make_error(error_text("cut-behind-another"), "").message();
        case Obstacle::pinned: {
            const auto pin = std::find_if(constraints.pins.begin(), constraints.pins.end(),
                                          [&](const CutConstraints::Pin& one) { return one.node == position.node; });
            const std::string where = pin == constraints.pins.end() ? "elsewhere" : "to " + pin->place;
            return make_error(error_text("cut-against-pin"), "", {name(position.node), stage, where, other()})
                .message();
        }
        case Obstacle::sensitive: {
            const std::string reason = other();
            const bool none = reason == error_text("reason-is-no-secure-node").what;
            return make_error(none ? error_text("cut-without-secure-node") : error_text("cut-to-insecure-node"), "",
                              {name(position.node), stage, reason})
                .message();
        }
        case Obstacle::memory: {
            const PlannedDevice& device = placement.stages[position.stage];
            return make_error(
                       error_text("cut-exceeds-memory"), "",
                       {stage, format_bytes(position.memory), device.name, format_bytes(device.memory.value_or(0))})
                .message();
        }
    }
    return "";
}

Result<Prediction> predict_cuts(Pricing& pricing, const graph::Graph& model, const graph::CutList& cuts,
                                const plan::CutChoice& choice, const Placement& placement, const TrainingSetup& setup) {
    DIVISI_ASSIGN(auto segments, plan::segments_from_cuts(model, cuts, choice, pricing.training()));
    DIVISI_ASSIGN(const plan::Partition partition, plan::make_partition(pricing.graph(), std::move(segments)));
    return predict(pricing, partition, placement, setup);
}

}  // namespace divisi::price
