// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/control/protocol/message.h"
#include "backend/control/types/span_types.h"

namespace divisi::control::test {

inline InstanceSpans instance_spans() {
    return {TaskId("t"),
            InstanceId("t/stage-1/0#1"),
            2,
            40,
            TimePoint(std::chrono::seconds(1'700'000'000)),
            TimePoint(std::chrono::seconds(1'700'000'001)),
            Duration(5'000'000),
            {{plan::data_unit, plan::OperationKind::load, 3, Duration(-700), Duration(500)},
             {1, plan::OperationKind::optimizer, 0, Duration(4'000'000), Duration(1'000'000)}},
            7,
            8};
}

inline std::vector<Message> span_messages() {
    return {WatchSpans{TaskId("t")}, ReportSpans{TaskId("t"), 2, 16}, SpanReport{instance_spans()},
            SpanPush{instance_spans(), "machine", Duration(-12), 3}};
}

}  // namespace divisi::control::test
