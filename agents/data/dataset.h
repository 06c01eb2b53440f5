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

/// The form of a csv or synthetic target: class numbers (for cross-entropy) or values (for mean squared error).
enum class Targets { classes, values };

/// One of several targets of a multi-task model.
struct TargetSpec {
    std::string column;  ///< column of the batch; csv: also of the file
    Targets form = Targets::classes;
    /// Number of classes, that is, of the head's outputs for each label. For synthetic values without `dims`, the
    /// number of values per sample. 0: determined from the data.
    std::int64_t classes = 0;
    std::vector<std::int64_t> dims = {};  ///< synthetic: the shape of a sample's labels or values
};

/// An input for which synthetic data are generated.
struct InputSpec {
    std::string column;
    graph::DType dtype = graph::DType::float32;
    std::vector<std::int64_t> dims;  ///< dimensions of one sample
    std::int64_t below = 2;          ///< integers: exclusive upper bound of the values
};

/// Describes what to read and how. Mirrors the task file's [data] section; paths are local.
struct DatasetSpec {
    std::string kind;                  ///< kind of the data: text, images, csv or synthetic
    std::string path;                  ///< file; images: IDX file, or folder with one sub-folder per class
    std::string labels;                ///< images: IDX label file; not needed for a folder
    std::vector<std::string> targets;  ///< csv: names of the target columns
    std::string validation;            ///< file or folder in the same format
    std::string validation_labels;     ///< images: IDX label file of `validation`
    double validation_share = 0.0;     ///< share of the samples at the end of `path` used for validation, in [0, 1);
                                       ///< not allowed with `validation`
    std::int64_t classes = 0;          ///< number of classes; for value targets, values per sample; for synthetic
                                       ///< tokens, size of the vocabulary; 0: from the data
    std::int64_t samples = 0;          ///< synthetic: size of the data set; 0: 1024
    std::uint64_t seed = 0;
    std::int64_t batch = 1;  ///< samples per step
    std::int64_t rows = 1;   ///< samples per micro-batch
    /// whether once() reads the data (a batch task): a text then has windows that do not overlap, and a part may have
    /// fewer than `rows` samples
    bool once = false;
    bool labelled = true;  ///< false: csv and IDX images have no targets

    /// Dimensions of one input sample for the model: text {context}, images {C, H, W}, csv {F}. Required for text and
    /// synthetic; for other kinds checked if not empty.
    std::vector<std::int64_t> input_shape;
    graph::DType input_dtype = graph::DType::float32;  ///< synthetic: float32, or int64 for token sequences

    using Targets = data::Targets;
    Targets target_form = Targets::classes;
    /// Multi-task: each head has its own target column instead of "target". csv: targets that no head lists are not
    /// read. Text and images: their single target serves all heads.
    std::vector<TargetSpec> heads;
    /// Synthetic with `heads`: all inputs of the model. If empty, there is one input, "input", with input_shape and
    /// input_dtype.
    std::vector<InputSpec> inputs;
    bool standardize = true;  ///< csv: scale features to mean 0 and deviation 1 over the training part
};

/// One column of a batch; its tensor has shape [rows] followed by `dims`.
struct Column {
    std::string name;
    graph::DType dtype = graph::DType::undefined;
    std::vector<std::int64_t> dims;
};

/// Tensors by column: "input" and "target", unless DatasetSpec::labelled, heads or inputs change this. Text and
/// synthetic tokens also have "tokens" (= input). Csv also has "features" (= input) and every column read, by its name.
struct Batch {
    std::map<std::string, graph::HostTensor> columns;

    /// Returns null if the batch has no such column.
    const graph::HostTensor* find(const std::string& column) const;
};

class Source;

/// A data set whose samples have a fixed order. All methods are const, keep no position, and are thread-safe.
///
///   text       input int64 [rows, context], target int64 [rows, context] (the next byte)
///   images     input float32 [rows, C, H, W] in [-1, 1], target int64 [rows]
///   csv        input float32 [rows, F], target int64 [rows] or float32 [rows, T]
///   synthetic  input as specified; target int64 [rows], float32 [rows, T], or int64 [rows, context] for tokens
///
/// DatasetSpec::heads changes the targets: csv gives each column as int64 [rows] or float32 [rows, 1]; synthetic gives
/// each head's target in the form of a single target.
class Dataset {
public:
    Dataset(DatasetSpec spec, std::unique_ptr<const Source> training, std::unique_ptr<const Source> validation);
    ~Dataset();

    /// Returns `rows` samples of micro-batch `microbatch` (from 0) of `step` (from 1, as in plans). The sample in
    /// `row` is sample (step - 1) * batch + microbatch * rows + row of the run. Every epoch visits each training sample
    /// once, in an order that depends on the seed and the epoch. The data of a step therefore do not depend on the
    /// number of micro-batches. Fails with `corrupt` if a file has changed or cannot be read.
    Result<Batch> microbatch(std::int64_t step, std::int64_t microbatch, std::int64_t rows) const;

    /// Returns the number of whole micro-batches in the validation part. A remainder is left out, because graphs have
    /// fixed sizes.
    std::int64_t validation_batches(std::int64_t rows) const;
    Result<Batch> validation(std::int64_t index, std::int64_t rows) const;

    /// Returns the number of samples of a batch task: the samples of the validation part, or all samples if there is
    /// none. A text is divided into consecutive windows of context bytes; a remainder below context + 1 bytes is left
    /// out.
    std::int64_t once_samples() const;
    /// Returns `rows` samples from number `first` on, in the order of the files; repeats the last sample beyond the
    /// end.
    Result<Batch> once(std::int64_t first, std::int64_t rows) const;

    const std::vector<Column>& columns() const;
    std::int64_t classes() const;             ///< number of classes of "target"; 0 if "target" contains values
    std::int64_t training_samples() const;    ///< number of training samples; text: number of windows, which overlap
    std::int64_t validation_samples() const;  ///< number of validation samples; 0: no validation part

private:
    Permutation order_of(std::int64_t epoch) const;

    DatasetSpec spec_;
    std::unique_ptr<const Source> training_;
    std::unique_ptr<const Source> validation_;  ///< validation part; may be null
};

/// Opens and checks a data set. Errors that can be found without decoding every pixel are reported here, before
/// anything starts. They name file, line and remedy.
Result<std::unique_ptr<const Dataset>> open_dataset(const DatasetSpec& spec);

}  // namespace divisi::data
