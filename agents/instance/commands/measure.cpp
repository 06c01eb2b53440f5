// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/commands/measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "backend/graph/roles.h"
#include "backend/process/processor.h"

namespace divisi::instance {
namespace {

using graph::NodeIndex;

constexpr int least_rounds = 5, most_rounds = 25;  ///< fewer rounds give unreliable medians; more rounds do not improve
                                                   ///< them
constexpr double seconds_for_one = 4;              ///< seconds per stretch, unless least_rounds take longer
constexpr double most_bytes = 512e6;  ///< memory of a stretch in training: a small part of a machine's memory
/// Maximum number of background processes. This number is enough to fill shared caches and memory bandwidth; each
/// further process would need the memory of a stretch.
constexpr int most_companions = 7;
/// The stopwatch's time is subtracted from each measured time. The result is never less than this share of the measured
/// time.
constexpr double least_share = 0.1;

double quantile(std::vector<double> values, double share) {
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(std::lround(share * static_cast<double>(values.size() - 1)))];
}

price::MeasuredTime summary(const std::vector<double>& values) {
    return {quantile(values, 0.5), quantile(values, 0.75) - quantile(values, 0.25)};
}

double now_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Returns the number of background processes that fit, given the other cores and the available memory.
int background_processes(const TrialOptions& options) {
    if (options.device != "cpu") return 0;
    const int free_cores = process::usable_cores() / options.threads - 1;
    const double available = 1024 * std::atof(process::proc_value("/proc/meminfo", "MemAvailable").c_str());
    const int by_memory = static_cast<int>(available / (2 * most_bytes)) - 1;
    return std::clamp(std::min(free_cores, by_memory), 0, most_companions);
}

/// Builds a model of equal operators, parallel or in a chain, each with separate inputs and weights.
class RepeatedOperatorModel {
public:
    explicit RepeatedOperatorModel(std::string type) : type_(std::move(type)) {}

    graph::ValueIndex input(const graph::Shape& shape) {
        model_.graph.inputs.push_back(model_.graph.add_value(name("input"), graph::DType::float32, shape));
        return model_.graph.inputs.back();
    }
    graph::ValueIndex weight(const graph::Shape& shape) {
        graph::Initializer weight;
        weight.random = graph::RandomInit{graph::RandomInit::Kind::normal, 1.0};
        weight.trainable = true;
        return model_.graph.add_initializer(name("weight"), std::move(weight), graph::DType::float32, shape);
    }
    graph::ValueIndex add(std::vector<graph::ValueIndex> inputs, const graph::Shape& result) {
        graph::Node node;
        node.name = name("/" + type_);
        node.op_type = type_;
        node.inputs = std::move(inputs);
        node.outputs = {model_.graph.add_value(name("output"), graph::DType::float32, result)};
        const graph::ValueIndex output = node.outputs.front();
        model_.graph.add_node(std::move(node));
        return output;
    }
    Result<MeasuredModel> take() {
        DIVISI_TRY(model_.graph.canonicalize());
        return std::move(model_);
    }

private:
    std::string name(const std::string& what) { return what + "#" + std::to_string(count_++); }
    std::string type_;
    MeasuredModel model_;
    int count_ = 0;
};

constexpr std::int64_t few_copies = 2;  ///< number of copies of a large operator in a model
constexpr int rate_runs = 7;

Result<MeasuredModel> large(const std::string& type, const graph::Shape& shape, int operands) {
    RepeatedOperatorModel model(type);
    for (std::int64_t copy = 0; copy < few_copies; ++copy) {
        std::vector<graph::ValueIndex> inputs;
        inputs.reserve(static_cast<std::size_t>(operands));
        for (int i = 0; i < operands; ++i) inputs.push_back(model.input(shape));
        model.add(inputs, shape);
    }
    return model.take();
}

/// Returns a chain of operators of the smallest size.
Result<MeasuredModel> tiny(int length) {
    const graph::Shape one{{1, ""}};
    RepeatedOperatorModel model("Add");
    graph::ValueIndex value = model.input(one);
    for (int i = 0; i < length; ++i) value = model.add({value, model.weight(one)}, one);
    return model.take();
}

}  // namespace

/// Seconds per round, averaged over all operators with the same key.
struct Measurement::Samples {
    std::vector<double> forward, backward, input_gradient, frozen_forward, crowded_forward, crowded_backward;
};

