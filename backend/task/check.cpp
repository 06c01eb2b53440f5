// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "backend/graph/zoo.h"
#include "backend/plan/cut_choice.h"
#include "backend/plan/schedule.h"
#include "backend/search/segmentation_request.h"
#include "backend/task/checkpoint_rule.h"
#include "backend/task/compile.h"
#include "backend/task/error_texts.h"
#include "backend/task/parse.h"
#include "backend/task/suggest.h"

namespace divisi::task {
namespace {

constexpr std::size_t longest_name = 64;  // names become parts of SIDs, folders and socket paths
constexpr std::int64_t most_steps = 1'000'000'000;
constexpr std::int64_t most_samples = 1 << 20;    // samples per batch
constexpr std::int64_t most_data_instances = 64;  // each instance is a process
constexpr std::int64_t most_standbys = 16;        // each standby is an idle process
constexpr std::int64_t most_microbatches = 4096;  // each micro-batch is a line in every static program
constexpr std::int64_t most_threads = 1024;
constexpr std::int64_t most_seconds = 10LL * 366 * 24 * 3600;    // far longer than any training; cannot overflow
constexpr std::int64_t most_memory_mib = std::int64_t{1} << 30;  // equals one pebibyte
constexpr std::size_t most_patterns = 256;                       // node names per list
constexpr std::size_t longest_node_name = 2 * longest_name + 1;
constexpr std::size_t most_segment_names = 100'000;  // enough to name every operator of a large graph

Result<void> one_of(const std::string& name, const std::string& value, const std::vector<std::string>& known) {
    if (std::find(known.begin(), known.end(), value) != known.end()) return {};
    if (value.empty()) return make_error(error_text("value-missing"), name, {suggest(value, known)});
    return make_error(error_text("value-not-known"), name, {value.substr(0, longest_name), suggest(value, known)});
}

Result<void> within(const std::string& name, std::int64_t value, std::int64_t least, std::int64_t most) {
    if (value >= least && value <= most) return {};
    return make_error(error_text("out-of-range"), name,
                      {std::to_string(value), std::to_string(least), std::to_string(most)});
}

/// Checks that the value is finite and least <= value < below; otherwise returns the error `outside`.
Result<void> within(const std::string& name, double value, double least, double below, const ErrorText& outside) {
    if (std::isfinite(value) && value >= least && value < below) return {};
    return make_error(outside, name);
}

bool is_name(const std::string& text) {
    return !text.empty() && text.size() <= longest_name && text != "." && text != ".." &&
           std::all_of(text.begin(), text.end(), [](unsigned char c) {
               return (c < 0x80 && std::isalnum(c)) || c == '-' || c == '_' || c == '.';
           });
}

Result<void> check_head(const TaskSpec& spec) {
    if (!is_name(spec.task.name)) return make_error(error_text("no-task-name"), "task.name", {spec.task.name});
    DIVISI_TRY(within("task.most_seconds", spec.task.most_seconds, 0, most_seconds));
    if (spec.task.kind == "infer")
        return make_error(error_text("task-kind-comes-later"), "task.kind", {spec.task.kind});
    return one_of("task.kind", spec.task.kind, {"train", "batch"});
}

/// Checks the zoo model's name and sizes against the zoo's ranges.
Result<void> check_zoo(const ModelSection& model) {
    std::vector<std::string> names;
    const graph::ZooModel* found = nullptr;
    for (const graph::ZooModel& zoo : graph::zoo_models()) {
        names.push_back(zoo.name);
        if (zoo.name == model.zoo) found = &zoo;
    }
    DIVISI_TRY(one_of("model.zoo", model.zoo, names));
    for (const auto& [name, value] : model.sizes) {
        std::vector<std::string> known;
        for (const graph::ZooSize& size : found->sizes) known.push_back(size.name);
        const auto size = std::find(known.begin(), known.end(), name);
        if (size == known.end())
            return make_error(error_text("no-size-of-zoo-model"), "model." + name, {model.zoo, suggest(name, known)});
        const graph::ZooSize& range = found->sizes[static_cast<std::size_t>(size - known.begin())];
        DIVISI_TRY(within("model." + name, value, range.least, range.most));
    }
    return {};
}

Result<void> check_model(const ModelSection& model) {
    if (model.zoo.empty() && model.onnx.empty() && model.from.empty())
        return make_error(error_text("no-model-given"), "model.zoo");
    if (!model.zoo.empty() && !model.onnx.empty()) return make_error(error_text("zoo-and-file"), "model.onnx");
    if (model.zoo.empty() && !model.sizes.empty())
        return make_error(error_text("size-without-zoo-model"), "model." + model.sizes.begin()->first);
    if (!model.zoo.empty()) DIVISI_TRY(check_zoo(model));
    if (model.sizes.contains("inputs") && !model.inputs.empty())
        return make_error(error_text("inputs-size-and-table"), "model.inputs");
    for (const auto& [symbol, size] : model.symbols)
        DIVISI_TRY(within("model.symbols." + symbol, size, 1, std::numeric_limits<std::int32_t>::max()));
    return {};
}

/// Checks [train.losses], [train.weights] and [model.targets] against each other, as far as possible without the model.
Result<void> check_heads(const TaskSpec& spec) {
    const TrainSection& train = spec.train;
    std::vector<std::string> known;
    for (const auto& [head, loss] : train.losses) {
        DIVISI_TRY(one_of("train.losses." + head, loss, {"cross_entropy", "mse", "none"}));
        known.push_back(head);
    }
    const std::vector<plan::HeadLoss> heads = head_losses(train);
    if (!train.losses.empty() && heads.empty()) return make_error(error_text("no-head-left"), "train.losses");
    if (!heads.empty() && !spec.model.output.empty())
        return make_error(error_text("output-and-losses"), "model.output");
    for (const auto& [head, weight] : train.weights) {
        if (!train.losses.contains(head))
            return make_error(error_text("no-head-of-losses"), "train.weights." + head, {suggest(head, known)});
        DIVISI_TRY(within("train.weights." + head, weight, 0.0, std::numeric_limits<double>::infinity(),
                          error_text("no-weight-of-head")));
    }
    for (const auto& [head, column] : spec.model.targets)
        if (!train.losses.contains(head))
            return make_error(error_text("no-head-of-losses"), "model.targets." + head, {suggest(head, known)});
    for (const plan::HeadLoss& head : heads) {
        const std::string column = target_column(spec, head.output);
        const auto& targets = spec.data.targets;
        if (spec.data.kind != "csv" || !spec.batch.labels ||
            std::find(targets.begin(), targets.end(), column) != targets.end())
            continue;
        if (!spec.model.targets.contains(head.output))
            return make_error(error_text("head-without-target"), "train.losses." + head.output, {head.output});
        return make_error(error_text("no-target-column"), "model.targets." + head.output,
                          {column, suggest(column, targets)});
    }
    return {};
}

Result<void> check_data(const DataSection& data, const TrainSection& train, bool labels) {
    DIVISI_TRY(one_of("data.kind", data.kind, {"text", "images", "csv", "synthetic"}));
    const bool synthetic = data.kind == "synthetic";
    if (!synthetic && data.path.empty()) return make_error(error_text("no-data-path"), "data.path");
    if (synthetic && data.samples < 1) return make_error(error_text("no-synthetic-samples"), "data.samples");
    if (data.kind == "csv" && data.targets.empty() && labels)
        return make_error(error_text("no-target-columns"), "data.targets");
    if (data.kind != "images" && !data.labels.empty())
        return make_error(error_text("labels-without-images"), "data.labels");
    DIVISI_TRY(within("data.validation_share", data.validation_share, 0.0, 1.0, error_text("no-share")));
    if (!data.validation.empty() && data.validation_share > 0)
        return make_error(error_text("two-validation-parts"), "data.validation_share");
    DIVISI_TRY(within("data.classes", data.classes, 0, std::numeric_limits<std::int32_t>::max()));
    DIVISI_TRY(within("data.samples", data.samples, 0, std::numeric_limits<std::int64_t>::max()));
    DIVISI_TRY(within("data.instances", data.instances, 0, most_data_instances));
    if (train.eval_every > 0 && data.validation.empty() && data.validation_share == 0 && !synthetic)
        return make_error(error_text("no-validation-part"), "train.eval_every");
    return {};
}

Result<void> check_numbers(const TrainSection& train) {
    constexpr double any = std::numeric_limits<double>::infinity();
    DIVISI_TRY(within("train.lr", train.lr, 0.0, any, error_text("no-number-from-0")));
    DIVISI_TRY(within("train.momentum", train.momentum, 0.0, 1.0, error_text("no-number-below-1")));
    DIVISI_TRY(within("train.beta1", train.beta1, 0.0, 1.0, error_text("no-number-below-1")));
    DIVISI_TRY(within("train.beta2", train.beta2, 0.0, 1.0, error_text("no-number-below-1")));
    DIVISI_TRY(within("train.epsilon", train.epsilon, std::numeric_limits<double>::min(), any,
                      error_text("no-number-above-0")));
    DIVISI_TRY(within("train.weight_decay", train.weight_decay, 0.0, any, error_text("no-number-from-0")));
    DIVISI_TRY(within("train.clip", train.clip, 0.0, any, error_text("no-clip")));
    DIVISI_TRY(within("train.decay_rate", train.decay_rate, 0.0, 1.0 + 1e-12, error_text("no-number-to-1")));
    if (train.seed > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        return make_error(error_text("seed-out-of-range"), "train.seed");
    return {};
}

Result<void> check_train(const TrainSection& train) {
    DIVISI_TRY(within("train.steps", train.steps, 1, most_steps));
    DIVISI_TRY(within("train.batch", train.batch, 1, most_samples));
    DIVISI_TRY(within("train.microbatches", train.microbatches, 1, most_microbatches));
    if (train.batch % train.microbatches != 0)
        return make_error(error_text("uneven-microbatches"), "train.microbatches",
                          {std::to_string(train.microbatches), std::to_string(train.batch)});
    DIVISI_TRY(one_of("train.optimizer", train.optimizer, {"sgd", "adamw"}));
    DIVISI_TRY(one_of("train.lr_schedule", train.lr_schedule, {"constant", "cosine", "linear", "step"}));
    DIVISI_TRY(one_of("train.loss", train.loss, {"cross_entropy", "mse"}));
    DIVISI_TRY(one_of("train.nonfinite", train.nonfinite, {"stop", "continue"}));
    DIVISI_TRY(within("train.warmup_steps", train.warmup_steps, 0, most_steps));
    DIVISI_TRY(within("train.decay_steps", train.decay_steps, 0, most_steps));
    DIVISI_TRY(within("train.eval_every", train.eval_every, 0, most_steps));
    DIVISI_TRY(within("train.eval_batches", train.eval_batches, 0, most_steps));
    return check_numbers(train);
}

Result<void> check_segments(const SplitSection& split) {
    if (split.strategy != "block") {
        if (split.segments.empty()) return {};
        return make_error(error_text("segments-without-block-strategy"), "split.segment");
    }
    if (split.segments.empty()) {
        if (split.stages > 0) return {};
        return make_error(error_text("block-strategy-without-segments"), "split.strategy");
    }
    if (split.stages > 0 || !split.cuts.empty() || split.least_stages > 0 || split.most_stages > 0)
        return make_error(error_text("segments-given-twice"), split.cuts.empty() ? "split.stages" : "split.cuts");
    std::size_t names = 0;
    for (const SegmentSpec& segment : split.segments) names += segment.nodes.size();
    if (names > most_segment_names)
        return make_error(error_text("too-many-segment-names"), "split.segment", {std::to_string(names)});
    return within("split.segment", static_cast<std::int64_t>(split.segments.size()), 1, plan::most_stages);
}

Result<void> check_degree(const char* name, std::int64_t degree, const char* kind) {
    if (degree < 1) return make_error(error_text("degree-out-of-range"), name, {std::to_string(degree)});
    if (degree == 1) return {};
    return make_error(error_text("parallelism-comes-later"), name, {std::to_string(degree), kind});
}

Result<void> check_split(const SplitSection& split) {
    auto errors = split_errors(split);
    if (errors.empty()) return {};
    return std::move(errors.front());
}

/// Checks names of nodes: MIC/NODE, or a prefix and a star.
Result<void> check_patterns(const std::string& name, const std::vector<std::string>& patterns) {
    if (patterns.size() > most_patterns)
        return make_error(error_text("too-many-node-names"), name,
                          {std::to_string(patterns.size()), std::to_string(most_patterns)});
    for (const std::string& pattern : patterns) {
        const std::size_t star = pattern.find('*');
        const bool named = pattern.find('/') != std::string::npos || star != std::string::npos;
        if (pattern.size() > longest_node_name || !named || (star != std::string::npos && star + 1 != pattern.size()))
            return make_error(error_text("no-node-pattern"), name, {pattern.substr(0, longest_node_name)});
    }
    return {};
}

Result<void> check_place(const PlaceSection& place, const SplitSection& split) {
    DIVISI_TRY(check_patterns("place.nodes", place.nodes));
    DIVISI_TRY(check_patterns("place.prefer", place.prefer));
    DIVISI_TRY(check_patterns("place.avoid", place.avoid));
    if (!place.stages.empty() && !split.segments.empty())
        return make_error(error_text("place-given-twice"), "place.stages");
    const bool open = split.strategy == "business" && split.stages == 0;  // there are then as many stages as branches
    if (!place.stages.empty() && !open && search::stages_are_open(split))
        return make_error(error_text("nodes-for-open-stages"), "place.stages");
    const auto stages = split.stages > 0 ? static_cast<std::size_t>(split.stages) : split.cuts.size() + 1;
    if (!place.stages.empty() && !open && place.stages.size() != stages)
        return make_error(error_text("nodes-not-per-stage"), "place.stages",
                          {std::to_string(place.stages.size()), std::to_string(stages)});
    const std::string& device = place.device;
    const bool numbered = device.starts_with("cuda:") && device.size() > 5 && device.size() < 9 &&
                          std::all_of(device.begin() + 5, device.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (device != "cpu" && device != "cuda" && !numbered)
        return make_error(error_text("no-device-name"), "place.device", {device});
    DIVISI_TRY(within("place.memory_mib", place.memory_mib, 0, most_memory_mib));
    if (place.precision != "fp32")
        return make_error(error_text("precision-does-not-run"), "place.precision",
                          {place.precision.substr(0, longest_name)});
    return within("place.threads", place.threads, 1, most_threads);
}

/// Checks [checkpoint], [faults] and place.standby.
Result<void> check_recovery(const TaskSpec& spec) {
    DIVISI_TRY(checkpoint_rule(spec.checkpoint));
    DIVISI_ASSIGN(const FaultAnswer answer, fault_answer(spec.faults));
    DIVISI_TRY(within("place.standby", spec.place.standby, 0, most_standbys));
    if (spec.place.standby > 0 && answer != FaultAnswer::recover)
        return make_error(error_text("standby-never-used"), "place.standby", {spec.faults.answer});
    return {};
}

/// Checks [batch]. Without labels, no key may refer to labels.
Result<void> check_batch(const TaskSpec& spec) {
    DIVISI_TRY(one_of("batch.values", spec.batch.values, {"prediction", "outputs"}));
    if (is_batch(spec) && spec.data.instances > 0)
        return make_error(error_text("batch-with-data-instances"), "data.instances");
    if (spec.batch.labels) return {};
    const auto none = [](const char* name) { return make_error(error_text("labels-turned-off"), name); };
    if (!spec.data.targets.empty()) return none("data.targets");
    if (!spec.data.labels.empty()) return none("data.labels");
    if (!spec.model.targets.empty()) return none("model.targets");
    return {};
}

}  // namespace

std::vector<Error> split_errors(const SplitSection& split) {
    std::vector<Error> errors = search::request_errors(split);
    if (!errors.empty() && errors.front().where == "split.version") return errors;
    for (Error& error : errors) {
        if (error.where == "split.strategy") error.next = suggest(split.strategy, search::segmentation_strategies());
        if (error.where == "split.method") error.next = suggest(split.method, search::segmentation_methods());
    }
    const auto add = [&](Result<void> checked) {
        if (checked.ok()) return;
        Error error = std::move(checked).error();
        const auto same = [&](const Error& known) { return known.where == error.where; };
        if (std::none_of(errors.begin(), errors.end(), same)) errors.push_back(std::move(error));
    };
    add(check_segments(split));
    add(one_of("split.schedule", split.schedule, plan::schedule_names()));
    add(within("split.slots", split.slots, 0, most_microbatches));  // more slots would never be filled
    add(check_degree("split.dp", split.dp, "data"));
    add(check_degree("split.tp", split.tp, "tensor"));
    add(one_of("split.recut", split.recut, {"advise", "auto"}));
    return errors;
}

Result<void> check_task(const TaskSpec& spec) {
    DIVISI_TRY(check_head(spec));
    DIVISI_TRY(check_model(spec.model));
    DIVISI_TRY(check_train(spec.train));
    DIVISI_TRY(check_heads(spec));
    DIVISI_TRY(check_data(spec.data, spec.train, spec.batch.labels));
    DIVISI_TRY(check_batch(spec));
    DIVISI_TRY(check_split(spec.split));
    DIVISI_TRY(check_place(spec.place, spec.split));
    return check_recovery(spec);
}

}  // namespace divisi::task
