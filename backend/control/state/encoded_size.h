// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/control/state/limits.h"
#include "backend/control/state/state.h"
#include "backend/control/types/log_types.h"

namespace divisi::control::inline state {

// Upper bounds for the size of values in a message. A bound is never less than the size that the codec writes, and
// seldom much more. A test of wire checks this.

EncodedSize encoded_size(const Event& event);
EncodedSize encoded_size(const NodeView& node);
EncodedSize encoded_size(const InstanceView& instance);
EncodedSize encoded_size(const TaskView& task);
EncodedSize encoded_size(const KeyChanged& key);
EncodedSize encoded_size(const LinkView& link);
EncodedSize encoded_size(const StatedLink& link);
EncodedSize encoded_size(const TaskNumber& number);
EncodedSize encoded_size(const LeaseView& lease);
EncodedSize encoded_size(const Pool& pool);
EncodedSize encoded_size(const QueueRules& rules);
EncodedSize encoded_size(const SubmitterView& submitter);
EncodedSize encoded_size(const Reservation& reservation);
EncodedSize encoded_size(const MeshMember& device);
EncodedSize encoded_size(const mesh::Service& service);
EncodedSize encoded_size(const PolicyVersion& policy);
EncodedSize encoded_size(const ExceptionEntry& entry);
EncodedSize encoded_size(const ModelVersion& version);
EncodedSize encoded_size(const Alert& alert);
EncodedSize encoded_size(const LogLine& line);
EncodedSize encoded_size(const InstanceLoad& load);
EncodedSize encoded_size(const NodeMachine& load);
EncodedSize encoded_size(const StepRecord& record);
EncodedSize encoded_size(const EvalRecord& record);
EncodedSize encoded_size(const TaskSubmitted& event);
EncodedSize encoded_size(const TaskPlanned& event);

}  // namespace divisi::control::inline state
