// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "backend/search/segmentation_request.h"

namespace divisi::task {

/// A task file, parsed and validated, with every default filled in (design, section 9). A place in the
/// source is kept by the parser for messages, not here.

struct TaskSection {
    std::string name = "task";
    std::string kind = "train";  ///< train, infer, batch
    std::int64_t priority = 0;
    std::int64_t most_seconds = 0;  ///< that it may run; longer, and it fails. 0: as long as it takes

    bool operator==(const TaskSection&) const = default;
};

struct ModelSection {
    std::string zoo;   ///< "gpt", "resnet18", ...; empty when `onnx` is given
    std::string onnx;  ///< path, relative to the task file; empty when `zoo` is given
    /// Kind batch: a task of the cluster, whose model it is with the weights that it trained. Kind train, beside `zoo`
    /// or `onnx`: a version of that model, whose weights the training begins with.
    std::string from;
    std::map<std::string, std::int64_t> sizes;    ///< zoo sizes: layers, width, heads, context, ...
    std::vector<std::string> frozen;              ///< initializer names or prefixes ending in '*' that do not train
    std::map<std::string, std::int64_t> symbols;  ///< [model.symbols]: sizes of symbolic dimensions
    std::map<std::string, std::string> inputs;    ///< [model.inputs]: graph input -> data column
    std::map<std::string, std::string> targets;   ///< [model.targets]: head -> data column, see target_column()
    std::string output;                           ///< graph output the loss reads; empty: the first

    bool operator==(const ModelSection&) const = default;
};

struct DataSection {
    std::string kind;                  ///< text, images, csv, synthetic
    std::string path;                  ///< file or folder; "node:/path" lies on the loading node; empty for synthetic
    std::string labels;                ///< images: IDX label file (IDX form only)
    std::vector<std::string> targets;  ///< csv: names of the target columns
    std::string validation;            ///< file or folder, or empty
    double validation_share = 0.0;     ///< share cut from the end of `path` when `validation` is empty
    std::int64_t classes = 0;          ///< synthetic and csv classification; 0: from the data or regression
    std::int64_t samples = 0;          ///< synthetic: size of the data set
    /// Instances that read and preprocess and are asked for micro-batches through the gateway; 0: one unit, which runs
    /// with the first stage, or where place.data says.
    std::int64_t instances = 0;

    bool operator==(const DataSection&) const = default;
};

struct TrainSection {
    std::int64_t steps = 100;
    std::int64_t batch = 16;        ///< samples per step
    std::int64_t microbatches = 1;  ///< divides `batch`
    std::string optimizer = "sgd";  ///< sgd, adamw
    double lr = 0.01;
    double momentum = 0.0;
    double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
    double weight_decay = 0.0;
    std::string lr_schedule = "constant";  ///< constant, cosine, linear, step
    std::int64_t warmup_steps = 0;
    std::int64_t decay_steps = 0;  ///< step schedule: period; cosine and linear: 0 means `steps`
    double decay_rate = 0.1;       ///< step schedule: factor
    double clip = 0.0;             ///< global gradient norm; 0: no clipping
    std::uint64_t seed = 0;
    std::string loss = "cross_entropy";  ///< cross_entropy, mse
    /// [train.losses]: graph output -> cross_entropy, mse or none. Makes the training multi-task: these are its heads,
    /// `loss` and model.output are not read, and what only other outputs need does not run.
    std::map<std::string, std::string> losses;
    std::map<std::string, double> weights;  ///< [train.weights]: head -> weight of its loss in the sum; 1
    std::int64_t eval_every = 0;            ///< 0: never
    std::int64_t eval_batches = 0;          ///< batches of one evaluation; 0: the whole validation part
    bool recompute = false;                 ///< recompute activations in the backward pass
    std::string nonfinite = "stop";         ///< when a loss is nan or infinite: stop (the task fails), continue