Result<Measurement> Measurement::start(MeasuredModel model, TrialOptions options) {
    const auto shared = std::make_shared<const MeasuredModel>(std::move(model));
    const auto stretches = std::make_shared<const Parts>(divide(*shared, most_bytes));
    const std::vector<bool> gradient = graph::needs_gradient(shared->graph);
    std::vector<std::string> keys;
    for (std::size_t node = 0; node < shared->graph.nodes.size(); ++node)
        keys.push_back(price::operator_key(shared->graph, static_cast<NodeIndex>(node), gradient));
    const auto make = [shared, stretches, options](std::size_t number) -> Result<Trial> {
        DIVISI_ASSIGN(Stretch stretch, make_stretch(*shared, (*stretches)[number]));
        return Trial::make(std::make_shared<const Stretch>(std::move(stretch)), options);
    };
    DIVISI_ASSIGN(BackgroundLoad load, BackgroundLoad::start(background_processes(options), make));
    Measurement measurement(shared, stretches, gradient, std::move(keys), std::move(options), std::move(load));
    DIVISI_TRY(measurement.measure_small_things());
    return measurement;
}

std::map<std::string, NodeIndex> Measurement::operators(std::size_t stretch) const {
    std::map<std::string, NodeIndex> found;
    for (const NodeIndex node : (*stretches_)[stretch]) found.emplace(keys_[static_cast<std::size_t>(node)], node);
    return found;
}

/// Measures fixed costs from the times of a long chain of tiny operators and of a single tiny operator, with and
/// without the stopwatch.
Result<void> Measurement::measure_small_things() {
    constexpr int length = 200;
    constexpr double calls = 9;  // calls of AdamW for one weight, see price::optimizer_seconds()
    TrialOptions options = options_;
    options.optimizer.kind = segment::OptimizerConfig::Kind::adamw;
    options.optimizer.weight_decay = 0.01;
    const auto trial_of = [&](int operators) -> Result<Trial> {
        DIVISI_ASSIGN(const MeasuredModel model, tiny(operators));
        DIVISI_ASSIGN(Stretch stretch, make_stretch(model, working_nodes(model)));
        return Trial::make(std::make_shared<const Stretch>(std::move(stretch)), options);
    };
    DIVISI_ASSIGN(Trial chain, trial_of(length));
    DIVISI_ASSIGN(Trial single, trial_of(1));
    std::vector<double> forward, backward, forward_surplus, backward_surplus, pass, call;
    for (int i = -1; i < 3 * rate_runs; ++i) {
        DIVISI_ASSIGN(const TrialTimes one, single.run(false));
        DIVISI_ASSIGN(const TrialTimes plain, chain.run(false));
        DIVISI_ASSIGN(const TrialTimes timed, chain.run(true));
        if (i < 0) continue;  // do not use the times of the warm-up round
        forward.push_back((plain.forward - one.forward) / (length - 1));
        backward.push_back((plain.backward - one.backward) / (length - 1));
        forward_surplus.push_back((timed.forward - plain.forward) / length);
        backward_surplus.push_back((timed.backward - plain.backward) / length);
        pass.push_back((one.forward - forward.back() + one.backward - backward.back()) / 2);
        call.push_back((plain.optimizer - one.optimizer) / (length - 1) / calls);
    }
    const auto usual = [](const std::vector<double>& values) { return std::max(0.0, quantile(values, 0.5)); };
    small_.dispatch_s = usual(forward);
    small_.pass_s = usual(pass);
    small_.call_s = usual(call);
    surplus_ = {usual(forward_surplus), usual(backward_surplus)};
    return {};
}

Result<double> Measurement::forward_seconds(const MeasuredModel& model) const {
    DIVISI_ASSIGN(Stretch made, make_stretch(model, working_nodes(model)));
    const auto stretch = std::make_shared<const Stretch>(std::move(made));
    DIVISI_ASSIGN(Trial trial, Trial::make(stretch, options_));
    std::vector<double> seconds;
    DIVISI_TRY(trial.run(true));
    for (int i = 0; i < rate_runs; ++i) {
        DIVISI_TRY(trial.run(true));
        for (NodeIndex node = 0; node < static_cast<NodeIndex>(stretch->source.size()); ++node)
            seconds.push_back(trial.forward(node) - surplus_.forward);
    }
    return quantile(std::move(seconds), 0.5);
}

