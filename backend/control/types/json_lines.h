// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backend/control/types/checkpoint_types.h"
#include "backend/control/types/recut_types.h"
#include "backend/control/types/types.h"

namespace divisi::control::inline types {

// The lines that `run` and `reference` print (design, section 9), without a newline.

/// "NaN", "Infinity" or "-Infinity": what a number that is none is in JSON.
const char* nonfinite_name(double value);
/// "0.2513", "nan", "inf" or "-inf", for people.
std::string loss_text(double loss, const char* format = "%.4f");
/// " (ads 0.2513, visits 1.0240 90.0 %)", or nothing where there are no heads: for people.
std::string heads_text(const std::vector<HeadRecord>& heads);

/// {"event":"step","step":12,"loss":2.25,"loss_bits":"40100a3c","step_ms":..,"samples_per_s":..,"generation":1}, and
/// of several heads "heads":{"ads":0.25,..}; in an evaluation also "accuracies":{"ads":0.9,..}
/// A loss that is no number is a string, as Protobuf's JSON has it; see nonfinite_name().
/// `with_loss`: false for a batch without labels.
std::string step_line(const StepRecord& record, bool with_loss = true);
/// {"event":"evaluation","step":50,"loss":2.1,"loss_bits":"..","accuracy":0.4}
/// "loss 0.25, accuracy 91.7 %", with those of the heads.
std::string figures_text(const EvalRecord& record);
/// Where a batch's results were written.
std::string results_line(const std::string& file);
std::string evaluation_line(const EvalRecord& record);
/// {"event":"upload","files":2,"bytes":1048576,"sent_bytes":0}: what the nodes must hold, and what they lacked of it.
std::string upload_line(std::size_t files, Bytes bytes, Bytes sent);
/// {"event":"queued","task":".."}: others hold its nodes.
std::string queued_line(const std::string& task);
/// {"event":"checkpoint","step":10,"generation":1,"bytes":12345678}: all its snapshots together.
std::string checkpoint_line(const Checkpoint& checkpoint);
/// "after step 10: 2 snapshots, 12.3 MB", for people.
std::string checkpoint_text(const Checkpoint& checkpoint);
/// {"event":"recovery","step":10,"generation":2,"reason":"..","instance":".."}: the lines of steps go on with the next
/// one. "instance" is the one at fault, "" where none is.
std::string recovery_line(const TaskRecovers& recovery);
/// "<reason>; generation 2 goes on after step 10", for people.
std::string recovery_text(const TaskRecovers& recovery);
/// {"event":"recut","step":10,"generation":2,"from":"..","plan":"..","stages":3,"by":".."}: likewise. "from" and "plan"
/// are the hashes of the old plan and of the new one.
std::string recut_line(const TaskRecut& recut);
/// {"event":"end","task":"..","outcome":"succeeded"} and, after a failure, "error".
std::string end_line(const std::string& task, Outcome outcome, const std::optional<Error>& error);

/// The float32 in hexadecimal, as every loss is compared.
std::string loss_bits(float loss);
/// A JSON string literal, quotes included.
std::string quoted(std::string_view text);

}  // namespace divisi::control::inline types
