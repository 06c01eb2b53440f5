// SPDX-License-Identifier: Apache-2.0
#include "backend/task/kinds.h"

#include "backend/task/compile.h"
#include "backend/task/error_texts.h"

namespace divisi::task {
namespace {

/// Keys of the training sections that a batch task uses: the number of samples per pass, how outputs are read and
/// compared with labels, and the seed of synthetic data.
const std::set<std::string> of_batch{"train.batch", "train.loss", "train.losses", "train.seed"};

/// Returns whether the key enables checkpoints or sets their number.
bool about_checkpoints(const std::string& key, const CheckpointSection& checkpoint) {
    if (key == "checkpoint.every") return checkpoint.every != "never" && checkpoint.every != "auto";
    return key == "checkpoint.keep";
}

/// Removes the member from a key: "train.losses" for "train.losses.ads".
std::string without_member(const std::string& key) {
    const std::size_t dot = key.find('.', key.find('.') + 1);
    return key.substr(0, dot);
}

Result<void> check_weights(const ModelSection& model) {
    if (!model.zoo.empty()) return make_error(error_text("zoo-model-without-weights"), "model.zoo", {model.zoo});
    if (model.onnx.empty() && model.from.empty()) return make_error(error_text("no-trained-model-given"), "model.from");
    if (!model.onnx.empty() && !model.from.empty()) return make_error(error_text("version-and-file"), "model.from");
    return {};
}

/// Checks that the task names a model, because a version contains only weights.
Result<void> check_first_weights(const ModelSection& model) {
    if (model.from.empty() || !model.zoo.empty() || !model.onnx.empty()) return {};
    return make_error(error_text("version-without-model"), "model.from", {model.from});
}

}  // namespace

Result<void> check_kind(const TaskSpec& spec, const std::set<std::string>& written) {
    const bool batch = is_batch(spec);
    // in reverse, so that members come before their tables
    for (auto entry = written.rbegin(); entry != written.rend(); ++entry) {
        const std::string& key = *entry;
        const std::string name = without_member(key);
        if (!batch && name.starts_with("batch.")) return make_error(error_text("key-of-batch-tasks"), key);
        const bool about_training = name.starts_with("train.") && !of_batch.contains(name);
        if (batch && (about_training || name == "model.frozen" || name == "split.schedule" || name == "split.recut"))
            return make_error(error_text("batch-trains-nothing"), key);
        if (batch && about_checkpoints(name, spec.checkpoint))
            return make_error(error_text("batch-keeps-no-checkpoints"), key);
        if (batch && name == "place.standby") return make_error(error_text("batch-has-no-standby"), key);
    }
    return batch ? check_weights(spec.model) : check_first_weights(spec.model);
}

void drop_of_other_kinds(TaskSpec& spec) {
    if (!is_batch(spec)) {
        spec.batch = {};
        spec.model.from.clear();
        return;
    }
    TrainSection kept;
    kept.batch = spec.train.batch;
    kept.loss = spec.train.loss;
    kept.losses = spec.train.losses;
    kept.seed = spec.train.seed;
    spec.train = std::move(kept);
    spec.model.frozen.clear();
    spec.model.zoo.clear();
    spec.model.sizes.clear();
    spec.split.schedule = SplitSection().schedule;
    spec.split.recut = SplitSection().recut;
    spec.data.instances = 0;
    spec.place.standby = 0;
    spec.checkpoint = {};
}

}  // namespace divisi::task