    bool operator==(const TrainSection&) const = default;
};

/// What a task of kind "batch" does with what the model says of each sample.
struct BatchSection {
    std::string output;  ///< the client's file of results (CSV), relative to the task file; empty: NAME-results.csv
    bool labels = true;  ///< false: the data have none, so that results are predictions alone
    /// "prediction": of every position the class with the highest score, or the value (mse); "outputs": besides, all
    /// that the model's output holds, to the last bit.
    std::string values = "prediction";
    /// Whether it may go on with the processes of the submitter's batch before it, where group_hash() is the same.
    bool group = true;

    bool operator==(const BatchSection&) const = default;
};

/// A [[split.segment]] of a block partition.
struct SegmentSpec {
    std::vector<std::string> nodes;  ///< operator names, or prefixes ending in '*'; the most exact name counts
    std::string place;               ///< node that runs it; empty: the orchestrator chooses

    bool operator==(const SegmentSpec&) const = default;
};

/// What the segmentation interface takes, and how the segments run.
struct SplitSection : search::SegmentationRequest {
    std::vector<SegmentSpec> segments;  ///< strategy block: every segment, in any order; excludes `stages`
    std::string schedule = "1f1b";      ///< gpipe, 1f1b
    std::int64_t slots = 0;        ///< whole tensors that a consumer holds of every edge; 0: what the schedule can use
    std::int64_t dp = 1;           ///< data-parallel degree; more than 1 comes later and is refused
    std::int64_t tp = 1;           ///< tensor-parallel degree; likewise
    std::string recut = "advise";  ///< what becomes of advice to re-cut it while it trains: advise, auto (is followed)

    bool operator==(const SplitSection&) const = default;
};

/// What a task asks of the nodes that it runs on. Nodes are written MIC/NODE, or as the beginning of one and a star.
struct NodeWish {
    std::string pool;                 ///< of the cluster file; empty: any node
    std::vector<std::string> nodes;   ///< on these alone; empty: on any
    std::vector<std::string> prefer;  ///< these first, as long as they are free
    std::vector<std::string> avoid;   ///< on none of these
    bool exclusive = false;           ///< no other task on its nodes, also where they are shared
    std::string device_type;          ///< on nodes with such a device alone, as 'divisictl nodes' names it; empty: any
    std::int64_t memory_mib = 0;      ///< on nodes with so much for each instance, 0: as much as is estimated

    bool operator==(const NodeWish&) const = default;
};

struct PlaceSection : NodeWish {
    std::vector<std::string> stages;          ///< node of each stage, in order; empty: the orchestrator chooses
    std::string data;                         ///< node of loading and preprocessing; empty: with the first stage
    std::string device = "cpu";               ///< cpu, cuda, cuda:1
    std::string precision = "fp32";           ///< that instances compute in: nothing else runs yet
    std::int64_t threads = 1;                 ///< threads of one instance
    std::map<std::string, std::string> pins;  ///< [place.pin]: operator or scope/* -> the node that runs it
    std::int64_t standby = 0;                 ///< idle processes that are kept ready for instances that die

    bool operator==(const PlaceSection&) const = default;
};

struct CheckpointSection {
    std::string every = "auto";  ///< so many steps, a time ("30s", "5min"), "auto" or "never" (checkpoint_rule.h)
    std::int64_t keep = 2;       ///< committed checkpoints, the newest

    bool operator==(const CheckpointSection&) const = default;
};

struct FaultsSection {
    std::string answer = "recover";  ///< recover, wait, fail

    bool operator==(const FaultsSection&) const = default;
};

struct TaskSpec {
    TaskSection task;
    ModelSection model;
    DataSection data;
    TrainSection train;
    BatchSection batch;
    SplitSection split;
    PlaceSection place;
    CheckpointSection checkpoint;
    FaultsSection faults;

    bool operator==(const TaskSpec&) const = default;
};

/// Whether it goes over its data once, forward only, instead of training (kind "batch").
inline bool is_batch(const TaskSpec& spec) { return spec.task.kind == "batch"; }

}  // namespace divisi::task
