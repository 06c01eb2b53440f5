// SPDX-License-Identifier: Apache-2.0
#include "backend/task/kinds.h"

#include "backend/task/compile.h"

namespace divisi::task {
namespace {

/// Keys of the training sections that a batch task uses: the number of samples per pass, how outputs are read and
/// compared with labels, and the seed of synthetic data.
const std::set<std::string> of_batch{"train.batch", "train.loss", "train.losses", "train.seed"};

Error refuse(const std::string& key, std::string what, std::string next) {
    return {ErrorCode::invalid_input, std::move(what), key, std::move(next)};
}

/// True if the key enables checkpoints or sets their number.
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
    if (!model.zoo.empty())
        return refuse("model.zoo", "= '" + model.zoo + "' has no trained weights for a batch",
                      "write from = \"TASK\" for what a task has trained, or onnx = \"FILE\" for an exported model");
    if (model.onnx.empty() && model.from.empty())
        return refuse("model.from", "is missing",
                      "write from = \"TASK\" for what a task has trained, or onnx = \"FILE\" for an exported model");
    if (!model.onnx.empty() && !model.from.empty())
        return refuse("model.from", "and model.onnx exclude each other", "keep one of them");
    return {};
}

/// Checks that the task names a model: a version has only weights.
Result<void> check_first_weights(const ModelSection& model) {
    if (model.from.empty() || !model.zoo.empty() || !model.onnx.empty()) return {};
    return refuse("model.from", "= '" + model.from + "' stands alone: a training also names its model",
                  "write zoo = \"NAME\" or onnx = \"FILE\" beside it, as the version's task has it");
}

}  // namespace

Result<void> check_kind(const TaskSpec& spec, const std::set<std::string>& written) {
    const bool batch = is_batch(spec);
    // in reverse, so that members come before their tables
    for (auto entry = written.rbegin(); entry != written.rend(); ++entry) {
        const std::string& key = *entry;
        const std::string name = without_member(key);
        if (!batch && name.starts_with("batch."))
            return refuse(key, "belongs to tasks of kind batch", "write [task] kind = \"batch\", or remove it");
        const bool about_training = name.starts_with("train.") && !of_batch.contains(name);
        if (batch && (about_training || name == "model.frozen" || name == "split.schedule" || name == "split.recut"))
            return refuse(key, "means nothing for a batch, which goes forward once and trains nothing", "remove it");
        if (batch && about_checkpoints(name, spec.checkpoint))
            return refuse(key, "means nothing for a batch, which starts anew after a fault", "remove it");
        if (batch && name == "place.standby")
            return refuse(key, "means nothing for a batch, which no standby takes over", "remove it");
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
