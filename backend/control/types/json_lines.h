// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backend/control/types/checkpoint_types.h"
#include "backend/control/types/recut_types.h"
#include "backend/control/types/types.h"

namespace divisi::control::inline types {

// The output lines of `run` and `reference` (design, section 9), without a newline.

/// Returns the JSON text of a non-finite number: "NaN", "Infinity" or "-Infinity".
const char* nonfinite_name(double value);
/// Returns the loss as readable text, for example "0.2513", "nan", "inf" or "-inf".
std::string loss_text(double loss, const char* format = "%.4f");
/// Returns the heads as readable text, for example " (ads 0.2513, visits 1.0240 90.0 %)"; empty if there are no heads.
std::string heads_text(const std::vector<HeadRecord>& heads);

/// Returns the line of a step:
/// {"event":"step","step":12,"loss":2.25,"loss_bits":"40100a3c","step_ms":..,"samples_per_s":..,"generation":1}. With
/// several heads the line also has "heads":{"ads":0.25,..}, and in an evaluation "accuracies":{"ads":0.9,..}. A
/// non-finite loss is a string, as in Protobuf's JSON; see nonfinite_name(). `with_loss`: false for a batch without
/// labels.
std::string step_line(const StepRecord& record, bool with_loss = true);
/// Returns the figures of an evaluation as text, for example "loss 0.25, accuracy 91.7 %", followed by the figures
/// of the heads. Its JSON line is evaluation_line():
/// {"event":"evaluation","step":50,"loss":2.1,"loss_bits":"..","accuracy":0.4}
std::string figures_text(const EvalRecord& record);
/// Returns the line that names the file with a batch's results.
std::string results_line(const std::string& file);
std::string evaluation_line(const EvalRecord& record);
/// Returns {"event":"upload","files":2,"bytes":1048576,"sent_bytes":0}: the files that the nodes must hold, and the
/// bytes that the nodes lacked.
std::string upload_line(std::size_t files, Bytes bytes, Bytes sent);
/// Returns {"event":"queued","task":".."}: the task waits because other tasks hold its nodes.
std::string queued_line(const std::string& task);
/// Returns {"event":"checkpoint","step":10,"generation":1,"bytes":12345678}; "bytes" is the size of all snapshots.
std::string checkpoint_line(const Checkpoint& checkpoint);
/// Returns the checkpoint as readable text, for example "after step 10: 2 snapshots, 12.3 MB".
std::string checkpoint_text(const Checkpoint& checkpoint);
/// Returns {"event":"recovery","step":10,"generation":2,"reason":"..","instance":".."}. The next step line belongs to
/// the step after "step". "instance" is the instance at fault, "" if there is none.
std::string recovery_line(const TaskRecovers& recovery);
/// Returns the recovery as readable text: "<reason>; generation 2 continues after step 10".
std::string recovery_text(const TaskRecovers& recovery);
/// Returns {"event":"recut","step":10,"generation":2,"from":"..","plan":"..","stages":3,"by":".."}. The next step line
/// belongs to the step after "step". "from" and "plan" are the hashes of the old plan and of the new plan.
std::string recut_line(const TaskRecut& recut);
/// Returns {"event":"end","task":"..","outcome":"succeeded"} and, after a failure, "error".
std::string end_line(const std::string& task, Outcome outcome, const std::optional<Error>& error);

/// Returns the float32 in hexadecimal. Losses are always compared in this form.
std::string loss_bits(float loss);
/// Returns a JSON string literal, quotes included.
std::string quoted(std::string_view text);

}  // namespace divisi::control::inline types
