// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/control/state/limits.h"
#include "backend/control/state/state.h"
#include "backend/control/types/log_types.h"

namespace divisi::control::inline state {

// Upper bounds for the size of values in a message. Never less than the codec writes, which a test of wire checks, and
// seldom much more.

Extent extent_of(const Event& event);
Extent extent_of(const NodeView& node);
Extent extent_of(const InstanceView& instance);
Extent extent_of(const TaskView& task);
Extent extent_of(const KeyChanged& key);
Extent extent_of(const LinkView& link);
Extent extent_of(const StatedLink& link);
Extent extent_of(const TaskNumber& number);
Extent extent_of(const LeaseView& lease);
Extent extent_of(const Pool& pool);
Extent extent_of(const QueueRules& rules);
Extent extent_of(const SubmitterView& submitter);
Extent extent_of(const Reservation& reservation);
Extent extent_of(const MeshMember& device);
Extent extent_of(const mesh::Service& service);
Extent extent_of(const PolicyVersion& policy);
Extent extent_of(const ExceptionEntry& entry);
Extent extent_of(const ModelVersion& version);
Extent extent_of(const Alert& alert);
Extent extent_of(const LogLine& line);
Extent extent_of(const InstanceLoad& load);
Extent extent_of(const NodeMachine& load);
Extent extent_of(const StepRecord& record);
Extent extent_of(const EvalRecord& record);
Extent extent_of(const TaskSubmitted& event);
Extent extent_of(const TaskPlanned& event);

}  // namespace divisi::control::inline state