Result<price::DeviceRates> Measurement::rates() {
    constexpr std::int64_t side = 512, long_side = 4 << 20;  // sizes that exceed the caches
    const graph::Shape square{{side, ""}, {side, ""}}, line{{long_side, ""}};
    const auto seconds = [&](const std::string& type, const graph::Shape& shape, int operands) -> Result<double> {
        DIVISI_ASSIGN(const MeasuredModel model, large(type, shape, operands));
        return forward_seconds(model);
    };
    DIVISI_ASSIGN(const double product, seconds("MatMul", square, 2));
    DIVISI_ASSIGN(const double sum, seconds("Add", line, 2));
    DIVISI_ASSIGN(const double exponential, seconds("Tanh", line, 1));
    price::DeviceRates rates = small_;
    constexpr double tanh_flops = 4;  // FLOPs of one tanh in graph/cost.cpp
    rates.product_flops_per_s = 2.0 * side * side * side / product;
    rates.bytes_per_s = 3.0 * sizeof(float) * long_side / sum;
    rates.other_flops_per_s = tanh_flops * long_side / exponential;
    return rates;
}

void Measurement::add(const Stretch& stretch, const Trial& trial, std::map<std::string, Samples>& samples,
                      std::vector<double> Samples::*forward, std::vector<double> Samples::*backward) const {
    struct Sum {
        double forward = 0, backward = 0, count = 0;
    };
    std::map<std::string, Sum> sums;
    for (std::size_t i = 0; i < stretch.source.size(); ++i) {
        if (stretch.source[i] == graph::no_node) continue;
        Sum& sum = sums[keys_[static_cast<std::size_t>(stretch.source[i])]];
        const double f = trial.forward(static_cast<NodeIndex>(i)), b = trial.backward(static_cast<NodeIndex>(i));
        sum.forward += std::max(f - surplus_.forward, least_share * f);
        sum.backward += std::max(b - surplus_.backward, least_share * b);
        ++sum.count;
    }
    for (const auto& [key, sum] : sums) {
        (samples[key].*forward).push_back(sum.forward / sum.count);
        (samples[key].*backward).push_back(sum.backward / sum.count);
    }
}

price::OperatorProfile Measurement::profile_of(NodeIndex node, const Samples& samples) const {
    price::OperatorProfile profile;
    profile.forward = summary(samples.forward);
    const price::MeasuredTime all = summary(samples.backward);
    const price::WantedGradients wanted =
        price::wanted_gradients(model_->graph, model_->graph.nodes[static_cast<std::size_t>(node)], gradient_);
    if (wanted.input && wanted.weight) {
        // Training computes both gradients together; the measurement is their sum.
        const double inputs = std::min(quantile(samples.input_gradient, 0.5), all.seconds);
        profile.input_gradient = {inputs, all.spread};
        profile.weight_gradient = {all.seconds - inputs, all.spread};
    } else if (wanted.input || wanted.weight) {
        (wanted.input ? profile.input_gradient : profile.weight_gradient) = all;
    }
    if (samples.crowded_forward.empty()) return profile;
    profile.forward.crowded = quantile(samples.crowded_forward, 0.5);
    const double slower = all.seconds > 0 ? quantile(samples.crowded_backward, 0.5) / all.seconds : 1;
    for (price::MeasuredTime* part : {&profile.input_gradient, &profile.weight_gradient})
        part->crowded = part->seconds * slower;
    return profile;
}

Result<Prices> Measurement::measure(std::size_t number) {
    DIVISI_ASSIGN(Stretch made, make_stretch(*model_, (*stretches_)[number]));
    const auto stretch = std::make_shared<const Stretch>(std::move(made));
    TrialOptions without_weights = options_;
    without_weights.frozen = true;
    DIVISI_ASSIGN(Trial whole, Trial::make(stretch, options_));
    DIVISI_ASSIGN(Trial frozen, Trial::make(stretch, without_weights));
    std::map<std::string, Samples> samples;
    const double begin = now_s();
    for (int round = -1; round < most_rounds; ++round) {  // round -1 is the warm-up
        if (round >= least_rounds && now_s() - begin > seconds_for_one) break;
        DIVISI_TRY(whole.run(true));
        if (round >= 0) add(*stretch, whole, samples, &Samples::forward, &Samples::backward);
        DIVISI_TRY(frozen.run(true));
        if (round >= 0) add(*stretch, frozen, samples, &Samples::frozen_forward, &Samples::input_gradient);
        if (background_load_.count() == 0) continue;
        DIVISI_TRY(background_load_.train(number));
        DIVISI_TRY(whole.run(true));
        if (round >= 0) add(*stretch, whole, samples, &Samples::crowded_forward, &Samples::crowded_backward);
        DIVISI_TRY(background_load_.rest());
    }
    Prices prices;
    for (const auto& [key, node] : operators(number)) prices[key] = profile_of(node, samples.at(key));
    return prices;
}

}  // namespace divisi::instance
