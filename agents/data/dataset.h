// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agents/data/permutation.h"
#include "backend/base/result.h"
#include "backend/graph/tensor.h"

namespace divisi::data {

/// What a csv or synthetic target is: class numbers (cross-entropy) or values (mean squared error).
enum class Targets { classes, values };

/// One of several targets.
struct TargetSpec {
    std::string column;  ///< of the batch; csv: also of the file
    Targets form = Targets::classes;
    /// Outputs of the head that learns it, for one label; synthetic values without `dims`: their number. 0: from the
    /// data.
    std::int64_t classes = 0;
    std::vector<std::int64_t> dims = {};  ///< synthetic: the shape of a sample's labels or values
};

/// One of the inputs that synthetic data are made for.
struct InputSpec {
    std::string column;
    graph::DType dtype = graph::DType::float32;
    std::vector<std::int64_t> dims;  ///< of one sample
    std::int64_t below = 2;          ///< integers: from 0 to less than this
};

/// What to read and how. Mirrors the task file's [data] section; paths are local ones.
struct DatasetSpec {
    std::string kind;                  ///< text, images, csv, synthetic
    std::string path;                  ///< file; images: IDX file or folder with one sub-folder per class
    std::string labels;                ///< images: IDX label file; a folder has none
    std::vector<std::string> targets;  ///< csv: target columns
    std::string validation;            ///< file or folder of the same form
    std::string validation_labels;     ///< images: IDX label file of `validation`
    double validation_share = 0.0;     ///< share cut from the end of `path`, in [0, 1); excludes `validation`
    std::int64_t classes = 0;          ///< outputs of the model (synthetic values: their number); 0: from the data
    std::int64_t samples = 0;          ///< synthetic: size of the data set; 0: 1024
    std::uint64_t seed = 0;
    std::int64_t batch = 1;  ///< samples of one step
    std::int64_t rows = 1;   ///< samples of one micro-batch
    bool once = false;       ///< for once(): texts give windows that do not overlap, and a part may be below `rows`
    bool labelled = true;    ///< false: csv and IDX images come without targets

    /// Dimensions of one input sample as the model takes it: text {context}, images {C, H, W}, csv {F}.
    /// Needed by text and synthetic; elsewhere checked where not empty.
    std::vector<std::int64_t> input_shape;
    graph::DType input_dtype = graph::DType::float32;  ///< synthetic: float32, or int64 for token sequences

    using Targets = data::Targets;
    Targets target_form = Targets::classes;
    /// Multi-task: a target column apiece instead of "target" (csv: those of `targets` that are not listed are not
    /// read; text and images: their one target serves all).
    std::vector<TargetSpec> heads;
    /// Synthetic with `heads`: all inputs of the model. Empty: "input", by input_shape and input_dtype.
    std::vector<InputSpec> inputs;
    bool standardize = true;  ///< csv: features to mean 0 and deviation 1 over the training part
};

/// One column of a batch: its shape is [rows] followed by `dims`.
struct Column {
    std::string name;
    graph::DType dtype = graph::DType::undefined;
    std::vector<std::int64_t> dims;
};

/// Tensors by column. Always there: "input" and "target". Besides, by kind: text "tokens" (= input);
/// csv "features" (= input) and every column of the file by its own name.
struct Batch {
    std::map<std::string, graph::HostTensor> columns;

    /// nullptr where the batch has no such column.
    const graph::HostTensor* find(const std::string& column) const;
};

class Source;

/// A data set with its order. Every call is const, keeps no position, and may come from any thread.
///   text       input int64 [rows, context], target int64 [rows, context] (the next byte)
///   images     input float32 [rows, C, H, W] in [-1, 1], target int64 [rows]
///   csv        input float32 [rows, F], target int64 [rows] or float32 [rows, T]
///   synthetic  input as wanted; target int64 [rows], float32 [rows, T], or int64 [rows, context] for tokens
/// With DatasetSpec::heads csv gives each column int64 [rows] or float32 [rows, 1], synthetic as for one target.
class Dataset {
public:
    Dataset(DatasetSpec spec, std::unique_ptr<const Source> training, std::unique_ptr<const Source> validation);
    ~Dataset();

    /// `rows` samples of micro-batch `microbatch` (from 0) of `step` (from 1, as plans count). Sample k of a run is
    /// number (step - 1) * batch + microbatch * rows + row; every epoch visits each training sample once, in an order
    /// that the seed and the epoch decide. So the data of a step does not depend on the number of micro-batches.
    /// Fails with `corrupt` when a file changed or breaks while it is read.
    Result<Batch> microbatch(std::int64_t step, std::int64_t microbatch, std::int64_t rows) const;

    /// Whole micro-batches in the validation part; a remainder is left out, as graphs have fixed sizes.
    std::int64_t validation_batches(std::int64_t rows) const;
    Result<Batch> validation(std::int64_t index, std::int64_t rows) const;

    /// For a batch: samples of the validation part, else of all; texts: windows of context bytes, one after the other,
    /// so that a rest below context + 1 bytes is left out.
    std::int64_t once_samples() const;
    /// `rows` samples from number `first` on in the order of the files; the last is repeated behind the end.
    Result<Batch> once(std::int64_t first, std::int64_t rows) const;

    const std::vector<Column>& columns() const;
    std::int64_t classes() const;             ///< classes of "target"; 0 where it holds values
    std::int64_t training_samples() const;    ///< text: number of windows, which overlap
    std::int64_t validation_samples() const;  ///< 0: no validation part

private:
    Permutation order_of(std::int64_t epoch) const;

    DatasetSpec spec_;
    std::unique_ptr<const Source> training_;
    std::unique_ptr<const Source> validation_;  ///< may be null
};

/// Opens and checks a data set: every error that its files can cause without being read to the end of
/// each pixel comes here, before anything starts, and names file, line and remedy.
Result<std::unique_ptr<const Dataset>> open_dataset(const DatasetSpec& spec);

}  // namespace divisi::data
