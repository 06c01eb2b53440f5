// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "backend/graph/zoo.h"
#include "backend/plan/cut_choice.h"
#include "backend/plan/schedule.h"
#include "backend/search/open_stages.h"
#include "backend/task/checkpoint_rule.h"
#include "backend/task/compile.h"
#include "backend/task/parse.h"
#include "backend/task/suggest.h"

namespace divisi::task {

namespace {

constexpr std::size_t longest_name = 64;  // names become parts of SIDs, folders and socket paths
constexpr std::int64_t most_steps = 1'000'000'000;
constexpr std::int64_t most_samples = 1 << 20;    // per batch
constexpr std::int64_t most_data_instances = 64;  // each is a process
constexpr std::int64_t most_standbys = 16;        // each is an idle process
constexpr std::int64_t most_microbatches = 4096;  // each is a line in every static program
constexpr std::int64_t most_threads = 1024;
constexpr std::int64_t most_seconds = 10LL * 366 * 24 * 3600;    // far beyond any training, and below any overflow
constexpr std::int64_t most_memory_mib = std::int64_t{1} << 30;  // one pebibyte
constexpr std::size_t most_patterns = 256;                       // names of nodes per list
constexpr std::size_t longest_node_name = 2 * longest_name + 1;
constexpr std::size_t most_segment_names = 100'000;  // enough to name every operator of a large graph

Error bad(const std::string& name, std::string what, std::string next) {
    return Error{ErrorCode::invalid_input, std::move(what), name, std::move(next)};
}

Result<void> one_of(const std::string& name, const std::string& value, const std::vector<std::string>& known) {
    if (std::find(known.begin(), known.end(), value) != known.end()) return {};
    return bad(name, value.empty() ? "is missing" : "= '" + value.substr(0, longest_name) + "' is not known",
               suggest(value, known));
}

Result<void> later(const std::string& name, const std::string& value, const std::vector<std::string>& later_ones,
                   const std::string& now) {
    if (std::find(later_ones.begin(), later_ones.end(), value) == later_ones.end()) return {};
    return Error{ErrorCode::unsupported, "= '" + value + "' comes later", name, "use " + now};
}

Result<void> within(const std::string& name, std::int64_t value, std::int64_t least, std::int64_t most) {
    if (value >= least && value <= most) return {};
    return bad(name, "= " + std::to_string(value) + " is out of range",
               "use " + std::to_string(least) + " to " + std::to_string(most));
}

/// Checks that the value is finite and least <= value < below.
Result<void> within(const std::string& name, double value, double least, double below, const char* range) {
    if (std::isfinite(value) && value >= least && value < below) return {};
    return bad(name, "is out of range", std::string("use ") + range);
}

bool is_name(const std::string& text) {
    return !text.empty() && text.size() <= longest_name && text != "." && text != ".." &&
           std::all_of(text.begin(), text.end(), [](unsigned char c) {
               return (c < 0x80 && std::isalnum(c)) || c == '-' || c == '_' || c == '.';
           });
}

Result<void> check_head(const TaskSpec& spec) {
    if (!is_name(spec.task.name))
        return bad("task.name", "= '" + spec.task.name + "' is no name",
                   "use up to 64 letters, digits, '-', '_' and '.'");
    DIVISI_TRY(within("task.most_seconds", spec.task.most_seconds, 0, most_seconds));
    DIVISI_TRY(later("task.kind", spec.task.kind, {"infer"}, "kind = \"batch\" for a data set, once"));
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
            return bad("model." + name, "is no size of zoo model '" + model.zoo + "'", suggest(name, known));
        const graph::ZooSize& range = found->sizes[static_cast<std::size_t>(size - known.begin())];
        DIVISI_TRY(within("model." + name, value, range.least, range.most));
    }
    return {};
}

Result<void> check_model(const ModelSection& model) {
    if (model.zoo.empty() && model.onnx.empty() && model.from.empty())
        return bad("model.zoo", "is missing", "give a zoo model (zoo = \"gpt\") or a file (onnx = \"model.onnx\")");
    if (!model.zoo.empty() && !model.onnx.empty())
        return bad("model.onnx", "and model.zoo exclude each other", "keep one of them");
    if (model.zoo.empty() && !model.sizes.empty())
        return bad("model." + model.sizes.begin()->first, "is a size of zoo models, and the model is none",
                   "remove it, or bind a symbolic dimension in [model.symbols]");
    if (!model.zoo.empty()) DIVISI_TRY(check_zoo(model));
    if (model.sizes.contains("inputs") && !model.inputs.empty())
        return bad("model.inputs", "is both a size and a table", "this model has one input; leave out the table");
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
    if (!train.losses.empty() && heads.empty())
        return bad("train.losses", "leaves no head", "give one output a loss other than none");
    if (!heads.empty() && !spec.model.output.empty())
        return bad("model.output", "and train.losses exclude each other", "keep one of them");
    for (const auto& [head, weight] : train.weights) {
        if (!train.losses.contains(head))
            return bad("train.weights." + head, "is no head of [train.losses]", suggest(head, known));
        DIVISI_TRY(within("train.weights." + head, weight, 0.0, std::numeric_limits<double>::infinity(),
                          "a number from 0, such as 0.5"));
    }
    for (const auto& [head, column] : spec.model.targets)
        if (!train.losses.contains(head))
            return bad("model.targets." + head, "is no head of [train.losses]", suggest(head, known));
    for (const plan::HeadLoss& head : heads) {
        const std::string column = target_column(spec, head.output);
        const auto& targets = spec.data.targets;
        if (spec.data.kind != "csv" || !spec.batch.labels ||
            std::find(targets.begin(), targets.end(), column) != targets.end())
            continue;
        const bool mapped = spec.model.targets.contains(head.output);
        return bad(
            mapped ? "model.targets." + head.output : "train.losses." + head.output,
            mapped ? "= '" + column + "' is no target column" : "has no target column",
            mapped ? "list it in data.targets; " + suggest(column, targets)
                   : "write [model.targets] " + head.output + " = \"column\", and list that column in data.targets");
    }
    return {};
}

Result<void> check_data(const DataSection& data, const TrainSection& train, bool labels) {
    DIVISI_TRY(one_of("data.kind", data.kind, {"text", "images", "csv", "synthetic"}));
    const bool synthetic = data.kind == "synthetic";
    if (!synthetic && data.path.empty()) return bad("data.path", "is missing", "name the file or folder to read");
    if (synthetic && data.samples < 1)
        return bad("data.samples", "must be at least 1 for synthetic data", "write samples = 1000");
    if (data.kind == "csv" && data.targets.empty() && labels)
        return bad("data.targets", "is missing", "name the target columns, as in targets = [\"price\"]");
    if (data.kind != "images" && !data.labels.empty())
        return bad("data.labels", "belongs to images in IDX form", "remove it");
    DIVISI_TRY(within("data.validation_share", data.validation_share, 0.0, 1.0, "a share from 0 to below 1"));
    if (!data.validation.empty() && data.validation_share > 0)
        return bad("data.validation_share", "and data.validation exclude each other", "keep one of them");
    DIVISI_TRY(within("data.classes", data.classes, 0, std::numeric_limits<std::int32_t>::max()));
    DIVISI_TRY(within("data.samples", data.samples, 0, std::numeric_limits<std::int64_t>::max()));
    DIVISI_TRY(within("data.instances", data.instances, 0, most_data_instances));
    if (train.eval_every > 0 && data.validation.empty() && data.validation_share == 0 && !synthetic)
        return bad("train.eval_every", "needs a validation part", "set data.validation or data.validation_share = 0.1");
    return {};
}

Result<void> check_numbers(const TrainSection& train) {
    constexpr double any = std::numeric_limits<double>::infinity();
    DIVISI_TRY(within("train.lr", train.lr, 0.0, any, "a number from 0"));
    DIVISI_TRY(within("train.momentum", train.momentum, 0.0, 1.0, "a number from 0 to below 1"));
    DIVISI_TRY(within("train.beta1", train.beta1, 0.0, 1.0, "a number from 0 to below 1"));
    DIVISI_TRY(within("train.beta2", train.beta2, 0.0, 1.0, "a number from 0 to below 1"));
    DIVISI_TRY(within("train.epsilon", train.epsilon, std::numeric_limits<double>::min(), any, "a number above 0"));
    DIVISI_TRY(within("train.weight_decay", train.weight_decay, 0.0, any, "a number from 0"));
    DIVISI_TRY(within("train.clip", train.clip, 0.0, any, "a number from 0 (0: no clipping)"));
    DIVISI_TRY(within("train.decay_rate", train.decay_rate, 0.0, 1.0 + 1e-12, "a number from 0 to 1"));
    if (train.seed > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        return bad("train.seed", "is out of range", "use 0 to 9223372036854775807");
    return {};
}

Result<void> check_train(const TrainSection& train) {
    DIVISI_TRY(within("train.steps", train.steps, 1, most_steps));
    DIVISI_TRY(within("train.batch", train.batch, 1, most_samples));
    DIVISI_TRY(within("train.microbatches", train.microbatches, 1, most_microbatches));
    if (train.batch % train.microbatches != 0)
        return bad(
            "train.microbatches",
            "= " + std::to_string(train.microbatches) + " does not divide the batch of " + std::to_string(train.batch),
            "choose a divisor of train.batch, so that all micro-batches are equal");
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
        return bad("split.segment", "belongs to strategy = \"block\"", "write strategy = \"block\"");
    }
    if (split.segments.empty()) {
        if (split.stages > 0) return {};
        return bad("split.strategy", "= 'block' needs segments",
                   "give split.stages, or a [[split.segment]] with nodes = [\"/a\", \"/scope/*\"] for each");
    }
    if (split.stages > 0 || !split.cuts.empty() || split.least_stages > 0 || split.most_stages > 0)
        return bad(split.cuts.empty() ? "split.stages" : "split.cuts", "and [[split.segment]] exclude each other",
                   "keep one of them");
    std::size_t names = 0;
    for (const SegmentSpec& segment : split.segments) names += segment.nodes.size();
    if (names > most_segment_names)
        return bad("split.segment", "has " + std::to_string(names) + " names", "name scopes, as in \"/encoder/*\"");
    return within("split.segment", static_cast<std::int64_t>(split.segments.size()), 1, plan::most_stages);
}

Result<void> check_degree(const char* name, std::int64_t degree, const char* kind) {
    if (degree < 1) return bad(name, "= " + std::to_string(degree) + " is out of range", "use 1");
    if (degree == 1) return {};
    return Error{ErrorCode::unsupported, "= " + std::to_string(degree) + ": " + kind + " parallelism comes later", name,
                 "use 1"};
}

Result<void> check_split(const SplitSection& split) {
    auto errors = split_errors(split);
    if (errors.empty()) return {};
    return std::move(errors.front());
}

/// Checks names of nodes: MIC/NODE, or a prefix and a star.
Result<void> check_patterns(const std::string& name, const std::vector<std::string>& patterns) {
    if (patterns.size() > most_patterns)
        return bad(name, "has " + std::to_string(patterns.size()) + " names",
                   "use at most " + std::to_string(most_patterns) + ", with stars for those that are alike");
    for (const std::string& pattern : patterns) {
        const std::size_t star = pattern.find('*');
        const bool named = pattern.find('/') != std::string::npos || star != std::string::npos;
        if (pattern.size() > longest_node_name || !named || (star != std::string::npos && star + 1 != pattern.size()))
            return bad(name, "has '" + pattern.substr(0, longest_node_name) + "', which is no node",
                       "write \"mic-1/node-1\", or \"mic-1/*\" for all of a MIC");
    }
    return {};
}

Result<void> check_place(const PlaceSection& place, const SplitSection& split) {
    DIVISI_TRY(check_patterns("place.nodes", place.nodes));
    DIVISI_TRY(check_patterns("place.prefer", place.prefer));
    DIVISI_TRY(check_patterns("place.avoid", place.avoid));
    if (!place.stages.empty() && !split.segments.empty())
        return bad("place.stages", "and [[split.segment]] exclude each other", "write place = in each segment");
    const bool open = split.strategy == "business" && split.stages == 0;  // there are then as many stages as branches
    if (!place.stages.empty() && !open && search::stages_are_open(split))
        return bad("place.stages", "names nodes for a number of stages that [split] leaves open",
                   "give split.stages, or leave place.stages out");
    const auto stages = split.stages > 0 ? static_cast<std::size_t>(split.stages) : split.cuts.size() + 1;
    if (!place.stages.empty() && !open && place.stages.size() != stages)
        return bad("place.stages",
                   "names " + std::to_string(place.stages.size()) + " nodes for " + std::to_string(stages) + " stages",
                   "name one node a stage, or leave it out");
    const std::string& device = place.device;
    const bool numbered = device.starts_with("cuda:") && device.size() > 5 && device.size() < 9 &&
                          std::all_of(device.begin() + 5, device.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (device != "cpu" && device != "cuda" && !numbered)
        return bad("place.device", "= '" + device + "' is no device", "use cpu, cuda or cuda:<number>");
    DIVISI_TRY(within("place.memory_mib", place.memory_mib, 0, most_memory_mib));
    if (place.precision != "fp32")
        return Error{ErrorCode::unsupported, "= '" + place.precision.substr(0, longest_name) + "' does not run",
                     "place.precision", "use fp32, which is all that instances compute in"};
    return within("place.threads", place.threads, 1, most_threads);
}

/// Checks [checkpoint], [faults] and place.standby.
Result<void> check_recovery(const TaskSpec& spec) {
    DIVISI_TRY(checkpoint_rule(spec.checkpoint));
    DIVISI_ASSIGN(const FaultAnswer answer, fault_answer(spec.faults));
    DIVISI_TRY(within("place.standby", spec.place.standby, 0, most_standbys));
    if (spec.place.standby > 0 && answer != FaultAnswer::recover)
        return bad("place.standby",
                   "keeps processes ready that faults.answer = \"" + spec.faults.answer + "\" never uses",
                   "write faults.answer = \"recover\", or leave it out");
    return {};
}

/// Checks [batch]. Without labels, no key may refer to them.
Result<void> check_batch(const TaskSpec& spec) {
    DIVISI_TRY(one_of("batch.values", spec.batch.values, {"prediction", "outputs"}));
    if (is_batch(spec) && spec.data.instances > 0)
        return bad("data.instances", "a batch reads its data where they are, in their order, without data instances",
                   "leave it out");
    if (spec.batch.labels) return {};
    const auto none = [](const char* name) {
        return bad(name, "names labels, and batch.labels is false", "remove one of them");
    };
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
    add(within("split.slots", split.slots, 0, most_microbatches));  // a larger number is never filled
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
