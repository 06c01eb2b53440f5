// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backend/base/result.h"
#include "backend/task/task_spec.h"

namespace divisi::task {

/// Largest task or cluster file: far beyond any that a person writes, small enough to refuse a hostile one.
inline constexpr std::size_t most_file_bytes = std::size_t{1} << 20;

/// Parses and checks a task file (TOML; design, section 9). `filename` is only for messages. Fails
/// (invalid_input, or unsupported for what comes later) with file and line, what is wrong and what to write
/// instead: unknown sections and keys with the most similar known one, wrong types, values out of range.
Result<TaskSpec> parse_task(std::string_view text, const std::string& filename);

/// Applies `section.key=value` settings (dotted further for sub-tables: model.symbols.batch=4) to the text
/// of a task file and parses it. Values are TOML; bare words are strings. Setting split.stages drops the
/// file's cuts and the reverse; likewise model.zoo and model.onnx.
Result<TaskSpec> parse_task(std::string_view text, const std::string& filename,
                            const std::vector<std::string>& settings);

/// The same for a task whose [split] does not stand in the text but comes as values, as in the message SegmentModel.
/// Nothing is read of data, so that [data] may be left out; so may [model] where one comes along (`has_model`).
/// Fails (invalid_input) also where the text has a [split].
Result<TaskSpec> parse_task(std::string_view text, const std::string& filename, const SplitSection& split,
                            bool has_model);

/// Where `key` ("train.lr", "train.losses.ads") was written, for errors that come up only when the task is held against
/// its model: "file:12", the setting, or `key` itself where neither wrote it.
std::string where_written(std::string_view text, const std::string& filename, const std::vector<std::string>& settings,
                          const std::string& key);

/// The same on a parsed task.
Result<TaskSpec> apply_overrides(const TaskSpec& spec, const std::vector<std::string>& settings);

/// A task file that parses to the same spec: only what differs from the defaults, in a fixed order.
std::string print_task(const TaskSpec& spec);

/// The checks of parse_task() on a spec that was put together otherwise (the console's form): ranges, what
/// excludes what, the batch against the micro-batches. The error's `where` is "section.key".
Result<void> check_task(const TaskSpec& spec);

/// Every bad field of [split], not only the first: `where` is "split.key", and `what` reads on from it.
std::vector<Error> split_errors(const SplitSection& split);

}  // namespace divisi::task
