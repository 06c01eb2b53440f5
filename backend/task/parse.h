// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backend/base/result.h"
#include "backend/task/task_spec.h"

namespace divisi::task {

/// Maximum size of a task or cluster file: far larger than any handwritten file, but small enough to refuse a hostile
/// file.
inline constexpr std::size_t most_file_bytes = std::size_t{1} << 20;

/// Parses and checks a task file (TOML; design, section 9). `filename` is only for messages. Fails with invalid_input,
/// or with unsupported for planned features. Errors give file and line, the problem and what to write instead. They
/// cover unknown sections and keys (with the most similar known one), wrong types and values out of range.
Result<TaskSpec> parse_task(std::string_view text, const std::string& filename);

/// Applies `section.key=value` settings to the text of a task file and parses it. Sub-tables take a longer key:
/// model.symbols.batch=4. Values are TOML; bare words are strings. Setting split.stages removes the file's cuts and
/// vice versa; the same holds for model.zoo and model.onnx.
Result<TaskSpec> parse_task(std::string_view text, const std::string& filename,
                            const std::vector<std::string>& settings);

/// Parses a task whose [split] is given as values instead of text, as in the message SegmentModel. The data is not
/// read, so [data] may be absent. [model] may be absent if the model is sent with the task (`has_model`). Also fails
/// (invalid_input) if the text has a [split].
Result<TaskSpec> parse_task(std::string_view text, const std::string& filename, const SplitSection& split,
                            bool has_model);

/// Returns where `key` ("train.lr", "train.losses.ads") was written: "file:12", the setting, or `key` itself if it was
/// not written. Used for errors that are found only when the task is compared with its model.
std::string where_written(std::string_view text, const std::string& filename, const std::vector<std::string>& settings,
                          const std::string& key);

/// Applies settings to a parsed task.
Result<TaskSpec> apply_overrides(const TaskSpec& spec, const std::vector<std::string>& settings);

/// Returns a task file that parses to the same spec. It has only values that differ from the defaults, in a fixed
/// order.
std::string print_task(const TaskSpec& spec);

/// Runs the checks of parse_task() on a spec from another source (the console's form): ranges, exclusions, and the
/// batch against the micro-batches. The error's `where` is "section.key".
Result<void> check_task(const TaskSpec& spec);

/// Returns an error for every bad field of [split], not only the first. `where` is "split.key", and `what` continues
/// the sentence.
std::vector<Error> split_errors(const SplitSection& split);

}  // namespace divisi::task
