// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "backend/search/segmentation_request.h"

namespace divisi::task {

/// A parsed and validated task file, with every default filled in (design, section 9). Source lines for messages are
/// kept by the parser.

struct TaskSection {
    std::string name = "task";
    std::string kind = "train";  ///< train, infer or batch
    std::int64_t priority = 0;
    std::int64_t most_seconds = 0;  ///< time limit; a longer run fails. 0: unlimited

    bool operator==(const TaskSection&) const = default;
};

struct ModelSection {
    std::string zoo;   ///< "gpt", "resnet18", ...; empty when `onnx` is given
    std::string onnx;  ///< path, relative to the task file; empty if `zoo` is given
    /// Kind batch: a task of the cluster, whose model and trained weights are used. Kind train, together with `zoo` or
    /// `onnx`: a version of that model, whose weights the training begins with.
    std::string from;
    std::map<std::string, std::int64_t> sizes;    ///< zoo sizes: layers, width, heads, context, ...
    std::vector<std::string> frozen;              ///< initializers that do not train: names, or prefixes ending in '*'
    std::map<std::string, std::int64_t> symbols;  ///< [model.symbols]: sizes of symbolic dimensions
    std::map<std::string, std::string> inputs;    ///< [model.inputs]: graph input -> data column
    std::map<std::string, std::string> targets;   ///< [model.targets]: head -> data column, see target_column()
    std::string output;                           ///< graph output that the loss reads; empty: the first

    bool operator==(const ModelSection&) const = default;
};

struct DataSection {
    std::string kind;                  ///< text, images, csv, synthetic
    std::string path;                  ///< file or folder; "node:/path" lies on the loading node; empty for synthetic
                                       ///< data
    std::string labels;                ///< images: IDX label file (IDX form only)
    std::vector<std::string> targets;  ///< csv: names of the target columns
    std::string validation;            ///< file or folder, or empty
    double validation_share = 0.0;     ///< share taken from the end of `path` if `validation` is empty
    std::int64_t classes = 0;          ///< number of classes (synthetic and csv data); 0: derived from the data, or a
                                       ///< regression
    std::int64_t samples = 0;          ///< synthetic: size of the data set
    /// Number of instances that read and preprocess data and receive requests for micro-batches through the gateway. 0:
    /// one data unit, which runs with the first stage or on the node of place.data.
    std::int64_t instances = 0;

    bool operator==(const DataSection&) const = default;
};

struct TrainSection {
    std::int64_t steps = 100;
    std::int64_t batch = 16;        ///< samples per step
    std::int64_t microbatches = 1;  ///< number of micro-batches per step; divides `batch`
    std::string optimizer = "sgd";  ///< sgd, adamw
    double lr = 0.01;
    double momentum = 0.0;
    double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
    double weight_decay = 0.0;
    std::string lr_schedule = "constant";  ///< constant, cosine, linear, step
    std::int64_t warmup_steps = 0;
    std::int64_t decay_steps = 0;  ///< step schedule: period; cosine, linear: end of the decay; 0: `steps`
    double decay_rate = 0.1;       ///< step schedule: factor applied after each period
    double clip = 0.0;             ///< maximum global gradient norm; 0: no clipping
    std::uint64_t seed = 0;
    std::string loss = "cross_entropy";  ///< cross_entropy, mse
    /// [train.losses]: graph output -> cross_entropy, mse or none. Makes the training multi-task with these outputs as
    /// heads; `loss` is then ignored, and model.output must be empty. Operators that only other outputs need do not
    /// run.
    std::map<std::string, std::string> losses;
    std::map<std::string, double> weights;  ///< [train.weights]: head -> weight of its loss in the sum; default 1
    std::int64_t eval_every = 0;            ///< steps between evaluations; 0: never
    std::int64_t eval_batches = 0;          ///< batches per evaluation; 0: the whole validation part
    bool recompute = false;                 ///< recompute activations in the backward pass
    std::string nonfinite = "stop";         ///< reaction to a NaN or infinite loss: stop (the task fails), continue

    bool operator==(const TrainSection&) const = default;
};

/// Settings for the results of a task of kind "batch".
struct BatchSection {
    std::string output;  ///< the client's result file (CSV), relative to the task file; empty: NAME-results.csv
    bool labels = true;  ///< false: the data has no labels, so results are predictions only
    /// "prediction": for every position, the class with the highest score; for mse, the value. "outputs": additionally
    /// the complete output of the model, bit-exact.
    std::string values = "prediction";
    /// True: may reuse the processes of the submitter's previous batch task if group_hash() is equal.
    bool group = true;

    bool operator==(const BatchSection&) const = default;
};

/// A [[split.segment]] of a block partition.
struct SegmentSpec {
    std::vector<std::string> nodes;  ///< operator names, or prefixes ending in '*'; the most specific name counts
    std::string place;               ///< node that runs it; empty: the orchestrator chooses

    bool operator==(const SegmentSpec&) const = default;
};

/// The fields of the segmentation interface, and how the segments run.
struct SplitSection : search::SegmentationRequest {
    std::vector<SegmentSpec> segments;  ///< strategy block: all segments, in any order; excludes `stages`
    std::string schedule = "1f1b";      ///< gpipe, 1f1b
    /// number of whole tensors that a consumer holds per edge; 0: as many as the schedule can use
    std::int64_t slots = 0;
    std::int64_t dp = 1;           ///< data-parallel degree; values above 1 are not supported yet
    std::int64_t tp = 1;           ///< tensor-parallel degree; values above 1 are not supported yet
    std::string recut = "advise";  ///< handling of re-cut advice during training: advise (show it), auto (follow it)

    bool operator==(const SplitSection&) const = default;
};

/// A task's requirements for the nodes that it runs on. Nodes are written as MIC/NODE, or as a prefix and a star.
struct NodeWish {
    std::string pool;                 ///< pool of the cluster file; empty: any node
    std::vector<std::string> nodes;   ///< allowed nodes; empty: any
    std::vector<std::string> prefer;  ///< preferred nodes, while they are free
    std::vector<std::string> avoid;   ///< forbidden nodes
    bool exclusive = false;           ///< no other task may run on its nodes, even if they are shared nodes
    std::string device_type;          ///< only nodes with such a device, as named by 'divisictl nodes'; empty: any
    std::int64_t memory_mib = 0;      ///< only nodes with this memory per instance; 0: the estimated memory

    bool operator==(const NodeWish&) const = default;
};

struct PlaceSection : NodeWish {
    std::vector<std::string> stages;          ///< node of each stage, in order; empty: the orchestrator chooses
    std::string data;                         ///< node of loading and preprocessing; empty: as the first stage
    std::string device = "cpu";               ///< cpu, cuda, cuda:1
    std::string precision = "fp32";           ///< precision of computations; other values are not supported yet
    std::int64_t threads = 1;                 ///< threads of one instance
    std::map<std::string, std::string> pins;  ///< [place.pin]: operator or scope/* -> the node that runs it
    std::int64_t standby = 0;                 ///< number of idle processes kept ready to replace failed instances

    bool operator==(const PlaceSection&) const = default;
};

struct CheckpointSection {
    std::string every = "auto";  ///< a number of steps, a time ("30s", "5min"), "auto" or "never" (checkpoint_rule.h)
    std::int64_t keep = 2;       ///< number of committed checkpoints to keep

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

/// Returns whether the task processes its data once, forward only, instead of training (kind "batch").
inline bool is_batch(const TaskSpec& spec) { return spec.task.kind == "batch"; }

}  // namespace divisi::task
